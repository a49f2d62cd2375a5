// SPDX-License-Identifier: GPL-2.0-only
// The pinned maps of an attachment's shapes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "linux/common/descriptor.h"
#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/shapes/shape.h"

namespace penstock::gw {

class ShapeTable {
 public:
  // Throws Error where the device is not attached, or has no room for shapes.
  explicit ShapeTable(const Device& device);

  const gw_attachment& attachment() const { return attachment_; }
  std::map<std::uint32_t, Shape> all() const;

  // All of them, or none: throws Error that names the first that cannot be. With `replace`, one
  // that is there already changes, and goes on with the state that it has.
  void add(const std::vector<Shape>& shapes, bool replace);
  void remove(const std::vector<std::string>& names);

 private:
  struct Change {
    std::uint32_t id;
    Shape shape;
    Selectors before;
  };
  std::vector<Change> planned(const std::vector<Shape>& shapes, bool replace) const;
  void write(const Change& change) const;
  void drop(std::uint32_t id, const Selectors& selectors) const;
  void note_use() const;

  Device device_;
  gw_attachment attachment_{};
  Descriptor shapes_, selectors_, prefixes_;
};

}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
// A file that takes the place of an older one only when it is whole.
#pragma once

#include <string>
#include <string_view>

#include "linux/common/descriptor.h"

namespace penstock::gw {

class NewFile {
 public:
  // Beside `path`; an existing file of that name, in particular a link, is not followed. Throws
  // Error.
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // Writes the whole content, and puts the file in its place. Throws Error.
  void put(std::string_view text);

 private:
  std::string path_;
  std::string beside_;  // empty: it is in its place
  Descriptor file_;
};

}  // namespace penstock::gw

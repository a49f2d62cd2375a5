// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/shapes/table.h"

#include <bpf/bpf.h>

#include <algorithm>
#include <set>
#include <utility>

#include "linux/gateway/tool/attach/map.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

namespace {

std::uint32_t room_of(int fd) {
  bpf_map_info info{};
  std::uint32_t size = sizeof(info);
  return bpf_obj_get_info_by_fd(fd, &info, &size) ? 0 : info.max_entries;
}

Descriptor open_map(const Device& device, const char* map) {
  Descriptor fd(bpf_obj_get((device.pins + "/" + map).c_str()));
  if (!fd) throw system_error("cannot open " + device.pins + "/" + map, errno);
  return fd;
}

template <typename Key, typename Value>
void put(int fd, const Key& key, const Value& value, const char* what) {
  if (bpf_map_update_elem(fd, &key, &value, BPF_ANY))
    throw system_error(std::string("cannot write ") + what, errno);
}

// A key that is another shape's by now stays.
template <typename Key>
void drop_own(int fd, const Key& key, std::uint32_t id) {
  std::uint32_t owner = 0;
  if (!bpf_map_lookup_elem(fd, &key, &owner) && owner == id) bpf_map_delete_elem(fd, &key);
}

template <typename Key, typename F>
void each_value(int fd, F f) {
  each_key<Key>(fd, [&](const Key& key) {
    std::uint32_t value = 0;
    if (!bpf_map_lookup_elem(fd, &key, &value)) f(key, value);
  });
}

// Whose shape each selector is; throws where two want the same.
class Owners {
 public:
  void take(const Shape& shape) {
    for (const std::string& text : shape.selectors.texts()) {
      const auto [owner, is_new] = owners_.emplace(text, shape.name());
      if (!is_new)
        throw Error(shape.where.empty() ? kUsage : kConfig, shape.where + "'" + shape.name() +
                                                                "': " + text + " belongs to '" +
                                                                owner->second + "' already");
    }
  }

 private:
  std::map<std::string, std::string> owners_;
};

void require_room(std::size_t count, std::uint32_t room, const std::string& what,
                  const std::string& device) {
  if (count > room)
    throw Error(kFailed, device + " has room for " + std::to_string(room) + " " + what +
                             ", not for " + std::to_string(count) +
                             ": attach it with more --shapes");
}

}  // namespace

ShapeTable::ShapeTable(const Device& device) : device_(device) {
  const auto attachment = Pins(device).attachment();
  if (!attachment) throw Error(kNotAttached, device.name + " is not attached");
  if (!attachment->config.max_shapes)
    throw Error(kFailed, device.name +
                             " has no room for shapes: detach it, and attach it with "
                             "--shapes and how many there will be");
  attachment_ = *attachment;
  shapes_ = open_map(device, "shapes");
  selectors_ = open_map(device, "shape_selectors");
  prefixes_ = open_map(device, "shape_prefixes");
}

std::map<std::uint32_t, Shape> ShapeTable::all() const {
  std::map<std::uint32_t, Shape> all;
  each_key<std::uint32_t>(shapes_.fd(), [&](std::uint32_t id) {
    gw_shape value{};
    if (!bpf_map_lookup_elem(shapes_.fd(), &id, &value) && value.rate_bytes_per_s)
      all[id].value = value;
  });
  each_value<gw_selector>(selectors_.fd(), [&](const gw_selector& key, std::uint32_t id) {
    if (key.value && all.contains(id)) all[id].selectors.values.push_back(key);
  });
  each_value<gw_prefix>(prefixes_.fd(), [&](const gw_prefix& key, std::uint32_t id) {
    if (all.contains(id)) all[id].selectors.prefixes.push_back(key);
  });
  return all;
}

std::vector<ShapeTable::Change> ShapeTable::planned(const std::vector<Shape>& shapes,
                                                    bool replace) const {
  std::map<std::uint32_t, Shape> there = all();
  std::map<std::string, std::uint32_t> ids;
  for (const auto& [id, shape] : there) ids[shape.name()] = id;
  std::vector<Change> changes;
  std::uint32_t free = 1;
  for (const Shape& shape : shapes) {
    const auto found = ids.find(shape.name());
    if (found != ids.end() && !replace)
      throw Error(
          shape.where.empty() ? kUsage : kConfig,
          shape.where + "there is a shape '" + shape.name() + "' already; --replace changes it");
    std::uint32_t id = 0;
    if (found != ids.end()) {
      id = found->second;
    } else {
      while (there.contains(free)) ++free;
      id = free;
    }
    Change change{id, shape, there[id].selectors};
    change.shape.value.serial = there[id].value.serial + 1;
    change.shape.value.shared = there[id].value.shared;
    there[id] = shape;
    ids[shape.name()] = id;
    changes.push_back(std::move(change));
  }
  Owners owners;
  std::size_t values = 0, prefixes = 0;
  for (const auto& [id, shape] : there) {
    owners.take(shape);
    values += shape.selectors.values.size();
    prefixes += shape.selectors.prefixes.size();
  }
  require_room(there.size(), attachment_.config.max_shapes, "shapes", device_.name);
  require_room(values, room_of(selectors_.fd()) - 1, "marks, classes and cgroups", device_.name);
  require_room(prefixes, room_of(prefixes_.fd()), "prefixes", device_.name);
  return changes;
}

// The queue first, so that no packet finds a selector without one.
void ShapeTable::write(const Change& change) const {
  put(shapes_.fd(), change.id, change.shape.value, "the shape");
  drop(change.id, change.before);
  for (const gw_selector& key : change.shape.selectors.values)
    put(selectors_.fd(), key, change.id, "the selector");
  for (const gw_prefix& key : change.shape.selectors.prefixes)
    put(prefixes_.fd(), key, change.id, "the prefix");
}

void ShapeTable::drop(std::uint32_t id, const Selectors& selectors) const {
  for (const gw_selector& key : selectors.values) drop_own(selectors_.fd(), key, id);
  for (const gw_prefix& key : selectors.prefixes) drop_own(prefixes_.fd(), key, id);
}

// Whether the programs look for shapes, and where for a socket's cgroups.
void ShapeTable::note_use() const {
  const auto there = all();
  std::uint32_t depths = 0;
  for (const auto& [id, shape] : there)
    for (const gw_selector& key : shape.selectors.values)
      if (key.by == GW_BY_CGROUP) depths |= 1u << key.depth;
  const gw_selector key{GW_BY_CGROUP, 0, 0};
  if (depths)
    put(selectors_.fd(), key, depths, "the cgroups' depths");
  else
    bpf_map_delete_elem(selectors_.fd(), &key);
  Pins(device_).set_shape_count(there.size());
}

void ShapeTable::add(const std::vector<Shape>& shapes, bool replace) {
  for (const Change& change : planned(shapes, replace)) write(change);
  note_use();
}

void ShapeTable::remove(const std::vector<std::string>& names) {
  const std::map<std::uint32_t, Shape> there = all();
  std::map<std::string, std::uint32_t> known;
  for (const auto& [id, shape] : there) known[shape.name()] = id;
  std::vector<std::uint32_t> ids;
  for (const std::string& name : names) {
    const auto found = known.find(name);
    if (found == known.end())
      throw Error(kFailed, device_.name + " has no shape '" + name +
                               "'; see penstock-gw shape list " + device_.name);
    ids.push_back(found->second);
  }
  for (const std::uint32_t id : ids) {
    drop(id, there.at(id).selectors);
    put(shapes_.fd(), id, gw_shape{}, "the shape");
  }
  note_use();
}

}  // namespace penstock::gw

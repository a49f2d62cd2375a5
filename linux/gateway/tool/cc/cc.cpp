// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/cc/cc.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <memory>
#include <string_view>

#include "core/describe.h"
#include "linux/common/descriptor.h"
#include "linux/gateway/tool/attach/map.h"
#include "linux/gateway/tool/attach/program.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/parts.h"
#include "linux/gateway/tool/settings/settings.h"
#include "penstock_cc.skel.h"

namespace penstock::gw {

namespace {

constexpr const char* kSenderConstants = ".rodata.cc";
constexpr const char* kSharingConstants = ".rodata.sharing";
constexpr const char* kRemembered = "cc_remembered";  // has all its memory from the start
constexpr const char* kDefaultFile = "/proc/sys/net/ipv4/tcp_congestion_control";
constexpr const char* kAvailableFile = "/proc/sys/net/ipv4/tcp_available_congestion_control";
constexpr const char* kAlwaysThere = "reno";

// The head of the value of a registered map (struct bpf_struct_ops_common_value).
struct CommonValue {
  std::uint32_t references;
  std::uint32_t state;
};
constexpr std::uint32_t kStateInUse = 1;
constexpr std::size_t kMostValueBytes = 4096;

struct CloseObject {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};
using Object = std::unique_ptr<bpf_object, CloseObject>;

// As the object has it; the kernel keeps 15 characters.
std::string map_name(const Control& control) {
  return (control.sharing ? "sh_" : "pst_") + std::string(control.row->name);
}

// As users type them: weight_q16 is "weight".
std::string key_of(const pst_param_row& row) { return param_key({row.name, &row, 0}); }

// Constants of the programs. Connections that share are NewReno's.
struct Constants {
  pst_sender_params sender{};
  pst_sharing_params sharing{};
};

Constants constants_for(const Control& control, const std::map<std::string, std::string>& texts) {
  const pst_method_row& row = *control.row;
  Constants constants;
  pst_method_defaults(&pst_sender_rows[PST_SENDER_NEWRENO], &constants.sender, 0);
  void* params = &constants.sender;
  if (control.sharing) params = &constants.sharing;
  pst_method_defaults(&row, params, 0);
  for (const auto& [key, text] : texts) {
    std::uint32_t i = 0;
    std::string keys;
    for (; i < row.param_count && key != key_of(row.params[i]); ++i)
      keys += (keys.empty() ? "" : ", ") + key_of(row.params[i]);
    if (i == row.param_count)
      throw Error(kUsage, "param " + key + ": " + row.name +
                              (keys.empty() ? " has no parameters" : " has only " + keys));
    pst_field_set(params, i, param_value(row.params[i], key, text));
  }
  return constants;
}

bool set_constants(bpf_map* map, const Constants& constants) {
  const std::string name = bpf_map__name(map);
  if (name == kSenderConstants)
    return !bpf_map__set_initial_value(map, &constants.sender, sizeof(constants.sender));
  if (name == kSharingConstants)
    return !bpf_map__set_initial_value(map, &constants.sharing, sizeof(constants.sharing));
  return true;
}

// The programs and the map of one method; others of the object are not loaded.
Object load_object(const Control& control, const Constants& constants) {
  if (!kernel_has_btf())
    throw Error(kMissing,
                "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF): no congestion control "
                "in BPF can be loaded");
  std::size_t size = 0;
  const void* bytes = penstock_cc__elf_bytes(&size);
  bpf_object_open_opts options{};
  options.sz = sizeof(options);
  options.object_name = "penstock_cc";
  Object object(bpf_object__open_mem(bytes, size, &options));
  if (!object) throw system_error("cannot read the BPF object", errno);
  const std::string prefix = std::string(control.row->name) + "_";
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object.get()) bpf_program__set_autoload(
      program, std::string(bpf_program__name(program)).starts_with(prefix));
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object.get()) {
    if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS)
      bpf_map__set_autocreate(map, bpf_map__name(map) == map_name(control));
    else if (bpf_map__name(map) == std::string_view(kRemembered))
      bpf_map__set_autocreate(map, control.sharing);
    else if (!set_constants(map, constants))
      throw Error(kFailed, "the BPF object does not fit this tool");
  }
  const int error = bpf_object__load(object.get());
  if (error == -EPERM || error == -EACCES)
    throw system_error("the kernel does not take the programs", -error);
  if (error)
    throw Error(kMissing, std::string("this kernel takes no congestion control in BPF: ") +
                              std::strerror(-error) + "; -v shows why");
  return object;
}

// Each map in the kernel that may be a registered structure.
template <typename F>
void for_each_registered(F visit) {
  std::uint32_t id = 0;
  while (!bpf_map_get_next_id(id, &id)) {
    const Descriptor map(bpf_map_get_fd_by_id(id));
    bpf_map_info info{};
    std::uint32_t length = sizeof(info);
    if (!map || bpf_obj_get_info_by_fd(map.fd(), &info, &length)) continue;
    if (info.type == BPF_MAP_TYPE_STRUCT_OPS && info.value_size <= kMostValueBytes)
      visit(map.fd(), info);
  }
  if (errno == EPERM) throw system_error("cannot list the kernel's BPF maps", errno);
}

const Control* control_of_map(const std::string& name) {
  for (const Control& control : controls())
    if (map_name(control).substr(0, BPF_OBJ_NAME_LEN - 1) == name) return &control;
  return nullptr;
}

}  // namespace

const std::vector<Control>& controls() {
  static const std::vector<Control> all = [] {
    std::vector<Control> found;
    for (const pst_method_row& row : pst_sender_rows)
      if (*row.linux_name) found.push_back({&row, row.linux_name, false});
    for (const pst_method_row& row : pst_sharing_rows)
      if (*row.linux_name) found.push_back({&row, row.linux_name, true});
    return found;
  }();
  return all;
}

const Control& control_of(const std::string& method) {
  std::string all;
  for (const Control& control : controls()) {
    if (method == control.row->name) return control;
    all += (all.empty() ? "" : ", ") + std::string(control.row->name);
  }
  throw Error(kUsage, "no sender or way of sharing is called '" + method + "'; there are " + all);
}

std::vector<LoadedControl> loaded_controls() {
  std::vector<LoadedControl> all;
  for_each_registered([&](int fd, const bpf_map_info& info) {
    const Control* control = control_of_map(info.name);
    alignas(CommonValue) std::array<std::byte, kMostValueBytes> value{};
    if (!control || bpf_map_lookup_elem(fd, &kOnlyKey, value.data())) return;
    CommonValue head;
    std::memcpy(&head, value.data(), sizeof(head));
    if (head.state)
      all.push_back({control->row->name, control->linux_name, info.id, head.state != kStateInUse});
  });
  return all;
}

void load_control(const std::string& method, const std::map<std::string, std::string>& params) {
  const Control& control = control_of(method);
  const Object object = load_object(control, constants_for(control, params));
  const std::string name = map_name(control);
  const int map = bpf_object__find_map_fd_by_name(object.get(), name.c_str());
  bpf_map* registered = bpf_object__find_map_by_name(object.get(), name.c_str());
  bpf_link* link = map < 0 ? nullptr : bpf_map__attach_struct_ops(registered);
  if (!link) {
    if (errno == EEXIST)
      throw Error(kFailed, method + " is loaded already; `penstock-gw cc unload " + method +
                               "` comes first");
    throw system_error("cannot register " + method, errno);
  }
  bpf_link__disconnect(link);  // it outlives the tool
  bpf_link__destroy(link);
}

void unload_control(const std::string& method) {
  const std::string linux_name = control_of(method).linux_name;
  for (const LoadedControl& control : loaded_controls()) {
    if (control.method != method || control.unloaded) continue;
    if (default_control() == linux_name) {
      std::ifstream available(kAvailableFile);
      std::string other = kAlwaysThere;
      for (std::string name; available >> name;)
        if (!name.starts_with("pst_")) {
          other = name;
          break;
        }
      set_default_control(other);
    }
    const Descriptor map(bpf_map_get_fd_by_id(control.map_id));
    if (!map || bpf_map_delete_elem(map.fd(), &kOnlyKey))
      throw system_error("cannot unload " + method, errno);
    return;
  }
  throw Error(kNotAttached, method + " is not loaded");
}

void try_control(const std::string& method) {
  const Control& control = control_of(method);
  load_object(control, constants_for(control, {}));
}

std::string default_control() {
  std::ifstream file(kDefaultFile);
  std::string name;
  file >> name;
  return name;
}

void set_default_control(const std::string& linux_name) {
  std::ofstream file(kDefaultFile);
  file << linux_name << std::flush;
  if (!file) throw system_error(std::string("cannot write ") + kDefaultFile, errno);
}

}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/program.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "gateway/tool/error.h"
#include "penstock_kernel.skel.h"
#include "penstock_virtual.skel.h"

namespace penstock::gw {

namespace {

bool show_messages = false;

int print(libbpf_print_level level, const char* format, va_list arguments) {
  return show_messages && level != LIBBPF_DEBUG ? std::vfprintf(stderr, format, arguments) : 0;
}

bpf_object* open_object(std::uint32_t queue_source) {
  std::size_t size = 0;
  const void* bytes = queue_source == GW_QUEUE_KERNEL ? penstock_kernel__elf_bytes(&size)
                                                      : penstock_virtual__elf_bytes(&size);
  bpf_object_open_opts options{};
  options.sz = sizeof(options);
  options.object_name = "penstock";
  bpf_object* object = bpf_object__open_mem(bytes, size, &options);
  if (!object) throw system_error("cannot read the BPF object", errno);
  return object;
}

// The maps named in the object file, not those of its constants.
bool is_data(const bpf_map* map) { return bpf_map__name(map)[0] == '.'; }

// CAP_PERFMON, or its predecessor before Linux 5.8.
bool may_trace() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, data)) return false;
  const auto has = [&](unsigned cap) {
    return (data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap)) != 0;
  };
  return has(CAP_PERFMON) || has(CAP_SYS_ADMIN);
}

}  // namespace

void show_libbpf_messages(bool show) {
  show_messages = show;
  libbpf_set_print(print);
}

bool kernel_has_btf() { return access("/sys/kernel/btf/vmlinux", R_OK) == 0; }

bool kernel_has_cast() {
  btf* types = btf__load_vmlinux_btf();
  if (!types) return false;
  const bool found = btf__find_by_name_kind(types, "bpf_cast_to_kern_ctx", BTF_KIND_FUNC) > 0;
  btf__free(types);
  return found;
}

void Program::Close::operator()(bpf_object* object) const { bpf_object__close(object); }

Program::Program(const gw_config& config, const std::string& pins)
    : object_(open_object(config.queue_source)) {
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object_.get()) {
    if (is_data(map)) {
      if (bpf_map__set_initial_value(map, &config, sizeof(config)))
        throw Error(kFailed, "the BPF object does not fit this tool");
    } else if (!pins.empty()) {
      bpf_map__set_pin_path(map, (pins + "/" + bpf_map__name(map)).c_str());
    }
  }
  if (config.max_flows) {
    const auto set_size = [&](const char* name, std::uint32_t entries) {
      bpf_map__set_max_entries(bpf_object__find_map_by_name(object_.get(), name), entries);
    };
    set_size("flows", config.max_flows);
    set_size("half_open", gw_max_half_open(config.max_flows));
    set_size("groups", std::min<std::uint32_t>(config.max_flows, GW_MAX_GROUPS));
  }
  const int error = bpf_object__load(object_.get());
  // EACCES comes from the verifier, which restricts programs without CAP_PERFMON.
  if (error == -EACCES && may_trace())
    throw Error(kMissing, "this kernel's verifier refuses the program; -v shows why");
  if (error) throw system_error("the kernel does not take the program", -error);
}

int Program::fd(const char* name) const {
  const bpf_program* program = bpf_object__find_program_by_name(object_.get(), name);
  return program ? bpf_program__fd(program) : -1;
}

int Program::map_fd(const char* name) const {
  return bpf_object__find_map_fd_by_name(object_.get(), name);
}

void Program::start(bool fresh) const {
  std::array<unsigned char, 64> packet{};
  __sk_buff context{};
  context.mark = fresh ? 1 : 0;
  bpf_test_run_opts run{};
  run.sz = sizeof(run);
  run.data_in = packet.data();
  run.data_size_in = packet.size();
  run.ctx_in = &context;
  run.ctx_size_in = sizeof(context);
  const int error = bpf_prog_test_run_opts(fd("penstock_start"), &run);
  if (error) throw system_error("cannot start the method", -error);
  if (run.retval)
    throw Error(kFailed, "cannot start the method's clock (" + std::to_string(run.retval) + ")");
}

}  // namespace penstock::gw

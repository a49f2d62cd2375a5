// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/program.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "linux/gateway/tool/attach/map.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "penstock_casts.skel.h"
#include "penstock_down.skel.h"
#include "penstock_kernel.skel.h"
#include "penstock_passive.skel.h"
#include "penstock_virtual.skel.h"

namespace penstock::gw {

namespace {

constexpr std::uint32_t kSelectorsEach = 2;  // room for these on average
constexpr std::uint32_t kPrefixesEach = 4;
constexpr int kStarts = 20;

bool show_messages = false;
bool casts_allowed = true;

int print(libbpf_print_level level, const char* format, va_list arguments) {
  return show_messages && level != LIBBPF_DEBUG ? std::vfprintf(stderr, format, arguments) : 0;
}

bpf_object* open_object(const gw_config& config, bool casts) {
  const std::uint32_t queue_source = config.queue_source;
  std::size_t size = 0;
  const void* bytes = config.down                        ? penstock_down__elf_bytes(&size)
                      : casts                            ? penstock_casts__elf_bytes(&size)
                      : queue_source == GW_QUEUE_KERNEL  ? penstock_kernel__elf_bytes(&size)
                      : queue_source == GW_QUEUE_PASSIVE ? penstock_passive__elf_bytes(&size)
                                                         : penstock_virtual__elf_bytes(&size);
  bpf_object_open_opts options{};
  options.sz = sizeof(options);
  options.object_name = "penstock";
  bpf_object* object = bpf_object__open_mem(bytes, size, &options);
  if (!object) throw system_error("cannot read the BPF object", errno);
  return object;
}

// Whether the kernel has the function by which programs read its structures with loads.
bool kernel_casts() {
  btf* types = btf__load_vmlinux_btf();
  const bool has = types && btf__find_by_name_kind(types, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0;
  btf__free(types);
  return has;
}

// True for a program's constants and settings, of which each program has its own.
bool is_data(const bpf_map* map) { return bpf_map__name(map)[0] == '.'; }

// A kernel with PREEMPT_RT says so in a file of its own.
bool is_real_time() { return access("/sys/kernel/realtime", F_OK) == 0; }

}  // namespace

void show_libbpf_messages(bool show) {
  show_messages = show;
  libbpf_set_print(print);
}

void allow_casts(bool allow) { casts_allowed = allow; }

bool kernel_has_btf() { return access("/sys/kernel/btf/vmlinux", R_OK) == 0; }

void Program::Close::operator()(bpf_object* object) const { bpf_object__close(object); }

Program::Program(const gw_config& config, const std::string& pins) {
  const bool casts = config.queue_source == GW_QUEUE_KERNEL && casts_allowed && kernel_casts();
  int error = load(config, pins, casts);
  // Not every processor's JIT compiler takes calls of the kernel's functions.
  if (error && casts) error = load(config, pins, false);
  // EACCES comes from the verifier, which restricts programs without CAP_PERFMON.
  if (error == -EACCES && may_trace())
    throw Error(kMissing, "this kernel's verifier refuses the program; -v shows why");
  if (error == -EOPNOTSUPP && is_real_time())
    throw Error(kMissing,
                "this kernel has PREEMPT_RT and refuses BPF timers, the method's clock: "
                "use one without PREEMPT_RT");
  // libbpf says so too of the kernel's types where it has no room to read them.
  if (error == -ESRCH && kernel_has_btf()) error = -ENOMEM;
  if (error) throw system_error("the kernel does not take the program", -error);
}

int Program::load(const gw_config& config, const std::string& pins, bool casts) {
  object_.reset(open_object(config, casts));
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object_.get()) {
    if (is_data(map)) {
      if (bpf_map__set_initial_value(map, &config, sizeof(config)))
        throw Error(kFailed, "the BPF object does not fit this tool");
    } else if (!pins.empty()) {
      bpf_map__set_pin_path(map, (pins + "/" + bpf_map__name(map)).c_str());
    }
  }
  const auto set_size = [&](const char* name, std::uint32_t entries) {
    bpf_map__set_max_entries(bpf_object__find_map_by_name(object_.get(), name), entries);
  };
  if (config.max_flows) {
    set_size("flows", config.max_flows);
    set_size("half_open", gw_max_half_open(config.max_flows));
    set_size("groups", std::min<std::uint32_t>(config.max_flows, GW_MAX_GROUPS));
  }
  if (config.max_shapes) {
    set_size("shapes", 1 + config.max_shapes);
    set_size("shape_selectors", 1 + kSelectorsEach * config.max_shapes);
    set_size("shape_prefixes", kPrefixesEach * config.max_shapes);
    set_size("shape_cache", GW_SHAPE_CACHE);
    set_size("fairness", 1 + gw_shape_tables(&config));
  }
  return bpf_object__load(object_.get());
}

bool need_one_program(gw_config one, const gw_config& other) {
#define TAKE(name) std::memcpy(&one.name, &other.name, sizeof(one.name));
  GW_SETTINGS(TAKE)
#undef TAKE
  return std::memcmp(&one, &other, sizeof(other)) == 0;
}

const Program& LoadedPrograms::of(const gw_config& config, const std::string& pins) {
  for (const Kept& kept : kept_) {
    if (!need_one_program(kept.config, config)) continue;
    kept.program->set_settings(config);
    return *kept.program;
  }
  kept_.push_back({config, std::make_unique<Program>(config, pins)});
  return *kept_.back().program;
}

void Program::set_settings(const gw_config& config) const {
  if (bpf_map_update_elem(map_fd(".data.gateway"), &kOnlyKey, &config, BPF_ANY))
    throw system_error("cannot write a program's settings", errno);
}

void Program::pin_settings(const std::string& pins) const {
  const std::string place = pins + "/settings", beside = place + "_new";
  unlink(beside.c_str());
  if (bpf_obj_pin(map_fd(".data.gateway"), beside.c_str()) ||
      std::rename(beside.c_str(), place.c_str()))
    throw system_error("cannot pin " + place, errno);
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
  // The kernel takes memory for a timer without waiting, and may have none for a moment.
  for (int start = 0; start < kStarts; ++start) {
    const int error = bpf_prog_test_run_opts(fd("penstock_start"), &run);
    if (error) throw system_error("cannot start the method", -error);
    if (!run.retval) return;
    usleep(1000);
  }
  throw Error(kFailed, "cannot start the method's clock (" + std::to_string(run.retval) + ")");
}

}  // namespace penstock::gw

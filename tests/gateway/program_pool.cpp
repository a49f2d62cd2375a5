// SPDX-License-Identifier: GPL-2.0-only
#include "tests/gateway/program_pool.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include "linux/common/clock.h"

namespace penstock::test {

namespace {

constexpr std::size_t kMostKept = 16;
constexpr std::array kPrograms{"penstock_forward", "penstock_reverse", "penstock_sweep",
                               "penstock_start"};

struct Kept {
  std::string config;
  std::unique_ptr<gw::Program> program;
};

std::deque<Kept>& kept() {
  static std::deque<Kept> all;
  return all;
}

// A map that is in the kernel.
class Map {
 public:
  explicit Map(std::uint32_t id) : fd_(bpf_map_get_fd_by_id(id)) {
    std::uint32_t bytes = sizeof(info_);
    if (fd_ < 0 || bpf_obj_get_info_by_fd(fd_, &info_, &bytes)) fail("look at");
  }
  ~Map() {
    if (fd_ >= 0) close(fd_);
  }
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;

  bool is_constant() const { return info_.map_flags & BPF_F_RDONLY_PROG; }
  bool is_setting() const { return std::strstr(info_.name, ".data") != nullptr; }
  bool is_array() const { return info_.type == BPF_MAP_TYPE_ARRAY || is_per_cpu(); }

  void set_first(const gw_config& config) {
    const std::uint32_t key = 0;
    if (bpf_map_update_elem(fd_, &key, &config, BPF_ANY)) fail("set");
  }
  void zero() {
    const std::size_t each_bytes = (info_.value_size + 7U) / 8 * 8;
    const auto copies = static_cast<std::size_t>(is_per_cpu() ? libbpf_num_possible_cpus() : 1);
    const std::size_t value_bytes = is_per_cpu() ? each_bytes * copies : info_.value_size;
    const std::vector<unsigned char> zeros(value_bytes * info_.max_entries);
    std::vector<std::uint32_t> keys(info_.max_entries);
    std::iota(keys.begin(), keys.end(), 0U);
    std::uint32_t count = info_.max_entries;
    if (bpf_map_update_batch(fd_, keys.data(), zeros.data(), &count, nullptr) ||
        count != info_.max_entries)
      fail("zero");
  }
  void empty() {
    using Key = std::vector<unsigned char>;
    std::vector<Key> keys;
    Key next(info_.key_size);
    const void* last = nullptr;
    while (!bpf_map_get_next_key(fd_, last, next.data())) {
      keys.push_back(next);
      last = keys.back().data();
    }
    for (const Key& key : keys)
      if (bpf_map_delete_elem(fd_, key.data()) && errno != ENOENT) fail("empty");
  }

 private:
  bool is_per_cpu() const { return info_.type == BPF_MAP_TYPE_PERCPU_ARRAY; }
  [[noreturn]] void fail(const char* what) const {
    throw std::runtime_error(std::string("cannot ") + what + " a map: " + std::strerror(errno));
  }

  int fd_;
  bpf_map_info info_{};
};

// What the programs read and write.
std::set<std::uint32_t> maps_of(const gw::Program& program) {
  std::set<std::uint32_t> all;
  for (const char* name : kPrograms) {
    std::array<std::uint32_t, 64> ids{};
    bpf_prog_info info{};
    info.map_ids = reinterpret_cast<std::uintptr_t>(ids.data());
    info.nr_map_ids = ids.size();
    std::uint32_t bytes = sizeof(info);
    if (bpf_obj_get_info_by_fd(program.fd(name), &info, &bytes))
      throw std::runtime_error("cannot look at a program");
    all.insert(ids.begin(), ids.begin() + std::min<std::size_t>(info.nr_map_ids, ids.size()));
  }
  return all;
}

// The programs draw a key of their own only where there is none: with this one, which flows of
// a test share a cell is the same in each run.
void set_flow_key(const gw::Program& program) {
  const std::uint32_t only = 0;
  const auto table = std::make_unique<pst_fair_table>();
  table->key = 1;
  if (bpf_map_update_elem(program.map_fd("fairness"), &only, table.get(), BPF_ANY))
    throw std::runtime_error("cannot set the key of flows");
}

// When the method's clock ticks next, in the kernel's time; 0 if it has none.
std::uint64_t start(const gw::Program& program) {
  const std::uint32_t only = 0;
  const std::uint64_t begun_ns = clock_ns();
  program.start(true);
  gw_config settings{};
  bpf_map_lookup_elem(program.map_fd(".data.gateway"), &only, &settings);
  const std::uint64_t now_ns = settings.time_is_set ? settings.now_ns : begun_ns;
  gw_shared shared{};
  bpf_map_lookup_elem(program.map_fd("shared"), &only, &shared);
  return shared.due_ns > now_ns ? begun_ns + shared.due_ns - now_ns : 0;
}

void clear(std::uint32_t id, const gw_config& config) {
  Map map(id);
  if (map.is_constant()) return;
  if (map.is_setting()) {
    map.set_first(config);
  } else if (map.is_array()) {
    map.zero();
  } else {
    map.empty();
  }
}

// False if the clock may have ticked meanwhile, as on a busy machine.
bool has_cleaned(const gw::Program& program, const gw_config& config) {
  const std::uint64_t due_ns = start(program);
  for (const std::uint32_t id : maps_of(program)) clear(id, config);
  return !due_ns || clock_ns() < due_ns;
}

}  // namespace

void Keep::operator()(gw::Program* program) const {
  kept().push_front({config, std::unique_ptr<gw::Program>(program)});
  if (kept().size() > kMostKept) kept().pop_back();
}

Borrowed borrow_program(const gw_config& config) {
  const Keep keep{{reinterpret_cast<const char*>(&config), sizeof(config)}};
  auto& all = kept();
  const auto same = [&](const Kept& one) { return one.config == keep.config; };
  const auto found = std::find_if(all.begin(), all.end(), same);
  Borrowed program(nullptr, keep);
  if (found != all.end()) {
    program.reset(found->program.release());
    all.erase(found);
  }
  if (!program || !has_cleaned(*program, config)) program.reset(new gw::Program(config, ""));
  set_flow_key(*program);
  program->start(true);
  return program;
}

}  // namespace penstock::test

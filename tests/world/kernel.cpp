// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/kernel.h"

#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tests/world/map.h"

extern "C" {
#include "tests/world/kernel/bpf/bpf_helpers.h"
}

namespace penstock::world {

namespace {

constexpr u64 kDrop = 2;  // TC_ACT_SHOT
constexpr std::size_t kFrameBytes = 4096;
constexpr std::size_t kLinearBytes = 256;

Kernel* running = nullptr;

// A context's addresses have 32 bits.
unsigned char* low_memory() {
  static unsigned char* const at = [] {
    void* const wanted = reinterpret_cast<void*>(std::uintptr_t{0x20000000});
    void* const got = mmap(wanted, 2 * kFrameBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) throw std::runtime_error("no memory below 4 GB");
    return static_cast<unsigned char*>(got);
  }();
  return at;
}

void write_constants(const gw_config& config) {
  // Compilers may have put them where nobody writes.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<std::uintptr_t>(world_constants) / page * page;
  const auto to = reinterpret_cast<std::uintptr_t>(world_constants) + sizeof(config);
  if (mprotect(reinterpret_cast<void*>(from), to - from, PROT_READ | PROT_WRITE))
    throw std::runtime_error("the constants cannot be written");
  std::memcpy(world_constants, &config, sizeof(config));
  std::memcpy(world_settings, &config, sizeof(config));
}

u64 entries_of(const world_map& as, u64 flows, u64 half_open) {
  const std::string name = as.name;
  if (name == "flows") return flows;
  if (name == "half_open") return half_open;
  if (as.kind == WORLD_LRU) return std::min(as.max_entries, 64U);
  return as.max_entries;
}

}  // namespace

Kernel::Kernel(u64 flows, u64 half_open, u64 draw) : draw_(draw) {
  for (unsigned i = 0; i < world_map_count; ++i)
    maps_.push_back(
        std::make_unique<Map>(world_maps[i], entries_of(world_maps[i], flows, half_open)));
  running = this;
}

Kernel::~Kernel() { running = nullptr; }

Map& Kernel::map(const void* address) const {
  for (unsigned i = 0; i < world_map_count; ++i)
    if (world_maps[i].address == address) return *maps_[i];
  throw Broken("a map that nobody has declared");
}

void Kernel::start(const gw_config& config, bool fresh) {
  write_constants(config);
  __sk_buff context{};
  context.mark = fresh;
  if (const int failed = penstock_start(&context))
    throw Broken("the programs do not start: " + std::to_string(failed));
}

void Kernel::run(Frame& frame, unsigned cpu) {
  const unsigned before = std::exchange(cpu_, cpu);
  Frame* const held = std::exchange(frames_[cpu], &frame);
  unsigned char* const at = low_memory() + cpu * kFrameBytes;
  const std::size_t bytes = frame.bytes.size();
  if (bytes > kFrameBytes) throw std::runtime_error("a frame is too long");
  std::memcpy(at, frame.bytes.data(), bytes);
  __sk_buff context{};
  context.len = context.wire_len = static_cast<unsigned>(bytes);
  context.protocol = static_cast<unsigned>(frame.bytes[12] | frame.bytes[13] << 8);
  context.data = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at));
  // Only the head is readable at once, sometimes not even that.
  const std::size_t linear = draw_.percent(10) ? draw_.below(70) : kLinearBytes;
  context.data_end = context.data + static_cast<unsigned>(std::min(bytes, linear));
  const int verdict = frame.forward ? penstock_forward(&context) : penstock_reverse(&context);
  frame.dropped = static_cast<u64>(verdict) == kDrop;
  std::memcpy(frame.bytes.data(), at, bytes);
  frames_[cpu] = held;
  cpu_ = before;
}

void Kernel::pass(Frame& frame) { run(frame, static_cast<unsigned>(draw_.below(2))); }

void Kernel::pass_both(Frame& first, Frame& second, u64 nth) {
  waiting_ = &second;
  calls_left_ = nth;
  run(first, 0);
  if (Frame* const left = std::exchange(waiting_, nullptr)) run(*left, 1);
}

void Kernel::on_call() {
  if (!waiting_ || calls_left_--) return;
  run(*std::exchange(waiting_, nullptr), 1);
}

Timer& Kernel::timer(void* clock) {
  for (Timer& t : timers_)
    if (t.clock == clock) return t;
  timers_.push_back({clock, nullptr, nullptr, ~0ULL});
  return timers_.back();
}

u64 Kernel::due_ns() const {
  u64 due = ~0ULL;
  for (const Timer& t : timers_) due = std::min(due, t.due_ns);
  return due;
}

void Kernel::run_timers() {
  using Callback = int (*)(void*, unsigned*, void*);
  for (unsigned i = 0; i < timers_.size(); ++i) {
    if (timers_[i].due_ns > now_ns_) continue;
    timers_[i].due_ns = ~0ULL;
    reinterpret_cast<Callback>(timers_[i].callback)(timers_[i].map, &i, timers_[i].clock);
  }
}

void* Kernel::find(const char* map, const void* key) const {
  for (const std::unique_ptr<Map>& each : maps_)
    if (!std::strcmp(each->as().name, map)) return each->find(key, cpu_);
  return nullptr;
}

u64 Kernel::count(int counter) const {
  u64 sum = 0;
  for (const std::unique_ptr<Map>& each : maps_)
    if (!std::strcmp(each->as().name, "counters"))
      for (unsigned cpu = 0; cpu < 2; ++cpu)
        sum += static_cast<gw_counts*>(each->find(nullptr, cpu))->value[counter];
  return sum;
}

}  // namespace penstock::world

using penstock::world::Broken;
using penstock::world::running;

void world_broken(const char* claim, const char* file, int line) {
  throw Broken(std::string(file) + ":" + std::to_string(line) + ": " + claim);
}

void* world_lookup(void* map, const void* key) {
  running->on_call();
  return running->map(map).find(key, running->cpu());
}

long world_update(void* map, const void* key, const void* value, __u64 flags) {
  running->on_call();
  return running->map(map).update(key, value, flags, !running->refuses(), running->draw());
}

long world_delete(void* map, const void* key) {
  running->on_call();
  return running->map(map).erase(key);
}

long world_for_each(void* map, world_visitor visitor, void* context) {
  using Visitor = long (*)(void*, const void*, void*, void*);
  running->map(map).each([&](const void* key, void* value) {
    reinterpret_cast<Visitor>(visitor)(map, key, value, context);
  });
  return 0;
}

long world_loop(__u32 most, world_visitor step, void* context) {
  using Step = long (*)(__u32, void*);
  __u32 i = 0;
  while (i < most && !reinterpret_cast<Step>(step)(i++, context)) {
  }
  return i;
}

__u64 world_now_ns() {
  running->on_call();
  return running->now_ns();
}

__u32 world_random() { return static_cast<__u32>(running->draw().next()); }

__u32 world_hash(__sk_buff*) { return running->frame().hash; }

namespace {

unsigned char* data_of(const __sk_buff* skb) {
  return reinterpret_cast<unsigned char*>(std::uintptr_t{skb->data});
}

constexpr std::size_t kEthernetBytes = 14, kIpv4SumAt = 10;

__u16 folded(__u64 sum) {
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<__u16>(sum);
}

}  // namespace

long world_load_bytes(const __sk_buff* skb, __u32 offset, void* to, __u32 bytes) {
  running->on_call();
  if (!bytes || offset + bytes > skb->len) return -EFAULT;
  std::memcpy(to, data_of(skb) + offset, bytes);
  return 0;
}

long world_store_bytes(__sk_buff* skb, __u32 offset, const void* from, __u32 bytes, __u64) {
  running->on_call();
  if (offset + bytes > skb->len) return -EFAULT;
  std::memcpy(data_of(skb) + offset, from, bytes);
  return 0;
}

long world_pull_data(__sk_buff* skb, __u32 bytes) {
  if (bytes > skb->len) return -ENOMEM;
  skb->data_end = skb->data + std::max(bytes, skb->data_end - skb->data);
  return 0;
}

// As in the kernel, 1 if the packet has the mark then.
// A router's packets have no socket.
__u64 world_cgroup(__sk_buff*, int) { return 0; }

long world_set_ce(__sk_buff* skb) {
  unsigned char* const ip = data_of(skb) + kEthernetBytes;
  const bool is_ipv6 = ip[0] >> 4 == 6;
  unsigned char& at = ip[1];
  const unsigned shift = is_ipv6 ? 4 : 0;
  const unsigned ecn = at >> shift & 3;
  if (!ecn) return 0;
  at = static_cast<unsigned char>(at | 3 << shift);
  if (is_ipv6 || ecn == 3) return 1;
  __u16 sum;
  std::memcpy(&sum, ip + kIpv4SumAt, sizeof(sum));
  const __u64 more = static_cast<__u64>(3 - ecn) << 8;  // in wire order, as the sum
  sum = static_cast<__u16>(~folded(static_cast<__u16>(~sum) + more));
  std::memcpy(ip + kIpv4SumAt, &sum, sizeof(sum));
  return 1;
}

long world_replace_sum(__sk_buff* skb, __u32 offset, __u64 from, __u64 to, __u64) {
  __u16 sum;
  std::memcpy(&sum, data_of(skb) + offset, sizeof(sum));
  const __u64 changed = static_cast<__u16>(~sum) + (~from & 0xffff) + (to & 0xffff);
  sum = static_cast<__u16>(~folded(changed));
  return world_store_bytes(skb, offset, &sum, sizeof(sum), 0);
}

__s64 world_sum(const void*, __u32, const void* to, __u32 to_bytes, __u32 seed) {
  __u64 sum = seed;
  for (__u32 i = 0; i + 4 <= to_bytes; i += 4) {
    __u32 word;
    std::memcpy(&word, static_cast<const unsigned char*>(to) + i, sizeof(word));
    sum += word;
  }
  while (sum >> 32) sum = (sum & 0xffffffff) + (sum >> 32);
  return static_cast<__s64>(sum);
}

long world_sum_level(__sk_buff*, __u64) { return running->frame().verified ? 0 : -EACCES; }

long world_timer_init(bpf_timer* timer, void* map, __u64) {
  penstock::world::Timer& t = running->timer(timer);
  if (t.map) return -EBUSY;
  t.map = map;
  return 0;
}

long world_timer_set_callback(bpf_timer* timer, world_visitor callback) {
  running->timer(timer).callback = callback;
  return 0;
}

long world_timer_start(bpf_timer* timer, __u64 after_ns, __u64) {
  running->timer(timer).due_ns = running->now_ns() + after_ns;
  return 0;
}

long world_timer_cancel(bpf_timer* timer) {
  running->timer(timer).due_ns = ~0ULL;
  return 0;
}

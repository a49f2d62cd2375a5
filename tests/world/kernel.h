// SPDX-License-Identifier: GPL-2.0-only
// A kernel for the gateway's programs (linux/gateway/bpf), which run here as they are: maps that
// evict, refuse and give freed entries to others while pointers to them are in use; two CPUs;
// timers; a clock of its own. There is one at a time, as the programs' maps are global.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "linux/gateway/bpf/shared.h"
#include "tests/world/kernel/programs.h"
#include "tests/world/script.h"

struct __sk_buff;

namespace penstock::world {

// A claim about the gateway that does not hold.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A packet at the device.
struct Frame {
  std::vector<unsigned char> bytes;
  bool forward = false;
  bool verified = false;  // the device has checked the checksum
  std::uint32_t hash = 0;
  bool dropped = false;
};

class Map;
struct Timer {
  void* clock = nullptr;
  void* map = nullptr;
  void (*callback)() = nullptr;
  u64 due_ns = ~0ULL;
};

class Kernel {
 public:
  Kernel(u64 flows, u64 half_open, u64 draw);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Loads the programs with `config`. `fresh`: the method begins again.
  void start(const gw_config& config, bool fresh);
  void pass(Frame& frame);
  // `second` runs on the other CPU, at the `nth` call of a helper by the first.
  void pass_both(Frame& first, Frame& second, u64 nth);
  u64 due_ns() const;
  void run_timers();
  // Of 100 new entries, so many get no room.
  void refuse(u64 of_100) { refused_ = of_100; }
  u64 count(int counter) const;
  // The value of `key` in a map; null without.
  void* find(const char* map, const void* key) const;
  void set_now(u64 now_ns) { now_ns_ = now_ns; }

  // What the helpers need.
  u64 now_ns() const { return now_ns_; }
  Draw& draw() { return draw_; }
  Map& map(const void* address) const;
  unsigned cpu() const { return cpu_; }
  Frame& frame() { return *frames_[cpu_]; }
  bool refuses() { return refused_ && draw_.percent(refused_); }
  Timer& timer(void* clock);
  void on_call();

 private:
  void run(Frame& frame, unsigned cpu);

  std::vector<std::unique_ptr<Map>> maps_;
  std::vector<Timer> timers_;
  Draw draw_;
  Frame* frames_[2] = {};
  Frame* waiting_ = nullptr;
  u64 calls_left_ = 0;
  u64 now_ns_ = 0;
  u64 refused_ = 0;
  unsigned cpu_ = 0;
};

}  // namespace penstock::world

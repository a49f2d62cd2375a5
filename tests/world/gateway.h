// SPDX-License-Identifier: GPL-2.0-only
// The gateway of a world: the programs on the simulated kernel, what its operator does to them,
// and what must hold of every packet that they pass.
#pragma once

#include <memory>
#include <unordered_map>

#include "linux/gateway/tool/settings/settings.h"
#include "tests/world/kernel.h"
#include "tests/world/segment.h"

namespace penstock::world {

// A packet on its way.
struct Packet {
  Segment segment;
  Part part = Part::kWhole;
  u32 damage = 0;  // 1 + the bit of the TCP segment that is wrong; 0: none
  u64 id = 0;      // of the datagram that fragments belong to
  bool forged = false;
  u32 shift = 0;  // of the window, as the sender of the packet means it
};

// What is known of a connection by those who are at its ends.
struct Watch {
  u32 sent = 0;  // the end of the near end's data that has come as far as the gateway
  bool has_sent = false;
  bool has_more = false;  // new data since the newest ACK
  u32 beyond = 0;    // so many of its windows, one after the other, were beyond what holds,
  u64 since_ns = 0;  // the first of them then
  bool controlled = false;  // by its newest ACK
  // The newest genuine ACK, while nothing but genuine packets has passed since.
  bool has_last = false;
  u32 last_ack = 0;
  u16 last_in = 0, last_out = 0;
};

class Gateway {
 public:
  explicit Gateway(const Settings& world);
  void attach(u64 now_ns);
  void detach() { kernel_.reset(); }
  bool attached() const { return kernel_ != nullptr; }
  // Replaces the program, with other settings; tables stay.
  void restart(u64 now_ns);
  void observe(bool on) { config_.gateway.observe = on; }
  void set_rate(u64 percent);
  void stop_clock(bool on) { stopped_ = on; }
  void leap(u64 ns) { ahead_ns_ += ns; }
  void refuse(u64 of_100);

  // A packet comes this far, whether the gateway sees it or not.
  void note(const Packet& packet, bool passes);
  // Another connection has these addresses and ports from now on.
  void forget(u32 flow) { watches_.erase(flow); }
  bool controls(u32 flow) const {
    const auto found = watches_.find(flow);
    return found != watches_.end() && found->second.controlled;
  }
  // False if it is dropped; else its window may be less.
  bool pass(Packet& packet, u64 now_ns);
  // The second on another CPU, while the first is at its nth call of a helper.
  void pass_both(Packet& first, Packet& second, u64 nth, u64 now_ns, bool passed[2]);
  u64 due_ns() const;
  void run_timers(u64 now_ns);

 private:
  Frame frame_of_packet(const Packet& packet);
  bool take(Packet& packet, const Frame& sent, const Frame& got);
  void check_mark(Packet& packet, const Frame& sent, const Frame& got) const;
  void check_counts();
  void check_repeat(const Packet& packet, const Frame& sent, const Frame& got);
  void disturb();
  void check_window(const Packet& packet, const Frame& got, u64 now_ns);

  std::unique_ptr<Kernel> kernel_;
  Settings world_;
  gw_config config_;
  u64 rate_bytes_per_s_;
  u64 ahead_ns_ = 0;
  u64 attached_ = 0;
  bool stopped_ = false;
  std::unordered_map<u32, Watch> watches_;
  u64 forward_ = 0, reverse_ = 0, dropped_ = 0;
};

}  // namespace penstock::world

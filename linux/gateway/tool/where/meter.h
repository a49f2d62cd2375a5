// SPDX-License-Identifier: GPL-2.0-only
// What the segments that pass a device have waited, before it and behind it, from their timestamps
// (RFC 7323). Each wait is the rise above the least that the flow has seen:
//
//   before = time - TSval of the segment, as core/flow/one_way.h has it              (1)
//   loop   = time of the first segment that echoes a TSval - time when that passed   (2)
//   behind = loop - least loop - before of the echo                                  (3)
//
// (2) is between two looks at one clock, so the skew of others is not in it: a wait before the
// device that is above the loop's rise is corrected to it. The queue is common, the rest is not:
// of the flows that speak in the same 10 ms the smallest wait counts, and where three or more
// do, the second smallest. Flows speak only while they are bulk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/flow/one_way.h"
#include "core/packet/parse.h"

namespace penstock::gw {

// By which data goes: it comes in by the device, or leaves by it.
enum Way { kDown, kUp };
inline constexpr std::size_t kWays = 2;
inline constexpr Way kBothWays[] = {kDown, kUp};
constexpr Way other_way(Way way) { return way == kDown ? kUp : kDown; }

// Where a direction's data and ACKs wait, as the device sees it.
enum Half { kDataBefore, kDataBehind, kAcksBefore, kAcksBehind };
inline constexpr std::size_t kHalves = 4;

struct Packet {
  std::uint64_t time_ns = 0;
  Way way = kDown;
  std::uint32_t bytes = 0;               // of IP and below
  std::optional<pst_segment> segment{};  // of TCP
  bool stamped = false;
  std::uint32_t val = 0, echo = 0;  // TSval and TSecr
};

// The packet of which the first `length` bytes are at `data`.
Packet packet_of(const std::uint8_t* data, std::size_t length, std::uint32_t wire_bytes,
                 bool ethernet, Way way, std::uint64_t time_ns);

struct Wait {
  double mean_s = 0, p99_s = 0;
  double seconds = 0;  // in which something was said
  std::size_t flows = 0;
  bool is_known() const { return seconds > 0; }
};

// Of the data of one direction.
struct Passed {
  std::array<Wait, kHalves> waits{};
  double rate_bps = 0;                // of all packets
  double goodput_bps = 0;             // of TCP data that was not seen before
  std::optional<double> line_bps{};   // of all packets while a queue stood there
  std::size_t flows = 0;              // that were bulk
  std::size_t unstamped = 0;          // such without timestamps
};

struct Reading {
  double seconds = 0;
  std::array<Passed, kWays> ways{};
};

class Meter {
 public:
  void see(const Packet& packet);
  // Since the last one, until `now_ns`. What is known of the flows stays.
  Reading take(std::uint64_t now_ns);

 private:
  struct Key {
    std::array<std::uint32_t, 4> inside{}, outside{};
    std::uint16_t inside_port = 0, outside_port = 0;
    auto operator<=>(const Key&) const = default;
  };
  // What passes in one way.
  struct End {
    pst_one_way stamps{};
    std::deque<std::pair<std::uint32_t, std::uint64_t>> vals;  // that were not echoed, and when
    std::uint64_t least_ns = 0;  // of loops from here; 0: unknown
    std::uint64_t wait_ns = 0;   // before the device
    std::uint64_t waited_ns = 0;  // when; 0: never
    std::uint64_t data_ns = 0;   // the last data
    std::uint64_t second = 0;    // of the counts
    std::uint32_t bytes = 0, bytes_before = 0;  // of data, in this second and in the one before
    std::uint32_t sent = 0;
    bool has_sent = false;
    bool is_bulk(std::uint64_t now_ns) const;
  };
  struct Flow {
    std::array<End, kWays> ends;
    std::uint64_t seen_ns = 0;
    std::uint32_t number = 0;
  };
  // What flows say in a slot.
  struct Slot {
    std::map<std::uint32_t, std::uint64_t> said_ns;
    std::optional<std::uint64_t> common_ns() const;
  };
  struct Said {
    Slot slot;
    std::vector<double> waits_s;
    std::set<std::uint32_t> flows;
    std::uint64_t last_ns = 0;   // the last slot's
    std::uint64_t last_slot = 0;
  };
  struct Direction {
    std::array<Said, kHalves> halves;
    std::uint64_t bytes = 0, goodput_bytes = 0;
    std::uint64_t slot_bytes = 0, busy_bytes = 0, busy_slots = 0;
    bool stands = false;
    std::set<std::uint32_t> bulk, unstamped;
  };

  void advance(std::uint64_t now_ns);
  void end_slot();
  Flow* find(const Packet& packet);
  void count_data(Flow& flow, const Packet& packet);
  void say(Way data, Half half, const Flow& flow, std::uint64_t wait_ns);
  void take_stamp(Flow& flow, const Packet& packet);
  void take_echo(Flow& flow, const Packet& packet);
  std::uint64_t known_ns(Way way, std::uint64_t now_ns) const;
  std::uint64_t known_loop_ns(Way way) const;
  void forget(std::uint64_t now_ns);

  std::map<Key, Flow> flows_;
  std::array<Direction, kWays> ways_;
  std::uint64_t slot_ = 0, begin_ns_ = 0;
  std::uint32_t next_ = 0;
  std::uint32_t usual_tick_[kWays] = {};
};

}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
// Plays a script: hosts, links, liars, and the gateway between them or none.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "tests/world/fairness.h"
#include "tests/world/gateway.h"
#include "tests/world/host.h"

namespace penstock::world {

// The places of a path at which packets meet its faults; 3 is the near end.
inline constexpr u8 kGatewayForward = 0, kToFar = 1, kGatewayBack = 2;

struct Outcome {
  std::vector<u64> ended_ns;  // each flow's; kNever
  u64 until_ns = 0;
  u64 packets = 0;
  u64 least_percent = 100;  // of its share that a flow got; R36
  u64 least_mixed_percent = 100;  // of theirs that the controlled ones got beside others
  std::string broken;  // what does not hold; empty
};

class World {
 public:
  World(const Script& script, bool has_gateway);
  // Until all connections have ended, or `until_ns`.
  Outcome play(u64 until_ns);

 private:
  enum class What : u8 { kArrive, kHost, kFlow, kBegin, kEnd, kLie, kPass, kQuit, kSample };
  struct Item {
    u64 at_ns;
    u64 order;
    What what;
    u8 place;  // of kArrive
    u32 index;  // host, flow, event or packet
    bool operator>(const Item& o) const {
      return at_ns != o.at_ns ? at_ns > o.at_ns : order > o.order;
    }
  };
  struct Active {
    const Event* event;
    Draw draw;
  };
  struct Ends {
    Host near, far;
    u64 due_ns[2] = {kNever, kNever};
    u64 ended_ns = kNever;
    u32 wire = 0;  // the number of the flow whose addresses and ports it has
    bool over = false;
  };

  void add_flow(u32 index);
  void open_flow(u32 index);
  void close_flow(u32 index);
  u32 wire_of(const Flow& flow) const;
  void sample();
  Progress progress_of(u32 index) const;
  void schedule(u64 at_ns, What what, u32 index, u8 place = 0);
  void happen(const Item& item);
  void begin(const Event& event);
  void end(const Event& event);
  void lie(const Event& event);
  void forge_handshake(const Event& event, Draw& draw);
  void forge_acks(const Event& event, Draw& draw);
  void forge_blind(const Event& event, Draw& draw);
  void others(const Event& event, Draw& draw);
  Segment forged(const Flow& flow, bool from_near) const;
  const Flow* flow_of(const Event& event) const;
  bool is_unseen(const Packet& packet) const;
  u32 keep(const Packet& packet);
  void inject(const Segment& segment, u64 after_ns);
  void send(const Packet& packet, u8 place);
  void travel(const Packet& packet, u8 place, u64 wait_ns);
  void arrive(const Packet& packet, u8 place);
  void at_gateway(const Packet& packet, u8 place);
  void go_on(const Packet& packet, u8 place);
  void deliver(const Packet& packet);
  bool completes(const Packet& packet);
  void flush(Ends& ends, bool near);
  bool active(Kind kind, u64 value) const;
  const Active* acting(Kind kind) const;
  u64 queue_ns(u32 bytes, bool& marks);

  const Script& script_;
  std::optional<Gateway> gateway_;
  std::vector<Ends> ends_;
  Fairness fairness_;
  u64 least_percent_ = 100, least_mixed_percent_ = 100;
  std::unordered_map<u32, u32> index_of_;
  std::vector<Active> active_;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> items_;
  std::vector<Packet> packets_;
  std::vector<u32> free_packets_;
  std::unordered_map<u64, u8> parts_;
  std::optional<std::pair<Packet, u8>> waiting_;
  u64 now_ns_ = 0, order_ = 0, ids_ = 0, free_ns_ = 0, passed_ = 0, open_ = 0;
};

}  // namespace penstock::world

// SPDX-License-Identifier: GPL-2.0-only
// A gateway method on one forward queue, and what it remembers of each flow.
// Turns the simulator's segments into core/'s views and core/'s answers into a
// window field; decides nothing itself.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/control/control.h"
#include "core/packet/rtt.h"
#include "core/queue/flow_count.h"
#include "core/rewrite/window.h"
#include "sim/tcp/segment.h"

namespace penstock::gateway {

struct Spec {
  std::uint32_t method = PST_METHOD_DROPTAIL;  // enum pst_method
  std::uint32_t mode = PST_SAFE;               // enum pst_mode
  union pst_params params{};
  std::uint64_t flow_interval_ns = PST_NS_PER_S;  // a flow counts as active this long
};

struct Counters {
  std::uint64_t acks_seen = 0;
  std::uint64_t acks_rewritten = 0;
  std::uint64_t window_bytes_sum = 0;  // as sent on, over acks_seen
  std::array<std::uint64_t, PST_LIMIT_COUNT> acks_by{};
};

class Gateway {
 public:
  // `queue` holds the limits and the rate; `flows` numbers the network's flows, or
  // is 0 for a queue without a gateway, whose ACKs nobody looks at.
  Gateway(const Spec& spec, const pst_queue& queue, std::size_t flows);

  // Flows up to number `flows` may come; `flow` is over, and its number starts afresh.
  void expect(std::size_t flows) {
    if (!flows_.empty()) flows_.resize(flows);
  }
  void forget(std::uint32_t flow) {
    if (!flows_.empty()) flows_[flow] = {};
  }

  // A segment of `flow` passes in the direction of the data, on its way into `q`.
  void see_forward(std::uint32_t flow, const tcp::Segment& s, const pst_queue& q);

  pst_verdict on_enqueue(pst_queue& q, const pst_packet& packet) {
    if (counts_flows_) q.flows = pst_flow_count_get(&count_, q.now_ns);
    return pst_control_enqueue(spec_.method, &spec_.params, &state_, &q, &packet);
  }
  void on_dequeue(pst_queue& q, const pst_packet& packet) {
    if (counts_flows_) q.flows = pst_flow_count_get(&count_, q.now_ns);
    pst_control_dequeue(spec_.method, &spec_.params, &state_, &q, &packet);
  }
  void on_tick(pst_queue& q) {
    if (counts_flows_) q.flows = pst_flow_count_get(&count_, q.now_ns);
    pst_control_tick(spec_.method, &spec_.params, &state_, &q);
  }

  // A segment of `flow` passes back to the data's sender: sets its window, if the
  // method does, and counts it.
  void on_ack(std::uint32_t flow, tcp::Segment& s, pst_queue& q);

  std::uint64_t interval_ns() const { return pst_control_interval_ns(spec_.method, &spec_.params); }
  bool sees_acks() const { return !flows_.empty(); }
  std::uint64_t last_window_bytes() const { return last_window_bytes_; }
  void begin_counting() { counters_ = {}; }
  const Counters& counters() const { return counters_; }

 private:
  // What is remembered of a flow.
  struct Flow : pst_flow {
    pst_rtt rtt;
  };

  std::uint64_t allowed_bytes(const Flow& flow, std::uint64_t offered_bytes, pst_queue& q);
  pst_rewrite rewrite(Flow& f, const tcp::Segment& s, pst_queue& q);
  void count(const pst_flow& flow, const tcp::Segment& s, const pst_rewrite& out);

  Spec spec_;
  union pst_state state_{};
  pst_flow_count count_{};
  bool rewrites_;
  bool counts_flows_;
  std::vector<Flow> flows_;
  std::uint64_t last_window_bytes_ = 0;
  Counters counters_;
};

}  // namespace penstock::gateway

// SPDX-License-Identifier: GPL-2.0-only
// core's gateway on one forward queue, and its flows by number. Converts the simulator's segments
// to core's views and counts the results; makes no decisions.
#pragma once

#include <cstdint>
#include <vector>

#include "core/gateway/gateway.h"
#include "core/queue/places.h"
#include "sim/gateway/ack_counts.h"
#include "sim/gateway/flow_names.h"
#include "sim/gateway/flow_set.h"
#include "sim/gateway/groups.h"
#include "sim/gateway/views.h"
#include "sim/tcp/segment.h"

namespace penstock::gateway {

// Drop-tail without a law, until its fields say otherwise.
inline pst_gateway_config plain_config() {
  pst_gateway_config config;
  __builtin_memset(&config, 0, sizeof(config));
  config.flow_interval_ns = PST_NS_PER_S;
  return config;
}

class Gateway {
 public:
  // `queue` holds the limits and the rate; `flows` is the number of the network's flows, or 0 for
  // a queue without a gateway, which processes no ACKs.
  Gateway(const pst_gateway_config& config, const pst_queue& queue, std::size_t flows);

  // Flows up to number `flows` may come; `flow` is over, and its number starts afresh.
  void expect(std::size_t flows) {
    if (!flows_.empty()) flows_.resize(flows);
  }
  void forget(std::uint32_t flow) {
    if (!flows_.empty()) flows_[flow] = {};
    if (flow < returns_.size()) returns_[flow] = {};
    if (flow < paced_.size()) paced_[flow] = {};
    for (const std::uint32_t end : {2 * flow, 2 * flow + 1})
      if (end < rates_.size()) rates_[end] = {};
    names_.forget(flow);
  }

  // `flow` counts with the others of its host, or of its mark, if the link is divided by these.
  void set_group(std::uint32_t flow, std::uint32_t host, std::uint32_t mark) {
    if (flows_.empty()) return;
    if (port_.config.share_by == PST_SHARE_BY_HOST) groups_.join(flow, host);
    if (port_.config.share_by == PST_SHARE_BY_MARK && mark) groups_.join(flow, mark);
  }

  // True if the discipline labels packets with the rate of their flow.
  bool labels() const { return pst_discipline_labels(port_.config.discipline); }
  // The rate of what travels to `endpoint`, for such a discipline; else null.
  pst_rate* rate_of(std::uint32_t endpoint) {
    if (!labels()) return nullptr;
    if (rates_.size() <= endpoint) rates_.resize(endpoint + 1);
    return &rates_[endpoint];
  }

  // Bypasses `flow`, like flows older than the gateway; or, where the discipline is `fair`, a rule
  // spares its datagrams, or nobody answers them.
  enum class Aside { kExempt, kSpared, kUnanswered };
  void set_aside(std::uint32_t flow, Aside how) {
    if (how == Aside::kExempt && !flows_.empty()) exempt_.add(flow);
    if (how == Aside::kSpared && names_.table()) spared_.add(flow);
    if (how == Aside::kUnanswered && names_.table()) unanswered_.add(flow);
  }

  // A segment of `flow`, a packet of `packet_bytes`, passes in the direction of the data,
  // on its way into `q`. Returns its kind.
  std::uint8_t see_forward(std::uint32_t flow, const tcp::Segment& s, std::uint32_t packet_bytes,
                           pst_queue& q);
  // It leaves `q`, and has a header for its window, which the law may lower.
  void tell_window(std::uint32_t flow, tcp::Segment& s, pst_queue& q);
  // The same for bytes of `flow` that no window controls.
  void see_other(std::uint32_t flow, std::uint32_t bytes, std::uint64_t now_ns) {
    pst_gateway_other(&port_.config, &port_.state, flow, bytes, now_ns);
  }

  // What leaves the queue is measured, if the method needs it: with auto_rate, as the queue's rate.
  void look(pst_queue& q) {
    if (measures_) pst_gateway_look(&port_.config, &port_.state, &q);
  }
  void entered(std::uint32_t bytes) {
    if (measures_) pst_gateway_entered(&port_.config, &port_.state, bytes);
  }

  // Completes the view of a packet of `flow`, for a discipline that has a table of flows.
  void name(std::uint32_t flow, bool is_tcp, pst_packet& packet) {
    if (!names_.table()) return;
    if (packet.kind == PST_KIND_BY_RULE) {
      packet.flow = FlowNames::of_rule();
      return;
    }
    // A flow that is bypassed stands for QUIC, which no gateway can tell from a call.
    packet.answered = !unanswered_.has(flow);
    packet.elastic = is_tcp && !exempt_.has(flow);
    packet.flow = names_.hash_of(flow, groups_.number_of(flow), packet.kind == PST_KIND_CONTROLLED);
    packet.restrained = flow < flows_.size() && pst_gateway_restrains(&flows_[flow]);
    pst_place(names_.table(), &packet, 0, packet.queued_ns);
  }

  // The kind of a packet of `flow`, before it is known whether its windows permit it.
  std::uint8_t kind_of(std::uint32_t flow, const tcp::Segment& s) const {
    if (!(s.options & tcp::kDatagram)) return gateway::kind_of(s, rewrites_ && !exempt_.has(flow));
    const std::uint8_t kind = pst_kind_of(PST_CONTENT_OTHER, false);
    return spared_.has(flow) ? pst_kind_by_rule(kind, false) : kind;
  }

  // False: arrive(), accepted(), overflow(), leave() and left() need not be called.
  bool sees_packets() const { return sees_packets_; }

  pst_verdict arrive(pst_queue& q, const pst_packet& packet) {
    PST_REQUIRE(packet.bytes > 0 && packet.queued_ns <= q.now_ns);
    q.table = names_.table();
    return pst_port_arrive(&port_, &q, &packet);
  }
  void accepted(pst_queue& q, const pst_packet& packet) {
    PST_REQUIRE(q.packets > 0 && q.bytes >= packet.bytes);
    pst_port_accepted(&port_, &q, &packet);
  }
  void overflow(pst_queue& q, const pst_packet& packet) {
    PST_REQUIRE(packet.bytes > 0 && packet.queued_ns <= q.now_ns);
    pst_port_overflow(&port_, &q, &packet);
  }
  pst_verdict leave(pst_queue& q, const pst_packet& packet) {
    PST_REQUIRE(packet.queued_ns <= q.now_ns);
    return pst_port_leave(&port_, &q, &packet);
  }
  // The result for a packet on which a scheduler's own discipline returned `verdict`.
  pst_verdict settle(const pst_packet& packet, pst_verdict verdict) {
    return pst_gateway_verdict(&port_.config, &port_.state, &packet, verdict);
  }
  void left(pst_queue& q, const pst_packet& packet) {
    PST_REQUIRE(packet.queued_ns <= q.now_ns);
    PST_REQUIRE((q.packets == 0) == (q.bytes == 0));
    pst_port_left(&port_, &q, &packet);
  }

  // Nanoseconds to the next tick, 0 for none.
  std::uint64_t tick(pst_queue& q) { return pst_port_tick(&port_, &q); }
  std::uint64_t next_tick_ns(std::uint64_t now_ns) const {
    return pst_gateway_next_tick_ns(&port_.state, now_ns);
  }

  // A segment of `flow` passes back to the data's sender: sets its window, if the
  // law does, and counts it, unless it is the SYN of a receiver that opens. Returns when it is to
  // go on.
  std::uint64_t on_ack(std::uint32_t flow, tcp::Segment& s, pst_queue& q);

  bool sees_acks() const { return !flows_.empty(); }
  void begin_counting() { acks_.begin(); }
  const AckCounts& acks() const { return acks_; }
  const pst_gateway_config& config() const { return port_.config; }
  // True if the discipline reads and writes the header of `s`.
  bool knows_header(const tcp::Segment& s) const {
    return s.extension.kind == pst_discipline_feedback(port_.config.discipline);
  }
  pst_gateway_state& state() { return port_.state; }

 private:
  friend void pair(Gateway& away, Gateway& back);

  pst_port port_;
  bool rewrites_;
  bool sees_packets_;
  bool measures_;
  bool paces_;
  std::vector<pst_gateway_flow> flows_;
  std::vector<pst_return> returns_;  // where the queue is further down
  FlowSet exempt_, spared_, unanswered_;
  Groups groups_;
  std::vector<pst_rate> rates_;  // by endpoint, likewise
  FlowNames names_;
  std::vector<pst_pace_flow> paced_;  // by flow, as far as ACKs wait
  AckCounts acks_;
  Gateway* paired_ = nullptr;
};

// Data leaves by the queue of `away`, and comes in by that of `back`: each tells the other what
// ACKs wait in its queue.
void pair(Gateway& away, Gateway& back);
void tell_ack_waits(Gateway& paired, pst_queue& q);

// Tells the timestamps of a segment, if it has some; apart from the way of all the others.
void tell_stamps(pst_port& port, pst_gateway_flow& f, const tcp::Segment& s, const pst_queue& q);

// Inline, as each packet passes them.
[[gnu::always_inline]] inline std::uint8_t Gateway::see_forward(std::uint32_t flow,
                                                                const tcp::Segment& s,
                                                                std::uint32_t packet_bytes,
                                                                pst_queue& q) {
  if (flows_.empty()) return kind_of(flow, s);
  PST_REQUIRE(flow < flows_.size());
  if (exempt_.has(flow)) {
    see_other(flow, packet_bytes, q.now_ns);
    return gateway::kind_of(s, false);
  }
  const bool syn = (s.flags & tcp::kSyn) != 0;
  if (!rewrites_ && !syn) return gateway::kind_of(s, false);
  pst_options options;  // of a SYN
  if (syn) options = options_of(s);
  const pst_data_header header = data_header_of(s, syn ? &options : nullptr);
  if (pst_gateway_reads_stamps(&port_.config, &flows_[flow], q.now_ns))
    tell_stamps(port_, flows_[flow], s, q);
  const bool counts = pst_gateway_forward(&port_, &flows_[flow], groups_.of(flow), &q, &header);
  if (!counts) see_other(flow, s.payload_bytes, q.now_ns);
  return gateway::kind_of(s, counts && rewrites_);
}

inline std::uint64_t Gateway::on_ack(std::uint32_t flow, tcp::Segment& s, pst_queue& q) {
  if (exempt_.has(flow) || tcp::has_window_header(s)) return q.now_ns;
  PST_REQUIRE(flow < flows_.size());
  pst_gateway_flow& f = flows_[flow];
  const pst_ack_header header = ack_header_of(s);
  pst_options options;  // of a SYN
  if (header.syn) options = options_of(s);
  if (paired_) tell_ack_waits(*paired_, q);
  if (!(s.flags & tcp::kAck)) {  // the receiver opens
    pst_port_back_syn(&port_, &f, s.seq, &options, q.now_ns);
    return q.now_ns;
  }
  pst_pace_flow* pace = nullptr;
  if (paces_) {
    if (paced_.size() <= flow) paced_.resize(flow + 1);
    pace = &paced_[flow];
  }
  if (pst_gateway_reads_returned(&port_.config)) {
    if (!paired_) q.acks_wait_ns = 0;
    if (returns_.size() < flows_.size()) returns_.resize(flows_.size());
    if (s.options & tcp::kTimestamps)
      pst_gateway_returned(&port_.state, &f, &returns_[flow], &header, s.ts_val, &q);
    else
      pst_gateway_unreturned(&port_.state, &q);
  }
  const auto [out, release_ns] = pst_port_back_segment(
      &port_, &f, pace, groups_.of(flow), &q, &header, s.seq, header.syn ? &options : nullptr);
  if (f.rtt.asks_stamp) pst_rtt_stamp(&f.rtt, (s.options & tcp::kTimestamps) != 0, s.ts_val);
  PST_ENSURE(out.field <= s.window);  // R1
  PST_ENSURE((out.field == 0) == (s.window == 0));  // R4, R5
  PST_ENSURE(rewrites_ || out.field == s.window);  // R34
  PST_ENSURE(release_ns >= q.now_ns);
  acks_.count(s, out, f.flow.scale);
  s.window = out.field;
  return release_ns;
}

}  // namespace penstock::gateway

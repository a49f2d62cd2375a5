// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/queue.h"

#include <algorithm>

#include "core/base.h"
#include "sim/tcp/extension.h"

namespace penstock::net {

namespace {

constexpr std::uint64_t kUnlimitedBytes = 1ULL << 24;  // for methods that need a limit

pst_queue first_view(const QueueLimits& limits, const PlainLink& link) {
  pst_queue q{};
  const std::uint64_t bytes =
      pst_queue_limit_bytes(limits.bytes, limits.packets, usual_mss_bytes(link));
  q.limit_bytes = bytes ? bytes : kUnlimitedBytes;
  q.limit_packets = limits.packets;
  q.rate_bytes_per_s = link.rate_bps / 8;
  q.flows = 1;
  q.mss_bytes = usual_mss_bytes(link);
  q.phantom = limits.phantom;
  return q;
}

// No arrival that was counted is missing; after a warm-up earlier packets leave as well.
[[maybe_unused]] bool balanced(const QueueCounters& c, const pst_queue& q) {
  return c.sent_packets + c.drops() + q.packets >= c.arrivals && (q.packets == 0) == (q.bytes == 0);
}

}  // namespace

Queue::Queue(const QueueLimits& limits, const PlainLink& link, const pst_gateway_config& spec,
             std::size_t flows, engine::Stream random)
    : limits_(limits),
      view_(first_view(limits, link)),
      gateway_(spec, view_, flows),
      judges_(gateway_.sees_packets() || gateway_.labels()),
      random_(random) {
  drain_.set_rate(link.rate_bps);
  drain_.overhead_bytes = link.overhead_bytes;
}

pst_queue& Queue::hidden_view() {
  hidden_view_ = view_;
  pst_gateway_view_hidden(&gateway_.config(), &gateway_.state(), &hidden_view_);
  return hidden_view_;
}

// A length that lasted no time is none.
void Queue::change_bytes(std::uint64_t bytes, std::uint64_t now_ns) {
  PST_REQUIRE(now_ns >= changed_ns_);
  if (now_ns > changed_ns_) {
    occupancy_bytes_.add(view_.bytes, now_ns - changed_ns_);
    changed_ns_ = now_ns;
  }
  view_.bytes = bytes;
  PST_ENSURE(bytes <= PST_MAX_BYTES);
}

// The first of those that wait begins its transmission.
[[gnu::always_inline]] inline void Queue::depart() {
  const Waiting w = waiting_.front();
  PST_REQUIRE(w.start_ns >= w.queued_ns);
  waiting_.pop_front();
  remove(w.bytes, w.start_ns);
  count_sent(w.bytes, w.start_ns - w.queued_ns, w.group);
  if (gateway_.sees_packets())
    gateway_.left(view(w.start_ns), packet_view(w.bytes, w.kind, w.ecn, w.queued_ns));
}

void Queue::remove(std::uint32_t packet_bytes, std::uint64_t now_ns) {
  PST_REQUIRE(view_.packets > 0);
  PST_REQUIRE(view_.bytes >= packet_bytes);
  change_bytes(view_.bytes - packet_bytes, now_ns);
  --view_.packets;
  counters_.packets_ns += now_ns;
  PST_ENSURE((view_.packets == 0) == (view_.bytes == 0));
}

bool Queue::apply(pst_verdict verdict, tcp::Segment& s) {
  if (verdict == PST_DROP) {
    count_drop(s, counters_.drops_method);
    return false;
  }
  if (verdict == PST_SIGNAL) ++counters_.signals;
  if (verdict == PST_MARK) {
    s.ecn = tcp::kCe;
    ++counters_.marks;
  }
  return true;
}

bool Queue::overfull() const {
  return (limits_.bytes && view_.bytes > limits_.bytes) ||
         (limits_.packets && view_.packets > limits_.packets);
}

bool Queue::fits(std::uint32_t packet_bytes) const {
  return (!limits_.bytes || view_.bytes + packet_bytes <= limits_.bytes) &&
         (!limits_.packets || view_.packets < limits_.packets);
}

void Queue::count_drop(const tcp::Segment& s, std::uint64_t& cause) {
  ++cause;
  if (s.options & kDatagram) ++counters_.udp_drops;
  PST_ENSURE(counters_.udp_drops <= counters_.drops());
}

// Counts the arrival, and tells the gateway of it. Returns the packet's kind.
[[gnu::always_inline]] inline std::uint8_t Queue::see(Record& packet, std::uint32_t packet_bytes,
                                                      std::uint64_t now_ns) {
  PST_REQUIRE(packet_bytes > 0 && now_ns >= changed_ns_);
  ++counters_.arrivals;
  if (!counting_) {
    counting_ = true;
    changed_ns_ = counters_.first_ns = now_ns;
  }
  counters_.arrived_bytes += packet_bytes;
  tcp::Segment& s = packet.segment;
  const std::uint32_t flow = packet.target() / 2;
  if (s.options & kDatagram) {
    ++counters_.udp_arrivals;
    gateway_.see_other(flow, packet_bytes, now_ns);
    return gateway_.kind_of(flow, s);
  }
  if ((packet.target() & 1) == kReceiverSide) {
    const std::uint8_t kind = gateway_.see_forward(flow, s, packet_bytes, view(now_ns));
    if (limits_.phantom && tcp::has_window_header(s)) gateway_.tell_window(flow, s, view(now_ns));
    return kind;
  }
  return gateway::kind_of(s, true);
}

// The method's verdict on the arrival, which may change the packet's label and its header, for
// which there is room in `feedback`.
pst_verdict Queue::judge(Record& packet, pst_packet& arrival, pst_feedback& feedback,
                         std::uint64_t now_ns) {
  tcp::Segment& s = packet.segment;
  gateway_.name(packet.target() / 2, !(s.options & kDatagram), arrival);
  arrival.flow_rate = gateway_.rate_of(packet.target());
  if (arrival.flow_rate) arrival.label = &s.ecn;
  if (has_header(packet)) {
    if (gateway_.knows_header(s)) {
      feedback = tcp::feedback_of(s);
      arrival.feedback = &feedback;
    } else if (!tcp::has_window_header(s)) {  // which no router has to know
      ++s.extension.silent_hops;
    }
  }
  if (!gateway_.sees_packets()) return PST_PASS;
  view_.random = random_.bits32();
  const pst_verdict verdict = gateway_.arrive(view(now_ns), arrival);
  PST_ENSURE(verdict != PST_MARK || pst_packet_ecn_capable(&arrival));
  if (arrival.feedback) tcp::set_feedback(s, feedback);
  return verdict;
}

[[gnu::always_inline]] inline void Queue::enter(std::uint32_t packet_bytes, std::uint64_t now_ns) {
  PST_REQUIRE(packet_bytes > 0);
  PST_REQUIRE(makes_room_ || fits(packet_bytes));
  gateway_.entered(packet_bytes);
  change_bytes(view_.bytes + packet_bytes, now_ns);
  ++view_.packets;
  counters_.packets_ns -= now_ns;
  PST_ENSURE(view_.packets <= view_.bytes);
}

// Where packets are judged: false, if the arrival is dropped.
bool Queue::admit(Record& packet, pst_packet& arrival, std::uint64_t now_ns) {
  tcp::Segment& s = packet.segment;
  pst_feedback feedback;
  const pst_verdict verdict = judge(packet, arrival, feedback, now_ns);
  if (verdict == PST_DROP) return apply(verdict, s);
  if (!fits(arrival.bytes) && !makes_room_) {
    gateway_.overflow(view(now_ns), arrival);
    count_drop(s, counters_.drops_overflow);
    return false;
  }
  PST_REQUIRE(arrival.queued_ns == now_ns);
  if (verdict != PST_PASS) apply(verdict, s);
  enter(arrival.bytes, now_ns);
  if (gateway_.sees_packets()) gateway_.accepted(view(now_ns), arrival);
  return true;
}

bool Queue::enqueue(Record& packet, std::uint32_t packet_bytes, Link* link, std::uint64_t now_ns,
                    std::uint64_t* start_ns) {
  tcp::Segment& s = packet.segment;
  replay(now_ns);
  gateway_.look(view(now_ns));
  const std::uint8_t kind = see(packet, packet_bytes, now_ns);
  if (judges_ || has_header(packet)) {
    pst_packet arrival = packet_view(packet_bytes, kind, s.ecn, now_ns);
    if (!admit(packet, arrival, now_ns)) return false;
  } else if (!fits(packet_bytes) && !makes_room_) {
    count_drop(s, counters_.drops_overflow);
    return false;
  } else {
    enter(packet_bytes, now_ns);
  }
  PST_ENSURE(makes_room_ || !overfull());
  if (!link) return true;
  const std::uint64_t start = (limits_.phantom ? drain_ : *link).transmit(packet_bytes, now_ns);
  if (limits_.phantom) link->busy_until_ns = now_ns;
  PST_ENSURE(start >= now_ns);
  waiting_.push_back(
      {start, now_ns, packet_bytes, kind, s.ecn, delays_.group_of(packet.target() / 2)});
  *start_ns = limits_.phantom ? now_ns : start;
  return true;
}

std::uint64_t Queue::on_ack(std::uint32_t flow, tcp::Segment& s, std::uint64_t now_ns) {
  replay(now_ns);
  if (gateway_.sees_packets()) view_.random = random_.bits32();
  [[maybe_unused]] const tcp::Segment before = s;
  const std::uint64_t release_ns = gateway_.on_ack(flow, s, view(now_ns));
  PST_ENSURE(s.seq == before.seq && s.ack == before.ack && s.flags == before.flags);
  return release_ns;
}

std::uint64_t Queue::tick(std::uint64_t now_ns) {
  replay(now_ns);
  gateway_.look(view(now_ns));
  return gateway_.tick(view(now_ns));
}

void Queue::begin_counting(std::uint64_t now_ns, const Link& link) {
  replay(now_ns);
  counting_ = true;
  counters_ = {};
  counters_.first_ns = changed_ns_ = now_ns;
  counters_.carried_ns = pst_sub_floor(sent_until_ns(link), now_ns);
  gateway_.begin_counting();
  counters_.packets_ns = -view_.packets * now_ns;
  occupancy_bytes_.clear();
  delays_.clear();
  PST_ENSURE(counters_.arrivals == 0 && counters_.drops() == 0);
}

void Queue::finish(std::uint64_t now_ns) {
  replay(now_ns);
  change_bytes(view_.bytes, now_ns);
  counters_.packets_ns += view_.packets * now_ns;
  counters_.last_ns = now_ns;
  PST_ENSURE(counters_.last_ns >= counters_.first_ns);
  PST_ENSURE(balanced(counters_, view_));
}

std::uint64_t Queue::bytes(std::uint64_t now_ns) {
  replay(now_ns);
  PST_ENSURE(balanced(counters_, view_));
  return view_.bytes;
}

}  // namespace penstock::net

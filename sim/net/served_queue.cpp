// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/served_queue.h"

#include "core/base.h"
#include "sim/net/cake_queues.h"
#include "sim/net/dual_queues.h"
#include "sim/net/flow_queues.h"
#include "sim/net/weighted_queues.h"
#include "sim/tcp/extension.h"

namespace penstock::net {

namespace {

std::unique_ptr<Scheduler> scheduler_of(const pst_gateway_config& config,
                                        pst_discipline_state& state, engine::Pool<Record>& pool) {
  if (!pst_discipline_schedules(config.discipline)) return nullptr;
  if (pst_discipline_is_dual(config.discipline))
    return std::make_unique<DualQueues>(config.discipline_params.dualpi2, &state.dualpi2, pool);
  if (pst_discipline_weighs(config.discipline))
    return std::make_unique<WeightedQueues>(config.discipline_params.xcp_tcp, &state.xcp_tcp, pool);
  if (pst_discipline_isolates(config.discipline))
    return std::make_unique<CakeQueues>(config.discipline_params.cake, &state.cake, pool);
  return std::make_unique<FlowQueues>(config.discipline_params.fq_codel, &state.fq_codel, pool);
}

}  // namespace

ServedQueue::ServedQueue(const QueueLimits& limits, const PlainLink& link,
                         const pst_gateway_config& config, std::size_t flows, engine::Stream random,
                         engine::Pool<Record>& pool)
    : Queue(limits, link, config, flows, random),
      pool_(pool),
      scheduler_(scheduler_of(config, gateway().state().discipline, pool)),
      departures_(random) {
  makes_room_ = scheduler_ && scheduler_->makes_room();
}

pst_packet ServedQueue::packet(std::uint32_t index) const {
  const Record& r = pool_[index];
  const tcp::Segment& s = r.segment;
  const std::uint32_t flow = r.target() / 2;
  return packet_view(packet_bytes(s), gateway().kind_of(flow, s), s.ecn, r.time_ns);
}

void ServedQueue::hold(std::uint32_t index, std::uint64_t now_ns) {
  PST_REQUIRE(index != engine::kNone && count_ == packets());
  Record& r = pool_[index];
  if (!enqueue(r, packet_bytes(r.segment), nullptr, now_ns, nullptr)) {
    lost_.push_back(index);
    return;
  }
  r.time_ns = now_ns;
  ++count_;
  PST_ENSURE(count_ == packets());
  if (!scheduler_) return fifo_.push(pool_, index);
  scheduler_->push(index, view(now_ns));
  if (makes_room_) make_room(now_ns);
}

// An overflow drops from the head of the longest queue, regardless of the arrival.
void ServedQueue::make_room(std::uint64_t now_ns) {
  while (overfull())
    for (const std::uint32_t index : scheduler_->overflow(view(now_ns))) {
      PST_REQUIRE(pool_[index].time_ns <= now_ns);
      PST_REQUIRE(count_ > 0);
      const pst_packet k = packet(index);
      remove(k.bytes, now_ns);
      --count_;
      count_drop(pool_[index].segment, books().drops_overflow);
      gateway().overflow(view(now_ns), k);
      gateway().left(view(now_ns), k);
      lost_.push_back(index);
    }
  PST_ENSURE(!overfull() && count_ == packets());
}

std::uint32_t ServedQueue::next(std::uint64_t now_ns) {
  if (scheduler_) return scheduler_->pop(view(now_ns));
  return fifo_.empty() ? engine::kNone : fifo_.pop(pool_);
}

// The verdict on the head, which is already dequeued; false: dropped.
bool ServedQueue::leaves(const pst_packet& k, tcp::Segment& s, std::uint64_t now_ns) {
  PST_REQUIRE(k.bytes > 0 && k.queued_ns <= now_ns);
  if (!scheduler_) return apply(gateway().leave(view(now_ns), k), s);
  if (scheduler_->draws()) view(now_ns).random = departures_.bits32();
  if (!apply(gateway().settle(k, scheduler_->leaves(view(now_ns), k)), s)) return false;
  scheduler_->sent(k, now_ns);
  return true;
}

std::uint32_t ServedQueue::take(std::uint64_t now_ns) {
  for (;;) {
    const std::uint32_t index = next(now_ns);
    if (index == engine::kNone) {
      PST_ENSURE(count_ == 0);
      return index;
    }
    Record& r = pool_[index];
    pst_packet k = packet(index);
    pst_feedback feedback;
    if (has_header(r) && gateway().knows_header(r.segment)) {
      feedback = tcp::feedback_of(r.segment);
      k.feedback = &feedback;
    }
    PST_REQUIRE(count_ > 0 && now_ns >= k.queued_ns);
    remove(k.bytes, now_ns);
    --count_;
    PST_ENSURE(count_ == packets());
    const bool passes = leaves(k, r.segment, now_ns);
    gateway().left(view(now_ns), k);
    if (k.feedback) tcp::set_feedback(r.segment, feedback);
    if (passes) {
      const std::uint32_t target = r.target();
      if (tcp::has_window_header(r.segment) && (target & 1) == kReceiverSide)
        gateway().tell_window(target / 2, r.segment, view(now_ns));
      count_sent(k.bytes, now_ns - k.queued_ns, delays().group_of(r.target() / 2));
      return index;
    }
    lost_.push_back(index);
  }
}

std::vector<std::uint32_t> ServedQueue::held() const {
  std::vector<std::uint32_t> all;
  const auto add = [&](const Fifo& fifo) {
    for (std::uint32_t i = fifo.first(); i != engine::kNone; i = pool_[i].next) all.push_back(i);
  };
  add(fifo_);
  if (scheduler_)
    for (const Fifo& fifo : scheduler_->fifos()) add(fifo);
  PST_ENSURE(all.size() == count_);
  return all;
}

}  // namespace penstock::net

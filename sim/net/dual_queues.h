// SPDX-License-Identifier: GPL-2.0-only
// The two queues of DualPI2 with their packets, for core's scheduler.
#pragma once

#include <array>

#include "sim/net/scheduler.h"

namespace penstock::net {

class DualQueues final : public Scheduler {
 public:
  DualQueues(const pst_dualpi2_params& params, pst_dualpi2_state* state, engine::Pool<Record>& pool)
      : params_(params), state_(state), pool_(pool) {}

  void push(std::uint32_t index, const pst_queue&) override {
    const pst_dual_queue queue = pst_dualpi2_classify(pool_[index].segment.ecn);
    fifos_[queue].push(pool_, index);
    ++(queue == PST_DUAL_LOW ? state_->low_pkts : state_->classic_pkts);
    note_heads();
  }

  std::uint32_t pop(const pst_queue&) override {
    if (!state_->low_pkts && !state_->classic_pkts) return engine::kNone;
    const Fifo& classic = fifos_[PST_DUAL_CLASSIC];
    const std::uint32_t head_bytes =
        classic.empty() ? 0 : packet_bytes(pool_[classic.first()].segment);
    turn_ = pst_dualpi2_select(state_, head_bytes);
    PST_REQUIRE(!fifos_[turn_].empty());
    const std::uint32_t index = fifos_[turn_].pop(pool_);
    --(turn_ == PST_DUAL_LOW ? state_->low_pkts : state_->classic_pkts);
    note_heads();
    return index;
  }

  pst_verdict leaves(const pst_queue& all, const pst_packet& packet) override {
    return pst_dualpi2_on_leave(&params_, state_, turn_, &all, &packet);
  }
  void sent(const pst_packet& packet, std::uint64_t now_ns) override {
    PST_REQUIRE(now_ns >= packet.queued_ns);
    pst_dualpi2_sent(&params_, state_, turn_, packet.bytes);
    if (turn_ == PST_DUAL_LOW) low_delay_ns_.add(now_ns - packet.queued_ns);
  }

  std::span<const Fifo> fifos() const override { return fifos_; }
  const Sample* low_delay_ns() const override { return &low_delay_ns_; }
  void begin_counting() override { low_delay_ns_.clear(); }

 private:
  std::uint64_t head_ns(pst_dual_queue queue) const {
    return fifos_[queue].empty() ? 0 : pool_[fifos_[queue].first()].time_ns;
  }
  void note_heads() {
    PST_REQUIRE(fifos_[PST_DUAL_LOW].empty() == !state_->low_pkts);
    PST_REQUIRE(fifos_[PST_DUAL_CLASSIC].empty() == !state_->classic_pkts);
    state_->low_head_ns = head_ns(PST_DUAL_LOW);
    state_->classic_head_ns = head_ns(PST_DUAL_CLASSIC);
  }

  pst_dualpi2_params params_;
  pst_dualpi2_state* state_;  // the gateway's
  engine::Pool<Record>& pool_;
  std::array<Fifo, PST_DUAL_COUNT> fifos_;
  pst_dual_queue turn_ = PST_DUAL_LOW;
  Sample low_delay_ns_;
};

}  // namespace penstock::net

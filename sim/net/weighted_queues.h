// SPDX-License-Identifier: GPL-2.0-only
// The two queues of XCP beside TCP with their packets, for core's scheduler.
#pragma once

#include <array>

#include "core/discipline/xcp_tcp_turns.h"
#include "sim/net/scheduler.h"

namespace penstock::net {

class WeightedQueues final : public Scheduler {
 public:
  WeightedQueues(const pst_xcp_tcp_params& params, pst_xcp_tcp_state* state,
                 engine::Pool<Record>& pool)
      : params_(params), state_(state), pool_(pool) {}

  void push(std::uint32_t index, const pst_queue&) override {
    fifos_[queue_of(pool_[index])].push(pool_, index);
  }

  std::uint32_t pop(const pst_queue&) override {
    const std::uint32_t x_bytes = head_bytes(PST_XCP_TCP_X), t_bytes = head_bytes(PST_XCP_TCP_T);
    if (!x_bytes && !t_bytes) return engine::kNone;
    turn_ = pst_xcp_tcp_select(state_, x_bytes, t_bytes);
    PST_REQUIRE(!fifos_[turn_].empty());
    return fifos_[turn_].pop(pool_);
  }

  pst_verdict leaves(const pst_queue& all, const pst_packet& packet) override {
    PST_REQUIRE(pst_xcp_tcp_classify(&packet) == turn_);
    return pst_xcp_tcp_on_leave(&params_, state_, turn_, &all, &packet);
  }
  void sent(const pst_packet& packet, std::uint64_t now_ns) override {
    PST_REQUIRE(now_ns >= packet.queued_ns);
    pst_xcp_tcp_sent(state_, turn_, packet.bytes, now_ns - packet.queued_ns);
  }

  std::span<const Fifo> fifos() const override { return fifos_; }

 private:
  // As pst_xcp_tcp_classify(), of a packet of which the gateway has taken the header.
  static pst_xcp_tcp_queue queue_of(const Record& r) {
    return has_header(r) && r.segment.extension.kind == PST_XCP_TCP_FEEDBACK ? PST_XCP_TCP_X
                                                                             : PST_XCP_TCP_T;
  }
  std::uint32_t head_bytes(pst_xcp_tcp_queue queue) const {
    return fifos_[queue].empty() ? 0 : packet_bytes(pool_[fifos_[queue].first()].segment);
  }

  pst_xcp_tcp_params params_;
  pst_xcp_tcp_state* state_;  // the gateway's
  engine::Pool<Record>& pool_;
  std::array<Fifo, PST_XCP_TCP_COUNT> fifos_;
  pst_xcp_tcp_queue turn_ = PST_XCP_TCP_X;
};

}  // namespace penstock::net

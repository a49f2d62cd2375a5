// SPDX-License-Identifier: GPL-2.0-only
// The queues of FQ-CoDel with their packets, for core's scheduler.
#pragma once

#include "sim/net/scheduler.h"

namespace penstock::net {

class FlowQueues final : public Scheduler {
 public:
  FlowQueues(const pst_fq_codel_params& params, pst_fq_codel_state* state,
             engine::Pool<Record>& pool)
      : params_(params), state_(state), pool_(pool), table_(params.queues), fifos_(params.queues) {}

  void push(std::uint32_t index, const pst_queue&) override {
    // A connection's two directions are two flows, as for a hash over addresses and ports.
    const std::uint32_t queue = pst_fq_codel_classify(&params_, pool_[index].target());
    PST_REQUIRE(queue < fifos_.size());
    fifos_[queue].push(pool_, index);
    pst_fq_codel_added(&params_, state_, table_.data(), queue, bytes_of(index));
  }

  std::uint32_t pop(const pst_queue&) override {
    for (;;) {
      turn_ = pst_fq_codel_select(&params_, state_, table_.data());
      if (turn_ == PST_FQ_NONE) return engine::kNone;
      if (!fifos_[turn_].empty()) return pop_from(turn_);
      pst_fq_codel_drained(state_, table_.data(), turn_);
    }
  }

  // CoDel's verdict on the packet that pop() returned.
  pst_verdict leaves(const pst_queue& all, const pst_packet& packet) override {
    PST_REQUIRE(turn_ != PST_FQ_NONE);
    return pst_fq_codel_on_leave(&params_, table_.data(), turn_, &all, &packet);
  }
  void sent(const pst_packet& packet, std::uint64_t) override {
    pst_fq_codel_sent(table_.data(), turn_, packet.bytes);
  }

  bool makes_room() const override { return true; }
  // From the longest queue.
  std::vector<std::uint32_t> overflow(const pst_queue&) override {
    const std::uint32_t queue = pst_fq_codel_fattest(&params_, table_.data());
    PST_REQUIRE(queue < fifos_.size() && !fifos_[queue].empty());
    const std::uint64_t half_bytes = table_[queue].bytes / 2;
    std::vector<std::uint32_t> dropped;
    std::uint64_t bytes = 0;
    do {
      dropped.push_back(pop_from(queue));
      bytes += bytes_of(dropped.back());
    } while (bytes < half_bytes && dropped.size() < params_.drop_batch_pkts);
    PST_ENSURE(!dropped.empty());
    PST_ENSURE(bytes >= half_bytes || dropped.size() == params_.drop_batch_pkts);
    return dropped;
  }

  std::span<const Fifo> fifos() const override { return fifos_; }

 private:
  std::uint32_t bytes_of(std::uint32_t index) const { return packet_bytes(pool_[index].segment); }

  std::uint32_t pop_from(std::uint32_t queue) {
    const std::uint32_t index = fifos_[queue].pop(pool_);
    PST_REQUIRE(table_[queue].bytes >= bytes_of(index));
    pst_fq_codel_removed(table_.data(), queue, bytes_of(index));
    PST_ENSURE(fifos_[queue].empty() == (table_[queue].bytes == 0));
    return index;
  }

  pst_fq_codel_params params_;
  pst_fq_codel_state* state_;  // the gateway's
  engine::Pool<Record>& pool_;
  std::vector<pst_fq_queue> table_;
  std::vector<Fifo> fifos_;
  std::uint32_t turn_ = PST_FQ_NONE;
};

}  // namespace penstock::net

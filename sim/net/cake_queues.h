// SPDX-License-Identifier: GPL-2.0-only
// The queues of CAKE with their packets and the hosts of their flows, for core's scheduler.
#pragma once

#include "sim/net/scheduler.h"

namespace penstock::net {

class CakeQueues final : public Scheduler {
 public:
  CakeQueues(const pst_cake_params& params, pst_cake_state* state, engine::Pool<Record>& pool)
      : params_(params),
        state_(state),
        pool_(pool),
        queues_(params.queues + PST_CAKE_LISTS),
        sources_(params.queues),
        targets_(params.queues),
        tables_{queues_.data(), sources_.data(), targets_.data()},
        fifos_(params.queues) {
    pst_cake_begin(&params_, &tables_);
  }

  void meet(std::uint32_t flow, std::uint32_t src, std::uint32_t dst) override {
    if (ends_.size() <= flow) ends_.resize(flow + 1);
    ends_[flow] = {src, dst};
  }

  void push(std::uint32_t index, const pst_queue& all) override {
    const pst_cake_key key = key_of(pool_[index].target());
    const std::uint32_t queue = pst_cake_classify(&params_, state_, &tables_, &key);
    PST_REQUIRE(queue < fifos_.size());
    fifos_[queue].push(pool_, index);
    pst_cake_added(&params_, &tables_, &all, queue, bytes_of(index));
    ++waiting_;
  }

  std::uint32_t pop(const pst_queue& all) override {
    if (!waiting_) return engine::kNone;
    if (!again_) select(all);
    again_ = false;
    return pop_from(turn_);
  }

  pst_verdict leaves(const pst_queue& all, const pst_packet& packet) override {
    const pst_verdict verdict = pst_cake_on_leave(&params_, &tables_, &all, turn_, &packet);
    again_ = verdict == PST_DROP;
    return verdict;
  }
  void sent(const pst_packet& packet, std::uint64_t) override {
    pst_cake_sent(&tables_, turn_, packet.bytes);
  }

  bool makes_room() const override { return true; }
  std::vector<std::uint32_t> overflow(const pst_queue& all) override {
    return {pop_from(pst_cake_overflow(&params_, &tables_, &all))};
  }
  bool draws() const override { return true; }

  std::span<const Fifo> fifos() const override { return fifos_; }

 private:
  struct Hosts {
    std::uint32_t src;
    std::uint32_t dst;
  };

  std::uint32_t bytes_of(std::uint32_t index) const { return packet_bytes(pool_[index].segment); }

  // A connection's two directions are two flows, as for a hash over addresses and ports.
  pst_cake_key key_of(std::uint32_t endpoint) const {
    const Hosts hosts = endpoint / 2 < ends_.size() ? ends_[endpoint / 2] : Hosts{};
    if (endpoint % 2 == kReceiverSide) return {endpoint, hosts.src, hosts.dst};
    return {endpoint, hosts.dst, hosts.src};
  }

  // A packet waits: the search ends at its queue.
  void select(const pst_queue& all) {
    turn_ = pst_cake_select(&params_, &tables_, &all, true);
    while (fifos_[turn_].empty()) {
      pst_cake_drained(&params_, &tables_, &all, turn_);
      turn_ = pst_cake_select(&params_, &tables_, &all, false);
    }
    PST_ENSURE(turn_ < fifos_.size());
  }

  std::uint32_t pop_from(std::uint32_t queue) {
    PST_REQUIRE(waiting_ > 0);
    PST_REQUIRE(queue < fifos_.size());
    const std::uint32_t index = fifos_[queue].pop(pool_);
    pst_cake_removed(&tables_, queue, bytes_of(index));
    --waiting_;
    return index;
  }

  pst_cake_params params_;
  pst_cake_state* state_;  // the gateway's
  engine::Pool<Record>& pool_;
  std::vector<pst_cake_queue> queues_;
  std::vector<pst_cake_host> sources_;
  std::vector<pst_cake_host> targets_;
  pst_cake_tables tables_;
  std::vector<Fifo> fifos_;
  std::vector<Hosts> ends_;  // by flow
  std::size_t waiting_ = 0;  // packets
  std::uint32_t turn_ = 0;
  bool again_ = false;  // the last packet was dropped, so its queue goes on
};

}  // namespace penstock::net

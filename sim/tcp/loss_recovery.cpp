// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/loss_recovery.h"

#include <algorithm>

#include "core/base.h"
#include "core/sender/control.h"

namespace penstock::tcp {

void LossRecovery::agree(bool sack, std::uint32_t mss_bytes) {
  PST_REQUIRE(mss_bytes > 0);
  sack_ = sack;
  mss_bytes_ = mss_bytes;
  if (sack && config_->rack)
    rack_ = std::make_unique<Rack>(pst_sender_hears_losses(config_->method));
}

struct pst_rack_ack LossRecovery::rack_ack(const RttEstimator& rtt, std::uint64_t now_ns) const {
  return {.now_ns = now_ns,
          .min_rtt_ns = rtt.min_rtt_ns(),
          .srtt_ns = rtt.srtt_ns(),
          .sacked_segments = rack_->sacked_segments(),
          .in_recovery = active()};
}

std::uint64_t LossRecovery::take_blocks(const SackBlocks& blocks, const RttEstimator& rtt,
                                        std::uint64_t now_ns) {
  std::uint64_t reported = 0;
  PST_REQUIRE(sack_);
  for (const Interval& block : blocks) reported += board_.add(block);
  if (!rack_) return reported;
  // RACK takes what an ACK reports in sequence: out of it, its end would look like reordering.
  SackBlocks sorted;
  for (const Interval& block : blocks) {
    unsigned i = sorted.count++;
    for (; i > 0 && sorted.at[i - 1].start > block.start; --i) sorted.at[i] = sorted.at[i - 1];
    sorted.at[i] = block;
  }
  PST_ENSURE(sorted.count == blocks.count);
  for (const Interval& block : sorted) rack_->on_sack(block, rack_ack(rtt, now_ns));
  return reported;
}

// RFC 6675 section 5.1, RFC 6582 step 2: only after the data outstanding at the last loss is
// acknowledged (without SACK: and more). RFC 2581 does not remember losses.
bool LossRecovery::finds_loss(const SendBuffer& data, bool one) const {
  if (active() || rack_) return false;
  if (!sack_ && data.una() <= recover_ && !one) return false;
  return duplicate_acks_ >= config_->dupack_threshold || (sack_ && lost_edge() > data.una());
}

bool LossRecovery::finds_loss_by_time(const RttEstimator& rtt, std::uint64_t now_ns) {
  PST_REQUIRE(rack_);
  rack_->reorder_at_ns = rack_->detect(rack_ack(rtt, now_ns));
  return rack_->any_lost() && !active();
}

void LossRecovery::begin(const SendBuffer& data) {
  PST_REQUIRE(state_ != State::kFast);
  PST_REQUIRE(data.flight_bytes() > 0);
  state_ = State::kFast;
  recover_ = data.max();
  partial_seen_ = false;
  board_.restart(data.una());
  pst_prr_begin(&prr_, data.flight_bytes());
  PST_ENSURE(!ends(data.una()));
}

void LossRecovery::on_timeout(const SendBuffer& data, const RttEstimator& rtt,
                              std::uint64_t now_ns) {
  PST_REQUIRE(data.flight_bytes() > 0);
  PST_REQUIRE(sacked_bytes() <= data.flight_bytes());
  state_ = State::kTimeout;
  recover_ = data.max();
  duplicate_acks_ = 0;
  const bool reneged = board_.reneged(data.una());
  if (reneged) board_.clear();
  board_.restart(data.una());
  if (!rack_) return;
  if (reneged) rack_->forget_sacks();
  rack_->on_timeout(rack_ack(rtt, now_ns));
}

bool LossRecovery::take_partial() {
  PST_REQUIRE(state_ == State::kFast);
  const bool first = !partial_seen_;
  partial_seen_ = true;
  return first;
}

void LossRecovery::end() {
  PST_REQUIRE(active());
  state_ = State::kNone;
  if (rack_) pst_rack_recovered(&rack_->state);
}

std::uint64_t LossRecovery::lost_edge() const {
  const std::uint64_t reported = board_.lost_edge(config_->dupack_threshold, mss_bytes_);
  return state_ == State::kTimeout ? std::max(reported, recover_) : reported;
}

// Without SACK each duplicate counts as one segment, until the next ACK of new data.
std::uint64_t LossRecovery::delivered_bytes(const SendBuffer& data) const {
  if (sack_) return data.una() + board_.sacked_bytes();
  return data.una() + std::min(std::uint64_t{duplicate_acks_} * mss_bytes_, data.flight_bytes());
}

std::uint64_t LossRecovery::window_in_proportion(std::uint64_t delivered, std::uint64_t pipe,
                                                 std::uint64_t ssthresh, std::uint64_t una) {
  PST_REQUIRE(state_ == State::kFast && una <= recover_);
  if (!config_->prr_safe_ack)
    return pipe + pst_prr_on_ack(&prr_, delivered, pipe, ssthresh, mss_bytes_);
  const bool safe = pst_prr_safe(&prr_, una, rack_ ? rack_->marked_bytes() : lost_edge());
  return pipe + pst_prr_on_ack_safely(&prr_, delivered, pipe, ssthresh, mss_bytes_, safe);
}

Interval LossRecovery::first_lost(const SendBuffer& data) {
  if (rack_) {
    const SentSegment* s = rack_->next_lost();
    PST_REQUIRE(s != nullptr);
    PST_REQUIRE(s->start >= data.una() && s->end <= data.max());
    return {s->start, s->end};
  }
  const std::uint64_t una = data.una();
  return {una, data.segment_end(una, std::min(data.max(), board_.next_hole(una).end), mss_bytes_)};
}

// Unless another rule has just retransmitted that byte, which the RFC's text would allow. Once per
// recovery.
Interval LossRecovery::rescue(const SendBuffer& data, std::uint64_t limit) const {
  if (data.una() <= rescue_rxt_) return {};
  const Interval hole = board_.last_hole(data.una(), std::min(data.max(), limit));
  if (hole.start >= hole.end || hole.end <= board_.high_rxt()) return {};
  PST_ENSURE(hole.start >= data.una() && hole.end <= data.max());
  const std::uint64_t most = mss_bytes_ + (hole.end > data.data_end() ? 1U : 0U);
  return {hole.end - std::min(hole.end - hole.start, most), hole.end};
}

}  // namespace penstock::tcp

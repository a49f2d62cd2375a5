// SPDX-License-Identifier: GPL-2.0-only
// Which data is lost, and the progress of its recovery: RFC 6675 with SACK, RFC 6582 without, RFC
// 8985 with `rack`, and RFC 6937 with `prr`. Owns the scoreboard, or RACK's list of segments. Is
// told of segments that leave, of ACKs and of timeouts. Answers pipe, what to send again, and
// whether a recovery begins or ends. The window is not its own.
#pragma once

#include <algorithm>
#include <memory>

#include "core/sender/prr.h"
#include "core/sender/sender.h"
#include "sim/tcp/config.h"
#include "sim/tcp/rack.h"
#include "sim/tcp/rtt.h"
#include "sim/tcp/scoreboard.h"
#include "sim/tcp/segment_headers.h"
#include "sim/tcp/send_buffer.h"

namespace penstock::tcp {

class LossRecovery {
 public:
  enum class State : std::uint8_t {
    kNone = PST_RECOVERY_NONE,
    kFast = PST_RECOVERY_FAST,  // RFC 6675 with SACK, RFC 6582 without
    kTimeout = PST_RECOVERY_TIMEOUT,  // until all that was sent before the timeout is acknowledged
  };

  explicit LossRecovery(const SenderConfig& config) : config_(&config) {}
  void agree(bool sack, std::uint32_t mss_bytes);

  State state() const { return state_; }
  bool active() const { return state_ != State::kNone; }
  bool sack() const { return sack_; }
  Rack* rack() const { return rack_.get(); }  // only with config.rack and SACK
  Scoreboard& board() { return board_; }
  std::uint64_t sacked_bytes() const {
    return rack_ ? rack_->sacked_bytes() : board_.sacked_bytes();
  }
  std::uint32_t duplicate_acks() const { return duplicate_acks_; }

  void on_send(std::uint64_t start, std::uint64_t end, std::uint32_t payload_bytes,
               std::uint64_t now_ns) {
    PST_REQUIRE(start < end);
    PST_REQUIRE(payload_bytes <= end - start);
    if (rack_) rack_->on_send(start, end, now_ns);
    if (config_->prr) pst_prr_on_send(&prr_, payload_bytes);
  }
  // What an ACK says: its blocks, of which the bytes are returned that it is the first to report;
  // and its number.
  std::uint64_t take_blocks(const SackBlocks& blocks, const RttEstimator& rtt,
                            std::uint64_t now_ns);
  void take_ack(std::uint64_t una, std::uint64_t ack) {
    PST_REQUIRE(una <= ack);
    board_.advance(una, ack);
    duplicate_acks_ = 0;
  }
  // Steps 2 and 3 of RACK.
  void take_ack_by_time(std::uint64_t ack, Rack::Echo echo, const RttEstimator& rtt,
                        std::uint64_t now_ns) {
    rack_->on_ack(ack, rack_ack(rtt, now_ns), echo);
  }
  void take_duplicate() { ++duplicate_acks_; }

  // Whether a duplicate begins a fast recovery; `one`: the recovery of RFC 2581.
  bool finds_loss(const SendBuffer& data, bool one) const;
  // Step 5 of RACK: whether it begins one.
  bool finds_loss_by_time(const RttEstimator& rtt, std::uint64_t now_ns);
  void begin(const SendBuffer& data);  // a fast recovery
  void on_timeout(const SendBuffer& data, const RttEstimator& rtt, std::uint64_t now_ns);
  bool ends(std::uint64_t una) const { return una >= recover_; }
  bool take_partial();  // an ACK that does not end it; true for the first
  void end();

  // Unreported data below it counts as lost: by SACK above it, or, after a timeout, all data sent
  // before.
  std::uint64_t lost_edge() const;
  // `early_bytes`: what duplicates without SACK say has arrived.
  std::uint64_t pipe_bytes(const SendBuffer& data, std::uint64_t early_bytes) const {
    if (rack_ && (active() || config_->limited_transmit)) return rack_->pipe_bytes();
    if (state_ == State::kFast && !sack_) return pst_sub_floor(data.flight_bytes(), early_bytes);
    if (active()) return board_.pipe(data.una(), data.max(), lost_edge());
    if (!config_->limited_transmit) return data.flight_bytes();
    // Each of the first duplicates indicates that a segment has left the network.
    const std::uint64_t left =
        sack_ ? board_.sacked_bytes() : std::uint64_t{std::min(duplicate_acks_, 2U)} * mss_bytes_;
    return pst_sub_floor(data.flight_bytes(), left);
  }
  std::uint64_t delivered_bytes(const SendBuffer& data) const;
  // The window in fast recovery, RFC 6937; it ends at ssthresh.
  std::uint64_t window_in_proportion(std::uint64_t delivered, std::uint64_t pipe,
                                     std::uint64_t ssthresh, std::uint64_t una);

  // The first segment that is to be sent again, whatever the windows say.
  Interval first_lost(const SendBuffer& data);
  // One segment with the highest unreported byte below `limit`, empty if there is none: rule 4 of
  // NextSeg.
  Interval rescue(const SendBuffer& data, std::uint64_t limit) const;
  void on_rescue() { rescue_rxt_ = recover_; }
  void allow_rescue() { rescue_rxt_ = board_.high_rxt(); }  // the first segment was sent again

 private:
  struct pst_rack_ack rack_ack(const RttEstimator& rtt, std::uint64_t now_ns) const;

  const SenderConfig* config_;
  Scoreboard board_;
  std::unique_ptr<Rack> rack_;
  struct pst_prr prr_{};
  std::uint64_t recover_ = 0;  // RecoveryPoint; `recover` of RFC 6582
  std::uint64_t rescue_rxt_ = 0;  // RescueRxt of RFC 6675
  std::uint32_t mss_bytes_ = 0;
  std::uint32_t duplicate_acks_ = 0;
  State state_ = State::kNone;
  bool sack_ = false;
  bool partial_seen_ = false;
};

}  // namespace penstock::tcp

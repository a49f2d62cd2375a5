// SPDX-License-Identifier: GPL-2.0-only
#include "sim/quic/ecn.h"

#include <algorithm>

#include "core/base.h"

namespace penstock::quic {

void EcnValidation::on_sent() {
  ++sent_;
  if (state_ == State::kTesting && sent_ == kTestPackets) state_ = State::kUnknown;
}

// A path that drops whatever is ECN-capable.
void EcnValidation::on_lost(const SentPacket& packet) {
  if (!packet.ect || state_ == State::kCapable) return;
  PST_REQUIRE(lost_ < sent_);
  if (++lost_ == sent_ && state_ == State::kUnknown) state_ = State::kFailed;
}

// Section 13.4.2.1: each packet that arrived with the codepoint is counted as such or as marked,
// and none has a codepoint that was not sent.
bool EcnValidation::holds(const EcnCounts& counts, std::uint64_t newly_acked) const {
  const bool other = wanted_ == tcp::kEct0 ? counts.ect1 : counts.ect0;
  const std::uint64_t same = wanted_ == tcp::kEct0 ? counts.ect0 : counts.ect1;
  const std::uint64_t same_before = wanted_ == tcp::kEct0 ? counts_.ect0 : counts_.ect1;
  return !other && same >= same_before && counts.ce >= counts_.ce && same <= sent_ &&
         same - same_before + counts.ce - counts_.ce >= newly_acked;
}

std::uint64_t EcnValidation::on_ack(const AckFrame& frame, const std::vector<SentPacket>& acked) {
  // An ACK out of order says nothing.
  if (state_ == State::kFailed || frame.largest <= largest_acked_) return 0;
  largest_acked_ = frame.largest;
  const auto newly_acked = static_cast<std::uint64_t>(
      std::count_if(acked.begin(), acked.end(), [](const SentPacket& p) { return p.ect; }));
  if (!newly_acked) return 0;
  if (!frame.has_counts || !holds(frame.counts, newly_acked)) {
    state_ = State::kFailed;
    return 0;
  }
  state_ = State::kCapable;
  const std::uint64_t marked = frame.counts.ce - counts_.ce;
  PST_ENSURE(frame.counts.ce >= counts_.ce && newly_acked <= acked.size());
  counts_ = frame.counts;
  std::uint64_t bytes = 0;
  for (const SentPacket& p : acked) bytes += p.bytes;
  PST_ENSURE(counts_.ect0 + counts_.ect1 + counts_.ce >= newly_acked);
  return bytes * std::min<std::uint64_t>(marked, acked.size()) / acked.size();
}

}  // namespace penstock::quic

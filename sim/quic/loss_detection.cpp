// SPDX-License-Identifier: GPL-2.0-only
#include "sim/quic/loss_detection.h"

#include <algorithm>

#include "core/base.h"
#include "sim/quic/packet.h"

namespace penstock::quic {

void LossDetection::begin(std::uint64_t max_ack_delay_ns) {
  packets_.discard();
  loss_at_ns_ = tcp::kNever;
  max_ack_delay_ns_ = max_ack_delay_ns;
  pto_count_ = 0;
}

// Section 5.1: a sample only if the largest of the frame is newly acknowledged.
void LossDetection::take_rtt(const AckFrame& frame, std::uint64_t now_ns) {
  PST_REQUIRE(!acked_.empty() && acked_.back().number <= frame.largest);
  sample_ns_ = 0;
  for (const SentPacket& p : acked_)
    if (p.number == frame.largest) sample_ns_ = std::max<std::uint64_t>(now_ns - p.sent_ns, 1);
  if (!sample_ns_) return;
  if (!rtt_.known()) first_sample_ns_ = now_ns;
  rtt_.sample(sample_ns_, std::min(frame.delay_ns, max_ack_delay_ns_));
}

bool LossDetection::take_ack(const AckFrame& frame, std::uint64_t now_ns) {
  acked_.clear();
  lost_.clear();
  if (frame.largest >= packets_.next()) return false;  // of what was never sent
  for (unsigned i = frame.count; i-- > 0;) packets_.acknowledge(frame.ranges[i], acked_);
  if (acked_.empty()) return false;
  take_rtt(frame, now_ns);
  largest_acked_ = std::max(largest_acked_, frame.largest);
  PST_ENSURE(largest_acked_ < packets_.next());
  pto_count_ = 0;
  look_again(now_ns);
  return true;
}

void LossDetection::look_again(std::uint64_t now_ns) {
  lost_.clear();
  loss_at_ns_ = packets_.detect(largest_acked_, rtt_.loss_delay_ns(), now_ns, lost_);
  persistent_ = !lost_.empty() &&
                packets_.lost_period_ns(lost_, first_sample_ns_) > kPersistentThreshold * pto_ns();
  packets_.settle();
  PST_ENSURE(loss_at_ns_ > now_ns);
}

// Section 6.2.1: of the last packet; a packet that waits to be lost by time comes first.
std::uint64_t LossDetection::pto_at_ns() const {
  if (!packets_.any() || loss_at_ns_ != tcp::kNever) return tcp::kNever;
  PST_ENSURE(pto_ns() > 0 && pto_ns() >> (63 - kMostBackoff) == 0);
  return packets_.last_sent_ns() + (pto_ns() << pto_count_);
}

}  // namespace penstock::quic

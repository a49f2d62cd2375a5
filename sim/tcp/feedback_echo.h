// SPDX-License-Identifier: GPL-2.0-only
// The receiver's answer to the header that routers write, core/packet/feedback.h. Owns the sum of
// the changes since the last ACK. Is told of SYNs and of data; answers the header of an ACK, and
// the window that routers allow.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/sender/feedback.h"
#include "sim/tcp/config.h"
#include "sim/tcp/extension.h"

namespace penstock::tcp {

class FeedbackEcho {
 public:
  explicit FeedbackEcho(const ReceiverConfig& config) : config_(&config) {}

  bool used() const { return used_; }
  void agree(const Segment& syn) {
    used_ = config_->feedback && arrived(syn);
    if (!used_) return;
    kind_ = syn.extension.kind;
    counted_ = syn.extension.counted;
    if (pst_feedback_of_syn(kind_) || kind_ == PST_FEEDBACK_WINDOW) take(syn);
  }
  // After the first segment without a header, or whose header passed a router without support, no
  // ACK returns one: the sender then stops using it.
  void take(const Segment& s) {
    used_ = arrived(s);
    label_ = s.extension.label;
    rtt_us_ = s.extension.rtt_us;
    const std::int64_t sum = std::int64_t{bytes_} + s.extension.delta_bytes;
    if (used_)
      bytes_ = static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
  }
  // One ACK acknowledges several segments: their changes add up. `space_bytes`: what the receiver
  // has room for.
  void give(Segment& ack, std::uint64_t space_bytes) {
    PST_REQUIRE(used_);
    pst_feedback answer = now();
    if (kind_ == PST_FEEDBACK_WINDOW) answer.label = pst_feedback_window(space_bytes);
    if (config_->forge_feedback) pst_feedback_forge(kind_, &answer, config_->mss_bytes);
    add_extension(ack, kind_, counted_);
    set_feedback(ack, answer);
    bytes_ = 0;
  }
  // The window that routers allow, to a receiver that obeys. One that a header names is rounded up,
  // so that the scale takes nothing off a segment.
  std::uint64_t allowed_bytes(std::uint32_t segment_bytes, std::uint8_t scale) const {
    if (!used_ || config_->forge_feedback) return PST_MAX_BYTES;
    const pst_feedback allowed = now();
    const std::uint64_t bytes = pst_feedback_granted_bytes(kind_, &allowed, segment_bytes);
    if (kind_ != PST_FEEDBACK_WINDOW) return bytes;
    const std::uint64_t granule = std::uint64_t{1} << scale;
    return (bytes + granule - 1) >> scale << scale;
  }

 private:
  static bool arrived(const Segment& s) {
    return (s.options & kExtension) && s.extension.silent_hops == 0;
  }
  pst_feedback now() const { return {0, rtt_us_, bytes_, label_}; }

  const ReceiverConfig* config_;
  std::int32_t bytes_ = 0;  // of the data since the last ACK
  std::uint32_t label_ = 0;  // of the last data
  std::uint32_t rtt_us_ = 0;  // its sender's
  std::uint8_t kind_ = 0;  // enum pst_feedback_kind
  bool counted_ = false;  // Extension::counted
  bool used_ = false;
};

}  // namespace penstock::tcp

// SPDX-License-Identifier: GPL-2.0-only
// The header for routers that a sender's segments carry, core/packet/feedback.h. Owns whether it is
// used, and what the current ACK returned of it. Is told of the peer's answers. Answers whether
// segments carry it, and what routers wrote.
#pragma once

#include "core/sender/control.h"
#include "core/sender/feedback.h"
#include "sim/tcp/config.h"
#include "sim/tcp/extension.h"

namespace penstock::tcp {

class RouterFeedback {
 public:
  explicit RouterFeedback(const SenderConfig& config)
      : config_(&config), used_(kind() != PST_FEEDBACK_NONE) {}

  bool used() const { return used_; }
  // The header is for a window, of whatever method.
  bool of_window() const { return config_->window_option; }
  // The SYN alone carries it.
  bool of_syn() const { return pst_feedback_of_syn(kind()); }
  void stop() { used_ = false; }
  void agree(const Segment& syn) { used_ = used_ && (syn.options & kExtension); }
  // An ACK without the header means that the receiver has not received it, or
  // that a router on the path lacks support: from then on the method does not
  // use it.
  void take(const Segment& ack) {
    used_ = ack.options & kExtension;
    bytes_ = used_ ? ack.extension.delta_bytes : 0;
    label_ = used_ ? ack.extension.label : 0;
  }
  void forget_bytes() { bytes_ = 0; }
  // For the next data: what the receiver has room for; unlimited before it has said so.
  std::uint32_t told_window() const { return label_ ? label_ : PST_WINDOW_UNLIMITED; }

  std::int32_t bytes() const { return bytes_; }
  std::uint32_t label() const { return label_; }
  // An empty header of the method's kind.
  void extend(Segment& s) const { add_extension(s, kind(), config_->count_feedback); }

 private:
  std::uint32_t kind() const {
    return of_window() ? std::uint32_t{PST_FEEDBACK_WINDOW} : pst_sender_feedback(config_->method);
  }

  const SenderConfig* config_;
  std::int32_t bytes_ = 0;
  std::uint32_t label_ = 0;
  bool used_;
};

}  // namespace penstock::tcp

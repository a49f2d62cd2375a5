// SPDX-License-Identifier: GPL-2.0-only
// The summary of a minute, as numbers and as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linux/gateway/tool/view/lines.h"
#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

struct Summary {
  State state = State::kOff;
  std::string trouble;  // why it was off or degraded, or a warning
  bool modelled = false;  // the queue is virtual: observing, it drops nothing
  double seconds = 0;
  double rate_bps = 0;  // 0: not known
  double sent_bps = 0;
  double controlled_ratio = 0;  // of the bytes sent
  double delay_mean_ns = 0;
  double delay_95_ns = 0;
  double delay_most_ns = 0;
  double target_ns = 0;  // 0: the method has none
  double flows_mean = 0;
  std::uint64_t flows_opened = 0;
  std::uint64_t drops = 0;
  double retransmitted_ratio = 0;
  std::uint64_t acks_seen = 0;
  std::uint64_t acks_rewritten = 0;
};

// Why connections were as fast as they were. Sentences.
std::string reason_of(const Summary& summary);

// Collects samples, to sum them up at the end of the minute.
class Minute {
 public:
  void look(const Snapshot& s, std::uint64_t time_ns);
  bool is_empty() const { return delays_ns_.empty(); }
  // Whether what follows is of another kind: what only observes explains nothing of what controls.
  bool ends_before(const Snapshot& s) const;
  std::uint64_t begin_ns() const { return begin_ns_; }
  Summary summary() const;
  Line line() const;

 private:
  void take(const Snapshot& s);

  Snapshot first_, last_;  // of an attachment, once there was one
  std::uint64_t begin_ns_ = 0, end_ns_ = 0;
  std::uint64_t drops_ = 0;
  double flows_ = 0;
  State worst_ = State::kOff;
  std::string trouble_;
  std::vector<double> delays_ns_;
};

}  // namespace penstock::gw

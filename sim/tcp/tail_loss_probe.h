// SPDX-License-Identifier: GPL-2.0-only
// Tail loss probes: RFC 8985 section 7. Owns the probe that is outstanding, and when the next one
// leaves. Is told of new data, of ACKs and of timeouts. Answers when to probe, and whether a probe
// has repaired a loss.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/sender/rack.h"
#include "sim/tcp/config.h"

namespace penstock::tcp {

class TailLossProbe {
 public:
  std::uint64_t at_ns() const { return at_ns_; }  // PTO, kNever if none is due
  bool outstanding() const { return probe_.end != 0; }
  std::uint64_t end() const { return probe_.end; }

  void ask() { due_ = true; }  // new data or an ACK: the PTO restarts
  void schedule(std::uint64_t srtt_ns, bool one_segment, std::uint64_t rto_at_ns,
                std::uint64_t now_ns) {
    if (due_)
      at_ns_ = std::min<std::uint64_t>(now_ns + pst_tlp_pto_ns(srtt_ns, one_segment), rto_at_ns);
    due_ = false;
    PST_ENSURE(at_ns_ == kNever || at_ns_ <= rto_at_ns);
  }
  void cancel() {
    at_ns_ = kNever;
    due_ = false;
  }
  void stop() { at_ns_ = kNever; }
  void forget() {  // a timeout
    at_ns_ = kNever;
    probe_ = {};
  }
  void on_send(std::uint64_t end, bool again) {
    PST_REQUIRE(!outstanding() && end > 0);
    probe_ = {end, again};
  }
  // True if the ACK shows that the probe has repaired a loss. `duplicate_end` is that of its
  // D-SACK, 0 for none; `bare`: a duplicate without any block.
  bool on_ack(std::uint64_t ack, std::uint64_t duplicate_end, bool bare) {
    return pst_tlp_on_ack(&probe_, ack, duplicate_end, bare);
  }

 private:
  struct pst_tlp probe_{};
  std::uint64_t at_ns_ = kNever;
  bool due_ = false;
};

}  // namespace penstock::tcp

// SPDX-License-Identifier: GPL-2.0-only
// The header for routers of a segment that has one, as core knows it, and back.
#pragma once

#include "core/packet/feedback.h"
#include "sim/tcp/segment.h"

namespace penstock::tcp {

inline pst_feedback feedback_of(const Segment& s) {
  const Extension& e = s.extension;
  return {e.cwnd_bytes, e.rtt_us, e.delta_bytes, e.label};
}

// What routers change and ACKs return; the rest of an ACK's header is not there.
inline void set_feedback(Segment& s, const pst_feedback& f) {
  s.extension.delta_bytes = f.delta_bytes;
  s.extension.label = f.label & ((1U << kLabelBits) - 1);
}

// An empty header of `kind`.
inline void add_extension(Segment& s, std::uint32_t kind, bool counted) {
  s.options |= kExtension;
  s.extension.kind = kind & 0x7f;
  s.extension.counted = counted;
}

}  // namespace penstock::tcp

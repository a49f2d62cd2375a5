// SPDX-License-Identifier: GPL-2.0-only
// The simulator's segments as core's views of headers.
#pragma once

#include "core/gateway/gateway.h"
#include "sim/tcp/segment.h"

namespace penstock::gateway {

inline pst_options options_of(const tcp::Segment& syn) {
  pst_options o{};
  if (syn.options & tcp::kMss) o.mss_bytes = syn.syn.mss_bytes;
  o.scale = syn.options & tcp::kWindowScale ? syn.syn.scale : std::uint8_t{PST_NO_SCALE};
  o.timestamps = (syn.options & tcp::kTimestamps) != 0;
  return o;
}

inline pst_ack_header ack_header_of(const tcp::Segment& s) {
  return {.ack = s.ack,
          .field = s.window,
          .syn = (s.flags & tcp::kSyn) != 0,
          .pure = s.payload_bytes == 0 && !(s.flags & (tcp::kSyn | tcp::kFin | tcp::kRst))};
}

// The kind of a segment's packet; `held`: by a window, which the gateway writes.
inline std::uint8_t kind_of(const tcp::Segment& s, bool held) {
  return pst_kind_of(pst_content_of(s.payload_bytes), held);
}

// `options` are those of a SYN, else null.
inline pst_data_header data_header_of(const tcp::Segment& s, const pst_options* options) {
  return {.seq = s.seq,
          .payload_bytes = s.payload_bytes,
          .segment_bytes = s.payload_bytes,
          .ecn = s.ecn,
          .fin = (s.flags & tcp::kFin) != 0,
          .push = (s.flags & tcp::kPsh) != 0,
          .reset = (s.flags & tcp::kRst) != 0,
          .syn = options};
}

}  // namespace penstock::gateway

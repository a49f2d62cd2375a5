// SPDX-License-Identifier: GPL-2.0-only
// Construction of segments: RFC 9293 section 3.1, RFC 7323 section 3.2, RFC 3168 section 6.1 (ECT
// only on new data, CWR once), and their pacing.
#include "sim/tcp/sender.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {
namespace {

constexpr std::uint64_t kUnpacedSegments = 10;  // the first ones at a rate, as in Linux

}  // namespace

void Sender::transmit_control(std::uint64_t seq, std::uint64_t now_ns, Output& out) {
  out.transmit(headers_.make(seq, now_ns));
}

// Offsets [start, end); the last one may be the FIN.
void Sender::transmit(std::uint64_t start, std::uint64_t end, std::uint64_t now_ns, Output& out) {
  const bool again = start < buffer_.max();
  Segment s = headers_.make(start, now_ns);
  buffer_.fill(s, start, end);
  if (!again && s.payload_bytes > 0) ecn_.mark(s);
  if (rate_) rate_->on_send(start, end, buffer_.una() == buffer_.max(), now_ns);
  buffer_.note_sent(end);
  if (!headers_.timestamps()) stopwatch_.on_send(end, again, now_ns);
  if (congestion_.feedback().used() && s.payload_bytes > 0)
    congestion_.stamp(s, view(0, buffer_.flight_bytes(), 0, now_ns));
  losses_.on_send(start, end, s.payload_bytes, now_ns);
  if (s.payload_bytes > 0) count(s.payload_bytes, again);
  last_sent_ns_ = now_ns;
  if (paces()) pace(now_ns, s.payload_bytes);
  out.transmit(s);
}

void Sender::count(std::uint32_t payload_bytes, bool again) {
  ++counters_.segments_sent;
  counters_.bytes_sent += payload_bytes;
  if (!again) return;
  ++counters_.retransmissions;
  counters_.retransmitted_bytes += payload_bytes;
}

void Sender::pace(std::uint64_t now_ns, std::uint32_t bytes) {
  if (rate_) {
    if (counters_.segments_sent >= kUnpacedSegments)
      pacer_.keep_rate(bytes, congestion_.pacing(view(0, 0, 0, now_ns)), now_ns);
    return;
  }
  pacer_.spread(bytes, config_->pacing_burst_segments, congestion_.pacing_gain_percent(),
                congestion_.bytes(), timer_.rtt().srtt_ns(), now_ns);
}

}  // namespace penstock::tcp

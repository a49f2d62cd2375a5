// SPDX-License-Identifier: GPL-2.0-only
#include "sim/gateway/gateway.h"

#include <algorithm>

namespace penstock::gateway {

namespace {

// RFC 9293 section 3.7.1: what to assume of a SYN without the MSS option.
constexpr std::uint32_t kDefaultMssBytes = 536;
constexpr std::uint32_t kTimestampBytes = 12;

std::uint32_t payload_limit(const tcp::Segment& syn) {
  const std::uint32_t mss = syn.options & tcp::kMss ? syn.syn.mss_bytes : kDefaultMssBytes;
  return syn.options & tcp::kTimestamps && mss > kTimestampBytes ? mss - kTimestampBytes : mss;
}

std::uint8_t scale_option(const tcp::Segment& syn) {
  return syn.options & tcp::kWindowScale ? syn.syn.scale : std::uint8_t{PST_NO_SCALE};
}

}  // namespace

Gateway::Gateway(const Spec& spec, const pst_queue& queue, std::size_t flows)
    : spec_(spec),
      rewrites_(pst_control_has_ack(spec.method)),
      counts_flows_(rewrites_),
      flows_(flows) {
  count_.interval_ns = spec.flow_interval_ns;
  pst_control_init(spec_.method, &spec_.params, &state_, &queue);
}

void Gateway::see_forward(std::uint32_t flow, const tcp::Segment& s, const pst_queue& q) {
  if (flows_.empty()) return;
  Flow& f = flows_[flow];
  if (s.flags & tcp::kSyn) {
    pst_flow_on_syn(&f, true, scale_option(s));
    pst_rtt_on_syn(&f.rtt, !f.reverse_opened, q.now_ns);
    f.mss_bytes = payload_limit(s);
    return;
  }
  if (!rewrites_) return;
  if (!f.reverse_opened) pst_rtt_on_third(&f.rtt, false, q.now_ns);
  if (!s.payload_bytes) return;
  const std::uint64_t departure_ns =
      f.rtt.probing ? 0 : pst_rtt_departure_ns(q.now_ns, q.bytes, q.rate_bytes_per_s);
  pst_rtt_on_data(&f.rtt, &f, s.seq + s.payload_bytes, departure_ns);
  pst_flow_on_data(&f, s.seq, s.payload_bytes);
  pst_flow_count_data(&count_, &f, q.now_ns);
}

std::uint64_t Gateway::allowed_bytes(const Flow& flow, std::uint64_t offered_bytes, pst_queue& q) {
  q.flows = pst_flow_count_get(&count_, q.now_ns);
  const pst_ack ack{.window_bytes = offered_bytes,
                    .rtt_ns = pst_rtt_get(&flow.rtt),
                    .mss_bytes = flow.mss_bytes,
                    .granule_bytes = 1U << flow.scale};
  return pst_control_ack(spec_.method, &spec_.params, &state_, &q, &ack);
}

void Gateway::on_ack(std::uint32_t flow, tcp::Segment& s, pst_queue& q) {
  Flow& f = flows_[flow];
  if (s.flags & tcp::kSyn) {
    pst_flow_on_syn(&f, false, scale_option(s));
    // The receiver's option limits the sender, its own only what it sent first.
    f.mss_bytes = f.mss_bytes ? std::min(f.mss_bytes, payload_limit(s)) : payload_limit(s);
    pst_rtt_on_syn(&f.rtt, f.reverse_opened, q.now_ns);
  } else if (rewrites_) {
    if (f.reverse_opened) pst_rtt_on_third(&f.rtt, true, q.now_ns);
    pst_rtt_on_ack(&f.rtt, s.ack, q.now_ns);
  }
  const pst_rewrite out = rewrites_ ? rewrite(f, s, q) : pst_rewrite{s.window, PST_BY_RECEIVER};
  count(f, s, out);
  s.window = out.field;
}

pst_rewrite Gateway::rewrite(Flow& f, const tcp::Segment& s, pst_queue& q) {
  const bool pure = s.payload_bytes == 0 && !(s.flags & (tcp::kSyn | tcp::kFin | tcp::kRst));
  const pst_ack_header header{
      .ack = s.ack, .field = s.window, .syn = (s.flags & tcp::kSyn) != 0, .pure = pure};
  pst_rewrite out{};
  if (!pst_rewrite_bypassed(&f, spec_.mode, &header, &out)) {
    const std::uint64_t offered_bytes = static_cast<std::uint64_t>(s.window) << f.scale;
    out = pst_rewrite_window(&f, spec_.mode, &header, allowed_bytes(f, offered_bytes, q));
  }
  pst_rewrite_commit(&f, &header, out.field);
  return out;
}

void Gateway::count(const pst_flow& flow, const tcp::Segment& s, const pst_rewrite& out) {
  ++counters_.acks_seen;
  ++counters_.acks_by[out.limit];
  if (out.field != s.window) ++counters_.acks_rewritten;
  last_window_bytes_ = static_cast<std::uint64_t>(out.field)
                       << (s.flags & tcp::kSyn ? 0 : flow.scale);
  counters_.window_bytes_sum += last_window_bytes_;
}

}  // namespace penstock::gateway

// SPDX-License-Identifier: GPL-2.0-only
#include "sim/gateway/gateway.h"

#include "core/base.h"

namespace penstock::gateway {

namespace {

pst_options options_of(const tcp::Segment& syn) {
  pst_options o{};
  if (syn.options & tcp::kMss) o.mss_bytes = syn.syn.mss_bytes;
  o.scale = syn.options & tcp::kWindowScale ? syn.syn.scale : std::uint8_t{PST_NO_SCALE};
  o.timestamps = (syn.options & tcp::kTimestamps) != 0;
  return o;
}

pst_ack_header header_of(const tcp::Segment& s) {
  return {.ack = s.ack,
          .field = s.window,
          .syn = (s.flags & tcp::kSyn) != 0,
          .pure = s.payload_bytes == 0 && !(s.flags & (tcp::kSyn | tcp::kFin | tcp::kRst))};
}

}  // namespace

Gateway::Gateway(const pst_gateway_config& config, const pst_queue& queue, std::size_t flows)
    : config_(config),
      rewrites_(pst_gateway_rewrites(&config)),
      sees_packets_(pst_gateway_sees_packets(&config)),
      measures_(pst_gateway_measures(&config)),
      flows_(flows),
      names_(config.discipline) {
  pst_gateway_init(&config_, &state_, &queue);
}

pst_kind Gateway::see_forward(std::uint32_t flow, const tcp::Segment& s, std::uint32_t packet_bytes,
                              pst_queue& q) {
  if (flows_.empty()) return kind_of(flow, s);
  PST_REQUIRE(flow < flows_.size());
  if (is_exempt(flow)) {
    see_other(flow, packet_bytes, q.now_ns);
    return s.payload_bytes ? PST_KIND_OTHER : PST_KIND_SPARED;
  }
  const bool syn = (s.flags & tcp::kSyn) != 0;
  if (!rewrites_ && !syn) return s.payload_bytes ? PST_KIND_OTHER : PST_KIND_SPARED;
  pst_options options;  // of a SYN
  if (syn) options = options_of(s);
  const pst_data_header header{.seq = s.seq,
                               .payload_bytes = s.payload_bytes,
                               .segment_bytes = s.payload_bytes,
                               .ecn = s.ecn,
                               .fin = (s.flags & tcp::kFin) != 0,
                               .push = (s.flags & tcp::kPsh) != 0,
                               .reset = (s.flags & tcp::kRst) != 0,
                               .syn = syn ? &options : nullptr};
  q.group = groups_.of(flow);
  if (pst_gateway_forward(&config_, &state_, &flows_[flow], &q, &header))
    return s.payload_bytes ? PST_KIND_CONTROLLED : PST_KIND_SPARED;
  see_other(flow, s.payload_bytes, q.now_ns);
  return PST_KIND_OTHER;
}

std::uint64_t Gateway::on_ack(std::uint32_t flow, tcp::Segment& s, pst_queue& q) {
  if (is_exempt(flow)) return q.now_ns;
  PST_REQUIRE(flow < flows_.size());
  pst_gateway_flow& f = flows_[flow];
  const pst_ack_header header = header_of(s);
  pst_options options;  // of a SYN
  if (header.syn) options = options_of(s);
  if (!(s.flags & tcp::kAck)) {  // the receiver opens
    pst_gateway_reverse_syn(&state_, &f, s.seq, &options, q.now_ns);
    return q.now_ns;
  }
  q.group = groups_.of(flow);
  const pst_rewrite out = pst_gateway_reverse(&config_, &state_, &f, &q, &header, s.seq,
                                              header.syn ? &options : nullptr);
  std::uint64_t release_ns = q.now_ns;
  if (rewrites_ && config_.beyond == PST_BEYOND_PACE_ACKS) {
    if (paced_.size() <= flow) paced_.resize(flow + 1);
    release_ns = pst_pace_ack(&config_, &state_, &pace_, &paced_[flow], &f, &q, &header, &out);
  }
  PST_ENSURE(out.field <= s.window);  // R1
  PST_ENSURE((out.field == 0) == (s.window == 0));  // R4, R5
  PST_ENSURE(rewrites_ || out.field == s.window);  // R34
  PST_ENSURE(release_ns >= q.now_ns);
  acks_.count(s, out, f.flow.scale);
  s.window = out.field;
  return release_ns;
}

}  // namespace penstock::gateway

// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/congestion_control.h"

#include <algorithm>

#include "core/base.h"

namespace penstock::tcp {

namespace {

// grow() in the initial slow start: HyStart++ takes its part of what the method makes of the ACK.
// Not inlined: few ACKs come here.
[[gnu::noinline]] std::uint64_t start_slowly(const SenderConfig& config,
                                             union pst_sender_state& state,
                                             struct pst_hystart& hystart,
                                             const CongestionControl::View& v,
                                             struct pst_cwnd& cwnd) {
  const std::uint64_t divisor = pst_hystart_on_ack(&hystart, &v, &cwnd);
  const std::uint64_t before = cwnd.bytes;
  PST_REQUIRE(divisor > 0 && pst_cwnd_invariant(&cwnd));
  pst_sender_ack(config.method, &config.params, &state, &v, &cwnd);
  if (cwnd.bytes > before) cwnd.bytes = before + (cwnd.bytes - before) / divisor;
  PST_ENSURE(pst_cwnd_invariant(&cwnd));
  return v.acked_bytes / divisor;
}

}  // namespace

CongestionControl::CongestionControl(const SenderConfig& config)
    : config_(&config),
      cwnd_{config.mss_bytes, PST_SSTHRESH_MAX},
      use_(config.growth == PST_GROWTH_DELIVERED),
      feedback_(config),
      samples_(pst_sender_samples(config.method)),
      may_pace_(pst_sender_has(config.method, PST_SENDER_HAS_paces)) {}

// RFC 6928 eq. 1, with the number of segments as a parameter.
std::uint64_t CongestionControl::initial_window_bytes(std::uint32_t mss_bytes) const {
  const std::uint64_t n = config_->initial_window_segments;
  const std::uint64_t mss = mss_bytes;
  return std::max(mss, std::min(n * mss, std::max(2 * mss, n * 1460)));
}

// After a lost SYN the window is one segment, RFC 5681 section 3.1.
void CongestionControl::open(std::uint32_t mss_bytes, bool syn_resent) {
  if (config_->initial_ssthresh_segments)
    cwnd_.ssthresh_bytes = std::uint64_t{config_->initial_ssthresh_segments} * mss_bytes;
  cwnd_.bytes = syn_resent ? mss_bytes : initial_window_bytes(mss_bytes);
  PST_ENSURE(cwnd_.bytes >= mss_bytes);
}

void CongestionControl::begin(const View& v) {
  pst_sender_init(config_->method, &config_->params, &state_, &v, &cwnd_);
  PST_ENSURE(pst_cwnd_invariant(&cwnd_));
  if (feedback_.of_syn()) feedback_.stop();
}

void CongestionControl::restart_after_idle(std::uint32_t mss_bytes) {
  PST_REQUIRE(pst_cwnd_invariant(&cwnd_) && mss_bytes > 0);
  cwnd_.bytes = pst_min(cwnd_.bytes, initial_window_bytes(mss_bytes));
  PST_ENSURE(pst_cwnd_invariant(&cwnd_));
}

void CongestionControl::sample(const View& v) {
  pst_sender_sample(config_->method, &config_->params, &state_, &v, &cwnd_);
  feedback_.forget_bytes(); // an ACK may be sampled twice
  PST_ENSURE(pst_cwnd_invariant(&cwnd_));
}

std::uint64_t CongestionControl::grow(View& v) {
  if (config_->growth != PST_GROWTH_BYTES) [[unlikely]]
    v.acked_bytes =
        config_->growth == PST_GROWTH_ACKS ? v.mss_bytes : use_.take_early(v.acked_bytes);
  if (config_->hystart && cwnd_.ssthresh_bytes == PST_SSTHRESH_MAX)
    return start_slowly(*config_, state_, hystart_, v, cwnd_);
  pst_sender_ack(config_->method, &config_->params, &state_, &v, &cwnd_);
  PST_ENSURE(pst_cwnd_invariant(&cwnd_));
  return v.acked_bytes;
}

void CongestionControl::reduce(enum pst_congestion why, View v) {
  PST_REQUIRE(pst_cwnd_invariant(&cwnd_));
  cwnd_.ssthresh_bytes =
      pst_sender_congestion(config_->method, &config_->params, &state_, &v, &cwnd_, why);
  PST_ENSURE(cwnd_.ssthresh_bytes > 0);
}

void CongestionControl::recovered(const View& v) {
  pst_sender_recovered(config_->method, &config_->params, &state_, &v, &cwnd_);
  PST_ENSURE(pst_cwnd_invariant(&cwnd_));
}

// A partial acknowledgment, RFC 6582 section 3.2 step 3.
void CongestionControl::deflate(std::uint64_t acked, std::uint32_t mss_bytes) {
  PST_REQUIRE(pst_cwnd_invariant(&cwnd_) && acked > 0);
  cwnd_.bytes = pst_sub_floor(cwnd_.bytes, acked);
  if (acked >= mss_bytes) cwnd_.bytes += mss_bytes;
  cwnd_.bytes = std::max<std::uint64_t>(cwnd_.bytes, mss_bytes);
  PST_ENSURE(cwnd_.bytes >= mss_bytes);
}

void CongestionControl::steer(const View& v, const std::vector<struct pst_lost_segment>& lost) {
  for (const struct pst_lost_segment& segment : lost)
    pst_sender_lost(config_->method, &config_->params, &state_, &v, &cwnd_, &segment);
  PST_REQUIRE(v.delivery != nullptr);
  pst_sender_ack(config_->method, &config_->params, &state_, &v, &cwnd_);
  PST_ENSURE(pst_cwnd_invariant(&cwnd_));
}

void CongestionControl::restart(const View& v) {
  pst_sender_restart(config_->method, &config_->params, &state_, &v, &cwnd_);
  PST_ENSURE(pst_cwnd_invariant(&cwnd_));
}

struct pst_pacing CongestionControl::pacing(const View& v) const {
  struct pst_pacing p{};
  pst_sender_pacing(config_->method, &state_, &v, &p);
  return p;
}

// Of a window in a round trip.
std::uint64_t CongestionControl::pacing_gain_percent() const {
  if (!config_->pacing) return 100;
  PST_ENSURE(config_->pacing_gain_percent > 0);
  const bool slow_start = cwnd_.bytes < cwnd_.ssthresh_bytes / 2;
  return slow_start ? config_->pacing_gain_percent_slow_start : config_->pacing_gain_percent;
}

void CongestionControl::stamp(Segment& s, const View& v) const {
  feedback_.extend(s);
  struct pst_feedback f{};
  if (feedback_.of_window()) {
    f.cwnd_bytes = static_cast<std::uint32_t>(v.flight_bytes);
    f.rtt_us = static_cast<std::uint32_t>(pst_min(v.min_rtt_ns / 1000, UINT32_MAX));
    f.label = feedback_.told_window();
  } else {
    pst_sender_stamp(config_->method, &config_->params, &state_, &v, &cwnd_, &f);
  }
  s.extension.cwnd_bytes = f.cwnd_bytes;
  s.extension.rtt_us = f.rtt_us;
  set_feedback(s, f);
}

// The first SYN may have been lost for the header that it alone carries.
void CongestionControl::stamp_syn(Segment& s, bool resent, const View& v) {
  if (!feedback_.used()) return;
  if (feedback_.of_window()) return stamp(s, v);
  if (!feedback_.of_syn()) return feedback_.extend(s);
  if (resent) return feedback_.stop();
  stamp(s, v);
}

void sample(CongestionControl& congestion, CongestionControl::View v, std::uint64_t marked,
            std::uint64_t newly) {
  PST_REQUIRE(v.delivered_bytes >= marked || marked >= newly);
  if (marked && marked < newly) {
    CongestionControl::View unmarked = v;
    unmarked.delivered_bytes -= marked;
    unmarked.una = 0;
    congestion.sample(unmarked);
  }
  v.echoes = marked > 0;
  congestion.sample(v);
}

} // namespace penstock::tcp

// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/membership.h"

#include "core/sharing/control.h"

namespace penstock::tcp {

struct pst_tcb Membership::State::tcb() const {
  return {.cwnd = cwnd,
          .srtt_ns = rtt.srtt_ns(),
          .rttvar_ns = rtt.rttvar_ns(),
          .now_ns = now_ns,
          .acked_bytes = 0,
          .mss_bytes = mss_bytes,
          .congested = false,
          .timed_out = timed_out,
          .idle = idle};
}

void Membership::State::set(const struct pst_tcb& t) const {
  cwnd = t.cwnd;
  rtt.set(t.srtt_ns, t.rttvar_ns);
  PST_ENSURE(cwnd.bytes > 0 && cwnd.bytes <= PST_MAX_BYTES);
}

void Membership::hear_round_trip(const State& s) const {
  struct pst_tcb t = s.tcb();
  pst_ensemble_tell_time(ensemble_, &t);
  s.rtt.set(t.srtt_ns, t.rttvar_ns);
}

void Membership::join(const State& s) {
  struct pst_tcb t = s.tcb();
  pst_sharing_join(config_->sharing, &config_->sharing_params, ensemble_, &member_, &t);
  s.set(t);
}

void Membership::pull(const State& s) {
  struct pst_tcb t = s.tcb();
  pst_sharing_pull(config_->sharing, &config_->sharing_params, ensemble_, &member_, &t);
  s.set(t);
}

void Membership::ask(const State& s) {
  if (s.idle == member_.idle) return;
  struct pst_tcb t = s.tcb();
  pst_sharing_ask(config_->sharing, &config_->sharing_params, ensemble_, &member_, &t);
  s.set(t);
}

void Membership::push(const State& s, Event event, std::uint64_t acked_bytes) {
  struct pst_tcb t = s.tcb();
  PST_REQUIRE((event == Event::kAck) == (acked_bytes > 0));
  t.acked_bytes = acked_bytes;
  t.congested = event == Event::kCongestion;
  pst_sharing_push(config_->sharing, &config_->sharing_params, ensemble_, &member_, &t);
  s.set(t);
}

void Membership::leave(const State& s) {
  const struct pst_tcb t = s.tcb();
  pst_sharing_leave(config_->sharing, &config_->sharing_params, ensemble_, &member_, &t);
}

bool Membership::at_once() const { return pst_sharing_is_at_once(config_->sharing); }

std::uint64_t Membership::paced_bytes(std::uint64_t own_bytes) const {
  const bool as_one = ensemble_->members > 1 && pst_sharing_is_paced_as_one(config_->sharing);
  return as_one ? ensemble_->cwnd_bytes : own_bytes;
}

// A fast recovery inflates the window of the connection, not that of the member.
std::uint64_t Membership::reduced_bytes(std::uint64_t own_bytes) const {
  const bool of_window = ensemble_->members > 1 && pst_sharing_is_of_window(config_->sharing);
  return of_window ? member_.cwnd_bytes : own_bytes;
}

}  // namespace penstock::tcp

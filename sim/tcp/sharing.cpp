// SPDX-License-Identifier: GPL-2.0-only
// A sender as a member of an ensemble, core/sharing. In fast recovery its window is that of the
// recovery; its share of the ensemble is applied afterwards.
#include "core/sharing/control.h"
#include "sim/tcp/sender.h"

namespace penstock::tcp {

void Sender::share(struct pst_ensemble& ensemble) {
  member_ = std::make_unique<Member>(Member{&ensemble});
}

struct pst_tcb Sender::tcb(std::uint64_t now_ns) const {
  return {.cwnd = cwnd_,
          .srtt_ns = rtt_.srtt_ns(),
          .rttvar_ns = rtt_.rttvar_ns(),
          .now_ns = now_ns,
          .acked_bytes = 0,
          .mss_bytes = mss_bytes_,
          .congested = false,
          .timed_out = recovery_ == Recovery::kTimeout,
          .idle = idle()};
}

void Sender::take(const struct pst_tcb& t) {
  cwnd_ = t.cwnd;
  rtt_.set(t.srtt_ns, t.rttvar_ns);
}

// The timer of the SYN knows the round trip, if anybody does (nis-2004 section 5.2.4).
void Sender::hear_round_trip() {
  if (!member_) return;
  struct pst_tcb t = tcb(0);
  pst_ensemble_tell_time(member_->ensemble, &t);
  rtt_.set(t.srtt_ns, t.rttvar_ns);
}

void Sender::join(std::uint64_t now_ns) {
  if (!member_) return;
  struct pst_tcb t = tcb(now_ns);
  pst_sharing_join(config_->sharing, &config_->sharing_params, member_->ensemble, &member_->member,
                   &t);
  take(t);
}

void Sender::pull(std::uint64_t now_ns) {
  if (!member_ || recovery_ == Recovery::kFast) return;
  struct pst_tcb t = tcb(now_ns);
  pst_sharing_pull(config_->sharing, &config_->sharing_params, member_->ensemble, &member_->member,
                   &t);
  take(t);
}

void Sender::ask(std::uint64_t now_ns) {
  if (!member_ || idle() == member_->member.idle) return;
  struct pst_tcb t = tcb(now_ns);
  pst_sharing_ask(config_->sharing, &config_->sharing_params, member_->ensemble, &member_->member,
                  &t);
  take(t);
}

void Sender::push(Event event, std::uint64_t now_ns, std::uint64_t acked_bytes) {
  if (!member_) return;
  struct pst_tcb t = tcb(now_ns);
  t.acked_bytes = acked_bytes;
  t.congested = event == Event::kCongestion;
  pst_sharing_push(config_->sharing, &config_->sharing_params, member_->ensemble, &member_->member,
                   &t);
  take(t);
}

void Sender::leave(std::uint64_t now_ns) {
  if (!member_) return;
  const struct pst_tcb t = tcb(now_ns);
  pst_sharing_leave(config_->sharing, &config_->sharing_params, member_->ensemble, &member_->member,
                    &t);
  member_.reset();
}

}  // namespace penstock::tcp

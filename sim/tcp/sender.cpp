// SPDX-License-Identifier: GPL-2.0-only
// The events of a sender, RFC 9293 section 3.10, and its opening.
#include "sim/tcp/sender.h"

#include "core/base.h"
#include "sim/tcp/acks.h"
#include "sim/tcp/output.h"
#include "sim/tcp/rate.h"
#include "sim/tcp/reactions.h"

namespace penstock::tcp {
namespace {

// `s`: the SYN-ACK, or the ACK of ours.
void agree_on_ecn(Tcb& t, const Segment& s) {
  EcnNegotiation& ecn = t.handshake.ecn();
  const bool syn = s.flags & kSyn;
  const bool marked = !syn && ecn.hear_third_ack(s);
  const Ecn codepoint = t.config->ect1 ? kEct1 : kEct0;
  t.ecn.agree(ecn.mode(), ecn.capable() ? codepoint : kNotEct,
              pst_sender_hears_marks(t.config->method));
  if (!ecn.accurate()) return;
  t.accecn = std::make_unique<AccEcn>(syn && ecn.capable() && s.ecn == kCe, marked);
  if (has_accecn(s)) t.accecn->echo.see_option();
  if (!syn) t.accecn->echo.take(s);
}

}  // namespace

Sender::Sender(const SenderConfig& config, std::uint32_t initial_seq, std::uint64_t size_bytes,
               After after)
    : tcb_(config, initial_seq, size_bytes, after) {}

bool Sender::share(struct pst_ensemble& ensemble) {
  PST_REQUIRE(tcb_.data.max() == 0 && !tcb_.member);  // before the SYN, once
  tcb_.member = std::make_unique<Membership>(*tcb_.config, ensemble);
  return tcb_.member->at_once();
}

void Sender::open(std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(tcb_.data.max() == 0);
  if (tcb_.member) tcb_.member->hear_round_trip(tcb_.shared(now_ns));
  send_syn(now_ns, out);
}

void Sender::write(std::uint64_t bytes, std::uint64_t now_ns, Output& out) {
  if (tcb_.rate && tcb_.handshake.established()) note_application_limit(tcb_);
  tcb_.data.write(bytes);
  if (!tcb_.handshake.established()) return;
  if (tcb_.member) tcb_.member->ask(tcb_.shared(now_ns));
  send(tcb_, now_ns, out);
  set_timer(tcb_, now_ns, false);
}

void Sender::close(std::uint64_t now_ns, Output& out) {
  tcb_.data.close();
  write(0, now_ns, out);
}

// In fast recovery the window is that of the recovery; the share is applied afterwards.
void Sender::on_share(std::uint64_t now_ns, Output& out) {
  if (!tcb_.member || !established() || tcb_.losses.state() == LossRecovery::State::kFast) return;
  tcb_.member->pull(tcb_.shared(now_ns));
  send(tcb_, now_ns, out);
  set_timer(tcb_, now_ns, false);
}

// Or, if the receiver opens, the SYN-ACK.
void Sender::send_syn(std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(!tcb_.handshake.established());
  PST_REQUIRE(tcb_.data.una() == 0 && tcb_.data.max() <= 1);
  Segment s = tcb_.handshake.syn(tcb_.headers, now_ns);
  if (!tcb_.handshake.answers())
    tcb_.congestion.stamp_syn(s, tcb_.handshake.resent(),
                              tcb_.view(0, tcb_.data.flight_bytes(), 0, now_ns));
  if (!tcb_.handshake.resent()) tcb_.stopwatch.start_syn(now_ns);
  tcb_.data.note_sent(1);
  tcb_.timer.start(now_ns);
  PST_ENSURE(tcb_.data.flight_bytes() == 1);
  out.transmit(s);
}

void Sender::on_segment(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (s.flags & kSyn) {
    if (s.flags & kAck)
      on_syn_ack(s, now_ns, out);
    else
      on_syn(s, now_ns, out);
    return;
  }
  if (!(s.flags & kAck)) return;
  if (!tcb_.handshake.established()) {
    // The ACK of our SYN-ACK stands for the request that the data answers.
    if (tcb_.handshake.answers() && tcb_.headers.acknowledges_syn(s)) establish(s, now_ns, out);
  } else if (!tcb_.data.done()) {
    on_ack(tcb_, s, now_ns, out);
  }
}

// The receiver opens.
void Sender::on_syn(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (tcb_.handshake.established()) {  // an old duplicate
    transmit_control(tcb_, tcb_.data.max(), now_ns, out);
    return;
  }
  if (tcb_.handshake.on_peer_syn(s)) {
    agree_on_options(s);
    tcb_.headers.expect(s.seq + 1);
    if (tcb_.member) tcb_.member->hear_round_trip(tcb_.shared(now_ns));
  }
  tcb_.headers.echo(s.ts_val, now_ns);
  send_syn(now_ns, out);
}

void Sender::on_syn_ack(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (tcb_.data.max() == 0 || !tcb_.headers.acknowledges_syn(s)) return;
  if (tcb_.handshake.established()) {  // our ACK of it was lost
    acknowledge_syn(tcb_, s, tcb_.data.max(), now_ns, out);
    return;
  }
  agree_on_options(s);
  establish(s, now_ns, out);
}

void Sender::establish(const Segment& s, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(!tcb_.handshake.established());
  PST_REQUIRE(tcb_.headers.acknowledges_syn(s));
  agree_on_ecn(tcb_, s);
  tcb_.handshake.establish(s);
  tcb_.losses.agree(tcb_.handshake.sack(), tcb_.mss_bytes());
  if (tcb_.headers.has_timestamp(s)) {
    tcb_.headers.echo(s.ts_val, now_ns);
    tcb_.timer.take_sample(tcb_.headers.echoed_rtt_ns(s, now_ns));
  } else if (!tcb_.handshake.resent()) {
    tcb_.timer.take_sample(tcb_.stopwatch.since_syn_ns(now_ns));
  }
  if (tcb_.handshake.resent()) tcb_.timer.fall_back();
  begin(s, now_ns, out);
}

void Sender::agree_on_options(const Segment& s) {
  tcb_.handshake.agree_on_options(s, tcb_.headers);
  tcb_.congestion.feedback().agree(s);
}

void Sender::begin(const Segment& s, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(tcb_.handshake.established());
  PST_REQUIRE(tcb_.data.una() == 0 && tcb_.data.max() == 1);  // the SYN alone was sent
  const bool syn = s.flags & kSyn;
  tcb_.data.acknowledge(1);
  tcb_.timer.reset();
  tcb_.headers.expect(s.seq + syn);
  tcb_.window.open(s, tcb_.handshake.peer_scale());
  tcb_.losses.board().restart(tcb_.data.una());
  tcb_.congestion.open(tcb_.mss_bytes(), tcb_.handshake.resent());
  if (tcb_.member) {
    tcb_.member->join(tcb_.shared(now_ns));
    tcb_.member->ask(tcb_.shared(now_ns));
  }
  if (tcb_.congestion.feedback().used()) tcb_.congestion.feedback().take(s);
  tcb_.congestion.begin(tcb_.view(0, 0, tcb_.timer.rtt().srtt_ns(), now_ns));
  if (syn) acknowledge_syn(tcb_, s, tcb_.data.una(), now_ns, out);
  tcb_.last_sent_ns = now_ns;
  send(tcb_, now_ns, out);
  set_timer(tcb_, now_ns, false);
  PST_ENSURE(tcb_.is_sound() && tcb_.data.una() == 1);
}

void Sender::on_timer(std::uint64_t now_ns, Output& out) {
  if (now_ns >= tcb_.pacer.timer_ns()) {
    send(tcb_, now_ns, out);
    set_timer(tcb_, now_ns, false);
  }
  if (const Rack* rack = tcb_.losses.rack()) {
    if (now_ns >= rack->reorder_at_ns) on_reorder_timer(tcb_, now_ns, out);
    if (now_ns >= rack->probe.at_ns()) probe_tail(tcb_, now_ns, out);
  }
  if (!tcb_.timer.expired(now_ns)) return;
  PST_REQUIRE(!tcb_.data.done());  // all is acknowledged, and no timer runs
  if (!tcb_.handshake.established()) {
    const bool linear =
        !tcb_.handshake.answers() && tcb_.handshake.ecn().losses() < tcb_.config->linear_syns;
    if (!linear) tcb_.timer.expire();
    tcb_.handshake.on_loss();
    send_syn(now_ns, out);
  } else if (tcb_.timer.persists()) {
    probe(tcb_, now_ns, out);
  } else {
    on_timeout(tcb_, now_ns, out);
  }
}

void Sender::set_cwnd(std::uint64_t bytes) {
  if (!tcb_.handshake.established()) return;
  struct pst_cwnd& cwnd = tcb_.congestion.cwnd();
  cwnd.bytes = std::clamp<std::uint64_t>(bytes, tcb_.mss_bytes(), PST_MAX_BYTES);
  cwnd.ssthresh_bytes = cwnd.bytes;
  PST_ENSURE(tcb_.is_sound());
}

}  // namespace penstock::tcp

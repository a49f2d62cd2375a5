// SPDX-License-Identifier: GPL-2.0-only
// A sender's membership in an ensemble, core/sharing: the state that the connections of one host
// share. Owns its entry there; is told what happens to the connection, and sets its window and its
// round trip to its share.
#pragma once

#include <cstdint>

#include "core/sharing/ensemble.h"
#include "sim/tcp/config.h"
#include "sim/tcp/rtt.h"

namespace penstock::tcp {

class Membership {
 public:
  // The connection at the time of an event; window and round trip may change.
  struct State {
    struct pst_cwnd& cwnd;
    RttEstimator& rtt;
    std::uint64_t now_ns;
    std::uint32_t mss_bytes;
    bool timed_out;  // its recovery is one after a timeout
    bool idle;       // all is sent and acknowledged

    struct pst_tcb tcb() const;
    void set(const struct pst_tcb& t) const;
  };
  enum class Event : std::uint8_t { kAck, kCongestion, kIdle };

  // Both must outlive it.
  Membership(const SenderConfig& config, struct pst_ensemble& ensemble)
      : config_(&config), ensemble_(&ensemble) {}

  // The timer of the SYN knows the round trip, if anybody does (nis-2004 section 5.2.4).
  void hear_round_trip(const State& s) const;
  void join(const State& s);
  void pull(const State& s);  // before an ACK is taken in
  void ask(const State& s);   // the connection may have become idle, or busy
  void push(const State& s, Event event, std::uint64_t acked_bytes = 0);
  void leave(const State& s);

  bool at_once() const;  // others use at once what an event of it gives them
  // What a round trip of a member that paces is to carry; what a loss takes a part of. `own_bytes`
  // without others, or by a way of sharing that says nothing of it.
  std::uint64_t paced_bytes(std::uint64_t own_bytes) const;
  std::uint64_t reduced_bytes(std::uint64_t own_bytes) const;

 private:
  const SenderConfig* config_;
  struct pst_ensemble* ensemble_;
  struct pst_member member_{};
};

}  // namespace penstock::tcp

// SPDX-License-Identifier: GPL-2.0-only
// Configuration of the two ends of a connection; shared read-only by many flows.
#pragma once

#include <cstdint>
#include <limits>

#include "core/sender/control.h"
#include "core/sender/hystart.h"
#include "core/sender/prr.h"
#include "core/sharing/registry.h"
#include "core/tables/counters.h"
#include "sim/tcp/segment.h"

namespace penstock::tcp {

inline constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// Events that restart the retransmission timer in fast recovery. kStandard: the fast retransmit,
// as in Linux, and with SACK each ACK of new data, RFC 6298 (5.3); without SACK only the first
// partial ACK, the "Impatient" variant of RFC 6582. kImpatient: only the first partial ACK, also
// with SACK, as in ns-3 3.44.
enum class RecoveryTimer : std::uint8_t { kStandard, kImpatient };

// What an ACK adds to cwnd by: the bytes that it acknowledges; one segment; or, as in Linux, the
// bytes of which no duplicate ACK has told before.
enum class Growth : std::uint8_t { kBytes, kAcks, kDelivered };

struct SenderConfig {
  std::uint32_t method = PST_SENDER_NEWRENO;  // enum pst_sender_method
  union pst_sender_params params{};
  std::uint32_t mss_bytes = 1448;         // payload of a full segment, options excluded
  std::uint32_t initial_window_segments = 10;       // RFC 6928
  std::uint32_t initial_ssthresh_segments = 0;      // 0: arbitrarily high, RFC 5681
  Growth growth = Growth::kBytes;  // RFC 5681, RFC 3465; kAcks: RFC 2581
  bool hold_cwnd = false;    // cwnd never exceeds the peer's window, unless that is zero
  std::uint64_t initial_rto_ns = 1'000'000'000;     // RFC 6298 (2.1)
  std::uint64_t min_rto_ns = 200'000'000;           // Linux; RFC 6298 (2.4) has 1 s
  std::uint64_t rto_granularity_ns = 200'000'000;   // G of RFC 6298 (2.3): 4 RTTVAR counts
                                                   // as at least this, as in Linux
  std::uint64_t max_rto_ns = 120'000'000'000;  // Linux; RFC 6298 (2.5)
  RecoveryTimer recovery_timer = RecoveryTimer::kStandard;  // RFC 6298
  std::uint32_t dupack_threshold = 3;  // RFC 5681 section 3.2
  bool sack = true;  // RFC 2018, RFC 6675
  bool timestamps = true;  // RFC 7323
  bool window_scale = true;  // RFC 7323
  bool limited_transmit = true;  // RFC 3042
  bool ecn = false;  // RFC 3168
  bool ect1 = false;  // data is ECT(1): RFC 9331
  bool nagle = false;  // RFC 9293 section 3.7.4
  bool restart_after_idle = true;  // RFC 5681 section 4.1
  bool hystart = false;  // HyStart++, RFC 9406
  bool prr = false;  // with SACK: RFC 6937
  bool prr_safe_ack = false;  // and its slow start only on good progress, RFC 9937
  bool ssthresh_of_cwnd = false;  // not of the flight: Linux
  bool rack = false;  // RACK-TLP, with SACK: RFC 8985
  bool pacing = false;  // spread a window over an RTT
  std::uint32_t sharing = PST_SHARING_COUNT;  // enum pst_sharing; with whom: Sender::share()
  union pst_sharing_params sharing_params{};
  bool count_feedback = false;  // the method's header takes room in packets
  std::uint32_t pacing_burst_segments = 1;  // sent at once, before the gap for all of them
  std::uint32_t pacing_gain_percent_slow_start = 200;  // Linux tcp_pacing_ss_ratio
  std::uint32_t pacing_gain_percent = 120;  // Linux tcp_pacing_ca_ratio
};

struct ReceiverConfig {
  bool opens = false;  // sends the first SYN, and the sender answers
  std::uint64_t buffer_bytes = 65535;  // largest window; the first one if autotuned
  std::uint64_t max_buffer_bytes = 6'291'456;  // autotuning's limit (tcp_rmem[2])
  bool autotune = false;  // grow the window as Linux does
  std::uint32_t mss_bytes = 1448;  // announced in the SYN
  std::uint32_t delayed_ack_segments = 2;  // ACK every n-th full segment, RFC 1122
  std::uint64_t delayed_ack_ns = 40'000'000;  // and no later than this; Linux' minimum
  std::uint64_t initial_rto_ns = 1'000'000'000;  // of its SYN or SYN-ACK, RFC 6298 (2.1)
  bool repeat_syn_ack = true;  // by a timer of its own; else only if the SYN comes again
  bool sack = true;
  bool dsack = false;  // report duplicates, RFC 2883
  bool timestamps = true;
  bool window_scale = true;
  bool ecn = false;
  bool exact_ecn = false;  // echoes each mark, RFC 8257 section 3.2; not negotiated
  bool feedback = true;  // returns the headers that routers write, of any kind
  bool forge_feedback = false;  // returns what lets its sender send most instead
  bool freeze = false;  // Freeze-TCP: closes the window ahead of a handover
  std::uint32_t freeze_wake_rtts = 2;  // between the ACKs that wake the sender
  std::uint32_t freeze_wakes = 64;  // how often these are sent, at most
};

// The network below an endpoint. transmit() copies the segment, so the caller may reuse it at
// once.
class Output {
 public:
  virtual void transmit(const Segment& segment) = 0;

 protected:
  ~Output() = default;
};

#define PENSTOCK_FIELD(name, ...) std::uint64_t name = 0;
struct SenderCounters {
  PST_SENDER_COUNTERS(PENSTOCK_FIELD)
};

struct ReceiverCounters {
  PST_RECEIVER_COUNTERS(PENSTOCK_FIELD)
};
#undef PENSTOCK_FIELD

}  // namespace penstock::tcp

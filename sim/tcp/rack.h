// SPDX-License-Identifier: GPL-2.0-only
// The segments in flight, one by one, for loss detection by time: RFC 8985 sections 5.2 and 6.2.
// Allocated only for senders with the option; all others have the scoreboard, which keeps no
// state per segment.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/sender/rack.h"
#include "sim/tcp/config.h"
#include "sim/tcp/intervals.h"
#include "sim/tcp/tail_loss_probe.h"

namespace penstock::tcp {

struct SentSegment {
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t xmit_ns;  // last transmission
  bool retransmitted;
  bool sacked;
  bool lost;  // and not yet sent again

  std::uint64_t bytes() const { return end - start; }
  bool undecided() const { return !sacked && !lost; }
  struct pst_rack_segment view() const { return {xmit_ns, end, retransmitted}; }
};

class Rack {
 public:
  // The timestamp that an ACK echoes, if any.
  struct Echo {
    bool valid = false;
    std::uint32_t ts_val = 0;
    TimestampClock clock{};
  };

  // `notes_losses`: what is found lost is kept until it is taken.
  explicit Rack(bool notes_losses = false);
  // [start, end) leaves: new data, or the beginning of a segment sent before.
  void on_send(std::uint64_t start, std::uint64_t end, std::uint64_t now_ns);
  // Steps 2 and 3, for a SACK block and for the cumulative acknowledgment. A segment that is
  // covered in part is not delivered. The echo tells which transmission arrived only of a
  // cumulative acknowledgment: a SACK's is that of older data (RFC 7323 section 4.3).
  void on_sack(Interval block, const struct pst_rack_ack& a);
  void on_ack(std::uint64_t una, const struct pst_rack_ack& a, Echo echo);
  // Step 5. Returns the time of the next call, kNever if all is decided.
  std::uint64_t detect(const struct pst_rack_ack& a);
  // Section 6.3: the first segment, and all that the timeout proves lost.
  void on_timeout(const struct pst_rack_ack& a);
  void forget_sacks();  // the peer has reneged

  // The first segment to be sent again; nullptr if none is lost.
  const SentSegment* next_lost();
  const SentSegment& last() const { return sent_.back(); }
  bool single() const { return sent_.size() == 1; }
  bool any_lost() const { return lost_bytes_ > 0; }
  std::uint64_t sacked_bytes() const { return sacked_bytes_; }
  std::uint32_t sacked_segments() const { return sacked_segments_; }
  std::uint64_t pipe_bytes() const;
  std::uint64_t marked_bytes() const { return marked_bytes_; }  // lost since the beginning
  std::vector<Interval> take_newly_lost() { return std::exchange(newly_lost_, {}); }

  struct pst_rack state;
  TailLossProbe probe;
  std::uint64_t reorder_at_ns = kNever;  // when detect() is due

 private:
  struct Resent {
    std::uint64_t start;
    std::uint64_t xmit_ns;
  };

  // At both ends of each event.
  bool is_sound() const {
    const std::uint64_t span = sent_.empty() ? 0 : sent_.back().end - sent_.front().start;
    return sacked_bytes_ + lost_bytes_ <= span && sacked_segments_ <= sent_.size() &&
           (sacked_bytes_ == 0) == (sacked_segments_ == 0) && lost_bytes_ <= marked_bytes_;
  }
  std::size_t find(std::uint64_t start) const;  // the first that ends after it
  void deliver(SentSegment& s, const struct pst_rack_ack& a, Echo echo);
  void mark_lost(SentSegment& s);
  bool judge(SentSegment& s, std::uint64_t window_ns, std::uint64_t now_ns, std::uint64_t* wait_ns);
  void judge_first_transmissions(std::uint64_t window_ns, std::uint64_t now_ns,
                                 std::uint64_t* wait_ns);
  void judge_retransmissions(std::uint64_t window_ns, std::uint64_t now_ns, std::uint64_t* wait_ns);

  std::deque<SentSegment> sent_;  // by sequence number
  // In the order of transmission, which detect() needs: first transmissions are in sent_ from
  // here on, retransmissions in a queue that may hold outdated entries.
  std::uint64_t first_undecided_ = 0;
  std::deque<Resent> resent_;
  std::uint64_t first_lost_ = kNever;  // no lost segment starts below
  std::uint64_t lost_bytes_ = 0;
  std::uint64_t marked_bytes_ = 0;
  bool notes_losses_;
  std::vector<Interval> newly_lost_;
  std::uint64_t sacked_bytes_ = 0;
  std::uint32_t sacked_segments_ = 0;
};

}  // namespace penstock::tcp

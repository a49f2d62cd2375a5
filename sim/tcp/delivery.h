// SPDX-License-Identifier: GPL-2.0-only
// The rate at which the network delivers, and what it loses, for congestion controls that send at
// a rate: draft-cheng-iccrg-delivery-rate-estimation-00, as Linux has it (net/ipv4/tcp_rate.c).
// Each segment notes, as it leaves, how much had been delivered until then. Allocated for such
// senders only.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/sender/sender.h"
#include "sim/tcp/intervals.h"

namespace penstock::tcp {

class Delivery {
 public:
  // `hears_losses`: the method is told of each segment found lost.
  explicit Delivery(bool hears_losses = false) : hears_losses_(hears_losses) {}
  bool hears_losses() const { return hears_losses_; }

  // [start, end) leaves: new data, or the beginning of a segment sent before. `idle`: nothing else
  // is in flight, so that an interval begins. `in_flight_bytes`, with it, only for such a method.
  void on_send(std::uint64_t start, std::uint64_t end, bool idle, std::uint64_t in_flight_bytes,
               std::uint64_t now_ns);
  // The application has nothing more to send, or the method holds back, while `in_flight_bytes`
  // are in the network: what leaves until they are delivered does not show what the path carries.
  void limit(std::uint64_t in_flight_bytes);
  bool limited() const { return limited_until_bytes_ > 0; }

  // In the order of an ACK's processing: begin(), what it says, and sample().
  void begin(std::uint64_t in_flight_bytes, std::uint64_t total_lost_bytes);
  void on_sack(Interval block, std::uint64_t now_ns);
  void on_ack(std::uint64_t una, std::uint32_t mss_bytes, std::uint64_t now_ns);
  void forget(std::uint64_t una);  // of QUIC: all below is acknowledged by blocks, or lost
  void on_duplicate(std::uint32_t mss_bytes);  // without SACK: a segment, but which is not known
  struct pst_delivery sample(std::uint64_t total_lost_bytes, std::uint64_t now_ns);

  // Without SACK: what duplicates say has arrived, out of order.
  std::uint64_t duplicate_bytes() const { return duplicate_bytes_; }
  void forget_duplicates() { duplicate_bytes_ = 0; }
  // Losses that RFC 6675 or a timeout finds; with RACK its own are counted.
  void lose(std::uint64_t bytes) { lost_bytes_ += bytes; }
  std::uint64_t lost_bytes() const { return lost_bytes_; }
  std::uint64_t lost_until = 0;  // no unreported byte below counts as lost again
  // What has not arrived of a range was found lost. Those segments, each time once.
  void on_lost(Interval range);
  std::vector<struct pst_lost_segment> take_lost() { return std::exchange(lost_, {}); }

 private:
  struct Sent {
    std::uint64_t start;
    std::uint64_t end;
    std::uint64_t sent_ns;
    std::uint64_t first_sent_ns;     // the interval in which it and those before it were sent
    std::uint64_t delivered_ns;      // when data was last delivered before it was sent
    std::uint64_t delivered_bytes;   // and how much until then
    std::uint64_t in_flight_bytes;   // when it was sent, with it
    std::uint64_t noted_lost_bytes;  // noted_lost_bytes_ then
    bool limited;
    bool again;
    bool delivered;
  };

  // At both ends of each event: what duplicates counted is a part of what was delivered.
  bool is_sound() const {
    return duplicate_bytes_ <= delivered_bytes_ && delivered_before_bytes_ <= delivered_bytes_ &&
           (sent_.empty() || sent_.front().start < sent_.back().end);
  }
  void deliver(Sent& s, std::uint64_t now_ns);
  std::size_t find(std::uint64_t start) const;

  std::deque<Sent> sent_;  // by sequence number
  std::uint64_t delivered_bytes_ = 0;
  std::uint64_t delivered_ns_ = 0;
  std::uint64_t first_sent_ns_ = 0;
  std::uint64_t limited_until_bytes_ = 0;
  std::uint64_t min_rtt_ns_ = 0;
  std::uint64_t duplicate_bytes_ = 0;
  std::uint64_t lost_bytes_ = 0;
  bool hears_losses_;
  std::vector<struct pst_lost_segment> lost_;
  std::uint64_t noted_lost_bytes_ = 0;  // of all segments that were noted as lost
  std::uint64_t lost_end_ = 0;          // of the one noted last

  // Of the ACK in hand.
  std::uint64_t delivered_before_bytes_ = 0;
  std::uint64_t lost_before_bytes_ = 0;
  std::uint64_t in_flight_before_bytes_ = 0;
  Sent newest_{};
  bool any_ = false;
};

}  // namespace penstock::tcp

// SPDX-License-Identifier: GPL-2.0-only
// Both halves of sim/tcp at one host: a connection that sends and receives, for a script that plays
// the other host. It adds no TCP of its own: data of the sender carries the receiver's
// acknowledgment, and the receiver's ACKs the sender's sequence number.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/tcp/receiver.h"
#include "sim/tcp/sender.h"

namespace penstock::drill {

struct Sent {
  std::uint64_t at_ns;
  tcp::Segment segment;
};

// What a program learns from its socket, with counts in segments (Linux' struct tcp_info).
struct Info {
  std::uint64_t cwnd_segments;
  std::uint64_t ssthresh_segments;
  std::uint64_t unacked_segments;
  std::uint64_t sacked_segments;
  std::uint64_t retransmissions;  // ever
  std::uint64_t mss_bytes;
  std::uint64_t advertised_mss_bytes;
  std::uint64_t acked_bytes;
  std::uint64_t received_bytes;
  std::uint64_t unsent_bytes;
  std::uint64_t rto_ns;
  std::uint64_t srtt_ns;
  std::uint64_t rttvar_ns;
  bool fast_recovery;
  bool timed_out;
  bool disorder;
  bool reducing;  // for ECN
  std::uint64_t ce_packets;  // what accurate ECN says of segments that left
  std::uint64_t ce_bytes;
  std::uint64_t ect0_bytes;
  std::uint64_t ect1_bytes;
  std::uint64_t ce_received;  // by accurate ECN's own count
};

class Duplex {
 public:
  // `receiver.opens`: this host sends the first SYN, by open().
  Duplex(const tcp::SenderConfig& sender, const tcp::ReceiverConfig& receiver,
         std::uint32_t initial_seq);
  Duplex(const Duplex&) = delete;
  Duplex& operator=(const Duplex&) = delete;

  void open(std::uint64_t now_ns);
  void on_segment(const tcp::Segment& s, std::uint64_t now_ns);
  void on_timer(std::uint64_t now_ns);
  std::uint64_t next_timer_ns() const;
  void write(std::uint64_t bytes, std::uint64_t now_ns);
  void close(std::uint64_t now_ns);  // no more data: FIN
  void set_nagle(bool on, std::uint64_t now_ns);

  std::vector<Sent> take();  // what has left since the last call
  Info info() const;
  bool established() const { return sender_.established(); }
  bool reset() const { return reset_; }  // by the peer
  bool peer_closed() const { return receiver_.finished(); }
  bool done() const { return sender_.done(); }  // all data and the FIN acknowledged

 private:
  struct Catch final : tcp::Output {
    std::vector<tcp::Segment> segments;
    void transmit(const tcp::Segment& s) override { segments.push_back(s); }
  };

  std::uint64_t sent_offset() const;
  bool is_acceptable(std::uint32_t ack) const;
  void on_reset(const tcp::Segment& s, std::uint64_t now_ns);
  void on_syn(const tcp::Segment& s, std::uint64_t now_ns);
  void send_syns(std::uint64_t now_ns);
  void emit(std::uint64_t now_ns);
  tcp::Segment acknowledgment(std::uint64_t now_ns);

  tcp::SenderConfig sender_config_;
  tcp::ReceiverConfig receiver_config_;
  std::uint32_t initial_seq_;
  tcp::Sender sender_;
  tcp::Receiver receiver_;
  tcp::Segment syn_{};  // of the receiver: its window and scale are the host's
  bool closes_first_ = false;
  bool reset_ = false;
  std::uint64_t data_end_ = 1;  // offset of the end of what was written
  Catch data_;  // of the sender, in one event
  Catch acks_;  // of the receiver
  std::vector<Sent> sent_;
};

}  // namespace penstock::drill

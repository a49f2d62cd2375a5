// SPDX-License-Identifier: GPL-2.0-only
// Tells core what a record says that ns-3's gateway was told, line by line on stdin, and
// compares the answers. The first that differs ends it, with the line on stderr; else it
// prints how many were compared: packets that arrived, packets at departure, ACKs.
//   replayed DISCIPLINE LAW SIGNAL MODE LIMIT_BYTES RATE_BYTES_PER_S MSS_BYTES
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/describe.h"

namespace {

constexpr u32 kFin = 1, kSyn = 2, kRst = 4, kPsh = 8;

// The place of `name` in a table of core's.
template <class Row, std::size_t N>
u32 find(const Row (&rows)[N], const char* name) {
  u32 i = 0;
  while (i < N && std::strcmp(rows[i].name, name) != 0) ++i;
  return i;
}

class Replay {
 public:
  explicit Replay(char** words) {
    config_.discipline = find(pst_discipline_rows, words[0]);
    config_.law = find(pst_law_rows, words[1]);
    config_.signal = find(pst_signal_rows, words[2]);
    const std::string mode = words[3];
    config_.mode = mode == "safe" ? PST_SAFE : mode == "strict" ? PST_STRICT : PST_LITERAL;
    config_.flow_interval_ns = PST_NS_PER_S;
    q_.limit_bytes = std::stoull(words[4]);
    q_.rate_bytes_per_s = std::stoull(words[5]);
    q_.mss_bytes = static_cast<u32>(std::stoul(words[6]));
    q_.flows = 1;
    if (pst_discipline_tables(config_.discipline)) q_.table = &table_;
    pst_gateway_defaults(&config_, q_.limit_bytes);
    pst_port_init(&port_, &q_);
  }

  // Whether core answers as the record says.
  bool play(const std::string& what, const std::vector<u64>& n) {
    q_.now_ns = n[0];
    q_.bytes = n[1];
    q_.packets = n[2];
    const u64* rest = n.data() + 4;
    const bool as_told = what == "data"     ? data(rest)
                         : what == "arrive" ? arrive(rest)
                         : what == "leave"  ? leave(rest)
                         : what == "ack"    ? ack(rest)
                                            : told(what, rest);
    return as_told && q_.flows == n[3];
  }

  void report() const { std::printf("%u %u %u\n", arrivals_, departures_, acks_); }

 private:
  static pst_packet packet(u64 bytes, u64 queued_ns, u64 ecn_capable = 0) {
    pst_packet k{};
    k.bytes = static_cast<u32>(bytes);
    k.queued_ns = queued_ns;
    k.answered = true;  // as ns-3's gateway says of each
    k.kind = pst_kind_of(PST_CONTENT_OTHER, false);
    k.tos = static_cast<u8>(ecn_capable ? PST_ECT0 : PST_NOT_ECT);
    return k;
  }

  // ns-3's TCP has no MSS option; its gateway takes the usual segment.
  pst_options options(u64 scale) const {
    pst_options o{};
    o.mss_bytes = static_cast<u16>(q_.mss_bytes);
    o.scale = static_cast<u8>(scale);
    return o;
  }

  bool data(const u64* n) {
    const pst_options o = options(n[4]);
    const pst_data_header h{.seq = static_cast<u32>(n[1]),
                            .payload_bytes = static_cast<u32>(n[2]),
                            .segment_bytes = static_cast<u32>(n[2]),
                            .ecn = PST_NOT_ECT,
                            .fin = (n[3] & kFin) != 0,
                            .push = (n[3] & kPsh) != 0,
                            .reset = (n[3] & kRst) != 0,
                            .syn = n[3] & kSyn ? &o : nullptr};
    return pst_port_segment(&port_, &flows_[n[0]], nullptr, &q_, &h, &arrived_);
  }

  bool arrive(const u64* n) {
    ++arrivals_;
    q_.random = static_cast<u32>(n[0]);
    arrived_ = packet(n[1], q_.now_ns, n[2]);
    arrived_.kind = static_cast<u8>(n[4]);
    arrived_.restrained = n[5] != 0;
    arrived_.elastic = n[6] != 0;
    arrived_.flow = n[7];
    return static_cast<u64>(pst_port_arrive(&port_, &q_, &arrived_)) == n[3];
  }

  bool leave(const u64* n) {
    ++departures_;
    q_.random = static_cast<u32>(n[0]);
    const pst_packet k = packet(n[1], n[4], n[2]);
    return static_cast<u64>(pst_port_leave(&port_, &q_, &k)) == n[3];
  }

  // What core has no answer to.
  bool told(const std::string& what, const u64* n) {
    if (what == "look") {
      pst_gateway_look(&config_, &state_, &q_);
      return true;
    }
    if (what == "tick") {
      pst_port_due(&port_, &q_, pst_gateway_measures(&config_));
      return true;
    }
    if (what == "left") {
      const pst_packet k = packet(n[0], n[1]);
      pst_port_left(&port_, &q_, &k);
      return true;
    }
    if (what == "accepted") {
      pst_port_queued(&port_, &q_, &arrived_);
    } else if (what == "overflow") {
      pst_port_overflow(&port_, &q_, &arrived_);
    } else {
      return false;
    }
    return arrived_.bytes == n[0];
  }

  bool ack(const u64* n) {
    pst_gateway_flow& f = flows_[n[0]];
    q_.random = static_cast<u32>(n[1]);
    const u64 flags = n[5];
    const pst_ack_header h{.ack = static_cast<u32>(n[2]),
                           .field = static_cast<u16>(n[3]),
                           .syn = (flags & kSyn) != 0,
                           .pure = n[4] == 0 && !(flags & (kSyn | kFin | kRst))};
    if (h.syn) {
      const pst_options o = options(n[6]);
      pst_gateway_syn(&f, false, 0, &o, q_.now_ns);
    } else {
      pst_gateway_opened(&f, false, q_.now_ns);
    }
    if (!pst_gateway_rewrites(&config_)) return n[7] == h.field;
    ++acks_;
    const pst_rewrite out = pst_port_back(&port_, &f, nullptr, nullptr, &q_, &h).out;
    return out.field == n[7] && static_cast<u64>(out.limit) == n[8];
  }

  pst_port port_{};
  pst_gateway_config& config_ = port_.config;
  pst_gateway_state& state_ = port_.state;
  pst_queue q_{};
  pst_fair_table table_{};  // of a discipline that has one
  pst_packet arrived_{};    // last, which the queue then accepts or has no room for
  std::map<u64, pst_gateway_flow> flows_;
  unsigned arrivals_ = 0, departures_ = 0, acks_ = 0;
};

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 8) return 2;
  Replay replay(argv + 1);
  std::string line, what;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    words >> what;
    std::vector<u64> numbers;
    for (u64 number; words >> number;) numbers.push_back(number);
    if (replay.play(what, numbers)) continue;
    std::cerr << line << "\n";
    return 1;
  }
  replay.report();
  return 0;
}

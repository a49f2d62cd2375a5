// SPDX-License-Identifier: GPL-2.0-only
// The plan of a load generator: flows to send or receive.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::load {

struct Flow {
  bool sends = true;
  bool is_udp = false;
  bool opens = true;                // connects at start_ns (UDP: sends); else listens before
  std::uint64_t id = 0;             // also the seed of the content
  std::string address{};            // IPv4 or IPv6: of the peer, or own to listen at
  std::string source{};             // own address of one that opens; empty: the kernel's choice
  std::uint16_t port = 0;           // one for each flow
  std::uint64_t start_ns = 0;       // times count from the epoch
  std::optional<std::uint64_t> after{};  // TCP: starts once this flow has ended,
  std::uint64_t pause_ns = 0;            // and this much later
  std::uint64_t stop_ns = 0;        // UDP; 0: until SIGTERM or the end
  std::uint64_t size_bytes = 0;     // TCP; 0: until the end, or until the sender ends
  std::uint32_t segment_bytes = 0;  // TCP_MAXSEG, options included; 0: as the path's
  std::string congestion{};         // TCP_CONGESTION; empty: the system's
  std::uint64_t window_bytes = 0;   // receive window; 0: autotuned
  bool nagle = false;
  std::uint64_t rate_bps = 0;       // UDP, of payload
  std::uint32_t payload_bytes = 0;  // UDP, at least 8
};

struct Plan {
  std::vector<Flow> flows{};
  std::uint64_t epoch_ns = 0;   // CLOCK_MONOTONIC; 0: shortly after the start
  std::uint64_t until_ns = 0;   // after the epoch; 0: no limit
  std::uint64_t mark_ns = 0;    // counters are noted at this time too; 0: not
  std::uint64_t sample_ns = 0;  // interval of samples of the sending TCP flows; 0: none
  std::uint64_t sampled_flows = 1;
};

// One flow per line: "send tcp id=1 to=10.0.0.2 port=5001 start=10ms size=5MB ...", in the words
// of `penstock-load run --help`. Throws std::invalid_argument that names the line.
std::vector<Flow> read_flows(std::istream& text);

// Throws std::invalid_argument for an impossible flow.
void check(const Flow& flow);

}  // namespace penstock::load

// SPDX-License-Identifier: GPL-2.0-only
// Connections that are open between the same two hosts, nis-2004 section 7.2: the throughput of a
// connection that joins others, over its life, and that of each connection while the same ones are
// open. Nothing here depends on shared state, so that connections with and without it can be
// compared.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/net/result.h"
#include "sim/tcp/sender.h"

namespace penstock::net {

class Companions {
 public:
  using SenderOf = std::function<const tcp::Sender&(std::uint32_t flow)>;

  // `flow` is about to send its SYN; its results are added to `sums`, which stay in place.
  void enter(std::uint32_t flow, Company& sums, const SenderOf& sender_of, std::uint64_t now_ns);
  // It is established.
  void begin(std::uint32_t flow, const SenderOf& sender_of);
  // All of its data is acknowledged.
  void leave(std::uint32_t flow, const SenderOf& sender_of, std::uint64_t now_ns);
  // What each has reached since the last one joined or left counts; a new period begins.
  void end_period(const SenderOf& sender_of, std::uint64_t now_ns);

 private:
  struct Member {
    std::uint32_t flow;
    std::uint64_t opened_ns;
    std::uint64_t segments;  // acknowledged before the period, with the SYN
    bool newcomer;
    Company* sums;
  };

  std::vector<Member>::iterator find(std::uint32_t flow);

  std::uint64_t since_ns_ = 0;
  std::vector<Member> open_{};
};

}  // namespace penstock::net

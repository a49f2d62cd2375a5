// SPDX-License-Identifier: GPL-2.0-only
// Penstock's TCP without its network: two endpoints and a pipe that loses. A segment of the
// sender's takes 20 ms, and so does its ACK; one in `LOSS` is lost. Prints what it took.
//   lossy_pipe [BYTES [LOSS]]
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "core/describe.h"
#include "sim/tcp/receiver.h"
#include "sim/tcp/sender.h"

using namespace penstock::tcp;

// One direction: segments by the time at which they arrive. An endpoint sends through Output.
struct Pipe final : Output {
  Pipe(const std::uint64_t& now, std::uint64_t one_in) : now_ns(now), loss(one_in) {}
  void transmit(const Segment& segment) override {
    if (segment.payload_bytes == 0 || ++count % loss)
      arrivals.emplace(now_ns + 20'000'000, segment);
  }
  std::uint64_t next_ns() const { return arrivals.empty() ? kNever : arrivals.begin()->first; }
  Segment take() { return arrivals.extract(arrivals.begin()).mapped(); }

  const std::uint64_t& now_ns;
  std::uint64_t loss;
  std::uint64_t count = 0;
  std::multimap<std::uint64_t, Segment> arrivals{};
};

int main(int argc, char* argv[]) {
  const std::uint64_t size_bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const std::uint64_t loss = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100;
  SenderConfig sender_config;  // both must outlive the endpoints
  sender_config.method = pst_sender_find("cubic");
  pst_sender_defaults(sender_config.method, &sender_config.params);
  const ReceiverConfig receiver_config;
  Sender sender(sender_config, 1000, size_bytes);
  Receiver receiver(receiver_config, 2000);

  // The clock is ours: an endpoint is told the time, and says when it wants to be called.
  std::uint64_t now_ns = 0;
  Pipe data(now_ns, loss), acks(now_ns, loss);
  sender.open(now_ns, data);
  while (!sender.done()) {
    now_ns = std::min(
        {data.next_ns(), acks.next_ns(), sender.next_timer_ns(), receiver.next_timer_ns()});
    if (data.next_ns() == now_ns) receiver.on_segment(data.take(), now_ns, acks);
    if (acks.next_ns() == now_ns) sender.on_segment(acks.take(), now_ns, data);
    if (sender.next_timer_ns() <= now_ns) sender.on_timer(now_ns, data);
    if (receiver.next_timer_ns() <= now_ns) receiver.on_timer(now_ns, acks);
  }
  std::printf("%" PRIu64 " bytes in %.3f s, %" PRIu64 " segments of %" PRIu64 " sent again\n",
              receiver.counters().delivered_bytes, static_cast<double>(now_ns) / 1e9,
              sender.counters().retransmissions, sender.counters().segments_sent);
}

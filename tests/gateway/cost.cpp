// SPDX-License-Identifier: GPL-2.0-only
// What a packet costs in the kernel: BPF_PROG_TEST_RUN with 60,000 flows in the map,
// the loop's own cost, that of an empty program, subtracted. The least of several runs.
#include <bpf/bpf.h>
#include <linux/bpf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

#include "tests/gateway/gateway_under_test.h"

namespace {

using namespace penstock::test;

constexpr int kRepeat = 1'000'000;
constexpr int kRuns = 5;
constexpr std::uint32_t kFlows = 60'000;

int empty_program() {
  const bpf_insn body[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, -1},
                           {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "empty", "GPL", body, 2, nullptr);
}

double least_ns(int fd, const Bytes& packet) {
  double least = std::numeric_limits<double>::max();
  Bytes out(packet.size() + 64);
  for (int i = 0; i < kRuns; ++i) {
    bpf_test_run_opts o{};
    o.sz = sizeof(o);
    o.data_in = packet.data();
    o.data_size_in = static_cast<std::uint32_t>(packet.size());
    o.data_out = out.data();
    o.data_size_out = static_cast<std::uint32_t>(out.size());
    o.repeat = kRepeat;
    if (bpf_prog_test_run_opts(fd, &o)) return -1;
    least = std::min(least, static_cast<double>(o.duration));
  }
  return least;
}

void report(const char* what, double ns, double loop_ns) {
  std::printf("%-34s %6.0f ns\n", what, ns - loop_ns);
}

void measure(const char* method, std::uint32_t source) {
  GatewayUnderTest g(method, "safe", false, true, {}, GW_MAX_FLOWS, source);
  for (std::uint32_t i = 0; i < kFlows; ++i)
    g.handshake({.sender_port = static_cast<std::uint16_t>(i + 1)});
  const Ends e{.sender_port = 30'000};
  const Ends e6{.ipv6 = true, .sender_port = 30'000};
  g.handshake(e6);
  if (source == GW_QUEUE_VIRTUAL) g.fill_queue(90'000);
  const double loop = least_ns(empty_program(), packet(e, {}));
  Bytes udp = packet(e, {});
  udp[14 + 9] = 17;
  const int in = g.fd("penstock_reverse");
  const Tcp ack{.from_sender = false, .seq = 5000, .ack = 3000, .window = 2000};
  std::printf("%s, %s queue; loop %.0f ns\n", method,
              source == GW_QUEUE_VIRTUAL ? "virtual" : "kernel's", loop);
  report("not TCP", least_ns(in, udp), loop);
  report("unknown flow, passed", least_ns(in, packet({.sender_port = 65'000}, ack)), loop);
  // A run of the loop gets the packet as the one before has left it, so only the first
  // writes; the others go the whole way up to there. The write is some 30 ns more.
  report("ACK up to the write, IPv4", least_ns(in, packet(e, ack)), loop);
  report("ACK up to the write, IPv6", least_ns(in, packet(e6, ack)), loop);
  report("data, IPv4",
         least_ns(g.fd("penstock_forward"),
                  packet(e, {.seq = 1000, .ack = 5000, .payload_bytes = 1000})),
         loop);
}

}  // namespace

int main() {
  if (const std::string reason = why_not(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 77;
  }
  for (const char* method : {"droptail", "ewt", "share", "integral"})
    for (const std::uint32_t source : {GW_QUEUE_KERNEL, GW_QUEUE_VIRTUAL}) measure(method, source);
  return 0;
}

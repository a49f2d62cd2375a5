// SPDX-License-Identifier: GPL-2.0-only
// What a packet costs in the kernel: BPF_PROG_TEST_RUN with 60,000 flows in the map,
// the loop's own cost, that of an empty program, subtracted. The least of many short rounds, in
// each of which all methods take their turn, so that a busy machine favours none.
// Arguments: methods, and then nothing else is measured; without, a selection, shapes, a passive
// gateway, advice to QUIC and the write of a window.
#include <bpf/bpf.h>
#include <linux/bpf.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/gateway/datagram.h"
#include "tests/gateway/gateway_under_test.h"

namespace {

using namespace penstock::test;

constexpr int kRepeat = 20'000;
constexpr int kRounds = 40;
constexpr int kWrites = 2000;
constexpr int kWriteRuns = 100;
constexpr std::uint32_t kFlows = 60'000;
constexpr std::uint64_t kFastBytesPerS = 12'500'000'000;

int empty_program() {
  const bpf_insn body[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, -1},
                           {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "empty", "GPL", body, 2, nullptr);
}

void open_flows(GatewayUnderTest& g) {
  for (std::uint32_t i = 0; i < kFlows; ++i)
    g.handshake({.sender_port = static_cast<std::uint16_t>(i + 1)});
}

double mean_ns(int fd, const Bytes& packet, int repeat) {
  Bytes out(packet.size() + 64);
  bpf_test_run_opts o{};
  o.sz = sizeof(o);
  o.data_in = packet.data();
  o.data_size_in = static_cast<std::uint32_t>(packet.size());
  o.data_out = out.data();
  o.data_size_out = static_cast<std::uint32_t>(out.size());
  o.repeat = repeat;
  return bpf_prog_test_run_opts(fd, &o) ? -1 : o.duration;
}

// A run of the loop gets the packet as the one before has left it. EWT with an almost empty
// queue takes 0.2 % off each time, so that every run of a short loop writes a window.
double least_written_ns() {
  GatewayUnderTest g("ewt", "safe", false, true, {{"start_bytes", "0"}}, GW_MAX_FLOWS);
  open_flows(g);
  double least = std::numeric_limits<double>::max();
  for (std::uint16_t i = 0; i < kWriteRuns; ++i) {
    // Another flow each time: of this one the ramp (R26) now remembers a small window.
    const Ends e{.sender_port = static_cast<std::uint16_t>(30'000 + i)};
    g.data(e, 1000, 2000);
    const Bytes ack = packet(e, {.from_sender = false,
                                 .seq = 5000,
                                 .ack = 3000,
                                 .window = 60'000,
                                 .payload_bytes = 1});  // a pure one is frozen (R9)
    g.fill_queue(194);
    least = std::min(least, mean_ns(g.fd("penstock_reverse"), ack, kWrites));
  }
  const std::uint64_t written = g.count(GW_COUNT_acks_rewritten);
  return written == std::uint64_t{kWrites} * kWriteRuns ? least : -1;
}

void report(const char* what, double ns, double loop_ns) {
  if (ns < 0) {
    std::printf("%-36s not measured\n", what);
  } else {
    std::printf("%-36s %6.0f ns\n", what, ns - loop_ns);
  }
}

// The first is the receiver of all packets here.
std::string subscriber(std::uint32_t id) {
  return id == 1 ? "10.0.0.200/32"
                 : "100.64." + std::to_string(id >> 8) + "." + std::to_string(id & 255) + "/32";
}

// A link on which all packets fit, with the shapes of as many subscribers.
penstock::gw::Settings fast_link(const char* source, std::uint32_t shapes = 0) {
  penstock::gw::Settings s;
  s.rate = source == std::string("passive") ? "auto" : "100gbit";
  s.buffer = "97kB";
  s.method = "penstock";
  s.source = source;
  s.flows = std::to_string(GW_MAX_FLOWS);
  if (shapes) s.shapes = std::to_string(shapes);
  return s;
}

penstock::gw::Settings queue_of_others(const char* method) {
  penstock::gw::Settings s = slow_link(method);
  s.fair = std::nullopt;
  s.source = "kernel";
  s.queue = "existing";
  s.flows = std::to_string(GW_MAX_FLOWS);
  return s;
}

// One gateway, and what its packets have cost so far.
class Measured {
 public:
  Measured(const char* method, std::uint32_t source)
      : name_(std::string(method) + (source == GW_QUEUE_VIRTUAL ? ", virtual" : ", kernel's") +
              " queue, full"),
        gateway_(method, "safe", false, true, {}, GW_MAX_FLOWS, source, std::nullopt) {
    open_flows(gateway_);
    if (source == GW_QUEUE_VIRTUAL) gateway_.fill_queue(90'000);
    prepare();
  }

  // A queue of others, whose departures are measured for a discipline that divides their rate.
  explicit Measured(const char* method)
      : name_(std::string(method) + ", kernel's queue of others, measured"),
        gateway_(queue_of_others(method)) {
    open_flows(gateway_);
    prepare();
  }

  Measured(const char* source, std::uint32_t shapes, std::uint64_t rate_bytes_per_s)
      : name_("penstock, " + std::string(source) + " queue, " + std::to_string(shapes) + " shapes"),
        gateway_(fast_link(source, shapes)) {
    for (std::uint32_t id = 1; id <= shapes; ++id)
      gateway_.add_shape(id, subscriber(id), rate_bytes_per_s, 97'000);
    open_flows(gateway_);
    prepare();
  }

  bool divides() const { return pst_gateway_measures(&gateway_.config().gateway); }

  void run() {
    for (Cost& c : costs_) c.least_ns = std::min(c.least_ns, mean_ns(c.fd, c.packet, kRepeat));
  }

  void print(double loop_ns) const {
    std::printf("%s; loop %.0f ns\n", name_.c_str(), loop_ns);
    for (const Cost& c : costs_) report(c.what, c.least_ns, loop_ns);
  }

 private:
  struct Cost {
    const char* what;
    int fd;
    Bytes packet;
    double least_ns = std::numeric_limits<double>::max();
  };

  void prepare() {
    const Ends e{.sender_port = 30'000};
    const Ends e6{.ipv6 = true, .sender_port = 30'000};
    gateway_.handshake(e6);
    for (const Ends& each : {e, e6}) gateway_.data(each, 1000, 2000);
    Bytes udp = packet(e, {});
    udp[14 + 9] = PST_IP_UDP;
    // Less than a segment, which no method reduces, and with a byte of data, as the windows of
    // repeated pure ACKs are frozen (R9): each run asks the method and writes nothing.
    const Tcp ack{.from_sender = false, .seq = 5000, .ack = 3000, .window = 10, .payload_bytes = 1};
    const Tcp data{.seq = 2000, .ack = 5000, .payload_bytes = 1000};
    const int in = gateway_.fd("penstock_reverse"), out = gateway_.fd("penstock_forward");
    costs_ = {
        {"not TCP", in, udp},
        {"unknown flow, passed", in, packet({.sender_port = 65'000}, ack)},
        {"ACK up to the write, IPv4", in, partly_summed(e, ack)},
        {"ACK up to the write, IPv6", in, partly_summed(e6, ack)},
        {"data, IPv4", out, partly_summed(e, data)},
        {"not TCP, out", out, udp},
        {"unknown flow, out", out, packet({.sender_port = 65'000}, data)},
        // Of a device that verifies no checksums.
        {"ACK up to the write, IPv4, summed", in, packet(e, ack)},
        {"data, IPv4, summed", out, packet(e, data)},
    };
  }

  std::string name_;
  GatewayUnderTest gateway_;
  std::vector<Cost> costs_;
};

// What advice to QUIC adds to a packet that leaves: with and without it in turn.
class Advice {
 public:
  Advice() {
    for (auto& one : gateways_) {
      penstock::gw::Settings s;
      s.rate = "10gbit";
      s.method = "penstock";
      s.source = "kernel";
      if (&one == &gateways_[1]) s.scone = "on";
      one = std::make_unique<GatewayUnderTest>(s);
      one->handshake(kFlow);
      one->data(kFlow, 1000, 2000);
    }
  }

  void run() {
    for (Row& row : rows_)
      for (std::size_t i = 0; i < gateways_.size(); ++i)
        row.least_ns[i] = std::min(
            row.least_ns[i], mean_ns(gateways_[i]->fd("penstock_forward"), row.packet, kRepeat));
  }

  void print(double loop_ns) const {
    std::printf("penstock, without and with advice to QUIC\n");
    for (const Row& row : rows_)
      std::printf("%-36s %6.0f ns %6.0f ns\n", row.what, row.least_ns[0] - loop_ns,
                  row.least_ns[1] - loop_ns);
  }

 private:
  static constexpr Ends kFlow{.sender_port = 30'000};
  struct Row {
    const char* what;
    Bytes packet;
    std::array<double, 2> least_ns = {std::numeric_limits<double>::max(),
                                      std::numeric_limits<double>::max()};
  };

  // A datagram whose payload is 1,000 bytes, the first of which are given.
  static Bytes datagram(Bytes payload) {
    payload.resize(1000, 0x43);
    Bytes b = packet(kFlow, {});
    b.resize(14 + 20);
    const std::size_t udp_bytes = PST_UDP_BYTES + payload.size();
    b[14 + 2] = static_cast<std::uint8_t>((20 + udp_bytes) >> 8);
    b[14 + 3] = static_cast<std::uint8_t>(20 + udp_bytes);
    b[14 + 9] = PST_IP_UDP;
    for (const std::size_t word :
         {std::size_t{kFlow.sender_port}, std::size_t{443}, udp_bytes, std::size_t{0}})
      put16(b, static_cast<std::uint32_t>(word));
    append(b, payload);
    return b;
  }

  std::array<std::unique_ptr<GatewayUnderTest>, 2> gateways_;
  std::vector<Row> rows_ = {
      {"data, IPv4", partly_summed(kFlow, {.seq = 2000, .ack = 5000, .payload_bytes = 1000})},
      {"QUIC", datagram({0x43})},
      {"QUIC with a SCONE packet", datagram({0xff, 0xef, 0x7d, 0xc0, 0xfd, 0, 0})},
  };
};

// What rules of that which `fair` spares add to a packet that no window controls: without one, with
// one that names it, with the last of eight that does, and with eight of which none does.
class Rules {
 public:
  Rules() {
    const std::vector<std::string> others = {"udp port 1",  "udp port 2", "dscp=cs1", "tcp",
                                             "10.1.0.0/16", "mark 9",     "fd00::/64"};
    std::vector<std::vector<std::string>> rules = {{}, {"udp port 443"}, others, others};
    rules[2].push_back("udp port 443");
    rules[3].push_back("udp port 3");
    for (const std::vector<std::string>& each : rules) {
      penstock::gw::Settings s;
      s.rate = "10gbit";
      s.method = "penstock";
      s.source = "kernel";
      if (!each.empty()) s.spare = each;
      gateways_.push_back(std::make_unique<GatewayUnderTest>(s));
      least_ns_.push_back(std::numeric_limits<double>::max());
    }
  }

  void run() {
    for (std::size_t i = 0; i < gateways_.size(); ++i)
      least_ns_[i] =
          std::min(least_ns_[i], mean_ns(gateways_[i]->fd("penstock_forward"), packet_, kRepeat));
  }

  void print(double loop_ns) const {
    std::printf("penstock, UDP out, rules: none, its own, its own as the last of 8, 8 of others\n");
    for (const double ns : least_ns_) std::printf("%6.0f ns", ns - loop_ns);
    std::printf("\n");
  }

 private:
  std::vector<std::unique_ptr<GatewayUnderTest>> gateways_;
  std::vector<double> least_ns_;
  Bytes packet_ = datagram({.sender_port = 30'000, .receiver_port = 443});
};

}  // namespace

int main(int argc, char** argv) {
  if (const std::string reason = why_not(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 77;
  }
  keep_kernel_time();
  std::vector<const char*> methods(argv + 1, argv + argc);
  const bool whole = methods.empty();
  if (whole)
    methods = {"droptail", "ewt", "share", "integral", "penstock", "fewa", "sap_law", "pink"};
  std::vector<std::unique_ptr<Measured>> all;
  for (const char* method : methods) {
    for (const std::uint32_t source : {GW_QUEUE_KERNEL, GW_QUEUE_VIRTUAL})
      all.push_back(std::make_unique<Measured>(method, source));
    if (all.back()->divides()) all.push_back(std::make_unique<Measured>(method));
  }
  std::optional<Advice> advice;
  std::optional<Rules> rules;
  if (whole) {
    for (const std::uint32_t shapes : {0U, 1U, 10'000U})
      all.push_back(std::make_unique<Measured>("virtual", shapes, kFastBytesPerS));
    all.push_back(std::make_unique<Measured>("passive", 0, kFastBytesPerS));
    advice.emplace();
    rules.emplace();
  }
  const int empty = empty_program();
  const Bytes nothing = packet({}, {});
  double loop = std::numeric_limits<double>::max();
  for (int i = 0; i < kRounds; ++i) {
    loop = std::min(loop, mean_ns(empty, nothing, kRepeat));
    for (const auto& each : all) each->run();
    if (advice) advice->run();
    if (rules) rules->run();
  }
  for (const auto& each : all) each->print(loop);
  if (!advice) return 0;
  report("ACK rewritten, summed, ewt, virtual", least_written_ns(), loop);
  advice->print(loop);
  rules->print(loop);
  return 0;
}

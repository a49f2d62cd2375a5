// SPDX-License-Identifier: GPL-2.0-only
// What one decision, one rewrite and one event cost.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "bench/dumbbell.h"
#include "core/control/describe.h"
#include "core/rewrite/window.h"
#include "sim/engine/wheel.h"
#include "sim/net/packet.h"

namespace penstock::bench {
namespace {

constexpr std::uint64_t kBufferBytes = 97'000;
constexpr std::size_t kInputs = 4096;  // a power of two

// Queue levels over the whole buffer, so that no branch is always the same.
std::vector<pst_queue> queues() {
  std::mt19937_64 random(1);
  std::vector<pst_queue> all(kInputs);
  std::uint64_t now_ns = 0;
  for (pst_queue& q : all) {
    now_ns += random() % 1'000'000;
    q.now_ns = now_ns;
    q.bytes = random() % kBufferBytes;
    q.packets = q.bytes / 1500;
    q.limit_bytes = kBufferBytes;
    q.rate_bytes_per_s = 45'000'000 / 8;
    q.flows = 24;
    q.mss_bytes = 1458;
    q.random = static_cast<std::uint32_t>(random());
  }
  return all;
}

struct Method {
  explicit Method(std::uint32_t method) : number(method) {
    pst_method_defaults(number, &params, kBufferBytes);
    pst_control_init(number, &params, &state, &inputs[0]);
  }

  std::uint32_t number;
  pst_params params{};
  pst_state state{};
  std::vector<pst_queue> inputs = queues();
};

void control_enqueue(benchmark::State& state, std::uint32_t number) {
  Method m(number);
  const pst_packet packet{1498, true, 0};
  std::size_t i = 0;
  for (auto _ : state) {
    const pst_queue& q = m.inputs[i++ % kInputs];
    benchmark::DoNotOptimize(pst_control_enqueue(number, &m.params, &m.state, &q, &packet));
  }
}

void control_ack(benchmark::State& state, std::uint32_t number) {
  Method m(number);
  const pst_ack ack{131'072, 0, 1458, 4};
  std::size_t i = 0;
  for (auto _ : state) {
    const pst_queue& q = m.inputs[i++ % kInputs];
    benchmark::DoNotOptimize(pst_control_ack(number, &m.params, &m.state, &q, &ack));
  }
}

void rewrite_window(benchmark::State& state, std::uint32_t mode) {
  pst_flow flow{};
  pst_flow_on_syn(&flow, true, 7);
  pst_flow_on_syn(&flow, false, 2);
  flow.mss_bytes = 1458;
  pst_ack_header header{1, 32'768, false, true};
  std::uint64_t allowed_bytes = 0;
  for (auto _ : state) {
    pst_flow_on_data(&flow, header.ack, 1458);
    header.ack += 1458;
    allowed_bytes = (allowed_bytes + 977) % 131'072;
    pst_rewrite out{};
    if (!pst_rewrite_bypassed(&flow, mode, &header, &out))
      out = pst_rewrite_window(&flow, mode, &header, allowed_bytes);
    pst_rewrite_commit(&flow, &header, out.field);
    benchmark::DoNotOptimize(out);
  }
}

// The hold model: take the next event, put one back, with `pending` in the queue.
void event_queue(benchmark::State& state) {
  const auto pending = static_cast<std::uint32_t>(state.range(0));
  constexpr std::uint32_t kBucketShift = 16;
  engine::Wheel<net::Record> wheel(kBucketShift);
  std::mt19937_64 random(1);
  const std::uint64_t spread_ns = (2ULL << kBucketShift) * pending;
  const auto push = [&](std::uint64_t after_ns) {
    const std::uint32_t index = wheel.pool().take();
    wheel.pool()[index].time_ns = after_ns + random() % spread_ns;
    wheel.push(index);
  };
  for (std::uint32_t i = 0; i < pending; ++i) push(0);
  for (auto _ : state) {
    const std::uint32_t index = wheel.pop();
    const std::uint64_t now_ns = wheel.pool()[index].time_ns;
    wheel.pool().give_back(index);
    push(now_ns);
  }
}

void whole_run(benchmark::State& state) {
  Dumbbell dumbbell;
  dumbbell.flows = static_cast<std::uint32_t>(state.range(0));
  const net::Network network = dumbbell.build();
  std::uint64_t segments = 0;
  for (auto _ : state) segments += delivered_segments(dumbbell, network.run(3'600'000'000'000));
  state.counters["segments"] =
      benchmark::Counter(static_cast<double>(segments), benchmark::Counter::kIsRate);
}

void register_all() {
  for (std::uint32_t i = 0; i < PST_METHOD_COUNT; ++i) {
    const std::string name = pst_method_rows[i].name;
    benchmark::RegisterBenchmark(("enqueue/" + name).c_str(), control_enqueue, i);
    if (pst_control_has_ack(i))
      benchmark::RegisterBenchmark(("ack/" + name).c_str(), control_ack, i);
  }
  benchmark::RegisterBenchmark("rewrite/safe", rewrite_window, PST_SAFE);
  benchmark::RegisterBenchmark("rewrite/strict", rewrite_window, PST_STRICT);
  benchmark::RegisterBenchmark("rewrite/literal", rewrite_window, PST_LITERAL);
  benchmark::RegisterBenchmark("event_queue", event_queue)->Arg(100)->Arg(1'000)->Arg(100'000);
  benchmark::RegisterBenchmark("dumbbell", whole_run)->Arg(24)->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace penstock::bench

int main(int argc, char** argv) {
  penstock::bench::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}

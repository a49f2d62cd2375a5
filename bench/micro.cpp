// SPDX-License-Identifier: GPL-2.0-only
// What one decision, one rewrite and one event cost.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "bench/dumbbell.h"
#include "core/describe.h"
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

struct Gateway {
  explicit Gateway(std::uint32_t variant) {
    pst_variant_config(&port.config, variant, kBufferBytes);
    pst_port_init(&port, &inputs[0]);
  }

  pst_port port{};
  pst_gateway_flow flow{};
  std::vector<pst_queue> inputs = queues();
};

void gateway_arrive(benchmark::State& state, std::uint32_t variant) {
  Gateway g(variant);
  const pst_packet packet{
      0, 1498, PST_KIND_CONTROLLED, PST_ECT0, false, true, nullptr, nullptr, nullptr, 0};
  std::size_t i = 0;
  for (auto _ : state) {
    pst_queue& q = g.inputs[i++ % kInputs];
    benchmark::DoNotOptimize(pst_port_arrive(&g.port, &q, &packet));
  }
}

void gateway_allowed(benchmark::State& state, std::uint32_t variant) {
  Gateway g(variant);
  const pst_ack ack{131'072, 0, 1458, 4, 0, 0, 0, false, false};
  std::size_t i = 0;
  for (auto _ : state) {
    pst_queue& q = g.inputs[i++ % kInputs];
    benchmark::DoNotOptimize(pst_stage_allow(&g.port, &g.flow, nullptr, &q, &ack));
  }
}

void gateway_tick(benchmark::State& state, std::uint32_t variant) {
  Gateway g(variant);
  std::size_t i = 0;
  for (auto _ : state) {
    const pst_queue& q = g.inputs[i++ % kInputs];
    benchmark::DoNotOptimize(
        pst_law_tick(g.port.config.law, &g.port.config.law_params, &g.port.state.law, &q));
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
    const net::Record& next = *wheel.pop();
    const std::uint64_t now_ns = next.time_ns;
    wheel.pool().give_back(next.next);
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
  for (std::uint32_t i = 0; i < PST_VARIANT_COUNT; ++i) {
    const pst_variant_row& row = pst_variant_rows[i];
    const std::string name = row.name;
    benchmark::RegisterBenchmark(("arrive/" + name).c_str(), gateway_arrive, i);
    if (pst_law_is(row.law, PST_TRAIT_LIMITS))
      benchmark::RegisterBenchmark(("ack/" + name).c_str(), gateway_allowed, i);
    if (pst_law_is(row.law, PST_TRAIT_TICKS))
      benchmark::RegisterBenchmark(("tick/" + name).c_str(), gateway_tick, i);
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

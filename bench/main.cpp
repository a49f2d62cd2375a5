// SPDX-License-Identifier: GPL-2.0-only
// Plays the dumbbell once and prints what it took, as one JSON object.
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/dumbbell.h"
#include "core/describe.h"

namespace penstock::bench {
namespace {

constexpr std::uint64_t kHourNs = 3'600'000'000'000;

std::uint64_t number(std::string_view option, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument(std::string(option) + " takes a whole number, not '" +
                                std::string(text) + "'");
  return value;
}

std::uint32_t variant(const char* name) {
  const std::uint32_t found = pst_variant_find(name);
  if (found == PST_VARIANT_COUNT)
    throw std::invalid_argument("no method '" + std::string(name) + "'");
  return found;
}

Dumbbell parse(int argc, char** argv) {
  Dumbbell d;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const std::string_view value = argv[i + 1];
    if (option == "--flows")
      d.flows = static_cast<std::uint32_t>(number(option, value));
    else if (option == "--size-bytes")
      d.size_bytes = number(option, value);
    else if (option == "--rate-bps")
      d.rate_bps = number(option, value);
    else if (option == "--queue-bytes")
      d.queue_bytes = number(option, value);
    else if (option == "--pages")
      d.pages = number(option, value);
    else if (option == "--seed")
      d.seed = number(option, value);
    else if (option == "--method")
      d.variant = variant(argv[i + 1]);
    else
      throw std::invalid_argument("no option '" + std::string(option) + "'");
  }
  if (argc % 2 == 0) throw std::invalid_argument("every option takes a value");
  return d;
}

// From /proc, since getrusage() would count what ran here before exec().
std::uint64_t peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return 0;
}

void play(const Dumbbell& d) {
  const net::Network network = d.build();
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  const net::Result result = network.run(kHourNs);
  const double cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (!result.all_done) throw std::runtime_error("not all flows were done within an hour");
  std::printf("{\"flows\": %u, \"segments\": %" PRIu64 ", \"events\": %" PRIu64
              ", \"end_s\": %.3f, \"cpu_s\": %.6f, \"wall_s\": %.6f, \"peak_rss_bytes\": %" PRIu64
              "}\n",
              d.flows, delivered_segments(d, result), result.events,
              static_cast<double>(result.end_ns) * 1e-9, cpu_s, wall.count(), peak_rss_bytes());
}

}  // namespace
}  // namespace penstock::bench

int main(int argc, char** argv) {
  try {
    penstock::bench::play(penstock::bench::parse(argc, argv));
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr,
                 "dumbbell: %s\nusage: dumbbell [--flows N] [--size-bytes N] [--rate-bps N] "
                 "[--queue-bytes N] [--pages N] [--seed N] [--method NAME]\n",
                 e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "dumbbell: %s\n", e.what());
    return 1;
  }
}

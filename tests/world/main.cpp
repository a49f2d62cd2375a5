// SPDX-License-Identifier: GPL-2.0-only
// Plays worlds: those of the seeds --seeds FROM:TO, for --seconds at most, or the script in a file.
// --method NAME: all of them with this one.
// The first that fails is cut to what it needs, and printed as a script.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "tests/world/judge.h"

namespace {

using namespace penstock::world;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

int usage() {
  std::cerr << "usage: penstock-world [--seeds FROM:TO] [--seconds S] [--method NAME]\n"
               "       penstock-world --script FILE\n";
  return 2;
}

int play_script(const std::string& path) {
  const Verdict v = judge(read_script(path));
  std::cout << (v.broken.empty() ? "holds" : v.broken) << '\n';
  return v.broken.empty() ? 0 : 1;
}

// Worlds as the seeds draw them; with the method that is asked for, if one is.
struct Worlds {
  std::optional<u64> method;  // index into kMethods

  Script operator()(u64 seed) const {
    Script script = script_of(seed);
    script.settings.method = method.value_or(script.settings.method);
    return script;
  }
};

u64 index_of(const std::string& method) {
  const auto at = std::find(std::begin(kMethods), std::end(kMethods), method);
  if (at != std::end(kMethods)) return static_cast<u64>(at - std::begin(kMethods));
  std::string known;
  for (const char* name : kMethods) known += std::string(" ") + name;
  throw std::runtime_error("--method " + method + ": worlds know" + known);
}

void report(u64 seed, const Verdict& v, const Script& script) {
  std::cout << "# seed " << seed << ": " << v.broken << '\n';
  const Script small = shrunk(script);
  std::cout << "# " << small.flows.size() << " of its connections and " << small.events.size()
            << " of its events: " << judge(small).broken << '\n'
            << text_of(small);
}

int play_seeds(u64 from, u64 to, double seconds, const Worlds& worlds) {
  const auto begun = Clock::now();
  double said = 0, hours = 0;
  u64 seed = from, packets = 0, judged = 0;
  int failed = 0;
  for (; seed < to && !failed && seconds_since(begun) < seconds; ++seed) {
    const Script script = worlds(seed);
    const Verdict v = judge(script);
    hours += static_cast<double>(v.simulated_ns) / 3.6e12;
    packets += v.packets;
    judged += v.judged;
    if (!v.broken.empty()) {
      report(seed, v, script);
      failed = 1;
    }
    if (const double now = seconds_since(begun); now > said + 10) {
      said = now;
      std::cerr << "seed " << seed << ", " << hours << " h, " << now << " s\n";
    }
  }
  std::printf("%llu worlds, %.1f simulated hours, %llu packets, %llu connections in %.1f s: %s\n",
              static_cast<unsigned long long>(seed - from), hours,
              static_cast<unsigned long long>(packets), static_cast<unsigned long long>(judged),
              seconds_since(begun), failed ? "FAILED" : "all hold");
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  u64 from = 1, to = ~0ULL;
  double seconds = 1e9;
  Worlds worlds;
  try {
    for (int i = 1; i + 1 < argc; i += 2) {
      const std::string option = argv[i], value = argv[i + 1];
      if (option == "--seeds") {
        const auto colon = value.find(':');
        if (colon == std::string::npos) return usage();
        from = std::stoull(value.substr(0, colon));
        to = std::stoull(value.substr(colon + 1));
      } else if (option == "--seconds") {
        seconds = std::stod(value);
      } else if (option == "--method") {
        worlds.method = index_of(value);
      } else if (option == "--script") {
        return play_script(value);
      } else {
        return usage();
      }
    }
    if (argc % 2 == 0) return usage();
    return play_seeds(from, to, seconds, worlds);
  } catch (const std::exception& error) {
    std::cerr << "penstock-world: " << error.what() << '\n';
    return 2;
  }
}

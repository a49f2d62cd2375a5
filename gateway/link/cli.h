// SPDX-License-Identifier: GPL-2.0-only
// Command lines of the live lab's programs: long options, -j, --help, positionals.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

// Exit codes, as everywhere in Penstock.
enum Exit { kOk = 0, kFailure = 1, kUsage = 2, kSkipped = 77 };

struct Option {
  std::string name;     // "--delay"
  std::string metavar;  // "TIME"; empty: a flag, `set` gets ""
  std::string help;
  std::function<void(std::string_view)> set;
};

// Hands options to their setters ("--delay 5ms" and "--delay=5ms" alike) and returns the
// other arguments. Throws UsageError that names the option. "--" ends the options.
std::vector<std::string> parse_arguments(const std::vector<Option>& options, int count,
                                         const char* const* arguments);

// The options as --help shows them.
std::string describe(const std::vector<Option>& options);

// Runs `body`, and turns what it throws into one line on stderr and an exit code.
int run_program(const char* name, const std::function<int()>& body);

// A system call that failed: "what: reason". No permission, or no such feature: exit 77.
[[noreturn]] void throw_errno(const std::string& what);

}  // namespace penstock

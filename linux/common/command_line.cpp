// SPDX-License-Identifier: GPL-2.0-only
#include "linux/common/command_line.h"

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <typeinfo>

#include "linux/common/error.h"

namespace penstock {
namespace {

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// What is wrong with the arguments. CLI11 asks for a command without naming the word that is none.
std::string mistake_of(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  const std::vector<std::string> rest = app.remaining(true);
  if (!command->get_require_subcommand_min() || rest.empty()) return error.what();
  return "there is no command '" + rest.front() + "'; " + app.get_name() + " --help lists them";
}

// Says on stderr that memory ran out, and needs none for it.
void tell_no_memory() noexcept {
  char line[300];
  std::snprintf(line, sizeof line, "%s: out of memory%s\n", program_invocation_short_name,
                memory_limits().text);
  if (write(STDERR_FILENO, line, std::strlen(line)) < 0) return;  // nobody listens
}

std::terminate_handler g_otherwise;

// Memory can run out before main(), in it, and while run_program() words an error.
void end_without_memory() {
  const std::type_info* thrown = abi::__cxa_current_exception_type();
  if (!thrown || *thrown != typeid(std::bad_alloc)) g_otherwise();
  tell_no_memory();
  std::_Exit(kFailed);
}

// Before the objects of all files, of which some allocate.
[[gnu::constructor(101)]] void watch_memory() {
  g_otherwise = std::set_terminate(end_without_memory);
}

}  // namespace

int run_program(CLI::App& app, int count, const char* const* arguments,
                const std::function<int()>& body) {
  const auto complain = [&app](const std::string& what, int code) {
    std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), one_line(what).c_str());
    return code;
  };
  try {
    app.parse(count, arguments);
    return body();
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return complain(mistake_of(app, error), kUsage);
  } catch (const Error& error) {
    return complain(error.what(), error.code);
  } catch (const std::bad_alloc&) {
    tell_no_memory();
    return kFailed;
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}

std::string mistake_in(CLI::App& app, const std::vector<std::string>& arguments) {
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return mistake_of(app, error);
  }
  return "";
}

}  // namespace penstock

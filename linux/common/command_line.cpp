// SPDX-License-Identifier: GPL-2.0-only
#include "linux/common/command_line.h"

#include <algorithm>
#include <cstdio>
#include <new>

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
    return complain("out of memory" + limits_of(ENOMEM), kFailed);
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

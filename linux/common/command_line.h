// SPDX-License-Identifier: GPL-2.0-only
// Command lines by CLI11, with Penstock's one-line messages and exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace penstock {

// Parses the command line and calls `body`; an exception of either becomes one line on stderr and
// an exit code.
int run_program(CLI::App& app, int count, const char* const* arguments,
                const std::function<int()>& body);

// The error in the command line, as run_program() reports it; empty if there is none.
std::string mistake_in(CLI::App& app, const std::vector<std::string>& arguments);

// An option whose text `parse` converts, and whose value `take` receives. The messages of `parse`
// (std::invalid_argument) are prefixed with the option's long name.
template <typename Parse, typename Take>
CLI::Option* add_parsed(CLI::App* app, const std::string& names, const char* type,
                        const std::string& help, Parse parse, Take take) {
  const std::string name = names.substr(names.find("--"));
  const auto set = [name, parse, take](const std::string& text) {
    try {
      take(parse(text));
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(name, error.what());
    }
  };
  return app->add_option_function<std::string>(names, set, help)->type_name(type);
}

}  // namespace penstock

// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/link/cli.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <system_error>

#include "gateway/link/units.h"

namespace penstock {
namespace {

const Option& find(const std::vector<Option>& options, std::string_view name) {
  for (const Option& option : options)
    if (option.name == name) return option;
  throw UsageError("there is no option " + std::string(name) + "; --help lists them");
}

void apply(const Option& option, std::string_view value) {
  try {
    option.set(value);
  } catch (const UsageError& error) {
    throw UsageError(option.name + ": " + error.what());
  }
}

}  // namespace

std::vector<std::string> parse_arguments(const std::vector<Option>& options, int count,
                                         const char* const* arguments) {
  std::vector<std::string> others;
  bool only_others = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view text = arguments[i];
    if (only_others || text.size() < 2 || text[0] != '-') {
      others.emplace_back(text);
      continue;
    }
    if (text == "--") {
      only_others = true;
      continue;
    }
    const std::size_t equals = text.find('=');
    const Option& option = find(options, text.substr(0, equals));
    const bool has_value = equals != std::string_view::npos;
    if (option.metavar.empty()) {
      if (has_value) throw UsageError(option.name + " takes no value");
      apply(option, "");
    } else if (has_value) {
      apply(option, text.substr(equals + 1));
    } else if (++i < count) {
      apply(option, arguments[i]);
    } else {
      throw UsageError(option.name + " needs a value: " + option.name + " " + option.metavar);
    }
  }
  return others;
}

std::string describe(const std::vector<Option>& options) {
  constexpr std::size_t kColumn = 26;
  std::string text;
  for (const Option& option : options) {
    std::string left = "  " + option.name + (option.metavar.empty() ? "" : " " + option.metavar);
    left.resize(std::max(kColumn, left.size() + 2), ' ');
    text += left + option.help + "\n";
  }
  return text;
}

int run_program(const char* name, const std::function<int()>& body) {
  try {
    return body();
  } catch (const UsageError& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return kUsage;
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    const int number = error.code().value();
    return number == EPERM || number == EACCES ? kSkipped : kFailure;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return kFailure;
  }
}

void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace penstock

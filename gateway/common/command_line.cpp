// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/common/command_line.h"

#include <algorithm>
#include <cstdio>

#include "gateway/common/error.h"

namespace penstock {
namespace {

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
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
    return complain(error.what(), kUsage);
  } catch (const Error& error) {
    return complain(error.what(), error.code);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}

std::string mistake_in(CLI::App& app, const std::vector<std::string>& arguments) {
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

}  // namespace penstock

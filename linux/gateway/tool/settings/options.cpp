// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/options.h"

#include <string>
#include <vector>

namespace penstock::gw {

namespace {

void add_setting(CLI::App* command, const SettingRow& row, SettingTEXT& text) {
  command->add_option(row.option, text, row.help);
}

// By a function, as the next: CLI11 2.1 sets an optional that is not on the command line.
void add_setting(CLI::App* command, const SettingRow& row, SettingFLAG& flag) {
  command->add_flag_function(row.option, [&flag](std::int64_t sum) { flag = sum > 0; }, row.help);
}

void add_setting(CLI::App* command, const SettingRow& row, SettingLIST& list) {
  command->add_option_function<std::vector<std::string>>(
      row.option, [&list](const std::vector<std::string>& all) { list = all; }, row.help);
}

}  // namespace

void add_params(CLI::App* command, Settings& settings) {
  command->add_option_function<std::vector<std::string>>(
      "-p,--param",
      [&settings](const std::vector<std::string>& pairs) {
        for (const std::string& pair : pairs) {
          const std::size_t at = pair.find('=');
          if (at == std::string::npos)
            throw CLI::ValidationError("--param", "'" + pair + "' is not KEY=VALUE");
          settings.params[pair.substr(0, at)] = pair.substr(at + 1);
        }
      },
      "KEY=VALUE of the method; may be repeated");
}

void add_settings(CLI::App* command, Settings& settings, SettingOptions which) {
  for_each_setting([&](const SettingRow& row, auto member) {
    if (which == SettingOptions::kAttach || row.change != SettingChange::ATTACH)
      add_setting(command, row, settings.*member);
  });
  add_params(command, settings);
}

}  // namespace penstock::gw

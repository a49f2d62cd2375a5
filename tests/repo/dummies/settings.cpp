// SPDX-License-Identifier: GPL-2.0-only
// What a copy of the gateway's tool makes of its rows: its arguments are options, what it prints is
// the help, the configuration, the configuration read back and written again, and JSON. What checks
// the values needs core/, and has no part in this.
#include <cstdio>
#include <fstream>
#include <iostream>

#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/config.h"
#include "linux/gateway/tool/settings/discipline.h"
#include "linux/gateway/tool/settings/options.h"
#include "linux/gateway/tool/settings/spare.h"
#include "linux/gateway/tool/settings/target.h"

namespace penstock::gw {

Plan plan_of(const Settings& /*settings*/, Below /*below*/) { return {}; }
bool is_of_fair(const std::string& /*key*/, const std::optional<std::string>& /*method*/) {
  return false;
}
void override_target(Settings& /*settings*/, const Settings& /*later*/) {}
SettingLIST spare_of(Settings& /*settings*/, const Settings& later) { return later.spare; }

}  // namespace penstock::gw

int main(int argc, char** argv) {
  using namespace penstock::gw;
  CLI::App app("settings");
  Settings given, all;
  add_settings(&app, given, SettingOptions::kSet);
  app.parse(argc, argv);
  all.override_with(given);
  std::cout << app.help() << "--\n" << to_toml("wan0", all) << "--\n";
  std::ofstream("settings.toml") << to_toml("wan0", all);
  std::cout << to_toml("wan0", configured("settings.toml", "wan0")) << "--\n";
  nlohmann::ordered_json json;
  put_settings(all, json);
  std::cout << json.dump() << "\n--\n";
  std::ofstream("settings.toml") << "[wan0]\nnonsense = 1\n";
  try {
    configured("settings.toml", "wan0");
  } catch (const penstock::Error& error) {
    std::cout << error.what() << "\n--\n";
  }
  try {
    quantity_of(setting::dummy, "11s");
  } catch (const penstock::Error& error) {
    std::cout << error.what() << "\n--\n";
  }
  return 0;
}

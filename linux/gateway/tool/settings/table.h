// SPDX-License-Identifier: GPL-2.0-only
// An operator's settings: the same rows on the command line, in TOML and in JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "linux/gateway/tool/settings/rows.h"

namespace penstock::gw {

using SettingTEXT = std::optional<std::string>;
using SettingFLAG = std::optional<bool>;
using SettingLIST = std::optional<std::vector<std::string>>;

// Unset means not given. A later source of settings overrides an earlier one.
struct Settings {
#define GW_FIELD(form, name, ...) Setting##form name;
  GW_SETTING_ROWS(GW_FIELD)
#undef GW_FIELD
  std::map<std::string, std::string> params;  // of the method, by the names of its page
  bool automatic = false;                     // `auto = true`: see automatic.h

  void override_with(const Settings& later);
};

// As the rows write them.
enum class SettingType { RATE, SIZE, TIME, COUNT, WORD, WORDS, DEVICE, SWITCH };
enum class SettingChange { LIVE, FIXED, ATTACH };

struct SettingRow {
  const char* key;
  const char* option;
  SettingType type;
  const char* values;
  std::uint64_t least;
  std::uint64_t most;
  const char* initial;
  SettingChange change;
  const char* help;
};

namespace setting {
#define GW_ROW(form, name, key, option, type, values, least, most, initial, change, example, help, \
               manual)                                                                             \
  inline constexpr SettingRow name{key,  option,  SettingType::type,     values, least,            \
                                   most, initial, SettingChange::change, help};
GW_SETTING_ROWS(GW_ROW)
#undef GW_ROW
}  // namespace setting

// Calls `visit(row, member)` for each setting, where `member` is that of Settings.
template <typename Visit>
void for_each_setting(Visit visit) {
#define GW_VISIT(form, name, ...) visit(setting::name, &Settings::name);
  GW_SETTING_ROWS(GW_VISIT)
#undef GW_VISIT
}

// "rate, overhead, ..."
std::string setting_keys();

// The place of a value, or of the initial one if none is given, among the row's words. Throws
// Error(kUsage) that names the key, as all of these do.
std::uint32_t word_of(const SettingRow& row, const std::optional<std::string>& value);

// The word at a place; of none, the first.
std::string word_at(const SettingRow& row, std::uint32_t place);

// "one, two": all of them.
std::string words_text(const SettingRow& row);

// A quantity in the row's unit.
std::uint64_t parse_quantity(const SettingRow& row, const std::string& text);

// And within the row's range.
std::uint64_t quantity_of(const SettingRow& row, const std::string& text);
void require_range(const SettingRow& row, const std::string& text, std::uint64_t value);

}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/table.h"

#include <sstream>
#include <stdexcept>

#include "linux/common/quantity.h"
#include "linux/gateway/tool/settings/discipline.h"
#include "linux/gateway/tool/settings/spare.h"
#include "linux/gateway/tool/settings/target.h"
#include "linux/gateway/tool/settings/words.h"

namespace penstock::gw {

namespace {

// Parameters belong to a method: a change of method discards them, and what else is a method's.
void drop_replaced(Settings& s, const Settings& later) {
  if (later.method && later.method != s.method) {
    s.params.clear();
    s.target.reset();
    s.fair.reset();
    s.discipline.reset();
    s.signal.reset();
  }
  // So does one of discipline, except the target, which is the law's as well.
  if (later.discipline && later.discipline != s.discipline) {
    s.params.clear();
    s.fair.reset();
    s.signal.reset();
  }
  if (later.fair && later.fair != s.fair) {
    std::erase_if(s.params, [&s](const auto& param) { return is_of_fair(param.first, s.method); });
  }
  override_target(s, later);
}

std::string form_quantity(const SettingRow& row, std::uint64_t value) {
  switch (row.type) {
    case SettingType::RATE:
      return form_rate(value);
    case SettingType::SIZE:
      return form_size(value);
    case SettingType::TIME:
      return form_time(value);
    default:
      return std::to_string(value);
  }
}

std::vector<std::string> words(const SettingRow& row) {
  std::vector<std::string> all;
  std::istringstream values(row.values);
  for (std::string word; std::getline(values, word, '|');) all.push_back(word);
  return all;
}

}  // namespace

void Settings::override_with(const Settings& later) {
  const SettingLIST both = spare_of(*this, later);
  drop_replaced(*this, later);
  for_each_setting([&](const SettingRow&, auto member) {
    if (later.*member) this->*member = later.*member;
  });
  spare = both;
  for (const auto& [key, value] : later.params) params[key] = value;
}

std::string setting_keys() {
  std::vector<const char*> keys;
  for_each_setting([&keys](const SettingRow& row, auto) { keys.push_back(row.key); });
  return listed(keys);
}

std::uint32_t word_of(const SettingRow& row, const std::optional<std::string>& value) {
  return choice(row.key, value, words(row), row.initial);
}

std::string word_at(const SettingRow& row, std::uint32_t place) {
  const std::vector<std::string> all = words(row);
  return all[place < all.size() ? place : 0];
}

std::string words_text(const SettingRow& row) { return listed(words(row)); }

std::uint64_t parse_quantity(const SettingRow& row, const std::string& text) {
  try {
    switch (row.type) {
      case SettingType::RATE:
        return parse_rate_bps(text);
      case SettingType::SIZE:
        return parse_size_bytes(text);
      case SettingType::TIME:
        return parse_time_ns(text);
      default:
        return parse_count(text);
    }
  } catch (const std::invalid_argument& e) {
    refuse(row.key, e.what());
  }
}

std::uint64_t quantity_of(const SettingRow& row, const std::string& text) {
  const std::uint64_t value = parse_quantity(row, text);
  require_range(row, text, value);
  return value;
}

void require_range(const SettingRow& row, const std::string& text, std::uint64_t value) {
  if (value < row.least || value > row.most)
    refuse(row.key, text + " is not in " + form_quantity(row, row.least) + " .. " +
                        form_quantity(row, row.most));
}

}  // namespace penstock::gw

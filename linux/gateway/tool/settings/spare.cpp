// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/spare.h"

#include <algorithm>
#include <stdexcept>

#include "core/describe.h"
#include "linux/gateway/tool/settings/spare_rule.h"
#include "linux/gateway/tool/settings/words.h"

namespace penstock::gw {

namespace {

constexpr const char* kSpareParam = "spare_q16";  // of `fair`
constexpr const char* kSpareKey = "spare";        // of both
constexpr const char* kNone = "none";             // no rules

bool is_part(const std::string& text) {
  return text == "0" || (text.ends_with('%') && text.find(' ') == std::string::npos);
}

bool is_rule(const std::string& text) { return !is_part(text); }

// The texts of `list` for which `is` holds; nothing if there are none.
SettingLIST only(const SettingLIST& list, bool (*is)(const std::string&)) {
  if (!list || std::ranges::none_of(*list, is)) return std::nullopt;
  SettingLIST some = list;
  std::erase_if(*some, [is](const std::string& text) { return !is(text); });
  return some;
}

bool is_none(const SettingLIST& rules) {
  return rules && rules->size() == 1 && rules->front() == kNone;
}

void set_part(const Settings& s, const std::string& text, Plan& plan) {
  if (s.params.contains(kSpareKey)) refuse(kSpareKey, "is given twice, as param spare too");
  try {
    plan.params_given |= take_param(plan.config, kSpareKey, text);
  } catch (const Error&) {
    refuse(kSpareKey, "'" + text + "' is not in 0% .. 100%");
  }
}

pst_rule rule_of(const std::string& text) {
  try {
    return spare_rule_of(text);
  } catch (const std::invalid_argument& e) {
    refuse(kSpareKey, e.what());
  }
}

void set_rules(const std::vector<std::string>& texts, gw_config& c) {
  if (texts.size() > PST_MAX_RULES)
    refuse(kSpareKey, "there is room for " + std::to_string(PST_MAX_RULES) + " rules, not for " +
                          std::to_string(texts.size()));
  for (const std::string& text : texts) {
    if (text == kNone) refuse(kSpareKey, "'none' stands beside rules: " + listed(texts));
    const pst_rule rule = rule_of(text);
    for (std::uint32_t i = 0; i < c.rule_count; ++i)
      if (same_packets(rule, c.rules[i]))
        refuse(kSpareKey, "'" + text + "' names the packets of '" + texts[i] + "' again");
    c.rules[c.rule_count++] = rule;
  }
}

bool is_fair(const gw_config& c) { return c.gateway.discipline == PST_DISCIPLINE_FAIR; }

bool changes(const SettingTEXT& before, const SettingTEXT& after) {
  return after && after != before;
}

// Whether a change of these leaves nothing of what was spared.
bool ends_sparing(const Settings& s, const Settings& later) {
  if (later.fair) return later.fair == "off";
  if (changes(s.discipline, later.discipline)) return later.discipline != "fair";
  if (!changes(s.method, later.method)) return false;
  for (std::uint32_t v = 0; v < PST_VARIANT_COUNT; ++v)
    if (later.method == pst_variant_rows[v].name) return !has_fair_by_default(v);
  return true;
}

}  // namespace

void set_spare(const Settings& s, Plan& plan) {
  if (!s.spare) return;
  const SettingLIST parts = only(s.spare, is_part), rules = only(s.spare, is_rule);
  if (!is_fair(plan.config) && !(is_none(rules) && !parts))
    refuse(kSpareKey, "nothing is held that could be spared: fair is off");
  if (parts && parts->size() > 1)
    refuse(kSpareKey, "is more than one part of the link: " + listed(*parts));
  if (parts) set_part(s, parts->front(), plan);
  if (rules && !is_none(rules)) set_rules(*rules, plan.config);
}

SettingLIST spare_of(Settings& s, const Settings& later) {
  const SettingLIST parts = only(later.spare, is_part), rules = only(later.spare, is_rule);
  if (parts) s.params.erase(kSpareKey);
  const bool ends = ends_sparing(s, later);
  const bool keeps_part = !ends && !changes(s.method, later.method) &&
                          !changes(s.discipline, later.discipline) &&
                          !later.params.contains(kSpareKey);
  std::vector<std::string> both;
  const auto put = [&both](const SettingLIST& given, const SettingLIST& before, bool keeps) {
    const SettingLIST& all = given || !keeps ? given : before;
    if (all) both.insert(both.end(), all->begin(), all->end());
  };
  put(parts, only(s.spare, is_part), keeps_part);
  put(rules, only(s.spare, is_rule), !ends);
  return both.empty() ? std::nullopt : SettingLIST(both);
}

std::string spare_part_text(const gw_config& c) {
  if (!is_fair(c)) return "";
  for (const ParamField& param : params_of(c.gateway))
    if (param.name == kSpareParam) return percent_text(*param.row, param.value);
  return "";
}

std::vector<std::string> spare_texts(const gw_config& c) {
  if (!is_fair(c)) return {};
  std::vector<std::string> all = spare_rule_texts(c);
  all.insert(all.begin(), spare_part_text(c));
  return all;
}

void show_spare_part(const gw_config& c, Settings& s) {
  if (is_fair(c) && s.params.erase(kSpareKey)) s.spare = {spare_part_text(c)};
}

void show_spare(const gw_config& c, Settings& s) {
  show_spare_part(c, s);
  const std::vector<std::string> rules = spare_rule_texts(c);
  if (rules.empty()) return;
  if (!s.spare) s.spare.emplace();
  s.spare->insert(s.spare->end(), rules.begin(), rules.end());
}

}  // namespace penstock::gw

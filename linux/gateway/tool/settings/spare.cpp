// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/spare.h"

#include <algorithm>

#include "core/describe.h"
#include "linux/gateway/tool/settings/words.h"

namespace penstock::gw {

namespace {

constexpr const char* kSpareParam = "spare_q16";  // of `fair`
constexpr const char* kSpareKey = "spare";        // of both

bool is_part(const std::string& text) {
  return text == "0" || (text.ends_with('%') && text.find(' ') == std::string::npos);
}

bool has_part(const SettingLIST& list) { return list && std::ranges::any_of(*list, is_part); }

void set_part(const Settings& s, const std::string& text, Plan& plan) {
  if (s.params.contains(kSpareKey)) refuse(kSpareKey, "is given twice, as param spare too");
  try {
    plan.params_given |= take_param(plan.config, kSpareKey, text);
  } catch (const Error&) {
    refuse(kSpareKey, "'" + text + "' is not in 0% .. 100%");
  }
}

}  // namespace

void set_spare(const Settings& s, Plan& plan) {
  if (!s.spare) return;
  if (plan.config.gateway.discipline != PST_DISCIPLINE_FAIR)
    refuse(kSpareKey, "nothing is held that could be spared: fair is off");
  if (std::ranges::count_if(*s.spare, is_part) > 1)
    refuse(kSpareKey, "is more than one part of the link: " + listed(*s.spare));
  for (const std::string& text : *s.spare) {
    if (!is_part(text)) refuse(kSpareKey, "'" + text + "' is not a part of the link, such as 50%");
    set_part(s, text, plan);
  }
}

SettingLIST spare_of(Settings& settings, const Settings& later) {
  if (has_part(later.spare)) settings.params.erase(kSpareKey);
  if (later.spare) return later.spare;
  return later.params.contains(kSpareKey) ? std::nullopt : settings.spare;
}

std::string spare_part_text(const gw_config& c) {
  if (c.gateway.discipline != PST_DISCIPLINE_FAIR) return "";
  for (const ParamField& param : params_of(c.gateway))
    if (param.name == kSpareParam) return percent_text(*param.row, param.value);
  return "";
}

void show_spare(const gw_config& c, Settings& s) {
  if (c.gateway.discipline == PST_DISCIPLINE_FAIR && s.params.erase(kSpareKey))
    s.spare = {spare_part_text(c)};
}

}  // namespace penstock::gw

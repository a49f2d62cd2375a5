// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/discipline.h"

#include <vector>

#include "core/describe.h"
#include "linux/gateway/tool/settings/words.h"

namespace penstock::gw {

namespace {

void put_discipline(gw_config& c, std::uint32_t discipline) {
  if (c.gateway.discipline == discipline) return;
  c.gateway.discipline = discipline;
  pst_gateway_defaults(&c.gateway, c.limit_bytes);
}

// True if the programs can carry out what it decides: at arrival, without a header of its own.
bool decides_in_kernel(std::uint32_t discipline) {
  return !pst_discipline_decides_at_departure(discipline) &&
         !pst_discipline_schedules(discipline) &&
         (discipline == PST_DISCIPLINE_CSFQ ||
          pst_discipline_feedback(discipline) == PST_FEEDBACK_NONE);
}

// True if it has early events, whose effect can be chosen.
bool has_early_events(std::uint32_t discipline) {
  return discipline != PST_DISCIPLINE_DROPTAIL && discipline != PST_DISCIPLINE_FAIR &&
         discipline != PST_DISCIPLINE_CSFQ;
}

std::string usable_disciplines(bool (*is)(std::uint32_t)) {
  std::vector<const char*> names;
  for (std::uint32_t i = 0; i < PST_DISCIPLINE_COUNT; ++i)
    if (decides_in_kernel(i) && is(i)) names.push_back(pst_discipline_rows[i].name);
  return listed(names);
}

// The discipline for all packets, in the place of the method's.
void set_discipline(const Settings& s, gw_config& c) {
  c.own_discipline = s.discipline.has_value();
  c.own_signal = s.signal.has_value();
  if (s.discipline) {
    const std::uint32_t number =
        pst_method_find(pst_discipline_rows, PST_DISCIPLINE_COUNT, s.discipline->c_str());
    if (number == PST_DISCIPLINE_COUNT || !decides_in_kernel(number))
      refuse("discipline", "'" + *s.discipline + "' is not one of " +
                               usable_disciplines([](std::uint32_t) { return true; }));
    put_discipline(c, number);
  }
  if (!s.signal) return;
  const char* names[PST_SIGNAL_COUNT];
  std::ranges::transform(pst_signal_rows, names, &pst_name_row::name);
  c.gateway.signal = choice("signal", s.signal, names, names[PST_SIGNAL_DROP]);
  if (!has_early_events(c.gateway.discipline))
    refuse("signal",
           std::string(pst_discipline_rows[c.gateway.discipline].name) +
               " has no early events; those that do: " + usable_disciplines(has_early_events));
}

// Whether what no window controls is held to its share, below the law.
void set_fair(const Settings& s, gw_config& c) {
  c.fair = word_of(setting::fair, s.fair);
  const std::uint32_t discipline = c.gateway.discipline;
  const bool is_plain = discipline == PST_DISCIPLINE_DROPTAIL || discipline == PST_DISCIPLINE_FAIR;
  if (c.fair == GW_FAIR_ON && !is_plain)
    refuse("fair", std::string("there is another discipline, ") +
                       pst_discipline_rows[discipline].name + ", and a queue has one");
  if (c.fair == GW_FAIR_OFF && c.gateway.law == PST_LAW_NONE && discipline == PST_DISCIPLINE_FAIR)
    refuse("fair", "it is all that is asked for; without: droptail");
  const bool is_on = c.fair == GW_FAIR_AUTO ? !c.own_discipline && has_fair_by_default(c.variant)
                                            : c.fair == GW_FAIR_ON;
  if (is_plain && !c.own_discipline)
    put_discipline(c, is_on ? PST_DISCIPLINE_FAIR : PST_DISCIPLINE_DROPTAIL);
}

std::uint32_t variant_of(const std::string& name) {
  const std::uint32_t variant = pst_variant_find(name.c_str());
  const std::string usable = usable_methods([](const pst_variant_row&) { return true; });
  if (variant == PST_VARIANT_COUNT)
    refuse("method", "no method is called '" + name + "'; there are " + usable);
  if (!works_in_kernel(variant))
    refuse("method",
           "'" + name +
               "' does not run in these programs: for what decides at dequeue use the kernel's "
               "own queue disciplines, with tc(8); else one of " +
               usable);
  return variant;
}

}  // namespace

bool is_of_fair(const std::string& key, const std::optional<std::string>& method) {
  const auto has = [&](const pst_method_row& row) {
    return pst_param_find(row.params, row.param_count, key.c_str()) != PST_NO_ROW;
  };
  const std::uint32_t variant = pst_variant_find(method.value_or(kDefaultMethod).c_str());
  const bool of_law =
      variant != PST_VARIANT_COUNT && has(pst_law_rows[pst_variant_rows[variant].law]);
  return !of_law && has(pst_discipline_rows[PST_DISCIPLINE_FAIR]);
}

void set_method(const Settings& s, gw_config& c) {
  c.variant = variant_of(s.method.value_or(
      s.discipline ? pst_variant_rows[PST_VARIANT_DROPTAIL].name : kDefaultMethod));
  pst_variant_config(&c.gateway, c.variant, c.limit_bytes);
  set_discipline(s, c);
  set_fair(s, c);
}

std::string usable_methods(bool (*is)(const pst_variant_row&)) {
  std::vector<const char*> names;
  for (std::uint32_t i = 0; i < PST_VARIANT_COUNT; ++i)
    if (works_in_kernel(i) && is(pst_variant_rows[i])) names.push_back(pst_variant_rows[i].name);
  return listed(names);
}

bool works_in_kernel(std::uint32_t variant) {
  const pst_variant_row& row = pst_variant_rows[variant];
  return decides_in_kernel(row.discipline) &&
         (pst_law_is(row.law, PST_TRAIT_LIMITS) || !*row.sender);
}

bool has_fair_by_default(std::uint32_t variant) {
  const pst_variant_row& row = pst_variant_rows[variant];
  return row.discipline == PST_DISCIPLINE_FAIR ||
         (row.discipline == PST_DISCIPLINE_DROPTAIL && pst_law_is(row.law, PST_TRAIT_LIMITS) &&
          variant != PST_VARIANT_PENSTOCK_ALONE);
}

const char* fair_text(const gw_config& c) {
  return c.gateway.discipline == PST_DISCIPLINE_FAIR ? "on" : "off";
}

}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
#include "sim/setup/config.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <variant>

namespace penstock::setup {

namespace {

[[noreturn]] void unknown(const std::string& what, const std::string& name) {
  throw std::invalid_argument("unknown " + what + " '" + name + "'");
}

// One field of Config by name: its type and, of words, its unit decide which values it takes.
template <class Config>
struct Field {
  const char* name;
  std::string_view unit;
  std::variant<bool Config::*, std::uint32_t Config::*, std::uint64_t Config::*, double Config::*,
               std::int32_t Config::*>
      member;
};

template <class T>
bool take(const Value& value, T& field) {
  if constexpr (std::is_same_v<T, bool>) {
    const bool* given = std::get_if<bool>(&value);
    if (given) field = *given;
    return given != nullptr;
  } else if constexpr (std::is_same_v<T, double>) {
    const double* given = std::get_if<double>(&value);
    const std::uint64_t* whole = std::get_if<std::uint64_t>(&value);
    if (given) field = *given;
    if (whole) field = static_cast<double>(*whole);
    return given || whole;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    double number = 0.0;
    if (!take(value, number) || !(number >= INT32_MIN && number <= INT32_MAX)) return false;
    field = static_cast<T>(number);
    return true;
  } else {
    const std::uint64_t* given = std::get_if<std::uint64_t>(&value);
    if (!given || *given > static_cast<T>(~T{0})) return false;
    field = static_cast<T>(*given);
    return true;
  }
}

// The number of a word of a unit such as "bytes|acks"; other values are as they are.
Value number_of_word(const char* name, std::string_view unit, const Value& value) {
  const std::string* word = std::get_if<std::string>(&value);
  if (!word || unit.find('|') == unit.npos) return value;
  std::uint64_t number = 0;
  for (std::string_view rest = unit;; ++number) {
    const std::size_t end = rest.find('|');
    if (rest.substr(0, end) == *word) return number;
    if (end == rest.npos) unknown(name + (" (" + std::string(unit) + ")"), *word);
    rest.remove_prefix(end + 1);
  }
}

template <class Config, std::size_t N>
bool set_field(Config& config, const Field<Config> (&fields)[N], const std::string& name,
               const Value& value) {
  for (const Field<Config>& field : fields) {
    if (name != field.name) continue;
    const Value given = number_of_word(field.name, field.unit, value);
    const bool taken =
        std::visit([&](auto member) { return take(given, config.*member); }, field.member);
    if (!taken)
      throw std::invalid_argument("'" + name + "' does not take the value " + text(value));
    return true;
  }
  return false;
}

template <class Config, std::size_t N>
Config spec_of(const char* what, const Field<Config> (&fields)[N], const Settings& given) {
  Config config;
  for (const auto& [name, value] : given) {
    if (!set_field(config, fields, name, value)) unknown(what, name);
  }
  return config;
}

using S = tcp::SenderConfig;
using R = tcp::ReceiverConfig;

#define PENSTOCK_SENDER_FIELD(ends, type, name, ...) \
  PST_SENDER_HAS_##ends({#name, PST_UNIT_##type, &S::name}, )
#define PENSTOCK_RECEIVER_FIELD(ends, type, name, ...) \
  PST_RECEIVER_HAS_##ends({#name, PST_UNIT_##type, &R::name}, )
constexpr Field<S> kSenderFields[] = {PST_TCP_OPTIONS(PENSTOCK_SENDER_FIELD)};
constexpr Field<R> kReceiverFields[] = {PST_TCP_OPTIONS(PENSTOCK_RECEIVER_FIELD)
                                            PST_FREEZE_OPTIONS(PENSTOCK_RECEIVER_FIELD)};
#undef PENSTOCK_SENDER_FIELD
#undef PENSTOCK_RECEIVER_FIELD

using L = net::LinkSpec;
#define PENSTOCK_LINK_FIELD(type, name, ...) {#name, PST_UNIT_##type, &L::name},
constexpr Field<L> kLinkFields[] = {
    {"src", "", &L::src}, {"dst", "", &L::dst}, PST_LINK_KEYS(PENSTOCK_LINK_FIELD)};
#undef PENSTOCK_LINK_FIELD

using U = net::UdpSpec;
#define PENSTOCK_UDP_FIELD(type, name, ...) {#name, PST_UNIT_##type, &U::name},
constexpr Field<U> kUdpFields[] = {{"src", "", &U::src},
                                   {"dst", "", &U::dst},
                                   {"start_ns", "", &U::start_ns},
                                   PST_UDP_KEYS(PENSTOCK_UDP_FIELD)};
#undef PENSTOCK_UDP_FIELD

std::uint64_t integer(const std::string& name, const Value& value) {
  const std::uint64_t* given = std::get_if<std::uint64_t>(&value);
  if (!given) throw std::invalid_argument("'" + name + "' must be a whole number, 0 or more");
  return *given;
}

std::string word(const std::string& name, const Value& value) {
  const std::string* given = std::get_if<std::string>(&value);
  if (!given) throw std::invalid_argument("'" + name + "' does not take the value " + text(value));
  return *given;
}

bool has(const Settings& params, const char* key) {
  // Not std::ranges: the browser's libc++ 14 lacks its algorithms.
  return std::any_of(params.begin(), params.end(),
                     [&](const auto& param) { return param.first == key; });
}

// Stores `params` over the defaults in the union `fields`, each checked by its row.
void set_params(const std::string& method, const pst_param_row* rows, std::uint32_t count,
                void* fields, const Settings& params) {
  for (const auto& [name, value] : params) {
    const std::uint32_t row = pst_param_find(rows, count, name.c_str());
    if (row == PST_NO_ROW) unknown("parameter of " + method, name);
    const std::uint64_t v = integer(name, value);
    if (!pst_param_in_range(&rows[row], v))
      throw std::invalid_argument(method + ": " + name + " must be " +
                                  std::to_string(rows[row].min) + " to " +
                                  std::to_string(rows[row].max) + ", not " + std::to_string(v));
    PST_ENSURE(row < count);
    pst_field_set(fields, row, v);
  }
}

void set_sender_method(S& config, const std::string& method, const Settings& params) {
  config.method = pst_sender_find(method.c_str());
  if (config.method == PST_SENDER_COUNT) unknown("sender method", method);
  const pst_method_row& row = pst_sender_rows[config.method];
  pst_sender_defaults(config.method, &config.params);
  set_params(method, row.params, row.param_count, &config.params, params);
  PST_ENSURE(config.method < PST_SENDER_COUNT);
  config.ect1 = pst_sender_ect1(config.method, &config.params);
}

// "" for none.
void set_sharing(S& config, const std::string& name) {
  config.sharing = pst_sharing_find(name.c_str());
  if (config.sharing == PST_SHARING_COUNT && !name.empty()) unknown("way of sharing", name);
  pst_sharing_defaults(config.sharing, &config.sharing_params);
}

// "safe, strict or literal"
std::string listed(std::span<const pst_name_row> rows) {
  std::string all;
  for (const pst_name_row& row : rows) {
    if (!all.empty()) all += &row == &rows.back() ? " or " : ", ";
    all += written(row.name);
  }
  return all;
}

std::uint32_t number_of(const char* what, std::span<const pst_name_row> rows,
                        const std::string& name) {
  for (std::uint32_t i = 0; i < rows.size(); ++i)
    if (name == written(rows[i].name)) return i;
  unknown(std::string(what) + " (" + listed(rows) + ")", name);
}

// Simulated hosts have no address to take a prefix of.
std::uint32_t share_by_of(const std::string& name) {
  const std::uint32_t found = number_of("share_by", pst_share_by_rows, name);
  if (found == PST_SHARE_BY_PREFIX) unknown("share_by in the simulator", name);
  return found;
}

void set_rate(pst_gateway_config& config, const std::string& name) {
  if (name != "link" && name != "auto" && name != "passive" && name != "upstream")
    unknown("rate (link, auto, passive or upstream)", name);
  config.auto_rate = name != "link";
  config.passive = name == "passive";
  config.upstream = name == "upstream";
}

// The fields of one part that `params` names, alone or after the part's own name.
Settings params_of(const pst_method_row& part, const Settings& params) {
  const std::string prefix = std::string(part.name) + ".";
  Settings own;
  for (const auto& [name, value] : params) {
    if (name.starts_with(prefix))
      own.emplace_back(name.substr(prefix.size()), value);
    else if (pst_param_find(part.params, part.param_count, name.c_str()) != PST_NO_ROW)
      own.emplace_back(name, value);
  }
  return own;
}

// A target that is given in bytes alone holds at any rate.
void set_part(const pst_method_row& part, void* fields, const Settings& params) {
  set_params(part.name, part.params, part.param_count, fields, params);
  if (has(params, "target_bytes") && !has(params, "target_ns"))
    pst_target_in_bytes(part.params, part.param_count, fields);
}

void set_gateway_params(pst_gateway_config& config, const Settings& params) {
  PST_REQUIRE(config.discipline < PST_DISCIPLINE_COUNT && config.law < PST_LAW_COUNT);
  const pst_method_row& discipline = pst_discipline_rows[config.discipline];
  const pst_method_row& law = pst_law_rows[config.law];
  for (const auto& [name, value] : params) {
    const std::size_t dot = name.find('.');
    const std::string part = dot == std::string::npos ? "" : name.substr(0, dot);
    const bool known = part == discipline.name || part == law.name ||
                       pst_gateway_param_parts(&config, name.c_str());
    if (!known)
      throw std::invalid_argument("parameters must name a field of " +
                                  std::string(discipline.name) + " or of " + law.name +
                                  ", and the part where each has its own");
  }
  const Settings first = params_of(discipline, params);
  const Settings second = params_of(law, params);
  set_part(discipline, &config.discipline_params, first);
  set_part(law, &config.law_params, second);
}

}  // namespace

std::string text(const Value& value) {
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const std::uint64_t* number = std::get_if<std::uint64_t>(&value))
    return std::to_string(*number);
  if (const double* number = std::get_if<double>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::string written(const char* name) {
  std::string text = name;
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

tcp::SenderConfig sender_config(const Settings& fields, const Settings& params) {
  S config;
  std::string method = "newreno";
  for (const auto& [name, value] : fields) {
    if (name == "method") {
      method = word(name, value);
    } else if (name == "sharing") {
      set_sharing(config, word(name, value));
    } else if (!set_field(config, kSenderFields, name, value)) {
      unknown("sender field", name);
    }
  }
  set_sender_method(config, method, params);
  return config;
}

tcp::ReceiverConfig receiver_config(const Settings& fields) {
  return spec_of("receiver field", kReceiverFields, fields);
}

net::LinkSpec link_spec(const Settings& fields) {
  return spec_of("link field", kLinkFields, fields);
}

net::UdpSpec udp_spec(const Settings& fields) { return spec_of("UDP field", kUdpFields, fields); }

pst_gateway_config gateway_config(const GatewayNames& names, const Settings& params,
                                  std::uint64_t buffer_bytes) {
  pst_gateway_config config = gateway::plain_config();
  config.discipline =
      pst_method_find(pst_discipline_rows, PST_DISCIPLINE_COUNT, names.discipline.c_str());
  if (config.discipline == PST_DISCIPLINE_COUNT) unknown("queue discipline", names.discipline);
  config.law = pst_method_find(pst_law_rows, PST_LAW_COUNT, names.law.c_str());
  if (config.law == PST_LAW_COUNT) unknown("law", names.law);
  config.signal = number_of("signal", pst_signal_rows, names.signal);
  config.mode = number_of("mode", pst_mode_rows, names.mode);
  config.share_by = share_by_of(names.share_by);
  config.beyond = number_of("beyond", pst_beyond_rows, names.beyond);
  set_rate(config, names.rate);
  pst_gateway_defaults(&config, buffer_bytes);
  set_gateway_params(config, params);
  PST_ENSURE(config.discipline < PST_DISCIPLINE_COUNT && config.law < PST_LAW_COUNT);
  PST_ENSURE(config.mode < PST_MODE_COUNT && config.signal < PST_SIGNAL_COUNT);
  PST_ENSURE(!pst_gateway_is_elsewhere(&config) || config.auto_rate);
  PST_ENSURE(config.flow_interval_ns > 0);
  return config;
}

}  // namespace penstock::setup

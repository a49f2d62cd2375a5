// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/settings.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "core/describe.h"
#include "linux/common/netlink.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/discipline.h"
#include "linux/gateway/tool/settings/down.h"
#include "linux/gateway/tool/settings/exempt.h"
#include "linux/gateway/tool/settings/overhead.h"
#include "linux/gateway/tool/settings/parts.h"
#include "linux/gateway/tool/settings/passive.h"
#include "linux/gateway/tool/settings/prefix.h"
#include "linux/gateway/tool/settings/spare.h"
#include "linux/gateway/tool/settings/target.h"
#include "linux/gateway/tool/settings/words.h"

namespace penstock::gw {

namespace {

constexpr std::uint32_t kUsualMssBytes =
    PST_FULL_PACKET_BYTES - PST_HEADERS_BYTES - PST_TIMESTAMPS_BYTES;
// Of the default: a GSO packet of 64 kB in segments of 1,472 bytes, which queues take whole or not.
constexpr std::uint64_t kMinBufferBytes = 45 * PST_FULL_FRAME_BYTES;
// Over CAKE and FQ-CoDel, of which three tenths are 6 ms, or the 1.5 packets that CAKE allows a
// slow link.
constexpr std::uint64_t kMinShortBufferBytes = 5 * PST_FULL_FRAME_BYTES;
constexpr std::uint64_t kShortBufferNs = 20'000'000;
constexpr const char* kAuto = "auto";  // as a rate
constexpr std::uint64_t kDefaultBufferNs = 50'000'000;
static_assert(setting::buffer.least == PST_FULL_FRAME_BYTES);
static_assert(setting::idle.least == GW_OVER_NS);

template <typename F>
auto parsed(const std::string& key, F parse) {
  try {
    return parse();
  } catch (const std::invalid_argument& e) {
    refuse(key, e.what());
  }
}

std::uint32_t beyond_number(const std::optional<std::string>& text) {
  const std::string names[] = {beyond_name(PST_BEYOND_NONE), beyond_name(PST_BEYOND_PACE_ACKS)};
  const char* const listed[PST_BEYOND_COUNT] = {names[0].c_str(), names[1].c_str()};
  return choice("beyond", text, listed, listed[PST_BEYOND_NONE]);
}

std::uint32_t mode_number(const std::optional<std::string>& text) {
  const char* names[PST_MODE_COUNT];
  std::ranges::transform(pst_mode_rows, names, &pst_name_row::name);
  return choice("mode", text, names, names[PST_SAFE]);
}

constexpr std::uint32_t kIpv6Bits = 128;

std::uint32_t prefix_bits(const std::string& text) {
  const std::string digits = text.substr(text.find(':') + 1);
  std::uint32_t bits = 0;
  const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (bad != std::errc{} || end != digits.data() + digits.size() || bits < 1 || bits > kIpv6Bits)
    refuse("share-by", "'" + text + "': a prefix has 1 to 128 bits, such as prefix:56");
  return bits;
}

// Among what the link is divided.
void set_share_by(const std::string& text, gw_config& c) {
  const bool prefix = text.starts_with("prefix:");
  if (prefix) c.share_bits = prefix_bits(text);
  c.gateway.share_by = prefix ? PST_SHARE_BY_PREFIX : PST_SHARE_BY_COUNT;
  for (const std::uint32_t by : {PST_SHARE_BY_FLOW, PST_SHARE_BY_HOST, PST_SHARE_BY_MARK})
    if (text == pst_share_by_rows[by].name) c.gateway.share_by = by;
  if (c.gateway.share_by == PST_SHARE_BY_COUNT)
    refuse("share-by", "'" + text + "' is not one of " + words_text(setting::share_by));
  if (c.gateway.share_by != PST_SHARE_BY_FLOW && !pst_law_is(c.gateway.law, PST_TRAIT_DIVIDES))
    refuse("share-by", std::string(pst_variant_rows[c.variant].name) +
                           " does not divide the link among flows; those that do: " +
                           usable_methods([](const pst_variant_row& row) {
                             return pst_law_is(row.law, PST_TRAIT_DIVIDES);
                           }));
  const std::uint32_t bits = prefix ? c.share_bits : kIpv6Bits;
  c.share_mask_ipv4 = prefix_mask(bits, 0);
  for (std::uint32_t i = 0; i < 4; ++i) c.share_mask[i] = prefix_mask(bits, i);
}

void set_overhead(const Settings& s, gw_config& c) {
  if (s.overhead) c.overhead = parsed("overhead", [&] { return parse_overhead(*s.overhead); });
  c.has_overhead = s.overhead.has_value();
}

// Of a link that is to be measured, what is assumed until its queue has been seen.
void set_auto_rate(const Settings& s, gw_config& c) {
  if (s.queue.value_or("install") != "existing")
    refuse("rate",
           "auto measures a queue that is there already, and HTB needs a rate to be "
           "installed: give one, or use --queue existing");
  if (s.source == "virtual")
    refuse("rate",
           "auto measures the kernel's queue, and a virtual one needs a rate: give one, or "
           "leave --source virtual out; --source passive measures one further down");
  if (s.traffic_class)
    refuse("rate",
           "auto measures all that leaves the device, not a class of it: give the rate of "
           "class " +
               *s.traffic_class);
  if (s.overhead)
    refuse("overhead", "is that of a given rate; auto measures in bytes as the device counts them");
  if (!s.buffer)
    refuse("buffer",
           "is missing: with --rate auto it does not follow from the rate; give the "
           "limit of the queue, such as 97kB");
  c.rate_bytes_per_s = PST_DEPARTURE_FIRST_BYTES_PER_S;
  c.line_bytes_per_s = c.rate_bytes_per_s;
}

void set_rate(const Settings& s, gw_config& c) {
  if (c.down) require_down(s);
  if (c.down && is_upstream(s)) return set_upstream_rate(s, c);
  if (s.source == "upstream") refuse_upstream();
  if (!s.rate) refuse("rate", "is missing: the bottleneck's rate, such as 20mbit, or auto");
  if (is_passive(s)) return set_passive_rate(s, c);
  if (*s.rate == kAuto) return set_auto_rate(s, c);
  c.rate_bytes_per_s = quantity_of(setting::rate, *s.rate) / 8;
  c.line_bytes_per_s = c.rate_bytes_per_s;
  set_overhead(s, c);
}

// Whether SCONE packets get the share of a flow as advice.
void set_scone(const Settings& s, gw_config& c) {
  c.scone = word_of(setting::scone, s.scone) == 1;
  if (c.scone && !pst_scone_has_share(&c.gateway))
    refuse("scone", std::string(pst_variant_rows[c.variant].name) +
                        " does not divide the link, so there is no share to advise: use "
                        "--fair on, or a method with a law");
}

// What is done where flows are too many.
void set_beyond(const Settings& s, gw_config& c) {
  c.gateway.beyond = beyond_number(s.beyond);
  if (c.gateway.beyond != PST_BEYOND_PACE_ACKS) return;
  if (!pst_law_is(c.gateway.law, PST_TRAIT_PACES))
    refuse("beyond", std::string(pst_variant_rows[c.variant].name) +
                         " does not delay ACKs; those that do: " +
                         usable_methods([](const pst_variant_row& row) {
                           return pst_law_is(row.law, PST_TRAIT_PACES);
                         }));
  if (s.acks.value_or("").empty())
    refuse("beyond",
           "pace-acks holds ACKs where they leave: it needs --acks DEVICE, whose root "
           "qdisc is fq");
}

// The queues beside the device's own. What they have of their own is their target.
void set_shapes(const Settings& s, gw_config& c) {
  if (!s.shapes) return;
  const std::uint64_t shapes = quantity_of(setting::shapes, *s.shapes);
  c.max_shapes = static_cast<std::uint32_t>(shapes);
  if (!shapes) return;
  if (c.gateway.auto_rate && !c.gateway.upstream)
    refuse("shapes", "each has a rate, and the device's own is to be measured: give a --rate");
  const bool law = c.gateway.law == PST_LAW_PENSTOCK || c.gateway.law == PST_LAW_NONE;
  const bool discipline = c.gateway.discipline == PST_DISCIPLINE_FAIR ||
                          c.gateway.discipline == PST_DISCIPLINE_DROPTAIL;
  if (!law || !discipline)
    refuse("shapes", std::string(pst_variant_rows[c.variant].name) +
                         (s.discipline ? " with " + *s.discipline : "") +
                         " has parameters in bytes of one queue; those that have none: penstock, "
                         "penstock_alone, fair, droptail");
}

// The number of flows in the table, and their idle timeout (R27).
void set_table(const Settings& s, gw_config& c) {
  c.max_flows = static_cast<std::uint32_t>(
      quantity_of(setting::flows, s.flows.value_or(setting::flows.initial)));
  set_shapes(s, c);
  const std::string idle = s.idle.value_or(setting::idle.initial);
  c.idle_ns = parse_quantity(setting::idle, idle);
  if (c.idle_ns < setting::idle.least)
    refuse("idle", idle + " is less than " + form_time(setting::idle.least) +
                       ", for which flows that are over are kept");
}

}  // namespace

Settings settings_of(const gw_attachment& a) {
  const gw_config& c = a.config;
  Settings s;
  s.rate = c.gateway.auto_rate ? kAuto : form_rate(8 * c.line_bytes_per_s);
  if (c.has_overhead) s.overhead = overhead_text(c.overhead);
  if (a.buffer_given) s.buffer = form_size(c.limit_bytes);
  if (a.target_ns) s.target = form_time(a.target_ns);
  s.method = pst_variant_rows[c.variant].name;
  s.mode = mode_name(c.gateway.mode);
  if (!a.install_queue || a.own_qdisc) s.queue = word_at(setting::queue, a.install_queue ? 0 : 1);
  s.source = word_at(setting::source, a.source);
  s.hook = word_at(setting::hook, a.tcx ? 1 : 0);
  s.observe = c.gateway.observe;
  if (c.police) s.police = true;
  if (c.own_discipline) s.discipline = pst_discipline_rows[c.gateway.discipline].name;
  if (c.own_signal) s.signal = pst_signal_rows[c.gateway.signal].name;
  if (c.fair != GW_FAIR_AUTO) s.fair = fair_text(c);
  if (c.max_flows != GW_MAX_FLOWS) s.flows = std::to_string(c.max_flows);
  if (c.max_shapes) s.shapes = std::to_string(c.max_shapes);
  if (c.idle_ns != GW_IDLE_NS) s.idle = form_time(c.idle_ns);
  if (a.acks_ifindex) s.acks = a.acks;
  if (c.leaf_class) s.traffic_class = handle_text(c.leaf_class);
  if (c.scone) s.scone = word_at(setting::scone, 1);
  s.scalable = word_at(setting::scalable, a.scalable);
  if (c.gateway.share_by != PST_SHARE_BY_FLOW) s.share_by = share_by_text(c);
  if (c.gateway.beyond != PST_BEYOND_NONE) s.beyond = beyond_name(c.gateway.beyond);
  s.exempt = exemption_texts(c);
  std::uint32_t given = a.params_given;
  for (const ParamField& param : params_of(c.gateway)) {
    if (given & 1) s.params[param_key(param)] = param_text(*param.row, param.value);
    given >>= 1;
  }
  show_spare(c, s);
  return s;
}

std::uint32_t parse_class(const std::string& text) {
  std::uint32_t major = 0, minor = 0;
  const char* const last = text.data() + text.size();
  const auto [colon, bad_major] = std::from_chars(text.data(), last, major, 16);
  if (bad_major == std::errc{} && colon != last && *colon == ':') {
    const auto [end, bad_minor] = std::from_chars(colon + 1, last, minor, 16);
    if (bad_minor == std::errc{} && end == last && major && major < 0xffff && minor &&
        minor <= 0xffff)
      return major << 16 | minor;
  }
  refuse("class", "'" + text + "' is not a class; write it as tc(8) does, such as 1:10");
}

std::string share_by_text(const gw_config& c) {
  const std::string name = pst_share_by_rows[c.gateway.share_by % PST_SHARE_BY_COUNT].name;
  return c.share_bits ? name + ":" + std::to_string(c.share_bits) : name;
}

std::string beyond_name(std::uint32_t beyond) {
  std::string name = pst_beyond_rows[beyond % PST_BEYOND_COUNT].name;
  std::ranges::replace(name, '_', '-');
  return name;
}

const char* mode_name(std::uint32_t mode) {
  return mode < PST_MODE_COUNT ? pst_mode_rows[mode].name : "unknown";
}

const char* limit_name(std::uint32_t limit) {
  return limit < PST_LIMIT_COUNT ? pst_limit_rows[limit].name : "unknown";
}

std::uint64_t default_buffer_bytes(std::uint64_t rate_bytes_per_s, Below below) {
  const bool is_short = below == Below::kShort;
  return pst_max(
      is_short ? kMinShortBufferBytes : kMinBufferBytes,
      pst_mul_div(rate_bytes_per_s, is_short ? kShortBufferNs : kDefaultBufferNs, PST_NS_PER_S));
}

void set_derived(gw_config& c) {
  c.ticks = pst_discipline_interval_ns(c.gateway.discipline, &c.gateway.discipline_params) ||
            pst_law_interval_ns(c.gateway.law, &c.gateway.law_params);
  c.sees_packets = pst_gateway_sees_packets(&c.gateway);
  c.sees_departures = pst_discipline_has(c.gateway.discipline, PST_DISCIPLINE_HAS_on_left) ||
                      pst_law_is(c.gateway.law, PST_TRAIT_DEPARTURES);
  c.sees_entries = c.sees_departures || pst_law_is(c.gateway.law, PST_TRAIT_PACKETS) ||
                   pst_discipline_has(c.gateway.discipline, PST_DISCIPLINE_HAS_on_accepted |
                                                                PST_DISCIPLINE_HAS_on_overflow);
  c.measures = c.gateway.auto_rate;
  c.labels = pst_discipline_labels(c.gateway.discipline);
  c.names_flows = c.labels || pst_discipline_tables(c.gateway.discipline);
  c.rewrites = pst_gateway_rewrites(&c.gateway);
  c.spares = c.rule_count && c.gateway.discipline == PST_DISCIPLINE_FAIR;
}

Plan plan_of(const Settings& s, Below below) {
  Plan plan{};
  gw_config& c = plan.config;
  c.down = below == Below::kBefore;
  c.outside = c.down;  // completed() knows more
  set_rate(s, c);
  const bool elsewhere = is_passive(s) || (c.down && is_upstream(s));
  if (s.buffer)
    c.limit_bytes = quantity_of(setting::buffer, *s.buffer);
  else if (!elsewhere)
    c.limit_bytes = default_buffer_bytes(c.rate_bytes_per_s, below);
  require_range(setting::buffer, "the default", c.limit_bytes);
  set_method(s, c);
  if (elsewhere) require_passive_method(s, c);
  c.gateway.auto_rate = s.rate.value_or(kAuto) == kAuto;
  c.gateway.passive = is_passive(s);
  c.gateway.upstream = c.down && is_upstream(s);
  c.gateway.mode = mode_number(s.mode);
  plan.buffer_given = s.buffer.has_value();
  plan.queue_given = s.queue.has_value();
  plan.install_queue =
      s.queue || !(c.gateway.passive || c.down) ? word_of(setting::queue, s.queue) == 0 : false;
  plan.source = static_cast<Source>(word_of(setting::source, s.source));
  plan.tcx = word_of(setting::hook, s.hook) == 1;
  plan.acks = s.acks.value_or("");
  if (s.traffic_class) plan.traffic_class = parse_class(*s.traffic_class);
  if (plan.traffic_class && plan.install_queue)
    refuse("class", "is that of a queue which is there already: it needs --queue existing");
  plan.scalable = static_cast<Scalable>(word_of(setting::scalable, s.scalable));
  set_share_by(s.share_by.value_or(setting::share_by.initial), c);
  set_beyond(s, c);
  set_scone(s, c);
  c.gateway.observe = s.observe.value_or(false);
  c.police = s.police.value_or(false);
  if (s.exempt) parsed("exempt", [&] { return set_exemptions(*s.exempt, c); });
  c.mss_bytes = kUsualMssBytes;
  set_table(s, c);
  for (const auto& [key, text] : s.params) plan.params_given |= take_param(c, key, text);
  set_spare(s, plan);
  settle_target(s, c);
  set_target(s, plan);
  set_derived(c);
  return plan;
}

}  // namespace penstock::gw

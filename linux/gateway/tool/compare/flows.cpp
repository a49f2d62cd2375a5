// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/compare/flows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "linux/gateway/tool/settings/exempt.h"
#include "linux/gateway/tool/settings/words.h"
#include "linux/gateway/tool/shapes/shape.h"
#include "linux/gateway/tool/view/outcome.h"

namespace penstock::gw {

namespace {

constexpr double kTail = 0.95;
// What brings more before its first pause is a download.
constexpr std::uint32_t kMostPageBytes = 1'000'000;
constexpr std::uint64_t kNsPerUs = 1000;
constexpr const char* kMark = "mark ";
constexpr const char* kShape = "shape ";

bool is_end(const gw_exemption& rule, const std::uint32_t address[4], std::uint16_t port) {
  if (rule.port && rule.port != port) return false;
  for (int i = 0; i < 4; ++i)
    if ((address[i] & rule.mask[i]) != rule.address[i]) return false;
  return true;
}

// The first page of a connection that opened in the period, if it ended in its measured part.
double page_s(const gw_flow& f, const FlowPeriod& period) {
  const std::uint64_t opened_ns = f.gateway.rtt.opened_ns;
  const std::uint64_t last_ns = opened_ns + kNsPerUs * f.page_us;
  const bool ended = f.ends.over || last_ns + kNsPerUs * GW_PAGE_GAP_US < period.end_ns;
  if (!f.page_us || f.page_bytes > kMostPageBytes || opened_ns < period.changed_ns ||
      last_ns < period.begin_ns || !ended)
    return kNone;
  return static_cast<double>(f.page_us) / 1e6;
}

std::string key_bytes(const gw_key& key) {
  return {reinterpret_cast<const char*>(&key), sizeof(key)};
}

struct Sent {
  std::uint64_t bytes = 0, again_bytes = 0;
};

// Since `before`, by the flows that are still known.
Sent sent_since(const Flows& before, const Flows& after) {
  std::map<std::string, Sent> old;
  for (const auto& [key, flow] : before) old[key_bytes(key)] = {flow.sent_bytes, flow.again_bytes};
  Sent sum;
  for (const auto& [key, flow] : after) {
    const auto found = old.find(key_bytes(key));
    Sent then = found == old.end() ? Sent{} : found->second;
    if (flow.sent_bytes < then.bytes) then = {};  // another one with the same ends
    sum.bytes += flow.sent_bytes - then.bytes;
    sum.again_bytes += pst_sub_floor(flow.again_bytes, then.again_bytes);
  }
  return sum;
}

Flows flows_of(const FlowClass* one, const Flows& flows) {
  Flows found;
  for (const auto& each : flows)
    if (!one || one->has(each.first, each.second)) found.push_back(each);
  return found;
}

}  // namespace

double mean(const std::vector<double>& values) {
  if (values.empty()) return kNone;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double tail(std::vector<double> values) {
  if (values.empty()) return kNone;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(kTail * static_cast<double>(values.size() - 1))];
}

bool FlowClass::has(const gw_key& key, const gw_flow& flow) const {
  if (mark || shape) return (!mark || flow.mark == mark) && (!shape || flow.shape == shape);
  return is_end(end, key.sender, key.sender_port) || is_end(end, key.receiver, key.receiver_port);
}

FlowClass flow_class(const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || !at || at + 1 == text.size())
    refuse("class", "'" + text +
                        "' is not NAME=RULE, such as gold=192.0.2.0/25, 'gold=mark 7' or "
                        "'gold=shape alice'");
  FlowClass one{text.substr(0, at), text.substr(at + 1), {}, 0, 0};
  if (one.rule.starts_with(kMark))
    one.mark = parse_mark(one.rule.substr(std::string(kMark).size()));
  else if (shape_name(one).empty())
    try {
      one.end = exemption_of(one.rule);
    } catch (const std::invalid_argument& e) {
      refuse("class", e.what());
    }
  return one;
}

std::string shape_name(const FlowClass& one) {
  return one.rule.starts_with(kShape) ? one.rule.substr(std::string(kShape).size()) : "";
}

FlowValues flow_values(const FlowClass* one, const Flows& before, const Flows& after,
                       const FlowPeriod& period) {
  const Flows flows = flows_of(one, after);
  std::vector<double> paths_s, pages_s;
  for (const auto& [key, flow] : flows) {
    if (const auto path = path_s(flow, period.begin_ns)) paths_s.push_back(*path);
    if (const double page = page_s(flow, period); !std::isnan(page)) pages_s.push_back(page);
  }
  const double seconds = static_cast<double>(period.end_ns - period.begin_ns) / 1e9;
  const Sent sent = sent_since(flows_of(one, before), flows);
  const auto bytes = static_cast<double>(sent.bytes), again = static_cast<double>(sent.again_bytes);
  return {std::move(paths_s),
          mean(pages_s),
          tail(pages_s),
          static_cast<double>(pages_s.size()) / seconds,
          bytes > 0 ? again / bytes : kNone,
          8 * (bytes - again) / seconds};
}

}  // namespace penstock::gw

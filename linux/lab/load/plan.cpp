// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/plan.h"

#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "linux/common/quantity.h"

namespace penstock::load {
namespace {

constexpr std::uint32_t kMaxPayloadBytes = 65507;

std::uint64_t at_most(std::string_view text, std::uint64_t most) {
  const std::uint64_t value = parse_count(text);
  if (value > most)
    throw std::invalid_argument("'" + std::string(text) + "' is above " + std::to_string(most));
  return value;
}

using Setter = void (*)(Flow&, std::string_view);

const std::map<std::string_view, Setter>& setters() {
  static const std::map<std::string_view, Setter> kSetters = {
      {"id", [](Flow& f, std::string_view t) { f.id = parse_count(t); }},
      {"to",
       [](Flow& f, std::string_view t) {
         f.address = t;
         f.opens = true;
       }},
      {"at",
       [](Flow& f, std::string_view t) {
         f.address = t;
         f.opens = false;
       }},
      {"from", [](Flow& f, std::string_view t) { f.source = t; }},
      {"port",
       [](Flow& f, std::string_view t) { f.port = static_cast<std::uint16_t>(at_most(t, 65535)); }},
      {"start", [](Flow& f, std::string_view t) { f.start_ns = parse_time_ns(t); }},
      {"after", [](Flow& f, std::string_view t) { f.after = parse_count(t); }},
      {"pause", [](Flow& f, std::string_view t) { f.pause_ns = parse_time_ns(t); }},
      {"stop", [](Flow& f, std::string_view t) { f.stop_ns = parse_time_ns(t); }},
      {"size", [](Flow& f, std::string_view t) { f.size_bytes = parse_size_bytes(t); }},
      {"segment",
       [](Flow& f, std::string_view t) {
         f.segment_bytes = static_cast<std::uint32_t>(at_most(t, 65535));
       }},
      {"congestion", [](Flow& f, std::string_view t) { f.congestion = t; }},
      {"window", [](Flow& f, std::string_view t) { f.window_bytes = parse_size_bytes(t); }},
      {"nagle", [](Flow& f, std::string_view t) { f.nagle = at_most(t, 1) != 0; }},
      {"rate", [](Flow& f, std::string_view t) { f.rate_bps = parse_rate_bps(t); }},
      {"payload",
       [](Flow& f, std::string_view t) {
         f.payload_bytes = static_cast<std::uint32_t>(at_most(t, kMaxPayloadBytes));
       }},
  };
  return kSetters;
}

Flow read_flow(const std::string& line) {
  std::istringstream words(line);
  std::string role, kind, word;
  words >> role >> kind;
  if ((role != "send" && role != "receive") || (kind != "tcp" && kind != "udp"))
    throw std::invalid_argument("a flow starts with 'send' or 'receive', and 'tcp' or 'udp'");
  Flow flow;
  flow.sends = role == "send";
  flow.is_udp = kind == "udp";
  while (words >> word) {
    const std::size_t equals = word.find('=');
    const auto setter = setters().find(std::string_view(word).substr(0, equals));
    if (equals == std::string::npos || setter == setters().end())
      throw std::invalid_argument("'" + word + "' is not a setting of a flow, such as size=5MB");
    try {
      setter->second(flow, std::string_view(word).substr(equals + 1));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(word.substr(0, equals) + ": " + error.what());
    }
  }
  check(flow);
  return flow;
}

}  // namespace

void check(const Flow& flow) {
  if (flow.address.empty())
    throw std::invalid_argument("an address is missing: to=ADDRESS or at=ADDRESS");
  if (flow.port == 0) throw std::invalid_argument("a port from 1 to 65535 is missing");
  if (flow.is_udp && flow.sends != flow.opens)
    throw std::invalid_argument("a UDP flow sends to=ADDRESS, and is received at=ADDRESS");
  if (flow.is_udp && flow.sends && (flow.rate_bps == 0 || flow.payload_bytes < 8))
    throw std::invalid_argument("a UDP flow has a rate, and a payload of at least 8 bytes");
  if (flow.after && (flow.is_udp || !flow.opens))
    throw std::invalid_argument("after: only a TCP flow that connects waits for another");
}

std::vector<Flow> read_flows(std::istream& text) {
  std::vector<Flow> flows;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    try {
      flows.push_back(read_flow(line));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("line " + std::to_string(number) + ": " + error.what());
    }
  }
  return flows;
}

}  // namespace penstock::load

// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/exempt.h"

#include <arpa/inet.h>

#include <bit>
#include <sstream>
#include <stdexcept>

#include "linux/gateway/tool/settings/prefix.h"

namespace penstock::gw {

namespace {

constexpr const char* kForms = "ADDRESS[/BITS], 'port N', or both";

void set_prefix(const std::string& rule, const std::string& text, gw_exemption& e) {
  const gw_prefix prefix = parse_prefix(rule, text, kForms);
  for (unsigned i = 0; i < 4; ++i) {
    e.address[i] = prefix.address[i];
    e.mask[i] = prefix_mask(prefix.bits, i);
  }
}

std::string text_of(const gw_exemption& e) {
  gw_prefix prefix{};
  for (int i = 0; i < 4; ++i) {
    prefix.address[i] = e.address[i];
    prefix.bits += static_cast<unsigned>(std::popcount(e.mask[i]));
  }
  if (!e.port) return prefix_text(prefix);
  const std::string port = "port " + std::to_string(ntohs(e.port));
  return prefix.bits ? prefix_text(prefix) + " " + port : port;
}

}  // namespace

gw_exemption exemption_of(const std::string& rule) {
  gw_exemption e{};
  std::istringstream words(rule);
  std::string word, port, rest;
  words >> word;
  if (word != "port") {
    set_prefix(rule, word, e);
    if (!(words >> word)) return e;
  }
  if (word != "port" || !(words >> port) || words >> rest)
    throw std::invalid_argument("'" + rule + "' is not " + kForms);
  e.port = htons(static_cast<std::uint16_t>(number_in(rule, port, 1, 65535)));
  return e;
}

void set_exemptions(const std::vector<std::string>& rules, gw_config& config) {
  config.exemption_count = 0;
  if (rules.size() == 1 && rules[0] == "none") return;
  if (rules.size() > GW_MAX_EXEMPTIONS)
    throw std::invalid_argument("there is room for " + std::to_string(GW_MAX_EXEMPTIONS) +
                                " rules, not for " + std::to_string(rules.size()));
  for (const std::string& rule : rules)
    config.exemptions[config.exemption_count++] = exemption_of(rule);
}

std::vector<std::string> exemption_texts(const gw_config& config) {
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < config.exemption_count; ++i)
    all.push_back(text_of(config.exemptions[i]));
  return all;
}

}  // namespace penstock::gw

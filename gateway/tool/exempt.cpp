// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/exempt.h"

#include <arpa/inet.h>

#include <array>
#include <bit>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace penstock::gw {

namespace {

constexpr unsigned kMappedBits = 96;  // of ::ffff:0:0/96, in which IPv4 addresses stand

[[noreturn]] void refuse(const std::string& rule, const std::string& why) {
  throw std::invalid_argument("'" + rule + "' " + why);
}

unsigned number_of(const std::string& rule, const std::string& text, unsigned least,
                   unsigned most) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    refuse(rule, "has '" + text + "' where " + std::to_string(least) + " .. " +
                     std::to_string(most) + " is right");
  return value;
}

void set_mask(gw_exemption& e, unsigned bits) {
  for (std::uint32_t& word : e.mask) {
    const unsigned here = bits < 32 ? bits : 32;
    word = htonl(here ? ~std::uint32_t{0} << (32 - here) : 0);
    bits -= here;
  }
}

void set_prefix(const std::string& rule, const std::string& text, gw_exemption& e) {
  const std::size_t slash = text.find('/');
  const std::string address = text.substr(0, slash);
  const bool v4 = inet_pton(AF_INET, address.c_str(), e.address + 3) == 1;
  if (!v4 && inet_pton(AF_INET6, address.c_str(), e.address) != 1)
    refuse(rule, "is not ADDRESS[/BITS], 'port N', or both");
  if (v4) e.address[2] = htonl(0xffff);
  const unsigned most = v4 ? 32 : 128;
  const unsigned bits =
      slash == std::string::npos ? most : number_of(rule, text.substr(slash + 1), 0, most);
  set_mask(e, v4 ? kMappedBits + bits : bits);
  for (int i = 0; i < 4; ++i)
    if (e.address[i] & ~e.mask[i])
      refuse(rule, "has an address with bits behind the prefix of " + std::to_string(bits));
}

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
    refuse(rule, "is not ADDRESS[/BITS], 'port N', or both");
  e.port = htons(static_cast<std::uint16_t>(number_of(rule, port, 1, 65535)));
  return e;
}

std::string text_of(const gw_exemption& e) {
  std::array<char, INET6_ADDRSTRLEN> address{};
  unsigned bits = 0;
  for (const std::uint32_t word : e.mask) bits += static_cast<unsigned>(std::popcount(word));
  const bool v4 =
      bits >= kMappedBits && !e.address[0] && !e.address[1] && e.address[2] == htonl(0xffff);
  const bool any = !bits;
  if (!any) {
    inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? e.address + 3 : e.address, address.data(),
              address.size());
    if (v4) bits -= kMappedBits;
  }
  const std::string prefix =
      any ? (e.port ? "" : "::/0") : address.data() + ("/" + std::to_string(bits));
  if (!e.port) return prefix;
  return prefix + (prefix.empty() ? "port " : " port ") + std::to_string(ntohs(e.port));
}

}  // namespace

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

// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/prefix.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace penstock::gw {

namespace {

constexpr unsigned kMappedBits = 96;  // of ::ffff:0:0/96, in which IPv4 addresses stand
constexpr unsigned kBits = 128;

[[noreturn]] void refuse_rule(const std::string& rule, const std::string& why) {
  throw std::invalid_argument("'" + rule + "' " + why);
}

bool is_ipv4(const std::uint32_t address[4]) {
  return !address[0] && !address[1] && address[2] == htonl(0xffff);
}

}  // namespace

unsigned number_in(const std::string& rule, const std::string& text, unsigned least,
                   unsigned most) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    refuse_rule(rule, "has '" + text + "' where " + std::to_string(least) + " .. " +
                          std::to_string(most) + " is right");
  return value;
}

std::uint32_t prefix_mask(unsigned bits, unsigned index) {
  const unsigned here = std::min(bits > 32 * index ? bits - 32 * index : 0, 32U);
  return htonl(here ? ~std::uint32_t{0} << (32 - here) : 0);
}

gw_prefix parse_prefix(const std::string& rule, const std::string& text, const char* forms) {
  gw_prefix p{};
  const std::size_t slash = text.find('/');
  const std::string address = text.substr(0, slash);
  const bool v4 = inet_pton(AF_INET, address.c_str(), p.address + 3) == 1;
  if (!v4 && inet_pton(AF_INET6, address.c_str(), p.address) != 1)
    refuse_rule(rule, std::string("is not ") + forms);
  if (v4) p.address[2] = htonl(0xffff);
  const unsigned most = v4 ? kBits - kMappedBits : kBits;
  const unsigned bits =
      slash == std::string::npos ? most : number_in(rule, text.substr(slash + 1), 0, most);
  p.bits = v4 ? kMappedBits + bits : bits;
  for (unsigned i = 0; i < 4; ++i)
    if (p.address[i] & ~prefix_mask(p.bits, i))
      refuse_rule(rule, "has an address with bits behind the prefix of " + std::to_string(bits));
  return p;
}

std::string prefix_text(const gw_prefix& p) {
  std::array<char, INET6_ADDRSTRLEN> address{};
  const bool v4 = p.bits >= kMappedBits && is_ipv4(p.address);
  inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? p.address + 3 : p.address, address.data(),
            address.size());
  return address.data() + ("/" + std::to_string(v4 ? p.bits - kMappedBits : p.bits));
}

}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/spare_rule.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <set>
#include <sstream>
#include <stdexcept>

#include "core/packet/protocol.h"
#include "linux/gateway/tool/settings/params.h"
#include "linux/gateway/tool/settings/prefix.h"
#include "linux/gateway/tool/settings/words.h"

namespace penstock::gw {

namespace {

constexpr const char* kSpareForms =
    "a part of the link, such as 50%, or a rule: udp, tcp or another protocol, ADDRESS[/BITS], "
    "'port N', 'mark N[/BITS]', dscp=NAMES or several of these, and 'up to 30%'";
constexpr const char* kDscpForms =
    "ef, va, af11 .. af43, cs0 .. cs7, le, nqb, 0 .. 63, or trust after one of these";
constexpr const char* kDscp = "dscp=";
constexpr const char* kTrust = "trust";

struct Named {
  const char* name;
  unsigned value;
};

constexpr std::array kProtocols{
    Named{"tcp", PST_IP_TCP},   Named{"udp", PST_IP_UDP},   Named{"udplite", PST_IP_UDP_LITE},
    Named{"sctp", PST_IP_SCTP}, Named{"dccp", PST_IP_DCCP}, Named{"gre", 47},
    Named{"esp", 50},           Named{"ipip", 4},           Named{"ipv6", 41}};

// RFC 2474, 2597, 3246, 5865 (va), 8622 (le) and 9956 (nqb).
constexpr std::array kDscps{
    Named{"cs0", 0},   Named{"cs1", 8},   Named{"cs2", 16},  Named{"cs3", 24},  Named{"cs4", 32},
    Named{"cs5", 40},  Named{"cs6", 48},  Named{"cs7", 56},  Named{"af11", 10}, Named{"af12", 12},
    Named{"af13", 14}, Named{"af21", 18}, Named{"af22", 20}, Named{"af23", 22}, Named{"af31", 26},
    Named{"af32", 28}, Named{"af33", 30}, Named{"af41", 34}, Named{"af42", 36}, Named{"af43", 38},
    Named{"ef", 46},   Named{"va", 44},   Named{"le", 1},    Named{"nqb", 45}};

constexpr pst_param_row kPart = {.name = "part",
                                 .unit = PST_RATIO_Q16,
                                 .def = {},
                                 .min = 1,
                                 .max = PST_Q16_ONE,
                                 .help = "",
                                 .source = ""};

[[noreturn]] void refuse_spare(const std::string& rule, const std::string& why) {
  throw std::invalid_argument("'" + rule + "' " + why);
}

template <typename Names>
const Named* find_name(const Names& names, const std::string& name) {
  const auto found = std::ranges::find_if(names, [&](const Named& n) { return name == n.name; });
  return found == names.end() ? nullptr : &*found;
}

template <typename Names>
std::string spoken_name(const Names& names, unsigned value) {
  const auto found = std::ranges::find(names, value, &Named::value);
  return found == names.end() ? std::to_string(value) : found->name;
}

// One rule, word by word.
class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text), words_(text) {}

  pst_rule parse() {
    for (std::string word; words_ >> word;) take(word);
    if (seen_.empty() || seen_ == std::set<std::string>{"up"})
      refuse_spare(text_,
                   std::string(text_.empty() ? "is empty: write " : "names no packets: write ") +
                       kSpareForms);
    return rule_;
  }

 private:
  void take(const std::string& word) {
    const Named* protocol = find_name(kProtocols, word);
    if (protocol)
      once("protocol"), rule_.protocol = static_cast<std::uint8_t>(protocol->value);
    else if (word == "protocol")
      once(word), rule_.protocol = static_cast<std::uint8_t>(number_in(text_, next(word), 1, 255));
    else if (word == "port")
      once(word),
          rule_.port = PST_BE16(static_cast<std::uint16_t>(number_in(text_, next(word), 1, 65535)));
    else if (word == "mark")
      once(word), take_mark(next(word));
    else if (word == "up")
      once(word), take_part();
    else if (word.starts_with(kDscp))
      once("dscp"), take_dscps(word.substr(std::strlen(kDscp)));
    else
      once("address"), take_prefix(word);
  }

  void once(const std::string& what) {
    if (!seen_.insert(what).second) refuse_spare(text_, "has more than one " + what);
  }

  std::string next(const std::string& before) {
    std::string word;
    if (!(words_ >> word)) refuse_spare(text_, "ends after '" + before + "', which wants a number");
    return word;
  }

  void take_prefix(const std::string& word) {
    const gw_prefix prefix = parse_prefix(text_, word, kSpareForms);
    for (unsigned i = 0; i < 4; ++i) {
      rule_.address[i] = prefix.address[i];
      rule_.mask[i] = prefix_mask(prefix.bits, i);
    }
  }

  std::uint32_t mark_number(const std::string& word) {
    const bool hex = word.starts_with("0x");
    const char* const last = word.data() + word.size();
    std::uint32_t value = 0;
    const auto [end, bad] =
        std::from_chars(word.data() + (hex ? 2 : 0), last, value, hex ? 16 : 10);
    if (bad != std::errc{} || end != last)
      refuse_spare(text_, "has '" + word + "' where a mark is right, such as 7 or 0x10/0xf0");
    return value;
  }

  void take_mark(const std::string& word) {
    const std::size_t slash = word.find('/');
    rule_.mark = mark_number(word.substr(0, slash));
    rule_.mark_bits = slash == std::string::npos ? ~0U : mark_number(word.substr(slash + 1));
    if (!rule_.mark_bits || rule_.mark & ~rule_.mark_bits)
      refuse_spare(text_, "has a mark with bits that do not count: '" + word + "'");
  }

  void take_part() {
    std::string to, part;
    if (!(words_ >> to >> part) || to != "to" || !part.ends_with('%'))
      refuse_spare(text_, "has no bound after 'up': write 'up to 30%'");
    try {
      rule_.part_q16 = static_cast<std::uint32_t>(param_value(kPart, "part", part));
    } catch (const Error&) {
      refuse_spare(text_, "has '" + part + "' where more than 0% and at most 100% is right");
    }
  }

  void take_dscps(const std::string& list) {
    std::istringstream names(list + ",");
    for (std::string name; std::getline(names, name, ',');) take_dscp(name);
    if (!rule_.dscps) refuse_spare(text_, std::string("names no DSCP: use ") + kDscpForms);
  }

  void take_dscp(const std::string& name) {
    if (name == kTrust && rule_.dscps && !rule_.trusts) {
      rule_.trusts = true;
      return;
    }
    unsigned value = PST_DSCPS;
    if (const Named* named = find_name(kDscps, name)) {
      value = named->value;
    } else {
      const char* const last = name.data() + name.size();
      const auto [end, bad] = std::from_chars(name.data(), last, value);
      if (bad != std::errc{} || end != last) value = PST_DSCPS;
    }
    if (value >= PST_DSCPS)
      refuse_spare(text_, "has '" + name + "', which is no DSCP: use " + kDscpForms);
    if (rule_.dscps >> value & 1) refuse_spare(text_, "has the DSCP '" + name + "' twice");
    rule_.dscps |= std::uint64_t{1} << value;
  }

  const std::string& text_;
  std::istringstream words_;
  std::set<std::string> seen_;
  pst_rule rule_{};
};

std::string prefix_of(const pst_rule& r) {
  gw_prefix prefix{};
  for (int i = 0; i < 4; ++i) {
    prefix.address[i] = r.address[i];
    prefix.bits += static_cast<unsigned>(std::popcount(r.mask[i]));
  }
  return prefix.bits ? prefix_text(prefix) : "";
}

std::string mark_of(const pst_rule& r) {
  std::ostringstream text;
  text << std::hex << std::showbase << r.mark;
  if (r.mark_bits != ~0U) text << '/' << r.mark_bits;
  return text.str();
}

std::string dscps_of(const pst_rule& r) {
  std::string text;
  for (unsigned value = 0; value < PST_DSCPS; ++value)
    if (r.dscps >> value & 1) text += (text.empty() ? kDscp : ",") + spoken_name(kDscps, value);
  return text + (r.trusts ? std::string(",") + kTrust : "");
}

}  // namespace

pst_rule spare_rule_of(const std::string& text) { return Parser(text).parse(); }

std::string spare_rule_text(const pst_rule& r) {
  std::string text;
  const auto put = [&text](const std::string& part) {
    text += (text.empty() || part.empty() ? "" : " ") + part;
  };
  if (r.protocol) {
    const std::string name = spoken_name(kProtocols, r.protocol);
    put(find_name(kProtocols, name) ? name : "protocol " + name);
  }
  put(prefix_of(r));
  if (r.port) put("port " + std::to_string(PST_BE16(r.port)));
  if (r.mark_bits) put("mark " + mark_of(r));
  if (r.dscps) put(dscps_of(r));
  if (r.part_q16) put("up to " + percent_text(kPart, r.part_q16));
  return text;
}

bool same_packets(const pst_rule& one, const pst_rule& other) {
  pst_rule bound = one;
  bound.part_q16 = other.part_q16;
  bound.trusts = other.trusts;
  return std::memcmp(&bound, &other, sizeof(other)) == 0;
}

std::vector<std::string> spare_rule_texts(const gw_config& c) {
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < c.rule_count; ++i) all.push_back(spare_rule_text(c.rules[i]));
  return all;
}

}  // namespace penstock::gw

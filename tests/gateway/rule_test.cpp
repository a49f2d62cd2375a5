// SPDX-License-Identifier: GPL-2.0-only
// Rules of what `fair` spares, as they are written and read.
#include "linux/gateway/tool/settings/spare_rule.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/settings.h"
#include "tests/gateway/datagram.h"

namespace penstock::gw {
namespace {

struct Written {
  const char* text;
  const char* shown;
};

TEST(Rule, IsShownInOneFormThatReadsBackAsTheSame) {
  const Written all[] = {
      {"udp port 5004", "udp port 5004"},
      {"port 5004 udp", "udp port 5004"},
      {"dscp=ef,af41,cs5", "dscp=af41,cs5,ef"},
      {"dscp=46,trust", "dscp=ef,trust"},
      {"dscp=nqb,va,le,3", "dscp=le,3,va,nqb"},
      {"192.0.2.7", "192.0.2.7/32"},
      {"192.0.2.0/24 port 443 tcp", "tcp 192.0.2.0/24 port 443"},
      {"0.0.0.0/0", "0.0.0.0/0"},
      {"2001:db8::/32 up to 12.5%", "2001:db8::/32 up to 12.5%"},
      {"mark 7", "mark 0x7"},
      {"mark 0x10/0xf0", "mark 0x10/0xf0"},
      {"protocol 17", "udp"},
      {"protocol 89", "protocol 89"},
      {"esp mark 1 dscp=cs1 up to 100%", "esp mark 0x1 dscp=cs1 up to 100%"},
  };
  for (const auto& [text, shown] : all) {
    const pst_rule rule = spare_rule_of(text);
    EXPECT_EQ(spare_rule_text(rule), shown) << text;
    const pst_rule again = spare_rule_of(shown);
    EXPECT_EQ(std::memcmp(&again, &rule, sizeof(rule)), 0) << text;
  }
}

TEST(Rule, NamesTheDscpsOfTheRfcs) {
  const struct {
    const char* text;
    unsigned value;
  } all[] = {{"ef", 46},  {"va", 44},   {"nqb", 45},  {"le", 1},    {"cs0", 0},   {"cs5", 40},
             {"cs7", 56}, {"af11", 10}, {"af23", 22}, {"af41", 34}, {"af43", 38}, {"63", 63}};
  for (const auto& [text, value] : all)
    EXPECT_EQ(spare_rule_of(std::string("dscp=") + text).dscps, std::uint64_t{1} << value) << text;
}

TEST(Rule, IsRefusedWithWhatIsWrongAndWhatWouldBeRight) {
  const struct {
    const char* text;
    const char* why;
  } all[] = {
      {"half", "'half' is not a part of the link, such as 50%, or a rule: udp,"},
      {"", "'' is empty"},
      {"up to 30%", "names no packets"},
      {"udp port 0", "has '0' where 1 .. 65535 is right"},
      {"udp port 65536", "has '65536' where 1 .. 65535 is right"},
      {"udp port http", "has 'http' where 1 .. 65535 is right"},
      {"udp port", "ends after 'port', which wants a number"},
      {"udp tcp", "has more than one protocol"},
      {"port 1 port 2", "has more than one port"},
      {"protocol 256", "has '256' where 1 .. 255 is right"},
      {"192.0.2.0/33", "has '33' where 0 .. 32 is right"},
      {"192.0.2.1/24", "has an address with bits behind the prefix of 24"},
      {"192.0.2.1 2001:db8::1", "has more than one address"},
      {"udp dscp=", "which is no DSCP: use ef, va, af11 .. af43"},
      {"dscp=voice", "has 'voice', which is no DSCP: use ef"},
      {"dscp=64", "has '64', which is no DSCP"},
      {"dscp=af44", "has 'af44', which is no DSCP"},
      {"dscp=ef,46", "has the DSCP '46' twice"},
      {"dscp=trust", "has 'trust', which is no DSCP"},
      {"dscp=ef,trust,trust", "has 'trust', which is no DSCP"},
      {"dscp=ef dscp=cs1", "has more than one dscp"},
      {"mark", "ends after 'mark', which wants a number"},
      {"mark x", "has 'x' where a mark is right, such as 7 or 0x10/0xf0"},
      {"mark 4294967296", "where a mark is right"},
      {"mark 0x11/0xf0", "has a mark with bits that do not count"},
      {"mark 0/0", "has a mark with bits that do not count"},
      {"udp up 30%", "has no bound after 'up': write 'up to 30%'"},
      {"udp up to 30", "has no bound after 'up': write 'up to 30%'"},
      {"udp up to 0%", "has '0%' where more than 0% and at most 100% is right"},
      {"udp up to 101%", "has '101%' where more than 0%"},
  };
  for (const auto& [text, why] : all) try {
      spare_rule_of(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& refused) {
      EXPECT_NE(std::string(refused.what()).find(why), std::string::npos)
          << text << ": " << refused.what();
      EXPECT_NE(std::string(refused.what()).find(text), std::string::npos) << text;
    }
}

TEST(Rule, NamesPacketsByTheirHeadersAndTheMark) {
  const test::Bytes voice =
      test::datagram({.receiver_port = 5004}, true, PST_IP_UDP, 46 << 2 | PST_ECT0);
  const test::Bytes v6 =
      test::packet({.ipv6 = true, .receiver_port = 5004}, {.ecn = 46 << 2, .payload_bytes = 1000});
  const struct {
    const char* rule;
    const test::Bytes& bytes;
    std::uint32_t mark;
    bool names;
  } all[] = {
      {"udp", voice, 0, true},
      {"tcp", voice, 0, false},
      {"udp port 5004", voice, 0, true},
      {"port 40000", voice, 0, true},
      {"udp port 5005", voice, 0, false},
      {"sctp port 5004", voice, 0, false},
      {"10.0.0.200", voice, 0, true},
      {"10.0.0.200 port 5004", voice, 0, true},
      {"10.0.0.1 port 5004", voice, 0, false},  // that of the other end
      {"10.0.0.0/24", voice, 0, true},
      {"10.0.1.0/24", voice, 0, false},
      {"0.0.0.0/0", voice, 0, true},
      {"::/0", voice, 0, true},
      {"0.0.0.0/0", v6, 0, false},
      {"fd00::c8 port 5004", v6, 0, true},
      {"fd00::/64 tcp", v6, 0, true},
      {"dscp=ef", voice, 0, true},
      {"dscp=ef", v6, 0, true},
      {"dscp=cs1,af41", voice, 0, false},
      {"dscp=cs1,46", voice, 0, true},
      {"mark 7", voice, 7, true},
      {"mark 7", voice, 6, false},
      {"mark 0", voice, 0, true},
      {"mark 0", voice, 1, false},
      {"mark 0x10/0xf0", voice, 0x3217, true},
      {"mark 0x10/0xf0", voice, 0x3227, false},
      {"udp port 5004 mark 7 dscp=ef 10.0.0.200", voice, 7, true},
      {"udp port 5004 mark 7 dscp=cs1 10.0.0.200", voice, 7, false},
  };
  for (const auto& [text, bytes, mark, names] : all) {
    const pst_rule rule = spare_rule_of(text);
    pst_identity i{};
    pst_identify(bytes.data(), bytes.data() + bytes.size(), true, &i);
    EXPECT_EQ(pst_rule_names(&rule, &i, mark, false), names) << text;
    EXPECT_EQ(pst_rule_names(&rule, &i, mark, true), names && !rule.dscps) << text;
  }
}

// What was set, and then what is set.
std::vector<std::string> after(Settings before, const Settings& later) {
  before.override_with(later);
  return before.spare.value_or(std::vector<std::string>{});
}

TEST(Rule, APartReplacesThePartAndRulesReplaceRules) {
  using Texts = std::vector<std::string>;
  Settings both;
  both.method = "penstock";
  both.spare = {"25%", "udp port 1", "dscp=ef"};
  const auto spare = [](const Texts& texts) {
    Settings s;
    s.spare = texts;
    return s;
  };
  EXPECT_EQ(after(both, {}), (Texts{"25%", "udp port 1", "dscp=ef"}));
  EXPECT_EQ(after(both, spare({"10%"})), (Texts{"10%", "udp port 1", "dscp=ef"}));
  EXPECT_EQ(after(both, spare({"udp port 2"})), (Texts{"25%", "udp port 2"}));
  EXPECT_EQ(after(both, spare({"none"})), (Texts{"25%", "none"}));
  Settings other;
  other.params["spare"] = "0.1";
  EXPECT_EQ(after(both, other), (Texts{"udp port 1", "dscp=ef"}));
  other = {};
  other.method = "share";
  EXPECT_EQ(after(both, other), (Texts{"udp port 1", "dscp=ef"})) << "the part is a method's";
  other.method = "droptail";
  EXPECT_EQ(after(both, other), Texts{});
  other = {};
  other.fair = "off";
  EXPECT_EQ(after(both, other), Texts{});
  other.fair = "on";
  EXPECT_EQ(after(both, other), (Texts{"25%", "udp port 1", "dscp=ef"}));
}

}  // namespace
}  // namespace penstock::gw

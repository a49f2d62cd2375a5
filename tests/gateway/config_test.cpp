// SPDX-License-Identifier: GPL-2.0-only
// What `show` prints is a configuration file.
#include "linux/gateway/tool/settings/config.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <type_traits>

#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/overhead.h"
#include "linux/gateway/tool/settings/target.h"

namespace penstock::gw {
namespace {

// A configuration file of this test's own.
class ConfigFile : public testing::Test {
 protected:
  ConfigFile()
      : path_(testing::TempDir() + "penstock-config-" + std::to_string(getpid()) + ".toml") {}
  ~ConfigFile() override { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }

  std::string path_;
};

class Config : public ConfigFile, public testing::WithParamInterface<const char*> {};

class ConfigBounds : public ConfigFile {
 protected:
  std::string refused() const {
    try {
      read_config(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code, kConfig);
      return error.what();
    }
    return "";
  }
};

TEST_P(Config, WhatShowPrintsCanBeReadBack) {
  const std::string device = GetParam();
  Settings s;
  s.rate = "20mbit";
  s.buffer = "97kB";
  s.method = "integral";
  s.observe = true;
  s.exempt = {"port 22", "2001:db8::/32"};
  s.overhead = "pppoe-ptm ether-vlan";
  s.flows = "4096";
  s.idle = "10min";
  s.police = true;
  s.share_by = "prefix:56";
  s.target = "5ms";
  s.params = {{"interval_ns", "5ms"}, {"gain", "0.5"}};
  write(to_toml(device, s));
  const auto devices = read_config(path_);
  ASSERT_EQ(devices.size(), 1U);
  const Settings& back = devices.at(device);
  EXPECT_EQ(back.rate, s.rate);
  EXPECT_EQ(back.buffer, s.buffer);
  EXPECT_EQ(back.method, s.method);
  EXPECT_EQ(back.mode, s.mode);
  EXPECT_EQ(back.observe, s.observe);
  EXPECT_EQ(back.exempt, s.exempt);
  EXPECT_EQ(back.params, s.params);
  EXPECT_EQ(back.overhead, s.overhead);
  EXPECT_EQ(back.flows, s.flows);
  EXPECT_EQ(back.idle, s.idle);
  EXPECT_EQ(back.police, s.police);
  EXPECT_EQ(back.share_by, s.share_by);
  EXPECT_EQ(back.target, s.target);
}

// What toml++ would follow by recursion until the stack ends.
TEST_F(ConfigBounds, ADocumentThatNestsTooDeepOrIsTooLongEndsWithAMessage) {
  std::string keys = "a";
  for (int i = 0; i < 200'000; ++i) keys += ".a";
  const std::string deep = ":1: nests more than 32 deep";
  for (const std::string& text : {keys + " = 1\n", "[" + keys + "]\n", std::string(100, '[') + "\n",
                                  "x = \"\"\"\\\"\"\"\"\n" + keys + " = 1\n"}) {
    write(text);
    const std::string said = refused();
    EXPECT_NE(said.find(text[0] == 'x' ? ":2: nests more than 32 deep" : deep), std::string::npos)
        << said;
  }
  write("# " + keys + "\n[wan0]\nrate = \"20mbit\" # " + keys + "\n");
  EXPECT_EQ(refused(), "") << "a comment is none";
  write("[\"" + keys.substr(0, 400) + "\"]\nrate = \"20mbit\"\n");
  EXPECT_EQ(refused(), "") << "nor are quotes";
  write(std::string((1 << 20) + 1, '\n'));
  EXPECT_NE(refused().find("has more than 1048576 bytes"), std::string::npos);
}

// The kernel takes any name of up to 15 bytes without a slash, a colon or white space.
INSTANTIATE_TEST_SUITE_P(OddNames, Config,
                         testing::Values("wan0", "eth0.100", "a=b", "#1", "[lan]", "a\"b", "a'b",
                                         "a\\b", "br-\xc3\xbc", "tun@7", "0"));

Plan plan(const char* overhead, const char* flows = "65536", const char* idle = "7440s") {
  Settings s;
  s.rate = "20mbit";
  s.overhead = overhead;
  s.flows = flows;
  s.idle = idle;
  return plan_of(s);
}

TEST(Overhead, R19IsWrittenAsCakeWritesIt) {
  struct {
    const char* text;
    pst_overhead means;
    const char* form;
  } const cases[] = {
      {"pppoe-ptm", {30, 0, PST_CELLS_PTM}, "30 ptm"},
      {"pppoe-ptm ether-vlan", {34, 0, PST_CELLS_PTM}, "34 ptm"},
      {"docsis", {18, 64, PST_CELLS_NONE}, "18 mpu 64 noatm"},
      {"ethernet", {38, 84, PST_CELLS_NONE}, "38 mpu 84 noatm"},
      {"conservative", {48, 0, PST_CELLS_ATM}, "48 atm"},
      {"44 mpu 64 atm", {44, 64, PST_CELLS_ATM}, "44 mpu 64 atm"},
      {"-4", {-4, 0, PST_CELLS_NONE}, "-4 noatm"},
      {"0 noatm", {0, 0, PST_CELLS_NONE}, "0 noatm"},
  };
  for (const auto& one : cases) {
    for (const std::string& text : {std::string(one.text), std::string(one.form)}) {
      const pst_overhead o = parse_overhead(text);
      EXPECT_EQ(o.packet_bytes, one.means.packet_bytes) << text;
      EXPECT_EQ(o.least_bytes, one.means.least_bytes) << text;
      EXPECT_EQ(o.cells, one.means.cells) << text;
      EXPECT_EQ(overhead_text(o), one.form);
    }
  }
  for (const char* text :
       {"", " ", "dsl", "4x", "257", "-65", "mpu", "mpu 300", "44 atm foo", "250 pppoe-ptm"})
    EXPECT_THROW(plan(text), Error) << text;
}

TEST(Buffer, IsSmallerOverAQueueThatKeepsItselfShort) {
  Settings s;
  s.rate = "20mbit";
  EXPECT_EQ(plan_of(s).config.limit_bytes, 125'000U);
  EXPECT_EQ(plan_of(s, Below::kShort).config.limit_bytes, 50'000U);
  s.rate = "1mbit";
  EXPECT_EQ(plan_of(s).config.limit_bytes, 45U * 1514);
  EXPECT_EQ(plan_of(s, Below::kShort).config.limit_bytes, 5U * 1514);
  s.buffer = "60kB";
  EXPECT_EQ(plan_of(s, Below::kShort).config.limit_bytes, 60'000U) << "what is given counts";
}

// Of the parameter that methods with a target have.
std::uint64_t target_bytes(const Settings& s) {
  return target_of(plan_of(s).config, pst_gateway_state{}).value_or(0);
}

Settings with_target(const char* target) {
  Settings s;
  s.rate = "20mbit";
  s.buffer = "97kB";
  s.target = target;
  return s;
}

std::string refusal(const Settings& s) {
  try {
    plan_of(s);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Target, IsATimeAtTheRateOrBytes) {
  EXPECT_EQ(target_bytes(with_target("5ms")), 12'500U);
  EXPECT_EQ(target_bytes(with_target("12.5kB")), 12'500U);
  EXPECT_EQ(target_bytes(with_target("97kB")), 97'000U) << "up to the buffer";
  Settings s = with_target("5ms");
  s.rate = "40mbit";
  EXPECT_EQ(target_bytes(s), 25'000U);
  EXPECT_EQ(plan_of(s).params_given, 0U) << "it follows the rate";
  EXPECT_EQ(target_ns_at(25'000, plan_of(s).config.rate_bytes_per_s), 5'000'000U);
}

TEST(Target, IsFiveMillisecondsIfNoneIsGiven) {
  Settings s;
  s.rate = "20mbit";
  EXPECT_EQ(target_bytes(s), 12'500U);
  s.rate = "100mbit";
  EXPECT_EQ(target_bytes(s), 62'500U);
  s.buffer = "97kB";
  EXPECT_EQ(target_bytes(s), 29'100U) << "three tenths of a small buffer";
  s.method = "integral";
  s.rate = "20mbit";
  EXPECT_EQ(target_bytes(s), 29'100U) << "which it has at any rate";
}

TEST(Target, GivenAsAParameterIsWhatItsUnitSays) {
  Settings s;
  s.rate = "20mbit";
  s.buffer = "97kB";
  s.params["target_bytes"] = "60kB";
  EXPECT_EQ(target_bytes(s), 60'000U) << "no time limits bytes that are given alone";
  s.params["target_ns"] = "8ms";
  EXPECT_EQ(target_bytes(s), 20'000U);
  s.params.erase("target_bytes");
  EXPECT_EQ(target_bytes(s), 20'000U);
  s.params["target_ns"] = "30ms";
  EXPECT_EQ(target_bytes(s), 29'100U) << "at most three tenths of the buffer";
}

TEST(Target, TheLaterOfItAndItsParameterCounts) {
  Settings s = with_target("5ms"), bytes, time;
  bytes.params["target_bytes"] = "20kB";
  time.target = "10ms";
  s.override_with(bytes);
  EXPECT_EQ(target_bytes(s), 20'000U);
  s.override_with(time);
  EXPECT_EQ(target_bytes(s), 25'000U);
  Settings other;
  other.method = "ewt";
  s.override_with(other);
  EXPECT_FALSE(s.target) << "as the parameters, it goes with its method";
}

TEST(Target, OneThatCannotBeIsRefusedWithTheReason) {
  EXPECT_EQ(refusal(with_target("5")),
            "target: '5' is neither a time, such as 5ms, nor a size, such as 12500B");
  EXPECT_EQ(refusal(with_target("0s")),
            "target: '0s' is no queue at all; write it as 5ms or 12500B");
  EXPECT_EQ(refusal(with_target("40ms")), "target: 40ms is 100 kB, more than the buffer of 97kB");
  EXPECT_NE(refusal(with_target("300000s")), "");
  Settings s = with_target("5ms");
  s.params["target_bytes"] = "5000";
  EXPECT_EQ(refusal(s), "target: is given twice, as param target_bytes too");
  s = with_target("12500B");
  s.rate = "auto";
  s.queue = "existing";
  EXPECT_EQ(refusal(s), "");
  s.target = "5ms";
  EXPECT_EQ(refusal(s), "") << "it follows the rate that is measured";
  s.method = "integral";
  EXPECT_EQ(refusal(s),
            "target: 5ms is a time, which needs a rate that is given: with auto write bytes, such "
            "as 12500B");
}

TEST(Target, MethodsWithoutOneNameThoseThatHaveOne) {
  Settings s = with_target("5ms");
  s.method = "ewt";
  const std::string said = refusal(s);
  EXPECT_TRUE(said.starts_with("target: ewt has no target queue; those that do: ")) << said;
  for (const char* name : {"penstock", "integral", "share", "rwndq", "awm"}) {
    EXPECT_NE(said.find(name), std::string::npos) << said;
    s.method = name;
    EXPECT_EQ(target_bytes(s), 12'500U) << name;
  }
}

// Of each row whose type is a word, in a plan that can have it.
TEST(Rows, HaveTheWordsThatAPlanTakes) {
  int checked = 0;
  for_each_setting([&](const SettingRow& row, auto member) {
    if constexpr (std::is_same_v<decltype(member), SettingTEXT Settings::*>) {
      if (row.type != SettingType::WORD) return;
      Settings s;
      s.rate = "20mbit";
      s.*member = "nonsense";
      const std::string said = refusal(s);
      EXPECT_NE(said.find("'nonsense' is not one of " + words_text(row)), std::string::npos)
          << row.key << ": " << said;
      ++checked;
    }
  });
  EXPECT_GT(checked, 8);
}

TEST(Rows, SayWhatHoldsIfNothingIsGiven) {
  Settings plain;
  plain.rate = "20mbit";
  const Plan expected = plan_of(plain);
  int checked = 0;
  for_each_setting([&](const SettingRow& row, auto member) {
    if constexpr (std::is_same_v<decltype(member), SettingTEXT Settings::*>) {
      if (!*row.initial) return;
      Settings s = plain;
      s.*member = row.initial;
      const Plan plan = plan_of(s);
      EXPECT_EQ(std::memcmp(&plan.config, &expected.config, sizeof(plan.config)), 0) << row.key;
      EXPECT_EQ(plan.source, expected.source) << row.key;
      EXPECT_EQ(plan.scalable, expected.scalable) << row.key;
      EXPECT_EQ(plan.install_queue, expected.install_queue) << row.key;
      EXPECT_EQ(plan.tcx, expected.tcx) << row.key;
      ++checked;
    }
  });
  EXPECT_GT(checked, 8);
}

TEST(Params, AFlagIsTrueOrFalseOrANumber) {
  Settings s;
  s.rate = "20mbit";
  s.method = "fewa";
  for (const char* text : {"true", "1", "false", "0"}) {
    s.params = {{"mirrored", text}};
    EXPECT_EQ(plan_of(s).config.gateway.law_params.fewa.mirrored, *text == 't' || *text == '1');
  }
  for (const char* text : {"2", "yes", "True", ""}) {
    s.params = {{"mirrored", text}};
    EXPECT_THROW(plan_of(s), Error) << text;
  }
}

TEST(Table, R27HasTheSizeAndTimeThatAreConfigured) {
  const gw_config c = plan("ethernet", "4096", "10min").config;
  EXPECT_EQ(c.max_flows, 4096U);
  EXPECT_EQ(c.idle_ns, 600 * PST_NS_PER_S);
  for (const char* flows : {"255", "4194305", "many", "-1"})
    EXPECT_THROW(plan("ethernet", flows), Error) << flows;
  for (const char* idle : {"59s", "10", "soon"})
    EXPECT_THROW(plan("ethernet", "4096", idle), Error) << idle;
}

}  // namespace
}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
// What `show` prints is a configuration file.
#include "gateway/tool/config.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace penstock::gw {
namespace {

// A configuration file of this test's own.
class Config : public testing::TestWithParam<const char*> {
 protected:
  Config() : path_(testing::TempDir() + "penstock-config-" + std::to_string(getpid()) + ".toml") {}
  ~Config() override { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }

  std::string path_;
};

TEST_P(Config, WhatShowPrintsCanBeReadBack) {
  const std::string device = GetParam();
  Settings s;
  s.rate = "20mbit";
  s.buffer = "97kB";
  s.method = "integral";
  s.observe = true;
  s.exempt = {"port 22", "2001:db8::/32"};
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
}

// The kernel takes any name of up to 15 bytes without a slash, a colon or white space.
INSTANTIATE_TEST_SUITE_P(OddNames, Config,
                         testing::Values("wan0", "eth0.100", "a=b", "#1", "[lan]", "a\"b", "a'b",
                                         "a\\b", "br-\xc3\xbc", "tun@7", "0"));

}  // namespace
}  // namespace penstock::gw

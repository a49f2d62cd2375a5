// SPDX-License-Identifier: GPL-2.0-only
// Files as spreadsheets and editors leave them: read rightly, or refused with file and line.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/config.h"
#include "linux/gateway/tool/shapes/file.h"

namespace penstock::gw {
namespace {

const std::string kMark = "\xef\xbb\xbf";  // of bytes in UTF-8

class Files : public testing::Test {
 protected:
  Files() : path_(testing::TempDir() + "penstock-file-" + std::to_string(getpid())) {}
  ~Files() override { std::filesystem::remove(path_); }

  template <typename Read>
  std::string refused(const std::string& text, Read read) const {
    std::ofstream(path_, std::ios::binary) << text;
    try {
      read(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code, kConfig);
      const std::string what = error.what();
      return what.starts_with(path_) ? what.substr(path_.size()) : what;
    }
    return "";
  }

  std::string config_refused(const std::string& text) {
    return refused(text, [this](const std::string& path) { devices_ = read_config(path); });
  }

  std::string shapes_refused(const std::string& text) {
    return refused(
        text, [this](const std::string& path) { shapes_ = read_shapes(path, Direction::kDown); });
  }

  std::string path_;
  std::map<std::string, Settings> devices_;
  std::vector<ShapeText> shapes_;
};

TEST_F(Files, ASettingsFileOfAnEditorIsRead) {
  EXPECT_EQ(config_refused(kMark + "[wan0]\r\nrate = \"20mbit\"\r\n"), "");
  EXPECT_EQ(devices_.at("wan0").rate, "20mbit");
}

TEST_F(Files, AComplaintNamesTheLineOfItsKey) {
  const std::string rate = "[wan0]\nrate = \"20mbit\"\n";
  const struct {
    std::string text, said;
  } cases[] = {
      {rate + "\nbuffer = \"97,5kB\"\n", ":4: [wan0] buffer: '97,5kB' is not a size"},
      {rate + "rate = \"30mbit\"\n", ":3: "},
      {rate + "buffer = 97,5\n", ":3: "},
      {rate + "[wan0]\n", ":3: "},
      {rate + "speed = \"1mbit\"\n", ":3: speed: no such key; there are "},
      {"[wan0]\n\nrate = \"20000000\"\n",
       ":3: [wan0] rate: a unit is missing in '20000000'; write 20000000bit or 20mbit"},
      {rate + "mode = \"bold\"\n", ":3: [wan0] mode: "},
      {rate + "[wan0.params]\n\nnone = 1\n", ":5: [wan0] "},
      {"\xff\xfe[\0w\0", ":1: "},
  };
  for (const auto& one : cases) {
    const std::string said = config_refused(one.text);
    EXPECT_TRUE(said.starts_with(one.said)) << one.text << " is refused with " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

TEST_F(Files, ANumberOfAParameterKeepsItsDigits) {
  const std::string text = "[wan0]\nrate = \"20mbit\"\nmethod = \"red\"\n[wan0.params]\nmax_p = ";
  EXPECT_EQ(config_refused(text + "0.0123456789\n"), "");
  EXPECT_EQ(devices_.at("wan0").params.at("max_p"), "0.0123456789");
  EXPECT_EQ(config_refused(text + "1e-7\n"), "");
  EXPECT_EQ(devices_.at("wan0").params.at("max_p"), "0.0000001");
}

TEST_F(Files, ShapesOfASpreadsheetAreRead) {
  for (const std::string& text :
       {kMark + "name,rate,mark\r\na,10.5mbit,1\r\n", std::string("name;rate;mark\na;10,5mbit;1\n"),
        std::string("name\trate\tmark\na\t10.5mbit\t1\n"),
        std::string("name; rate; mark\n\n\"a\"; 10,5mbit; 1\n")}) {
    EXPECT_EQ(shapes_refused(text), "") << text;
    ASSERT_EQ(shapes_.size(), 1U);
    EXPECT_EQ(shapes_[0].name, "a");
    EXPECT_EQ(shapes_[0].rate, "10.5mbit") << text;
    EXPECT_EQ(shapes_[0].mark, "1");
  }
  EXPECT_EQ(shapes_refused("name;rate;prefix\na;1mbit;10.0.0.1/32, 10.0.0.2/32\n"), "");
  EXPECT_EQ(shapes_[0].prefixes.size(), 2U);
  EXPECT_EQ(shapes_refused("Circuit ID;IPv4;Download Max Mbps\n1;10.0.0.1;10,5\n"), "");
  EXPECT_EQ(shapes_[0].rate, "10.5mbit");
}

TEST_F(Files, WhatMayMeanTwoThingsIsNotGuessed) {
  EXPECT_EQ(shapes_refused("name;rate;mark\na;10,500mbit;1\n"), "");
  EXPECT_EQ(shapes_[0].rate, "10,500mbit") << "no rate, as shape_of() says with its line";
  const struct {
    std::string text, said;
  } cases[] = {
      {"name,rate,rate\na,1mbit,2mbit\n", ":1: the column 'rate' is named twice"},
      {std::string("\xff\xfen\0a\0", 6), ":1: is in UTF-16; save it in UTF-8"},
      {"Circuit ID,IPv4,Download Max Mbps\n1,10.0.0.1,20\n\n1,10.0.0.2,30\n",
       ":4: '1' stands in line 2 with another rate"},
      {"name;rate;mark\n\na;1mbit\n", ":3: 2 fields, where the first line names 3"},
      {"name|rate|mark\na|1mbit|1\n", ":1: 'name|rate|mark' is no column; there are name"},
  };
  for (const auto& one : cases) {
    const std::string said = shapes_refused(one.text);
    EXPECT_TRUE(said.starts_with(one.said)) << one.text << " is refused with " << said;
  }
}

}  // namespace
}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
// The capture's bytes. What tshark and dpkt make of them is test_pcap.py's part,
// which finds the file by PENSTOCK_TEST_PCAP.
#include "sim/net/pcap.h"
#include "tests/sim/times.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace penstock::net {
namespace {

constexpr Endpoints kForward{0x0a000001, 0x0a000002, 10000, 5001};
constexpr Endpoints kReverse{0x0a000002, 0x0a000001, 5001, 10000};

tcp::Segment segment(std::uint8_t flags, std::uint8_t options, std::uint16_t payload_bytes) {
  tcp::Segment s{};
  s.seq = 1000;
  s.ack = 2000;
  s.window = 65535;
  s.flags = flags;
  s.options = options;
  s.payload_bytes = payload_bytes;
  s.ts_val = 11;
  s.ts_ecr = 22;
  return s;
}

tcp::Segment syn(std::uint8_t flags) {
  tcp::Segment s =
      segment(flags, tcp::kTimestamps | tcp::kSackPermitted | tcp::kMss | tcp::kWindowScale, 0);
  s.syn = {1448, 7};
  return s;
}

tcp::Segment selective_ack(std::uint8_t options) {
  tcp::Segment s = segment(tcp::kAck, options, 0);
  for (std::uint32_t i = 0; i < 3; ++i) s.sack[i] = {10'000 * (i + 1), 10'000 * (i + 1) + 1448};
  return s;
}

// One packet of each kind that a run can produce.
void write_all(PcapWriter& w) {
  std::uint16_t id = 0;
  w.write(0, syn(tcp::kSyn | tcp::kEce | tcp::kCwr), kForward, id++);
  w.write(40 * kMs, syn(tcp::kSyn | tcp::kAck | tcp::kEce), kReverse, id++);
  for (const std::uint8_t options : std::initializer_list<std::uint8_t>{
           0, tcp::kMss, tcp::kWindowScale, tcp::kSackPermitted, tcp::kTimestamps}) {
    tcp::Segment s = segment(tcp::kSyn, options, 0);
    s.syn = {536, 0};
    w.write(50 * kMs, s, kForward, id++);
  }
  for (const tcp::Ecn ecn : {tcp::kNotEct, tcp::kEct1, tcp::kEct0, tcp::kCe}) {
    tcp::Segment s = segment(tcp::kAck | tcp::kPsh, tcp::kTimestamps, 1447);
    s.ecn = ecn;
    w.write(1'500 * kMs + 1, s, kForward, id++);
  }
  for (std::uint8_t blocks = 0; blocks <= 3; ++blocks) {
    w.write(1'600 * kMs, selective_ack(blocks), kReverse, id++);
    w.write(1'600 * kMs, selective_ack(static_cast<std::uint8_t>(tcp::kTimestamps | blocks)),
            kReverse, id++);
  }
  w.write(1'700 * kMs, segment(tcp::kAck | tcp::kEce, 0, 0), kReverse, id++);
  w.write(1'800 * kMs, segment(tcp::kAck | tcp::kFin, 0, 0), kForward, id++);
  w.write_udp(2'000 * kMs, 972, {}, tcp::kNotEct, kForward, id++);
  w.write_udp(2'000 * kMs, 0, {}, tcp::kNotEct, kForward, id++);
  w.write(2'100 * kMs, segment(tcp::kAck, 0, 65'495), kForward, id++);
}

class Pcap : public testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("PENSTOCK_TEST_PCAP");
    // Several processes run these tests at a time.
    path_ = given ? given
                  : testing::TempDir() + "penstock_pcap_test_" + std::to_string(getpid()) + ".pcap";
  }

  std::vector<std::uint8_t> bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string path_;
};

TEST_F(Pcap, HeaderSaysNanosecondsAndRawIp) {
  PcapWriter(path_).close();
  const std::vector<std::uint8_t> expected{0x4d, 0x3c, 0xb2, 0xa1, 2,    0,    4, 0, 0,   0, 0, 0,
                                           0,    0,    0,    0,    0xff, 0xff, 0, 0, 101, 0, 0, 0};
  EXPECT_EQ(bytes(), expected);
}

TEST_F(Pcap, TimeIsSecondsAndNanoseconds) {
  PcapWriter w(path_);
  w.write(3'000'000'007, segment(tcp::kAck, 0, 0), kForward, 0);
  w.close();
  const auto b = bytes();
  ASSERT_EQ(b.size(), 24U + 16U + 40U);
  EXPECT_EQ(b[24], 3);
  EXPECT_EQ(b[28], 7);
}

TEST_F(Pcap, UdpChecksumIsNeverZero) {
  PcapWriter w(path_);
  // Ports chosen so that the one's complement sum is 0xffff: its complement, 0,
  // would mean "no checksum".
  w.write_udp(0, 0, {}, tcp::kNotEct, {0, 0, 0xffff - 17 - 8 - 8, 0}, 0);
  w.close();
  const auto b = bytes();
  EXPECT_EQ(b[24 + 16 + 26], 0xff);
  EXPECT_EQ(b[24 + 16 + 27], 0xff);
}

TEST_F(Pcap, RefusesMoreThanIpv4Carries) {
  PcapWriter w(path_);
  EXPECT_THROW(w.write(0, segment(tcp::kAck, 0, 65'496), kForward, 0), std::length_error);
  EXPECT_THROW(w.write_udp(0, 65'508, {}, 0, kForward, 0), std::length_error);
}

TEST_F(Pcap, SaysWhichFileAndWhy) {
  try {
    PcapWriter("/nonexistent/a.pcap");
    FAIL() << "opened a file in a folder that does not exist";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "cannot write /nonexistent/a.pcap: No such file or directory");
  }
}

TEST_F(Pcap, SaysWhenTheDiskIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  PcapWriter w("/dev/full");
  try {
    w.close();
    FAIL() << "a full disk went unnoticed";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "cannot write /dev/full: No space left on device");
  }
}

// Last, so that its file is the one that stays for other readers.
TEST_F(Pcap, WritesPacketsOfEveryKind) {
  PcapWriter w(path_);
  write_all(w);
  w.close();
  EXPECT_GT(bytes().size(), 65'535U);
}

}  // namespace
}  // namespace penstock::net

// SPDX-License-Identifier: GPL-2.0-only
// The scoreboard against RFC 6675 read literally, byte by byte, on random histories;
// and the set of ranges that it and the receiver stand on.
#include "sim/tcp/scoreboard.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "sim/tcp/reassembly.h"

namespace penstock::tcp {
namespace {

constexpr std::uint32_t kThresh = 3;
constexpr std::uint32_t kCellBytes = 10;

// Section 4 of the RFC over a vector of flags, one for each byte.
struct Literal {
  std::vector<bool> sacked;
  std::uint64_t una = 0, high_data = 0, high_rxt = 0;

  explicit Literal(std::size_t n) : sacked(n) {}

  // IsLost() of each byte, by what is reported above it.
  std::vector<bool> lost() const {
    std::vector<bool> lost(high_data);
    std::uint64_t bytes = 0, ranges = 0;
    for (std::uint64_t i = high_data; i-- > una;) {
      lost[i] = ranges >= kThresh || bytes > std::uint64_t{kThresh - 1} * kCellBytes;
      if (!sacked[i]) continue;
      ++bytes;
      if (i == 0 || !sacked[i - 1]) ++ranges;
    }
    return lost;
  }
  std::uint64_t pipe(std::uint64_t lost_below, const std::vector<bool>& lost) const {
    std::uint64_t n = 0;
    for (std::uint64_t i = una; i < high_data; ++i) {
      if (sacked[i]) continue;
      if (i >= lost_below && !lost[i]) ++n;
      if (i < high_rxt) ++n;
    }
    return n;
  }
};

TEST(Scoreboard, AgreesWithTheRfcByteByByte) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&random](std::uint64_t n) { return n ? random() % n : 0; };
    Scoreboard board;
    Literal rfc(600);
    board.restart(0);
    for (int step = 0; step < 60; ++step) {
      rfc.high_data = std::min<std::uint64_t>(rfc.high_data + below(30), rfc.sacked.size());
      const std::uint64_t out = rfc.high_data - rfc.una;
      if (out > 1 && below(3) != 0) {  // a report; its first byte is never the oldest
        const std::uint64_t start = rfc.una + 1 + below(out - 1);
        const std::uint64_t end = std::min(start + 1 + below(25), rfc.high_data);
        std::uint64_t fresh = 0;
        for (std::uint64_t i = start; i < end; ++i) {
          fresh += !rfc.sacked[i];
          rfc.sacked[i] = true;
        }
        EXPECT_EQ(board.add({start, end}), fresh);
      }
      if (below(4) == 0) {  // a cumulative ACK, up to where data is missing
        std::uint64_t una = rfc.una + below(out + 1);
        while (una < rfc.high_data && rfc.sacked[una]) ++una;
        board.advance(rfc.una, una);
        rfc.una = una;
        rfc.high_rxt = std::max(rfc.high_rxt, una);
      }
      if (below(3) == 0) {  // NextSeg() rules 1 and 3
        const Interval hole = board.next_hole(std::max(board.high_rxt(), rfc.una));
        std::uint64_t first = rfc.high_rxt;
        while (first < rfc.high_data && rfc.sacked[first]) ++first;
        EXPECT_EQ(hole.start, first);
        if (hole.start < board.highest_sacked()) {
          const std::uint64_t end = std::min(hole.end, hole.start + kCellBytes);
          for (std::uint64_t i = hole.start; i < end; ++i) EXPECT_FALSE(rfc.sacked[i]);
          board.retransmitted(hole.start, end);
          rfc.high_rxt = end;
        }
      }
      if (below(20) == 0) {
        board.restart(rfc.una);
        rfc.high_rxt = rfc.una;
      }
      const std::uint64_t edge = board.lost_edge(kThresh, kCellBytes);
      const std::vector<bool> lost = rfc.lost();
      for (std::uint64_t i = rfc.una; i < rfc.high_data; ++i) {
        ASSERT_TRUE(rfc.sacked[i] || (i < edge) == lost[i]) << "byte " << i;
      }
      ASSERT_EQ(board.pipe(rfc.una, rfc.high_data, edge), rfc.pipe(0, lost));
      const std::uint64_t timeout = rfc.una + below(rfc.high_data - rfc.una + 1);
      ASSERT_EQ(board.pipe(rfc.una, rfc.high_data, std::max(edge, timeout)),
                rfc.pipe(timeout, lost));
    }
  }
}

TEST(Scoreboard, LastHoleIsTheHighestUnreportedRange) {
  Scoreboard board;
  EXPECT_EQ(board.last_hole(5, 40).start, 5U);
  board.add({10, 20});
  board.add({30, 40});
  EXPECT_EQ(board.last_hole(5, 50).start, 40U);
  EXPECT_EQ(board.last_hole(5, 40).start, 20U);
  EXPECT_EQ(board.last_hole(5, 40).end, 30U);
  EXPECT_EQ(board.last_hole(5, 15).end, 10U);
  EXPECT_EQ(board.last_hole(10, 20).start, board.last_hole(10, 20).end);
}

TEST(IntervalSet, EqualsASetOfBytes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    IntervalSet ranges;
    std::set<std::uint64_t> bytes;
    std::uint64_t floor = 0;
    for (int step = 0; step < 80; ++step) {
      if (random() % 5 == 0) {
        floor += random() % 20;
        const auto end = bytes.lower_bound(floor);
        EXPECT_EQ(ranges.remove_below(floor),
                  static_cast<std::uint64_t>(std::distance(bytes.begin(), end)));
        bytes.erase(bytes.begin(), end);
      } else {
        const std::uint64_t start = floor + random() % 150;
        const std::uint64_t end = start + 1 + random() % 15;
        std::uint64_t fresh = 0;
        for (std::uint64_t b = start; b < end; ++b) fresh += bytes.insert(b).second;
        EXPECT_EQ(ranges.add({start, end}), fresh);
      }
      ASSERT_EQ(ranges.bytes(), bytes.size());
      std::uint64_t covered = 0;
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        ASSERT_LT(ranges[i].start, ranges[i].end);
        ASSERT_TRUE(i == 0 || ranges[i - 1].end < ranges[i].start);  // neighbours are joined
        for (std::uint64_t b = ranges[i].start; b < ranges[i].end; ++b) covered += bytes.count(b);
      }
      ASSERT_EQ(covered, bytes.size());
    }
  }
}

TEST(Reassembly, HandsOverWhatFollowsTheGap) {
  Reassembly r;
  EXPECT_EQ(r.add({20, 30}), 10U);
  EXPECT_EQ(r.add({40, 50}), 10U);
  EXPECT_EQ(r.add({25, 35}), 5U);
  EXPECT_EQ(r.span_bytes(10), 40U);
  EXPECT_EQ(r.take(15).next, 15U);
  const Reassembly::Taken taken = r.take(22);
  EXPECT_EQ(taken.next, 35U);
  EXPECT_EQ(taken.duplicate_bytes, 2U);
  EXPECT_FALSE(r.empty());
  EXPECT_EQ(r.take(40).next, 50U);
  EXPECT_TRUE(r.empty());
}

}  // namespace
}  // namespace penstock::tcp

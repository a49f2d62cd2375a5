// SPDX-License-Identifier: GPL-2.0-only
// What a packet takes of a line (R19), against tables that are counted by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "core/queue/overhead.h"

namespace {

TEST(Overhead, R19AtmFillsTheLastCell) {
  const pst_overhead pppoe_llcsnap{40, 0, PST_CELLS_ATM};
  EXPECT_EQ(pst_line_bytes(&pppoe_llcsnap, 40), 2U * 53);  // 80 bytes, 48 of them in the first
  EXPECT_EQ(pst_line_bytes(&pppoe_llcsnap, 1492), 32U * 53);  // 1532 bytes
  EXPECT_EQ(pst_line_bytes(&pppoe_llcsnap, 1496), 32U * 53);  // 1536: no padding
  EXPECT_EQ(pst_line_bytes(&pppoe_llcsnap, 1497), 33U * 53);
}

TEST(Overhead, R19PtmAddsAByteForEach64) {
  const pst_overhead pppoe_ptm{30, 0, PST_CELLS_PTM};
  EXPECT_EQ(pst_line_bytes(&pppoe_ptm, 34), 65U);
  EXPECT_EQ(pst_line_bytes(&pppoe_ptm, 35), 67U);
  EXPECT_EQ(pst_line_bytes(&pppoe_ptm, 1492), 1522U + 24);
}

TEST(Overhead, R19AFrameHasALeastSize) {
  const pst_overhead ethernet{38, 84, PST_CELLS_NONE};
  EXPECT_EQ(pst_line_bytes(&ethernet, 40), 84U);
  EXPECT_EQ(pst_line_bytes(&ethernet, 46), 84U);
  EXPECT_EQ(pst_line_bytes(&ethernet, 1500), 1538U);
  const pst_overhead negative{-64, 0, PST_CELLS_NONE};
  EXPECT_EQ(pst_line_bytes(&negative, 40), 0U);
}

TEST(Overhead, R19FullPacketsAtTheDevicesRateFillTheLine) {
  const u64 line = 2'500'000;
  for (const s32 bytes : {-14, 0, 18, 44, 256})
    for (const u32 cells : {PST_CELLS_NONE, PST_CELLS_ATM, PST_CELLS_PTM})
      for (const u32 header : {0U, 14U}) {
        const pst_overhead o{bytes, 64, cells};
        const double packets = static_cast<double>(pst_device_rate(&o, line, header)) /
                               (PST_FULL_PACKET_BYTES + header);
        EXPECT_NEAR(packets * static_cast<double>(pst_line_bytes(&o, PST_FULL_PACKET_BYTES)),
                    static_cast<double>(line), 2.0)
            << bytes << " " << cells;
      }
}

}  // namespace

// SPDX-License-Identifier: GPL-2.0-only
// Rules about the window field that packets through the kernel's program cannot show one by one.
#include "core/rewrite/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

constexpr pst_ack_header kAck{.ack = 1000, .field = 60'000, .syn = false, .pure = true};
constexpr pst_ack_header kSynAck{.ack = 1000, .field = 60'000, .syn = true, .pure = false};

pst_flow flow(u8 scale) {
  pst_flow f{};
  pst_flow_on_syn(&f, true, scale);
  pst_flow_on_syn(&f, false, scale);
  f.mss_bytes = 1448;
  return f;
}

TEST(Window, R1NoMoreThanTheReceiverOffers) {
  const pst_flow f = flow(7);
  const pst_ack_header small{.ack = 1000, .field = 5, .syn = false, .pure = true};
  for (const u64 bytes : {u64{1}, u64{640}, u64{641}, u64{1} << 30})
    EXPECT_EQ(pst_rewrite_window(&f, PST_SAFE, &small, bytes).field, small.field);
}

TEST(Window, R3TheFieldIsRoundedUpToTheGranule) {
  const pst_flow f = flow(7);
  for (u64 bytes = 10'000; bytes < 10'300; ++bytes) {
    const u64 granted = u64{pst_rewrite_window(&f, PST_SAFE, &kAck, bytes).field} << 7;
    EXPECT_GE(granted, bytes);
    EXPECT_LT(granted, bytes + 128);
  }
}

// R2 is no reason to offer what the receiver has taken back; and what it still offers of data that
// was seen stays granted, whatever the method allows.
TEST(Window, R1AndR2FollowAReceiverThatRetracts) {
  for (const u32 mode : {PST_SAFE, PST_STRICT}) {
    pst_flow f = flow(7);
    u64 random = 1;
    u32 ack = 1000, sent = 1000;
    pst_flow_on_isn(&f, sent - 1);
    for (int i = 0; i < 20'000; ++i) {
      random = random * 6364136223846793005ULL + 1442695040888963407ULL;
      ack += static_cast<u32>(random >> 40) % (sent - ack + 1);
      const pst_ack_header h{
          .ack = ack,
          .field = static_cast<u16>(1 + (random >> 20) % (i % 50 < 25 ? 400 : 40)),
          .syn = false,
          .pure = true};
      pst_rewrite out{};
      if (!pst_rewrite_bypassed(&f, mode, &h, &out))
        out = pst_rewrite_window(&f, mode, &h, (random >> 33) % 60'000);
      ASSERT_LE(out.field, h.field) << i;
      const u32 receivers = ack + (u32{h.field} << 7), granted = ack + (u32{out.field} << 7);
      ASSERT_TRUE(out.limit == PST_BY_FREEZE || granted >= std::min(receivers, sent)) << i;
      pst_rewrite_commit(&f, &h, out.field);
      if (sent < granted) {
        const u32 bytes = std::min(granted - sent, 1448U);
        sent += bytes;
        pst_flow_on_data(&f, sent - bytes, bytes);
      }
    }
    EXPECT_GT(sent, 1'000'000U) << mode;
  }
}

// More than 1.3 times what is meant, and a segment is always meant, and always said in smaller
// granules.
TEST(Window, R3SaysWhatItCannotSay) {
  for (u8 scale = 0; scale <= 14; ++scale) {
    const pst_flow f = flow(scale);
    const double granule = static_cast<double>(1U << scale);
    for (u64 bytes = 1; bytes < 200'000; bytes += 97) {
      const double meant = static_cast<double>(pst_max(bytes, 1448));
      const bool lone = bytes <= 1448 && scale <= 10;
      const bool unsaid = !lone && std::ceil(meant / granule) * granule > 1.3 * meant + 1e-6;
      EXPECT_EQ(pst_is_unsaid(&f, bytes), unsaid) << unsigned{scale} << " " << bytes;
    }
  }
}

// No method allows less than a segment, so packets through a gateway do not show it.
TEST(Window, R4AtLeastOneSegmentInWholeGranules) {
  for (u8 scale = 0; scale <= 14; ++scale) {
    const pst_flow f = flow(scale);
    const u16 least = static_cast<u16>((1448U + (1U << scale) - 1) >> scale);
    EXPECT_EQ(pst_rewrite_window(&f, PST_SAFE, &kAck, 1).field, least) << int{scale};
    EXPECT_EQ(pst_rewrite_window(&f, PST_STRICT, &kAck, 1).field, least) << int{scale};
  }
}

TEST(Window, R6ASynIsNotScaledAndOpensWithTwoSegments) {
  const pst_flow f = flow(7);
  pst_rewrite out{};
  EXPECT_TRUE(pst_rewrite_bypassed(&f, PST_SAFE, &kSynAck, &out));
  EXPECT_EQ(out.field, kSynAck.field);
  EXPECT_EQ(pst_rewrite_opening(&f, &kSynAck, 1).field, 2 * 1448);
  EXPECT_EQ(pst_rewrite_opening(&f, &kSynAck, 5000).field, 5000);
  EXPECT_EQ(pst_rewrite_opening(&f, &kSynAck, 1 << 20).field, kSynAck.field);
}

TEST(Window, R8AFlowOfUnknownScalePasses) {
  pst_flow f = flow(7);
  f.scale_known = false;
  pst_rewrite out{};
  EXPECT_TRUE(pst_rewrite_bypassed(&f, PST_SAFE, &kAck, &out));
  EXPECT_EQ(out.field, kAck.field);
  EXPECT_EQ(out.limit, PST_BY_UNKNOWN_SCALE);
}

}  // namespace

// SPDX-License-Identifier: GPL-2.0-only
// `fair` against a flow that ignores marks, and one that could not be marked before.
#include <gtest/gtest.h>

#include "fair_host.h"

namespace {

// Of the full queue: both flows are acknowledged, and the controlled one sends.
void pass_a_ms(Fair& fair, int i) {
  fair.q.now_ns += kMs;
  fair.q.bytes = kTarget;
  fair.q.random = static_cast<u32>(pst_fair_hash(static_cast<u64>(i)));
  fair.answer(0);
  fair.answer(1);
  fair.arrive(1, 2000, PST_KIND_CONTROLLED, 0, true);
}

}  // namespace

// A sender that marks do not slow down, or whose marks are removed on the way, is dropped.
TEST(FairMarks, ComeBeforeDropsOfWhoDoesNotHeedThem) {
  Fair fair;
  int marks = 0, drops = 0, late_marks = 0;
  for (int i = 0; i < 6000; ++i) {
    pass_a_ms(fair, i);
    const pst_verdict v = fair.arrive(0, 2000, PST_KIND_OTHER, PST_ECT0);
    marks += v == PST_MARK;
    drops += v == PST_DROP;
    late_marks += i > 2500 && v == PST_MARK;
  }
  EXPECT_GT(marks, 100);
  EXPECT_GT(drops, 500);
  EXPECT_EQ(late_marks, 0);
}

// What could not be marked has ignored no mark: the flow is marked once it is ECN-capable.
TEST(FairMarks, AreForAFlowThatWasDroppedBeforeItCouldBeMarked) {
  Fair fair;
  int early_drops = 0, marks = 0, drops = 0;
  for (int i = 0; i < 5000; ++i) {
    pass_a_ms(fair, i);
    if (i >= 3000 && i < 4000) continue;
    const pst_verdict v = fair.arrive(0, 2000, PST_KIND_OTHER, i < 3000 ? 0 : PST_ECT0);
    early_drops += i < 3000 && v == PST_DROP;
    marks += v == PST_MARK;
    drops += i >= 3000 && v == PST_DROP;
  }
  EXPECT_GT(early_drops, 500);
  EXPECT_GT(marks, 100);
  EXPECT_EQ(drops, 0);
}

// SPDX-License-Identifier: GPL-2.0-only
// What status says of a snapshot.
#include "gateway/tool/snapshot.h"

#include <gtest/gtest.h>

#include "gateway/tool/report.h"
#include "gateway/tool/settings.h"

namespace penstock::gw {
namespace {

Snapshot live(const std::string& method, std::uint64_t factor_q32) {
  Settings settings;
  settings.rate = "20mbit";
  settings.method = method;
  Snapshot s;
  s.state = State::kLive;
  s.attachment.config = plan_of(settings).config;
  if (method == "integral") s.shared.gateway.law.integral.factor_q32 = factor_q32;
  if (method == "penstock") s.shared.gateway.law.penstock.factor_q32 = factor_q32;
  return s;
}

TEST(Snapshots, WarnOfALawAtItsFloor) {
  const Snapshot low = live("integral", PST_INTEGRAL_LEAST_Q32);
  EXPECT_NE(status_text(low).find("at its floor"), std::string::npos);
  EXPECT_EQ(status_json(low)["warning"], low.warning());
  EXPECT_EQ(live("integral", PST_INTEGRAL_LEAST_Q32 + 1).warning(), "");
  EXPECT_EQ(live("penstock", PST_PENSTOCK_LEAST_Q32).warning(), low.warning());
  EXPECT_EQ(live("penstock", PST_PENSTOCK_LEAST_Q32 + 1).warning(), "");
  EXPECT_EQ(live("share", 0).warning(), "");
  Snapshot observing = low;
  observing.attachment.config.gateway.observe = true;
  EXPECT_EQ(observing.warning(), "");
}

}  // namespace
}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
// Whom a discipline may hit: the kind of each content, with a window or a rule and without.
#include <gtest/gtest.h>

#include "core/gateway/kind.h"

namespace {

struct Row {
  pst_content content;
  std::uint8_t free, held, by_rule;  // by_rule: where no window holds it
};

TEST(Kind, IsDecidedByContentWindowAndRule) {
  const Row rows[] = {
      {PST_CONTENT_OTHER, PST_KIND_OTHER, PST_KIND_OTHER, PST_KIND_BY_RULE},
      {PST_CONTENT_DATA, PST_KIND_OTHER, PST_KIND_CONTROLLED, PST_KIND_BY_RULE},
      {PST_CONTENT_EMPTY, PST_KIND_SMALL, PST_KIND_SMALL, PST_KIND_SMALL},
      {PST_CONTENT_ICMP, PST_KIND_SMALL, PST_KIND_SMALL, PST_KIND_BY_RULE},
      {PST_CONTENT_LINK, PST_KIND_SPARED, PST_KIND_SPARED, PST_KIND_SPARED},
  };
  for (const Row& row : rows) {
    const bool tcp = row.content == PST_CONTENT_DATA || row.content == PST_CONTENT_EMPTY;
    EXPECT_EQ(pst_kind_of(row.content, false), row.free) << row.content;
    EXPECT_EQ(pst_kind_of(row.content, true), row.held) << row.content;
    EXPECT_EQ(pst_kind_by_rule(row.free, tcp), row.by_rule) << row.content;
  }
  EXPECT_EQ(pst_kind_by_rule(PST_KIND_CONTROLLED, true), PST_KIND_CONTROLLED);
}

TEST(Kind, OfASegmentFollowsItsPayload) {
  EXPECT_EQ(pst_content_of(0), PST_CONTENT_EMPTY);
  EXPECT_EQ(pst_content_of(1), PST_CONTENT_DATA);
}

}  // namespace

// SPDX-License-Identifier: GPL-2.0-only
// The data of a sender alone: offsets, the end of a segment, and the FIN.
#include "sim/tcp/send_buffer.h"

#include <gtest/gtest.h>

namespace penstock::tcp {
namespace {

TEST(SendBuffer, CountsWhatIsInFlightAndWhatIsAcknowledged) {
  SendBuffer data(3'000, SendBuffer::After::kClose);
  EXPECT_EQ(data.acked_bytes(), 0U);
  data.note_sent(1);
  data.acknowledge(1);
  EXPECT_EQ(data.flight_bytes(), 0U);
  EXPECT_FALSE(data.idle());  // there is data to send
  data.note_sent(2'001);
  data.note_sent(1'001);  // again
  EXPECT_EQ(data.flight_bytes(), 2'000U);
  data.acknowledge(1'001);
  EXPECT_EQ(data.flight_bytes(), 1'000U);
  EXPECT_EQ(data.acked_bytes(), 1'000U);
}

TEST(SendBuffer, IsDoneWhenItsFinIsAcknowledged) {
  SendBuffer data(1'000, SendBuffer::After::kClose);
  data.note_sent(1'001);
  EXPECT_FALSE(data.all_sent());
  data.note_sent(1'002);
  EXPECT_TRUE(data.all_sent());
  data.acknowledge(1'001);
  EXPECT_FALSE(data.done());
  data.acknowledge(1'002);
  EXPECT_TRUE(data.done());
  EXPECT_EQ(data.acked_bytes(), 1'000U);  // the FIN is no payload
}

TEST(SendBuffer, HasNoFinWhileTheApplicationMayWrite) {
  SendBuffer data(0, SendBuffer::After::kOpen);
  data.write(500);
  EXPECT_EQ(data.segment_end(1, 10'000, 1'000), 501U);
  data.note_sent(501);
  data.acknowledge(501);
  EXPECT_TRUE(data.all_sent());
  EXPECT_TRUE(data.idle());
  EXPECT_FALSE(data.done());
  data.close();
  EXPECT_FALSE(data.all_sent());
  EXPECT_EQ(data.segment_end(501, 10'000, 1'000), 502U);
}

TEST(SendBuffer, EndsASegmentAtAWholeOneOrAtTheLimit) {
  const SendBuffer data(2'500, SendBuffer::After::kClose);
  EXPECT_EQ(data.segment_end(1, 10'000, 1'000), 1'001U);
  EXPECT_EQ(data.segment_end(1, 401, 1'000), 401U);
  EXPECT_EQ(data.segment_end(2'001, 10'000, 1'000), 2'502U);  // with the FIN
}

TEST(SendBuffer, PushesItsLastDataWithTheFin) {
  const SendBuffer data(1'500, SendBuffer::After::kClose);
  Segment first{}, last{};
  data.fill(first, 1, 1'001);
  EXPECT_EQ(first.payload_bytes, 1'000U);
  EXPECT_EQ(first.flags, 0);
  data.fill(last, 1'001, 1'502);
  EXPECT_EQ(last.payload_bytes, 500U);
  EXPECT_EQ(last.flags, kPsh | kFin);
}

TEST(SendBuffer, OfAnEndlessConnectionDoesNotOverflow) {
  const SendBuffer data(UINT64_MAX, SendBuffer::After::kClose);
  EXPECT_GT(data.data_end(), std::uint64_t{1} << 61);
  EXPECT_EQ(data.segment_end(1, UINT64_MAX, 1'000), 1'001U);
}

}  // namespace
}  // namespace penstock::tcp

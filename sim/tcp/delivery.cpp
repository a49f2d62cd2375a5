// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/delivery.h"

#include <algorithm>

#include "core/base.h"

namespace penstock::tcp {

std::size_t Delivery::find(std::uint64_t start) const {
  const auto at = std::upper_bound(sent_.begin(), sent_.end(), start,
                                   [](std::uint64_t x, const Sent& s) { return x < s.end; });
  return static_cast<std::size_t>(at - sent_.begin());
}

void Delivery::on_send(std::uint64_t start, std::uint64_t end, bool idle,
                       std::uint64_t in_flight_bytes, std::uint64_t now_ns) {
  PST_REQUIRE(start < end && is_sound());
  PST_REQUIRE(now_ns >= delivered_ns_);
  if (idle) first_sent_ns_ = delivered_ns_ = now_ns;
  const bool limited = limited_until_bytes_ > 0;
  if (sent_.empty() || start >= sent_.back().end) {
    sent_.push_back({start, end, now_ns, first_sent_ns_, delivered_ns_, delivered_bytes_,
                     in_flight_bytes, noted_lost_bytes_, limited, false, false});
    return;
  }
  const std::size_t i = find(start);
  PST_REQUIRE(i < sent_.size() && now_ns >= sent_[i].sent_ns);
  if (end < sent_[i].end) {  // cut at the right edge of the window
    Sent rest = sent_[i];
    rest.start = sent_[i].end = end;
    sent_.insert(sent_.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
  }
  Sent& s = sent_[i];
  s.sent_ns = now_ns;
  s.first_sent_ns = first_sent_ns_;
  s.delivered_ns = delivered_ns_;
  s.delivered_bytes = delivered_bytes_;
  s.in_flight_bytes = in_flight_bytes;
  s.noted_lost_bytes = noted_lost_bytes_;
  s.limited = limited;
  s.again = true;
  PST_ENSURE(s.first_sent_ns <= s.sent_ns && s.delivered_ns <= s.sent_ns);
}

void Delivery::limit(std::uint64_t in_flight_bytes) {
  limited_until_bytes_ = std::max<std::uint64_t>(delivered_bytes_ + in_flight_bytes, 1);
}

void Delivery::on_lost(Interval range) {
  if (!hears_losses_) return;
  PST_REQUIRE(range.start < range.end);
  for (std::size_t i = find(range.start); i < sent_.size() && sent_[i].start < range.end; ++i) {
    const Sent& s = sent_[i];
    if (s.delivered) continue;
    noted_lost_bytes_ += s.end - s.start;
    lost_.push_back({s.end - s.start, s.in_flight_bytes, noted_lost_bytes_ - s.noted_lost_bytes,
                     s.limited, s.start != lost_end_});
    lost_end_ = s.end;
    PST_ENSURE(noted_lost_bytes_ - s.noted_lost_bytes >= s.end - s.start);
  }
}

void Delivery::begin(std::uint64_t in_flight_bytes, std::uint64_t total_lost_bytes) {
  in_flight_before_bytes_ = in_flight_bytes;
  PST_REQUIRE(total_lost_bytes >= lost_before_bytes_);  // losses are counted for good
  lost_before_bytes_ = total_lost_bytes;
  delivered_before_bytes_ = delivered_bytes_;
  any_ = false;
  PST_ENSURE(is_sound());
}

void Delivery::deliver(Sent& s, std::uint64_t now_ns) {
  PST_REQUIRE(!s.delivered);
  PST_REQUIRE(now_ns >= s.sent_ns);
  s.delivered = true;
  if (!s.again) {
    const std::uint64_t rtt_ns = std::max<std::uint64_t>(now_ns - s.sent_ns, 1);
    min_rtt_ns_ = min_rtt_ns_ ? std::min(min_rtt_ns_, rtt_ns) : rtt_ns;
  }
  if (any_ && s.sent_ns < newest_.sent_ns) return;
  newest_ = s;
  any_ = true;
  PST_ENSURE(newest_.delivered && newest_.delivered_bytes <= delivered_bytes_);
}

void Delivery::on_sack(Interval block, std::uint64_t now_ns) {
  for (std::size_t i = find(block.start); i < sent_.size() && sent_[i].end <= block.end; ++i) {
    Sent& s = sent_[i];
    if (s.delivered || s.start < block.start) continue;
    delivered_bytes_ += s.end - s.start;
    deliver(s, now_ns);
  }
  PST_ENSURE(is_sound());
}

// Duplicates before it have counted some of what it acknowledges, all but one segment.
void Delivery::on_ack(std::uint64_t una, std::uint32_t mss_bytes, std::uint64_t now_ns) {
  std::uint64_t acked = 0;
  while (!sent_.empty() && sent_.front().end <= una) {
    Sent& s = sent_.front();
    if (!s.delivered) {
      acked += s.end - s.start;
      deliver(s, now_ns);
    }
    sent_.pop_front();
  }
  const std::uint64_t counted =
      std::min<std::uint64_t>(duplicate_bytes_, pst_sub_floor(acked, mss_bytes));
  duplicate_bytes_ = sent_.empty() ? 0 : duplicate_bytes_ - counted;
  delivered_bytes_ += acked - counted;
  PST_ENSURE(counted <= acked);
  PST_ENSURE(delivered_bytes_ >= delivered_before_bytes_);
}

void Delivery::forget(std::uint64_t una) {
  while (!sent_.empty() && sent_.front().end <= una) sent_.pop_front();
}

void Delivery::on_duplicate(std::uint32_t mss_bytes) {
  const std::uint64_t flight = sent_.empty() ? 0 : sent_.back().end - sent_.front().start;
  if (duplicate_bytes_ + 2 * std::uint64_t{mss_bytes} > flight) return;  // all but the missing one
  duplicate_bytes_ += mss_bytes;
  delivered_bytes_ += mss_bytes;
  PST_ENSURE(duplicate_bytes_ < flight && is_sound());
}

// The longer of sending and delivery: ACKs that come in a burst do not show a rate. An interval
// below the least RTT is that of a segment whose first transmission has arrived.
struct pst_delivery Delivery::sample(std::uint64_t total_lost_bytes, std::uint64_t now_ns) {
  PST_REQUIRE(total_lost_bytes >= lost_before_bytes_);
  PST_REQUIRE(delivered_bytes_ >= delivered_before_bytes_);
  const std::uint64_t acked = delivered_bytes_ - delivered_before_bytes_;
  if (acked > 0) delivered_ns_ = now_ns;
  if (delivered_bytes_ > limited_until_bytes_) limited_until_bytes_ = 0;
  struct pst_delivery d{};
  d.total_bytes = delivered_bytes_;
  d.at_ns = delivered_ns_;
  d.acked_bytes = acked;
  d.lost_bytes = total_lost_bytes - lost_before_bytes_;
  d.total_lost_bytes = total_lost_bytes;
  d.before_bytes = in_flight_before_bytes_;
  if (!any_) return d;
  PST_ENSURE(newest_.first_sent_ns <= newest_.sent_ns && newest_.sent_ns <= now_ns);
  first_sent_ns_ = newest_.sent_ns;
  const std::uint64_t interval_ns =
      std::max(newest_.sent_ns - newest_.first_sent_ns, now_ns - newest_.delivered_ns);
  d.prior_bytes = newest_.delivered_bytes;
  d.interval_ns = interval_ns < min_rtt_ns_ ? 0 : interval_ns;
  d.rtt_ns = newest_.again ? 0 : std::max<std::uint64_t>(now_ns - newest_.sent_ns, 1);
  d.app_limited = newest_.limited;
  d.newest_in_flight_bytes = newest_.in_flight_bytes;
  d.newest_lost_bytes = noted_lost_bytes_ - newest_.noted_lost_bytes;
  PST_ENSURE(d.prior_bytes <= d.total_bytes && d.lost_bytes <= d.total_lost_bytes);
  return d;
}

}  // namespace penstock::tcp

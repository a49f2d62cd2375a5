// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/scoreboard.h"

#include <algorithm>

#include "core/base.h"
#include "sim/tcp/config.h"

namespace penstock::tcp {

std::uint64_t Scoreboard::add(Interval block) {
  PST_REQUIRE(block.start < block.end);
  std::uint64_t gained = 0;
  if (block.start < high_rxt_) {
    gained = sacked_.add({block.start, std::min(block.end, high_rxt_)});
    PST_REQUIRE(gained <= resent_bytes_);
    resent_bytes_ -= gained;
    block.start = high_rxt_;
  }
  if (block.start < block.end) gained += sacked_.add(block);
  PST_ENSURE(highest_sacked() >= block.end);
  PST_ENSURE(gained <= sacked_bytes());
  return gained;
}

void Scoreboard::restart(std::uint64_t una) {
  PST_REQUIRE(empty() || una <= highest_sacked());
  high_rxt_ = una;
  resent_bytes_ = 0;
}

void Scoreboard::retransmitted(std::uint64_t start, std::uint64_t end) {
  PST_REQUIRE(start < end);
  PST_REQUIRE(start >= high_rxt_);
  high_rxt_ = end;
  resent_bytes_ += end - start;
  PST_ENSURE(resent_bytes_ <= high_rxt_);
}

void Scoreboard::clear() { sacked_.clear(); }

std::uint64_t Scoreboard::lost_edge(std::uint32_t dup_thresh, std::uint32_t mss_bytes) const {
  PST_REQUIRE(dup_thresh > 0);
  const std::uint64_t enough = std::uint64_t{dup_thresh - 1} * mss_bytes;
  std::uint64_t bytes = 0;
  std::uint32_t ranges = 0;
  for (std::size_t i = sacked_.size(); i > 0; --i) {
    bytes += sacked_[i - 1].end - sacked_[i - 1].start;
    if (++ranges >= dup_thresh || bytes > enough) return sacked_[i - 1].start;
  }
  PST_ENSURE(bytes == sacked_bytes() && bytes <= enough);
  return 0;
}

std::uint64_t Scoreboard::unreported_bytes(Interval range) const {
  PST_REQUIRE(range.start <= range.end);
  std::uint64_t bytes = range.end - range.start;
  for (std::size_t i = sacked_.find(range.start);
       i < sacked_.size() && sacked_[i].start < range.end; ++i) {
    bytes -= std::min(sacked_[i].end, range.end) - std::max(sacked_[i].start, range.start);
  }
  PST_ENSURE(bytes <= range.end - range.start);
  return bytes;
}

Interval Scoreboard::next_hole(std::uint64_t from) const {
  std::size_t i = sacked_.find(from);
  if (i < sacked_.size() && sacked_[i].start <= from) from = sacked_[i++].end;
  PST_ENSURE(i == sacked_.size() || from < sacked_[i].start);
  return {from, i < sacked_.size() ? sacked_[i].start : kNever};
}

Interval Scoreboard::last_hole(std::uint64_t floor, std::uint64_t below) const {
  std::size_t i = sacked_.size();
  for (; i > 0 && sacked_[i - 1].end >= below; --i) below = std::min(below, sacked_[i - 1].start);
  if (i > 0) floor = std::max(floor, sacked_[i - 1].end);
  PST_ENSURE(floor >= below || unreported_bytes({floor, below}) == below - floor);
  return {std::min(floor, below), below};
}

std::uint64_t Scoreboard::pipe(std::uint64_t una, std::uint64_t high_data,
                               std::uint64_t lost_edge) const {
  PST_REQUIRE(una <= high_data && lost_edge <= high_data);
  const std::uint64_t edge = std::max(una, lost_edge);
  std::uint64_t reported = 0;
  for (std::size_t i = sacked_.size(); i > 0 && sacked_[i - 1].end > edge; --i) {
    reported += sacked_[i - 1].end - std::max(sacked_[i - 1].start, edge);
  }
  PST_ENSURE(reported <= high_data - edge);
  PST_ENSURE(resent_bytes_ <= high_data - una);
  return high_data - edge - reported + resent_bytes_;
}

}  // namespace penstock::tcp

// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/events.h"

#include <algorithm>
#include <bit>

namespace penstock::net {

namespace {

constexpr std::uint32_t kMinShift = 8;
constexpr std::uint32_t kMaxShift = 24;

// The bucket width is half of a packet's transmission time on the fastest link with a queue, or, if
// there is none, on the slowest link: a few events per bucket.
std::uint32_t bucket_shift(const Plan& plan) {
  std::uint64_t busy_bps = 0;
  std::uint64_t slowest_bps = ~0ULL;
  for (const PlainLink& link : plan.links) slowest_bps = std::min(slowest_bps, link.rate_bps);
  for (const auto& [link, limits] : plan.limits)
    busy_bps = std::max(busy_bps, plan.links[link].rate_bps);
  const std::uint64_t width_ns =
      PST_FULL_PACKET_BYTES * 8'000'000'000ULL / (busy_bps ? busy_bps : slowest_bps);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(width_ns / 2));
  return std::clamp(shift, kMinShift, kMaxShift);
}

// The longest time of a packet on a link.
std::uint64_t usual_wait_ns(const Plan& plan) {
  std::uint64_t wait_ns = 0;
  for (const PlainLink& link : plan.links) {
    const std::uint64_t wire_ns = PST_FULL_PACKET_BYTES * 8'000'000'000ULL / link.rate_bps;
    wait_ns = std::max(wait_ns, link.delay_ns + wire_ns);
  }
  return wait_ns;
}

}  // namespace

Events::Events(const Plan& plan) : wheel_(bucket_shift(plan), usual_wait_ns(plan)) {}

Record& Events::schedule(Kind kind, std::uint32_t target, std::uint64_t time_ns) {
  PST_REQUIRE(time_ns >= now_ns_);
  PST_REQUIRE(kind != kPacket && kind != kHeld);
  PST_REQUIRE(target <= Record::kMaxTarget);
  const std::uint32_t index = wheel_.pool().take();
  Record& r = wheel_.pool()[index];
  r.time_ns = time_ns;
  r.set(kind, target);
  wheel_.push(index, r);
  return r;
}

}  // namespace penstock::net

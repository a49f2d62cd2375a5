// SPDX-License-Identifier: GPL-2.0-only
#include "sim/traffic/source.h"

#include "core/base.h"

namespace penstock::traffic {

std::optional<Transfer> Source::next(std::uint64_t done_ns) {
  if (spec_->transfers && turn_ >= spec_->transfers) return std::nullopt;
  PST_REQUIRE(!waits() || done_ns >= start_ns_);
  std::optional<Transfer> transfer;
  if (const auto* web = std::get_if<Web>(&spec_->model)) {
    transfer = page(*web, done_ns);
  } else if (const auto* on_off = std::get_if<OnOff>(&spec_->model)) {
    transfer = write(*on_off);
  } else {
    const std::vector<Transfer>& all = *std::get<Trace>(spec_->model).transfers;
    if (turn_ >= all.size()) return std::nullopt;
    transfer = all[turn_];
    transfer->at_ns += start_ns_;
  }
  ++turn_;
  PST_ENSURE(!spec_->transfers || turn_ <= spec_->transfers);
  PST_ENSURE(transfer->at_ns >= start_ns_ && transfer->size_bytes > 0);
  PST_ENSURE(!waits() || transfer->at_ns >= done_ns);
  return transfer;
}

Transfer Source::page(const Web& web, std::uint64_t done_ns) {
  engine::Draws numbers = draws();
  std::uint64_t pause_ns = 0;
  if (pages_left_ == 0) {
    pause_ns = web.session_ns.whole(numbers, 0);
    pages_left_ = web.pages.whole(numbers, 1);
  } else {
    pause_ns = web.reading_ns.whole(numbers, 0);
  }
  PST_REQUIRE(pages_left_ > 0);
  --pages_left_;
  const double objects = static_cast<double>(web.objects.whole(numbers, 1));
  return {done_ns + pause_ns, web.object_bytes.whole_of(objects, numbers, 1)};
}

Transfer Source::write(const OnOff& on_off) {
  PST_REQUIRE(on_off.write_bytes > 0 && on_off.interval_ns > 0);
  engine::Draws numbers = draws();
  if (turn_ == 0) {
    off_at_ns_ = at_ns_ + on_off.on_ns.whole(numbers, 1);
  } else if (at_ns_ >= off_at_ns_) {
    at_ns_ = off_at_ns_ + on_off.off_ns.whole(numbers, 0);
    off_at_ns_ = at_ns_ + on_off.on_ns.whole(numbers, 1);
  }
  PST_ENSURE(at_ns_ < off_at_ns_ && at_ns_ >= start_ns_);
  const Transfer transfer{at_ns_, on_off.write_bytes};
  at_ns_ += on_off.interval_ns;
  return transfer;
}

}  // namespace penstock::traffic

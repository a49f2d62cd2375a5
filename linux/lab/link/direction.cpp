// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/link/direction.h"

#include <poll.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

#include "linux/common/clock.h"

namespace penstock::link {
namespace {

constexpr std::uint32_t kVlanTagBytes = 4;
constexpr int kBurstFrames = 64;  // read at once, before those that are due are looked at

// Only this thread writes, so no read-modify-write is needed.
void add(std::atomic<std::uint64_t>& counter, std::uint64_t more) {
  counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace

std::uint64_t late_us_percentile(const Counters& counters, double share) {
  std::uint64_t all = 0, seen = 0;
  for (const auto& count : counters.late_us) all += count.load(std::memory_order_relaxed);
  for (std::size_t width = 0; width < counters.late_us.size(); ++width) {
    seen += counters.late_us[width].load(std::memory_order_relaxed);
    if (static_cast<double>(seen) >= share * static_cast<double>(all) && all != 0)
      return (std::uint64_t{1} << width) - 1;
  }
  return 0;
}

Direction::Direction(Device& from, Device& to, const Shape& shape, std::uint32_t ring_frames)
    : from_(from),
      to_(to),
      line_(shape),
      delay_ns_(shape.delay_ns),
      loss_ratio_(shape.loss_ratio),
      rate_bps_(shape.rate_bps),
      ring_frames_(ring_frames),
      slot_bytes_(std::size_t{from.mtu_bytes()} + kEthernetHeaderBytes + kVlanTagBytes),
      slots_(std::make_unique<Slot[]>(ring_frames)),
      frames_(static_cast<std::uint8_t*>(std::calloc(ring_frames + std::size_t{1}, slot_bytes_)),
              std::free) {
  if (!frames_) throw std::bad_alloc();
}

void Direction::change(const Change& change) {
  if (change.delay_ns) delay_ns_ = *change.delay_ns;
  if (change.loss_ratio) loss_ratio_ = *change.loss_ratio;
  if (change.rate_bps) rate_bps_ = *change.rate_bps;
}

bool Direction::take_in() {
  for (int burst = 0; burst < kBurstFrames; ++burst) {
    const bool full = tail_ - head_ == ring_frames_;
    // With a full ring the frame behind it receives what is then discarded.
    const std::ptrdiff_t length = from_.read(full ? spare() : frame(tail_), slot_bytes_);
    if (length <= 0) return length == 0;
    add(counters_.frames_in, 1);
    add(counters_.bytes_in, static_cast<std::uint64_t>(length));
    if (full) {
      add(counters_.lost_ring, 1);
      continue;
    }
    line_.change(delay_ns_, loss_ratio_);
    line_.set_rate(rate_bps_);
    const auto due_ns = line_.arrive(clock_ns(), static_cast<std::uint32_t>(length));
    counters_.lost_random.store(line_.losses().random, std::memory_order_relaxed);
    counters_.lost_queue.store(line_.losses().queue, std::memory_order_relaxed);
    if (due_ns) slot(tail_++) = {*due_ns, static_cast<std::uint32_t>(length)};
  }
  return true;
}

void Direction::note_departure(std::uint64_t now_ns, std::uint64_t due_ns, bool taken) {
  const std::uint64_t late_ns = now_ns - due_ns;
  add(taken ? counters_.frames_out : counters_.lost_write, 1);
  add(counters_.late_sum_ns, late_ns);
  const auto width = static_cast<std::size_t>(std::bit_width(late_ns / 1000));
  add(counters_.late_us[std::min(width, counters_.late_us.size() - 1)], 1);
  if (late_ns > counters_.late_max_ns.load(std::memory_order_relaxed))
    counters_.late_max_ns.store(late_ns, std::memory_order_relaxed);
}

void Direction::send_due() {
  while (head_ != tail_) {
    const Slot& first = slot(head_);
    const std::uint64_t now_ns = clock_ns();
    if (first.due_ns > now_ns) return;
    const bool taken = to_.write(frame(head_), first.length);
    note_departure(now_ns, first.due_ns, taken);
    ++head_;
  }
}

bool Direction::run(int stop_fd) {
  pollfd watched[2] = {{from_.fd(), POLLIN, 0}, {stop_fd, POLLIN, 0}};
  while (true) {
    const timespec wait = head_ == tail_ ? timespec{} : left_until(slot(head_).due_ns);
    if (ppoll(watched, 2, head_ == tail_ ? nullptr : &wait, nullptr) < 0) continue;
    if (watched[1].revents != 0) return true;
    if (watched[0].revents != 0 && !take_in()) return false;
    counters_.offloaded.store(from_.offloaded(), std::memory_order_relaxed);
    send_due();
  }
}

}  // namespace penstock::link

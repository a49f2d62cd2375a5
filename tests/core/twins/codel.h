// SPDX-License-Identifier: GPL-2.0-only
// CoDel in floating point with a queue of its own, written from RFC 8289.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace penstock::twins {

struct Packet {
  std::uint64_t queued_ns;
  std::uint32_t bytes;
  bool capable;
  int number;
};

inline constexpr int kNone = -1;

// RFC 8289 section 5.5, with marking as RFC 8289 section 4.3 allows it.
class Codel {
 public:
  Codel(double target, double interval, std::uint64_t maxpacket)
      : target_(target), interval_(interval), maxpacket_(maxpacket) {}

  void enqueue(const Packet& p) {
    queue_.push_back(p);
    bytes_ += p.bytes;
  }

  // What leaves at `now`; numbers of dropped and of marked packets are noted.
  int dequeue(double now, bool ecn) {
    auto [p, ok] = dodequeue(now);
    if (dropping_) {
      if (!ok) dropping_ = false;
      while (dropping_ && now >= drop_next_) {
        near(now, drop_next_);
        ++count_;
        if (ecn && p->capable) {
          drop_next_ = law(drop_next_);
          marked.push_back(p->number);
          break;
        }
        dropped.push_back(p->number);
        std::tie(p, ok) = dodequeue(now);
        if (ok)
          drop_next_ = law(drop_next_);
        else
          dropping_ = false;
      }
      if (dropping_) near(now, drop_next_);
    } else if (ok) {
      if (ecn && p->capable) {
        marked.push_back(p->number);
      } else {
        dropped.push_back(p->number);
        std::tie(p, ok) = dodequeue(now);
      }
      dropping_ = true;
      const double gained = count_ - last_count_;
      near(now - drop_next_, 16 * interval_);
      count_ = gained > 1 && now - drop_next_ < 16 * interval_ ? gained : 1;
      drop_next_ = law(now);
      last_count_ = count_;
    }
    sent_bytes = p ? p->bytes : 0;
    return p ? p->number : kNone;
  }

  std::uint64_t waiting() const { return queue_.size(); }

  std::vector<int> dropped, marked;
  std::uint32_t sent_bytes = 0;  // of the packet that left last
  bool close = false;  // a time was too near to a limit for integers to tell

 private:
  double law(double t) const { return t + interval_ / std::sqrt(count_); }
  // Each step of the law rounds down by up to 1 ns, and the root by 2^-16.
  void near(double a, double b) {
    close |= std::abs(a - b) < 2e-5 * interval_ * std::sqrt(count_) + count_ + 2;
  }

  std::pair<std::optional<Packet>, bool> dodequeue(double now) {
    if (queue_.empty()) {
      first_above_ = 0;
      return {std::nullopt, false};
    }
    const Packet p = queue_.front();
    queue_.pop_front();
    bytes_ -= p.bytes;
    if (now - static_cast<double>(p.queued_ns) < target_ || bytes_ <= maxpacket_) {
      first_above_ = 0;
    } else if (first_above_ == 0) {
      first_above_ = now + interval_;
    } else if (now >= first_above_) {
      return {p, true};
    }
    return {p, false};
  }

  double target_, interval_;
  std::uint64_t maxpacket_;
  std::deque<Packet> queue_;
  std::uint64_t bytes_ = 0;
  double first_above_ = 0, drop_next_ = 0, count_ = 0, last_count_ = 0;
  bool dropping_ = false;
};

}  // namespace penstock::twins

// SPDX-License-Identifier: GPL-2.0-only
// The pending events. Owns the event wheel with its records, and the time. Is told what to
// schedule; answers the next event. Events at the same time come in the order in which they were
// scheduled.
#pragma once

#include <cstdint>

#include "core/base.h"
#include "sim/engine/wheel.h"
#include "sim/net/packet.h"
#include "sim/net/plan.h"

namespace penstock::net {

class Events {
 public:
  // Buckets as wide and a lowest level as long as the packets of `plan` need.
  explicit Events(const Plan& plan);

  std::uint64_t now_ns() const { return now_ns_; }
  std::uint64_t count() const { return count_; }

  engine::Pool<Record>& pool() { return wheel_.pool(); }
  Record& operator[](std::uint32_t index) { return wheel_.pool()[index]; }
  std::uint32_t take() { return wheel_.pool().take(); }
  void give_back(std::uint32_t index) { wheel_.pool().give_back(index); }
  void give_back(Record& popped) { wheel_.pool().give_back(popped.next, popped); }

  void push(std::uint32_t index, Record& r) {
    PST_REQUIRE(r.time_ns >= now_ns_);
    wheel_.push(index, r);
  }
  // An event that is no packet. Its record is the caller's until the next call.
  Record& schedule(Kind kind, std::uint32_t target, std::uint64_t time_ns);

  // The next event up to `until_ns`, which is now; nullptr if there is none. `next` is its index.
  Record* next(std::uint64_t until_ns) {
    PST_REQUIRE(until_ns >= now_ns_);
    Record* const r = wheel_.pop(until_ns, now_ns_);
    PST_ENSURE(now_ns_ <= until_ns);
    PST_ENSURE(!r || (r->time_ns == now_ns_ && &wheel_.pool()[r->next] == r));
    if (r) ++count_;
    return r;
  }
  // At the end of a run: one of those that will not happen, or nullptr.
  const Record* discard() { return wheel_.pop(); }

 private:
  engine::Wheel<Record> wheel_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace penstock::net

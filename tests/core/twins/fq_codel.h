// SPDX-License-Identifier: GPL-2.0-only
// The scheduler of FQ-CoDel with real lists, written from RFC 8290 section 4. Its queues are
// CoDel twins.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "tests/core/twins/codel.h"

namespace penstock::twins {

class FqCodel {
 public:
  FqCodel(std::size_t queues, std::int64_t quantum, double target, double interval)
      : quantum_(quantum), queues_(queues, Queue{Codel(target, interval, 1500), 0, kNowhere}) {}

  void enqueue(std::size_t i, const Packet& p) {
    queues_[i].codel.enqueue(p);
    if (queues_[i].where != kNowhere) return;
    queues_[i].where = kNew;
    queues_[i].deficit = quantum_;
    new_.push_back(i);
  }

  int dequeue(double now, bool ecn) {
    for (;;) {
      std::list<std::size_t>& list = new_.empty() ? old_ : new_;
      if (list.empty()) return kNone;
      const std::size_t i = list.front();
      Queue& q = queues_[i];
      if (q.deficit <= 0) {
        q.deficit += quantum_;
        move_to_old(list, i);
        continue;
      }
      const int number = q.codel.dequeue(now, ecn);
      close |= q.codel.close;
      if (number != kNone) {
        q.deficit -= q.codel.sent_bytes;
        return number;
      }
      if (&list == &new_) {
        move_to_old(list, i);
      } else {
        list.pop_front();
        q.where = kNowhere;
      }
    }
  }

  std::vector<int> dropped() const {
    std::vector<int> all;
    for (const Queue& q : queues_)
      all.insert(all.end(), q.codel.dropped.begin(), q.codel.dropped.end());
    return all;
  }

  bool close = false;  // as for Codel

 private:
  enum Where { kNowhere, kNew, kOld };
  struct Queue {
    Codel codel;
    std::int64_t deficit;
    Where where;
  };

  void move_to_old(std::list<std::size_t>& from, std::size_t i) {
    from.pop_front();
    old_.push_back(i);
    queues_[i].where = kOld;
  }

  std::int64_t quantum_;
  std::vector<Queue> queues_;
  std::list<std::size_t> new_, old_;
};

}  // namespace penstock::twins

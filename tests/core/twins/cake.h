// SPDX-License-Identifier: GPL-2.0-only
// The scheduler of CAKE with real lists and maps, written from "Piece of CAKE", section III. Flows
// have queues without a hash, so that no two share one. Its queues are COBALT twins.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "tests/core/twins/cobalt.h"
#include "tests/core/twins/codel.h"

namespace penstock::twins {

class Cake {
 public:
  struct Flow {
    Cobalt cobalt;
    std::deque<Packet> packets;
    std::pair<int, int> hosts;
    double deficit = 0;
    double bytes = 0;
    std::list<int>* list = nullptr;
    bool bulk = false;
    bool decays = false;
  };

  double quantum = 1514;
  bool by_source = true, by_target = true;
  Cobalt fresh;  // of each new queue
  std::vector<int> dropped, marked;
  bool close = false;  // as for Cobalt, or two queues are as long

  void enqueue(int name, std::pair<int, int> hosts, const Packet& p) {
    Flow& f = flows_.try_emplace(name, Flow{fresh, {}, hosts}).first->second;
    const bool was_empty = f.packets.empty();
    f.packets.push_back(p);
    f.bytes += p.bytes;
    if (!f.list || f.list == &decaying_) {
      move(name, f, &new_);
      f.deficit = grant(f);
    } else if (was_empty && f.list == &old_ && !f.bulk) {
      be_bulk(f, true);
    }
  }

  void overflow(double now) {
    Flow* longest = nullptr;
    for (auto& [name, f] : flows_) {
      close |= longest && f.bytes == longest->bytes;
      if (!longest || f.bytes > longest->bytes) longest = &f;
    }
    longest->cobalt.overflow(now);
    dropped.push_back(take(*longest).number);
  }

  int dequeue(double now, double draw) {
    bool look_at_decaying = true;
    while (waiting()) {
      const int name = next(look_at_decaying);
      look_at_decaying = false;
      Flow& f = flows_.at(name);
      if (f.deficit <= 0) {
        if (!f.packets.empty() && f.list == &new_) be_bulk(f, true);
        f.deficit += grant(f);
        move(name, f, &old_);
      } else if (f.packets.empty()) {
        f.cobalt.nothing_queued(now);
        be_bulk(f, false);
        move(name, f, f.cobalt.rests(now) ? nullptr : &decaying_);
        close |= f.cobalt.close;
      } else {
        return serve(f, now, draw);
      }
    }
    return kNone;
  }

  bool waiting() const {
    for (const auto& [name, f] : flows_)
      if (!f.packets.empty()) return true;
    return false;
  }

 private:
  Packet take(Flow& f) {
    const Packet p = f.packets.front();
    f.packets.pop_front();
    f.bytes -= p.bytes;
    return p;
  }

  int serve(Flow& f, double now, double draw) {
    for (;;) {
      const Packet p = take(f);
      const double waited = now - static_cast<double>(p.queued_ns) * 1e-9;
      const Cobalt::Verdict verdict = f.cobalt.dequeue(now, waited, p.capable, draw);
      close |= f.cobalt.close;
      if (verdict == Cobalt::Verdict::kDrop && !f.packets.empty()) {
        dropped.push_back(p.number);
        continue;
      }
      if (verdict == Cobalt::Verdict::kMark) marked.push_back(p.number);
      f.deficit -= p.bytes;
      return p.number;
    }
  }

  int next(bool look_at_decaying) {
    if (look_at_decaying && !decaying_.empty()) return decaying_.front();
    return new_.empty() ? old_.front() : new_.front();
  }

  void move(int name, Flow& f, std::list<int>* to) {
    if (f.list) f.list->remove(name);
    f.list = to;
    if (to) to->push_back(name);
  }

  void be_bulk(Flow& f, bool bulk) {
    if (f.bulk == bulk) return;
    f.bulk = bulk;
    sources_[f.hosts.first] += bulk ? 1 : -1;
    targets_[f.hosts.second] += bulk ? 1 : -1;
  }

  double grant(const Flow& f) {
    double load = 1;
    if (by_source) load = std::max(load, sources_[f.hosts.first]);
    if (by_target) load = std::max(load, targets_[f.hosts.second]);
    return std::ceil(quantum / load);
  }

  std::map<int, Flow> flows_;
  std::map<int, double> sources_, targets_;
  std::list<int> new_, old_, decaying_;
};

}  // namespace penstock::twins

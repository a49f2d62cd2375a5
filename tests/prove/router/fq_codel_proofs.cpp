// SPDX-License-Identifier: GPL-2.0-only
// FQ-CoDel: with three queues, its lists stay lists, whatever is on them in whatever order; a queue
// with packets is on one, and what is served has credit. No event touches more than three queues:
// the first of a list, the one behind it, and the last. So three stand for any number.
#include "codel.h"

#include "discipline/fq_codel.h"

#include "../proof.h"

using namespace prove;

namespace {

constexpr unsigned QUEUES = 3;
constexpr long long MOST_QUANTUM_BYTES = 1048576;

pst_fq_codel_params any_params() {
  pst_fq_codel_params p = {};
  PST_FQ_CODEL_OWN_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

// An order of some queues, as numbers from 1.
using Order = std::vector<unsigned>;

// Any queues on any lists.
struct Lists {
  pst_fq_codel_params p = any_params();
  pst_fq_codel_state s = {};
  pst_fq_queue t[QUEUES] = {};
  Order fresh, old;

  Lists() {
    p.queues = QUEUES;
    take(fresh);
    take(old);
    link(fresh, PST_FQ_NEW, s.new_first, s.new_last);
    link(old, PST_FQ_OLD, s.old_first, s.old_last);
    for (pst_fq_queue& f : t) {
      f.bytes = u64::up_to("bytes", PST_MAX_BYTES);
      f.packets = u64::up_to("packets", PST_MAX_PKTS);
      f.deficit_bytes = s64::exactly(
          between(-static_cast<Wide>(MOST_PACKET_BYTES), MOST_QUANTUM_BYTES, "deficit_bytes"));
      assume(f.deficit_bytes <= s64(p.quantum_bytes));
      assume((f.packets == 0) == (f.bytes == 0) && f.packets <= f.bytes);
      assume(f.packets == 0 || f.list != PST_FQ_INACTIVE);
    }
  }

  // Follows a list, which has to end with its last queue.
  Order order(u32 list) const {
    Order found;
    u64 at = list == PST_FQ_NEW ? s.new_first : s.old_first;
    const u64 last = list == PST_FQ_NEW ? s.new_last : s.old_last;
    holds((at == 0) == (last == 0), "an empty list has no last");
    while (at != 0) {
      const auto number = static_cast<unsigned>(known(at.whole(), "an unknown queue"));
      holds(found.size() < QUEUES, "a list ends");
      found.push_back(number);
      holds(t[number - 1].list == list, "a queue of the list");
      at = t[number - 1].next;
      holds(at != 0 || last == number, "its last");
    }
    return found;
  }

  void holds_lists(const Order& fresh_after, const Order& old_after) const {
    holds(order(PST_FQ_NEW) == fresh_after, "the new list");
    holds(order(PST_FQ_OLD) == old_after, "the old list");
    for (unsigned i = 0; i < QUEUES; ++i) {
      const auto on = [&](const Order& o) { return std::ranges::count(o, i + 1) != 0; };
      const u32 list = on(fresh_after) ? PST_FQ_NEW : on(old_after) ? PST_FQ_OLD : PST_FQ_INACTIVE;
      const pst_fq_queue& f = t[i];
      holds(f.list == list, "each queue knows its list");
      holds(f.packets == 0 || list != PST_FQ_INACTIVE, "one with packets is on one");
      holds(f.deficit_bytes <= s64(p.quantum_bytes), "a quantum of credit at most");
      holds(f.deficit_bytes + s64(MOST_PACKET_BYTES) >= 0, "a packet of debt at most");
    }
  }

 private:
  bool is_free(unsigned number) const {
    return std::ranges::count(fresh, number) + std::ranges::count(old, number) == 0;
  }
  // Forks into each order of each choice of those that are free.
  void take(Order& order) {
    while (static_cast<bool>(Bool::any("one more"))) {
      unsigned number = 0;
      for (unsigned each = 1; each <= QUEUES && number == 0; ++each) {
        if (is_free(each) && static_cast<bool>(Bool::any("this one"))) {
          number = each;
        }
      }
      if (number == 0) {
        throw Vacuous();
      }
      order.push_back(number);
    }
  }
  void link(const Order& order, u32 list, u64& first, u64& last) {
    for (std::size_t n = 0; n < order.size(); ++n) {
      pst_fq_queue& f = t[order[n] - 1];
      f.list = list;
      f.next = n + 1 < order.size() ? order[n + 1] : 0;
    }
    first = order.empty() ? 0 : order.front();
    last = order.empty() ? 0 : order.back();
  }
};

// Any of the queues.
unsigned any_place() {
  unsigned place = 0;
  while (place < QUEUES - 1 && static_cast<bool>(Bool::any("another"))) {
    ++place;
  }
  return place;
}

u32 any_bytes() { return u32::exactly(between(1, MOST_PACKET_BYTES, "bytes")); }

}  // namespace

PROOF(FQ_CoDel_has_a_queue_for_each_flow) {
  const pst_fq_codel_params p = any_params();
  holds(pst_fq_codel_classify(&p, u32::any("key")) < p.queues, "one of them");
}

PROOF(a_packet_that_arrives_keeps_the_lists_of_FQ_CoDel) {
  Lists l;
  const unsigned i = any_place();
  const Bool rests = l.t[i].list == PST_FQ_INACTIVE;
  assume(l.t[i].packets < PST_MAX_PKTS);
  pst_fq_codel_added(&l.p, &l.s, l.t, u32(i), any_bytes());
  if (rests) {
    l.fresh.push_back(i + 1);
    holds(l.t[i].deficit_bytes == s64(l.p.quantum_bytes), "a quantum of credit");
  }
  l.holds_lists(l.fresh, l.old);
}

PROOF(what_is_sent_keeps_the_credit_of_FQ_CoDel) {
  Lists l;
  const unsigned i = any_place();
  pst_fq_queue& f = l.t[i];
  const u32 bytes = any_bytes();
  assume(f.packets >= 1 && f.bytes >= bytes && f.deficit_bytes > 0);
  // The host takes whole packets, so that the last leaves no byte.
  assume((f.packets == 1) == (f.bytes == bytes));
  pst_fq_codel_removed(l.t, u32(i), bytes);
  pst_fq_codel_sent(l.t, u32(i), bytes);
  l.holds_lists(l.fresh, l.old);
}

PROOF(an_empty_queue_leaves_the_lists_of_FQ_CoDel) {
  Lists l;
  Order& from = l.fresh.empty() ? l.old : l.fresh;
  if (from.empty()) {
    throw Vacuous();
  }
  const unsigned number = from.front();
  assume(l.t[number - 1].packets == 0);
  pst_fq_codel_drained(&l.s, l.t, u32(number - 1));
  const bool was_new = &from == &l.fresh;
  from.erase(from.begin());
  if (was_new) {
    l.old.push_back(number);
  }
  l.holds_lists(l.fresh, l.old);
}

// With packets of a quantum at most, one turn of each is enough.
PROOF(FQ_CoDel_serves_a_queue_with_credit) {
  Lists l;
  for (const pst_fq_queue& f : l.t) {
    assume(f.deficit_bytes + s64(l.p.quantum_bytes) > 0);
  }
  const u32 i = pst_fq_codel_select(&l.p, &l.s, l.t);
  if (l.fresh.empty() && l.old.empty()) {
    holds(i == PST_FQ_NONE, "there is none");
    return;
  }
  holds(i < QUEUES, "there is one");
  const auto number = static_cast<unsigned>(known(i.whole(), "an unknown queue")) + 1;
  holds(l.t[number - 1].deficit_bytes > 0, "it has credit");
  const Order fresh = l.order(PST_FQ_NEW);
  const Order old = l.order(PST_FQ_OLD);
  holds(number == (fresh.empty() ? old : fresh).front(), "the first, of new ones if there are any");
  holds(fresh.size() + old.size() == l.fresh.size() + l.old.size(), "none is lost");
  l.holds_lists(fresh, old);
}

PROOF(FQ_CoDel_drops_from_its_longest_queue) {
  pst_fq_codel_params p = any_params();
  p.queues = QUEUES;
  pst_fq_queue t[QUEUES] = {};
  for (pst_fq_queue& f : t) {
    f.bytes = u64::up_to("bytes", PST_MAX_BYTES);
  }
  const u32 fattest = pst_fq_codel_fattest(&p, t);
  const u64 most = t[known(fattest.whole(), "an unknown queue")].bytes;
  for (const pst_fq_queue& f : t) {
    holds(f.bytes <= most, "none is longer");
  }
}

PROOF(a_queue_of_FQ_CoDel_has_a_CoDel_of_its_own) {
  pst_fq_codel_params p = any_params();
  p.codel = any_codel_params();
  const pst_queue q = any_queue();
  pst_fq_queue t[1] = {};
  t[0].bytes = u64::up_to("bytes", PST_MAX_BYTES);
  t[0].packets = u64::up_to("packets", PST_MAX_PKTS);
  t[0].codel = any_codel_state();
  assume(t[0].codel.pending_ns <= q.now_ns);
  pst_packet k = {};
  k.queued_ns = u64::up_to("k.queued_ns", MOST_NOW_NS);
  const pst_verdict verdict = pst_fq_codel_on_leave(&p, t, u32(0), &q, &k);
  holds(verdict == PST_PASS || t[0].bytes > p.codel.maxpacket_bytes, "its last packet passes");
  holds_ranges(t[0].codel);
}

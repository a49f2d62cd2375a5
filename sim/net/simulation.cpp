// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/simulation.h"

#include <stdexcept>

namespace penstock::net {

Simulation::Simulation(const Plan& plan)
    : topology_(plan),
      events_(plan),
      queues_(plan, topology_, events_),
      forwarder_(plan, topology_, events_, queues_, flows_, service_, connections_),
      changes_(plan, topology_, events_, forwarder_),
      media_(plan, topology_, events_, queues_, forwarder_),
      service_(plan, topology_, events_, queues_, forwarder_, media_),
      datagrams_(plan, events_, flows_, forwarder_),
      connections_(plan, topology_, events_, queues_, flows_, forwarder_, datagrams_, goal_,
                   users_),
      sampler_(plan, topology_, events_, queues_, connections_),
      mobility_(plan, topology_, events_, flows_, connections_),
      users_(plan, topology_, events_, queues_, flows_, connections_, mobility_, goal_),
      books_(plan, topology_, events_, queues_, flows_, connections_, datagrams_, service_,
             users_) {
  mobility_.begin();
  users_.begin_moving();
  goal_.begin();
}

Result Simulation::run(const ClockSpec& clock) {
  if (clock.warm_up_ns) {
    play(clock.warm_up_ns);
    if (events_.now_ns() < clock.warm_up_ns || clock.warm_up_ns >= clock.until_ns)
      throw std::invalid_argument("the run ends before its warm-up; make time.warm_up shorter");
    books_.begin_counting();
  }
  play(clock.until_ns);
  return close();
}

Result Simulation::close() {
  forwarder_.close();
  Result result = books_.close();
  result.all_done = goal_.reached();
  result.series = sampler_.take();
  return result;
}

std::uint64_t Simulation::received_by_users_bytes() const {
  std::uint64_t sum = 0;
  for (std::uint32_t group = 0; group < users_.groups(); ++group)
    sum += users_.result(group).counters.receiver.received_bytes;
  return sum;
}

// Processes all events up to `until_ns`, unless the traffic ends before.
void Simulation::play(std::uint64_t until_ns) {
  for (;;) {
    Record* const r = forwarder_.run(until_ns, goal_);
    if (!r) return;
    const std::uint32_t life = r->segment.seq;
    events_.give_back(*r);
    dispatch(r->kind(), r->target(), life);
  }
}

void Simulation::dispatch(Kind kind, std::uint32_t target, std::uint32_t life) {
  switch (kind) {
    case kTimer:
      return connections_.on_timer(target, life);
    case kTick:
      return queues_.tick(target);
    case kStart:
      return connections_.start(target);
    case kSend:
      return datagrams_.send(target);
    case kServe:
      return service_.on_free(target);
    case kTransfer:
      return users_.begin_transfer(target);
    case kChange:
      return changes_.apply(target);
    case kContend:
      return media_.try_again(target);
    case kResolve:
      return media_.resolve(target);
    case kHandover:
      return mobility_.hand_over(target);
    case kSettle:
      return users_.on_quiet(target);
    default:
      return sampler_.sample();
  }
}

}  // namespace penstock::net

// SPDX-License-Identifier: GPL-2.0-only
// What the page calls: one run in steps, and its numbers, in arrays of doubles. An instance of
// the module is one run.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "browser/engine/setup.h"
#include "sim/net/simulation.h"

namespace penstock::browser {

namespace {

struct Run {
  std::unique_ptr<net::Network> network;
  net::Simulation simulation;
  std::uint32_t link;  // whose queue is measured
};

std::string text;
std::unique_ptr<Run> current;
std::vector<double> numbers;

template <class T>
void put(T value) {
  numbers.push_back(static_cast<double>(value));
}

std::uint32_t measured(const net::Plan& plan) { return plan.gateways.begin()->first; }

#define PENSTOCK_QUEUE(name, ...) put(q.counters.name);
#define PENSTOCK_FIGURE(name, ...) put(q.name);
void put_queue(const net::QueueResult& q) {
  PST_QUEUE_COUNTERS(PENSTOCK_QUEUE)
  PST_QUEUE_FIGURES(PENSTOCK_FIGURE)
  PST_LINK_FIGURES(PENSTOCK_FIGURE)
  put(q.gateway.acks_seen);
  put(q.gateway.acks_rewritten);
  put(q.gateway.window_bytes_sum);
}

#define PENSTOCK_SENDER(name, ...) put(f.sender.name);
#define PENSTOCK_RECEIVER(name, ...) put(f.receiver.name);
void put_flow(const net::FlowResult& f) {
  put(f.start_ns);
  put(f.done_ns);
  put(f.size_bytes);
  PST_SENDER_COUNTERS(PENSTOCK_SENDER)
  PST_RECEIVER_COUNTERS(PENSTOCK_RECEIVER)
}

}  // namespace

// Room for the network as text.
[[clang::export_name("room")]] char* room(std::uint32_t size) {
  text.resize(size);
  return text.data();
}

[[clang::export_name("begin")]] void begin() {
  auto network = read_network(text);
  const net::Plan& plan = network->plan();
  const std::uint32_t link = measured(plan);
  current = std::unique_ptr<Run>(new Run{std::move(network), net::Simulation(plan), link});
}

// Goes on to that time. False: the traffic has ended.
[[clang::export_name("play")]] bool play(double until_ns) {
  current->simulation.play(static_cast<std::uint64_t>(until_ns));
  return current->simulation.goes_on();
}

// The state at that time, to which the run was played: queue, drops, marks, the window in the
// latest ACK, and the window of each flow: of its sender, or of its receiver if that is smaller.
[[clang::export_name("look")]] const double* look(double now_ns) {
  net::Simulation& simulation = current->simulation;
  net::Queue& queue = simulation.queue_of(current->link);
  numbers.clear();
  put(queue.bytes(static_cast<std::uint64_t>(now_ns)));
  put(queue.counters().drops());
  put(queue.counters().marks);
  put(queue.gateway().acks().last_window_bytes());
  for (std::uint32_t flow = 0; flow < current->network->plan().flows.size(); ++flow) {
    const tcp::Sender& sender = simulation.sender(flow);
    put(std::min<std::uint64_t>(sender.cwnd_bytes(), sender.send_window_bytes()));
  }
  return numbers.data();
}

// The end: time, events, the queue's counters, and those of each flow, in the order of the tables.
[[clang::export_name("close")]] const double* close() {
  const net::Result result = current->simulation.close();
  numbers.clear();
  put(result.end_ns);
  put(result.events);
  for (const net::QueueResult& queue : result.queues)
    if (queue.link == current->link) put_queue(queue);
  for (const net::FlowResult& flow : result.flows) put_flow(flow);
  return numbers.data();
}

}  // namespace penstock::browser

// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/live.h"

#include <algorithm>

#include "linux/common/clock.h"
#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

namespace {

constexpr std::size_t kMostEvents = 200;
// Time between two looks for each part of it that a look takes.
constexpr std::uint64_t kSampleParts = 150;
constexpr std::uint64_t kFlowParts = 500;

class Cost {
 public:
  std::uint64_t ns() const { return clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns_; }

 private:
  std::uint64_t begin_ns_ = clock_ns(CLOCK_THREAD_CPUTIME_ID);
};

}  // namespace

void Live::Turn::next(std::uint64_t now_ns, std::uint64_t interval_ns, std::uint64_t least_ns) {
  // On a grid, so that a late look does not delay the following ones.
  due_ns += interval_ns;
  if (due_ns <= now_ns) due_ns = now_ns + interval_ns;
  due_ns = std::max(due_ns, now_ns + least_ns);
}

Live::Live(const std::string& device, const Pace& pace) : name_(device), pace_(pace) {}

// A device may have been removed or replaced.
void Live::find() {
  try {
    device_ = find_device_or_pins(name_);
    lost_.clear();
  } catch (const Error& error) {
    lost_ = error.what();
  }
}

Snapshot Live::look() const {
  if (lost_.empty()) try {
      return take_snapshot(device_);
    } catch (const Error&) {  // a detach between two reads
    }
  Snapshot off;
  off.device.name = name_;
  off.reason = lost_.empty() ? "not attached" : lost_;
  return off;
}

// Of a command in progress only the outcome is reported.
void Live::put_events(const Snapshot& s, std::uint64_t time_ns, std::string& text) {
  const std::vector<Event> events = looked_ ? events_between(last_, s) : std::vector<Event>();
  if (!events.empty() && is_changing()) return;
  last_ = s;
  looked_ = true;
  for (const Event& event : events) {
    events_.push_back(text_of(event_line(event, time_ns)));
    text += events_.back();
    if (events_.size() > kMostEvents) events_.pop_front();
  }
}

std::string Live::flows_text(const Snapshot& s, std::uint64_t time_ns) {
  try {
    return text_of(flow_lines_.line(s, time_ns));
  } catch (const Error&) {  // a detach meanwhile
    return "";
  }
}

std::string Live::lines() {
  const std::uint64_t now_ns = clock_ns();
  const std::uint64_t time_ns = clock_ns(CLOCK_REALTIME);
  std::string text;
  if (!sample_.is_due(now_ns)) return text;
  const Cost cost;
  const bool whole = status_.is_due(now_ns);
  if (whole) find();
  const Snapshot s = look();
  put_events(s, time_ns, text);
  avoided_.look(s.state, s.drops, time_ns);
  outcome_.look(s);
  text += text_of(sample_line(s, time_ns));
  if (whole) {
    Line line = status_line(s, time_ns);
    line["drops_avoided"] = avoided_.json();
    if (const auto outcome = outcome_.outcome(flow_lines_.paths_s()))
      line["outcome"] = {{"rpm", outcome->rpm}, {"qoo_percent", outcome->qoo_percent}};
    text += status_text_ = text_of(line);
    status_.next(now_ns, pace_.status_ns, 0);
  }
  sample_.next(now_ns, pace_.sample_ns, kSampleParts * cost.ns());
  if (flows_.is_due(now_ns)) {
    const Cost of_flows;
    text += flows_text_ = flows_text(s, time_ns);
    // The first line has no rates yet: the next comes soon, however seldom they are.
    flows_.next(now_ns, has_rates_ ? pace_.flows_ns : std::min(pace_.flows_ns, kNsPerS),
                kFlowParts * of_flows.ns());
    has_rates_ = true;
  }
  return text;
}

std::string Live::beginning() const {
  std::string text = text_of(head_line(name_, pace_.sample_ns));
  for (const std::string& event : events_) text += event;
  return text + status_text_ + flows_text_;
}

}  // namespace penstock::gw

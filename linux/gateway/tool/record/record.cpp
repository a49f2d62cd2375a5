// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/record/record.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "linux/common/clock.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/record/minute.h"
#include "linux/gateway/tool/record/rotating.h"
#include "linux/gateway/tool/view/lines.h"
#include "linux/gateway/tool/view/live.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kFlowsNs = 10 * kNsPerS;

void wait_until(std::uint64_t time_ns) {
  const timespec left = left_until(time_ns);
  wait_ns(static_cast<std::uint64_t>(left.tv_sec) * kNsPerS +
          static_cast<std::uint64_t>(left.tv_nsec));
}

// A file, or standard output, each beginning with a head.
class Lines {
 public:
  Lines(std::string device, const FileOptions& options) : device_(std::move(device)) {
    if (!options.path.empty()) file_.emplace(options.path, options.size_bytes, options.files);
    put(text_of(head_line(device_, kNsPerS)));
  }
  void put(const std::string& text) {
    if (!file_) {
      std::fputs(text.c_str(), stdout);
      std::fflush(stdout);
      return;
    }
    file_->make_room(text.size());
    if (file_->is_new() && begun_) file_->write(text_of(head_before(text)));
    file_->write(text);
    begun_ = true;
  }

 private:
  // Lines are in the order of their times.
  Line head_before(const std::string& text) const {
    Line head = head_line(device_, kNsPerS);
    head["time_ns"] = Line::parse(text.substr(0, text.find('\n'))).at("time_ns");
    return head;
  }

  std::string device_;
  std::optional<RotatingFile> file_;
  bool begun_ = false;
};

// Looks once per second; what a command in progress has not finished yet is no event.
class Log {
 public:
  explicit Log(const std::string& device) : device_(device) {}

  std::string look() {
    const Snapshot s = find_snapshot(device_);
    const std::uint64_t time_ns = clock_ns(CLOCK_REALTIME);
    std::string text;
    if (!minute_.is_empty() &&
        (time_ns / kMinuteNs != minute_.begin_ns() / kMinuteNs || minute_.ends_before(s))) {
      text += text_of(minute_.line());
      minute_ = Minute();
    }
    minute_.look(s, time_ns);
    const auto events = looked_ ? events_between(last_, s) : std::vector<Event>();
    if (!events.empty() && is_changing()) return text;
    last_ = s;
    looked_ = true;
    for (const Event& event : events) text += text_of(event_line(event, time_ns));
    return text;
  }
  std::string rest() const { return minute_.is_empty() ? "" : text_of(minute_.line()); }

 private:
  std::string device_;
  Snapshot last_;
  bool looked_ = false;
  Minute minute_;
};

}  // namespace

int run_record(const std::string& device, const FileOptions& options, std::uint64_t interval_ns,
               std::uint64_t total_ns) {
  find_device_or_pins(device);
  stop_on_signals();
  RotatingFile file(options.path, options.size_bytes, options.files);
  Live live(device, {interval_ns, std::max(interval_ns, kNsPerS), kFlowsNs});
  bool begun = false;
  const std::uint64_t end_ns = clock_ns() + total_ns;
  while (!is_stopped() && (!total_ns || clock_ns() < end_ns)) {
    const std::string lines = live.lines();
    file.make_room(lines.size());
    if (!begun || file.is_new())
      file.write(live.beginning());  // includes the last look, except its sample
    else
      file.write(lines);
    begun = true;
    wait_until(live.due_ns());
  }
  return kOk;
}

int run_log(const std::string& device, const FileOptions& options) {
  stop_on_signals();
  Lines lines(device, options);
  Log log(device);
  std::uint64_t due_ns = clock_ns();
  while (!is_stopped()) {
    if (const std::string text = log.look(); !text.empty()) lines.put(text);
    due_ns += kNsPerS;
    wait_until(due_ns);
  }
  if (const std::string text = log.rest(); !text.empty()) lines.put(text);
  return kOk;
}

}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/player.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linux/common/clock.h"
#include "linux/common/error.h"
#include "linux/lab/load/report.h"
#include "linux/lab/load/task.h"

namespace penstock::load {
namespace {

constexpr std::uint64_t kStartDelayNs = 100'000'000;  // an own epoch: time to set up
constexpr std::uint64_t kCheckNs = 10'000'000;

class Player {
 public:
  explicit Player(const Plan& plan) : plan_(plan) {
    epoch_ns_ = plan.epoch_ns != 0 ? plan.epoch_ns : clock_ns() + kStartDelayNs;
    for (const Flow& flow : plan.flows) tasks_.push_back(make_task(loop_, flow, epoch_ns_));
    chain();
  }

  void run() {
    watch_signals();
    for (const auto& task : tasks_)
      if (!task->flow().opens) task->start();
    std::printf("ready\n");
    std::fflush(stdout);
    for (const auto& task : tasks_)
      if (task->flow().opens && !task->flow().after)
        loop_.at(epoch_ns_ + task->flow().start_ns, [&task] { begin(*task); });
    set_timers();
    loop_.run();
    end_ns_ = clock_ns() - epoch_ns_;
    for (const auto& task : tasks_) task->finish();
  }

  Outcome outcome() const { return {epoch_ns_, end_ns_, tasks_, samples_}; }

 private:
  // Has flows start after those that they wait for; both connect from here.
  void chain() {
    std::map<std::uint64_t, Task*> openers;
    for (const auto& task : tasks_)
      if (task->flow().opens && !task->flow().is_udp) openers[task->flow().id] = task.get();
    for (const auto& task : tasks_) {
      const Flow& flow = task->flow();
      if (!flow.after) continue;
      const auto before = openers.find(*flow.after);
      if (before == openers.end())
        throw Error(kUsage, "flow " + std::to_string(flow.id) + ": after=" +
                                std::to_string(*flow.after) + " is no TCP flow that connects");
      before->second->when_ended([this, &task, pause_ns = flow.pause_ns] {
        loop_.at(clock_ns() + pause_ns, [&task] { begin(*task); });
      });
      waits_.emplace_back(task.get(), before->second);
    }
  }

  // Flows whose predecessor has failed never start.
  void give_up() {
    for (const auto& [task, before] : waits_)
      if (!before->report().error.empty())
        task->fail("flow " + std::to_string(before->flow().id) + ", which it waits for, failed");
  }

  static void begin(Task& task) {
    try {
      task.start();
    } catch (const std::exception& error) {
      task.fail(error.what());
    }
  }

  void watch_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_ = Descriptor(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!signals_) throw system_error("signalfd", errno);
    loop_.watch(signals_.fd(), EPOLLIN, [this](std::uint32_t) { loop_.stop(); });
  }

  void set_timers() {
    if (plan_.until_ns != 0) loop_.at(epoch_ns_ + plan_.until_ns, [this] { loop_.stop(); });
    if (plan_.mark_ns != 0)
      loop_.at(epoch_ns_ + plan_.mark_ns, [this] {
        for (const auto& task : tasks_) task->note_mark();
      });
    if (plan_.sample_ns != 0) sample_at(0);
    check_at(epoch_ns_);
  }

  void check_at(std::uint64_t time_ns) {
    loop_.at(time_ns, [this, time_ns] {
      give_up();
      if (std::all_of(tasks_.begin(), tasks_.end(), [](const auto& t) { return t->is_done(); }))
        loop_.stop();
      check_at(std::max(time_ns + kCheckNs, clock_ns()));
    });
  }

  void sample_at(std::uint64_t number) {
    loop_.at(epoch_ns_ + number * plan_.sample_ns, [this, number] {
      std::uint64_t flows = 0;
      for (const auto& task : tasks_) {
        if (!task->flow().sends || task->flow().is_udp) continue;
        if (flows++ == plan_.sampled_flows) break;
        if (const auto state = task->current())
          samples_.push_back({number * plan_.sample_ns, task->flow().id, *state});
      }
      sample_at(number + 1);
    });
  }

  Plan plan_;
  Loop loop_{};
  std::uint64_t epoch_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  Descriptor signals_{};
  std::vector<std::unique_ptr<Task>> tasks_{};
  std::vector<std::pair<Task*, Task*>> waits_{};  // a flow, and the one that it waits for
  std::vector<Sample> samples_{};
};

}  // namespace

int play(const Plan& plan, bool as_json) {
  Player player(plan);
  player.run();
  const Outcome outcome = player.outcome();
  const auto form = as_json ? report_json : report_text;
  std::printf("%s\n", form(outcome).c_str());
  std::fflush(stdout);
  return has_failed(outcome) ? kFailed : kOk;
}

}  // namespace penstock::load

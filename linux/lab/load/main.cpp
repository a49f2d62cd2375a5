// SPDX-License-Identifier: GPL-2.0-only
// penstock-load: sends and receives test traffic, and watches queues.
#include "linux/common/command_line.h"
#include "linux/common/error.h"
#include "linux/lab/load/options.h"
#include "linux/lab/load/player.h"

namespace penstock::load {
namespace {

int run(const Options& options) {
  if (options.verb != Options::Verb::kWatch) return play(plan_of(options), options.as_json);
  Watch what = options.watch;
  what.device = options.target;
  what.epoch_ns = options.plan.epoch_ns;
  what.until_ns = options.plan.until_ns;
  if (what.every_ns == 0) throw Error(kUsage, "--every: above 0, such as 5ms");
  return watch(what);
}

}  // namespace
}  // namespace penstock::load

int main(int count, char** arguments) {
  CLI::App app("Sends and receives test traffic, and watches queues", "penstock-load");
  penstock::load::Options options;
  penstock::load::add_options(app, options);
  return penstock::run_program(app, count, arguments, [&] { return penstock::load::run(options); });
}

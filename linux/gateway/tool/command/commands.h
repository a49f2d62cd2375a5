// SPDX-License-Identifier: GPL-2.0-only
// The commands: each returns the exit code, or throws Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "linux/common/http.h"
#include "linux/gateway/tool/run/run.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/shapes/shape.h"

namespace penstock::gw {

// Of the commands that show an attachment over time.
struct ViewOptions {
  std::optional<Endpoint> listen;
  std::string token_file;
  std::string file;              // record: where to; why: where from
  std::string at;                // why: a time of the day
  std::uint64_t size_bytes = 0;  // of all files of a record or a log; 0: its default
  std::uint64_t files = 0;
  std::uint64_t interval_ns = 100'000'000;  // between two samples
  std::uint64_t total_ns = 0;  // record; 0: until interrupted
};

// Of `penstock-gw shape`.
struct ShapeOptions {
  ShapeText text;
  std::vector<std::string> names;  // to remove
  std::string file;
  std::string direction = "down";
  std::optional<std::string> down;  // the rate of what comes in
  bool replace = false;
};

struct Options {
  RunOptions held;
  std::string device;
  std::string netns;
  std::string config = kDefaultConfig;
  bool config_given = false;
  std::string flow;      // address:port of either end
  std::string sender;    // for cc: the method
  std::string output;    // file for metrics
  int port = 0;          // for metrics; 0: stdout
  std::uint64_t interval_ns = PST_NS_PER_S;
  std::uint64_t count = 0;
  std::uint64_t total_ns = 600 * PST_NS_PER_S;  // for compare
  std::uint64_t period_ns = 0;
  std::vector<std::string> classes;
  ViewOptions view;
  ShapeOptions shape;
  Settings settings;
  bool json = false;
  bool verbose = false;
  bool now = false;    // detach without the ramp
  bool all = false;    // devices of the namespace; values that explain has
  bool down = false;   // the attachment to what comes in by the device
  bool as_default = false;  // cc load: for new connections of the namespace
  bool force = false;  // attach although hardware forwards some of the packets
  int (*run)(const Options&) = nullptr;
};

int run_attach(const Options& o);
int run_set(const Options& o);
int run_detach(const Options& o);
int run_status(const Options& o);
int run_show(const Options& o);
int run_flows(const Options& o);
int run_explain(const Options& o);
int run_reload(const Options& o);
int run_check(const Options& o);
int run_doctor(const Options& o);
int run_metrics(const Options& o);
int run_methods(const Options& o);
int run_top(const Options& o);
int run_monitor(const Options& o);
int run_cc_load(const Options& o);
int run_cc_unload(const Options& o);
int run_cc_list(const Options& o);
int run_cc_status(const Options& o);
int run_compare(const Options& o);
int run_where(const Options& o);
int run_auto(const Options& o);
int run_auto_status(const Options& o);

}  // namespace penstock::gw

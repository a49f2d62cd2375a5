// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/command/groups.h"

#include <stdexcept>
#include <string>

#include "linux/common/quantity.h"
#include "linux/gateway/tool/command/commands.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/record/record.h"
#include "linux/gateway/tool/record/why.h"
#include "linux/gateway/tool/serve/serve.h"

namespace penstock::gw {

namespace {

constexpr int kPort = 7470;

int serve_page(const Options& o) {
  if (o.view.listen && o.port) throw Error(kUsage, "serve: --port or --listen, not both");
  Endpoint endpoint{"127.0.0.1", o.port ? o.port : kPort, ""};
  if (o.view.listen) endpoint = *o.view.listen;
  return run_serve(o.device, {endpoint, o.view.token_file});
}

constexpr std::uint64_t kRecordBytes = 64'000'000;
constexpr std::uint64_t kLogBytes = 20'000'000;
constexpr std::uint64_t kLeastFileBytes = 100'000;
constexpr std::uint64_t kLeastIntervalNs = 10'000'000;

FileOptions file_of(const Options& o, const std::string& path, std::uint64_t size_bytes,
                    std::uint64_t files) {
  const FileOptions file = {path, o.view.size_bytes ? o.view.size_bytes : size_bytes,
                            o.view.files ? o.view.files : files};
  if (file.size_bytes / file.files < kLeastFileBytes)
    throw Error(kUsage, "--size " + form_size(file.size_bytes) + " leaves less than " +
                            form_size(kLeastFileBytes) + " for each of " +
                            std::to_string(file.files) + " files");
  return file;
}

int record_lines(const Options& o) {
  return run_record(o.device, file_of(o, o.view.file, kRecordBytes, 2), o.view.interval_ns,
                    o.view.total_ns);
}

int log_lines(const Options& o) { return run_log(o.device, file_of(o, o.output, kLogBytes, 4)); }

int why_lines(const Options& o) {
  if (o.view.file.empty() == o.device.empty())
    throw Error(kUsage, "why: name a DEVICE, or a --file");
  return run_why({o.view.file.empty() ? "/var/log/penstock/" + o.device + ".jsonl" : o.view.file,
                  o.view.at, o.json});
}

void add_files(CLI::App* command, Options& o, const char* size_help) {
  add_parsed(command, "--size", "SIZE", size_help, parse_size_bytes,
             [&o](std::uint64_t bytes) { o.view.size_bytes = bytes; });
  command->add_option("--files", o.view.files, "among which that is divided; the oldest goes")
      ->check(CLI::Range(1, 100));
}

void add_record(CLI::App& app, Options& o) {
  CLI::App* record = app.add_subcommand("record", "what the live page shows, into a file");
  record->add_option("device", o.device, "device at the bottleneck")->required();
  add_down(record, o);
  record->add_option("file", o.view.file, "file of JSON lines")->required();
  add_parsed(record, "-i,--interval", "TIME", "time between two samples; default 100ms",
             parse_interval_ns, [&o](std::uint64_t ns) { o.view.interval_ns = ns; });
  add_parsed(record, "--for", "TIME", "how long; default: until interrupted", parse_time_ns,
             [&o](std::uint64_t ns) { o.view.total_ns = ns; });
  add_files(record, o, "of all files together; default 64MB");
  record->callback([&o] { o.run = record_lines; });
}

void add_log(CLI::App& app, Options& o) {
  CLI::App* log = app.add_subcommand("log", "each decision and each minute, with the reason");
  log->add_option("device", o.device, "device at the bottleneck")->required();
  add_down(log, o);
  log->add_option("-o,--output", o.output, "file of JSON lines; default: standard output");
  add_files(log, o, "of all files together; default 20MB");
  log->callback([&o] { o.run = log_lines; });
  CLI::App* why = app.add_subcommand("why", "read the log: why it was slow at 20:15");
  why->add_option("device", o.device, "device whose log is in /var/log/penstock");
  add_down(why, o);
  why->add_option("--at", o.view.at, "20:15 or '2026-11-23 20:15'; default: the last ten minutes");
  why->add_option("--file", o.view.file, "another log");
  why->callback([&o] { o.run = why_lines; });
}

}  // namespace

std::uint64_t parse_interval_ns(std::string_view text) {
  const std::uint64_t ns = parse_time_ns(text);
  if (ns < kLeastIntervalNs)
    throw std::invalid_argument(std::string(text) + " is less than " + form_time(kLeastIntervalNs));
  return ns;
}

void add_down(CLI::App* command, Options& o) {
  command->add_flag("--down", o.down, "what comes in by the device, the same as DEVICE.down");
}

void add_views(CLI::App& app, Options& o) {
  add_record(app, o);
  add_log(app, o);
  CLI::App* serve = app.add_subcommand("serve", "a live page for a browser");
  serve->add_option("device", o.device, "device at the bottleneck")->required();
  add_down(serve, o);
  serve->add_option("--port", o.port, "on 127.0.0.1; default 7470")->check(CLI::Range(1, 65535));
  add_parsed(serve, "--listen", "ADDRESS:PORT",
             "where to listen, or unix:PATH; other machines need the token that is printed",
             parse_endpoint, [&o](const Endpoint& endpoint) { o.view.listen = endpoint; });
  serve->add_option("--token-file", o.view.token_file, "file whose first line is the token");
  serve->callback([&o] { o.run = serve_page; });
}

}  // namespace penstock::gw

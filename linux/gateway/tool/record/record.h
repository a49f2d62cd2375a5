// SPDX-License-Identifier: GPL-2.0-only
// Lines about an attachment into files: everything (record), or decisions and minutes (log).
#pragma once

#include <cstdint>
#include <string>

namespace penstock::gw {

struct FileOptions {
  std::string path;  // for a log, empty: standard output
  std::uint64_t size_bytes;
  std::uint64_t files;
};

// Until a signal, or for `total_ns` unless that is 0.
int run_record(const std::string& device, const FileOptions& file, std::uint64_t interval_ns,
               std::uint64_t total_ns);
int run_log(const std::string& device, const FileOptions& file);

}  // namespace penstock::gw

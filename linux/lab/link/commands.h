// SPDX-License-Identifier: GPL-2.0-only
// Lines by which a link changes while it runs: "delay 60ms delay-back 20ms loss 0.1%".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::link {

// The values of a direction that change; the others stay.
struct Change {
  std::optional<std::uint64_t> delay_ns{};
  std::optional<double> loss_ratio{};
  std::optional<std::uint64_t> rate_bps{};
};

struct LinkChange {
  Change forward{};
  Change back{};
};

// Names as of the options, each followed by a value. Throws std::invalid_argument that names what
// is wrong.
LinkChange parse_change(std::string_view line);

// The lines that arrive at a descriptor.
class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}

  // Reads once, and hands on the lines that are complete then. False: no more will come.
  bool read(const std::function<void(std::string_view)>& take);

 private:
  int fd_;
  std::string begun_{};
};

}  // namespace penstock::link

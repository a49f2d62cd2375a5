// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/link/commands.h"

#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <stdexcept>

#include "linux/common/quantity.h"

namespace penstock::link {
namespace {

constexpr std::size_t kMostBytes = 4096;  // of a line

void set_value(Change& change, std::string_view name, const std::string& value) {
  if (name == "delay")
    change.delay_ns = parse_time_ns(value);
  else if (name == "rate")
    change.rate_bps = parse_rate_bps(value);
  else
    change.loss_ratio = parse_ratio(value);
}

// Of one name and its value; without "-back" for both directions.
void take(LinkChange& all, const std::string& word, const std::string& value) {
  constexpr std::string_view kBack = "-back";
  std::string_view name = word;
  const bool back_only = name.ends_with(kBack);
  if (back_only) name.remove_suffix(kBack.size());
  if (name != "delay" && name != "loss" && name != "rate")
    throw std::invalid_argument("'" + word +
                                "' cannot change; there are delay, loss and rate, and "
                                "delay-back, loss-back and rate-back");
  try {
    set_value(all.back, name, value);
    if (!back_only) set_value(all.forward, name, value);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(word + ": " + error.what());
  }
}

}  // namespace

LinkChange parse_change(std::string_view line) {
  std::istringstream words{std::string(line)};
  LinkChange all;
  std::string word, value;
  while (words >> word) {
    if (!(words >> value)) throw std::invalid_argument(word + ": a value is missing");
    take(all, word, value);
  }
  if (word.empty()) throw std::invalid_argument("an empty line; such as 'delay 60ms'");
  return all;
}

bool LineReader::read(const std::function<void(std::string_view)>& take) {
  std::array<char, kMostBytes> some{};
  const ssize_t got = ::read(fd_, some.data(), some.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  begun_.append(some.data(), static_cast<std::size_t>(got));
  for (std::size_t end; (end = begun_.find('\n')) != std::string::npos; begun_.erase(0, end + 1))
    take(std::string_view(begun_).substr(0, end));
  return got != 0 && begun_.size() < kMostBytes;
}

}  // namespace penstock::link

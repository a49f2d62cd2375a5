// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/overhead.h"

#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace penstock::gw {

namespace {

constexpr int kLeastOverhead = -64, kMostOverhead = 256, kMostFrame = 256;

struct Keyword {
  std::string_view name;
  int bytes;
  std::uint32_t least_bytes;
  int cells;  // -1: says nothing of them
};

// tc-cake(8), "Overhead compensation keywords".
constexpr Keyword kKeywords[] = {
    {"conservative", 48, 0, PST_CELLS_ATM},
    {"ipoa-vcmux", 8, 0, PST_CELLS_ATM},
    {"ipoa-llcsnap", 16, 0, PST_CELLS_ATM},
    {"bridged-vcmux", 24, 0, PST_CELLS_ATM},
    {"bridged-llcsnap", 32, 0, PST_CELLS_ATM},
    {"pppoa-vcmux", 10, 0, PST_CELLS_ATM},
    {"pppoa-llc", 14, 0, PST_CELLS_ATM},
    {"pppoe-vcmux", 32, 0, PST_CELLS_ATM},
    {"pppoe-llcsnap", 40, 0, PST_CELLS_ATM},
    {"pppoe-ptm", 30, 0, PST_CELLS_PTM},
    {"bridged-ptm", 22, 0, PST_CELLS_PTM},
    {"docsis", 18, 64, PST_CELLS_NONE},
    {"ethernet", 38, 84, -1},
    {"ether-vlan", 4, 0, -1},
    {"atm", 0, 0, PST_CELLS_ATM},
    {"ptm", 0, 0, PST_CELLS_PTM},
    {"noatm", 0, 0, PST_CELLS_NONE},
};

[[noreturn]] void refuse_word(const std::string& word) {
  std::string all;
  for (const Keyword& k : kKeywords) all += std::string(k.name) + ", ";
  throw std::invalid_argument("'" + word + "' is none of " + all +
                              "a number of bytes (-64 .. 256), or mpu with one (0 .. 256)");
}

int number(const std::string& word, int least, int most) {
  int value = 0;
  const char* const last = word.data() + word.size();
  const auto [end, bad] = std::from_chars(word.data(), last, value);
  if (word.empty() || bad != std::errc{} || end != last || value < least || value > most)
    refuse_word(word);
  return value;
}

}  // namespace

pst_overhead parse_overhead(const std::string& text) {
  pst_overhead o{};
  std::istringstream words(text);
  std::string word;
  bool any = false;
  while (words >> word) {
    any = true;
    if (word == "mpu") {
      std::string bytes;
      words >> bytes;
      o.least_bytes = static_cast<std::uint32_t>(number(bytes, 0, kMostFrame));
      continue;
    }
    const Keyword* known = nullptr;
    for (const Keyword& k : kKeywords)
      if (k.name == word) known = &k;
    o.packet_bytes += known ? known->bytes : number(word, kLeastOverhead, kMostOverhead);
    if (known && known->least_bytes) o.least_bytes = known->least_bytes;
    if (known && known->cells >= 0) o.cells = static_cast<std::uint32_t>(known->cells);
  }
  if (!any) refuse_word(text);
  if (o.packet_bytes < kLeastOverhead || o.packet_bytes > kMostOverhead)
    throw std::invalid_argument("'" + text + "' adds " + std::to_string(o.packet_bytes) +
                                " bytes to a packet, which is not in -64 .. 256");
  return o;
}

std::string overhead_text(const pst_overhead& o) {
  constexpr const char* kCells[] = {"noatm", "atm", "ptm"};
  return std::to_string(o.packet_bytes) +
         (o.least_bytes ? " mpu " + std::to_string(o.least_bytes) : "") + " " +
         kCells[o.cells % std::size(kCells)];
}

}  // namespace penstock::gw

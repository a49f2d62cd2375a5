// SPDX-License-Identifier: GPL-2.0-only
// libFuzzer target: the parser that runs in the kernel, on any bytes. The sanitizers
// see a read outside the packet, the checks below an answer that contradicts itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/packet/options.h"
#include "core/packet/parse.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_segment(const pst_segment& s, std::uint32_t wire_bytes, std::size_t at_hand) {
  require(s.header_bytes >= 20 && s.header_bytes <= 60);
  require(s.tcp_offset + s.header_bytes + s.payload_bytes <= wire_bytes);
  require(s.tcp_offset + 20 <= at_hand);
  require(s.tags < 1U << 24);
}

void check_options(const std::uint8_t* data, std::size_t size, const pst_segment& s) {
  const std::uint32_t length = s.header_bytes - 20;
  if (s.tcp_offset + s.header_bytes > size) return;
  // Exactly the room that is promised, on the heap, so that a byte more is seen.
  std::vector<std::uint8_t> bytes(PST_OPTION_ROOM);
  std::memcpy(bytes.data(), data + s.tcp_offset + 20, length);
  pst_options o{};
  pst_options_parse(bytes.data(), length, &o);
  require(o.scale <= PST_MAX_SCALE || o.scale == PST_NO_SCALE);
  require(pst_options_payload(&o) > 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const bool ethernet = data[0] & 1;
  // The packet may go on beyond the linear part, in pages.
  const auto wire_bytes = static_cast<std::uint32_t>(size - 2 + (data[1] & 63U) * 64);
  data += 2;
  size -= 2;
  pst_segment s{};
  const pst_parsed result = pst_parse(data, data + size, wire_bytes, ethernet, &s);
  require(result < PST_PARSED_COUNT);
  if (result != PST_PARSED_TCP) return 0;
  check_segment(s, wire_bytes, size);
  check_options(data, size, s);
  return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/where/meter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/packet/options.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kSlotNs = 10'000'000;
// A wait is that of a queue which keeps its link busy.
constexpr std::uint64_t kStandsNs = 2'000'000;
// A flow is bulk if it brings so much in a second: one segment in 100 ms.
constexpr std::uint32_t kBulkBytes = 15'000;
// Data that comes after a longer pause has waited for its application, not for an ACK.
constexpr std::uint64_t kPauseNs = 50'000'000;
// A TSval each millisecond, as most hosts have it, and loops of a second.
constexpr std::uint64_t kValNs = 1'000'000;
constexpr std::size_t kVals = 1024;
constexpr std::uint64_t kFreshNs = 10'000'000;
constexpr std::uint64_t kTickSlackNs = 1'000'000;
constexpr std::size_t kKnownFlows = 16'384;
constexpr std::uint64_t kForgetNs = 60 * PST_NS_PER_S;
constexpr double kLatePart = 0.99;

double seconds_of(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

// TSval and TSecr; false without the option. An option may claim to extend beyond the others.
bool read_stamps(const std::uint8_t* options, std::size_t length, Packet& packet) {
  std::array<std::uint8_t, PST_OPTION_ROOM> bytes{};
  std::copy_n(options, length, bytes.begin());
  for (std::size_t i = 0; i < length;) {
    const std::uint32_t size = pst_option_size(&bytes[i], static_cast<std::uint32_t>(length - i));
    if (!size) return false;
    if (bytes[i] == PST_OPTION_TIMESTAMPS && size == 10) {
      packet.val = pst_load_be32(&bytes[i + 2]);
      packet.echo = pst_load_be32(&bytes[i + 6]);
      return true;
    }
    i += size;
  }
  return false;
}

Wait wait_of(std::vector<double>& waits_s, std::size_t flows) {
  if (waits_s.empty()) return {};
  std::ranges::sort(waits_s);
  const auto count = static_cast<double>(waits_s.size());
  return {std::accumulate(waits_s.begin(), waits_s.end(), 0.0) / count,
          waits_s[static_cast<std::size_t>(std::ceil(kLatePart * count)) - 1],
          count * seconds_of(kSlotNs), flows};
}

}  // namespace

Packet packet_of(const std::uint8_t* data, std::size_t length, std::uint32_t wire_bytes,
                 bool ethernet, Way way, std::uint64_t time_ns) {
  Packet packet{.time_ns = time_ns, .way = way, .bytes = wire_bytes};
  pst_segment s{};
  if (pst_parse(data, data + length, wire_bytes, ethernet, &s) != PST_PARSED_TCP) return packet;
  packet.segment = s;
  if (s.tcp_offset + s.header_bytes <= length)
    packet.stamped =
        read_stamps(data + s.tcp_offset + PST_TCP_BYTES, s.header_bytes - PST_TCP_BYTES, packet);
  return packet;
}

bool Meter::End::is_bulk(std::uint64_t now_ns) const {
  const std::uint64_t now = now_ns / PST_NS_PER_S;
  if (now == second) return std::max(bytes, bytes_before) >= kBulkBytes;
  return now == second + 1 && bytes >= kBulkBytes;
}

std::optional<std::uint64_t> Meter::Slot::common_ns() const {
  if (said_ns.empty()) return {};
  std::vector<std::uint64_t> all;
  for (const auto& [flow, wait_ns] : said_ns) all.push_back(wait_ns);
  std::ranges::sort(all);
  return all[all.size() >= 3 ? 1 : 0];
}

void Meter::say(Way data, Half half, const Flow& flow, std::uint64_t wait_ns) {
  auto& said = ways_[data].halves[half].slot.said_ns;
  const auto [place, fresh] = said.try_emplace(flow.number, wait_ns);
  if (!fresh) place->second = std::min(place->second, wait_ns);
  ways_[data].halves[half].flows.insert(flow.number);
}

void Meter::end_slot() {
  for (const Way way : kBothWays) {
    Direction& d = ways_[way];
    bool said = false;
    std::uint64_t queue_ns = 0;
    for (std::size_t half = 0; half < kHalves; ++half) {
      Said& h = d.halves[half];
      const auto common_ns = h.slot.common_ns();
      h.slot.said_ns.clear();
      if (!common_ns) continue;
      h.waits_s.push_back(seconds_of(*common_ns));
      h.last_ns = *common_ns;
      h.last_slot = slot_;
      // What data waits for is the link that it goes by; from here that is seen where it is full.
      if (half == (way == kDown ? kDataBefore : kDataBehind)) {
        said = true;
        queue_ns = *common_ns;
      }
    }
    const bool stood = d.stands;
    if (said) d.stands = queue_ns >= kStandsNs;
    if (stood && d.stands) {
      d.busy_bytes += d.slot_bytes;
      ++d.busy_slots;
    }
    d.slot_bytes = 0;
  }
}

void Meter::advance(std::uint64_t now_ns) {
  const std::uint64_t slot = now_ns / kSlotNs;
  if (!begin_ns_) begin_ns_ = now_ns;
  if (!slot_) slot_ = slot;
  // Slots of which nothing is known end no queue, but a second without a word does.
  if (slot > slot_) {
    end_slot();
    if (slot - slot_ > PST_NS_PER_S / kSlotNs)
      for (Direction& d : ways_) d.stands = false;
    slot_ = slot;
  }
}

void Meter::forget(std::uint64_t now_ns) {
  std::erase_if(flows_, [&](const auto& known) {
    return pst_sub_floor(now_ns, known.second.seen_ns) > kForgetNs;
  });
}

Meter::Flow* Meter::find(const Packet& packet) {
  const pst_segment& s = *packet.segment;
  Key key;
  const bool in = packet.way == kDown;
  std::copy_n(in ? s.source : s.target, 4, key.outside.begin());
  std::copy_n(in ? s.target : s.source, 4, key.inside.begin());
  key.outside_port = in ? s.source_port : s.target_port;
  key.inside_port = in ? s.target_port : s.source_port;
  const auto known = flows_.find(key);
  if (known != flows_.end() && !(s.flags & PST_TCP_SYN)) return &known->second;
  if (flows_.size() >= kKnownFlows) forget(packet.time_ns);
  if (known == flows_.end() && flows_.size() >= kKnownFlows) return nullptr;
  Flow& flow = flows_[key];
  // A SYN may open a connection on the ports of an old one; its SYN-ACK does not.
  if (!flow.number || (s.flags & (PST_TCP_SYN | PST_TCP_ACK)) == PST_TCP_SYN) {
    flow = {};
    flow.number = ++next_;
  }
  return &flow;
}

void Meter::count_data(Flow& flow, const Packet& packet) {
  const pst_segment& s = *packet.segment;
  End& end = flow.ends[packet.way];
  Direction& d = ways_[packet.way];
  if (!s.payload_bytes) return;
  const std::uint64_t second = packet.time_ns / PST_NS_PER_S;
  if (second != end.second) {
    end.bytes_before = second == end.second + 1 ? end.bytes : 0;
    end.bytes = 0;
    end.second = second;
  }
  end.bytes += s.payload_bytes;
  const std::uint32_t last = s.seq + s.payload_bytes;
  if (!end.has_sent || pst_seq_after(last, end.sent)) {
    d.goodput_bytes += end.has_sent ? std::min(last - end.sent, s.payload_bytes) : s.payload_bytes;
    end.sent = last;
    end.has_sent = true;
  }
  if (!end.is_bulk(packet.time_ns)) return;
  d.bulk.insert(flow.number);
  if (!packet.stamped) d.unstamped.insert(flow.number);
}

// What goes this way has waited so long, as others say.
std::uint64_t Meter::known_ns(Way way, std::uint64_t now_ns) const {
  std::uint64_t least_ns = PST_MAX_NS;
  for (const Said* h :
       {&ways_[way].halves[kDataBefore], &ways_[other_way(way)].halves[kAcksBefore]})
    if (now_ns / kSlotNs - h->last_slot <= 10) least_ns = std::min(least_ns, h->last_ns);
  return least_ns == PST_MAX_NS ? 0 : least_ns;
}

// And so long in a loop that begins this way.
std::uint64_t Meter::known_loop_ns(Way way) const {
  std::uint64_t least_ns = PST_MAX_NS;
  for (const Said* h :
       {&ways_[way].halves[kDataBehind], &ways_[other_way(way)].halves[kAcksBehind]})
    if (slot_ - h->last_slot <= 10) least_ns = std::min(least_ns, h->last_ns);
  return (least_ns == PST_MAX_NS ? 0 : least_ns) + known_ns(other_way(way), slot_ * kSlotNs);
}

void Meter::take_stamp(Flow& flow, const Packet& packet) {
  End& end = flow.ends[packet.way];
  const std::uint64_t now_ns = packet.time_ns;
  const bool is_new = end.vals.empty() || pst_seq_after(packet.val, end.vals.back().first);
  if (is_new && (end.vals.empty() || now_ns - end.vals.back().second >= kValNs)) {
    end.vals.emplace_back(packet.val, now_ns);
    if (end.vals.size() > kVals) end.vals.pop_front();
  }
  u64 wait_ns = 0;
  if (!pst_one_way_take(&end.stamps, packet.val, usual_tick_[packet.way],
                        known_ns(packet.way, now_ns), now_ns, &wait_ns))
    return;
  usual_tick_[packet.way] = end.stamps.tick;
  end.wait_ns = wait_ns;
  end.waited_ns = now_ns;
}

// Equations 2 and 3, for a segment that the other end of the loop has sent.
void Meter::take_echo(Flow& flow, const Packet& packet) {
  const Way out = other_way(packet.way);
  End& from = flow.ends[out];
  End& back = flow.ends[packet.way];
  std::optional<std::uint64_t> passed_ns;
  while (!from.vals.empty() && !pst_seq_after(from.vals.front().first, packet.echo)) {
    if (from.vals.front().first == packet.echo) passed_ns = from.vals.front().second;
    from.vals.pop_front();
  }
  const std::uint64_t now_ns = packet.time_ns;
  const bool after_pause = packet.segment->payload_bytes && now_ns - back.data_ns > kPauseNs;
  if (!passed_ns || now_ns <= *passed_ns || after_pause) return;
  const std::uint64_t loop_ns = now_ns - *passed_ns;
  if (!from.least_ns) from.least_ns = pst_sub_floor(loop_ns, known_loop_ns(out));
  from.least_ns = std::max<std::uint64_t>(std::min(from.least_ns, loop_ns), 1);
  const std::uint64_t rise_ns = loop_ns - from.least_ns;
  if (!back.waited_ns || now_ns - back.waited_ns > kFreshNs) return;
  if (back.waited_ns == now_ns && back.wait_ns > rise_ns + kTickSlackNs) {
    back.stamps.base_ns = pst_min(back.stamps.base_ns + (back.wait_ns - rise_ns), now_ns);
    back.wait_ns = rise_ns;
  }
  const std::uint64_t behind_ns = pst_sub_floor(rise_ns, back.wait_ns);
  if (from.is_bulk(now_ns)) say(out, kDataBehind, flow, behind_ns);
  if (back.is_bulk(now_ns)) say(packet.way, kAcksBehind, flow, behind_ns);
}

void Meter::see(const Packet& packet) {
  advance(packet.time_ns);
  Direction& d = ways_[packet.way];
  d.bytes += packet.bytes;
  d.slot_bytes += packet.bytes;
  if (!packet.segment) return;
  Flow* flow = find(packet);
  if (!flow) return;
  flow->seen_ns = packet.time_ns;
  count_data(*flow, packet);
  End& end = flow->ends[packet.way];
  if (packet.stamped) {
    take_stamp(*flow, packet);
    if (packet.segment->flags & PST_TCP_ACK) take_echo(*flow, packet);
    if (end.waited_ns == packet.time_ns) {
      if (end.is_bulk(packet.time_ns)) say(packet.way, kDataBefore, *flow, end.wait_ns);
      if (flow->ends[other_way(packet.way)].is_bulk(packet.time_ns))
        say(other_way(packet.way), kAcksBefore, *flow, end.wait_ns);
    }
  }
  if (packet.segment->payload_bytes) end.data_ns = packet.time_ns;
}

Reading Meter::take(std::uint64_t now_ns) {
  advance(now_ns);
  forget(now_ns);
  Reading reading;
  reading.seconds = seconds_of(now_ns - begin_ns_);
  begin_ns_ = now_ns;
  for (const Way way : kBothWays) {
    Direction& d = ways_[way];
    Passed& p = reading.ways[way];
    for (std::size_t half = 0; half < kHalves; ++half) {
      Said& h = d.halves[half];
      p.waits[half] = wait_of(h.waits_s, h.flows.size());
      h.waits_s.clear();
      h.flows.clear();
    }
    if (reading.seconds > 0) {
      p.rate_bps = 8 * static_cast<double>(d.bytes) / reading.seconds;
      p.goodput_bps = 8 * static_cast<double>(d.goodput_bytes) / reading.seconds;
    }
    constexpr std::uint64_t kLeastBusySlots = 50;
    if (d.busy_slots >= kLeastBusySlots)
      p.line_bps = 8 * static_cast<double>(d.busy_bytes) /
                   (static_cast<double>(d.busy_slots) * seconds_of(kSlotNs));
    p.flows = d.bulk.size();
    p.unstamped = d.unstamped.size();
    d.bytes = d.goodput_bytes = d.busy_bytes = d.busy_slots = 0;
    d.bulk.clear();
    d.unstamped.clear();
  }
  return reading;
}

}  // namespace penstock::gw

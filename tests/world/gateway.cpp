// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/gateway.h"

#include <algorithm>
#include <utility>

#include "core/packet/parse.h"

namespace penstock::world {

namespace {

constexpr u64 kSafe = 0;  // index into kModes
constexpr u64 kClockStart = 1'000'000'000'000;  // the machine has run for a while
// R35: so much later, and after so many ACKs, a flow is as it was before somebody lied about it.
constexpr u64 kCorrectedNs = 3'000'000'000;
constexpr u32 kCorrectedAcks = 20;
constexpr u32 kEthernetBytes = 14, kIpv4Bytes = 20, kIpv6Bytes = 40;
constexpr u32 kWindowAt = 14, kChecksumAt = 16;

// The flow that a packet on its way back has just gone through; null if there is none.
const gw_flow* flow_of(Kernel& kernel, const Frame& frame) {
  pst_segment s{};
  const unsigned char* const data = frame.bytes.data();
  const auto bytes = static_cast<u32>(frame.bytes.size());
  if (pst_parse(data, data + bytes, bytes, true, &s) != PST_PARSED_TCP) return nullptr;
  gw_key k{};
  std::copy_n(s.target, 4, k.sender);
  std::copy_n(s.source, 4, k.receiver);
  k.sender_port = s.target_port;
  k.receiver_port = s.source_port;
  k.ipv6 = s.ipv6;
  for (; k.contender < PST_CONTENDERS; ++k.contender) {
    const auto* const f = static_cast<const gw_flow*>(kernel.find("flows", &k));
    if (f && f->seen_ns == kernel.now_ns()) return f;
  }
  return nullptr;
}

gw_config config_of(const Settings& world) {
  gw::Settings s;
  s.rate = std::to_string(world.rate_kbps) + "kbit";
  s.buffer = std::to_string(world.buffer_bytes) + "B";
  s.method = kMethods[world.method];
  s.mode = kModes[world.mode];
  if (world.signal && s.method == "ared") s.signal = "ecn";
  gw_config config = gw::plan_of(s).config;
  config.queue_source = GW_QUEUE_VIRTUAL;
  config.ethernet = true;
  if (!config.idle_ns) config.idle_ns = GW_IDLE_NS;
  return config;
}

}  // namespace

Gateway::Gateway(const Settings& world)
    : world_(world), config_(config_of(world)), rate_bytes_per_s_(config_.rate_bytes_per_s) {}

void Gateway::attach(u64 now_ns) {
  kernel_.reset();
  kernel_ = std::make_unique<Kernel>(world_.flows, world_.half_open, world_.seed + ++attached_);
  kernel_->set_now(kClockStart + now_ns + ahead_ns_);
  kernel_->start(config_, true);
  disturb();
  forward_ = reverse_ = dropped_ = 0;
}

void Gateway::restart(u64 now_ns) {
  if (!kernel_) return;
  kernel_->set_now(kClockStart + now_ns + ahead_ns_);
  kernel_->start(config_, false);
  disturb();
}

void Gateway::disturb() {
  for (auto& [flow, watch] : watches_) watch.has_last = false;
}

void Gateway::set_rate(u64 percent) {
  config_.rate_bytes_per_s = config_.line_bytes_per_s = rate_bytes_per_s_ * percent / 100;
}

void Gateway::refuse(u64 of_100) {
  if (kernel_) kernel_->refuse(of_100);
}

Frame Gateway::frame_of_packet(const Packet& packet) {
  Frame f;
  f.bytes = frame_of(packet.segment, packet.part, packet.id);
  f.forward = packet.segment.from_near;
  f.hash = packet.segment.flow * 0x9e3779b1U;
  if (packet.damage && packet.part == Part::kWhole) {
    const u32 at = tcp_offset(packet.segment);
    const u32 bit = (packet.damage - 1) % (static_cast<u32>(f.bytes.size() - at) * 8);
    f.bytes[at + bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
  }
  f.verified = !packet.damage && packet.part == Part::kWhole && kernel_->draw().percent(70);
  return f;
}

bool Gateway::take(Packet& packet, const Frame& sent, const Frame& got) {
  ++(got.forward ? forward_ : reverse_);
  dropped_ += got.dropped;
  if (got.dropped) {
    if (config_.gateway.observe) throw Broken("R34: a packet is dropped while it observes");
    if (!got.forward) throw Broken("R12: a packet is dropped on its way back");
    return false;
  }
  if (sent.bytes == got.bytes) return true;
  if (config_.gateway.observe) throw Broken("R34: a packet changes while the gateway observes");
  if (got.forward) {
    check_mark(packet, sent, got);
    return true;
  }
  const Segment& s = packet.segment;
  if (packet.part != Part::kWhole || !(s.flags & kAck))
    throw Broken("R13: a packet changes that has no window");
  const std::size_t at = tcp_offset(s);
  for (std::size_t i = 0; i < got.bytes.size(); ++i)
    if (got.bytes[i] != sent.bytes[i] && (i < at + kWindowAt || i >= at + kChecksumAt + 2))
      throw Broken("R13: byte " + std::to_string(i) + " changes");
  if (packet.damage) throw Broken("R35: a damaged packet changes");
  if (checksum_left(got.bytes, s)) throw Broken("R14: the checksum is wrong");
  const auto window =
      static_cast<u16>(got.bytes[at + kWindowAt] << 8 | got.bytes[at + kWindowAt + 1]);
  if (window > s.window) throw Broken("R1: a window grows");
  if (!window) throw Broken("R4: a window becomes zero");
  packet.segment.window = window;
  return true;
}

// Data may be marked with CE if its sender is capable of ECN (RFC 3168 section 5).
void Gateway::check_mark(Packet& packet, const Frame& sent, const Frame& got) const {
  Segment& s = packet.segment;
  if (s.ecn != kEct0 && s.ecn != kEct1) throw Broken("R13: a packet changes that has no window");
  Segment marked = s;
  marked.ecn = kCe;
  Frame want = sent;
  const std::vector<unsigned char> frame = frame_of(marked, packet.part, packet.id);
  std::copy_n(frame.begin(), kEthernetBytes + (s.ipv6 ? kIpv6Bytes : kIpv4Bytes),
              want.bytes.begin());
  if (want.bytes != got.bytes) throw Broken("R13: more than a mark changes");
  s.ecn = kCe;
}

void Gateway::check_counts() {
  const auto sum = [this](std::initializer_list<int> counters) {
    u64 all = 0;
    for (const int each : counters) all += kernel_->count(each);
    return all;
  };
  if (sum({GW_COUNT_forward_packets}) != forward_ || sum({GW_COUNT_reverse_packets}) != reverse_)
    throw Broken("conservation: packets are counted twice, or not at all");
  const u64 drops = sum({GW_COUNT_early_drops, GW_COUNT_policed_packets});
  if (config_.gateway.observe) dropped_ = drops;  // those that there would have been
  if (drops != dropped_) throw Broken("conservation: drops are counted twice, or not at all");
}

void Gateway::note(const Packet& packet, bool passes) {
  const Segment& s = packet.segment;
  const bool genuine = !packet.forged && !packet.damage && packet.part == Part::kWhole;
  if (!passes) watches_[s.flow].beyond = 0;  // what it does not see, it cannot know
  if (!passes || !genuine) watches_[s.flow].has_last = false;
  if (!s.from_near || packet.forged || packet.damage || !s.payload_bytes) return;
  Watch& w = watches_[s.flow];
  const u32 end = s.seq + s.payload_bytes;
  if (w.has_sent && !after(end, w.sent)) return;
  w.sent = end;
  w.has_more = true;
  w.has_sent = true;
}

// A duplicate ACK, with SACK blocks or without, has the window last sent (R9).
void Gateway::check_repeat(const Packet& packet, const Frame& sent, const Frame& got) {
  const Segment& s = packet.segment;
  const gw_flow* const f = s.from_near ? nullptr : flow_of(*kernel_, got);
  if (s.from_near || packet.forged || packet.damage || packet.part != Part::kWhole) return;
  Watch& w = watches_[s.flow];
  const std::size_t at = tcp_offset(s) + kWindowAt;
  const auto in = static_cast<u16>(sent.bytes[at] << 8 | sent.bytes[at + 1]);
  const bool counts = f && in && !(s.flags & (kSyn | kFin | kRst)) && !s.payload_bytes &&
                      w.controlled && f->limit != PST_BY_OLD_ACK && f->limit != PST_BY_UNSEEN;
  if (counts && w.has_last && s.ack == w.last_ack && in <= w.last_in &&
      s.window != std::min(w.last_out, in))
    throw Broken("R9: the window of a duplicate ACK becomes " + std::to_string(s.window) +
                 ", after " + std::to_string(w.last_out));
  w.has_last = counts;
  w.last_ack = s.ack;
  w.last_in = in;
  w.last_out = s.window;
}

// A window is no more than the law allows, except for data on its way, a segment, and what
// rounding adds; not for long, whatever liars said (R2, R4, R35).
void Gateway::check_window(const Packet& packet, const Frame& got, u64 now_ns) {
  const Segment& s = packet.segment;
  const bool is_genuine = !packet.forged && !packet.damage && packet.part == Part::kWhole;
  if (s.from_near || !is_genuine || s.flags & (kSyn | kRst) || config_.gateway.observe) return;
  Watch& w = watches_[s.flow];
  const gw_flow* const f = flow_of(*kernel_, got);
  w.controlled = f && !f->skip && f->gateway.flow.scale_known;
  const bool holds = f && (f->limit == PST_BY_EDGE || f->limit == PST_BY_OLD_ACK);
  const u64 window_bytes = u64{s.window} << packet.shift;
  u64 most_bytes = f ? std::max<u64>(f->gateway.use.window_bytes, f->gateway.flow.mss_bytes) : 0;
  if (w.has_sent && after(w.sent, s.ack)) most_bytes = std::max<u64>(most_bytes, w.sent - s.ack);
  most_bytes += 2ULL << packet.shift;
  if (!holds || !w.has_sent || window_bytes <= 2 * most_bytes) {
    w.beyond = 0;
    return;
  }
  // A sender that has nothing more to send uses no window.
  if (!std::exchange(w.has_more, false)) return;
  if (!w.beyond++) w.since_ns = now_ns;
  if (now_ns - w.since_ns > kCorrectedNs && w.beyond > kCorrectedAcks)
    throw Broken("R35: the window of flow " + std::to_string(s.flow) + " is " +
                 std::to_string(window_bytes) + ", where at most " + std::to_string(most_bytes) +
                 " are in flight or allowed");
}

bool Gateway::pass(Packet& packet, u64 now_ns) {
  kernel_->set_now(kClockStart + now_ns + ahead_ns_);
  const Frame sent = frame_of_packet(packet);
  Frame got = sent;
  kernel_->pass(got);
  const bool passed = take(packet, sent, got);
  check_counts();
  if (passed && world_.mode == kSafe) check_window(packet, got, now_ns);
  if (passed) check_repeat(packet, sent, got);
  return passed;
}

void Gateway::pass_both(Packet& first, Packet& second, u64 nth, u64 now_ns, bool passed[2]) {
  kernel_->set_now(kClockStart + now_ns + ahead_ns_);
  const Frame sent[2] = {frame_of_packet(first), frame_of_packet(second)};
  Frame got[2] = {sent[0], sent[1]};
  kernel_->pass_both(got[0], got[1], nth);
  passed[0] = take(first, sent[0], got[0]);
  passed[1] = take(second, sent[1], got[1]);
  check_counts();
  disturb();
}

u64 Gateway::due_ns() const {
  if (!kernel_ || stopped_) return ~0ULL;
  const u64 due = kernel_->due_ns(), shift = kClockStart + ahead_ns_;
  if (due == ~0ULL) return due;
  return due > shift ? due - shift : 0;
}

void Gateway::run_timers(u64 now_ns) {
  kernel_->set_now(kClockStart + now_ns + ahead_ns_);
  kernel_->run_timers();
}

}  // namespace penstock::world

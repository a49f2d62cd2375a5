// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/script.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace penstock::world {

namespace {

constexpr u64 kMs = 1000;
constexpr u64 kSecond = 1000 * kMs;
constexpr u64 kEventful = 20 * kSecond;
constexpr u64 kLong = 80 * kSecond;
constexpr u64 kMostBytes = 4'000'000;
constexpr u64 kLeastStalled = 8'000;
constexpr u64 kMostIsn = 0xffffffff;
constexpr u64 kVariety = 0x5eed;  // what was added later draws from a generator of its own,
constexpr u64 kMixed = 0x316ed;  // and that from another
constexpr const char* kKindNames[] = {
#define PENSTOCK_WORLD_NAME(name, value) #name,
    PENSTOCK_WORLD_KINDS(PENSTOCK_WORLD_NAME)
#undef PENSTOCK_WORLD_NAME
};

u64 kind_of(const std::string& name) {
  for (u64 i = 0; i < std::size(kKindNames); ++i)
    if (name == kKindNames[i]) return i;
  throw std::runtime_error("no event is called " + name);
}

// Of hosts' shifts, as they are; 255: none.
u64 drawn_scale(Draw& draw) {
  if (draw.percent(60)) return draw.between(6, 9);
  return draw.percent(20) ? 255 : draw.below(15);
}

// Of liars', those that are furthest from these.
u64 forged_scale(Draw& draw) {
  return draw.percent(50) ? draw.below(15) : draw.percent(70) ? 14 : 0;
}

Flow drawn_flow(Draw& draw, u64 number, const Settings& w) {
  Flow f;
  f.number = number;
  f.start_us = draw.below(kEventful / 2);
  f.pause_us = draw.percent(5) ? draw.below(9000) * kSecond : 0;
  f.far_opens = draw.percent(50);
  // A transfer lasts for much of the time in which something happens, or is short.
  const u64 most = std::min(w.rate_kbps * 125 * (kEventful / kSecond), kMostBytes);
  f.near_bytes = draw.percent(90) ? draw.below(most >> draw.below(8)) : 0;
  f.far_bytes = draw.percent(40) ? draw.between(1, 200'000) : 0;
  f.near_mss = draw.percent(80) ? 1460 : draw.between(536, 1460);
  f.far_mss = draw.percent(80) ? 1460 : draw.between(536, 1460);
  f.near_scale = drawn_scale(draw);
  f.far_scale = drawn_scale(draw);
  f.far_buffer = draw.between(8'000, 1'000'000);
  f.isn = draw.percent(20) ? 0xffffffffULL - draw.below(100'000) : draw.below(1ULL << 32);
  f.ipv6 = draw.percent(20);
  return f;
}

// SACK, ECN, and receivers that stop to read, so that their windows close.
void add_features(Draw& draw, Flow& f) {
  f.sack = draw.percent(50);
  f.ecn = draw.percent(70) ? 0 : draw.between(1, 2);
  if (f.near_bytes < 4 * kLeastStalled || !draw.percent(20)) return;
  f.stall_us = draw.between(100 * kMs, 8 * kSecond);
  f.far_buffer = draw.between(kLeastStalled, f.near_bytes / 4);
}

// A connection of the same addresses and ports as `f`, which ends first, or vanishes. Its numbers
// are beyond those of `f`, as RFC 6528 asks for.
Flow next_on_ports(Draw& draw, Flow& f, u64 number, const Settings& w) {
  Flow next = drawn_flow(draw, number, w);
  add_features(draw, next);
  next.again = f.number;
  next.start_us = draw.below(2 * kSecond);
  next.ipv6 = f.ipv6;
  next.far_opens = f.far_opens;
  next.isn = (f.isn + f.near_bytes + f.far_bytes + draw.between(2'000'000, 1ULL << 30)) & kMostIsn;
  if (draw.percent(50)) f.quits_us = draw.between(100 * kMs, 10 * kSecond);
  return next;
}

// All flows have data for long after the last event, on a link that is slow enough.
void lengthen(Script& s) {
  Settings& w = s.settings;
  w.rate_kbps = std::min<u64>(w.rate_kbps, 4000);
  for (Flow& f : s.flows) {
    f.near_bytes = w.rate_kbps * 125 * (kLong / kSecond) / s.flows.size();
    f.pause_us = f.stall_us = 0;
  }
}

// Some of the flows of half of the worlds are none that the gateway controls, and some of these
// ignore marks.
void mix(Draw draw, Script& s) {
  if (draw.percent(50)) return;
  for (Flow& f : s.flows) f.unseen = draw.percent(50);
  for (Flow& f : s.flows) f.deaf = f.unseen && f.ecn && draw.percent(50);
}

void add_variety(Draw& draw, Script& s) {
  s.settings.signal = draw.percent(50);
  for (Flow& f : s.flows) add_features(draw, f);
  if (draw.percent(4)) {
    lengthen(s);
    mix(Draw(s.settings.seed ^ kMixed), s);
    return;
  }
  if (!draw.percent(30)) return;
  const u64 first = s.flows.size();
  for (u64 i = 0; i < first; ++i)
    if (draw.percent(50))
      s.flows.push_back(next_on_ports(draw, s.flows[i], s.flows.size() + 1, s.settings));
}

u64 drawn_value(Draw& draw, Kind kind) {
  switch (kind) {
    case Kind::k_lose:
    case Kind::k_damage:
      return draw.between(1, 20);
    case Kind::k_route:
      return draw.below(2);
    case Kind::k_handshake:
      return forged_scale(draw) + 16 * draw.below(2) + 32 * draw.below(2);
    case Kind::k_blind_acks:
      return draw.percent(20) ? 0 : draw.below(65536);
    case Kind::k_blind:
      return draw.below(512);
    case Kind::k_flood:
    case Kind::k_crowd:
      return draw.between(1, 200);
    case Kind::k_set:
      return draw.between(20, 300);
    case Kind::k_leap:
      return draw.between(1, 20'000);
    case Kind::k_cpus:
      return draw.below(12);
    default:
      return draw.between(1, 60);
  }
}

Event drawn_event(Draw& draw, const Script& s) {
  Event e;
  e.kind = draw.percent(30)
               ? draw.between(static_cast<u64>(Kind::k_handshake), static_cast<u64>(Kind::k_blind))
               : draw.below(static_cast<u64>(Kind::kCount));
  e.at_us = draw.below(s.settings.heal_us);
  e.for_us = draw.between(10 * kMs, 10 * kSecond);
  const Flow& flow = s.flows[draw.below(s.flows.size())];
  e.flow = flow.number;
  // Much of what names a connection comes while it is open.
  if (draw.percent(70))
    e.at_us = flow.start_us + draw.below(flow.near_bytes * 8 * kMs / s.settings.rate_kbps + kMs);
  e.at_us = std::min(e.at_us, s.settings.heal_us);
  e.for_us = std::min(e.for_us, s.settings.heal_us - e.at_us);
  e.place = draw.below(4);
  e.value = drawn_value(draw, static_cast<Kind>(e.kind));
  e.draw = draw.next() >> 16;
  return e;
}

// One line's fields, NAME=NUMBER.
class Line {
 public:
  explicit Line(const std::string& text) : in_(text) { in_ >> what_; }
  const std::string& what() const { return what_; }
  template <typename Take>
  void each(Take take) {
    for (std::string field; in_ >> field;) {
      const auto at = field.find('=');
      if (at == std::string::npos) throw std::runtime_error("no value: " + field);
      take(field.substr(0, at), field.substr(at + 1));
    }
  }

 private:
  std::istringstream in_;
  std::string what_;
};

#define PENSTOCK_WORLD_TAKE(name) \
  if (key == #name) {             \
    to.name = std::stoull(value); \
    return;                       \
  }
void take(Settings& to, const std::string& key, const std::string& value) {
  PENSTOCK_WORLD_SETTINGS(PENSTOCK_WORLD_TAKE)
  throw std::runtime_error("a world has no " + key);
}
void take(Flow& to, const std::string& key, const std::string& value) {
  PENSTOCK_WORLD_FLOW(PENSTOCK_WORLD_TAKE)
  throw std::runtime_error("a flow has no " + key);
}
void take(Event& to, const std::string& key, const std::string& value) {
  if (key == "kind") {
    to.kind = kind_of(value);
    return;
  }
  PENSTOCK_WORLD_EVENT(PENSTOCK_WORLD_TAKE)
  throw std::runtime_error("an event has no " + key);
}
#undef PENSTOCK_WORLD_TAKE

#define PENSTOCK_WORLD_PUT(name) out << " " #name "=" << of->name;
void put(std::ostream& out, const Settings* of) {
  out << "world";
  PENSTOCK_WORLD_SETTINGS(PENSTOCK_WORLD_PUT)
  out << '\n';
}
void put(std::ostream& out, const Flow* of) {
  out << "flow";
  PENSTOCK_WORLD_FLOW(PENSTOCK_WORLD_PUT)
  out << '\n';
}
#undef PENSTOCK_WORLD_PUT

}  // namespace

u64 Draw::next() {
  u64 z = state_ += 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

Script script_of(u64 seed) {
  Draw draw(seed);
  Script s;
  Settings& w = s.settings;
  w.seed = draw.next() >> 16;
  w.rate_kbps = 1000ULL << draw.below(7);
  w.near_us = draw.between(100, 50 * kMs);
  w.far_us = draw.between(100, 100 * kMs);
  const u64 product = w.rate_kbps * (w.near_us + w.far_us) / 4000;
  w.buffer_bytes = draw.between(20'000, 40'000 + product);
  w.method = draw.percent(60) ? 0 : draw.below(std::size(kMethods));
  w.mode = draw.percent(80) ? 0 : 1;
  w.flows = draw.percent(30) ? draw.between(2, 8) : 64;
  w.half_open = draw.percent(30) ? draw.between(2, 8) : 64;
  w.heal_us = kEventful;
  for (u64 i = draw.between(1, 6); i; --i) s.flows.push_back(drawn_flow(draw, i, w));
  for (u64 i = draw.between(0, 24); i; --i) s.events.push_back(drawn_event(draw, s));
  Draw more(seed ^ kVariety);
  add_variety(more, s);
  return s;
}

std::string text_of(const Script& script) {
  std::ostringstream out;
  put(out, &script.settings);
  for (const Flow& flow : script.flows) put(out, &flow);
  for (const Event& e : script.events)
    out << "event kind=" << kKindNames[e.kind] << " at_us=" << e.at_us << " for_us=" << e.for_us
        << " flow=" << e.flow << " place=" << e.place << " value=" << e.value << " draw=" << e.draw
        << '\n';
  return out.str();
}

Script parse_script(const std::string& text) {
  Script s;
  std::istringstream in(text);
  for (std::string each; std::getline(in, each);) {
    Line line(each);
    if (line.what().empty() || line.what()[0] == '#') continue;
    const auto into = [&line](auto& to) {
      line.each([&to](const std::string& key, const std::string& value) { take(to, key, value); });
    };
    if (line.what() == "world") {
      into(s.settings);
    } else if (line.what() == "flow") {
      into(s.flows.emplace_back());
    } else if (line.what() == "event") {
      into(s.events.emplace_back());
    } else {
      throw std::runtime_error("no such line: " + each);
    }
  }
  return s;
}

Script read_script(const std::string& path) {
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) throw std::runtime_error("cannot read '" + path + "'");
  return parse_script(text);
}

}  // namespace penstock::world

// SPDX-License-Identifier: GPL-2.0-only
// A host of sim/drill for Python: segments and times in, segments out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>
#include <vector>

#include "sim/drill/duplex.h"
#include "sim/python/bindings.h"
#include "sim/python/checked.h"
#include "sim/python/config_from_dict.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace penstock::python {

namespace {

using Block = std::pair<std::uint32_t, std::uint32_t>;

// A segment as Python sees it; an option that it does not carry is None.
struct HostSegment {
  std::uint64_t at_ns = 0;  // when it left; of one that arrives nothing
  std::uint32_t seq = 0;
  std::uint32_t ack = 0;
  std::uint8_t flags = 0;
  std::uint8_t ecn = 0;
  std::uint16_t window = 0;
  std::uint16_t payload_bytes = 0;
  std::optional<std::uint16_t> mss_bytes;
  std::optional<std::uint8_t> scale;
  bool sack_permitted = false;
  std::optional<Block> timestamps;  // value and echo
  std::vector<Block> sack;
  // The option of accurate ECN: its kind, 172 or 174, and the counters that it has.
  std::optional<std::pair<std::uint8_t, std::vector<std::uint32_t>>> accecn;
};

void set_sack(tcp::Segment& s, const std::vector<Block>& blocks) {
  if (blocks.size() > tcp::kSackCountMask)
    throw std::invalid_argument("a segment has at most 3 SACK blocks");
  std::size_t n = 0;
  for (const Block& b : blocks) s.sack[n++] = {b.first, b.second};
  s.options = static_cast<std::uint8_t>(s.options | n);
}

void set_accecn(tcp::Segment& s, std::uint8_t kind, const std::vector<std::uint32_t>& counters) {
  if (counters.size() > tcp::kAccEcnCounters)
    throw std::invalid_argument("the option of accurate ECN has at most 3 counters");
  if (!(s.flags & tcp::kSyn) && (s.options & tcp::kSackCountMask) > 2) --s.options;
  const auto counter = [&](std::size_t i) { return i < counters.size() ? counters[i] : 0; };
  put_accecn(s, counter(0), counter(1), counter(2));
  s.accecn.order1 = kind == tcp::kAccEcnKinds[1];
  if (counters.size() < s.accecn.counters) s.accecn.counters = counters.size() & 3;
}

tcp::Segment to_segment(const HostSegment& h) {
  tcp::Segment s{};
  s.seq = h.seq;
  s.ack = h.ack;
  s.flags = h.flags;
  s.ecn = h.ecn;
  s.window = h.window;
  s.payload_bytes = h.payload_bytes;
  if (h.mss_bytes) s.options |= tcp::kMss;
  if (h.scale) s.options |= tcp::kWindowScale;
  if (h.sack_permitted && (h.flags & tcp::kSyn)) s.options |= tcp::kSackPermitted;
  if (h.timestamps) {
    s.options |= tcp::kTimestamps;
    s.ts_val = h.timestamps->first;
    s.ts_ecr = h.timestamps->second;
  }
  if (s.flags & tcp::kSyn)
    s.syn = {h.mss_bytes.value_or(536), h.scale.value_or(std::uint8_t{0})};
  else
    set_sack(s, h.sack);
  if (h.accecn) set_accecn(s, h.accecn->first, h.accecn->second);
  return s;
}

HostSegment to_python(const drill::Sent& sent) {
  tcp::Segment s = sent.segment;
  HostSegment h;
  h.at_ns = sent.at_ns;
  h.seq = s.seq;
  h.ack = s.ack;
  h.flags = s.flags;
  h.ecn = s.ecn;
  h.window = s.window;
  h.payload_bytes = s.payload_bytes;
  if (s.options & tcp::kMss) h.mss_bytes = s.syn.mss_bytes;
  if (s.options & tcp::kWindowScale) h.scale = s.syn.scale;
  h.sack_permitted = (s.flags & tcp::kSyn) && (s.options & tcp::kSackPermitted);
  if (s.options & tcp::kTimestamps) h.timestamps = {s.ts_val, s.ts_ecr};
  if (has_accecn(s)) {
    std::vector<std::uint32_t> counters{s.accecn.first, s.accecn.second};
    if (s.accecn.counters == tcp::kAccEcnCounters) counters.push_back(third_counter(s));
    h.accecn = {tcp::kAccEcnKinds[s.accecn.order1], counters};
  }
  if (s.flags & tcp::kSyn) return h;
  for (unsigned i = 0; i < (s.options & tcp::kSackCountMask); ++i)
    h.sack.emplace_back(s.sack[i].start, s.sack[i].end);
  return h;
}

class Host {
 public:
  Host(const nb::dict& sender, const nb::dict& receiver, std::int64_t initial_seq)
      : duplex_(sender_config(sender), receiver_config(receiver),
                checked32("initial_seq", initial_seq, 0, 0xffffffffU)) {}

  void open(std::int64_t now_ns) { duplex_.open(clock(now_ns)); }
  void segment(const HostSegment& s, std::int64_t now_ns) {
    duplex_.on_segment(to_segment(s), clock(now_ns));
  }
  void timer(std::int64_t now_ns) { duplex_.on_timer(clock(now_ns)); }
  std::optional<std::uint64_t> next_timer_ns() const {
    const std::uint64_t at_ns = duplex_.next_timer_ns();
    return at_ns == tcp::kNever ? std::nullopt : std::optional(at_ns);
  }
  void write(std::int64_t size_bytes, std::int64_t now_ns) {
    duplex_.write(checked("size_bytes", size_bytes, 0, 1ULL << 40), clock(now_ns));
  }
  void close(std::int64_t now_ns) { duplex_.close(clock(now_ns)); }
  void set_nagle(bool on, std::int64_t now_ns) { duplex_.set_nagle(on, clock(now_ns)); }
  std::vector<HostSegment> take() {
    std::vector<HostSegment> taken;
    for (const drill::Sent& sent : duplex_.take()) taken.push_back(to_python(sent));
    return taken;
  }
  drill::Info info() const { return duplex_.info(); }
  bool established() const { return duplex_.established(); }
  bool reset() const { return duplex_.reset(); }
  bool peer_closed() const { return duplex_.peer_closed(); }
  bool done() const { return duplex_.done(); }

 private:
  static std::uint64_t clock(std::int64_t now_ns) {
    return checked("now_ns", now_ns, 0, kMaxClockNs);
  }

  drill::Duplex duplex_;
};

void bind_segment(nb::module_& m) {
  nb::class_<HostSegment>(m, "HostSegment")
      .def(nb::init<>())
      .def_ro("at_ns", &HostSegment::at_ns)
      .def_rw("seq", &HostSegment::seq)
      .def_rw("ack", &HostSegment::ack)
      .def_rw("flags", &HostSegment::flags)
      .def_rw("ecn", &HostSegment::ecn)
      .def_rw("window", &HostSegment::window)
      .def_rw("payload_bytes", &HostSegment::payload_bytes)
      .def_rw("mss_bytes", &HostSegment::mss_bytes, nb::arg().none())
      .def_rw("scale", &HostSegment::scale, nb::arg().none())
      .def_rw("sack_permitted", &HostSegment::sack_permitted)
      .def_rw("timestamps", &HostSegment::timestamps, nb::arg().none())
      .def_rw("sack", &HostSegment::sack)
      .def_rw("accecn", &HostSegment::accecn, nb::arg().none());
}

void bind_info(nb::module_& m) {
  using drill::Info;
  nb::class_<Info>(m, "HostInfo")
      .def_ro("cwnd_segments", &Info::cwnd_segments)
      .def_ro("ssthresh_segments", &Info::ssthresh_segments)
      .def_ro("unacked_segments", &Info::unacked_segments)
      .def_ro("sacked_segments", &Info::sacked_segments)
      .def_ro("retransmissions", &Info::retransmissions)
      .def_ro("mss_bytes", &Info::mss_bytes)
      .def_ro("advertised_mss_bytes", &Info::advertised_mss_bytes)
      .def_ro("acked_bytes", &Info::acked_bytes)
      .def_ro("received_bytes", &Info::received_bytes)
      .def_ro("unsent_bytes", &Info::unsent_bytes)
      .def_ro("rto_ns", &Info::rto_ns)
      .def_ro("srtt_ns", &Info::srtt_ns)
      .def_ro("rttvar_ns", &Info::rttvar_ns)
      .def_ro("fast_recovery", &Info::fast_recovery)
      .def_ro("timed_out", &Info::timed_out)
      .def_ro("disorder", &Info::disorder)
      .def_ro("reducing", &Info::reducing)
      .def_ro("ce_packets", &Info::ce_packets)
      .def_ro("ce_bytes", &Info::ce_bytes)
      .def_ro("ect0_bytes", &Info::ect0_bytes)
      .def_ro("ect1_bytes", &Info::ect1_bytes)
      .def_ro("ce_received", &Info::ce_received);
}

}  // namespace

void bind_drill(nb::module_& m) {
  bind_segment(m);
  bind_info(m);
  nb::class_<Host>(m, "Host")
      .def(nb::init<const nb::dict&, const nb::dict&, std::int64_t>(), "sender"_a, "receiver"_a,
           "initial_seq"_a = 0)
      .def("open", &Host::open, "now_ns"_a)
      .def("segment", &Host::segment, "segment"_a, "now_ns"_a)
      .def("timer", &Host::timer, "now_ns"_a)
      .def("write", &Host::write, "size_bytes"_a, "now_ns"_a)
      .def("close", &Host::close, "now_ns"_a)
      .def("set_nagle", &Host::set_nagle, "on"_a, "now_ns"_a)
      .def("take", &Host::take)
      .def("info", &Host::info)
      .def_prop_ro("next_timer_ns", &Host::next_timer_ns)
      .def_prop_ro("established", &Host::established)
      .def_prop_ro("reset", &Host::reset)
      .def_prop_ro("peer_closed", &Host::peer_closed)
      .def_prop_ro("done", &Host::done);
}

}  // namespace penstock::python

// SPDX-License-Identifier: GPL-2.0-only
// Gateways for Python, one event at a time. Keeps what a host
// would keep and checks what a caller passes; decides nothing.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/describe.h"
#include "sim/python/checked.h"
#include "sim/python/config_from_dict.h"
#include "sim/python/core_bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace penstock::python {

namespace {

// Whether a field of two parts is one, which has one value.
bool is_shared(const pst_param_row& a, const pst_param_row& b) {
  return pst_param_is_shared(&a, &b);
}

bool is_shared(const pst_state_row&, const pst_state_row&) { return false; }

// The fields of one part of a gateway; a name says whose it is if the other part has its own.
template <class Row>
void add_fields(nb::dict& all, const char* part, const Row* rows, std::uint32_t count,
                const Row* other, std::uint32_t other_count, const void* fields) {
  const auto in_other = [&](const Row& own) {
    return std::any_of(other, other + other_count, [&](const Row& row) {
      return pst_name_is(row.name, own.name) && !is_shared(row, own);
    });
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string name =
        in_other(rows[i]) ? std::string(part) + "." + rows[i].name : rows[i].name;
    all[name.c_str()] = pst_field_get(fields, i);
  }
}

class Control {
 public:
  Control(const std::string& discipline, const std::string& law, const std::string& signal,
          std::int64_t limit_bytes, const nb::dict& params, std::int64_t limit_packets,
          std::int64_t rate_bytes_per_s, std::int64_t mss_bytes)
      : q_(first_view(limit_bytes, limit_packets, rate_bytes_per_s, mss_bytes)),
        port_{
            .config = gateway_config({discipline, law, signal, "literal"}, params, q_.limit_bytes),
            .state = {},
            .pace = {},
            .scone = {}} {
    pst_port_init(&port_, &q_);
  }

  std::uint64_t interval_ns() const { return pst_gateway_next_tick_ns(&port_.state, 0); }

  nb::dict params() const {
    nb::dict all;
    const pst_method_row& d = discipline();
    const pst_method_row& l = law();
    add_fields(all, d.name, d.params, d.param_count, l.params, l.param_count,
               &port_.config.discipline_params);
    add_fields(all, l.name, l.params, l.param_count, d.params, d.param_count,
               &port_.config.law_params);
    return all;
  }

  nb::dict state() const {
    nb::dict all;
    const pst_method_row& d = discipline();
    const pst_method_row& l = law();
    add_fields(all, d.name, d.states, d.state_count, l.states, l.state_count,
               &port_.state.discipline);
    add_fields(all, l.name, l.states, l.state_count, d.states, d.state_count, &port_.state.law);
    return all;
  }

  std::string arrive(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets,
                     std::int64_t packet_bytes, std::int64_t flows, std::int64_t random,
                     bool ecn_capable) {
    see(now_ns, bytes, packets, flows);
    q_.random = checked32("random", random, 0, 0xffffffffU);
    const pst_packet k = packet(packet_bytes, ecn_capable, q_.now_ns);
    return name(pst_discipline_arrive(port_.config.discipline, &port_.config.discipline_params,
                                      &port_.state.discipline, &q_, &k),
                k);
  }

  void accepted(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets,
                std::int64_t packet_bytes, std::int64_t flows, bool controlled) {
    see(now_ns, bytes, packets, flows);
    const pst_packet k = packet(packet_bytes, false, q_.now_ns, controlled);
    pst_discipline_accepted(port_.config.discipline, &port_.config.discipline_params,
                            &port_.state.discipline, &q_, &k);
    pst_law_accepted(port_.config.law, &port_.config.law_params, &port_.state.law, &q_, &k);
  }

  void overflow(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets,
                std::int64_t packet_bytes) {
    see(now_ns, bytes, packets, 1);
    const pst_packet k = packet(packet_bytes, false, q_.now_ns);
    pst_discipline_overflow(port_.config.discipline, &port_.config.discipline_params,
                            &port_.state.discipline, &q_, &k);
  }

  std::string leave(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets,
                    std::int64_t packet_bytes, std::int64_t queued_ns, std::int64_t random,
                    bool ecn_capable) {
    see(now_ns, bytes, packets, 1);
    q_.random = checked32("random", random, 0, 0xffffffffU);
    const pst_packet k =
        packet(packet_bytes, ecn_capable, checked("queued_ns", queued_ns, 0, kMaxClockNs));
    return name(pst_discipline_leave(port_.config.discipline, &port_.config.discipline_params,
                                     &port_.state.discipline, &q_, &k),
                k);
  }

  void left(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets,
            std::int64_t packet_bytes, std::int64_t flows) {
    see(now_ns, bytes, packets, flows);
    const pst_packet k = packet(packet_bytes, false, q_.now_ns);
    pst_discipline_left(port_.config.discipline, &port_.config.discipline_params,
                        &port_.state.discipline, &q_, &k);
    pst_law_left(port_.config.law, &port_.config.law_params, &port_.state.law, &q_, &k);
  }

  void tick(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets, std::int64_t flows,
            std::int64_t others_use_q15, bool inferred) {
    see(now_ns, bytes, packets, flows);
    q_.others_use_q15 =
        static_cast<std::uint16_t>(checked32("others_use_q15", others_use_q15, 0, PST_Q15_ONE));
    q_.inferred = inferred;
    pst_discipline_tick(port_.config.discipline, &port_.config.discipline_params,
                        &port_.state.discipline, &q_);
    pst_law_tick(port_.config.law, &port_.config.law_params, &port_.state.law, &q_);
  }

  // ACKs from now on are of a flow that is new.
  void next_flow() { flow_ = {}; }

  std::uint64_t ack(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets,
                    std::int64_t window_bytes, std::int64_t flows, std::int64_t random,
                    std::int64_t rtt_ns, std::int64_t granule_bytes, std::int64_t flight_bytes,
                    std::int64_t granted_bytes, std::int64_t acked_bytes, bool fills, bool more,
                    bool opens, std::int64_t opening, std::int64_t silent_q15) {
    see(now_ns, bytes, packets, flows);
    q_.opening = checked32("opening", opening, 0, PST_MAX_PKTS);
    q_.silent_q15 = static_cast<std::uint16_t>(checked32("silent_q15", silent_q15, 0, PST_Q15_ONE));
    q_.random = checked32("random", random, 0, 0xffffffffU);
    pst_ack a{};
    a.window_bytes = checked("window_bytes", window_bytes, 0, 65535ULL << PST_MAX_SCALE);
    a.rtt_ns = checked("rtt_ns", rtt_ns, 0, PST_MAX_NS);
    a.mss_bytes = q_.mss_bytes;
    a.granule_bytes = checked32("granule_bytes", granule_bytes, 1, 1ULL << PST_MAX_SCALE);
    a.flight_bytes = checked32("flight_bytes", flight_bytes, 0, PST_MAX_PKTS);
    a.granted_bytes = checked32("granted_bytes", granted_bytes, 0, PST_MAX_PKTS);
    a.acked_bytes = checked32("acked_bytes", acked_bytes, 0, a.flight_bytes);
    a.fills = fills;
    a.more = more;
    a.opens = opens;
    const std::uint64_t allowed_bytes = pst_law_ack(port_.config.law, &port_.config.law_params,
                                                    &port_.state.law, &flow_.law, &q_, &a);
    return pst_gateway_signalled(&port_.config, &port_.state, &flow_.flow, &a, allowed_bytes);
  }

 private:
  static pst_queue first_view(std::int64_t limit_bytes, std::int64_t limit_packets,
                              std::int64_t rate_bytes_per_s, std::int64_t mss_bytes) {
    pst_queue q{};
    q.mss_bytes = checked32("mss_bytes", mss_bytes, 1, 65535);
    q.limit_packets = checked("limit_packets", limit_packets, 0, PST_MAX_PKTS);
    const std::uint64_t bytes =
        checked("limit_bytes", limit_bytes, q.limit_packets ? 0 : 1, PST_MAX_BYTES);
    q.limit_bytes = pst_queue_limit_bytes(bytes, q.limit_packets, q.mss_bytes);
    q.rate_bytes_per_s = checked("rate_bytes_per_s", rate_bytes_per_s, 0, PST_MAX_BYTES);
    q.flows = 1;
    return q;
  }

  const pst_method_row& discipline() const { return pst_discipline_rows[port_.config.discipline]; }
  const pst_method_row& law() const { return pst_law_rows[port_.config.law]; }

  static pst_packet packet(std::int64_t bytes, bool ecn_capable, std::uint64_t queued_ns,
                           bool controlled = true) {
    return {.queued_ns = queued_ns,
            .bytes = checked32("packet_bytes", bytes, 1, 65535),
            .kind = pst_kind_of(PST_CONTENT_DATA, controlled),
            .tos = static_cast<std::uint8_t>(ecn_capable ? PST_ECT0 : PST_NOT_ECT),
            .restrained = false,
            .answered = true,
            .elastic = false,
            .stream = 0,
            .pair = 0,
            .feedback = nullptr,
            .flow_rate = nullptr,
            .label = nullptr,
            .flow = 0};
  }

  std::string name(pst_verdict verdict, const pst_packet& k) {
    switch (pst_gateway_verdict(&port_.config, &port_.state, &k, verdict)) {
      case PST_DROP:
        return "drop";
      case PST_MARK:
        return "mark";
      case PST_SIGNAL:
        return "signal";
      case PST_PASS:
        break;
    }
    return "pass";
  }

  void see(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets, std::int64_t flows) {
    q_.now_ns = checked("now_ns", now_ns, 0, kMaxClockNs);
    q_.bytes = checked("queue_bytes", bytes, 0, PST_MAX_BYTES);
    q_.packets = checked("queue_packets", packets, 0, PST_MAX_PKTS);
    q_.flows = checked("flows", flows, 1, PST_MAX_PKTS);
    q_.flows_q16 = q_.flows << 16;
    q_.pause_ns = pst_law_pause_ns(port_.config.law, &port_.state.law);
  }

  pst_queue q_;
  pst_port port_;
  pst_gateway_flow flow_{};
};

}  // namespace

void bind_control(nb::module_& m) {
  nb::class_<Control>(m, "Control")
      .def(nb::init<const std::string&, const std::string&, const std::string&, std::int64_t,
                    const nb::dict&, std::int64_t, std::int64_t, std::int64_t>(),
           "discipline"_a, "law"_a, nb::kw_only(), "signal"_a = "drop", "limit_bytes"_a,
           "params"_a = nb::dict(), "limit_packets"_a = 0, "rate_bytes_per_s"_a = 0,
           "mss_bytes"_a = 1448)
      .def_prop_ro("interval_ns", &Control::interval_ns)
      .def_prop_ro("params", &Control::params)
      .def_prop_ro("state", &Control::state)
      .def("arrive", &Control::arrive, "now_ns"_a, "queue_bytes"_a, "queue_packets"_a,
           "packet_bytes"_a, nb::kw_only(), "flows"_a = 1, "random"_a = 0, "ecn_capable"_a = false)
      .def("accepted", &Control::accepted, "now_ns"_a, "queue_bytes"_a, "queue_packets"_a,
           "packet_bytes"_a, nb::kw_only(), "flows"_a = 1, "controlled"_a = true)
      .def("overflow", &Control::overflow, "now_ns"_a, "queue_bytes"_a, "queue_packets"_a,
           "packet_bytes"_a)
      .def("leave", &Control::leave, "now_ns"_a, "queue_bytes"_a, "queue_packets"_a,
           "packet_bytes"_a, nb::kw_only(), "queued_ns"_a = 0, "random"_a = 0,
           "ecn_capable"_a = false)
      .def("left", &Control::left, "now_ns"_a, "queue_bytes"_a, "queue_packets"_a, "packet_bytes"_a,
           nb::kw_only(), "flows"_a = 1)
      .def("tick", &Control::tick, "now_ns"_a, "queue_bytes"_a, "queue_packets"_a, nb::kw_only(),
           "flows"_a = 1, "others_use_q15"_a = 0, "inferred"_a = false)
      .def("ack", &Control::ack, "now_ns"_a, "queue_bytes"_a, "queue_packets"_a, "window_bytes"_a,
           nb::kw_only(), "flows"_a = 1, "random"_a = 0, "rtt_ns"_a = 0, "granule_bytes"_a = 1,
           "flight_bytes"_a = 0, "granted_bytes"_a = 0, "acked_bytes"_a = 0, "fills"_a = false,
           "more"_a = true, "opens"_a = false, "opening"_a = 0, "silent_q15"_a = 0)
      .def("next_flow", &Control::next_flow);
}

}  // namespace penstock::python

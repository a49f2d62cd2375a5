// SPDX-License-Identifier: GPL-2.0-only
// Gateway and sender methods for Python, one event at a time. Keeps what a host
// would keep and checks what a caller passes; decides nothing.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "core/control/describe.h"
#include "core/rewrite/window.h"
#include "core/sender/describe.h"
#include "sim/python/checked.h"
#include "sim/python/config_from_dict.h"
#include "sim/python/core_bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace penstock::python {

namespace {

class Control {
 public:
  Control(const std::string& method, std::int64_t limit_bytes, const nb::dict& params,
          std::int64_t limit_packets, std::int64_t rate_bytes_per_s, std::int64_t mss_bytes)
      : q_(first_view(limit_bytes, limit_packets, rate_bytes_per_s, mss_bytes)),
        spec_(gateway_spec(method, "literal", params, q_.limit_bytes)) {
    pst_control_init(spec_.method, &spec_.params, &state_, &q_);
  }

  std::uint64_t interval_ns() const { return pst_control_interval_ns(spec_.method, &spec_.params); }
  nb::dict params() const { return named_fields(row().params, row().param_count, &spec_.params); }
  nb::dict state() const { return named_fields(row().states, row().state_count, &state_); }

  std::string enqueue(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets,
                      std::int64_t packet_bytes, std::int64_t flows, std::int64_t random,
                      bool ecn_capable) {
    see(now_ns, bytes, packets, flows);
    q_.random = checked32("random", random, 0, 0xffffffffU);
    const pst_packet k{checked32("packet_bytes", packet_bytes, 1, 65535), ecn_capable, 0};
    switch (pst_control_enqueue(spec_.method, &spec_.params, &state_, &q_, &k)) {
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

  void dequeue(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets,
               std::int64_t packet_bytes, std::int64_t flows) {
    see(now_ns, bytes, packets, flows);
    const pst_packet k{checked32("packet_bytes", packet_bytes, 1, 65535), false, 0};
    pst_control_dequeue(spec_.method, &spec_.params, &state_, &q_, &k);
  }

  void tick(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets, std::int64_t flows) {
    see(now_ns, bytes, packets, flows);
    pst_control_tick(spec_.method, &spec_.params, &state_, &q_);
  }

  std::uint64_t ack(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets,
                    std::int64_t window_bytes, std::int64_t flows, std::int64_t random,
                    std::int64_t rtt_ns, std::int64_t granule_bytes) {
    see(now_ns, bytes, packets, flows);
    q_.random = checked32("random", random, 0, 0xffffffffU);
    const pst_ack a{checked("window_bytes", window_bytes, 0, 65535ULL << PST_MAX_SCALE),
                    checked("rtt_ns", rtt_ns, 0, PST_MAX_NS), q_.mss_bytes,
                    checked32("granule_bytes", granule_bytes, 1, 1ULL << PST_MAX_SCALE)};
    return pst_control_ack(spec_.method, &spec_.params, &state_, &q_, &a);
  }

 private:
  static pst_queue first_view(std::int64_t limit_bytes, std::int64_t limit_packets,
                              std::int64_t rate_bytes_per_s, std::int64_t mss_bytes) {
    pst_queue q{};
    q.mss_bytes = checked32("mss_bytes", mss_bytes, 1, 65535 - PST_HEADERS_BYTES);
    q.limit_packets = checked("limit_packets", limit_packets, 0, PST_MAX_PKTS);
    const std::uint64_t bytes =
        checked("limit_bytes", limit_bytes, q.limit_packets ? 0 : 1, PST_MAX_BYTES);
    q.limit_bytes = pst_queue_limit_bytes(bytes, q.limit_packets, q.mss_bytes);
    q.rate_bytes_per_s = checked("rate_bytes_per_s", rate_bytes_per_s, 0, PST_MAX_BYTES);
    q.flows = 1;
    return q;
  }

  const pst_method_row& row() const { return pst_method_rows[spec_.method]; }

  void see(std::int64_t now_ns, std::int64_t bytes, std::int64_t packets, std::int64_t flows) {
    q_.now_ns = checked("now_ns", now_ns, 0, kMaxClockNs);
    q_.bytes = checked("queue_bytes", bytes, 0, PST_MAX_BYTES);
    q_.packets = checked("queue_packets", packets, 0, PST_MAX_PKTS);
    q_.flows = checked("flows", flows, 1, PST_MAX_PKTS);
  }

  pst_queue q_;
  gateway::Spec spec_;
  union pst_state state_{};
};

class SenderControl {
 public:
  SenderControl(const std::string& method, std::int64_t cwnd_bytes, std::int64_t ssthresh_bytes,
                std::int64_t mss_bytes, const nb::dict& params) {
    nb::dict fields;
    fields["method"] = method;
    fields["params"] = params;
    config_ = sender_config(fields);
    config_.mss_bytes = checked32("mss_bytes", mss_bytes, 1, 65535);
    view_.mss_bytes = config_.mss_bytes;
    set_cwnd_bytes(cwnd_bytes);
    set_ssthresh_bytes(ssthresh_bytes);
  }

  std::uint64_t cwnd_bytes() const { return cwnd_.bytes; }
  void set_cwnd_bytes(std::int64_t v) { cwnd_.bytes = checked("cwnd_bytes", v, 1, PST_MAX_BYTES); }
  std::uint64_t una() const { return view_.una; }
  std::uint64_t ssthresh_bytes() const { return cwnd_.ssthresh_bytes; }
  void set_ssthresh_bytes(std::int64_t v) {
    cwnd_.ssthresh_bytes = checked("ssthresh_bytes", v, 1, PST_SSTHRESH_MAX);
  }

  nb::dict state() const {
    const pst_sender_row& row = pst_sender_rows[config_.method];
    return named_fields(row.states, row.state_count, &state_);
  }

  void init(std::int64_t now_ns, std::int64_t sent) {
    view_.now_ns = checked("now_ns", now_ns, 0, kMaxClockNs);
    view_.sent = checked("sent", sent, 0, PST_MAX_BYTES);
    pst_sender_init(config_.method, &config_.params, &state_, &view_, &cwnd_);
  }

  void ack(std::int64_t now_ns, std::int64_t acked_bytes, std::int64_t flight_bytes,
           std::int64_t rtt_ns, std::int64_t srtt_ns, std::int64_t min_rtt_ns, bool cwnd_limited,
           bool recovery) {
    see(now_ns, flight_bytes, srtt_ns, min_rtt_ns);
    view_.acked_bytes = checked("acked_bytes", acked_bytes, 1, PST_MAX_BYTES);
    view_.rtt_ns = checked("rtt_ns", rtt_ns, 0, PST_MAX_NS);
    view_.cwnd_limited = cwnd_limited;
    view_.una += view_.acked_bytes;
    view_.delivered_bytes += view_.acked_bytes;
    view_.sent = pst_max(view_.sent, view_.una + pst_sub_floor(cwnd_.bytes, view_.acked_bytes));
    if (pst_sender_samples(config_.method))
      pst_sender_sample(config_.method, &config_.params, &state_, &view_, &cwnd_);
    if (!recovery) pst_sender_ack(config_.method, &config_.params, &state_, &view_, &cwnd_);
  }

  void recovered(std::int64_t now_ns) {
    view_.now_ns = checked("now_ns", now_ns, 0, kMaxClockNs);
    pst_sender_recovered(config_.method, &config_.params, &state_, &view_, &cwnd_);
  }

  std::uint64_t congestion(std::int64_t now_ns, const std::string& why, std::int64_t flight_bytes,
                           std::int64_t srtt_ns, std::int64_t min_rtt_ns) {
    see(now_ns, flight_bytes, srtt_ns, min_rtt_ns);
    cwnd_.ssthresh_bytes = pst_sender_congestion(config_.method, &config_.params, &state_, &view_,
                                                 &cwnd_, reason(why));
    return cwnd_.ssthresh_bytes;
  }

 private:
  static pst_congestion reason(const std::string& why) {
    if (why == "loss") return PST_LOSS;
    if (why == "ecn") return PST_ECN;
    if (why == "timeout") return PST_TIMEOUT;
    throw std::invalid_argument("unknown reason '" + why + "'; it is loss, ecn or timeout");
  }

  void see(std::int64_t now_ns, std::int64_t flight_bytes, std::int64_t srtt_ns,
           std::int64_t min_rtt_ns) {
    view_.now_ns = checked("now_ns", now_ns, 0, kMaxClockNs);
    view_.flight_bytes = checked("flight_bytes", flight_bytes, 0, PST_MAX_BYTES);
    view_.srtt_ns = checked("srtt_ns", srtt_ns, 0, PST_MAX_NS);
    view_.min_rtt_ns = checked("min_rtt_ns", min_rtt_ns, 0, PST_MAX_NS);
  }

  tcp::SenderConfig config_;
  union pst_sender_state state_{};
  pst_sender_view view_{};
  pst_cwnd cwnd_{};
};

}  // namespace

void bind_control(nb::module_& m) {
  nb::class_<Control>(m, "Control")
      .def(nb::init<const std::string&, std::int64_t, const nb::dict&, std::int64_t, std::int64_t,
                    std::int64_t>(),
           "method"_a, nb::kw_only(), "limit_bytes"_a, "params"_a = nb::dict(),
           "limit_packets"_a = 0, "rate_bytes_per_s"_a = 0, "mss_bytes"_a = 1448)
      .def_prop_ro("interval_ns", &Control::interval_ns)
      .def_prop_ro("params", &Control::params)
      .def_prop_ro("state", &Control::state)
      .def("enqueue", &Control::enqueue, "now_ns"_a, "queue_bytes"_a, "queue_packets"_a,
           "packet_bytes"_a, nb::kw_only(), "flows"_a = 1, "random"_a = 0, "ecn_capable"_a = false)
      .def("dequeue", &Control::dequeue, "now_ns"_a, "queue_bytes"_a, "queue_packets"_a,
           "packet_bytes"_a, nb::kw_only(), "flows"_a = 1)
      .def("tick", &Control::tick, "now_ns"_a, "queue_bytes"_a, "queue_packets"_a, nb::kw_only(),
           "flows"_a = 1)
      .def("ack", &Control::ack, "now_ns"_a, "queue_bytes"_a, "queue_packets"_a, "window_bytes"_a,
           nb::kw_only(), "flows"_a = 1, "random"_a = 0, "rtt_ns"_a = 0, "granule_bytes"_a = 1);
  nb::class_<SenderControl>(m, "SenderControl")
      .def(
          nb::init<const std::string&, std::int64_t, std::int64_t, std::int64_t, const nb::dict&>(),
          "method"_a, nb::kw_only(), "cwnd_bytes"_a, "ssthresh_bytes"_a, "mss_bytes"_a = 1448,
          "params"_a = nb::dict())
      .def_prop_rw("cwnd_bytes", &SenderControl::cwnd_bytes, &SenderControl::set_cwnd_bytes)
      .def_prop_rw("ssthresh_bytes", &SenderControl::ssthresh_bytes,
                   &SenderControl::set_ssthresh_bytes)
      .def_prop_ro("una", &SenderControl::una)
      .def_prop_ro("state", &SenderControl::state)
      .def("ack", &SenderControl::ack, "now_ns"_a, "acked_bytes"_a, nb::kw_only(), "flight_bytes"_a,
           "rtt_ns"_a = 0, "srtt_ns"_a = 0, "min_rtt_ns"_a = 0, "cwnd_limited"_a = true,
           "recovery"_a = false)
      .def("init", &SenderControl::init, "now_ns"_a, nb::kw_only(), "sent"_a = 0)
      .def("recovered", &SenderControl::recovered, "now_ns"_a)
      .def("congestion", &SenderControl::congestion, "now_ns"_a, "why"_a, nb::kw_only(),
           "flight_bytes"_a, "srtt_ns"_a = 0, "min_rtt_ns"_a = 0);
}

}  // namespace penstock::python

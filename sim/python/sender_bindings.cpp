// SPDX-License-Identifier: GPL-2.0-only
// Senders for Python, one event at a time. Keeps what a host would keep and checks what a caller
// passes; decides nothing.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

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
    const pst_method_row& row = pst_sender_rows[config_.method];
    return named_fields(row.states, row.state_count, &state_);
  }

  void init(std::int64_t now_ns, std::int64_t sent, std::int64_t window_bytes,
            std::int64_t rtt_ns) {
    view_.srtt_ns = view_.min_rtt_ns = checked("rtt_ns", rtt_ns, 0, PST_MAX_NS);
    view_.now_ns = checked("now_ns", now_ns, 0, kMaxClockNs);
    view_.window_bytes = checked("window_bytes", window_bytes, 0, PST_MAX_PKTS);
    view_.sent = checked("sent", sent, 0, PST_MAX_BYTES);
    pst_sender_init(config_.method, &config_.params, &state_, &view_, &cwnd_);
  }

  void ack(std::int64_t now_ns, std::int64_t acked_bytes, std::int64_t flight_bytes,
           std::int64_t rtt_ns, std::int64_t srtt_ns, std::int64_t min_rtt_ns, bool cwnd_limited,
           bool recovery, std::int64_t window_bytes, bool echoes) {
    view_.window_bytes = checked("window_bytes", window_bytes, 0, PST_MAX_PKTS);
    see(now_ns, flight_bytes, srtt_ns, min_rtt_ns);
    view_.acked_bytes = checked("acked_bytes", acked_bytes, 1, PST_MAX_BYTES);
    view_.rtt_ns = checked("rtt_ns", rtt_ns, 0, PST_MAX_NS);
    view_.cwnd_limited = cwnd_limited;
    view_.echoes = echoes;
    view_.una += view_.acked_bytes;
    view_.delivered_bytes += view_.acked_bytes;
    view_.sent = pst_max(view_.sent, view_.una + pst_sub_floor(cwnd_.bytes, view_.acked_bytes));
    if (pst_sender_samples(config_.method))
      pst_sender_sample(config_.method, &config_.params, &state_, &view_, &cwnd_);
    if (!recovery) pst_sender_ack(config_.method, &config_.params, &state_, &view_, &cwnd_);
  }

  // An ACK as a method with a rate sees it; what is sampled only of data that it delivers.
  void steer(std::int64_t now_ns, std::int64_t srtt_ns, const nb::dict& delivery,
             const nb::list& lost) {
    see(now_ns, 0, srtt_ns, 0);
    pst_delivery d{};
    const auto taken = [&](const char* name) { return field(delivery, name); };
    d.total_bytes = taken("total_bytes");
    d.prior_bytes = taken("prior_bytes");
    d.interval_ns = taken("interval_ns");
    d.rtt_ns = taken("rtt_ns");
    d.acked_bytes = taken("acked_bytes");
    d.lost_bytes = taken("lost_bytes");
    d.total_lost_bytes = taken("total_lost_bytes");
    d.before_bytes = taken("before_bytes");
    d.in_flight_bytes = taken("in_flight_bytes");
    d.recovery = taken("recovery") ? PST_RECOVERY_FAST : PST_RECOVERY_NONE;
    d.app_limited = taken("app_limited") != 0;
    if (pst_sender_hears_losses(config_.method)) {
      d.newest_in_flight_bytes = taken("newest_in_flight_bytes");
      d.newest_lost_bytes = taken("newest_lost_bytes");
      d.selective = taken("selective") != 0;
    }
    d.cwnd_limited = delivery.contains("cwnd_limited") && taken("cwnd_limited") != 0;
    d.at_ns = view_.now_ns;
    view_.delivery = &d;
    for (const nb::handle segment : lost) lose(nb::cast<nb::dict>(segment));
    pst_sender_ack(config_.method, &config_.params, &state_, &view_, &cwnd_);
    view_.delivery = nullptr;
  }

  void restart(std::int64_t now_ns) {
    view_.now_ns = checked("now_ns", now_ns, 0, kMaxClockNs);
    pst_sender_restart(config_.method, &config_.params, &state_, &view_, &cwnd_);
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
  static std::uint64_t field(const nb::dict& of, const char* name) {
    return checked(name, nb::cast<std::int64_t>(of[name]), 0, PST_MAX_BYTES);
  }

  void lose(const nb::dict& segment) {
    pst_lost_segment l{};
    l.bytes = field(segment, "bytes");
    l.sent_in_flight_bytes = field(segment, "sent_in_flight_bytes");
    l.lost_bytes = field(segment, "lost_bytes");
    l.app_limited = field(segment, "app_limited") != 0;
    l.begins_range = field(segment, "begins_range") != 0;
    pst_sender_lost(config_.method, &config_.params, &state_, &view_, &cwnd_, &l);
  }

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

void bind_sender_control(nb::module_& m) {
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
           "recovery"_a = false, "window_bytes"_a = 0, "echoes"_a = false)
      .def("init", &SenderControl::init, "now_ns"_a, nb::kw_only(), "sent"_a = 0,
           "window_bytes"_a = 0, "rtt_ns"_a = 0)
      .def("restart", &SenderControl::restart, "now_ns"_a)
      .def("steer", &SenderControl::steer, "now_ns"_a, nb::kw_only(), "srtt_ns"_a, "delivery"_a,
           "lost"_a = nb::list())
      .def("recovered", &SenderControl::recovered, "now_ns"_a)
      .def("congestion", &SenderControl::congestion, "now_ns"_a, "why"_a, nb::kw_only(),
           "flight_bytes"_a, "srtt_ns"_a = 0, "min_rtt_ns"_a = 0);
}

}  // namespace penstock::python

// SPDX-License-Identifier: GPL-2.0-only
// The window rules of core/rewrite for Python, for one flow.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "core/describe.h"
#include "core/rewrite/window.h"
#include "sim/python/checked.h"
#include "sim/python/config_from_dict.h"
#include "sim/python/core_bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace penstock::python {

namespace {

class Window {
 public:
  Window(const std::string& mode, std::int64_t mss_bytes)
      : mode_(gateway_config({"droptail", "none", "drop", mode}, nb::dict(), 1).mode) {
    flow_.mss_bytes = checked32("mss_bytes", mss_bytes, 0, 65535);
  }

  void syn(bool forward, std::int64_t option) {
    pst_flow_on_syn(&flow_, forward, static_cast<u8>(checked("option", option, 0, 255)));
  }

  void data(std::int64_t seq, std::int64_t payload_bytes) {
    pst_flow_on_data(&flow_, checked32("seq", seq, 0, 0xffffffffU),
                     checked32("payload_bytes", payload_bytes, 1, 65535));
  }

  std::pair<std::uint64_t, std::string> ack(std::int64_t ack, std::int64_t field,
                                            std::int64_t allowed_bytes, bool syn, bool pure) {
    const pst_ack_header h{checked32("ack", ack, 0, 0xffffffffU),
                           static_cast<u16>(checked("field", field, 0, 65535)), syn, pure};
    pst_rewrite out{};
    if (!syn) pst_flow_settle(&flow_, h.ack, u64{h.field} << flow_.scale);
    if (!pst_rewrite_bypassed(&flow_, mode_, &h, &out))
      out = pst_rewrite_window(&flow_, mode_, &h,
                               checked("allowed_bytes", allowed_bytes, 0, PST_MAX_BYTES));
    pst_rewrite_commit(&flow_, &h, out.field);
    return {out.field, pst_limit_rows[out.limit].name};
  }

  std::uint64_t scale() const { return flow_.scale; }

 private:
  std::uint32_t mode_;
  pst_flow flow_{};
};

}  // namespace

void bind_window(nb::module_& m) {
  nb::class_<Window>(m, "Window")
      .def(nb::init<const std::string&, std::int64_t>(), "mode"_a, nb::kw_only(),
           "mss_bytes"_a = 1448)
      .def("syn", &Window::syn, "forward"_a, "option"_a)
      .def("data", &Window::data, "seq"_a, "payload_bytes"_a)
      .def("ack", &Window::ack, "ack"_a, "field"_a, "allowed_bytes"_a, nb::kw_only(),
           "syn"_a = false, "pure"_a = true)
      .def_prop_ro("scale", &Window::scale);
}

}  // namespace penstock::python

// SPDX-License-Identifier: GPL-2.0-only
// Many runs side by side, in steps: each has a network of its own, so any number of threads gives
// the same numbers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sim/net/stepped.h"
#include "sim/python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace penstock::python {

namespace {

using net::Stepped;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require(bool ok, const std::string& message) {
  if (!ok) throw std::invalid_argument(message);
}

class Links {
 public:
  Links(std::size_t count, std::size_t flows, std::size_t threads)
      : flows_(flows), threads_(std::max<std::size_t>(threads, 1)), runs_(count) {}
  Links(const Links&) = delete;  // runs read the networks that are theirs
  Links& operator=(const Links&) = delete;

  void put(std::size_t index, nb::object network, std::uint32_t link) {
    require(index < runs_.size(), "there is no run " + std::to_string(index));
    Run& run = runs_[index];
    run.stepped.reset();  // reads the network that is there
    run.network = std::move(network);
    run.until_ns = 0;
    run.stepped = std::make_unique<Stepped>(nb::cast<const net::Network&>(run.network), link);
    require(run.stepped->flows() >= flows_, "the network has fewer TCP flows than are looked at");
  }

  std::size_t looks() const { return Stepped::kLinkLooks + flows_ * Stepped::kFlowLooks; }

  // Plays each run for `interval_ns` on, what is given set before; NaN leaves as it is.
  void step(std::uint64_t interval_ns, const std::optional<Values>& factors,
            const std::optional<Rows>& cwnds, Out out) {
    const std::size_t each = looks();
    require(out.shape(0) == runs_.size() && out.shape(1) == each, "out has another shape");
    require(!factors || factors->shape(0) == runs_.size(), "factors have another shape");
    require(!cwnds || (cwnds->shape(0) == runs_.size() && cwnds->shape(1) == flows_),
            "windows have another shape");
    const Actions actions{interval_ns, factors ? factors->data() : nullptr,
                          cwnds ? cwnds->data() : nullptr};
    check(actions);
    nb::gil_scoped_release release;
    spread([&](std::size_t i) { step_one(i, actions, out.data() + i * each); });
  }

 private:
  struct Run {
    nb::object network;  // must outlive its run
    std::unique_ptr<Stepped> stepped;
    std::uint64_t until_ns = 0;
  };
  struct Actions {
    std::uint64_t interval_ns;
    const double* factors;
    const double* cwnds;
  };

  void check(const Actions& actions) const {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      require(runs_[i].stepped != nullptr, "run " + std::to_string(i) + " was not put");
      require(!actions.factors || runs_[i].stepped->has_factor(),
              "only a gateway with the law integral has a factor");
    }
  }

  void step_one(std::size_t i, const Actions& actions, double* out) {
    Stepped& run = *runs_[i].stepped;
    std::uint64_t& until_ns = runs_[i].until_ns;
    if (actions.factors && std::isfinite(actions.factors[i]))
      run.set_factor(
          static_cast<std::uint64_t>(std::clamp(actions.factors[i], 0.0, 65536.0) * 4294967296.0));
    if (actions.cwnds) run.set_cwnds(actions.cwnds + i * flows_, flows_);
    run.play(until_ns += actions.interval_ns);
    run.look(out, flows_);
  }

  // Calls `act` with each index, on some threads; rethrows what the first of them threw.
  template <class Act>
  void spread(const Act& act) {
    const std::size_t count = std::min(threads_, runs_.size());
    std::vector<std::exception_ptr> errors(count);
    const auto part = [&](std::size_t thread) {
      try {
        for (std::size_t i = thread; i < runs_.size(); i += count) act(i);
      } catch (...) {
        errors[thread] = std::current_exception();
      }
    };
    std::vector<std::thread> threads;
    for (std::size_t thread = 1; thread < count; ++thread) threads.emplace_back(part, thread);
    if (count) part(0);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
  }

  std::size_t flows_;
  std::size_t threads_;
  std::vector<Run> runs_;
};

}  // namespace

void bind_steps(nb::module_& m) {
  nb::list link, flow;
#define PENSTOCK_LINK(name) link.append(#name);
#define PENSTOCK_FLOW(name) flow.append(#name);
  PENSTOCK_LINK_LOOKS(PENSTOCK_LINK)
  PENSTOCK_FLOW_LOOKS(PENSTOCK_FLOW)
  m.attr("LINK_LOOKS") = nb::tuple(link);
  m.attr("FLOW_LOOKS") = nb::tuple(flow);
  nb::class_<Links>(m, "Links")
      .def(nb::init<std::size_t, std::size_t, std::size_t>(), "count"_a, "flows"_a, "threads"_a = 1)
      .def_prop_ro("looks", &Links::looks)
      .def("put", &Links::put, "index"_a, "network"_a, "link"_a)
      .def("step", &Links::step, "interval_ns"_a, nb::kw_only(), "factors"_a = nb::none(),
           "cwnds"_a = nb::none(), "out"_a);
}

}  // namespace penstock::python

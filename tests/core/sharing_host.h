// SPDX-License-Identifier: GPL-2.0-only
// A host whose connections to one other share state, without TCP around it.
#pragma once

#include "core/describe.h"
#include "core/sharing/control.h"

#include <cstddef>
#include <vector>

inline constexpr u32 kMss = 1000;
inline constexpr u64 kInitial = 10 * kMss;
inline constexpr u64 kInitialSsthresh = 65535;

struct Connection {
  pst_member member{};
  pst_tcb tcb{};
};

// A host's connections to one other, in the order in which they joined.
class Host {
 public:
  explicit Host(u32 sharing) : sharing_(sharing) { pst_sharing_defaults(sharing, &params_); }

  void join(u64 srtt_ns = 0) {
    Connection& c = all.emplace_back();
    c.tcb = {.cwnd = {kInitial, PST_SSTHRESH_MAX},
             .srtt_ns = srtt_ns,
             .rttvar_ns = srtt_ns / 2,
             .now_ns = now_ns,
             .acked_bytes = 0,
             .mss_bytes = kMss,
             .congested = false,
             .timed_out = false,
             .idle = false};
    pst_sharing_join(sharing_, &params_, &ensemble, &c.member, &c.tcb);
  }
  pst_tcb& pull(std::size_t i) {
    pst_sharing_pull(sharing_, &params_, &ensemble, &all[i].member, &all[i].tcb);
    return all[i].tcb;
  }
  void push(std::size_t i) {
    all[i].tcb.now_ns = now_ns;
    pst_sharing_push(sharing_, &params_, &ensemble, &all[i].member, &all[i].tcb);
  }
  void ask(std::size_t i, bool idle) {
    all[i].tcb.idle = idle;
    pst_sharing_ask(sharing_, &params_, &ensemble, &all[i].member, &all[i].tcb);
  }
  void leave(std::size_t i) {
    all[i].tcb.now_ns = now_ns;
    pst_sharing_leave(sharing_, &params_, &ensemble, &all[i].member, &all[i].tcb);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }

  u64 window(std::size_t i) const {
    const pst_member& m = all[i].member;
    if (m.epoch == ensemble.epoch) return m.cwnd_bytes;
    return m.idle ? 0 : ensemble.share_cwnd_bytes;
  }
  u64 sum() const {
    u64 sum = ensemble.credit_bytes;
    for (std::size_t i = 0; i < all.size(); ++i) sum += window(i);
    return sum;
  }

  pst_ensemble ensemble{};
  std::vector<Connection> all;
  u64 now_ns = 0;

 private:
  u32 sharing_;
  pst_sharing_params params_;
};

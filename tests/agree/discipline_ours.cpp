// SPDX-License-Identifier: GPL-2.0-only
// core's RED, CoDel, PIE, FQ-CoDel or COBALT, given the script that discipline_ns3.cc reads; prints
// the same.
//   discipline_ours NAME ecn=0|1 limit_pkts=N [PARAMETER=VALUE]...
// A script's random number is the 32-bit number itself here.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/discipline/cobalt.h"
#include "core/discipline/codel.h"
#include "core/discipline/fq_codel.h"
#include "core/discipline/pie.h"
#include "core/discipline/red.h"
#include "core/params.h"

namespace {

using Options = std::map<std::string, u64>;

struct Packet {
  u64 queued_ns;
  u32 bytes;
  bool capable;
  unsigned number;
};

template <std::size_t N>
void fill(const pst_param_row (&rows)[N], void* params, const Options& options) {
  pst_params_default(rows, N, params, 0);
  for (const auto& [name, value] : options) {
    const u32 row = pst_param_find(rows, N, name.c_str());
    if (row != PST_NO_ROW) pst_field_set(params, row, value);
  }
}

// What the three have in common: verdicts, books and what is printed.
class Disc {
 public:
  explicit Disc(const Options& options)
      : ecn_(options.at("ecn")), limit_pkts_(options.at("limit_pkts")) {}
  virtual ~Disc() = default;

  virtual void arrive(const Packet& p, u32 queue, u32 random) = 0;
  virtual void leave() = 0;
  virtual void tick() {}
  virtual u64 interval_ns() const { return 0; }
  virtual bool over() const { return false; }  // the rest of the script is not to be played

  pst_queue q{};

 protected:
  void note(const char* what, const Packet& p) const {
    std::printf("%llu %s %u\n", q.now_ns, what, p.number);
  }
  // False: dropped.
  bool passes(pst_verdict verdict, const Packet& p) const {
    if (verdict == PST_PASS) return true;
    const bool marked = verdict == PST_SIGNAL && ecn_ && p.capable;
    note(marked ? "mark" : "drop", p);
    return marked;
  }
  pst_packet view(const Packet& p) const {
    pst_packet k{};
    k.bytes = p.bytes;
    k.queued_ns = p.queued_ns;
    return k;
  }
  void count(std::deque<Packet>& fifo, const Packet& p) {
    fifo.push_back(p);
    q.bytes += p.bytes;
    ++q.packets;
  }
  Packet head(std::deque<Packet>& fifo) {
    const Packet p = fifo.front();
    fifo.pop_front();
    q.bytes -= p.bytes;
    --q.packets;
    return p;
  }
  bool full() const { return q.packets >= limit_pkts_; }
  u64 limit_pkts() const { return limit_pkts_; }

 private:
  bool ecn_;
  u64 limit_pkts_;
};

class Codel final : public Disc {
 public:
  explicit Codel(const Options& options) : Disc(options) {
    static const pst_param_row rows[] = {PST_CODEL_PARAMS(PST_PARAM_ROW)};
    fill(rows, &params_, options);
  }
  void arrive(const Packet& p, u32, u32) override {
    if (full()) return note("drop", p);
    count(fifo_, p);
  }
  void leave() override {
    while (!fifo_.empty()) {
      const Packet p = head(fifo_);
      const pst_packet k = view(p);
      if (passes(pst_codel_on_leave(&params_, &state_, &q, &k), p)) return note("send", p);
    }
  }

 private:
  pst_codel_params params_{};
  pst_codel_state state_{};
  std::deque<Packet> fifo_;
};

// Alone, as ns-3 has it: CAKE's flows have one each. From a count of 16 on ns-3 approximates its
// root by one Newton step.
class Cobalt final : public Disc {
 public:
  explicit Cobalt(const Options& options)
      : Disc(options),
        ecn_(options.at("ecn")),
        params_{options.at("target_ns"), options.at("interval_ns"), 0, options.at("raise_q32"),
                options.at("lower_q32")} {}
  void arrive(const Packet& p, u32, u32) override {
    if (!full()) return count(fifo_, p);
    pst_cobalt_full(&params_, &state_, q.now_ns);
    note("drop", p);
  }
  void leave() override {
    while (!fifo_.empty()) {
      const Packet p = head(fifo_);
      pst_packet k = view(p);
      k.tos = ecn_ && p.capable ? PST_ECT0 : PST_NOT_ECT;
      const pst_verdict verdict = pst_cobalt_on_leave(&params_, &state_, &q, &k);
      if (verdict == PST_MARK) note("mark", p);
      if (verdict != PST_DROP) return note("send", p);
      note("drop", p);
    }
    pst_cobalt_empty(&params_, &state_, q.now_ns);
  }
  bool over() const override { return state_.count > 15; }

 private:
  bool ecn_;
  pst_cobalt_params params_;
  pst_cobalt_state state_{};
  std::deque<Packet> fifo_;
};

class Pie final : public Disc {
 public:
  explicit Pie(const Options& options) : Disc(options) {
    static const pst_param_row rows[] = {PST_PIE_PARAMS(PST_PARAM_ROW)};
    fill(rows, &params_, options);
    pst_pie_init(&params_, &state_, &q);
  }
  void arrive(const Packet& p, u32, u32 random) override {
    const pst_packet k = view(p);
    q.random = random;
    const pst_verdict verdict = pst_pie_on_arrive(&params_, &state_, &q, &k);
    if (full()) {
      pst_pie_on_overflow(&params_, &state_, &q, &k);
      return note("drop", p);
    }
    if (passes(verdict, p)) count(fifo_, p);
  }
  void leave() override {
    if (fifo_.empty()) return;
    const Packet p = head(fifo_);
    const pst_packet k = view(p);
    pst_pie_on_left(&params_, &state_, &q, &k);
    note("send", p);
  }
  void tick() override { pst_pie_on_tick(&params_, &state_, &q); }
  u64 interval_ns() const override { return params_.interval_ns; }

 private:
  pst_pie_params params_{};
  pst_pie_state state_{};
  std::deque<Packet> fifo_;
};

// RED, with what ns-3 does in another way each as an option: `crossing`, `empty`, `forced`.
class Red final : public Disc {
 public:
  explicit Red(const Options& options)
      : Disc(options),
        crossing_(options.at("crossing")),
        empty_(options.at("empty")),
        forced_(options.at("forced")) {
    static const pst_param_row rows[] = {PST_RED_PARAMS(PST_PARAM_ROW)};
    fill(rows, &params_, options);
    q.rate_bytes_per_s = options.at("rate_bytes_per_s");
    q.mss_bytes = static_cast<u32>(options.at("mss_bytes"));
  }
  void arrive(const Packet& p, u32, u32 random) override {
    const pst_packet k = view(p);
    q.random = random;
    pst_red_average(&params_, &state_, &q);
    if (passes(decide(k), p)) count(fifo_, p);
  }
  void leave() override {
    if (fifo_.empty()) return;
    const Packet p = head(fifo_);
    const pst_packet k = view(p);
    pst_red_on_left(&params_, &state_, &q, &k);
    note("send", p);
  }

 private:
  pst_verdict decide(const pst_packet& k) {
    const u64 avg_bytes = state_.avg_bytes_q16 >> 16;
    const bool above = avg_bytes >= params_.min_th_bytes && !(empty_ && q.bytes == 0);
    const bool crossed = above && !above_;
    const bool all = avg_bytes >= (params_.gentle ? 2 : 1) * params_.max_th_bytes;
    if (!(above && all)) above_ = above;
    if (!above) {
      state_.count_pkts = 0;
      return PST_PASS;
    }
    if (crossing_ && crossed && !all) {
      state_.count_pkts = 2;  // of the packet that comes next
      return PST_PASS;
    }
    const u64 count = state_.count_pkts;
    const pst_verdict verdict = pst_red_decide(&params_, &state_, params_.max_p_q32, &q, &k);
    if (forced_ && verdict == PST_DROP) state_.count_pkts = count + 1;
    return verdict;
  }

  bool crossing_;
  bool empty_;
  bool forced_;
  bool above_{false};
  pst_red_params params_{};
  pst_red_state state_{};
  std::deque<Packet> fifo_;
};

class FqCodel final : public Disc {
 public:
  explicit FqCodel(const Options& options) : Disc(options) {
    static const pst_param_row rows[] = {PST_FQ_CODEL_PARAMS(PST_PARAM_ROW)};
    fill(rows, &params_, options);
    table_.resize(params_.queues);
    fifos_.resize(params_.queues);
  }
  void arrive(const Packet& p, u32 queue, u32) override {
    count(fifos_[queue], p);
    pst_fq_codel_added(&params_, &state_, table_.data(), queue, p.bytes);
    if (q.packets > limit_pkts()) overflow();
  }
  void leave() override {
    for (;;) {
      const u32 i = pst_fq_codel_select(&params_, &state_, table_.data());
      if (i == PST_FQ_NONE) return;
      if (fifos_[i].empty()) {
        pst_fq_codel_drained(&state_, table_.data(), i);
        continue;
      }
      const Packet p = take(i);
      const pst_packet k = view(p);
      if (!passes(pst_fq_codel_on_leave(&params_, table_.data(), i, &q, &k), p)) continue;
      pst_fq_codel_sent(table_.data(), i, p.bytes);
      return note("send", p);
    }
  }

 private:
  Packet take(u32 i) {
    const Packet p = head(fifos_[i]);
    pst_fq_codel_removed(table_.data(), i, p.bytes);
    return p;
  }
  void overflow() {
    const u32 i = pst_fq_codel_fattest(&params_, table_.data());
    const u64 half_bytes = table_[i].bytes / 2;
    u64 bytes = 0, packets = 0;
    do {
      const Packet p = take(i);
      note("drop", p);
      bytes += p.bytes;
    } while (++packets < params_.drop_batch_pkts && bytes < half_bytes);
  }

  pst_fq_codel_params params_{};
  pst_fq_codel_state state_{};
  std::vector<pst_fq_queue> table_;
  std::vector<std::deque<Packet>> fifos_;
};

std::unique_ptr<Disc> make(const std::string& name, const Options& options) {
  if (name == "codel") return std::make_unique<Codel>(options);
  if (name == "cobalt") return std::make_unique<Cobalt>(options);
  if (name == "red") return std::make_unique<Red>(options);
  if (name == "pie") return std::make_unique<Pie>(options);
  return std::make_unique<FqCodel>(options);
}

}  // namespace

int main(int argc, char* argv[]) {
  Options options;
  for (int i = 2; i < argc; ++i) {
    const std::string pair = argv[i];
    const std::size_t equals = pair.find('=');
    options[pair.substr(0, equals)] = std::stoull(pair.substr(equals + 1));
  }
  const std::unique_ptr<Disc> disc = make(argv[1], options);
  u64 tick_ns = disc->interval_ns();
  unsigned arrivals = 0;
  std::string what;
  u64 time_ns;
  while (!disc->over() && std::cin >> what >> time_ns) {
    for (; tick_ns && tick_ns <= time_ns; tick_ns += disc->interval_ns()) disc->tick();
    disc->q.now_ns = time_ns;
    if (what == "leave") {
      disc->leave();
      continue;
    }
    u32 bytes, queue, random;
    bool capable;
    std::cin >> bytes >> queue >> capable >> random;
    disc->arrive({time_ns, bytes, capable, arrivals++}, queue, random);
  }
  return 0;
}

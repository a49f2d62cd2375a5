// SPDX-License-Identifier: GPL-2.0-only
// Our TCP alone on a link that loses given data packets, and all that happens at the sender:
// one line an event, "time_ns what first second", as ns3/lab notes it of ns-3's.
//   scripted KEY=VALUE...
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/describe.h"
#include "sim/tcp/receiver.h"
#include "sim/tcp/sender.h"

namespace penstock::tcp {
namespace {

using Options = std::map<std::string, std::string>;

std::uint64_t number(const Options& o, const char* key) { return std::stoull(o.at(key)); }

std::vector<std::uint64_t> numbers(const std::string& text) {
  std::vector<std::uint64_t> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    found.push_back(std::stoull(text.substr(at, comma - at)));
    at = comma + 1;
  }
  return found;
}

SenderConfig sender_config(const Options& o) {
  SenderConfig c;
  c.method = pst_sender_find(o.at("method").c_str());
  pst_sender_defaults(c.method, &c.params);
  const pst_method_row& row = pst_sender_rows[c.method];
  for (const auto& [key, value] : o) {
    const std::uint32_t field = pst_param_find(row.params, row.param_count, key.c_str());
    if (field != PST_NO_ROW) pst_field_set(&c.params, field, std::stoull(value));
  }
  c.mss_bytes = static_cast<std::uint32_t>(number(o, "mss_bytes"));
  c.initial_window_segments = static_cast<std::uint32_t>(number(o, "initial_window_segments"));
  c.min_rto_ns = number(o, "min_rto_ns");
  c.rto_granularity_ns = number(o, "rto_granularity_ns");
  if (number(o, "impatient")) c.recovery_timer = PST_RECOVERY_TIMER_IMPATIENT;
  c.sack = number(o, "sack");
  c.timestamps = false;
  c.limited_transmit = number(o, "limited_transmit");
  return c;
}

ReceiverConfig receiver_config(const Options& o) {
  ReceiverConfig c;
  c.buffer_bytes = c.max_buffer_bytes = number(o, "buffer_bytes");
  c.mss_bytes = static_cast<std::uint32_t>(number(o, "mss_bytes"));
  c.delayed_ack_segments = static_cast<std::uint32_t>(number(o, "delayed_ack_segments"));
  c.delayed_ack_ns = number(o, "delayed_ack_ns");
  c.sack = number(o, "sack");
  c.timestamps = false;
  return c;
}

// Both directions of the link; the forward one loses.
class Script {
 public:
  explicit Script(const Options& o)
      : sender_config_(sender_config(o)),
        receiver_config_(receiver_config(o)),
        drops_(numbers(o.at("drop_data_packets"))),
        ns_per_byte_(8'000'000'000ULL / number(o, "rate_bps")),
        delay_ns_(number(o, "delay_ns")),
        sender_(sender_config_, 0, number(o, "size_bytes")),
        receiver_(receiver_config_, 0) {}

  void play() {
    sender_.open(0, forward_);
    while (!sender_.done()) {
      std::uint64_t next = std::min(sender_.next_timer_ns(), receiver_.next_timer_ns());
      if (!wire_.empty()) next = std::min(next, wire_.begin()->first.first);
      if (next == kNever) return;
      now_ns_ = next;
      step();
      note_windows();
    }
  }

 private:
  struct Side final : Output {
    Side(Script& s, bool f) : script(s), forward(f) {}
    void transmit(const Segment& s) override { script.put(s, forward); }
    Script& script;
    bool forward;
  };

  void note(const char* what, std::uint64_t first, std::uint64_t second) const {
    std::printf("%llu %s %llu %llu\n", static_cast<unsigned long long>(now_ns_), what,
                static_cast<unsigned long long>(first), static_cast<unsigned long long>(second));
  }

  void note_windows() {
    if (sender_.counters().timeouts != timeouts_) note("timeout", 0, 0);
    timeouts_ = sender_.counters().timeouts;
    if (sender_.ssthresh_bytes() != ssthresh_) note("ssthresh", sender_.ssthresh_bytes(), 0);
    ssthresh_ = sender_.ssthresh_bytes();
    if (sender_.cwnd_bytes() != cwnd_) note("cwnd", sender_.cwnd_bytes(), sender_.in_recovery());
    cwnd_ = sender_.cwnd_bytes();
  }

  void put(const Segment& s, bool forward) {
    const bool data = s.payload_bytes > 0;
    if (forward && data) note("send", s.seq, s.payload_bytes);
    std::uint64_t& free_at = free_at_ns_[forward];
    free_at = std::max(free_at, now_ns_) + ip_bytes(s) * ns_per_byte_;
    if (forward && data) {
      const std::uint64_t which = sent_++;
      for (const std::uint64_t drop : drops_)
        if (drop == which) return;
    }
    wire_.emplace(std::make_pair(free_at + delay_ns_, order_++), std::make_pair(s, forward));
  }

  void step() {
    if (!wire_.empty() && wire_.begin()->first.first <= now_ns_) {
      const auto [s, forward] = wire_.begin()->second;
      wire_.erase(wire_.begin());
      if (forward) {
        receiver_.on_segment(s, now_ns_, back_);
      } else {
        note("ack", s.ack, s.window);
        sender_.on_segment(s, now_ns_, forward_);
      }
      return;
    }
    if (sender_.next_timer_ns() <= now_ns_) sender_.on_timer(now_ns_, forward_);
    if (receiver_.next_timer_ns() <= now_ns_) receiver_.on_timer(now_ns_, back_);
  }

  const SenderConfig sender_config_;
  const ReceiverConfig receiver_config_;
  const std::vector<std::uint64_t> drops_;
  const std::uint64_t ns_per_byte_;
  const std::uint64_t delay_ns_;
  Sender sender_;
  Receiver receiver_;
  Side forward_{*this, true};
  Side back_{*this, false};
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<Segment, bool>> wire_;
  std::uint64_t order_ = 0;
  std::uint64_t free_at_ns_[2] = {0, 0};
  std::uint64_t now_ns_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t cwnd_ = 0;
  std::uint64_t ssthresh_ = 0;
  std::uint64_t timeouts_ = 0;
};

}  // namespace
}  // namespace penstock::tcp

int main(int argc, char* argv[]) {
  std::map<std::string, std::string> options;
  for (int i = 1; i < argc; ++i) {
    const std::string pair = argv[i];
    const std::size_t equals = pair.find('=');
    options[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  penstock::tcp::Script(options).play();
  return 0;
}

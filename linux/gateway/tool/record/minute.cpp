// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/record/minute.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/describe.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/compare/flows.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/settings/target.h"
#include "linux/gateway/tool/view/rates.h"

namespace penstock::gw {

namespace {

constexpr double kFull = 0.9;     // of the rate
constexpr double kHalf = 0.5;
constexpr double kLoose = 0.25;   // of the bytes: what is not controlled matters
constexpr double kAbove = 2;      // times the target: the queue missed it

std::string percent(double ratio) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.0f %%", 100 * ratio);
  return text.data();
}

std::string whole_rate(double bps) { return round_rate(static_cast<std::uint64_t>(bps)); }
std::string whole_time(double ns) { return round_time(static_cast<std::uint64_t>(ns)); }

std::string load_text(const Summary& s, double used) {
  if (s.rate_bps <= 0)
    return "The rate further down was not known, so all passed unchanged (" +
           whole_rate(s.sent_bps) + ").";
  const std::string part = percent(used) + " of " + whole_rate(s.rate_bps);
  if (used < kHalf)
    return "The line was not full (" + part + "): what was slow here was slow elsewhere.";
  if (used < kFull) return "The line was nearly full at times (" + part + " on average).";
  if (s.flows_mean < 1) return "The line was full (" + part + ").";
  const auto flows = static_cast<std::uint64_t>(s.flows_mean + 0.5);
  return "The line was full (" + part + "), shared by " + std::to_string(flows) +
         (flows == 1 ? " flow."
                     : " flows, about " + whole_rate(s.rate_bps / s.flows_mean) + " for each.");
}

std::string queue_text(const Summary& s) {
  std::string text = "The queue held packets for " + whole_time(s.delay_mean_ns) + " on average, " +
                     whole_time(s.delay_95_ns) + " at most in 95 % of the samples";
  if (s.target_ns > 0) {
    const bool above = s.delay_mean_ns > kAbove * s.target_ns;
    text += (above ? ", far above its target of " : "; its target is ") + whole_time(s.target_ns);
  }
  return text + ".";
}

std::string drops_text(const Summary& s) {
  if (!s.drops) return "Nothing was dropped.";
  const bool observes = s.state == State::kObserve;
  std::string text = std::to_string(s.drops) + (s.drops == 1 ? " packet " : " packets ") +
                     (observes && s.modelled ? "would have been"
                      : s.drops == 1         ? "was"
                                             : "were") +
                     " dropped";
  if (observes)
    text += ": it only observes, so no window was reduced";
  else if (s.trouble.empty() && 1 - s.controlled_ratio > kLoose)
    text += ": much of the traffic does not obey windows";
  else if (s.trouble.empty() && static_cast<double>(s.flows_opened) > s.flows_mean)
    text += ": " + std::to_string(s.flows_opened) +
            " flows opened, whose first segments precede every ACK";
  return text + ".";
}

}  // namespace

std::string reason_of(const Summary& s) {
  if (s.state == State::kOff)
    return "Nothing was controlled: " + (s.trouble.empty() ? "not attached" : s.trouble) + ".";
  std::string text;
  if (s.state == State::kDegraded) text += "Degraded: " + s.trouble + ". ";
  const double used = s.rate_bps > 0 ? s.sent_bps / s.rate_bps : 0;
  text += load_text(s, used);
  if (used >= kHalf && 1 - s.controlled_ratio > kLoose)
    text += " " + percent(1 - s.controlled_ratio) +
            " of the bytes were of traffic that no window controls.";
  if (s.rate_bps > 0) text += " " + queue_text(s);
  text += " " + drops_text(s);
  if (s.state != State::kDegraded && !s.trouble.empty()) text += " Warning: " + s.trouble + ".";
  return text;
}

bool Minute::ends_before(const Snapshot& s) const {
  if (is_empty() || worst_ == State::kOff || s.state == State::kOff) return false;
  return s.attachment.config.gateway.observe != last_.attachment.config.gateway.observe;
}

void Minute::look(const Snapshot& s, std::uint64_t time_ns) {
  if (is_empty()) begin_ns_ = time_ns;
  if (is_empty() || s.state != State::kOff) take(s);
  end_ns_ = time_ns;
  worst_ = std::max(worst_, s.state);
  if (!s.reason.empty()) trouble_ = s.reason;
  if (trouble_.empty()) trouble_ = s.warning();
  flows_ += static_cast<double>(s.flows_active);
  delays_ns_.push_back(s.state == State::kOff ? 0 : 1e9 * queue_wait_s(s).value_or(0));
}

// Counters start at zero with an attachment.
void Minute::take(const Snapshot& s) {
  if (is_empty() || s.attachment.since_ns != first_.attachment.since_ns) {
    first_ = s;
    drops_ = 0;
  } else {
    drops_ += pst_sub_floor(s.drops, last_.drops);
  }
  last_ = s;
}

Summary Minute::summary() const {
  Summary sum;
  sum.state = worst_;
  sum.trouble = trouble_;
  sum.seconds = static_cast<double>(end_ns_ - begin_ns_) / 1e9;
  if (is_empty() || worst_ == State::kOff) return sum;
  const auto grown = [this](int id) { return last_.count(id) - first_.count(id); };
  const auto ratio = [](std::uint64_t part, std::uint64_t whole, double none) {
    return whole ? static_cast<double>(part) / static_cast<double>(whole) : none;
  };
  const gw_config& config = last_.attachment.config;
  const bool has_rate = !lacks_rate(last_);
  sum.modelled = config.queue_source == GW_QUEUE_VIRTUAL;
  if (has_rate) sum.rate_bps = 8 * static_cast<double>(last_.rate_bytes_per_s());
  const std::uint64_t sent = grown(GW_COUNT_forward_bytes);
  if (sum.seconds > 0) sum.sent_bps = 8 * static_cast<double>(sent) / sum.seconds;
  sum.controlled_ratio = ratio(grown(GW_COUNT_forward_controlled_bytes), sent, 1);
  sum.delay_mean_ns = mean(delays_ns_);
  sum.delay_95_ns = tail(delays_ns_);
  sum.delay_most_ns = *std::ranges::max_element(delays_ns_);
  if (const auto target = target_of(config, last_.shared.port.state); target && has_rate)
    sum.target_ns = static_cast<double>(target_ns_at(*target, last_.rate_bytes_per_s()));
  sum.flows_mean = flows_ / static_cast<double>(delays_ns_.size());
  sum.flows_opened = grown(GW_COUNT_flows_opened);
  sum.drops = drops_;
  sum.retransmitted_ratio =
      ratio(grown(GW_COUNT_retransmitted_bytes), grown(GW_COUNT_data_bytes), 0);
  sum.acks_seen = grown(GW_COUNT_acks_seen);
  sum.acks_rewritten = grown(GW_COUNT_acks_rewritten);
  return sum;
}

Line Minute::line() const {
  const Summary sum = summary();
  Line j = {{"kind", "minute"}, {"time_ns", end_ns_}, {"begin_ns", begin_ns_}};
  j["state"] = state_name(sum.state);
  if (sum.state != State::kOff) {
    const gw_config& config = last_.attachment.config;
    const auto whole = [](double value) { return static_cast<std::uint64_t>(value); };
    j["method"] = pst_variant_rows[config.variant].name;
    j["observe"] = config.gateway.observe;
    j["rate_bps"] = whole(sum.rate_bps);
    j["sent_bps"] = whole(sum.sent_bps);
    j["controlled_ratio"] = sum.controlled_ratio;
    j["delay_mean_ns"] = whole(sum.delay_mean_ns);
    j["delay_95_ns"] = whole(sum.delay_95_ns);
    j["delay_most_ns"] = whole(sum.delay_most_ns);
    if (sum.target_ns > 0) j["target_ns"] = whole(sum.target_ns);
    j["queue_drops"] = sum.drops;
    j["retransmitted_ratio"] = sum.retransmitted_ratio;
    j["flows_mean"] = sum.flows_mean;
    j["flows_opened"] = sum.flows_opened;
    j["acks_seen"] = sum.acks_seen;
    j["acks_rewritten"] = sum.acks_rewritten;
    Line& by = j["acks_by"] = Line::object();
    for (std::uint32_t i = 0; i < PST_LIMIT_COUNT; ++i) {
      const int id = GW_BY_LIMIT + static_cast<int>(i);
      by[limit_name(i)] = last_.count(id) - first_.count(id);
    }
  }
  j["reason"] = reason_of(sum);
  return j;
}

}  // namespace penstock::gw

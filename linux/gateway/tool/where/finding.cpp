// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/where/finding.h"

#include <array>
#include <cstdio>

#include "linux/common/quantity.h"
#include "linux/common/shell.h"
#include "linux/gateway/tool/settings/down.h"

namespace penstock::gw {

using nlohmann::ordered_json;

namespace {

// Who begins to watch a full queue sees only how it varies: a mean and peaks like these.
constexpr double kStandsS = 0.003;
constexpr double kPeaksS = 0.008;
constexpr std::size_t kFew = 1;

std::string ms(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), seconds < 0.01 ? "%.1f ms" : "%.0f ms", 1e3 * seconds);
  return text.data();
}

std::string data_name(Way way) { return way == kDown ? "Downloads" : "Uploads"; }

std::string attach_text(const std::string& device, Way way) {
  return "penstock-gw attach " + shell_word(device) +
         (way == kDown ? " --down" : " --rate auto --source passive");
}

Whereabouts unknown(const Passed& passed, Way way, const std::string& device) {
  const std::string verb = way == kDown ? " came in by " : " left by ";
  const std::string kind = way == kDown ? "download" : "upload";
  if (passed.flows && passed.unstamped == passed.flows)
    return {
        Queue::kUnknown, "",
        "The data that" + verb + device +
            " carries no timestamps (RFC 7323), so what it waited is not known: turn them on at "
            "the hosts, or attach with a --rate."};
  if (passed.flows)
    return {
        Queue::kUnknown, "",
        "Too little" + verb + device + " to go by: start a large " + kind + ", and look again."};
  return {Queue::kUnknown, "",
          "No TCP data" + verb + device + " in bulk, so the line was not full: start a large " +
              kind + ", and look again."};
}

Whereabouts none(const Passed& passed, Way way, const Beside& beside) {
  const Wait& longest = passed.waits[kDataBefore].mean_s > passed.waits[kDataBehind].mean_s
                            ? passed.waits[kDataBefore]
                            : passed.waits[kDataBehind];
  if (beside.live[way])
    return {Queue::kNone, "",
            "No queue stands in the way of " + std::string(way == kDown ? "downloads" : "uploads") +
                " (" + ms(longest.mean_s) + "), where " +
                attachment_name(beside.device, way == kDown) + " is live."};
  return {Queue::kNone, "",
          data_name(way) + " wait nowhere (" + ms(longest.mean_s) +
              "): the line is not full, and there is nothing to hold."};
}

Whereabouts before(const Passed& passed, Way way, const Beside& beside) {
  const Wait& wait = passed.waits[kDataBefore];
  const std::string& device = beside.device;
  if (way == kUp)
    return {Queue::kBefore, "",
            "Uploads wait " + ms(wait.mean_s) + " or more before " + device +
                " passes them on, in the LAN, its Wi-Fi or their host: nothing at " + device +
                " holds that."};
  const std::string text = "Downloads wait " + ms(wait.mean_s) + " or more before " + device +
                           ", at the provider's side";
  if (beside.live[way])
    return {Queue::kBefore, "",
            text + ", although " + device + ".down is live: see penstock-gw status " +
                shell_word(device) + " --down."};
  const bool one = wait.flows <= kFew;
  return {one ? Queue::kOfOneFlow : Queue::kBefore, attach_text(device, way),
          text + ": " + attach_text(device, way) + " holds them." +
              (one ? " One flow alone says so, whose server may be the cause." : "")};
}

Whereabouts behind(const Passed& passed, Way way, const Beside& beside) {
  const Wait& wait = passed.waits[kDataBehind];
  const std::string& device = beside.device;
  if (way == kDown)
    return {Queue::kBehind, "",
            "Downloads wait " + ms(wait.mean_s) + " or more behind " + device +
                ", in the LAN or its Wi-Fi: nothing at " + device +
                " holds that; look at the device towards the clients."};
  const std::string text =
      "Uploads wait " + ms(wait.mean_s) + " or more behind " + device + ", in the modem or beyond";
  if (beside.live[way])
    return {Queue::kBehind, "",
            text + ", although " + device + " is live: see penstock-gw status " +
                shell_word(device) + "."};
  return {Queue::kBehind, attach_text(device, way),
          text + ": " + attach_text(device, way) + " holds them."};
}

Whereabouts here(const Beside& beside) {
  const std::string text = "Uploads wait " + ms(beside.here_s) + " in " + beside.device +
                           " itself (" + beside.root_kind + ")";
  if (beside.live[kUp])
    return {
        Queue::kHere, "",
        text + ", although it is live: see penstock-gw status " + shell_word(beside.device) + "."};
  const std::string attach = "penstock-gw attach " + shell_word(beside.device) +
                             " --rate auto --queue existing --buffer SIZE";
  return {Queue::kHere, attach,
          text + ": " + attach + " holds them, with the limit of that queue."};
}

}  // namespace

bool stands(const Wait& wait, bool live) {
  return live ? wait.mean_s >= kHeldS : wait.mean_s >= kStandsS && wait.p99_s >= kPeaksS;
}

Whereabouts whereabouts(const Passed& passed, Way way, const Beside& beside) {
  const Wait& a = passed.waits[kDataBefore];
  const Wait& b = passed.waits[kDataBehind];
  if (way == kUp && beside.here_s >= kHeldS) return here(beside);
  if (!a.is_known() && !b.is_known()) return unknown(passed, way, beside.device);
  if (!stands(a, beside.live[way]) && !stands(b, false)) return none(passed, way, beside);
  return a.mean_s > b.mean_s ? before(passed, way, beside) : behind(passed, way, beside);
}

const char* queue_name(Queue queue) {
  constexpr const char* kNames[] = {"unknown", "none", "here", "before", "behind", "one_flow"};
  return kNames[static_cast<int>(queue)];
}

const char* way_name(Way way) { return way == kDown ? "down" : "up"; }

const char* half_key(Half half) {
  constexpr const char* kNames[] = {"data_before", "data_behind", "acks_before", "acks_behind"};
  return kNames[half];
}

std::string place_text(Way way, Half half, const std::string& device) {
  const bool outside = (way == kDown) == (half == kDataBefore || half == kAcksBehind);
  const bool is_before = half == kDataBefore || half == kAcksBefore;
  const std::string what = half == kDataBefore || half == kDataBehind ? "data" : "ACKs";
  const std::string side =
      outside ? (is_before ? "at the provider's side" : "in the modem or beyond") : "in the LAN";
  return what + (is_before ? " before " : " behind ") + device + ", " + side;
}

ordered_json wait_json(const Wait& wait) {
  if (!wait.is_known()) return nullptr;
  return {{"mean_s", wait.mean_s},
          {"p99_s", wait.p99_s},
          {"seconds", wait.seconds},
          {"flows", wait.flows}};
}

std::string wait_text(const Wait& wait) {
  if (!wait.is_known()) return "not seen";
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%6.1f %8.1f %8.1f %6zu", 1e3 * wait.mean_s,
                1e3 * wait.p99_s, wait.seconds, wait.flows);
  return text.data();
}

ordered_json passed_json(const Passed& passed) {
  ordered_json j{{"flows", passed.flows},
                 {"unstamped_flows", passed.unstamped},
                 {"rate_bps", passed.rate_bps},
                 {"goodput_bps", passed.goodput_bps}};
  j["line_bps"] = passed.line_bps ? ordered_json(*passed.line_bps) : ordered_json();
  ordered_json& waits = j["waits"];
  for (std::size_t half = 0; half < kHalves; ++half)
    waits[half_key(static_cast<Half>(half))] = wait_json(passed.waits[half]);
  return j;
}

}  // namespace penstock::gw

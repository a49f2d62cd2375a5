// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/down.h"

#include "linux/gateway/tool/settings/passive.h"
#include "linux/gateway/tool/settings/words.h"

namespace penstock::gw {

bool is_upstream(const Settings& s) { return s.rate.value_or("auto") == "auto"; }

void require_down(const Settings& s) {
  const std::string source = s.source.value_or("auto");
  if (!s.acks.value_or("").empty())
    refuse("acks", "with --down the ACKs leave by the device itself: leave --acks out");
  if (s.queue.value_or("existing") != "existing")
    refuse("queue",
           "with --down nothing waits in this machine, so there is no queue to install: leave "
           "--queue out");
  if (s.traffic_class)
    refuse("class", "is one of what leaves, and --down holds what comes in: leave --class out");
  if (is_upstream(s) ? source != "auto" && source != "upstream"
                     : source != "auto" && source != "virtual")
    refuse("source", is_upstream(s)
                         ? "--down without a rate measures the queue before the device: leave "
                           "--source " +
                               source + " out"
                         : "--down with a rate has a virtual queue: leave --source " + source +
                               " out, or --rate to measure the queue before the device");
  if (s.beyond.value_or("none") != "none")
    refuse("beyond", *s.beyond + " is for a queue of this machine: leave it out with --down");
}

void set_upstream_rate(const Settings& s, gw_config& c) {
  if (s.overhead)
    refuse("overhead", "is that of a given rate, and --down without one measures it: leave it out");
  if (s.scone.value_or("off") != "off")
    refuse("scone",
           "advises a share of a rate, which --down may not know: give one, or leave it off");
  assume_elsewhere(c);
}

void refuse_upstream() {
  refuse("source",
         "upstream measures the queue of what comes in: attach with --down, which needs no rate");
}

}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
// Prometheus text: to stdout, to a file for node_exporter, or on a loopback port.
#pragma once

#include <optional>
#include <string>

#include "linux/gateway/tool/view/outcome.h"
#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

std::string metrics_text(const Snapshot& s, const std::optional<Outcome>& outcome = {});

// Writes to a temporary file and renames it, so that readers never see a partial file.
void write_metrics(const std::string& text, const std::string& path);

// What a second of traffic says; nothing, and at once, without traffic.
std::optional<Outcome> watch_outcome(const Snapshot& s);

// Answers HTTP requests on 127.0.0.1:`port` until a signal.
int serve_metrics(const std::string& device, int port);

}  // namespace penstock::gw

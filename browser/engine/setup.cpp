// SPDX-License-Identifier: GPL-2.0-only
#include "browser/engine/setup.h"

#include <charconv>
#include <stdexcept>

#include "sim/setup/config.h"

namespace penstock::browser {

namespace {

using setup::Settings;
using setup::Value;

setup::Value value_of(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return std::string(text);
}

// What stands before `end`, which both are taken off `text`.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

class Line {
 public:
  explicit Line(std::string_view text) : kind_(take_until(text, ' ')) {
    while (!text.empty()) {
      std::string_view word = take_until(text, ' ');
      const std::string_view key = take_until(word, '=');
      fields_.emplace_back(std::string(key), value_of(word));
    }
  }

  const std::string& kind() const { return kind_; }

  std::string text(std::string_view key) const { return setup::text(find(key)); }

  std::uint64_t number(std::string_view key) const {
    const std::uint64_t* number = std::get_if<std::uint64_t>(&find(key));
    if (!number) throw std::invalid_argument(std::string(key) + " is not a number");
    return *number;
  }
  std::uint32_t index(std::string_view key) const {
    return static_cast<std::uint32_t>(number(key));
  }

  // The fields whose names begin with `prefix`, without it; those with a further dot belong to
  // a part of their own.
  Settings part(std::string_view prefix) const {
    Settings found;
    for (const auto& [key, value] : fields_)
      if (key.compare(0, prefix.size(), prefix) == 0 &&
          key.find('.', prefix.size()) == std::string::npos)
        found.emplace_back(key.substr(prefix.size()), value);
    return found;
  }

 private:
  const Value& find(std::string_view key) const {
    for (const auto& [name, value] : fields_)
      if (name == key) return value;
    throw std::invalid_argument(kind_ + " has no " + std::string(key));
  }

  std::string kind_;
  Settings fields_;
};

void add_link(net::Network& network, const Line& line) {
  net::LinkSpec spec = setup::link_spec(line.part(""));
  // Without them it would begin or end at node 0.
  spec.src = line.index("src");
  spec.dst = line.index("dst");
  network.link(spec);
}

void add_gateway(net::Network& network, const Line& line) {
  const std::uint32_t link = line.index("link");
  const net::Plan& plan = network.plan();
  const net::QueueLimits& limits = plan.limits.at(plan.queue_link(link));
  const std::uint64_t bytes = pst_queue_limit_bytes(limits.bytes, limits.packets,
                                                    net::usual_mss_bytes(plan.links.at(link)));
  const setup::GatewayNames names{
      line.text("discipline"), line.text("law"),    line.text("signal"), line.text("mode"),
      line.text("share_by"),   line.text("beyond"), line.text("rate")};
  network.gateway(link, setup::gateway_config(names, line.part("params."), bytes));
}

void add_tcp(net::Network& network, const Line& line) {
  net::TcpSpec spec;
  spec.src = line.index("src");
  spec.dst = line.index("dst");
  spec.start_ns = line.number("start_ns");
  spec.size_bytes = line.number("size_bytes");
  spec.sender = setup::sender_config(line.part("sender."), line.part("sender.params."));
  spec.receiver = setup::receiver_config(line.part("receiver."));
  network.tcp(spec);
}

void add(net::Network& network, const Line& line) {
  if (line.kind() == "node") {
    network.node(line.text("name"));
  } else if (line.kind() == "link") {
    add_link(network, line);
  } else if (line.kind() == "gateway") {
    add_gateway(network, line);
  } else if (line.kind() == "tcp") {
    add_tcp(network, line);
  } else if (line.kind() == "sample") {
    network.sample({line.number("interval_ns"), {line.index("link")}, {line.index("flow")}});
  } else {
    throw std::invalid_argument("a line cannot begin with '" + line.kind() + "'");
  }
}

}  // namespace

std::unique_ptr<net::Network> read_network(std::string_view text) {
  auto network = std::make_unique<net::Network>(Line(take_until(text, '\n')).number("seed"));
  while (!text.empty()) add(*network, Line(take_until(text, '\n')));
  return network;
}

}  // namespace penstock::browser

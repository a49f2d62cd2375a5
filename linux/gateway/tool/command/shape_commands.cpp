// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/command/groups.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "linux/common/clock.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/attach/routes.h"
#include "linux/gateway/tool/command/commands.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/shapes/file.h"
#include "linux/gateway/tool/shapes/table.h"
#include "linux/gateway/tool/view/report.h"

namespace penstock::gw {

namespace {

using nlohmann::ordered_json;

std::vector<ShapeText> texts_to_add(const ShapeOptions& given) {
  const ShapeText& one = given.text;
  const bool own = !one.name.empty() || one.rate || one.buffer || one.target ||
                   !one.prefixes.empty() || !one.cgroups.empty() || one.mark || one.traffic_class;
  if (given.file.empty() && given.text.name.empty())
    throw Error(kUsage,
                "shape add: give a NAME with --rate and --prefix, --mark, --class or --cgroup, or "
                "a --file");
  if (!given.file.empty() && own)
    throw Error(kUsage, "shape add: a NAME with its options, or a --file, not both");
  if (given.file.empty()) return {given.text};
  return read_shapes(given.file, given.direction == "up" ? Direction::kUp : Direction::kDown);
}

// `shape add NAME --down RATE` is of what comes in by the default route's device.
ShapeOptions with_down(const Options& o, std::string& device) {
  ShapeOptions given = o.shape;
  device = o.device;
  if (!given.down) return given;
  if (given.text.rate) throw Error(kUsage, "shape add: --down is the rate: leave --rate out");
  if (given.text.name.empty() && given.file.empty()) {
    given.text.name = device;
    device = default_device();
  }
  given.text.rate = given.down;
  device = is_down_name(device) ? device : down_name(device);
  return given;
}

int run_shape_add(const Options& o) {
  std::string name;
  const std::vector<ShapeText> texts = texts_to_add(with_down(o, name));
  const Descriptor turn = take_turn();
  const Device device = find_device(name);
  ShapeTable table(device);
  std::vector<Shape> shapes;
  for (const ShapeText& text : texts)
    shapes.push_back(shape_of(text, table.attachment(), device.ethernet));
  table.add(shapes, o.shape.replace);
  if (!o.shape.file.empty())
    std::printf("%s: %zu shapes from %s\n", name.c_str(), shapes.size(), o.shape.file.c_str());
  return kOk;
}

int run_shape_remove(const Options& o) {
  if (o.all == !o.shape.names.empty())
    throw Error(kUsage, "shape remove: name one or more shapes, or --all");
  const Descriptor turn = take_turn();
  ShapeTable table(find_device(o.device));
  std::vector<std::string> names = o.shape.names;
  if (o.all)
    for (const auto& [id, shape] : table.all()) names.push_back(shape.name());
  table.remove(names);
  return kOk;
}

std::uint64_t flows_of(gw_shape value, std::uint64_t now_ns) {
  pst_flow_count& count = value.shared.port.state.count;
  if (!count.interval_ns) return 0;  // no packet has come yet
  const std::uint64_t flows = pst_flow_count_get(&count, now_ns);
  return count.running || count.last ? flows : 0;
}

ordered_json json_of(std::uint32_t id, const Shape& shape, std::uint64_t now_ns) {
  const gw_shape& v = shape.value;
  const gw_shape_counts& n = v.shared.counts;
  return {{"id", id},
          {"name", shape.name()},
          {"background", v.background != 0},
          {"rate_bps", 8 * (v.background ? v.shared.link.line_bytes_per_s : v.line_bytes_per_s)},
          {"buffer_bytes", v.limit_bytes},
          {"target_ns", v.target_ns},
          {"selectors", shape.selectors.texts()},
          {"queue_bytes", queue_bytes_of(v, now_ns)},
          {"flows_active", flows_of(v, now_ns)},
          {"packets", n.packets},
          {"bytes", n.bytes},
          {"drops", n.drops},
          {"acks", n.acks},
          {"acks_rewritten", n.rewritten}};
}

constexpr std::size_t kNameWidth = 18, kSelectorWidth = 17;

std::string shortened(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

void print_line(const ordered_json& j) {
  const auto& selectors = j["selectors"];
  std::string whose = j["background"].get<bool>() ? "idle, " : "";
  whose += selectors.empty() ? "nobody's" : selectors[0].get<std::string>();
  const std::string more = selectors.size() > 1 ? " +" + std::to_string(selectors.size() - 1) : "";
  whose = shortened(whose, kSelectorWidth - more.size()) + more;
  std::printf("%-18s %11s %8s %5llu %9s %6llu %s\n",
              shortened(j["name"].get<std::string>(), kNameWidth).c_str(),
              round_rate(j["rate_bps"].get<std::uint64_t>()).c_str(),
              round_size(j["queue_bytes"].get<std::uint64_t>()).c_str(),
              static_cast<unsigned long long>(j["flows_active"].get<std::uint64_t>()),
              round_size(j["bytes"].get<std::uint64_t>()).c_str(),
              static_cast<unsigned long long>(j["drops"].get<std::uint64_t>()), whose.c_str());
}

int run_shape_list(const Options& o) {
  const ShapeTable table(find_device(o.device));
  const std::uint64_t now_ns = clock_ns();  // as bpf_ktime_get_ns()
  ordered_json all = ordered_json::array();
  for (const auto& [id, shape] : table.all()) all.push_back(json_of(id, shape, now_ns));
  if (o.json) {
    print_json({{"schema_version", kSchemaVersion},
                {"device", o.device},
                {"room", table.attachment().config.max_shapes},
                {"shapes", all}});
    return kOk;
  }
  if (all.empty()) std::printf("%s: no shapes\n", o.device.c_str());
  if (!all.empty())
    std::printf("%-18s %11s %8s %5s %9s %6s %s\n", "name", "rate", "queue", "flows", "sent",
                "drops", "of");
  for (const ordered_json& one : all) print_line(one);
  return kOk;
}

CLI::App* add(CLI::App* shape, Options& o, const char* name, const char* help,
              int (*run)(const Options&)) {
  CLI::App* command = shape->add_subcommand(name, help);
  command->add_option("device", o.device, "device that is attached with --shapes")->required();
  command->callback([&o, run] { o.run = run; });
  return command;
}

}  // namespace

void add_shapes(CLI::App& app, Options& o) {
  CLI::App* shape = app.add_subcommand("shape", "subscribers' queues on an attached device");
  shape->require_subcommand(1);
  CLI::App* more = add(shape, o, "add", "give packets a queue of their own", run_shape_add);
  ShapeOptions& given = o.shape;
  ShapeText& text = given.text;
  more->add_option("name", text.name, "of the shape, such as the subscriber's");
  more->add_option("--rate", text.rate, "such as 50mbit");
  more->add_option("--buffer", text.buffer, "what may wait; default 50 ms at the rate");
  more->add_option("--target", text.target, "queue to aim at, such as 5ms");
  more->add_option("--prefix", text.prefixes,
                   "of the subscriber's addresses, such as 100.64.0.7 or 2001:db8:7::/56; may be "
                   "repeated");
  more->add_option("--mark", text.mark, "that the subscriber's packets carry");
  more->add_option("--class", text.traffic_class, "that their priority names, such as 1:10");
  more->add_option("--cgroup", text.cgroups,
                   "of this machine's programs, such as system.slice/ssh.service; may be repeated");
  more->add_option(
      "--down", given.down,
      "the rate of what comes in, such as 20mbit, or idle for what others leave, by the "
      "default route's device, or of DEVICE NAME");
  more->add_option("--file", given.file, "many: a CSV file, also LibreQoS's ShapedDevices.csv");
  more->add_option("--direction", given.direction, "of LibreQoS's rates: down (default), or up")
      ->check(CLI::IsMember({"down", "up"}));
  more->add_flag("--replace", given.replace, "change those that are there already");
  CLI::App* less = add(shape, o, "remove", "take shapes away", run_shape_remove);
  less->add_option("name", given.names, "of each shape");
  less->add_flag("--all", o.all, "all shapes of the device");
  add(shape, o, "list", "the shapes, their queues and counters", run_shape_list);
}

}  // namespace penstock::gw

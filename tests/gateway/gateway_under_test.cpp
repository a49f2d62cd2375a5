// SPDX-License-Identifier: GPL-2.0-only
#include "tests/gateway/gateway_under_test.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "core/packet/bytes.h"
#include "linux/common/clock.h"
#include "linux/gateway/tool/settings/prefix.h"

namespace penstock::test {

namespace {

constexpr std::uint32_t kOnly = 0;
constexpr std::uint32_t kDrop = 2;  // TC_ACT_SHOT
constexpr std::size_t kNowWord = offsetof(gw_config, now_ns) / sizeof(std::uint64_t);
constexpr std::uint64_t kBegunNs = 10'000 * PST_NS_PER_S;

bool kernel_time = false;

}  // namespace

void keep_kernel_time() { kernel_time = true; }

std::string why_not() {
  if (geteuid() != 0) return "BPF programs need root";
  if (libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_SCHED_CLS, nullptr) != 1)
    return "the kernel takes no BPF program here";
  return "";
}

gw_key key_of(const Ends& e) {
  gw_key k{};
  const auto put = [&](std::uint32_t* words, bool sender) {
    const Bytes bytes = address(e, sender);
    std::array<std::uint8_t, 16> whole{};
    if (!e.ipv6) whole[10] = whole[11] = 0xff;
    for (std::size_t i = 0; i < bytes.size(); ++i) whole[16 - bytes.size() + i] = bytes[i];
    std::memcpy(words, whole.data(), 16);
  };
  put(k.sender, true);
  put(k.receiver, false);
  k.sender_port = PST_BE16(e.sender_port);
  k.receiver_port = PST_BE16(e.receiver_port);
  k.ipv6 = e.ipv6;
  return k;
}

gw::Settings slow_link(const std::string& method) {
  gw::Settings s;
  s.rate = "8kbit";
  s.buffer = "97kB";
  s.method = method;
  if (method != "fair") s.fair = "off";
  return s;
}

GatewayUnderTest::GatewayUnderTest(const std::string& method, const std::string& mode, bool observe,
                                   bool ethernet, const std::map<std::string, std::string>& params,
                                   std::uint32_t flows, std::uint32_t queue_source,
                                   const std::optional<std::string>& fair, std::uint32_t shapes) {
  gw::Settings s = slow_link(method);
  if (method != "fair") s.fair = fair;
  s.mode = mode;
  s.observe = observe;
  s.params = params;
  config_ = gw::plan_of(s).config;
  config_.queue_source = queue_source;
  config_.ethernet = ethernet;
  config_.max_shapes = shapes;
  load(flows);
}

GatewayUnderTest::GatewayUnderTest(const gw::Settings& settings, bool bypass_scalable,
                                   std::uint64_t flow_interval_ns, gw::Below below)
    : config_(gw::plan_of(settings, below).config) {
  config_.gateway.flow_interval_ns = flow_interval_ns;
  if (config_.gateway.upstream)
    config_.queue_source = GW_QUEUE_UPSTREAM;
  else if (config_.gateway.passive)
    config_.queue_source = GW_QUEUE_PASSIVE;
  else
    config_.queue_source = settings.source == "kernel" ? GW_QUEUE_KERNEL : GW_QUEUE_VIRTUAL;
  if (settings.queue == "existing") config_.measures = pst_gateway_measures(&config_.gateway);
  config_.ethernet = true;
  config_.bypass_scalable = bypass_scalable;
  load(settings.flows ? 0 : kTestFlows);
}

void GatewayUnderTest::load(std::uint32_t flows) {
  if (flows) {
    config_.idle_ns = kTestIdleNs;
    config_.max_flows = flows;
  }
  config_.time_is_set = !kernel_time;
  config_.now_ns = kBegunNs;
  program_ = borrow_program(config_);
  settings_.emplace(program_->map_fd(".data.gateway"), sizeof(gw_config));
  if (!*settings_) throw std::runtime_error(std::string("settings: ") + std::strerror(errno));
}

std::uint64_t GatewayUnderTest::now_ns() const {
  return config_.time_is_set ? std::atomic_ref(settings_->words()[kNowWord]).load() : clock_ns();
}

void GatewayUnderTest::pass_time(std::uint64_t ns) {
  std::atomic_ref(settings_->words()[kNowWord]) += ns;
}

Bytes GatewayUnderTest::run(const char* program, const Bytes& packet, std::uint32_t gso_size,
                            std::uint32_t payload_bytes, std::optional<std::uint32_t> gso_segs) {
  pass_time(kPacketNs);
  Bytes out(packet.size() + 64);
  __sk_buff context{};
  context.gso_size = gso_size;
  context.mark = mark_;
  if (gso_size) {
    // As the kernel counts them: each segment with the headers of the first.
    const auto headers = static_cast<std::uint32_t>(packet.size()) - payload_bytes;
    const std::uint32_t counted = (payload_bytes + gso_size - 1) / gso_size;
    const std::uint32_t segments = std::max(gso_segs.value_or(0), counted);
    context.gso_segs = gso_segs.value_or(counted);
    context.wire_len = static_cast<std::uint32_t>(packet.size()) + (segments - 1) * headers;
  }
  bpf_test_run_opts o{};
  o.sz = sizeof(o);
  o.data_in = packet.data();
  o.data_size_in = static_cast<std::uint32_t>(packet.size());
  o.data_out = out.data();
  o.data_size_out = static_cast<std::uint32_t>(out.size());
  o.ctx_in = &context;
  o.ctx_size_in = sizeof(context);
  o.ctx_out = &context;
  o.ctx_size_out = sizeof(context);
  if (bpf_prog_test_run_opts(fd(program), &o))
    throw std::runtime_error(std::string("test run: ") + std::strerror(errno));
  release_ns_ = context.tstamp;
  if (o.retval == kDrop) return {};
  EXPECT_EQ(o.retval, static_cast<std::uint32_t>(-1)) << "others' filters must see the packet";
  out.resize(o.data_size_out);
  return out;
}

Bytes GatewayUnderTest::forward(const Bytes& packet, std::uint32_t gso_size,
                                std::uint32_t payload_bytes,
                                std::optional<std::uint32_t> gso_segs) {
  return run("penstock_forward", packet, gso_size, payload_bytes, gso_segs);
}
Bytes GatewayUnderTest::reverse(const Bytes& packet) {
  return run("penstock_reverse", packet, 0, 0, {});
}

void GatewayUnderTest::handshake(const Ends& e, int sender_scale, int receiver_scale,
                                 std::uint16_t mss, bool receiver_opens) {
  const Bytes s = packet(e, {.from_sender = true,
                             .seq = 999,
                             .ack = receiver_opens ? 5000U : 0U,
                             .flags = receiver_opens ? std::uint8_t{0x12} : std::uint8_t{0x02},
                             .window = 64240,
                             .options = mss_and_scale(mss, sender_scale)});
  const Bytes r = packet(e, {.from_sender = false,
                             .seq = 4999,
                             .ack = receiver_opens ? 0U : 1000U,
                             .flags = receiver_opens ? std::uint8_t{0x02} : std::uint8_t{0x12},
                             .window = 65535,
                             .options = mss_and_scale(mss, receiver_scale)});
  if (receiver_opens) {
    EXPECT_EQ(reverse(r), r) << "a SYN passes untouched (R6)";
    EXPECT_EQ(forward(s), s);
    reverse(packet(e, {.from_sender = false, .seq = 5000, .ack = 1000, .window = 512}));
  } else {
    EXPECT_EQ(forward(s), s);
    const Bytes answer = reverse(r);
    if (!pst_law_is(config_.gateway.law, PST_TRAIT_OPENS)) {
      EXPECT_EQ(answer, r) << "a SYN-ACK passes untouched (R6)";
    }
    forward(packet(e, {.seq = 1000, .ack = 5000, .window = 502}));
  }
}

Seen GatewayUnderTest::ack(const Ends& e, std::uint32_t number, std::uint16_t window,
                           std::uint8_t flags) {
  const Tcp t{.from_sender = false, .seq = 5000, .ack = number, .flags = flags, .window = window};
  return look(e, t, reverse(packet(e, t)));
}

void GatewayUnderTest::data(const Ends& e, std::uint32_t seq, std::uint16_t bytes) {
  forward(packet(e, {.seq = seq, .ack = 5000, .window = 502, .payload_bytes = bytes}));
}

void GatewayUnderTest::fill_queue(std::uint64_t bytes) {
  gw_shared g = shared();
  g.drained_q4 = (now_ns() + bytes * PST_NS_PER_S / config_.rate_bytes_per_s) << 4;
  set_shared(g);
}

void GatewayUnderTest::sweep() {
  std::array<unsigned char, 64> packet{};
  bpf_test_run_opts o{};
  o.sz = sizeof(o);
  o.data_in = packet.data();
  o.data_size_in = packet.size();
  if (bpf_prog_test_run_opts(fd("penstock_sweep"), &o))
    throw std::runtime_error(std::string("sweep: ") + std::strerror(errno));
}

void GatewayUnderTest::age(const Ends& e, std::uint64_t quiet_ns) {
  gw_flow f = flow(e);
  f.seen_ns = now_ns() - quiet_ns;
  set_flow(e, f);
}

void GatewayUnderTest::age_contenders(const Ends& e, std::uint64_t quiet_ns,
                                      std::uint64_t half_open_ns) {
  gw_key k = key_of(e);
  gw_half_open h = half_open(e);
  h.handshake.opener.at_ns = now_ns() - half_open_ns;
  bpf_map_update_elem(program_->map_fd("half_open"), &k, &h, BPF_ANY);
  for (k.contender = 1; k.contender < PST_CONTENDERS; ++k.contender) {
    gw_flow f{};
    if (bpf_map_lookup_elem(program_->map_fd("flows"), &k, &f)) continue;
    f.seen_ns = now_ns() - quiet_ns;
    bpf_map_update_elem(program_->map_fd("flows"), &k, &f, BPF_ANY);
  }
}

std::size_t GatewayUnderTest::known() const {
  std::size_t count = 0;
  gw_key key{}, next{};
  for (const gw_key* last = nullptr; !bpf_map_get_next_key(program_->map_fd("flows"), last, &next);
       last = &key) {
    key = next;
    ++count;
  }
  return count;
}

std::uint64_t GatewayUnderTest::waiting() const {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < GW_HALF_OPEN_SLOTS; ++i) {
    gw_slot slot{};
    bpf_map_lookup_elem(program_->map_fd("half_open_slots"), &i, &slot);
    sum += slot.waiting;
  }
  return sum;
}

void GatewayUnderTest::set_flow(const Ends& e, const gw_flow& f) {
  const gw_key k = key_of(e);
  bpf_map_update_elem(program_->map_fd("flows"), &k, &f, BPF_ANY);
}

gw_shared GatewayUnderTest::shared() const {
  gw_shared g{};
  bpf_map_lookup_elem(program_->map_fd("shared"), &kOnly, &g);
  return g;
}

gw_ack_wait GatewayUnderTest::ack_wait(bool down) const {
  const std::uint32_t direction = down;
  gw_ack_wait wait{};
  bpf_map_lookup_elem(program_->map_fd("ack_waits"), &direction, &wait);
  return wait;
}

void GatewayUnderTest::set_ack_wait(bool down, const gw_ack_wait& wait) {
  const std::uint32_t direction = down;
  bpf_map_update_elem(program_->map_fd("ack_waits"), &direction, &wait, BPF_ANY);
}

std::uint64_t GatewayUnderTest::other_bytes() const {
  const pst_flow_count c = shared().port.state.count;
  return c.other_bytes_running + c.other_bytes_last;
}

void GatewayUnderTest::set_shared(const gw_shared& g) {
  bpf_map_update_elem(program_->map_fd("shared"), &kOnly, &g, BPF_ANY);
}

std::uint64_t GatewayUnderTest::count(int id) const {
  std::vector<gw_counts> per_cpu(static_cast<std::size_t>(libbpf_num_possible_cpus()));
  bpf_map_lookup_elem(program_->map_fd("counters"), &kOnly, per_cpu.data());
  std::uint64_t sum = 0;
  for (const gw_counts& c : per_cpu) sum += c.value[id];
  return sum;
}

bool GatewayUnderTest::knows(const Ends& e) const {
  const gw_key k = key_of(e);
  gw_flow f{};
  return bpf_map_lookup_elem(program_->map_fd("flows"), &k, &f) == 0;
}

gw_flow GatewayUnderTest::flow(const Ends& e) const {
  const gw_key k = key_of(e);
  gw_flow f{};
  if (bpf_map_lookup_elem(program_->map_fd("flows"), &k, &f))
    throw std::runtime_error("the flow is not known");
  return f;
}

std::optional<pst_return> GatewayUnderTest::returned(const Ends& e) const {
  const gw_key k = key_of(e);
  pst_return r{};
  if (bpf_map_lookup_elem(program_->map_fd("returns"), &k, &r)) return {};
  return r;
}

std::vector<std::pair<gw_held_key, gw_held>> GatewayUnderTest::held() const {
  std::vector<std::pair<gw_held_key, gw_held>> all;
  const int fd = program_->map_fd("held");
  gw_held_key key{}, next{};
  for (const gw_held_key* last = nullptr; !bpf_map_get_next_key(fd, last, &next); last = &key) {
    key = next;
    gw_held held{};
    if (!bpf_map_lookup_elem(fd, &key, &held)) all.emplace_back(key, held);
  }
  return all;
}

pst_spared GatewayUnderTest::spared(std::uint32_t rule) const {
  std::vector<pst_spared> per_cpu(static_cast<std::size_t>(libbpf_num_possible_cpus()));
  if (bpf_map_lookup_elem(program_->map_fd("spared"), &rule, per_cpu.data()))
    throw std::runtime_error("no such rule");
  pst_spared sum{};
  for (const pst_spared& one : per_cpu) {
    sum.packets += one.packets;
    sum.bytes += one.bytes;
    sum.beyond_packets += one.beyond_packets;
  }
  return sum;
}

std::size_t GatewayUnderTest::spared_flows() const {
  std::size_t count = 0;
  gw::each_key<gw_held_key>(program_->map_fd("spared_flows"),
                            [&count](const gw_held_key&) { ++count; });
  return count;
}

void GatewayUnderTest::add_shape(std::uint32_t id, const std::string& prefix,
                                 std::uint64_t rate_bytes_per_s, std::uint64_t limit_bytes) {
  gw_shape shape{};
  shape.rate_bytes_per_s = shape.line_bytes_per_s = rate_bytes_per_s;
  shape.limit_bytes = limit_bytes;
  set_shape(id, shape);
  if (prefix.empty()) return;
  const gw_prefix key = gw::parse_prefix(prefix, prefix, "a prefix");
  bpf_map_update_elem(program_->map_fd("shape_prefixes"), &key, &id, BPF_ANY);
}

void GatewayUnderTest::select(gw_select by, std::uint32_t value, std::uint32_t id) {
  const gw_selector key{by, 0, value};
  bpf_map_update_elem(program_->map_fd("shape_selectors"), &key, &id, BPF_ANY);
}

void GatewayUnderTest::set_shape(std::uint32_t id, const gw_shape& shape) {
  gw_shared all = shared();
  all.shape_count = 1;
  set_shared(all);
  bpf_map_update_elem(program_->map_fd("shapes"), &id, &shape, BPF_ANY);
}

void GatewayUnderTest::remove_shape(std::uint32_t id) { set_shape(id, {}); }

gw_shape GatewayUnderTest::shape(std::uint32_t id) const {
  gw_shape shape{};
  if (bpf_map_lookup_elem(program_->map_fd("shapes"), &id, &shape))
    throw std::runtime_error("there is no such shape");
  return shape;
}

gw_half_open GatewayUnderTest::half_open(const Ends& e) const {
  const gw_key k = key_of(e);
  gw_half_open h{};
  if (bpf_map_lookup_elem(program_->map_fd("half_open"), &k, &h))
    throw std::runtime_error("the handshake is not known");
  return h;
}

}  // namespace penstock::test

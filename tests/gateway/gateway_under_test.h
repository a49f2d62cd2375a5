// SPDX-License-Identifier: GPL-2.0-only
// The real BPF object in the kernel, packet by packet (BPF_PROG_TEST_RUN).
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linux/gateway/tool/attach/map.h"
#include "linux/gateway/tool/attach/program.h"
#include "linux/gateway/tool/settings/settings.h"
#include "tests/gateway/packet.h"
#include "tests/gateway/program_pool.h"

namespace penstock::test {

// Small maps are made in no time, and full soon.
inline constexpr std::uint32_t kTestFlows = 2048;
inline constexpr std::uint64_t kTestIdleNs = 2 * GW_OVER_NS;
// The time that passes before each packet; no more does unless a test says so.
inline constexpr std::uint64_t kPacketNs = 10'000;

// Gateways that are made from now on have the kernel's time, as installed ones do.
void keep_kernel_time();

// Why the tests of this file cannot run here; empty if they can.
std::string why_not();

class GatewayUnderTest {
 public:
  // A virtual queue at 8 kbit/s that holds 97,000 bytes, so that it hardly moves.
  explicit GatewayUnderTest(const std::string& method = "ewt", const std::string& mode = "safe",
                            bool observe = false, bool ethernet = true,
                            const std::map<std::string, std::string>& params = {},
                            std::uint32_t flows = kTestFlows,
                            std::uint32_t queue_source = GW_QUEUE_VIRTUAL,
                            const std::optional<std::string>& fair = "off",
                            std::uint32_t shapes = 0);

  explicit GatewayUnderTest(const gw::Settings& settings, bool bypass_scalable = false,
                            std::uint64_t flow_interval_ns = PST_NS_PER_S,
                            gw::Below below = gw::Below::kPlain);

  // As after a change of method; the constructor has done it once.
  void start() { program_->start(true); }

  // What leaves; nothing if it is dropped. Of segments that were joined: the size of each,
  // and of all, and how many the kernel says they are, if not by these.
  Bytes forward(const Bytes& packet, std::uint32_t gso_size = 0, std::uint32_t payload_bytes = 0,
                std::optional<std::uint32_t> gso_segs = {});
  Bytes reverse(const Bytes& packet);

  // SYN, SYN-ACK, ACK: the sender opens unless `receiver_opens`.
  void handshake(const Ends& e, int sender_scale = 7, int receiver_scale = 7,
                 std::uint16_t mss = 1460, bool receiver_opens = false);
  // A whole exchange for an ACK: what leaves in its place.
  Seen ack(const Ends& e, std::uint32_t number, std::uint16_t window, std::uint8_t flags = 0x10);
  void data(const Ends& e, std::uint32_t seq, std::uint16_t bytes);

  // That packets carry from now on.
  void set_mark(std::uint32_t mark) { mark_ = mark; }

  // When the last packet is to leave the queue of its device; 0: at once.
  std::uint64_t release_ns() const { return release_ns_; }

  std::uint64_t now_ns() const;
  void pass_time(std::uint64_t ns);

  void fill_queue(std::uint64_t bytes);
  // As the sweep's timer does; and as if a flow had not been seen for `quiet_ns`.
  void sweep();
  void age(const Ends& e, std::uint64_t quiet_ns);
  // The same of flows beside the first, and of the handshake.
  void age_contenders(const Ends& e, std::uint64_t quiet_ns, std::uint64_t half_open_ns);
  gw_shared shared() const;
  gw_ack_wait ack_wait(bool down) const;
  void set_ack_wait(bool down, const gw_ack_wait& wait);
  void set_shared(const gw_shared& g);
  std::uint64_t count(int id) const;                            // GW_COUNT_, GW_PASS_
  std::uint64_t decided_by(pst_limit limit) const { return count(GW_BY_LIMIT + int{limit}); }
  bool knows(const Ends& e) const;
  std::size_t known() const;      // flows
  std::uint64_t waiting() const;  // what half_open_slots counts
  gw_flow flow(const Ends& e) const;
  // What others have sent in this interval and the one before.
  std::uint64_t other_bytes() const;
  void set_flow(const Ends& e, const gw_flow& f);
  gw_half_open half_open(const Ends& e) const;
  // What its ACKs waited, of a passive queue; nothing if that is not kept.
  std::optional<pst_return> returned(const Ends& e) const;
  std::vector<std::pair<gw_held_key, gw_held>> held() const;
  // What a rule has spared, and how many flows are listed.
  pst_spared spared(std::uint32_t rule) const;
  std::size_t spared_flows() const;
  const gw_config& config() const { return config_; }
  int fd(const char* program) const { return program_->fd(program); }
  // A queue of its own for this prefix: "10.1.0.0/16".
  void add_shape(std::uint32_t id, const std::string& prefix, std::uint64_t rate_bytes_per_s,
                 std::uint64_t limit_bytes);
  void select(gw_select by, std::uint32_t value, std::uint32_t id);
  gw_shape shape(std::uint32_t id) const;
  void set_shape(std::uint32_t id, const gw_shape& shape);
  void remove_shape(std::uint32_t id);

 private:
  void load(std::uint32_t flows);
  Bytes run(const char* program, const Bytes& packet, std::uint32_t gso_size,
            std::uint32_t payload_bytes, std::optional<std::uint32_t> gso_segs);
  gw_config config_;
  std::uint32_t mark_ = 0;
  std::uint64_t release_ns_ = 0;
  Borrowed program_;
  std::optional<gw::Mapped> settings_;  // as the program reads them
};

gw_key key_of(const Ends& e);

// 8 kbit/s and 97,000 bytes, as above; without `fair`, so that all packets pass.
gw::Settings slow_link(const std::string& method);

// Each test of a suite is skipped with the reason where it cannot run.
class GatewayTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

}  // namespace penstock::test

// SPDX-License-Identifier: GPL-2.0-only
// Connections that are older than an attachment, as connection tracking names them.
#include "linux/gateway/tool/where/adopt.h"

#include <gtest/gtest.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace penstock::test {
namespace {

using namespace gw;

// A message of ctnetlink's.
class Message {
 public:
  Message() : bytes_(NLMSG_SPACE(sizeof(nfgenmsg))) {}
  template <typename Value>
  void put(int type, const Value& value) {
    const std::size_t begin = bytes_.size();
    bytes_.resize(begin + RTA_SPACE(sizeof(value)));
    auto* a = reinterpret_cast<rtattr*>(&bytes_[begin]);
    a->rta_type = static_cast<unsigned short>(type);
    a->rta_len = RTA_LENGTH(sizeof(value));
    std::memcpy(RTA_DATA(a), &value, sizeof(value));
  }
  template <typename F>
  void nest(int type, F fill) {
    const std::size_t begin = bytes_.size();
    bytes_.resize(begin + RTA_LENGTH(0));
    fill();
    auto* a = reinterpret_cast<rtattr*>(&bytes_[begin]);
    a->rta_type = static_cast<unsigned short>(type | NLA_F_NESTED);
    a->rta_len = static_cast<unsigned short>(bytes_.size() - begin);
  }
  const nlmsghdr* get() {
    auto* header = reinterpret_cast<nlmsghdr*>(bytes_.data());
    header->nlmsg_len = static_cast<std::uint32_t>(bytes_.size());
    return header;
  }

 private:
  std::vector<char> bytes_;
};

constexpr std::uint32_t kClient = 0x0a080102, kRouter = 0x0a080302, kServer = 0x0a080202;
constexpr std::uint8_t kScaled = IP_CT_TCP_FLAG_WINDOW_SCALE | IP_CT_TCP_FLAG_SACK_PERM;

void put_tuple(Message& m, int type, std::uint32_t source, std::uint32_t target,
               std::uint16_t source_port, std::uint16_t target_port) {
  m.nest(type, [&] {
    m.nest(CTA_TUPLE_IP, [&] {
      m.put(CTA_IP_V4_SRC, htonl(source));
      m.put(CTA_IP_V4_DST, htonl(target));
    });
    m.nest(CTA_TUPLE_PROTO, [&] {
      m.put(CTA_PROTO_NUM, std::uint8_t{IPPROTO_TCP});
      m.put(CTA_PROTO_SRC_PORT, htons(source_port));
      m.put(CTA_PROTO_DST_PORT, htons(target_port));
    });
  });
}

// A client behind NAT, which has opened a connection.
Message tracked(std::uint8_t state = 3, std::uint8_t flags = kScaled) {
  Message m;
  put_tuple(m, CTA_TUPLE_ORIG, kClient, kServer, 40000, 443);
  put_tuple(m, CTA_TUPLE_REPLY, kServer, kRouter, 443, 50000);
  m.nest(CTA_PROTOINFO, [&] {
    m.nest(CTA_PROTOINFO_TCP, [&] {
      m.put(CTA_PROTOINFO_TCP_STATE, state);
      m.put(CTA_PROTOINFO_TCP_WSCALE_ORIGINAL, std::uint8_t{7});
      m.put(CTA_PROTOINFO_TCP_WSCALE_REPLY, std::uint8_t{9});
      m.put(CTA_PROTOINFO_TCP_FLAGS_ORIGINAL, nf_ct_tcp_flags{flags, 0});
      m.put(CTA_PROTOINFO_TCP_FLAGS_REPLY, nf_ct_tcp_flags{flags, 0});
    });
  });
  return m;
}

TEST(Conntrack, ReadsScalesOfEstablishedConnections) {
  const auto flow = tracked_flow_of(tracked().get());
  ASSERT_TRUE(flow);
  EXPECT_EQ(flow->original.source[3], htonl(kClient));
  EXPECT_EQ(flow->reply.target[3], htonl(kRouter));
  EXPECT_EQ(flow->reply.target[2], htonl(0xffff));
  EXPECT_EQ(flow->reply.target_port, htons(50000));
  EXPECT_EQ(flow->scales[0], 7);
  EXPECT_EQ(flow->scales[1], 9);
}

TEST(Conntrack, LeavesOutWhatItCannotKnow) {
  EXPECT_FALSE(tracked_flow_of(tracked(1).get())) << "a handshake";
  EXPECT_FALSE(tracked_flow_of(tracked(3, IP_CT_TCP_FLAG_SACK_PERM).get())) << "no scale";
  EXPECT_FALSE(tracked_flow_of(tracked(3, kScaled | IP_CT_TCP_FLAG_BE_LIBERAL).get()))
      << "met in its middle";
  EXPECT_FALSE(tracked_flow_of(Message().get()));
}

Packet packet(Way way, std::uint32_t seq, std::uint32_t payload_bytes, std::uint32_t ack,
              std::uint16_t window, std::uint16_t flags = PST_TCP_ACK) {
  pst_segment s{};
  std::uint32_t* server = way == kDown ? s.source : s.target;
  std::uint32_t* router = way == kDown ? s.target : s.source;
  server[2] = router[2] = htonl(0xffff);
  server[3] = htonl(kServer), router[3] = htonl(kRouter);
  (way == kDown ? s.source_port : s.target_port) = htons(443);
  (way == kDown ? s.target_port : s.source_port) = htons(50000);
  s.seq = seq, s.ack = ack, s.payload_bytes = payload_bytes, s.window = window, s.flags = flags;
  Packet p;
  p.way = way, p.segment = s;
  return p;
}

Adopter adopter() { return {{*tracked_flow_of(tracked().get())}, 1500}; }

TEST(Adopt, AScaleIsBelievedOnceDataAgreesWithAnAck) {
  Adopter a = adopter();
  a.see(packet(kDown, 1000, 1448, 1, 100));
  EXPECT_TRUE(a.take()[kDown].empty()) << "no ACK was seen";
  a.see(packet(kUp, 1, 0, 2448, 200));
  a.see(packet(kDown, 2448, 2896, 1, 100));
  const Adopted found = a.take();
  ASSERT_EQ(found[kDown].size(), 1U);
  EXPECT_TRUE(found[kUp].empty());
  const auto& [key, flow] = found[kDown].front();
  EXPECT_EQ(key.sender[3], htonl(kServer));
  EXPECT_EQ(key.receiver_port, htons(50000));
  const pst_flow& known = flow.gateway.flow;
  EXPECT_TRUE(known.scale_known);
  EXPECT_EQ(known.scale, 7) << "that of the windows which the client sends";
  EXPECT_EQ(known.sent, 2448U + 2896);
  EXPECT_EQ(known.mss_bytes, 1448U) << "two segments that were joined";
  a.see(packet(kDown, 5344, 1448, 1, 100));
  EXPECT_TRUE(a.take()[kDown].empty()) << "once";
}

TEST(Adopt, AScaleThatDataContradictsIsForgotten) {
  Adopter a = adopter();
  a.see(packet(kUp, 1, 0, 2448, 10));  // 10 << 7 bytes
  a.see(packet(kDown, 2448, 1448, 1, 100));
  a.see(packet(kUp, 1, 0, 3896, 200));
  a.see(packet(kDown, 3896, 1448, 1, 100));
  EXPECT_TRUE(a.take()[kDown].empty());
  EXPECT_TRUE(a.waits()) << "as it may be seen before NAT";
}

TEST(Adopt, WhatIsSentAgainAgreesWithNothing) {
  Adopter a = adopter();
  a.see(packet(kUp, 1, 0, 9000, 200));
  a.see(packet(kDown, 2448, 1448, 1, 100));
  EXPECT_TRUE(a.take()[kDown].empty());
}

TEST(Adopt, ANewHandshakeIsNotTheOldConnection) {
  Adopter a = adopter();
  a.see(packet(kUp, 1, 0, 0, 200, PST_TCP_SYN));
  a.see(packet(kUp, 1, 0, 2448, 200));
  a.see(packet(kDown, 2448, 1448, 1, 100));
  EXPECT_TRUE(a.take()[kDown].empty());
}

TEST(Adopt, EachDirectionByItself) {
  Adopter a = adopter();
  a.see(packet(kDown, 1000, 0, 5000, 1));  // 512 bytes, by the server's scale
  a.see(packet(kUp, 5000, 512, 1000, 200));
  const Adopted found = a.take();
  ASSERT_EQ(found[kUp].size(), 1U);
  EXPECT_EQ(found[kUp].front().second.gateway.flow.scale, 9);
  EXPECT_EQ(found[kUp].front().first.sender[3], htonl(kRouter));
}

}  // namespace
}  // namespace penstock::test

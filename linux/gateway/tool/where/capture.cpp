// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/where/capture.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "linux/common/clock.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"

namespace penstock::gw {

namespace {

// A block is full, or its time is over: six seconds in which nobody reads.
constexpr unsigned kBlockBytes = 1U << 16;
constexpr unsigned kBlocks = 64;
constexpr unsigned kFrameBytes = 256;  // the kernel wants one; blocks have as many as fit
// Ethernet with tags, IPv6 with an extension, TCP with all options.
constexpr unsigned kHeadBytes = 160;
constexpr unsigned kBlockMs = 100;
constexpr const char* kRights = "root, or CAP_NET_RAW";

Error failed(const std::string& what, int error_number) {
  return penstock::system_error(what, error_number, kRights);
}

template <typename Value>
void set(int socket, int level, int name, const Value& value, const std::string& what) {
  if (setsockopt(socket, level, name, &value, sizeof(value))) throw failed(what, errno);
}

}  // namespace

std::uint64_t capture_clock_ns() { return clock_ns(CLOCK_REALTIME); }

Capture::Capture(const Device& device) : device_(device) {
  const std::string what = "cannot watch what passes " + device.interface;
  // Of no protocol until it is bound, so that no packet of other devices comes in.
  socket_ = Descriptor(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (!socket_) throw failed(what, errno);
  set(socket_.fd(), SOL_PACKET, PACKET_VERSION, int{TPACKET_V3}, what);
  std::array<sock_filter, 1> code{{{BPF_RET | BPF_K, 0, 0, kHeadBytes}}};
  set(socket_.fd(), SOL_SOCKET, SO_ATTACH_FILTER,
      sock_fprog{static_cast<unsigned short>(code.size()), code.data()}, what);
  tpacket_req3 ring{};
  ring.tp_block_size = kBlockBytes;
  ring.tp_block_nr = kBlocks;
  ring.tp_frame_size = kFrameBytes;
  ring.tp_frame_nr = kBlockBytes / kFrameBytes * kBlocks;
  ring.tp_retire_blk_tov = kBlockMs;
  set(socket_.fd(), SOL_PACKET, PACKET_RX_RING, ring, what);
  void* mapped = mmap(nullptr, std::size_t{kBlockBytes} * kBlocks, PROT_READ | PROT_WRITE,
                      MAP_SHARED, socket_.fd(), 0);
  if (mapped == MAP_FAILED) throw failed(what, errno);
  ring_ = static_cast<std::uint8_t*>(mapped);
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = device.ifindex;
  if (bind(socket_.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof(address))) {
    munmap(ring_, std::size_t{kBlockBytes} * kBlocks);
    throw failed(what, errno);
  }
}

Capture::~Capture() { munmap(ring_, std::size_t{kBlockBytes} * kBlocks); }

void Capture::read_block(std::uint8_t* block, const std::function<void(const Packet&)>& see) const {
  const auto& head = reinterpret_cast<const tpacket_block_desc*>(block)->hdr.bh1;
  const std::uint8_t* at = block + head.offset_to_first_pkt;
  for (unsigned i = 0; i < head.num_pkts; ++i) {
    const auto* packet = reinterpret_cast<const tpacket3_hdr*>(at);
    const auto* link =
        reinterpret_cast<const sockaddr_ll*>(at + TPACKET_ALIGN(sizeof(tpacket3_hdr)));
    const Way way = link->sll_pkttype == PACKET_OUTGOING ? kUp : kDown;
    // On its way in, a packet for other hosts is none of this machine's.
    if (link->sll_pkttype != PACKET_OTHERHOST)
      see(packet_of(at + packet->tp_mac, packet->tp_snaplen, packet->tp_len, device_.ethernet, way,
                    std::uint64_t{packet->tp_sec} * kNsPerS + packet->tp_nsec));
    at += packet->tp_next_offset;
  }
}

void Capture::until(std::uint64_t end_ns, const std::function<void(const Packet&)>& see) {
  while (!is_stopped() && clock_ns() < end_ns) {
    std::uint8_t* block = ring_ + std::size_t{next_} * kBlockBytes;
    std::atomic_ref<std::uint32_t> status(
        reinterpret_cast<tpacket_block_desc*>(block)->hdr.bh1.block_status);
    if (status.load(std::memory_order_acquire) & TP_STATUS_USER) {
      read_block(block, see);
      status.store(TP_STATUS_KERNEL, std::memory_order_release);
      next_ = (next_ + 1) % kBlocks;
      continue;
    }
    const timespec left = left_until(end_ns);
    pollfd waits{socket_.fd(), POLLIN, 0};
    if (ppoll(&waits, 1, &left, nullptr) > 0 && (waits.revents & POLLERR)) {
      int error = 0;
      socklen_t size = sizeof(error);
      getsockopt(socket_.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
      throw Error(kFailed, device_.interface + (error == ENETDOWN
                                                    ? " went down meanwhile: nothing passes it"
                                                    : std::string(" cannot be watched any more: ") +
                                                          std::strerror(error)));
    }
  }
}

std::uint64_t Capture::take_missed() {
  tpacket_stats_v3 stats{};
  socklen_t size = sizeof(stats);
  return getsockopt(socket_.fd(), SOL_PACKET, PACKET_STATISTICS, &stats, &size) ? 0
                                                                                : stats.tp_drops;
}

}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/udp.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace penstock::load {
namespace {

constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kMaxPacketBytes = 65536;
constexpr int kBurstPackets = 64;

void make_packet(const Flow& flow, std::uint64_t number, std::span<std::uint8_t> packet) {
  for (unsigned byte = 0; byte < kNumberBytes; ++byte)
    packet[byte] = static_cast<std::uint8_t>(number >> (8 * (kNumberBytes - 1 - byte)));
  fill_pattern(flow.id, number * packet.size(), packet.subspan(kNumberBytes));
}

}  // namespace

void UdpSender::start() {
  socket_ = open_udp(flow_);
  packet_.resize(flow_.payload_bytes);
  report_.started_ns = time_ns();
  send_next();
}

std::uint64_t UdpSender::due_ns(std::uint64_t number) const {
  const double distance_ns = flow_.payload_bytes * 8e9 / static_cast<double>(flow_.rate_bps);
  return flow_.start_ns + static_cast<std::uint64_t>(static_cast<double>(number) * distance_ns);
}

void UdpSender::send_next() {
  if (is_done()) return;
  if (flow_.stop_ns != 0 && due_ns(number_) >= flow_.stop_ns) return finish();
  make_packet(flow_, number_++, packet_);
  // ENOBUFS and EAGAIN are drops at this host; ECONNREFUSED reports an earlier packet.
  if (send(socket_.fd(), packet_.data(), packet_.size(), MSG_DONTWAIT) > 0) {
    ++report_.packets;
    report_.bytes += packet_.size();
  }
  loop_.at(epoch_ns_ + due_ns(number_), [this] { send_next(); });
}

void UdpSender::note_mark() {
  report_.packets_at_mark = report_.packets;
  report_.bytes_at_mark = report_.bytes;
}

void UdpSender::finish() {
  if (socket_) report_.ended_ns = time_ns();
  socket_.reset();
}

void UdpReceiver::start() {
  socket_ = open_udp(flow_);
  buffer_.resize(kMaxPacketBytes);
  expected_.resize(kMaxPacketBytes);
  loop_.watch(socket_.fd(), EPOLLIN, [this](std::uint32_t) { read_some(); });
}

void UdpReceiver::take(std::span<const std::uint8_t> packet) {
  if (report_.started_ns < 0) report_.started_ns = time_ns();
  ++report_.packets;
  report_.bytes += packet.size();
  if (packet.size() < kNumberBytes) {
    report_.intact = false;
    return;
  }
  std::uint64_t number = 0;
  for (unsigned byte = 0; byte < kNumberBytes; ++byte) number = number << 8 | packet[byte];
  const std::span<std::uint8_t> wanted(expected_.data(), packet.size());
  make_packet(flow_, number, wanted);
  if (!std::equal(packet.begin(), packet.end(), wanted.begin())) report_.intact = false;
}

void UdpReceiver::read_some() {
  for (int burst = 0; burst < kBurstPackets; ++burst) {
    const ssize_t got = recv(socket_.fd(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got < 0) return;
    take({buffer_.data(), static_cast<std::size_t>(got)});
  }
}

void UdpReceiver::note_mark() {
  report_.packets_at_mark = report_.packets;
  report_.bytes_at_mark = report_.bytes;
}

void UdpReceiver::finish() {
  if (!socket_) return;
  loop_.forget(socket_.fd());
  socket_.reset();
}

}  // namespace penstock::load

// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/link/device.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "linux/common/error.h"

namespace penstock::link {
namespace {

// Queue length of a TAP; Linux' default of 1000 frames is too short for bursts.
constexpr int kTapQueueFrames = 4096;

// virtio_net_hdr of <linux/virtio_net.h>, which is no C++: it has a member named class.
struct OffloadHeader {
  std::uint8_t flags = 0;
  std::uint8_t gso_type = 0;
  std::uint16_t hdr_len = 0;
  std::uint16_t gso_size = 0;
  std::uint16_t csum_start = 0;
  std::uint16_t csum_offset = 0;
};
constexpr std::uint8_t kNeedsChecksum = 1;  // VIRTIO_NET_HDR_F_NEEDS_CSUM

Descriptor open_file(const std::string& path, int flags) {
  Descriptor file(open(path.c_str(), flags | O_CLOEXEC));
  if (!file) throw system_error(path, errno);
  return file;
}

// Moves this thread into a namespace and back.
class Visit {
 public:
  explicit Visit(const std::string& name) : home_(open_file("/proc/thread-self/ns/net", O_RDONLY)) {
    if (name.empty()) return;
    const Descriptor target = open_file("/run/netns/" + name, O_RDONLY);
    if (setns(target.fd(), CLONE_NEWNET) != 0) throw system_error("namespace " + name, errno);
  }
  ~Visit() { setns(home_.fd(), CLONE_NEWNET); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  Descriptor home_;
};

ifreq request(const std::string& name) {
  ifreq asked{};
  std::memcpy(asked.ifr_name, name.data(), name.size());
  return asked;
}

// ioctl() on a device by name; what() names the device.
ifreq control(unsigned long what, const std::string& name, ifreq asked) {
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (ioctl(any.fd(), what, &asked) != 0) throw system_error("device " + name, errno);
  return asked;
}

void bring_up(const std::string& name) {
  ifreq flags = control(SIOCGIFFLAGS, name, request(name));
  flags.ifr_flags = static_cast<short>(flags.ifr_flags | IFF_UP);
  control(SIOCSIFFLAGS, name, flags);
}

bool is_tap(const std::string& name) {
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  ifreq asked = request(name);
  asked.ifr_data = reinterpret_cast<char*>(&info);
  control(SIOCETHTOOL, name, asked);
  return std::string_view(info.driver) == "tun";
}

// Completes the checksum that the kernel left to hardware (RFC 1071), over the range given by the
// header.
void complete_checksum(std::uint8_t* frame, std::size_t length, const OffloadHeader& header) {
  const std::size_t field = std::size_t{header.csum_start} + header.csum_offset;
  if (field + 2 > length) return;
  std::uint64_t sum = 0;
  for (std::size_t i = header.csum_start; i < length; ++i)
    sum += std::uint64_t{frame[i]} << ((i - header.csum_start) % 2 == 0 ? 8 : 0);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  std::uint16_t folded = static_cast<std::uint16_t>(~sum);
  if (folded == 0) folded = 0xffff;  // a UDP sum of 0 would mean "none"
  frame[field] = static_cast<std::uint8_t>(folded >> 8);
  frame[field + 1] = static_cast<std::uint8_t>(folded & 0xff);
}

}  // namespace

Endpoint parse_endpoint(std::string_view text) {
  const std::size_t colon = text.find(':');
  Endpoint endpoint;
  if (colon != std::string_view::npos) endpoint.name_space = text.substr(0, colon);
  endpoint.device = text.substr(colon == std::string_view::npos ? 0 : colon + 1);
  if (endpoint.device.empty() || endpoint.device.size() >= IFNAMSIZ)
    throw Error(kUsage, "'" + std::string(text) +
                            "' names no device; write NAMESPACE:DEVICE, with at most 15 characters "
                            "after the colon");
  return endpoint;
}

Device::Device(const Endpoint& endpoint, std::uint32_t mtu_bytes) {
  const Visit visit(endpoint.name_space);
  const std::string& name = endpoint.device;
  if (if_nametoindex(name.c_str()) != 0 && !is_tap(name))
    open_packet_socket(name);
  else
    open_tap(name);
  if (mtu_bytes != 0) {
    ifreq asked = request(name);
    asked.ifr_mtu = static_cast<int>(mtu_bytes);
    control(SIOCSIFMTU, name, asked);
  }
  bring_up(name);
  mtu_bytes_ = static_cast<std::uint32_t>(control(SIOCGIFMTU, name, request(name)).ifr_mtu);
}

void Device::open_tap(const std::string& name) {
  file_ = open_file("/dev/net/tun", O_RDWR | O_NONBLOCK);
  ifreq asked = request(name);
  // Without IFF_VNET_HDR the kernel segments packets and completes checksums itself.
  asked.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (ioctl(fd(), TUNSETIFF, &asked) != 0) throw system_error("TAP device " + name, errno);
  ifreq length = request(name);
  length.ifr_qlen = kTapQueueFrames;
  control(SIOCSIFTXQLEN, name, length);
}

void Device::open_packet_socket(const std::string& name) {
  is_tap_ = false;
  const std::string what = "packet socket for " + name;
  file_ = Descriptor(socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!file_) throw system_error(what, errno);
  const int on = 1, room_bytes = 16 << 20;
  if (setsockopt(fd(), SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) != 0)
    throw system_error(what, errno);
  setsockopt(fd(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
  setsockopt(fd(), SOL_SOCKET, SO_RCVBUFFORCE, &room_bytes, sizeof(room_bytes));
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(name.c_str()));
  if (bind(fd(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
    throw system_error(what, errno);
}

std::ptrdiff_t Device::read(std::uint8_t* frame, std::size_t room) {
  if (is_tap_) {
    const ssize_t length = ::read(fd(), frame, room);
    return length < 0 ? (errno == EAGAIN || errno == EINTR ? 0 : -1) : length;
  }
  OffloadHeader header{};
  iovec parts[2] = {{&header, sizeof(header)}, {frame, room}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  const ssize_t got = recvmsg(fd(), &message, MSG_TRUNC);
  if (got < 0) return errno == EAGAIN || errno == EINTR || errno == ENETDOWN ? 0 : -1;
  const std::size_t length = static_cast<std::size_t>(got) - sizeof(header);
  if (header.gso_type != 0 || length > room) {
    ++offloaded_;
    return 0;
  }
  if (header.flags & kNeedsChecksum) complete_checksum(frame, length, header);
  return static_cast<std::ptrdiff_t>(length);
}

bool Device::write(const std::uint8_t* frame, std::size_t length) {
  if (is_tap_) return ::write(fd(), frame, length) == static_cast<ssize_t>(length);
  OffloadHeader header{};
  iovec parts[2] = {{&header, sizeof(header)}, {const_cast<std::uint8_t*>(frame), length}};
  return writev(fd(), parts, 2) == static_cast<ssize_t>(length + sizeof(header));
}

}  // namespace penstock::link

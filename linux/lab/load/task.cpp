// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/task.h"

#include "linux/lab/load/tcp_receiver.h"
#include "linux/lab/load/tcp_sender.h"
#include "linux/lab/load/udp.h"

namespace penstock::load {

std::unique_ptr<Task> make_task(Loop& loop, const Flow& flow, std::uint64_t epoch_ns) {
  if (flow.is_udp && flow.sends) return std::make_unique<UdpSender>(loop, flow, epoch_ns);
  if (flow.is_udp) return std::make_unique<UdpReceiver>(loop, flow, epoch_ns);
  if (flow.sends) return std::make_unique<TcpSender>(loop, flow, epoch_ns);
  return std::make_unique<TcpReceiver>(loop, flow, epoch_ns);
}

}  // namespace penstock::load

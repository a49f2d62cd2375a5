// SPDX-License-Identifier: GPL-2.0-only
// The window of a receiver that autotunes, which ns-3's TCP does not: the simulator's rules, told
// what arrives at a socket of ns-3.
#ifndef PENSTOCK_LAB_RECEIVE_WINDOW_H
#define PENSTOCK_LAB_RECEIVE_WINDOW_H

#include "description.h"
#include "sim/tcp/autotune.h"

#include "ns3/packet.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-header.h"

namespace penstock
{

/// Of one connection. The application reads at once.
class ReceiveWindow
{
  public:
    explicit ReceiveWindow(const ReceiverSpec& spec);

    /// The handshake is done.
    void Start();
    /// A segment arrives, before the socket takes it.
    /// @param next the first byte that is missing
    void Arrives(const ns3::TcpHeader& header, uint32_t payloadBytes, ns3::SequenceNumber32 next);
    /// The application has read that much of the stream.
    void Read(uint64_t bytes);

    uint32_t GetBytes() const
    {
        return static_cast<uint32_t>(m_autotune.window_bytes(0));
    }

  private:
    void Measure(const ns3::TcpHeader& header, uint32_t payloadBytes, ns3::SequenceNumber32 next);

    tcp::Autotune m_autotune;
    bool m_sack;
    bool m_timestamps;
    uint32_t m_echoed{0};               // the timestamp that the last measurement is of
    uint32_t m_largestBytes{0};         // payload of a segment
    ns3::SequenceNumber32 m_highest{0}; // end of what has come
    ns3::SequenceNumber32 m_end{0};     // of the window whose time is measured
    uint64_t m_sinceNs{0};              // its begin
    bool m_measures{false};
};

} // namespace penstock

#endif

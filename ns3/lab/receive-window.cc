// SPDX-License-Identifier: GPL-2.0-only
#include "receive-window.h"

#include "ns3/simulator.h"
#include "ns3/tcp-option-ts.h"

#include <algorithm>

namespace penstock
{

using namespace ns3;

namespace
{

uint64_t
NowNs()
{
    return static_cast<uint64_t>(Simulator::Now().GetNanoSeconds());
}

} // namespace

ReceiveWindow::ReceiveWindow(const ReceiverSpec& spec)
    : m_autotune(spec.mss_bytes,
                 spec.buffer_bytes,
                 spec.max_buffer_bytes,
                 {static_cast<uint32_t>(spec.scaling_ratio),
                  spec.rcvbuf_slow_start,
                  spec.rcvbuf_low_rtt_ns}),
      m_sack(spec.sack),
      m_timestamps(spec.timestamps)
{
}

void
ReceiveWindow::Start()
{
    m_autotune.start(NowNs());
}

void
ReceiveWindow::Arrives(const TcpHeader& header, uint32_t payloadBytes, SequenceNumber32 next)
{
    if (payloadBytes == 0)
    {
        return;
    }
    const SequenceNumber32 start = header.GetSequenceNumber();
    m_largestBytes = std::max(m_largestBytes, payloadBytes);
    Measure(header, payloadBytes, next);
    // Without SACK a growing window would invalidate duplicate ACKs.
    if (m_sack || start <= next)
    {
        m_autotune.on_segment(payloadBytes);
    }
    m_highest = m_highest < start + payloadBytes ? start + payloadBytes : m_highest;
    if (start > next)
    {
        m_autotune.on_out_of_order(static_cast<uint64_t>(m_highest - next));
    }
}

// Our own timestamp echoed on a full segment, in ticks of 1 ms of which Linux counts at least one;
// without timestamps the time in which a whole window arrives.
void
ReceiveWindow::Measure(const TcpHeader& header, uint32_t payloadBytes, SequenceNumber32 next)
{
    constexpr uint64_t tickNs = 1'000'000;
    if (!m_timestamps)
    {
        if (m_measures && next < m_end)
        {
            return;
        }
        if (m_measures)
        {
            m_autotune.on_round_trip(NowNs() - m_sinceNs, true);
        }
        m_measures = true;
        m_end = next + GetBytes();
        m_sinceNs = NowNs();
        return;
    }
    const auto option = DynamicCast<const TcpOptionTS>(header.GetOption(TcpOption::TS));
    if (payloadBytes < m_largestBytes || !option || option->GetEcho() == m_echoed)
    {
        return;
    }
    m_echoed = option->GetEcho();
    const Time elapsed = TcpOptionTS::ElapsedTimeFromTsValue(m_echoed);
    m_autotune.on_round_trip(
        std::max<uint64_t>(static_cast<uint64_t>(elapsed.GetNanoSeconds()), tickNs),
        false);
}

void
ReceiveWindow::Read(uint64_t bytes)
{
    m_autotune.on_read(bytes + 1, NowNs());
}

} // namespace penstock

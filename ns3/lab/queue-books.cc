// SPDX-License-Identifier: GPL-2.0-only
#include "queue-books.h"

#include "core/describe.h"
#include "core/outcome.h"
#include "core/rewrite/window.h"

#include "ns3/fq-codel-queue-disc.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace penstock
{

using namespace ns3;

namespace
{

constexpr uint8_t PROTOCOL_UDP = 17;

uint64_t
NowNs()
{
    return static_cast<uint64_t>(Simulator::Now().GetNanoSeconds());
}

bool
IsUdp(Ptr<const QueueDiscItem> item)
{
    const auto ipv4 = DynamicCast<const Ipv4QueueDiscItem>(item);
    return ipv4 && ipv4->GetHeader().GetProtocol() == PROTOCOL_UDP;
}

} // namespace

QueueBooks::QueueBooks(const LinkSpec& link, Ptr<QueueDisc> disc, Ptr<Queue<Packet>> deviceQueue)
    : m_disc(disc),
      m_ours(DynamicCast<PenstockQueueDisc>(disc)),
      m_deviceQueue(deviceQueue),
      m_rate(link.rate_bps),
      m_overheadBytes(deviceQueue ? link.overhead_bytes : 0)
{
    disc->TraceConnectWithoutContext("Enqueue", MakeCallback(&QueueBooks::OnEnqueue, this));
    disc->TraceConnectWithoutContext("DropBeforeEnqueue", MakeCallback(&QueueBooks::OnDrop, this));
    disc->TraceConnectWithoutContext("DropAfterDequeue",
                                     MakeCallback(&QueueBooks::OnDropAtHead, this));
    disc->TraceConnectWithoutContext("Mark", MakeCallback(&QueueBooks::OnMark, this));
    disc->TraceConnectWithoutContext("Dequeue", MakeCallback(&QueueBooks::OnDequeue, this));
    if (m_ours)
    {
        disc->TraceConnectWithoutContext("WaitingBytes",
                                         MakeCallback(&QueueBooks::OnWaiting, this));
        disc->TraceConnectWithoutContext("Decision", MakeCallback(&QueueBooks::OnDecision, this));
    }
    else
    {
        disc->TraceConnectWithoutContext("BytesInQueue",
                                         MakeCallback(&QueueBooks::OnWaiting, this));
    }
    if (deviceQueue)
    {
        deviceQueue->TraceConnectWithoutContext("Dequeue",
                                                MakeCallback(&QueueBooks::OnStart, this));
    }
    if (deviceQueue && !m_ours)
    {
        deviceQueue->TraceConnectWithoutContext("BytesInQueue",
                                                MakeCallback(&QueueBooks::OnWaiting, this));
    }
}

// Ours counts the packet in the device's queue itself.
uint32_t
QueueBooks::GetWaitingBytes() const
{
    if (m_ours)
    {
        return m_ours->GetWaitingBytes();
    }
    const auto overhead = static_cast<uint32_t>(m_overheadBytes);
    const uint32_t below =
        m_deviceQueue ? m_deviceQueue->GetNBytes() - overhead * m_deviceQueue->GetNPackets() : 0;
    return m_disc->GetNBytes() + below;
}

uint32_t
QueueBooks::GetWaitingPackets() const
{
    if (m_ours)
    {
        return m_ours->GetWaitingPackets();
    }
    return m_disc->GetNPackets() + (m_deviceQueue ? m_deviceQueue->GetNPackets() : 0);
}

void
QueueBooks::Arrived(Ptr<const QueueDiscItem> item)
{
    if (!m_counters.arrivals++)
    {
        m_first = Simulator::Now();
        m_changedNs = m_firstNs = NowNs();
    }
    m_counters.arrived_bytes += item->GetSize();
    m_counters.udp_arrivals += IsUdp(item);
}

void
QueueBooks::OnEnqueue(Ptr<const QueueDiscItem> item)
{
    Arrived(item);
    if (m_ours)
    {
        m_arrivalsNs.push_back(NowNs());
    }
}

void
QueueBooks::OnDrop(Ptr<const QueueDiscItem> item, const char* reason)
{
    Arrived(item);
    Drop(item, reason);
}

// ns-3's own name where a packet was dropped before they say why.
void
QueueBooks::Drop(Ptr<const QueueDiscItem> item, const char* reason)
{
    const std::string why(reason);
    const bool full = why == PenstockQueueDisc::LIMIT_DROP ||
                      why.find(FqCoDelQueueDisc::OVERLIMIT_DROP) != std::string::npos;
    ++(full ? m_counters.drops_overflow : m_counters.drops_method);
    m_counters.udp_drops += IsUdp(item);
}

void
QueueBooks::OnWaiting(uint32_t, uint32_t)
{
    Changed();
}

// A length that lasted no time is none.
void
QueueBooks::Changed()
{
    const uint64_t lastedNs = NowNs() - m_changedNs;
    if (lastedNs > 0)
    {
        m_occupancyBytes.add(m_bytes, lastedNs);
        m_packetsNs += m_packets * lastedNs;
        m_changedNs = NowNs();
    }
    m_bytes = GetWaitingBytes();
    m_packets = GetWaitingPackets();
}

// It was queued behind the packets of the device; ns-3's own came there last. Without a device
// queue it counted as sent.
void
QueueBooks::OnDropAtHead(Ptr<const QueueDiscItem> item, const char* reason)
{
    Drop(item, reason);
    if (!m_deviceQueue)
    {
        m_wire -= WireTime(item->GetSize());
        --m_counters.sent_packets;
        m_counters.sent_bytes -= item->GetSize();
    }
    else if (m_ours)
    {
        m_arrivalsNs.erase(m_arrivalsNs.begin() + m_deviceQueue->GetNPackets());
    }
    else
    {
        m_arrivalsNs.pop_back();
    }
}

void
QueueBooks::OnMark(Ptr<const QueueDiscItem>, const char*)
{
    ++m_counters.marks;
}

void
QueueBooks::OnDequeue(Ptr<const QueueDiscItem> item)
{
    if (!m_ours)
    {
        m_arrivalsNs.push_back(static_cast<uint64_t>(item->GetTimeStamp().GetNanoSeconds()));
    }
    if (!m_deviceQueue)
    {
        Left(item->GetSize());
    }
}

void
QueueBooks::OnStart(Ptr<const Packet> packet)
{
    Left(packet->GetSize());
}

void
QueueBooks::Left(uint32_t bytes)
{
    ++m_counters.sent_packets;
    m_counters.sent_bytes += bytes - m_overheadBytes;
    m_wire += WireTime(bytes);
    m_sentUntil = Simulator::Now() + WireTime(bytes);
    m_delayNs.add(NowNs() - m_arrivalsNs.front());
    m_arrivalsNs.pop_front();
}

// As the device has it, which rounds each packet's to the resolution of times.
Time
QueueBooks::WireTime(uint32_t bytes) const
{
    return m_rate.CalculateBytesTxTime(bytes);
}

// What is left of the last packet's transmission, where its start is known.
Time
QueueBooks::UnsentTime() const
{
    return m_deviceQueue ? Max(m_sentUntil - Simulator::Now(), Time(0)) : Time(0);
}

void
QueueBooks::OnDecision(uint32_t limit, uint32_t windowBytes, bool changed)
{
    ++m_acks;
    ++m_acksBy[limit];
    m_rewritten += changed;
    m_windowBytesSum += windowBytes;
    m_lastWindow = windowBytes;
}

std::vector<std::pair<std::string, double>>
QueueBooks::Report()
{
    Changed();
    const auto number = [](auto value) { return static_cast<double>(value); };
    const uint64_t drops = m_counters.drops_overflow + m_counters.drops_method;
    const double timeNs = number(NowNs() - m_firstNs);
    const Time wire = m_wire - UnsentTime();
    const Time time = Simulator::Now() - m_first;
    std::vector<std::pair<std::string, double>> report{
        {"drops", number(drops)},
        {"tcp_arrivals", number(m_counters.arrivals - m_counters.udp_arrivals)},
        {"tcp_drops", number(drops - m_counters.udp_drops)},
        {"packets_mean", timeNs > 0 ? number(m_packetsNs) / timeNs : 0},
        {"bytes_mean", m_occupancyBytes.mean()},
        {"bytes_p50", m_occupancyBytes.quantile(0.50)},
        {"bytes_p99", m_occupancyBytes.quantile(0.99)},
        {"bytes_max", number(m_occupancyBytes.max())},
        {"delay_ns_mean", m_delayNs.mean()},
        {"delay_ns_p99", m_delayNs.quantile(0.99)},
        {"delay_ns_sd", m_delayNs.deviation()},
        {"delay_ns_max", number(m_delayNs.max())},
        {"utilisation", time > Time(0) ? wire.GetDouble() / time.GetDouble() : 0},
        {"acks_seen", number(m_acks)},
        {"acks_rewritten", number(m_rewritten)},
        {"window_bytes_mean", m_acks ? number(m_windowBytesSum) / number(m_acks) : 0},
    };
#define PENSTOCK_COUNTER(name, unit, hosts, ...)                                                   \
    PST_COUNTED_##hosts(report.emplace_back(#name, number(m_counters.name));)
    PST_QUEUE_COUNTERS(PENSTOCK_COUNTER)
#undef PENSTOCK_COUNTER
    for (uint32_t i = 0; i < PST_LIMIT_COUNT; ++i)
    {
        report.emplace_back(std::string("acks_by_") + pst_limit_rows[i].name, number(m_acksBy[i]));
    }
    return report;
}

std::vector<double>
QueueBooks::GetDelayQuantilesNs() const
{
    std::vector<double> quantiles;
    for (uint32_t percent = 0; percent < PST_PERCENTILES; ++percent)
    {
        quantiles.push_back(m_delayNs.quantile(percent / 100.0));
    }
    return quantiles;
}

} // namespace penstock

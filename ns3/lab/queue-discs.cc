// SPDX-License-Identifier: GPL-2.0-only
#include "queue-discs.h"

#include "core/describe.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/enum.h"
#include "ns3/fq-codel-queue-disc.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace penstock
{

using namespace ns3;

namespace
{

PenstockQueueDisc::Mode
ModeOf(const std::string& mode)
{
    for (uint32_t i = 0; i < PST_MODE_COUNT; ++i)
    {
        if (mode == pst_mode_rows[i].name)
        {
            return static_cast<PenstockQueueDisc::Mode>(i);
        }
    }
    throw std::invalid_argument("there is no mode " + mode);
}

void
Decide(Ptr<PenstockQueueDisc> disc, const GatewaySpec& gateway)
{
    disc->SetAttribute("Discipline", StringValue(gateway.discipline));
    disc->SetAttribute("Law", StringValue(gateway.law));
    disc->SetAttribute("Signal", StringValue(gateway.signal));
    disc->SetAttribute("Mode", EnumValue(ModeOf(gateway.mode)));
    for (const auto& [name, value] : gateway.params)
    {
        disc->SetParameter(name, value);
    }
}

/// By the last part of the parameter's name; false: ns-3's has none like it.
bool
SetFqCoDel(Ptr<FqCoDelQueueDisc> disc, const std::string& name, uint64_t value)
{
    const std::string key = name.substr(name.rfind('.') + 1);
    const auto number = UintegerValue(value);
    const auto time = StringValue(std::to_string(value) + "ns");
    if (key == "target_ns")
    {
        disc->SetAttribute("Target", time);
    }
    else if (key == "interval_ns")
    {
        disc->SetAttribute("Interval", time);
    }
    else if (key == "quantum_bytes")
    {
        disc->SetQuantum(static_cast<uint32_t>(value));
    }
    else if (key == "queues")
    {
        disc->SetAttribute("Flows", number);
    }
    else if (key == "drop_batch_pkts")
    {
        disc->SetAttribute("DropBatchSize", number);
    }
    else if (key == "perturbation")
    {
        disc->SetAttribute("Perturbation", number);
    }
    else
    {
        return key == "newton" && value == 1; // which ns-3's always does
    }
    return true;
}

} // namespace

Ptr<PenstockQueueDisc>
MakePenstockQueue(const LinkSpec& link, const GatewaySpec* gateway, int64_t stream)
{
    const auto disc = CreateObject<PenstockQueueDisc>();
    const auto bytes = static_cast<uint32_t>(link.queue_bytes);
    const auto packets = static_cast<uint32_t>(link.queue_packets);
    const auto size =
        bytes ? QueueSize(QueueSizeUnit::BYTES, bytes) : QueueSize(QueueSizeUnit::PACKETS, packets);
    disc->SetAttribute("MaxSize", QueueSizeValue(size));
    disc->SetAttribute("MaxPackets", UintegerValue(bytes ? packets : 0));
    disc->SetAttribute("LinkBandwidth", DataRateValue(DataRate(link.rate_bps)));
    disc->SetAttribute("SegmentBytes", UintegerValue(link.mtu_bytes - PST_HEADERS_BYTES));
    disc->AssignStreams(stream);
    if (gateway)
    {
        Decide(disc, *gateway);
    }
    return disc;
}

Ptr<QueueDisc>
MakeFqCoDel(const LinkSpec& link, const GatewaySpec& gateway, uint32_t below)
{
    if (gateway.law != "none")
    {
        throw std::invalid_argument("ns-3's FqCoDelQueueDisc tells a law nothing of its queues");
    }
    const auto disc = CreateObject<FqCoDelQueueDisc>();
    uint64_t packets = link.queue_bytes / link.mtu_bytes;
    if (link.queue_packets && (!packets || link.queue_packets < packets))
    {
        packets = link.queue_packets;
    }
    const uint64_t limit = std::max<uint64_t>(packets, below + 1) - below;
    disc->SetAttribute(
        "MaxSize",
        QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, static_cast<uint32_t>(limit))));
    disc->SetAttribute("UseEcn", BooleanValue(gateway.signal == "ecn"));
    disc->SetQuantum(PST_FULL_FRAME_BYTES);
    for (const auto& [name, value] : gateway.params)
    {
        if (!SetFqCoDel(disc, name, value))
        {
            throw std::invalid_argument("ns-3's FqCoDelQueueDisc has no parameter " + name);
        }
    }
    return disc;
}

} // namespace penstock

// SPDX-License-Identifier: GPL-2.0-only
#include "link.h"

#include "ns3/ipv4-header.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/udp-header.h"
#include "penstock-segment.h"

#include <algorithm>

namespace penstock
{

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(LinkDevice);
NS_OBJECT_ENSURE_REGISTERED(LinkChannel);
NS_OBJECT_ENSURE_REGISTERED(LinkLoss);

TypeId
LinkDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("penstock::LinkDevice").SetParent<SimpleNetDevice>().AddConstructor<LinkDevice>();
    return tid;
}

void
LinkDevice::Configure(uint32_t overheadBytes, Time delay)
{
    m_overheadBytes = static_cast<uint16_t>(overheadBytes);
    m_delay = delay;
}

uint16_t
LinkDevice::GetMtu() const
{
    return static_cast<uint16_t>(SimpleNetDevice::GetMtu() + m_framingBytes);
}

bool
LinkDevice::SendFrom(Ptr<Packet> packet,
                     const Address& source,
                     const Address& dest,
                     uint16_t protocol)
{
    if (packet->GetSize() > GetMtu())
    {
        return false;
    }
    packet->AddPaddingAtEnd(m_overheadBytes);
    m_framingBytes = m_overheadBytes;
    const bool sent = SimpleNetDevice::SendFrom(packet, source, dest, protocol);
    m_framingBytes = 0;
    return sent;
}

TypeId
LinkChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("penstock::LinkChannel").SetParent<SimpleChannel>().AddConstructor<LinkChannel>();
    return tid;
}

void
LinkChannel::Send(Ptr<Packet> packet,
                  uint16_t protocol,
                  Mac48Address to,
                  Mac48Address from,
                  Ptr<SimpleNetDevice> sender)
{
    const bool first = GetDevice(0) == sender;
    const auto receiver = DynamicCast<SimpleNetDevice>(GetDevice(first ? 1 : 0));
    Simulator::ScheduleWithContext(receiver->GetNode()->GetId(),
                                   DynamicCast<LinkDevice>(sender)->GetDelay(),
                                   &SimpleNetDevice::Receive,
                                   receiver,
                                   packet,
                                   protocol,
                                   to,
                                   from);
}

TypeId
LinkLoss::GetTypeId()
{
    static TypeId tid =
        TypeId("penstock::LinkLoss").SetParent<ErrorModel>().AddConstructor<LinkLoss>();
    return tid;
}

void
LinkLoss::Configure(const LinkSpec& link, int64_t stream)
{
    m_ratio = link.loss_ratio;
    m_script = link.dropDataPackets;
    std::sort(m_script.begin(), m_script.end());
    m_random = CreateObject<UniformRandomVariable>();
    m_random->SetStream(stream);
}

void
LinkLoss::DoReset()
{
    m_dataPackets = 0;
}

bool
LinkLoss::DoCorrupt(Ptr<Packet> packet)
{
    constexpr uint16_t ipv4 = 0x0800;
    constexpr uint32_t udpBytes = 28;
    PenstockSegment segment;
    Ipv4Header header;
    packet->PeekHeader(header);
    const bool data = header.GetProtocol() == 17
                          ? header.GetPayloadSize() + header.GetSerializedSize() > udpBytes
                          : segment.ReadIp(packet, ipv4) && segment.payloadBytes > 0;
    bool lost = data && std::binary_search(m_script.begin(), m_script.end(), m_dataPackets++);
    lost = lost || (m_ratio > 0 && m_random->GetValue(0, 1) < m_ratio);
    m_lost += lost;
    return lost;
}

} // namespace penstock

// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-gateway.h"

#include "penstock-segment.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/tcp-header.h"
#include "ns3/traffic-control-layer.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PenstockGateway");

NS_OBJECT_ENSURE_REGISTERED(PenstockGateway);

TypeId
PenstockGateway::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PenstockGateway")
                            .SetParent<Object>()
                            .SetGroupName("TrafficControl")
                            .AddConstructor<PenstockGateway>();
    return tid;
}

PenstockGateway::PenstockGateway()
{
    NS_LOG_FUNCTION(this);
}

PenstockGateway::~PenstockGateway()
{
    NS_LOG_FUNCTION(this);
}

void
PenstockGateway::DoDispose()
{
    m_queueDisc = nullptr;
    m_above = nullptr;
    Object::DoDispose();
}

void
PenstockGateway::Install(Ptr<NetDevice> device, Ptr<PenstockQueueDisc> queueDisc)
{
    NS_LOG_FUNCTION(this << device << queueDisc);
    m_queueDisc = queueDisc;
    m_above = device->GetNode()->GetObject<TrafficControlLayer>();
    NS_ABORT_MSG_IF(!m_above, "install the Internet stack on the node before the gateway");
    device->SetReceiveCallback(MakeCallback(&PenstockGateway::Receive, this));
}

bool
PenstockGateway::Receive(Ptr<NetDevice> device,
                         Ptr<const Packet> packet,
                         uint16_t protocol,
                         const Address& from)
{
    PenstockSegment segment;
    if (segment.ReadIp(packet, protocol) && (segment.flags & TcpHeader::ACK))
    {
        const uint16_t field = m_queueDisc->Rewrite(segment);
        if (field != segment.field)
        {
            packet = segment.WithWindow(packet, field);
        }
    }
    m_above->Receive(device, packet, protocol, from, device->GetAddress(), NetDevice::PACKET_HOST);
    return true;
}

} // namespace ns3

// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-feedback-echo.h"

#include "penstock-tags.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PenstockFeedbackEcho);

TypeId
PenstockFeedbackEcho::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PenstockFeedbackEcho")
                            .SetParent<Object>()
                            .SetGroupName("Internet")
                            .AddConstructor<PenstockFeedbackEcho>();
    return tid;
}

void
PenstockFeedbackEcho::Install(Ptr<TcpSocketBase> socket)
{
    const auto echo = CreateObject<PenstockFeedbackEcho>();
    socket->TraceConnectWithoutContext("Rx", MakeCallback(&PenstockFeedbackEcho::Receive, echo));
    socket->TraceConnectWithoutContext("Tx", MakeCallback(&PenstockFeedbackEcho::Send, echo));
}

/// A SYN, or the first segment whose header is missing or met a hop without support, decides.
void
PenstockFeedbackEcho::Receive(Ptr<const Packet> packet,
                              const TcpHeader& header,
                              Ptr<const TcpSocketBase>)
{
    const bool syn = (header.GetFlags() & TcpHeader::SYN) != 0;
    if (!syn && (!m_used || packet->GetSize() == 0))
    {
        return;
    }
    PenstockHeaderTag tag;
    m_used = packet->PeekPacketTag(tag) && !tag.returned && tag.silentHops == 0;
    if (!m_used || syn)
    {
        m_kind = tag.kind;
        return;
    }
    m_label = tag.feedback.label;
    m_deltaBytes =
        static_cast<int32_t>(std::clamp<int64_t>(int64_t{m_deltaBytes} + tag.feedback.delta_bytes,
                                                 INT32_MIN,
                                                 INT32_MAX));
}

void
PenstockFeedbackEcho::Send(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>)
{
    if (!m_used)
    {
        return;
    }
    PenstockHeaderTag tag;
    tag.kind = m_kind;
    tag.returned = true;
    tag.feedback.delta_bytes = m_deltaBytes;
    tag.feedback.label = m_label;
    packet->AddPacketTag(tag);
    m_deltaBytes = 0;
}

} // namespace ns3

// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-packet.h"

#include "core/discipline/discipline.h"
#include "core/gateway/kind.h"

namespace ns3
{

pst_packet
PenstockPacket::Look(Ptr<const QueueDiscItem> item)
{
    pst_packet view{};
    item->GetUint8Value(QueueItem::IP_DSFIELD, view.tos);
    view.queued_ns = static_cast<uint64_t>(item->GetTimeStamp().GetNanoSeconds());
    view.bytes = item->GetSize();
    view.kind = pst_kind_of(PST_CONTENT_OTHER, false);
    return view;
}

PenstockPacket::PenstockPacket(Ptr<QueueDiscItem> item, uint32_t discipline)
    : view(Look(item)),
      m_packet(item->GetPacket()),
      m_hasHeader(m_packet->PeekPacketTag(m_header) && !m_header.returned)
{
    if (m_hasHeader && m_header.kind == pst_discipline_feedback(discipline))
    {
        view.feedback = &m_header.feedback;
    }
}

void
PenstockPacket::Label(pst_rate* rate)
{
    m_packet->PeekPacketTag(m_label);
    view.tos = m_label.octet;
    view.label = &m_label.octet;
    view.flow_rate = rate;
}

void
PenstockPacket::CountHop()
{
    m_header.silentHops += m_hasHeader && !view.feedback;
}

void
PenstockPacket::Write()
{
    if (m_hasHeader)
    {
        m_packet->ReplacePacketTag(m_header);
    }
    if (view.label)
    {
        m_packet->ReplacePacketTag(m_label);
    }
}

} // namespace ns3

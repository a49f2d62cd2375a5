// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-tags.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PenstockHeaderTag);
NS_OBJECT_ENSURE_REGISTERED(PenstockLabelTag);

TypeId
PenstockHeaderTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PenstockHeaderTag")
                            .SetParent<Tag>()
                            .SetGroupName("TrafficControl")
                            .AddConstructor<PenstockHeaderTag>();
    return tid;
}

TypeId
PenstockHeaderTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
PenstockHeaderTag::GetSerializedSize() const
{
    return sizeof(pst_feedback) + 2 + sizeof(silentHops);
}

void
PenstockHeaderTag::Serialize(TagBuffer i) const
{
    i.WriteU32(feedback.cwnd_bytes);
    i.WriteU32(feedback.rtt_us);
    i.WriteU32(static_cast<uint32_t>(feedback.delta_bytes));
    i.WriteU32(feedback.label);
    i.WriteU8(kind);
    i.WriteU8(returned);
    i.WriteU32(silentHops);
}

void
PenstockHeaderTag::Deserialize(TagBuffer i)
{
    feedback.cwnd_bytes = i.ReadU32();
    feedback.rtt_us = i.ReadU32();
    feedback.delta_bytes = static_cast<int32_t>(i.ReadU32());
    feedback.label = i.ReadU32();
    kind = i.ReadU8();
    returned = i.ReadU8();
    silentHops = i.ReadU32();
}

void
PenstockHeaderTag::Print(std::ostream& os) const
{
    os << "kind " << +kind << ", window " << feedback.cwnd_bytes << ", RTT " << feedback.rtt_us
       << " us, change " << feedback.delta_bytes << ", label " << feedback.label;
}

TypeId
PenstockLabelTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PenstockLabelTag")
                            .SetParent<Tag>()
                            .SetGroupName("TrafficControl")
                            .AddConstructor<PenstockLabelTag>();
    return tid;
}

TypeId
PenstockLabelTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
PenstockLabelTag::GetSerializedSize() const
{
    return sizeof(octet);
}

void
PenstockLabelTag::Serialize(TagBuffer i) const
{
    i.WriteU8(octet);
}

void
PenstockLabelTag::Deserialize(TagBuffer i)
{
    octet = i.ReadU8();
}

void
PenstockLabelTag::Print(std::ostream& os) const
{
    os << "label " << +octet;
}

} // namespace ns3

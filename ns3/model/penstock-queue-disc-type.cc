// SPDX-License-Identifier: GPL-2.0-only
// The attributes and trace sources of PenstockQueueDisc.

#include "penstock-queue-disc.h"

#include "ns3/enum.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PenstockQueueDisc);

TypeId
PenstockQueueDisc::GetTypeId()
{
    static TypeId tid = PenstockSettings::AddAttributes(
        TypeId("ns3::PenstockQueueDisc")
            .SetParent<QueueDisc>()
            .SetGroupName("TrafficControl")
            .AddConstructor<PenstockQueueDisc>()
            .AddAttribute("Method",
                          "The method's name in Penstock's registry, for instance ewt",
                          StringValue("droptail"),
                          MakeStringAccessor(&PenstockQueueDisc::SetMethod,
                                             &PenstockQueueDisc::GetMethod),
                          MakeStringChecker())
            .AddAttribute("Mode",
                          "How windows are written",
                          EnumValue(PenstockQueueDisc::SAFE),
                          MakeEnumAccessor<Mode>(&PenstockQueueDisc::m_mode),
                          MakeEnumChecker(PenstockQueueDisc::SAFE,
                                          "Safe",
                                          PenstockQueueDisc::STRICT,
                                          "Strict",
                                          PenstockQueueDisc::LITERAL,
                                          "Literal"))
            .AddAttribute("MaxSize",
                          "Most that may wait: bytes or packets",
                          QueueSizeValue(QueueSize("97000B")),
                          MakeQueueSizeAccessor(&QueueDisc::SetMaxSize, &QueueDisc::GetMaxSize),
                          MakeQueueSizeChecker())
            .AddAttribute("MaxPackets",
                          "Most packets that may wait, besides a MaxSize in bytes; 0: any number",
                          UintegerValue(0),
                          MakeUintegerAccessor(&PenstockQueueDisc::m_maxPackets),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("LinkBandwidth",
                          "Rate of the link that the queue feeds; 0: unknown",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&PenstockQueueDisc::m_linkBandwidth),
                          MakeDataRateChecker())
            .AddAttribute("SegmentBytes",
                          "Usual payload of a segment",
                          UintegerValue(1460),
                          MakeUintegerAccessor(&PenstockQueueDisc::m_segmentBytes),
                          MakeUintegerChecker<uint32_t>(1, 65535))
            .AddAttribute("FlowInterval",
                          "How long a flow counts as active after its last data",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&PenstockQueueDisc::m_flowInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddTraceSource("WaitingBytes",
                            "Bytes that wait as the method sees them",
                            MakeTraceSourceAccessor(&PenstockQueueDisc::m_waiting),
                            "ns3::TracedValueCallback::Uint32")
            .AddTraceSource("GrantedWindow",
                            "Window of the last ACK sent on, in bytes",
                            MakeTraceSourceAccessor(&PenstockQueueDisc::m_window),
                            "ns3::TracedValueCallback::Uint32")
            .AddTraceSource("Decision",
                            "What was decided about an ACK",
                            MakeTraceSourceAccessor(&PenstockQueueDisc::m_decision),
                            "ns3::PenstockQueueDisc::DecisionTracedCallback")
            .AddTraceSource("Record",
                            "All that the method is told and answers, for replay elsewhere",
                            MakeTraceSourceAccessor(&PenstockQueueDisc::m_record),
                            "ns3::PenstockQueueDisc::RecordTracedCallback"),
        PenstockSettings::GetGatewayTables(),
        [](ObjectBase* object) {
            return &dynamic_cast<PenstockQueueDisc*>(object)->m_settings;
        });
    return tid;
}

} // namespace ns3

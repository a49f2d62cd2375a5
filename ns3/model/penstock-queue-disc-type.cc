// SPDX-License-Identifier: GPL-2.0-only
// The attributes and trace sources of PenstockQueueDisc.

#include "penstock-queue-disc.h"

#include "core/describe.h"

#include "ns3/enum.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PenstockQueueDisc);

static_assert(PenstockQueueDisc::SAFE + 0 == PST_SAFE);
static_assert(PenstockQueueDisc::STRICT + 0 == PST_STRICT);
static_assert(PenstockQueueDisc::LITERAL + 0 == PST_LITERAL);

namespace
{

constexpr uint64_t BITS = 8;

/// The number of the row of that name; aborts without one.
template <class Rows>
uint32_t
Find(const Rows& rows, const std::string& name, const char* what)
{
    uint32_t number = 0;
    for (const auto& row : rows)
    {
        if (name == row.name)
        {
            return number;
        }
        ++number;
    }
    NS_ABORT_MSG("there is no Penstock " << what << " '" << name << "'");
}

/// The same; aborts for one with several queues, as there is one FIFO.
uint32_t
RequireFifo(uint32_t discipline)
{
    NS_ABORT_MSG_IF(pst_discipline_schedules(discipline),
                    "the Penstock queue discipline '" << pst_discipline_rows[discipline].name
                                                      << "' needs several queues, and here is "
                                                         "one FIFO");
    return discipline;
}

} // namespace

void
PenstockQueueDisc::SetMethod(std::string name)
{
    const pst_variant_row& row = pst_variant_rows[Find(pst_variant_rows, name, "method")];
    m_method = name;
    m_discipline = RequireFifo(row.discipline);
    m_law = row.law;
    m_signal = row.signal;
}

std::string
PenstockQueueDisc::GetMethod() const
{
    return m_method;
}

void
PenstockQueueDisc::SetDiscipline(std::string name)
{
    if (!name.empty())
    {
        m_discipline = RequireFifo(Find(pst_discipline_rows, name, "queue discipline"));
    }
}

std::string
PenstockQueueDisc::GetDiscipline() const
{
    return pst_discipline_rows[m_discipline].name;
}

void
PenstockQueueDisc::SetLaw(std::string name)
{
    if (!name.empty())
    {
        m_law = Find(pst_law_rows, name, "law");
    }
}

std::string
PenstockQueueDisc::GetLaw() const
{
    return pst_law_rows[m_law].name;
}

void
PenstockQueueDisc::SetSignal(std::string name)
{
    if (!name.empty())
    {
        m_signal = Find(pst_signal_rows, name, "signal");
    }
}

std::string
PenstockQueueDisc::GetSignal() const
{
    return pst_signal_rows[m_signal].name;
}

void
PenstockQueueDisc::SetParameter(const std::string& field, uint64_t value)
{
    const std::size_t dot = field.find('.');
    const std::string part = dot == std::string::npos ? "" : field.substr(0, dot);
    const std::string name = field.substr(part.empty() ? 0 : dot + 1);
    bool found = false;
    if (part.empty() || part == GetDiscipline())
    {
        found = m_settings.SetField(m_discipline, name, value);
    }
    if (part.empty() || part == GetLaw())
    {
        found = m_settings.SetField(PST_DISCIPLINE_COUNT + m_law, name, value) || found;
    }
    NS_ABORT_MSG_IF(!found,
                    "neither " << GetDiscipline() << " nor " << GetLaw() << " has a parameter "
                               << field);
}

TypeId
PenstockQueueDisc::GetTypeId()
{
    static TypeId tid = PenstockSettings::AddAttributes(
        TypeId("ns3::PenstockQueueDisc")
            .SetParent<QueueDisc>()
            .SetGroupName("TrafficControl")
            .AddConstructor<PenstockQueueDisc>()
            .AddAttribute(
                "Method",
                "A variant of Penstock's: discipline, law and signal, such as ewt",
                StringValue("droptail"),
                MakeStringAccessor(&PenstockQueueDisc::SetMethod, &PenstockQueueDisc::GetMethod),
                MakeStringChecker())
            .AddAttribute("Discipline",
                          "The queue discipline, in place of the method's; empty: the method's",
                          StringValue(""),
                          MakeStringAccessor(&PenstockQueueDisc::SetDiscipline,
                                             &PenstockQueueDisc::GetDiscipline),
                          MakeStringChecker())
            .AddAttribute(
                "Law",
                "The window law, in place of the method's; empty: the method's",
                StringValue(""),
                MakeStringAccessor(&PenstockQueueDisc::SetLaw, &PenstockQueueDisc::GetLaw),
                MakeStringChecker())
            .AddAttribute(
                "Signal",
                "What becomes of early events: drop, ecn or window; empty: the method's",
                StringValue(""),
                MakeStringAccessor(&PenstockQueueDisc::SetSignal, &PenstockQueueDisc::GetSignal),
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
        [](ObjectBase* object) { return &dynamic_cast<PenstockQueueDisc*>(object)->m_settings; });
    return tid;
}

pst_queue
PenstockQueueDisc::MakeFirstView() const
{
    const bool inPackets = GetMaxSize().GetUnit() == QueueSizeUnit::PACKETS;
    const uint64_t size = GetMaxSize().GetValue();
    pst_queue view{};
    view.limit_packets = inPackets ? size : m_maxPackets;
    view.limit_bytes =
        pst_queue_limit_bytes(inPackets ? 0 : size, view.limit_packets, m_segmentBytes);
    view.rate_bytes_per_s = m_linkBandwidth.GetBitRate() / BITS;
    view.flows = 1;
    view.mss_bytes = m_segmentBytes;
    return view;
}

} // namespace ns3

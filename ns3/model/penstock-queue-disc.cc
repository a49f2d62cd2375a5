// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-queue-disc.h"

#include "penstock-control.h"
#include "penstock-segment.h"

#include "core/control/describe.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"

#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PenstockQueueDisc");

namespace
{

constexpr int64_t BITS = 8;

/// The port of the data's sender, by which a record tells flows apart.
uint32_t
Port(const PenstockSegment::Key& key)
{
    return key[32] << 8U | key[33];
}

/// ECT(0) or ECT(1), RFC 3168 section 5.
bool
IsEcnCapable(Ptr<const QueueDiscItem> item)
{
    uint8_t dsField = 0;
    const bool known = item->GetUint8Value(QueueItem::IP_DSFIELD, dsField);
    const uint8_t codepoint = dsField & 3;
    return known && (codepoint == 1 || codepoint == 2);
}

} // namespace

template <class... Numbers>
void
PenstockQueueDisc::Record(const char* event, Numbers... numbers)
{
    if (!m_record.IsEmpty())
    {
        const pst_queue& q = m_control->GetQueue();
        std::ostringstream line;
        line << event << ' ' << q.now_ns << ' ' << q.bytes << ' ' << q.packets << ' ' << q.flows;
        ((line << ' ' << numbers), ...);
        m_record(line.str());
    }
}

PenstockQueueDisc::PenstockQueueDisc()
    : QueueDisc(QueueDiscSizePolicy::SINGLE_INTERNAL_QUEUE),
      m_settings(PenstockSettings::GetGatewayTables()),
      m_method(PST_METHOD_DROPTAIL),
      m_mode(SAFE),
      m_random(CreateObject<UniformRandomVariable>()),
      m_handedBytes(0)
{
    NS_LOG_FUNCTION(this);
}

PenstockQueueDisc::~PenstockQueueDisc()
{
    NS_LOG_FUNCTION(this);
}

void
PenstockQueueDisc::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_tick.Cancel();
    m_deviceQueue = nullptr;
    m_random = nullptr;
    m_control.reset();
    QueueDisc::DoDispose();
}

void
PenstockQueueDisc::SetMethod(std::string name)
{
    m_method = pst_method_find(name.c_str());
    NS_ABORT_MSG_IF(m_method == PST_METHOD_COUNT, "there is no Penstock method '" << name << "'");
}

std::string
PenstockQueueDisc::GetMethod() const
{
    return pst_method_rows[m_method].name;
}

void
PenstockQueueDisc::SetDeviceQueue(Ptr<Queue<Packet>> queue)
{
    NS_ABORT_MSG_IF(m_deviceQueue, "the device's queue is set already");
    m_deviceQueue = queue;
    queue->TraceConnectWithoutContext("Dequeue",
                                      MakeCallback(&PenstockQueueDisc::DeviceDequeued, this));
}

void
PenstockQueueDisc::SetParameter(const std::string& field, uint64_t value)
{
    NS_ABORT_MSG_IF(!m_settings.SetField(m_method, field, value),
                    GetMethod() << " has no parameter " << field);
}

int64_t
PenstockQueueDisc::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

uint32_t
PenstockQueueDisc::GetWaitingBytes() const
{
    return GetNBytes() + m_handedBytes;
}

bool
PenstockQueueDisc::CheckConfig()
{
    NS_LOG_FUNCTION(this);
    if (GetNQueueDiscClasses() > 0)
    {
        NS_LOG_ERROR("PenstockQueueDisc cannot have classes");
        return false;
    }
    if (GetNPacketFilters() > 0)
    {
        NS_LOG_ERROR("PenstockQueueDisc needs no packet filter");
        return false;
    }
    if (GetNInternalQueues() == 0)
    {
        AddInternalQueue(
            CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>>("MaxSize",
                                                                     QueueSizeValue(GetMaxSize())));
    }
    if (GetNInternalQueues() != 1)
    {
        NS_LOG_ERROR("PenstockQueueDisc needs one internal queue");
        return false;
    }
    return GetMaxSize().GetValue() > 0;
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

void
PenstockQueueDisc::InitializeParams()
{
    NS_LOG_FUNCTION(this);
    const pst_queue view = MakeFirstView();
    pst_params params{};
    m_settings.Fill(m_method, &params, view.limit_bytes);
    m_control = std::make_unique<PenstockControl>(
        m_method,
        static_cast<uint32_t>(m_mode),
        params,
        view,
        static_cast<uint64_t>(m_flowInterval.GetNanoSeconds()));
    if (m_control->GetIntervalNs())
    {
        m_tick = Simulator::Schedule(NanoSeconds(m_control->GetIntervalNs()),
                                     &PenstockQueueDisc::Tick,
                                     this);
    }
}

pst_queue&
PenstockQueueDisc::RefreshView()
{
    pst_queue& view = m_control->GetQueue();
    view.now_ns = static_cast<uint64_t>(Simulator::Now().GetNanoSeconds());
    view.bytes = GetWaitingBytes();
    view.packets = GetNPackets() + m_handed.size();
    m_waiting = GetWaitingBytes();
    return view;
}

bool
PenstockQueueDisc::Fits(Ptr<const QueueDiscItem> item) const
{
    const pst_queue& view = m_control->GetQueue();
    const bool inPackets = GetMaxSize().GetUnit() == QueueSizeUnit::PACKETS;
    return (inPackets || view.bytes + item->GetSize() <= view.limit_bytes) &&
           (!view.limit_packets || view.packets < view.limit_packets);
}

bool
PenstockQueueDisc::DoEnqueue(Ptr<QueueDiscItem> item)
{
    NS_LOG_FUNCTION(this << item);
    pst_queue& view = RefreshView();
    PenstockSegment segment;
    if (segment.ReadItem(item))
    {
        m_control->SeeForward(segment);
        Record("data", Port(segment.key),
                    segment.seq,
                    segment.payloadBytes,
                    static_cast<uint32_t>(segment.flags),
                    static_cast<uint32_t>(segment.scaleOption));
    }
    view.random = m_random->GetInteger(0, UINT32_MAX);
    const pst_verdict verdict = m_control->OnEnqueue({item->GetSize(), IsEcnCapable(item), 0});
    Record("enqueue", view.random,
                item->GetSize(),
                IsEcnCapable(item),
                static_cast<uint32_t>(verdict));
    if (verdict == PST_DROP)
    {
        DropBeforeEnqueue(item, METHOD_DROP);
        return false;
    }
    if (!Fits(item))
    {
        DropBeforeEnqueue(item, LIMIT_DROP);
        return false;
    }
    if (verdict == PST_MARK)
    {
        Mark(item, METHOD_MARK);
    }
    const bool held = GetInternalQueue(0)->Enqueue(item);
    m_waiting = GetWaitingBytes();
    return held;
}

Ptr<QueueDiscItem>
PenstockQueueDisc::DoDequeue()
{
    NS_LOG_FUNCTION(this);
    Ptr<QueueDiscItem> item = GetInternalQueue(0)->Dequeue();
    if (!item)
    {
        return nullptr;
    }
    const Handed handed{item->GetSize(), IsEcnCapable(item)};
    if (!m_deviceQueue)
    {
        Left(handed.bytes, handed.ecnCapable);
        return item;
    }
    m_handed.push_back(handed);
    m_handedBytes += handed.bytes;
    return item;
}

void
PenstockQueueDisc::DeviceDequeued(Ptr<const Packet> packet)
{
    NS_LOG_FUNCTION(this << packet);
    if (m_handed.empty())
    {
        return; // it did not come from here
    }
    const Handed handed = m_handed.front();
    m_handed.pop_front();
    m_handedBytes -= handed.bytes;
    Left(handed.bytes, handed.ecnCapable);
}

void
PenstockQueueDisc::Left(uint32_t bytes, bool ecnCapable)
{
    RefreshView();
    m_control->OnDequeue({bytes, ecnCapable, 0});
    Record("dequeue", bytes);
}

void
PenstockQueueDisc::Tick()
{
    RefreshView();
    m_control->OnTick();
    Record("tick");
    m_tick = Simulator::Schedule(NanoSeconds(m_control->GetIntervalNs()),
                                 &PenstockQueueDisc::Tick,
                                 this);
}

uint16_t
PenstockQueueDisc::Rewrite(const PenstockSegment& segment)
{
    NS_LOG_FUNCTION(this);
    if (!m_control)
    {
        return segment.field;
    }
    RefreshView().random = m_random->GetInteger(0, UINT32_MAX);
    const PenstockControl::Answer answer = m_control->OnAck(segment);
    const auto windowBytes = static_cast<uint32_t>(answer.windowBytes);
    m_window = windowBytes;
    m_decision(answer.limit, windowBytes, answer.field != segment.field);
    Record("ack", Port(segment.GetReverseKey()),
                m_control->GetQueue().random,
                segment.ack,
                segment.field,
                segment.payloadBytes,
                static_cast<uint32_t>(segment.flags),
                static_cast<uint32_t>(segment.scaleOption),
                answer.field,
                answer.limit);
    return answer.field;
}

} // namespace ns3

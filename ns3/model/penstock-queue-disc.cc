// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-queue-disc.h"

#include "penstock-control.h"
#include "penstock-packet.h"
#include "penstock-segment.h"

#include "core/describe.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"

#include <cstring>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PenstockQueueDisc");

namespace
{

/// The port of the data's sender, by which a record tells flows apart.
uint32_t
Port(const PenstockSegment::Key& key)
{
    return key[32] << 8U | key[33];
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

template <class... Numbers>
void
PenstockQueueDisc::RecordVerdict(const char* event,
                                 const pst_packet& packet,
                                 uint32_t verdict,
                                 Numbers... numbers)
{
    Record(event,
           m_control->GetQueue().random,
           packet.bytes,
           pst_packet_ecn_capable(&packet),
           verdict,
           numbers...);
}

PenstockQueueDisc::PenstockQueueDisc()
    : QueueDisc(QueueDiscSizePolicy::SINGLE_INTERNAL_QUEUE),
      m_settings(PenstockSettings::GetGatewayTables()),
      m_discipline(PST_DISCIPLINE_DROPTAIL),
      m_law(PST_LAW_NONE),
      m_signal(PST_SIGNAL_DROP),
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
PenstockQueueDisc::SetDeviceQueue(Ptr<Queue<Packet>> queue)
{
    NS_ABORT_MSG_IF(m_deviceQueue, "the device's queue is set already");
    m_deviceQueue = queue;
    queue->TraceConnectWithoutContext("Dequeue",
                                      MakeCallback(&PenstockQueueDisc::DeviceDequeued, this));
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

uint32_t
PenstockQueueDisc::GetWaitingPackets() const
{
    return GetNPackets() + static_cast<uint32_t>(m_handed.size());
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

void
PenstockQueueDisc::InitializeParams()
{
    NS_LOG_FUNCTION(this);
    const pst_queue view = MakeFirstView();
    pst_gateway_config config;
    std::memset(&config, 0, sizeof(config));
    config.discipline = m_discipline;
    config.law = m_law;
    config.signal = m_signal;
    config.mode = static_cast<uint32_t>(m_mode);
    config.flow_interval_ns = static_cast<uint64_t>(m_flowInterval.GetNanoSeconds());
    m_settings.Fill(m_discipline, &config.discipline_params, view.limit_bytes);
    m_settings.Fill(PST_DISCIPLINE_COUNT + m_law, &config.law_params, view.limit_bytes);
    m_control = std::make_unique<PenstockControl>(config, view);
    ScheduleTick(m_control->GetNextTickNs());
}

void
PenstockQueueDisc::ScheduleTick(uint64_t afterNs)
{
    if (afterNs)
    {
        m_tick = Simulator::Schedule(NanoSeconds(afterNs), &PenstockQueueDisc::Tick, this);
    }
}

pst_queue&
PenstockQueueDisc::RefreshView()
{
    pst_queue& view = m_control->GetQueue();
    view.now_ns = static_cast<uint64_t>(Simulator::Now().GetNanoSeconds());
    view.bytes = GetWaitingBytes();
    view.packets = GetWaitingPackets();
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

/// A packet on its way into the queue, for the functions that pst_port_out() takes.
struct PenstockQueueDisc::Arrival
{
    PenstockQueueDisc* disc; //!< whose queue it is
    PenstockPacket packet;   //!< as core sees it
    uint32_t hash;           //!< of its flow
    PenstockSegment segment; //!< if it is TCP
    bool isTcp;              //!< whether it is

    /// The events of its flow.
    static pst_verdict See(void* host, pst_queue* queue, pst_packet* packet);
    /// The discipline's verdict.
    static pst_verdict Judge(void* host, pst_queue* queue, pst_packet* packet);
};

pst_verdict
PenstockQueueDisc::Arrival::See(void* host, pst_queue* /* queue */, pst_packet* packet)
{
    const Arrival& arrival = *static_cast<Arrival*>(host);
    const PenstockSegment& segment = arrival.segment;
    PenstockQueueDisc& disc = *arrival.disc;
    disc.Record("look");
    disc.m_control->See(*packet, arrival.isTcp ? &segment : nullptr, arrival.hash);
    if (arrival.isTcp)
    {
        disc.Record("data",
                    Port(segment.key),
                    segment.seq,
                    segment.payloadBytes,
                    static_cast<uint32_t>(segment.flags),
                    static_cast<uint32_t>(segment.scaleOption));
    }
    return PST_PASS;
}

pst_verdict
PenstockQueueDisc::Arrival::Judge(void* host, pst_queue* queue, pst_packet* packet)
{
    Arrival& arrival = *static_cast<Arrival*>(host);
    PenstockQueueDisc& disc = *arrival.disc;
    queue->random = disc.m_random->GetInteger(0, UINT32_MAX);
    if (pst_rate* rate = disc.m_control->GetRate(arrival.hash))
    {
        arrival.packet.Label(rate);
    }
    arrival.packet.CountHop();
    const pst_verdict verdict = disc.m_control->Arrive(*packet);
    arrival.packet.Write();
    const uint32_t kind{packet->kind};
    disc.RecordVerdict("arrive",
                       *packet,
                       verdict,
                       kind,
                       packet->restrained,
                       packet->elastic,
                       packet->flow);
    return verdict;
}

bool
PenstockQueueDisc::DoEnqueue(Ptr<QueueDiscItem> item)
{
    NS_LOG_FUNCTION(this << item);
    RefreshView();
    Arrival arrival{this, {item, m_discipline}, item->Hash(), {}, false};
    arrival.isTcp = arrival.segment.ReadItem(item);
    pst_packet& packet = arrival.packet.view;
    const uint32_t verdict = m_control->Out(packet, &arrival, Arrival::See, Arrival::Judge);
    if (verdict == PST_DROP)
    {
        DropBeforeEnqueue(item, METHOD_DROP);
        return false;
    }
    if (!Fits(item))
    {
        m_control->Overflow(packet);
        Record("overflow", packet.bytes);
        DropBeforeEnqueue(item, LIMIT_DROP);
        return false;
    }
    if (verdict == PST_MARK)
    {
        Mark(item, METHOD_MARK);
    }
    const bool held = GetInternalQueue(0)->Enqueue(item);
    RefreshView();
    m_control->Queued(packet);
    Record("accepted", packet.bytes);
    return held;
}

Ptr<QueueDiscItem>
PenstockQueueDisc::NextThatLeaves()
{
    if (!pst_discipline_decides_at_departure(m_discipline))
    {
        return GetInternalQueue(0)->Dequeue();
    }
    while (Ptr<QueueDiscItem> item = GetInternalQueue(0)->Dequeue())
    {
        PenstockPacket head(item, m_discipline);
        const pst_packet& packet = head.view;
        pst_queue& view = RefreshView();
        view.random = m_random->GetInteger(0, UINT32_MAX);
        const pst_verdict verdict = m_control->Leave(packet);
        head.Write();
        RecordVerdict("leave", packet, verdict, packet.queued_ns);
        switch (verdict)
        {
        case PST_DROP:
            DropAfterDequeue(item, METHOD_DROP);
            Left(packet);
            continue;
        case PST_MARK:
            Mark(item, METHOD_MARK);
            return item;
        case PST_PASS:
        case PST_SIGNAL:
            return item;
        }
    }
    return nullptr;
}

Ptr<QueueDiscItem>
PenstockQueueDisc::DoDequeue()
{
    NS_LOG_FUNCTION(this);
    Ptr<QueueDiscItem> item = NextThatLeaves();
    if (!item)
    {
        return nullptr;
    }
    const pst_packet packet = PenstockPacket::Look(item);
    if (!m_deviceQueue)
    {
        Left(packet);
        return item;
    }
    m_handed.push_back(packet);
    m_handedBytes += packet.bytes;
    RefreshView();
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
    const pst_packet handed = m_handed.front();
    m_handed.pop_front();
    m_handedBytes -= handed.bytes;
    Left(handed);
}

void
PenstockQueueDisc::Left(const pst_packet& packet)
{
    RefreshView();
    m_control->Left(packet);
    Record("left", packet.bytes, packet.queued_ns);
}

void
PenstockQueueDisc::Tick()
{
    RefreshView();
    const uint64_t nextNs = m_control->Tick();
    Record("tick");
    ScheduleTick(nextNs);
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
    Record("ack",
           Port(segment.GetReverseKey()),
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

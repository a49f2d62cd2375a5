// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-congestion-ops.h"

#include "penstock-tags.h"

#include "core/describe.h"
#include "core/sender/control.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PenstockCongestionOps");

NS_OBJECT_ENSURE_REGISTERED(PenstockCongestionOps);

/// Parameters and state of the method.
struct PenstockCongestionOps::Law
{
    pst_sender_params params{}; //!< set once
    pst_sender_state state{};   //!< what the method remembers
};

namespace
{

uint64_t
Nanoseconds(Time t)
{
    return static_cast<uint64_t>(std::max<int64_t>(t.GetNanoSeconds(), 0));
}

/// ns-3 has no "no limit yet" but the largest number.
uint64_t
Threshold(uint32_t bytes)
{
    return bytes == UINT32_MAX ? PST_SSTHRESH_MAX : bytes;
}

uint32_t
Fitting(uint64_t bytes)
{
    return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
}

pst_cwnd
WindowOf(Ptr<const TcpSocketState> tcb)
{
    return {tcb->m_cWnd, Threshold(tcb->m_ssThresh)};
}

} // namespace

pst_sender_view
PenstockCongestionOps::MakeView(Ptr<const TcpSocketState> tcb, uint32_t flightBytes) const
{
    const auto outstanding = std::max(tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq, 0);
    pst_sender_view view{};
    view.now_ns = Nanoseconds(Simulator::Now());
    view.delivered_bytes = m_delivered.una + m_delivered.above;
    view.flight_bytes = flightBytes;
    view.srtt_ns = Nanoseconds(tcb->m_srtt.Get());
    view.min_rtt_ns = tcb->m_minRtt == Time::Max() ? 0 : Nanoseconds(tcb->m_minRtt);
    view.una = m_delivered.una;
    view.sent = m_delivered.una + static_cast<uint64_t>(outstanding);
    view.mss_bytes = tcb->m_segmentSize;
    view.cwnd_limited = tcb->m_isCwndLimited;
    view.window_bytes = m_delivered.windowBytes;
    view.feedback_bytes = m_returned.deltaBytes;
    view.feedback_label = m_returned.label;
    view.has_feedback = m_returned.used;
    return view;
}

/// A new cumulative acknowledgment drops what duplicates without SACK were taken for.
void
PenstockCongestionOps::Delivered::Count(Ptr<const TcpSocketState> tcb)
{
    const auto advance = static_cast<uint64_t>(std::max(tcb->m_lastAckedSeq - lastSeq, 0));
    const uint64_t delivered = tcb->m_lastAckedSackedBytes;
    if (advance == 0)
    {
        guessed = guessed || delivered == 0;
        above += delivered ? delivered : tcb->m_segmentSize;
        return;
    }
    above = guessed ? 0 : pst_sub_floor(above + delivered, advance);
    guessed = false;
    una += advance;
    lastSeq = tcb->m_lastAckedSeq;
}

void
PenstockCongestionOps::Init(Ptr<TcpSocketState> tcb)
{
    m_tcb = tcb;
    if (pst_sender_has(m_method, PST_SENDER_HAS_paces))
    {
        tcb->m_pacing = true; // ns-3 spreads segments, not bursts
        tcb->m_pacingSsRatio = 100;
        tcb->m_pacingCaRatio = 100;
    }
}

void
PenstockCongestionOps::Watch(Ptr<TcpSocketBase> socket)
{
    const Ptr<PenstockCongestionOps> self(this);
    socket->TraceConnectWithoutContext("RWND",
                                       MakeCallback(&PenstockCongestionOps::SeeWindow, self));
    m_returned.used = pst_sender_feedback(m_method) != PST_FEEDBACK_NONE;
    if (m_returned.used)
    {
        socket->TraceConnectWithoutContext("Tx", MakeCallback(&PenstockCongestionOps::Stamp, self));
        socket->TraceConnectWithoutContext("Rx", MakeCallback(&PenstockCongestionOps::Take, self));
    }
}

void
PenstockCongestionOps::SeeWindow(uint32_t, uint32_t windowBytes)
{
    m_delivered.windowBytes = windowBytes;
}

/// SYNs carry an empty header: it finds out whether path and receiver speak it.
void
PenstockCongestionOps::Stamp(Ptr<const Packet> packet,
                             const TcpHeader& header,
                             Ptr<const TcpSocketBase>)
{
    const bool syn = (header.GetFlags() & TcpHeader::SYN) != 0;
    if (!m_returned.used || (!syn && packet->GetSize() == 0))
    {
        return;
    }
    PenstockHeaderTag tag;
    tag.kind = static_cast<uint8_t>(pst_sender_feedback(m_method));
    if (!syn)
    {
        const Law& law = GetLaw(m_tcb);
        const pst_sender_view view = MakeView(m_tcb, m_tcb->m_bytesInFlight);
        const pst_cwnd window = WindowOf(m_tcb);
        pst_sender_stamp(m_method, &law.params, &law.state, &view, &window, &tag.feedback);
    }
    packet->AddPacketTag(tag);
}

/// An ACK without the header ends its use: receiver or a router lacks support.
void
PenstockCongestionOps::Take(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>)
{
    PenstockHeaderTag tag;
    m_returned.used = m_returned.used && packet->PeekPacketTag(tag);
    m_returned.deltaBytes = m_returned.used ? tag.feedback.delta_bytes : 0;
    m_returned.label = m_returned.used ? tag.feedback.label : 0;
}

TypeId
PenstockCongestionOps::GetTypeId()
{
    static TypeId tid = PenstockSettings::AddAttributes(
        TypeId("ns3::PenstockCongestionOps")
            .SetParent<TcpCongestionOps>()
            .SetGroupName("Internet")
            .AddConstructor<PenstockCongestionOps>()
            .AddAttribute("Method",
                          "The method's name in Penstock's registry of senders",
                          StringValue("newreno"),
                          MakeStringAccessor(&PenstockCongestionOps::SetMethod,
                                             &PenstockCongestionOps::GetMethod),
                          MakeStringChecker()),
        PenstockSettings::GetSenderTables(),
        [](ObjectBase* object) {
            return &dynamic_cast<PenstockCongestionOps*>(object)->m_settings;
        });
    return tid;
}

PenstockCongestionOps::PenstockCongestionOps()
    : m_settings(PenstockSettings::GetSenderTables()),
      m_method(PST_SENDER_NEWRENO)
{
    NS_LOG_FUNCTION(this);
}

PenstockCongestionOps::PenstockCongestionOps(const PenstockCongestionOps& other)
    : TcpCongestionOps(other),
      m_settings(other.m_settings),
      m_method(other.m_method)
{
    NS_LOG_FUNCTION(this);
}

PenstockCongestionOps::~PenstockCongestionOps()
{
    NS_LOG_FUNCTION(this);
}

void
PenstockCongestionOps::SetMethod(std::string name)
{
    m_method = pst_sender_find(name.c_str());
    NS_ABORT_MSG_IF(m_method == PST_SENDER_COUNT,
                    "there is no Penstock sender method '" << name << "'");
    NS_ABORT_MSG_IF(pst_sender_recovers_one(m_method),
                    "ns-3 has no recovery as " << name << " has it");
    NS_ABORT_MSG_IF(pst_sender_has_rate(m_method),
                    name << " needs samples of the delivery rate, which are not taken over");
    NS_ABORT_MSG_IF(pst_sender_hears_marks(m_method),
                    name << " needs a receiver that echoes each mark, which is not taken over");
    const uint32_t feedback = pst_sender_feedback(m_method);
    NS_ABORT_MSG_IF(feedback == PST_FEEDBACK_QUICK_START || feedback == PST_FEEDBACK_FBA,
                    name << " needs more of the receiver than that ACKs return its header");
}

std::string
PenstockCongestionOps::GetMethod() const
{
    return pst_sender_rows[m_method].name;
}

void
PenstockCongestionOps::SetParameter(const std::string& field, uint64_t value)
{
    NS_ABORT_MSG_IF(!m_settings.SetField(m_method, field, value),
                    GetMethod() << " has no parameter " << field);
}

PenstockCongestionOps::Law&
PenstockCongestionOps::GetLaw(Ptr<const TcpSocketState> tcb)
{
    if (!m_law)
    {
        m_law = std::make_unique<Law>();
        m_settings.Fill(m_method, &m_law->params, 0);
        m_delivered.lastSeq = tcb->m_lastAckedSeq;
        pst_sender_view view = MakeView(tcb, 0);
        view.sent = view.una; // as when the connection was established
        pst_cwnd window = WindowOf(tcb);
        pst_sender_init(m_method, &m_law->params, &m_law->state, &view, &window);
    }
    return *m_law;
}

std::string
PenstockCongestionOps::GetName() const
{
    return "Penstock " + GetMethod();
}

uint32_t
PenstockCongestionOps::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t)
{
    const auto flightBytes =
        static_cast<uint32_t>(std::max(tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq, 0));
    Law& law = GetLaw(tcb);
    pst_sender_view view = MakeView(tcb, flightBytes);
    const pst_cwnd window = WindowOf(tcb);
    // ns-3 asks before it enters CA_LOSS, and after it has entered CA_RECOVERY.
    const bool recovery = m_recovering;
    m_recovering = false;
    const bool echo = tcb->m_ecnState == TcpSocketState::ECN_ECE_RCVD;
    const pst_congestion why = recovery ? PST_LOSS : echo ? PST_ECN : PST_TIMEOUT;
    return Fitting(pst_sender_congestion(m_method, &law.params, &law.state, &view, &window, why));
}

void
PenstockCongestionOps::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    if (m_recovered)
    {
        m_recovered = false;
        return;
    }
    Law& law = GetLaw(tcb);
    pst_sender_view view = MakeView(tcb, tcb->m_bytesInFlight);
    view.acked_bytes = static_cast<uint64_t>(segmentsAcked) * tcb->m_segmentSize;
    view.flight_bytes += view.acked_bytes; // before this ACK
    view.rtt_ns = Nanoseconds(tcb->m_lastRtt.Get());
    pst_cwnd window = WindowOf(tcb);
    const pst_cwnd before = window;
    pst_sender_ack(m_method, &law.params, &law.state, &view, &window);
    tcb->m_cWnd = Fitting(window.bytes);
    if (window.ssthresh_bytes != before.ssthresh_bytes) // Vegas
    {
        tcb->m_ssThresh = Fitting(window.ssthresh_bytes);
    }
}

void
PenstockCongestionOps::PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt)
{
    NS_LOG_FUNCTION(this << tcb << segmentsAcked << rtt);
    Law& law = GetLaw(tcb);
    m_delivered.Count(tcb);
    if (pst_sender_samples(m_method))
    {
        pst_sender_view view = MakeView(tcb, tcb->m_bytesInFlight);
        view.rtt_ns = Nanoseconds(tcb->m_lastRtt.Get());
        pst_cwnd window = WindowOf(tcb);
        const uint64_t before = window.bytes;
        pst_sender_sample(m_method, &law.params, &law.state, &view, &window);
        m_returned.deltaBytes = 0;  // an ACK may be sampled twice
        if (window.bytes != before) // XCP
        {
            tcb->m_cWndInfl = Fitting(pst_sub_floor(tcb->m_cWndInfl + window.bytes, before));
            tcb->m_cWnd = Fitting(window.bytes);
        }
    }
}

void
PenstockCongestionOps::CongestionStateSet(Ptr<TcpSocketState> tcb,
                                          const TcpSocketState::TcpCongState_t newState)
{
    m_recovering = newState == TcpSocketState::CA_RECOVERY;
    const auto before = tcb->m_congState.Get();
    if (newState != TcpSocketState::CA_OPEN ||
        (before != TcpSocketState::CA_RECOVERY && before != TcpSocketState::CA_LOSS))
    {
        return;
    }
    Law& law = GetLaw(tcb);
    const pst_sender_view view = MakeView(tcb, tcb->m_bytesInFlight);
    pst_cwnd window = WindowOf(tcb);
    pst_sender_recovered(m_method, &law.params, &law.state, &view, &window);
}

void
PenstockCongestionOps::CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event)
{
    m_recovered = event == TcpSocketState::CA_EVENT_COMPLETE_CWR &&
                  tcb->m_congState == TcpSocketState::CA_RECOVERY;
}

Ptr<TcpCongestionOps>
PenstockCongestionOps::Fork()
{
    return CopyObject<PenstockCongestionOps>(this);
}

} // namespace ns3

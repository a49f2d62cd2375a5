// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-congestion-ops.h"

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

    /// What the method sees of the connection.
    static pst_sender_view MakeView(Ptr<const TcpSocketState> tcb,
                                    const Delivered& delivered,
                                    uint32_t flightBytes);
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

} // namespace

pst_sender_view
PenstockCongestionOps::Law::MakeView(Ptr<const TcpSocketState> tcb,
                                     const Delivered& delivered,
                                     uint32_t flightBytes)
{
    const auto outstanding = std::max(tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq, 0);
    pst_sender_view view{};
    view.now_ns = Nanoseconds(Simulator::Now());
    view.delivered_bytes = delivered.una + delivered.above;
    view.flight_bytes = flightBytes;
    view.srtt_ns = Nanoseconds(tcb->m_srtt.Get());
    view.min_rtt_ns = tcb->m_minRtt == Time::Max() ? 0 : Nanoseconds(tcb->m_minRtt);
    view.una = delivered.una;
    view.sent = delivered.una + static_cast<uint64_t>(outstanding);
    view.mss_bytes = tcb->m_segmentSize;
    view.cwnd_limited = tcb->m_isCwndLimited;
    view.window_bytes = delivered.windowBytes;
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
PenstockCongestionOps::SeeWindow(uint32_t, uint32_t windowBytes)
{
    m_delivered.windowBytes = windowBytes;
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
        pst_sender_view view = Law::MakeView(tcb, m_delivered, 0);
        view.sent = view.una; // as when the connection was established
        pst_cwnd window{tcb->m_cWnd, Threshold(tcb->m_ssThresh)};
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
    pst_sender_view view = Law::MakeView(tcb, m_delivered, flightBytes);
    const pst_cwnd window{tcb->m_cWnd, Threshold(tcb->m_ssThresh)};
    // ns-3 asks before it enters CA_LOSS, and after it has entered CA_RECOVERY.
    const bool recovery = m_recovering;
    m_recovering = false;
    const bool echo = tcb->m_ecnState == TcpSocketState::ECN_ECE_RCVD;
    const pst_congestion why = recovery ? PST_LOSS : echo ? PST_ECN : PST_TIMEOUT;
    return static_cast<uint32_t>(std::min<uint64_t>(
        pst_sender_congestion(m_method, &law.params, &law.state, &view, &window, why),
        UINT32_MAX));
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
    pst_sender_view view = Law::MakeView(tcb, m_delivered, tcb->m_bytesInFlight);
    view.acked_bytes = static_cast<uint64_t>(segmentsAcked) * tcb->m_segmentSize;
    view.flight_bytes += view.acked_bytes; // before this ACK
    view.rtt_ns = Nanoseconds(tcb->m_lastRtt.Get());
    pst_cwnd window{tcb->m_cWnd, Threshold(tcb->m_ssThresh)};
    const pst_cwnd before = window;
    pst_sender_ack(m_method, &law.params, &law.state, &view, &window);
    tcb->m_cWnd = static_cast<uint32_t>(std::min<uint64_t>(window.bytes, UINT32_MAX));
    if (window.ssthresh_bytes != before.ssthresh_bytes) // Vegas
    {
        tcb->m_ssThresh =
            static_cast<uint32_t>(std::min<uint64_t>(window.ssthresh_bytes, UINT32_MAX));
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
        pst_sender_view view = Law::MakeView(tcb, m_delivered, tcb->m_bytesInFlight);
        view.rtt_ns = Nanoseconds(tcb->m_lastRtt.Get());
        pst_cwnd window{tcb->m_cWnd, Threshold(tcb->m_ssThresh)};
        pst_sender_sample(m_method, &law.params, &law.state, &view, &window);
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
    const pst_sender_view view = Law::MakeView(tcb, m_delivered, tcb->m_bytesInFlight);
    pst_cwnd window{tcb->m_cWnd, Threshold(tcb->m_ssThresh)};
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

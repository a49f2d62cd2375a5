// SPDX-License-Identifier: GPL-2.0-only
// From the lab's TCP fields (sim/tcp/config.h) to ns-3's attributes. Features that ns-3 lacks are
// errors.
#include "flows.h"

#include "core/describe.h"
#include "core/sender/control.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/nstime.h"
#include "ns3/penstock-congestion-ops.h"
#include "ns3/penstock-feedback-echo.h"
#include "ns3/rtt-estimator.h"
#include "ns3/string.h"
#include "ns3/tcp-bbr.h"
#include "ns3/tcp-bic.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-dctcp.h"
#include "ns3/tcp-highspeed.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-prr-recovery.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-scalable.h"
#include "ns3/tcp-vegas.h"
#include "ns3/tcp-westwood-plus.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace penstock
{

using namespace ns3;

namespace
{

constexpr uint32_t SEND_BUFFER_BYTES = 1 << 24;
constexpr uint32_t MANY_RETRIES = 1'000'000; // the lab's TCP never gives up
constexpr uint64_t LARGEST_INITIAL_WINDOW_BYTES = 1460;

/// RFC 6928 eq. 1 in whole segments, which is all that ns-3 takes.
uint32_t
InitialSegments(const SenderSpec& s)
{
    const uint64_t bytes =
        std::max<uint64_t>(2 * s.mss_bytes,
                           s.initial_window_segments * LARGEST_INITIAL_WINDOW_BYTES);
    const uint64_t segments = std::min<uint64_t>(s.initial_window_segments, bytes / s.mss_bytes);
    return static_cast<uint32_t>(std::max<uint64_t>(segments, 1));
}

double
Ratio(uint64_t q16)
{
    return static_cast<double>(q16) / 65536.0;
}

Ptr<TcpCongestionOps>
MakeNs3Cubic(const SenderSpec& s)
{
    const auto cubic = CreateObject<TcpCubic>();
    cubic->SetAttribute("HyStart", BooleanValue(false));
    for (const auto& [name, value] : s.params)
    {
        if (name == "c_q16")
        {
            cubic->SetAttribute("C", DoubleValue(Ratio(value)));
        }
        else if (name == "beta_q16")
        {
            cubic->SetAttribute("Beta", DoubleValue(Ratio(value)));
        }
        else if (name == "fast_convergence")
        {
            cubic->SetAttribute("FastConvergence", BooleanValue(value != 0));
        }
        else
        {
            throw std::invalid_argument("ns-3's CUBIC has no parameter " + name);
        }
    }
    return cubic;
}

/// Without a stream of its own, each of ns-3's would choose the same phases of its cycle.
Ptr<TcpCongestionOps>
MakeNs3Bbr(int64_t stream)
{
    const auto bbr = CreateObject<TcpBbr>();
    bbr->SetStream(static_cast<uint32_t>(stream));
    return bbr;
}

/// ns-3's own law with its own defaults; null if there is none of that name.
Ptr<TcpCongestionOps>
MakeNs3Law(const std::string& method, int64_t stream)
{
    if (method == "bbr")
    {
        return MakeNs3Bbr(stream);
    }
    if (method == "newreno")
    {
        return CreateObject<TcpNewReno>();
    }
    if (method == "westwood_plus")
    {
        return CreateObject<TcpWestwoodPlus>();
    }
    if (method == "scalable")
    {
        return CreateObject<TcpScalable>();
    }
    if (method == "highspeed")
    {
        return CreateObject<TcpHighSpeed>();
    }
    if (method == "bic")
    {
        return CreateObject<TcpBic>();
    }
    if (method == "dctcp")
    {
        return CreateObject<TcpDctcp>();
    }
    if (method == "vegas")
    {
        return CreateObject<TcpVegas>();
    }
    return nullptr;
}

/// ns-3 has nothing like ETCP, nor senders that take part in what routers do.
bool
IsOursAlone(const std::string& method)
{
    return method.compare(0, 5, "etcp_") == 0 ||
           pst_sender_feedback(pst_sender_find(method.c_str())) != PST_FEEDBACK_NONE;
}

Ptr<TcpCongestionOps>
MakeLaw(const SenderSpec& s, int64_t stream)
{
    if (s.method == "reno")
    {
        throw std::invalid_argument("ns-3 has no recovery as reno has it; newreno is nearest");
    }
    if (s.law == "core" || IsOursAlone(s.method))
    {
        const auto ops = CreateObject<PenstockCongestionOps>();
        ops->SetAttribute("Method", StringValue(s.method));
        for (const auto& [name, value] : s.params)
        {
            ops->SetParameter(name, value);
        }
        return ops;
    }
    if (s.method == "cubic")
    {
        return MakeNs3Cubic(s);
    }
    const auto law = s.params.empty() ? MakeNs3Law(s.method, stream) : nullptr;
    if (law)
    {
        return law;
    }
    throw std::invalid_argument("ns-3 has no congestion control '" + s.method +
                                "' with these parameters");
}

TcpSocketState::UseEcn_t
Ecn(bool on)
{
    return on ? TcpSocketState::On : TcpSocketState::Off;
}

/// Leaves a recovery without SACK as RFC 6582 section 3.2 step 3 option 1 says; ns-3 takes
/// option 2.
class CarefulRecovery : public TcpClassicRecovery
{
  public:
    void ExitRecovery(Ptr<TcpSocketState> tcb) override
    {
        const auto flight =
            static_cast<uint32_t>(std::max(tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq, 0));
        const uint32_t window = std::max(flight, tcb->m_segmentSize) + tcb->m_segmentSize;
        tcb->m_cWnd = std::min(tcb->m_ssThresh.Get(), window);
        tcb->m_cWndInfl = tcb->m_cWnd.Get();
    }
};

Ptr<LabSocket>
MakeSocket(Ptr<Node> node)
{
    const auto socket = CreateObject<LabSocket>();
    const auto tcp = node->GetObject<TcpL4Protocol>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(CreateObject<RttMeanDeviation>());
    socket->SetCongestionControlAlgorithm(CreateObject<TcpNewReno>());
    socket->SetRecoveryAlgorithm(CreateObject<TcpClassicRecovery>());
    tcp->AddSocket(socket);
    return socket;
}

} // namespace

Ptr<LabSocket>
MakeTcpSender(Ptr<Node> node, const SenderSpec& s, int64_t stream)
{
    if (s.pacing)
    {
        throw std::invalid_argument("pacing is set by rate in ns-3, and not taken over from here");
    }
    const auto socket = MakeSocket(node);
    const auto rtt = CreateObject<RttMeanDeviation>();
    rtt->SetAttribute("InitialEstimation", TimeValue(NanoSeconds(s.initial_rto_ns)));
    socket->SetRtt(rtt);
    const auto law = MakeLaw(s, stream);
    socket->SetCongestionControlAlgorithm(law);
    if (const auto ours = DynamicCast<PenstockCongestionOps>(law))
    {
        ours->Watch(socket);
    }
    if (s.law == "core" && !s.sack)
    {
        socket->SetRecoveryAlgorithm(Create<CarefulRecovery>());
    }
    else if (s.prr && s.sack)
    {
        socket->SetRecoveryAlgorithm(CreateObject<TcpPrrRecovery>());
    }
    socket->SetAttribute("SegmentSize", UintegerValue(s.mss_bytes));
    socket->SetAttribute("InitialCwnd", UintegerValue(InitialSegments(s)));
    if (s.initial_ssthresh_segments)
    {
        const auto bytes = UintegerValue(s.initial_ssthresh_segments * s.mss_bytes);
        socket->SetAttribute("InitialSlowStartThreshold", bytes);
    }
    socket->SetAttribute("ConnTimeout", TimeValue(NanoSeconds(s.initial_rto_ns)));
    socket->SetAttribute("ConnCount", UintegerValue(MANY_RETRIES));
    socket->SetAttribute("DataRetries", UintegerValue(MANY_RETRIES));
    socket->SetAttribute("MinRto", TimeValue(NanoSeconds(s.min_rto_ns)));
    socket->SetAttribute("ClockGranularity", TimeValue(NanoSeconds(s.rto_granularity_ns)));
    socket->SetAttribute("ReTxThreshold", UintegerValue(s.dupack_threshold));
    socket->SetAttribute("Sack", BooleanValue(s.sack));
    socket->SetAttribute("Timestamp", BooleanValue(s.timestamps));
    socket->SetAttribute("WindowScaling", BooleanValue(s.window_scale));
    socket->SetAttribute("LimitedTransmit", BooleanValue(s.limited_transmit));
    socket->SetAttribute("TcpNoDelay", BooleanValue(!s.nagle));
    socket->SetAttribute("SndBufSize", UintegerValue(SEND_BUFFER_BYTES));
    socket->SetUseEcn(Ecn(s.ecn));
    socket->holdCwnd = s.hold_cwnd;
    return socket;
}

Ptr<LabSocket>
MakeTcpReceiver(Ptr<Node> node, const ReceiverSpec& r)
{
    const auto socket = MakeSocket(node);
    socket->SetAttribute("SegmentSize", UintegerValue(r.mss_bytes));
    if (r.autotune)
    {
        socket->window.emplace(r);
    }
    const uint64_t bytes = r.autotune ? r.max_buffer_bytes : r.buffer_bytes;
    socket->SetAttribute("RcvBufSize", UintegerValue(bytes));
    socket->SetAttribute("DelAckCount", UintegerValue(r.delayed_ack_segments));
    socket->SetAttribute("DelAckTimeout", TimeValue(NanoSeconds(r.delayed_ack_ns)));
    socket->SetAttribute("ConnTimeout", TimeValue(NanoSeconds(r.initial_rto_ns)));
    socket->SetAttribute("Sack", BooleanValue(r.sack));
    socket->SetAttribute("Timestamp", BooleanValue(r.timestamps));
    socket->SetAttribute("WindowScaling", BooleanValue(r.window_scale));
    socket->SetUseEcn(Ecn(r.ecn));
    if (r.exact_ecn)
    {
        socket->SetCongestionControlAlgorithm(CreateObject<TcpDctcp>()); // which echoes each mark
    }
    PenstockFeedbackEcho::Install(socket);
    return socket;
}

} // namespace penstock

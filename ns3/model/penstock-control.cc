// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-control.h"

#include "ns3/tcp-header.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t DEFAULT_MSS_BYTES = 536; // RFC 9293 section 3.7.1: a SYN without the option
constexpr uint32_t TIMESTAMPS_BYTES = 12;

/// Payload of a whole segment as the SYN announces it.
uint32_t
PayloadLimit(const PenstockSegment& syn)
{
    const uint32_t mss = syn.mssOption ? syn.mssOption : DEFAULT_MSS_BYTES;
    return syn.timestamps && mss > TIMESTAMPS_BYTES ? mss - TIMESTAMPS_BYTES : mss;
}

} // namespace

PenstockControl::PenstockControl(uint32_t method,
                                 uint32_t mode,
                                 const pst_params& params,
                                 const pst_queue& queue,
                                 uint64_t flowIntervalNs)
    : m_method(method),
      m_mode(mode),
      m_params(params),
      m_queue(queue),
      m_rewrites(pst_control_has_ack(method))
{
    m_count.interval_ns = flowIntervalNs;
    pst_control_init(m_method, &m_params, &m_state, &m_queue);
}

void
PenstockControl::SeeForward(const PenstockSegment& s)
{
    const pst_queue& q = m_queue;
    Flow& flow = m_flows[s.key];
    if (s.flags & TcpHeader::SYN)
    {
        pst_flow_on_syn(&flow, true, s.scaleOption);
        pst_rtt_on_syn(&flow.rtt, !flow.reverse_opened, q.now_ns);
        flow.mss_bytes = PayloadLimit(s);
        return;
    }
    if (!flow.reverse_opened)
    {
        pst_rtt_on_third(&flow.rtt, false, q.now_ns);
    }
    if (s.payloadBytes)
    {
        const uint64_t departureNs =
            flow.rtt.probing ? 0 : pst_rtt_departure_ns(q.now_ns, q.bytes, q.rate_bytes_per_s);
        pst_rtt_on_data(&flow.rtt, &flow, s.seq + s.payloadBytes, departureNs);
        pst_flow_on_data(&flow, s.seq, s.payloadBytes);
        pst_flow_count_data(&m_count, &flow, q.now_ns);
    }
}

void
PenstockControl::CountFlows()
{
    if (m_rewrites)
    {
        m_queue.flows = pst_flow_count_get(&m_count, m_queue.now_ns);
    }
}

pst_verdict
PenstockControl::OnEnqueue(const pst_packet& packet)
{
    CountFlows();
    return pst_control_enqueue(m_method, &m_params, &m_state, &m_queue, &packet);
}

void
PenstockControl::OnDequeue(const pst_packet& packet)
{
    CountFlows();
    pst_control_dequeue(m_method, &m_params, &m_state, &m_queue, &packet);
}

void
PenstockControl::OnTick()
{
    CountFlows();
    pst_control_tick(m_method, &m_params, &m_state, &m_queue);
}

uint64_t
PenstockControl::GetIntervalNs() const
{
    return pst_control_interval_ns(m_method, &m_params);
}

PenstockControl::Answer
PenstockControl::OnAck(const PenstockSegment& s)
{
    const bool syn = s.flags & TcpHeader::SYN;
    Flow& flow = m_flows[s.GetReverseKey()];
    if (syn)
    {
        pst_flow_on_syn(&flow, false, s.scaleOption);
        // The receiver's option limits the sender, its own only what it sent first.
        const uint32_t limit = PayloadLimit(s);
        flow.mss_bytes = flow.mss_bytes ? std::min(flow.mss_bytes, limit) : limit;
        pst_rtt_on_syn(&flow.rtt, flow.reverse_opened, m_queue.now_ns);
    }
    else
    {
        if (flow.reverse_opened)
        {
            pst_rtt_on_third(&flow.rtt, true, m_queue.now_ns);
        }
        pst_rtt_on_ack(&flow.rtt, s.ack, m_queue.now_ns);
    }
    pst_rewrite out{s.field, PST_BY_RECEIVER};
    if (m_rewrites)
    {
        const uint8_t notPure = TcpHeader::SYN | TcpHeader::FIN | TcpHeader::RST;
        const pst_ack_header header{s.ack,
                                    s.field,
                                    syn,
                                    s.payloadBytes == 0 && !(s.flags & notPure)};
        out = Decide(flow, header);
        pst_rewrite_commit(&flow, &header, out.field);
    }
    return {out.field, out.limit, static_cast<uint64_t>(out.field) << (syn ? 0 : flow.scale)};
}

pst_rewrite
PenstockControl::Decide(const Flow& flow, const pst_ack_header& header)
{
    pst_rewrite out{};
    if (pst_rewrite_bypassed(&flow, m_mode, &header, &out))
    {
        return out;
    }
    CountFlows();
    const pst_ack ack{static_cast<uint64_t>(header.field) << flow.scale,
                      pst_rtt_get(&flow.rtt),
                      flow.mss_bytes,
                      1U << flow.scale};
    const uint64_t allowed = pst_control_ack(m_method, &m_params, &m_state, &m_queue, &ack);
    return pst_rewrite_window(&flow, m_mode, &header, allowed);
}

} // namespace ns3

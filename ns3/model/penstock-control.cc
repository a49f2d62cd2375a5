// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-control.h"

#include "ns3/tcp-header.h"

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
    if (s.flags & TcpHeader::SYN)
    {
        pst_flow& flow = m_flows[s.key];
        pst_flow_on_syn(&flow, true, s.scaleOption);
        flow.mss_bytes = PayloadLimit(s);
    }
    else if (s.payloadBytes)
    {
        pst_flow& flow = m_flows[s.key];
        pst_flow_on_data(&flow, s.seq, s.payloadBytes);
        pst_flow_count_data(&m_count, &flow, m_queue.now_ns);
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
    const auto found = m_flows.find(s.GetReverseKey());
    if (found == m_flows.end() && !syn)
    {
        return {s.field, PST_BY_UNKNOWN_SCALE, s.field};
    }
    pst_flow& flow = found == m_flows.end() ? m_flows[s.GetReverseKey()] : found->second;
    if (syn)
    {
        pst_flow_on_syn(&flow, false, s.scaleOption);
    }
    const uint8_t notPure = TcpHeader::SYN | TcpHeader::FIN | TcpHeader::RST;
    const pst_ack_header header{s.ack, s.field, syn, s.payloadBytes == 0 && !(s.flags & notPure)};
    pst_rewrite out{};
    if (!pst_rewrite_bypassed(&flow, m_mode, &header, &out))
    {
        CountFlows();
        const pst_ack ack{static_cast<uint64_t>(s.field) << flow.scale,
                          0,
                          flow.mss_bytes,
                          1U << flow.scale};
        const uint64_t allowed = pst_control_ack(m_method, &m_params, &m_state, &m_queue, &ack);
        out = pst_rewrite_window(&flow, m_mode, &header, allowed);
    }
    pst_rewrite_commit(&flow, &header, out.field);
    return {out.field, out.limit, static_cast<uint64_t>(out.field) << (syn ? 0 : flow.scale)};
}

} // namespace ns3

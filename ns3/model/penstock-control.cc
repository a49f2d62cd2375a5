// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-control.h"

#include "ns3/tcp-header.h"

namespace ns3
{

namespace
{

pst_options
OptionsOf(const PenstockSegment& syn)
{
    pst_options options{};
    options.mss_bytes = syn.mssOption;
    options.scale = syn.scaleOption;
    options.timestamps = syn.timestamps;
    return options;
}

pst_ack_header
HeaderOf(const PenstockSegment& s)
{
    const uint8_t notPure = TcpHeader::SYN | TcpHeader::FIN | TcpHeader::RST;
    return {s.ack,
            s.field,
            (s.flags & TcpHeader::SYN) != 0,
            s.payloadBytes == 0 && !(s.flags & notPure)};
}

} // namespace

PenstockControl::PenstockControl(const pst_gateway_config& config, const pst_queue& queue)
    : m_config(config),
      m_queue(queue)
{
    pst_gateway_init(&m_config, &m_state, &m_queue);
}

bool
PenstockControl::SeeForward(const PenstockSegment& s, uint8_t ecn)
{
    pst_gateway_flow& flow = m_flows[s.key];
    if (s.flags & TcpHeader::SYN)
    {
        const pst_options options = OptionsOf(s);
        pst_gateway_syn(&flow, true, s.seq, &options, m_queue.now_ns);
        return true;
    }
    bool counts = true;
    pst_gateway_opened(&flow, true, m_queue.now_ns);
    if (s.payloadBytes)
    {
        const uint64_t leavesNs =
            pst_gateway_times_data(&flow)
                ? pst_rtt_departure_ns(m_queue.now_ns, m_queue.bytes, m_queue.rate_bytes_per_s)
                : 0;
        counts = pst_gateway_data(&m_config,
                                  &m_state,
                                  &flow,
                                  &m_queue,
                                  s.seq,
                                  s.payloadBytes,
                                  s.payloadBytes,
                                  ecn,
                                  leavesNs);
    }
    if (s.flags & TcpHeader::FIN)
    {
        pst_gateway_fin(&m_state, &flow, nullptr, m_queue.now_ns);
    }
    return counts;
}

void
PenstockControl::SeeOther(uint32_t hash, uint32_t bytes)
{
    pst_gateway_other(&m_config, &m_state, hash, bytes, m_queue.now_ns);
}

pst_verdict
PenstockControl::Arrive(const pst_packet& packet)
{
    return pst_gateway_arrive(&m_config, &m_state, &m_queue, &packet);
}

void
PenstockControl::Accepted(const pst_packet& packet)
{
    pst_gateway_accepted(&m_config, &m_state, &m_queue, &packet);
}

void
PenstockControl::Overflow(const pst_packet& packet)
{
    pst_gateway_overflow(&m_config, &m_state, &m_queue, &packet);
}

pst_verdict
PenstockControl::Leave(const pst_packet& packet)
{
    return pst_gateway_leave(&m_config, &m_state, &m_queue, &packet);
}

void
PenstockControl::Left(const pst_packet& packet)
{
    pst_gateway_left(&m_config, &m_state, &m_queue, &packet);
}

uint64_t
PenstockControl::Tick()
{
    return pst_gateway_tick(&m_config, &m_state, &m_queue);
}

uint64_t
PenstockControl::GetNextTickNs() const
{
    return pst_gateway_next_tick_ns(&m_state, m_queue.now_ns);
}

PenstockControl::Answer
PenstockControl::OnAck(const PenstockSegment& s)
{
    pst_gateway_flow& flow = m_flows[s.GetReverseKey()];
    const pst_ack_header header = HeaderOf(s);
    if (header.syn)
    {
        const pst_options options = OptionsOf(s);
        pst_gateway_syn(&flow, false, s.seq, &options, m_queue.now_ns);
    }
    else
    {
        pst_gateway_opened(&flow, false, m_queue.now_ns);
    }
    pst_rewrite out{s.field, PST_BY_RECEIVER};
    if (pst_gateway_rewrites(&m_config))
    {
        out = pst_gateway_ack(&m_config, &m_state, &flow, &m_queue, &header);
    }
    return {out.field,
            out.limit,
            static_cast<uint64_t>(out.field) << (header.syn ? 0 : flow.flow.scale)};
}

} // namespace ns3

// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-control.h"

#include "ns3/tcp-header.h"

namespace ns3
{

namespace
{

/**
 * Hosts of ns-3 send no MSS option, and whole segments of their own size whatever the other end
 * says; below one they wait.
 */
pst_options
OptionsOf(const PenstockSegment& syn, uint32_t segmentBytes)
{
    const uint32_t own = segmentBytes + (syn.timestamps ? PST_TIMESTAMPS_BYTES : 0);
    pst_options options{};
    options.mss_bytes = syn.mssOption ? syn.mssOption : static_cast<uint16_t>(own);
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
    : m_port{config, {}, {}, {}},
      m_queue(queue)
{
    if (pst_discipline_tables(m_port.config.discipline))
    {
        m_table = std::make_unique<pst_fair_table>();
    }
    m_queue.table = m_table.get();
    pst_port_init(&m_port, &m_queue);
}

pst_verdict
PenstockControl::Out(pst_packet& packet, void* host, pst_out_flow flow, pst_out_judge judge)
{
    const bool measured = pst_gateway_measures(&m_port.config);
    return pst_port_out(&m_port, &m_queue, &packet, measured, host, flow, judge);
}

bool
PenstockControl::SeeSegment(pst_packet& packet, const PenstockSegment& s)
{
    const bool syn = (s.flags & TcpHeader::SYN) != 0;
    pst_gateway_flow& flow = m_flows[s.key];
    const pst_options options = OptionsOf(s, m_queue.mss_bytes);
    const pst_data_header header{s.seq,
                                 s.payloadBytes,
                                 s.payloadBytes,
                                 static_cast<uint8_t>(packet.tos & PST_ECN_MASK),
                                 (s.flags & TcpHeader::FIN) != 0,
                                 (s.flags & TcpHeader::PSH) != 0,
                                 (s.flags & TcpHeader::RST) != 0,
                                 syn ? &options : nullptr};
    if (s.timestamps && s.payloadBytes &&
        pst_gateway_reads_stamps(&m_port.config, &flow, m_queue.now_ns))
    {
        const pst_stamps stamps{s.seq + s.payloadBytes, s.tsVal, s.tsEcr};
        pst_gateway_stamp(&m_port.config,
                          &m_port.state,
                          &flow,
                          &stamps,
                          m_queue.mss_bytes + PST_HEADERS_BYTES,
                          m_queue.now_ns);
    }
    packet.elastic = true;
    return pst_port_segment(&m_port, &flow, nullptr, &m_queue, &header, &packet);
}

void
PenstockControl::See(pst_packet& packet, const PenstockSegment* s, uint32_t hash)
{
    packet.flow = pst_fair_hash(hash);
    packet.answered = true; // as in the simulator
    if (!s || !SeeSegment(packet, *s))
    {
        SeeOther(hash, s ? s->payloadBytes : packet.bytes);
    }
    if (m_queue.table)
    {
        pst_place(m_queue.table, &packet, 0, m_queue.now_ns);
    }
}

pst_rate*
PenstockControl::GetRate(uint32_t hash)
{
    return pst_discipline_labels(m_port.config.discipline) ? &m_rates[hash] : nullptr;
}

void
PenstockControl::SeeOther(uint32_t hash, uint32_t bytes)
{
    pst_gateway_other(&m_port.config, &m_port.state, hash, bytes, m_queue.now_ns);
}

pst_verdict
PenstockControl::Arrive(const pst_packet& packet)
{
    return pst_port_arrive(&m_port, &m_queue, &packet);
}

void
PenstockControl::Queued(const pst_packet& packet)
{
    pst_port_queued(&m_port, &m_queue, &packet);
}

void
PenstockControl::Overflow(const pst_packet& packet)
{
    pst_port_overflow(&m_port, &m_queue, &packet);
}

pst_verdict
PenstockControl::Leave(const pst_packet& packet)
{
    return pst_port_leave(&m_port, &m_queue, &packet);
}

void
PenstockControl::Left(const pst_packet& packet)
{
    pst_port_left(&m_port, &m_queue, &packet);
}

uint64_t
PenstockControl::Tick()
{
    return pst_port_due(&m_port, &m_queue, pst_gateway_measures(&m_port.config));
}

uint64_t
PenstockControl::GetNextTickNs() const
{
    return pst_gateway_next_tick_ns(&m_port.state, m_queue.now_ns);
}

PenstockControl::Answer
PenstockControl::OnAck(const PenstockSegment& s)
{
    pst_gateway_flow& flow = m_flows[s.GetReverseKey()];
    const pst_ack_header header = HeaderOf(s);
    const pst_options options = OptionsOf(s, m_queue.mss_bytes);
    // ns-3's gateway cannot delay an ACK, so nothing is kept of its bookings.
    pst_pace_flow unpaced{};
    m_queue.acks_wait_ns = 0;
    if (pst_gateway_reads_returned(&m_port.config))
    {
        if (s.timestamps)
        {
            pst_gateway_returned(&m_port.state,
                                 &flow,
                                 &m_returns[s.GetReverseKey()],
                                 &header,
                                 s.tsVal,
                                 &m_queue);
        }
        else
        {
            pst_gateway_unreturned(&m_port.state, &m_queue);
        }
    }
    const pst_rewrite out = pst_port_back_segment(&m_port,
                                                  &flow,
                                                  &unpaced,
                                                  nullptr,
                                                  &m_queue,
                                                  &header,
                                                  s.seq,
                                                  header.syn ? &options : nullptr)
                                .out;
    if (flow.rtt.asks_stamp)
    {
        pst_rtt_stamp(&flow.rtt, s.timestamps, s.tsVal);
    }
    return {out.field,
            out.limit,
            static_cast<uint64_t>(out.field) << (header.syn ? 0 : flow.flow.scale)};
}

} // namespace ns3

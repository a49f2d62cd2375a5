// SPDX-License-Identifier: GPL-2.0-only
#include "flows.h"

#include "core/math/interval.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>

namespace penstock
{

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(LabSocket);

TypeId
LabSocket::GetTypeId()
{
    static TypeId tid =
        TypeId("penstock::LabSocket").SetParent<TcpSocketBase>().AddConstructor<LabSocket>();
    return tid;
}

TypeId
LabSocket::GetInstanceTypeId() const
{
    return GetTypeId();
}

Ptr<TcpSocketBase>
LabSocket::Fork()
{
    return CopyObject<LabSocket>(this);
}

// The buffer itself has room for the largest window from the start, which tells the scale.
uint16_t
LabSocket::AdvertisedWindowSize(bool scale) const
{
    if (!window)
    {
        return TcpSocketBase::AdvertisedWindowSize(scale);
    }
    const uint32_t units = window->GetBytes() >> (scale ? m_rcvWindShift : 0);
    return static_cast<uint16_t>(std::min<uint32_t>(units, UINT16_MAX));
}

// What is sent meanwhile keeps to the smaller of both windows.
void
LabSocket::ReceivedAck(Ptr<Packet> packet, const TcpHeader& header)
{
    TcpSocketBase::ReceivedAck(packet, header);
    const uint32_t most = m_rWnd.Get();
    if (holdCwnd && most && m_tcb->m_cWnd.Get() > most)
    {
        m_tcb->m_cWnd = most;
        m_tcb->m_cWndInfl = std::min(m_tcb->m_cWndInfl.Get(), most);
    }
}

void
LabSocket::ReceivedData(Ptr<Packet> packet, const TcpHeader& header)
{
    if (window)
    {
        window->Arrives(header, packet->GetSize(), m_tcb->m_rxBuffer->NextRxSequence());
    }
    TcpSocketBase::ReceivedData(packet, header);
}

void
LabSocket::ReTxTimeout()
{
    const bool data = m_state >= ESTABLISHED && m_state != TIME_WAIT && GetTxBuffer()->Size() > 0;
    if (data)
    {
        ++books->timeouts;
        onTimeout();
    }
    TcpSocketBase::ReTxTimeout();
}

void
LabSocket::PersistTimeout()
{
    ++books->window_probes;
    TcpSocketBase::PersistTimeout();
}

Flow::Flow(const FlowSpec& spec,
           Ptr<Node> src,
           Ptr<Node> dst,
           Ipv4Address srcAddress,
           Ipv4Address dstAddress,
           uint16_t port,
           std::function<void()> done)
    : m_spec(spec),
      m_src(src),
      m_dst(dst),
      m_srcAddress(srcAddress),
      m_dstAddress(dstAddress),
      m_port(port),
      m_done(std::move(done))
{
    MakeReceiver();
    if (m_spec.isUdp)
    {
        MakeUdp();
    }
    else
    {
        m_books.sizeBytes = m_spec.sizeBytes;
        MakeSender();
    }
    Simulator::Schedule(NanoSeconds(m_spec.startNs), &Flow::Start, this);
}

void
Flow::MakeReceiver()
{
    if (m_spec.isUdp)
    {
        m_receiver = Socket::CreateSocket(m_dst, UdpSocketFactory::GetTypeId());
        m_receiver->Bind(InetSocketAddress(m_dstAddress, m_port));
    }
    else
    {
        m_receiver = MakeTcpReceiver(m_dst, m_spec.receiver);
        m_receiver->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&Flow::Accept, this));
        m_receiver->Bind(InetSocketAddress(m_dstAddress, m_port));
        m_receiver->Listen();
    }
    m_receiver->SetRecvCallback(MakeCallback(&Flow::Receive, this));
}

void
Flow::MakeSender()
{
    constexpr int64_t firstStream = 1 << 20; // beyond those of links
    const auto socket = MakeTcpSender(m_src, m_spec.sender, firstStream + m_port);
    socket->books = &m_books;
    socket->onTimeout = [this] { Note("timeout", 0, 0); };
    socket->SetSendCallback(MakeCallback(&Flow::Fill, this));
    socket->Bind(InetSocketAddress(m_srcAddress, m_port));
    m_sender = socket;
    ConnectTraces();
}

void
Flow::ConnectTraces()
{
    m_sender->TraceConnectWithoutContext("Tx", MakeCallback(&Flow::OnTx, this));
    m_sender->TraceConnectWithoutContext("Rx", MakeCallback(&Flow::OnRx, this));
    m_sender->TraceConnectWithoutContext("State", MakeCallback(&Flow::OnState, this));
    m_sender->TraceConnectWithoutContext("CongState", MakeCallback(&Flow::OnCongestion, this));
    m_sender->TraceConnectWithoutContext("CongestionWindow", MakeCallback(&Flow::OnCwnd, this));
    m_sender->TraceConnectWithoutContext("SlowStartThreshold",
                                         MakeCallback(&Flow::OnSsthresh, this));
    m_sender->TraceConnectWithoutContext("RWND", MakeCallback(&Flow::OnSendWindow, this));
}

void
Flow::MakeUdp()
{
    m_sender = Socket::CreateSocket(m_src, UdpSocketFactory::GetTypeId());
    m_sender->Bind(InetSocketAddress(m_srcAddress, m_port));
    m_intervalQ20Ns = pst_interval_q20_ns(m_spec.udp.payload_bytes, m_spec.udp.rate_bps);
}

void
Flow::Start()
{
    m_sender->Connect(InetSocketAddress(m_dstAddress, m_port));
    if (m_spec.isUdp)
    {
        SendDatagram();
    }
    else
    {
        Fill(m_sender, m_sender->GetTxAvailable());
    }
}

void
Flow::Fill(Ptr<Socket> socket, uint32_t room)
{
    while (m_given < m_spec.sizeBytes)
    {
        const uint64_t left = m_spec.sizeBytes - m_given;
        const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(left, m_spec.sender.mss_bytes));
        if (room < bytes)
        {
            return;
        }
        m_given += bytes; // before Send(), which may call back
        room -= bytes;
        if (socket->Send(Create<Packet>(bytes)) < 0)
        {
            m_given -= bytes;
            return;
        }
    }
    if (!m_finished)
    {
        m_finished = true;
        socket->Close();
    }
}

void
Flow::SendDatagram()
{
    const auto now = static_cast<uint64_t>(Simulator::Now().GetNanoSeconds());
    if (m_spec.udp.stop_ns && now >= m_spec.udp.stop_ns)
    {
        return;
    }
    m_sender->Send(Create<Packet>(m_spec.udp.payload_bytes));
    ++m_given;
    ++m_books.segments_sent;
    m_books.bytes_sent += m_spec.udp.payload_bytes;
    m_books.sizeBytes = m_books.bytes_sent;
    const uint64_t next = m_spec.startNs + ((m_given * m_intervalQ20Ns) >> 20);
    Simulator::Schedule(NanoSeconds(next - now), &Flow::SendDatagram, this);
}

void
Flow::Accept(Ptr<Socket> socket, const Address&)
{
    const auto own = DynamicCast<LabSocket>(socket);
    if (m_spec.sender.law == "core")
    {
        own->DelayFirstAck();
    }
    if (own->window)
    {
        own->window->Start();
    }
    socket->SetRecvCallback(MakeCallback(&Flow::Receive, this));
}

void
Flow::Receive(Ptr<Socket> socket)
{
    while (const auto packet = socket->Recv())
    {
        if (packet->GetSize() == 0)
        {
            break;
        }
        m_books.delivered_bytes += packet->GetSize();
    }
    const auto own = DynamicCast<LabSocket>(socket);
    if (own && own->window)
    {
        own->window->Read(m_books.delivered_bytes);
    }
    const bool all = !m_spec.isUdp && m_books.delivered_bytes >= m_spec.sizeBytes;
    if (all && m_books.doneNs < 0)
    {
        m_books.doneNs = Simulator::Now().GetNanoSeconds();
    }
}

void
Flow::OnTx(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    const uint32_t bytes = packet->GetSize();
    if (bytes == 0)
    {
        return;
    }
    const uint64_t seq = header.GetSequenceNumber().GetValue();
    const bool again = seq < m_highest;
    m_highest = std::max(m_highest, seq + bytes);
    ++m_books.segments_sent;
    m_books.bytes_sent += bytes;
    if (again)
    {
        ++m_books.retransmissions;
        m_books.retransmitted_bytes += bytes;
    }
    Note("send", seq, bytes);
}

void
Flow::OnRx(Ptr<const Packet>, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    Note("ack", header.GetAckNumber().GetValue(), header.GetWindowSize());
}

void
Flow::OnCwnd(uint32_t, uint32_t now)
{
    m_cwnd = now;
    Note("cwnd", now, 0);
}

void
Flow::OnSsthresh(uint32_t, uint32_t now)
{
    Note("ssthresh", now, 0);
}

void
Flow::OnSendWindow(uint32_t, uint32_t now)
{
    m_sendWindow = now;
}

void
Flow::OnState(TcpSocket::TcpStates_t, TcpSocket::TcpStates_t now)
{
    const bool finAcknowledged = now == TcpSocket::FIN_WAIT_2 || now == TcpSocket::TIME_WAIT;
    if (finAcknowledged && m_done)
    {
        const auto done = std::move(m_done);
        m_done = nullptr;
        done();
    }
}

void
Flow::OnCongestion(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
{
    m_books.fast_recoveries += now == TcpSocketState::CA_RECOVERY;
    m_books.ecn_reductions += now == TcpSocketState::CA_CWR;
}

void
Flow::Note(const char* what, uint64_t first, uint64_t second)
{
    if (m_traced)
    {
        m_events.push_back({Simulator::Now().GetNanoSeconds(), what, first, second});
    }
}

} // namespace penstock

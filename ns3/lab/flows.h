// SPDX-License-Identifier: GPL-2.0-only
// The ends of flows: set up from the description, with counters.
#ifndef PENSTOCK_LAB_FLOWS_H
#define PENSTOCK_LAB_FLOWS_H

#include "core/tables/counters.h"
#include "description.h"
#include "receive-window.h"

#include "ns3/address.h"
#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-base.h"

#include <functional>
#include <optional>

namespace penstock
{

/// Results of a flow: the counters that ns-3 has of both ends, and its progress.
struct FlowBooks
{
#define PENSTOCK_FIELD(name, unit, hosts, ...) PST_COUNTED_##hosts(uint64_t name = 0;)
    PST_SENDER_COUNTERS(PENSTOCK_FIELD)
    PST_RECEIVER_COUNTERS(PENSTOCK_FIELD)
#undef PENSTOCK_FIELD
    int64_t doneNs = -1;
    uint64_t sizeBytes = 0;
};

/// Something that happened at a traced sender.
struct SenderEvent
{
    int64_t timeNs;
    const char* what; // send, ack, cwnd, ssthresh, timeout
    uint64_t first;
    uint64_t second;
};

/// ns-3's TCP, with its timeouts counted, and a window that may grow. Books and callback are a
/// sender's.
class LabSocket : public ns3::TcpSocketBase
{
  public:
    static ns3::TypeId GetTypeId();
    ns3::TypeId GetInstanceTypeId() const override;

    FlowBooks* books = nullptr;
    std::function<void()> onTimeout;
    std::optional<ReceiveWindow> window; // of a receiver that autotunes
    bool holdCwnd{false};                // a sender's, within the advertised window

    /// Unlike in ns-3, the first data segment is not acknowledged at once.
    void DelayFirstAck()
    {
        m_delAckCount = 0;
    }

  private:
    ns3::Ptr<ns3::TcpSocketBase> Fork() override;
    uint16_t AdvertisedWindowSize(bool scale) const override;
    void ReceivedAck(ns3::Ptr<ns3::Packet> packet, const ns3::TcpHeader& header) override;
    void ReceivedData(ns3::Ptr<ns3::Packet> packet, const ns3::TcpHeader& header) override;
    void ReTxTimeout() override;
    void PersistTimeout() override;
};

/// A socket that sends as the description says; random numbers of that stream.
ns3::Ptr<LabSocket> MakeTcpSender(ns3::Ptr<ns3::Node> node, const SenderSpec& spec, int64_t stream);

/// A socket that receives as the description says.
ns3::Ptr<LabSocket> MakeTcpReceiver(ns3::Ptr<ns3::Node> node, const ReceiverSpec& spec);

/// One end-to-end flow. Created before the run, and must outlive it.
class Flow
{
  public:
    /// @param done called when the flow has nothing left to do (TCP)
    Flow(const FlowSpec& spec,
         ns3::Ptr<ns3::Node> src,
         ns3::Ptr<ns3::Node> dst,
         ns3::Ipv4Address srcAddress,
         ns3::Ipv4Address dstAddress,
         uint16_t port,
         std::function<void()> done);

    const FlowSpec& GetSpec() const
    {
        return m_spec;
    }

    FlowBooks& GetBooks()
    {
        return m_books;
    }

    uint32_t GetCwnd() const
    {
        return m_cwnd;
    }

    uint32_t GetSendWindow() const
    {
        return m_sendWindow;
    }

    void Trace()
    {
        m_traced = true;
    }

    const std::vector<SenderEvent>& GetEvents() const
    {
        return m_events;
    }

  private:
    void MakeReceiver();
    void MakeSender();
    void MakeUdp();
    void ConnectTraces();
    void Start();
    void Fill(ns3::Ptr<ns3::Socket> socket, uint32_t room);
    void SendDatagram();
    void Accept(ns3::Ptr<ns3::Socket> socket, const ns3::Address& from);
    void Receive(ns3::Ptr<ns3::Socket> socket);
    void OnTx(ns3::Ptr<const ns3::Packet> packet,
              const ns3::TcpHeader& header,
              ns3::Ptr<const ns3::TcpSocketBase> socket);
    void OnRx(ns3::Ptr<const ns3::Packet> packet,
              const ns3::TcpHeader& header,
              ns3::Ptr<const ns3::TcpSocketBase> socket);
    void OnCwnd(uint32_t before, uint32_t now);
    void OnSsthresh(uint32_t before, uint32_t now);
    void OnSendWindow(uint32_t before, uint32_t now);
    void OnState(ns3::TcpSocket::TcpStates_t before, ns3::TcpSocket::TcpStates_t now);
    void OnCongestion(ns3::TcpSocketState::TcpCongState_t before,
                      ns3::TcpSocketState::TcpCongState_t now);
    void Note(const char* what, uint64_t first, uint64_t second);

    FlowSpec m_spec;
    ns3::Ptr<ns3::Node> m_src;
    ns3::Ptr<ns3::Node> m_dst;
    ns3::Ipv4Address m_srcAddress;
    ns3::Ipv4Address m_dstAddress;
    uint16_t m_port;
    std::function<void()> m_done;
    ns3::Ptr<ns3::Socket> m_sender;
    ns3::Ptr<ns3::Socket> m_receiver;
    FlowBooks m_books;
    uint64_t m_given{0};   // bytes handed to the socket, or datagrams sent
    uint64_t m_highest{0}; // end of the data ever sent
    uint64_t m_intervalQ20Ns{0};
    uint32_t m_cwnd{0};
    uint32_t m_sendWindow{0};
    bool m_finished{false};
    bool m_traced{false};
    std::vector<SenderEvent> m_events;
};

} // namespace penstock

#endif

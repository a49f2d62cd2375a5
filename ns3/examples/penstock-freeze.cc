// SPDX-License-Identifier: GPL-2.0-only
// Freeze-TCP in ns-3: two files for a host that is without a cell for half a second every 2.5 s.
//   penstock-freeze --freeze=true
// Goff et al., "Freeze-TCP: A True End-to-End TCP Enhancement Mechanism for Mobile Environments",
// INFOCOM 2000, with the rules of sim/tcp/freeze.h.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <array>

using namespace ns3;

namespace
{

const Time DWELL = Seconds(2);
const Time OUTAGE = MilliSeconds(500);
constexpr uint32_t FILE_BYTES = 2'000'000;
constexpr uint32_t FILES = 2;
constexpr uint32_t COPIES = 3; // of the ACK that wakes the sender
constexpr uint32_t WAKES = 64;

Time
SinceCell()
{
    const int64_t period = (DWELL + OUTAGE).GetNanoSeconds();
    return NanoSeconds(Simulator::Now().GetNanoSeconds() % period);
}

// Until the host loses its cell, or negative while it has none.
Time
UntilLoss()
{
    return DWELL - SinceCell();
}

Time
UntilCell()
{
    return DWELL + OUTAGE - SinceCell();
}

// What arrives during an outage is lost.
class Outage : public ErrorModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("ns3::PenstockOutage").SetParent<ErrorModel>();
        return id;
    }

  private:
    bool DoCorrupt(Ptr<Packet>) override
    {
        return UntilLoss().IsNegative() || UntilLoss().IsZero();
    }

    void DoReset() override
    {
    }
};

class FreezeSocket : public TcpSocketBase
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("ns3::PenstockFreezeSocket")
                               .SetParent<TcpSocketBase>()
                               .AddConstructor<FreezeSocket>()
                               .AddAttribute("Freeze",
                                             "Whether the window is closed before an outage",
                                             BooleanValue(false),
                                             MakeBooleanAccessor(&FreezeSocket::m_freeze),
                                             MakeBooleanChecker());
        return id;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

  protected:
    Ptr<TcpSocketBase> Fork() override
    {
        return CopyObject<FreezeSocket>(this);
    }

    // T_ho - T_now <= SRTT: each ACK has a window of zero.
    uint16_t AdvertisedWindowSize(bool scale) const override
    {
        const Time left = UntilLoss();
        if (m_freeze && left.IsStrictlyPositive() && left <= m_srtt)
        {
            return 0;
        }
        return TcpSocketBase::AdvertisedWindowSize(scale);
    }

    void ReceivedData(Ptr<Packet> packet, const TcpHeader& header) override
    {
        if (header.HasOption(TcpOption::TS))
        {
            const auto stamps = DynamicCast<const TcpOptionTS>(header.GetOption(TcpOption::TS));
            const Time rtt = TcpOptionTS::ElapsedTimeFromTsValue(stamps->GetEcho());
            m_srtt = m_srtt.IsZero() ? rtt : (7 * m_srtt + rtt) / 8; // RFC 6298 (2.3)
        }
        m_hasData = true;
        if (m_freeze && !m_wake.IsPending())
        {
            m_wake = Simulator::Schedule(UntilCell(), &FreezeSocket::OnCell, this);
        }
        TcpSocketBase::ReceivedData(packet, header);
    }

  private:
    // The host has a cell again.
    void OnCell()
    {
        m_hasData = false;
        m_wakes = 0;
        Wake();
    }

    // Copies of the last ACK, and the same again every two SRTT until data arrives.
    void Wake()
    {
        if (m_hasData || m_wakes == WAKES)
        {
            m_wake = Simulator::Schedule(UntilCell(), &FreezeSocket::OnCell, this);
            return;
        }
        ++m_wakes;
        for (uint32_t i = 0; i < COPIES; ++i)
        {
            SendEmptyPacket(TcpHeader::ACK);
        }
        m_wake = Simulator::Schedule(2 * m_srtt, &FreezeSocket::Wake, this);
    }

    bool m_freeze = false;
    Time m_srtt;
    bool m_hasData = false;
    uint32_t m_wakes = 0;
    EventId m_wake;
};

NS_OBJECT_ENSURE_REGISTERED(FreezeSocket);

// One file, and what its transfer has cost.
struct File
{
    uint64_t received = 0;
    SequenceNumber32 sent{1};
    uint32_t retransmissions = 0;
    uint32_t timeouts = 0;
    Time done;

    void OnReceive(Ptr<Socket> socket)
    {
        while (const Ptr<Packet> packet = socket->Recv())
        {
            received += packet->GetSize();
        }
        if (received >= FILE_BYTES && done.IsZero())
        {
            done = Simulator::Now();
        }
    }

    void OnSent(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
        retransmissions += packet->GetSize() && end <= sent;
        sent = std::max(sent, end);
    }

    void OnState(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t state)
    {
        timeouts += state == TcpSocketState::CA_LOSS;
    }
};

// A listening socket of the host, as TcpL4Protocol would make one of ns-3's own.
void
Receive(Ptr<Node> node, uint16_t port, File& file)
{
    const Ptr<TcpL4Protocol> tcp = node->GetObject<TcpL4Protocol>();
    const Ptr<FreezeSocket> socket = CreateObject<FreezeSocket>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(CreateObject<RttMeanDeviation>());
    socket->SetCongestionControlAlgorithm(CreateObject<TcpNewReno>());
    socket->SetRecoveryAlgorithm(CreateObject<TcpPrrRecovery>());
    tcp->AddSocket(socket);
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    socket->Listen();
    socket->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>([&file](Ptr<Socket> accepted, const Address&) {
            accepted->SetRecvCallback(MakeCallback(&File::OnReceive, &file));
        }));
}

void
Send(Ptr<Node> node, InetSocketAddress to, File& file)
{
    const Ptr<Socket> socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    socket->TraceConnectWithoutContext("CongState", MakeCallback(&File::OnState, &file));
    socket->TraceConnectWithoutContext("Tx", MakeCallback(&File::OnSent, &file));
    socket->SetConnectCallback(Callback<void, Ptr<Socket>>([](Ptr<Socket> connected) {
                                   connected->Send(Create<Packet>(FILE_BYTES));
                               }),
                               MakeNullCallback<void, Ptr<Socket>>());
    socket->Bind();
    Simulator::Schedule(MilliSeconds(1), [socket, to] { socket->Connect(to); });
}

} // namespace

int
main(int argc, char* argv[])
{
    bool freeze = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("freeze", "Whether the receiver freezes its senders", freeze);
    cmd.Parse(argc, argv);
    Config::SetDefault("ns3::PenstockFreezeSocket::Freeze", BooleanValue(freeze));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(20'000));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * FILE_BYTES));

    NodeContainer nodes;
    nodes.Create(3); // server, router, host
    PointToPointHelper core;
    core.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    core.SetChannelAttribute("Delay", StringValue("20ms"));
    PointToPointHelper air;
    air.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    air.SetChannelAttribute("Delay", StringValue("2ms"));
    const NetDeviceContainer wire = core.Install(nodes.Get(0), nodes.Get(1));
    const NetDeviceContainer cell = air.Install(nodes.Get(1), nodes.Get(2));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.1.1.0", "255.255.255.0");
    addresses.Assign(wire);
    addresses.NewNetwork();
    const Ipv4InterfaceContainer ends = addresses.Assign(cell);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    for (uint32_t i = 0; i < cell.GetN(); ++i)
    {
        cell.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(CreateObject<Outage>()));
    }

    std::array<File, FILES> files;
    for (uint16_t i = 0; i < FILES; ++i)
    {
        const auto port = static_cast<uint16_t>(5000 + i);
        Receive(nodes.Get(2), port, files[i]);
        Send(nodes.Get(0), InetSocketAddress(ends.GetAddress(1), port), files[i]);
    }
    Simulator::Stop(Seconds(60));
    Simulator::Run();
    for (const File& file : files)
    {
        std::cout << file.done.GetSeconds() << " s, " << file.timeouts << " timeouts, "
                  << file.retransmissions << " segments again\n";
    }
    Simulator::Destroy();
    return 0;
}

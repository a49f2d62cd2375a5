// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/flow-monitor-helper.h"
#include "ns3/flow-monitor.h"
#include "ns3/global-value.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-header.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/penstock-helper.h"
#include "ns3/penstock-segment.h"
#include "ns3/penstock-settings.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tag.h"
#include "ns3/tcp-header.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

namespace
{

constexpr uint16_t IPV4 = 0x0800;
constexpr uint32_t SEGMENT_BYTES = 1447; // no multiple of the window's granule, 4 bytes

/// Stands for FlowMonitor's tag, which is its own affair.
class NumberTag : public Tag
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::PenstockTestTag").SetParent<Tag>().AddConstructor<NumberTag>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return sizeof(number);
    }

    void Serialize(TagBuffer i) const override
    {
        i.WriteU32(number);
    }

    void Deserialize(TagBuffer i) override
    {
        number = i.ReadU32();
    }

    void Print(std::ostream& os) const override
    {
        os << number;
    }

    uint32_t number{0}; //!< what it carries
};

/// An ACK with its IPv4 header, as a gateway's device hands it up.
Ptr<Packet>
MakeAck(uint16_t window, uint32_t payloadBytes, bool checksums)
{
    TcpHeader tcp;
    tcp.SetSourcePort(9);
    tcp.SetDestinationPort(4000);
    tcp.SetAckNumber(SequenceNumber32(123456));
    tcp.SetFlags(TcpHeader::ACK);
    tcp.SetWindowSize(window);
    const Ipv4Address source("10.0.0.2");
    const Ipv4Address destination("10.0.0.1");
    if (checksums)
    {
        tcp.EnableChecksums();
        tcp.InitializeChecksum(source, destination, 6);
    }
    Ptr<Packet> packet = Create<Packet>(payloadBytes);
    packet->AddHeader(tcp);
    NumberTag tag;
    tag.number = 7;
    packet->AddByteTag(tag);
    Ipv4Header ip;
    ip.SetSource(source);
    ip.SetDestination(destination);
    ip.SetProtocol(6);
    ip.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
    packet->AddHeader(ip);
    return packet;
}

} // namespace

/**
 * @ingroup tests
 * @brief A rewritten ACK differs in its window and checksum alone, and keeps FlowMonitor's tag.
 */
class PenstockRewriteTestCase : public TestCase
{
  public:
    PenstockRewriteTestCase()
        : TestCase("A rewritten ACK keeps its tag and its checksum stays right")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t payload : {0U, 100U})
        {
            Check(payload);
        }
        PenstockSegment segment;
        NS_TEST_ASSERT_MSG_EQ(segment.ReadIp(MakeAck(1000, 0, false), IPV4), true, "readable");
        const auto changed = segment.WithWindow(MakeAck(1000, 0, false), 500);
        PenstockSegment again;
        again.ReadIp(changed, IPV4);
        NS_TEST_ASSERT_MSG_EQ(again.field, 500, "window without checksums");
    }

    void Check(uint32_t payloadBytes)
    {
        const auto packet = MakeAck(1000, payloadBytes, true);
        PenstockSegment segment;
        NS_TEST_ASSERT_MSG_EQ(segment.ReadIp(packet, IPV4), true, "readable");
        NS_TEST_ASSERT_MSG_EQ(segment.ack, 123456, "acknowledgment number");
        NS_TEST_ASSERT_MSG_EQ(segment.field, 1000, "window");
        NS_TEST_ASSERT_MSG_EQ(segment.payloadBytes, payloadBytes, "payload");
        const auto changed = segment.WithWindow(packet, 65000);
        NumberTag tag;
        NS_TEST_ASSERT_MSG_EQ(changed->FindFirstMatchingByteTag(tag), true, "tag is kept");
        NS_TEST_ASSERT_MSG_EQ(tag.number, 7, "tag is the same");
        NS_TEST_ASSERT_MSG_EQ(changed->GetSize(), packet->GetSize(), "size");
        Ipv4Header ip;
        changed->RemoveHeader(ip);
        TcpHeader tcp;
        tcp.EnableChecksums();
        tcp.InitializeChecksum(ip.GetSource(), ip.GetDestination(), 6);
        changed->RemoveHeader(tcp);
        NS_TEST_ASSERT_MSG_EQ(tcp.GetWindowSize(), 65000, "new window");
        NS_TEST_ASSERT_MSG_EQ(tcp.IsChecksumOk(), true, "checksum");
        NS_TEST_ASSERT_MSG_EQ(tcp.GetAckNumber(), SequenceNumber32(123456), "the rest");
        PenstockSegment before;
        before.ReadIp(packet, IPV4);
        NS_TEST_ASSERT_MSG_EQ(before.field, 1000, "the original is not touched");
    }
};

/**
 * @ingroup tests
 * @brief Every parameter of every method is an attribute that can be set and read.
 */
class PenstockAttributesTestCase : public TestCase
{
  public:
    PenstockAttributesTestCase()
        : TestCase("Attributes are core's parameter tables")
    {
    }

  private:
    void DoRun() override
    {
        const auto disc = CreateObject<PenstockQueueDisc>();
        uint32_t found = 0;
        for (const PenstockTable& table : PenstockSettings::GetGatewayTables())
        {
            for (uint32_t row = 0; row < table.count; ++row)
            {
                TypeId::AttributeInformation info;
                const std::string name = PenstockSettings::GetAttributeName(table, row);
                const bool known =
                    PenstockQueueDisc::GetTypeId().LookupAttributeByName(name, &info);
                NS_TEST_ASSERT_MSG_EQ(known, true, name);
                found += known;
            }
        }
        NS_TEST_ASSERT_MSG_GT(found, 20, "attributes");
        disc->SetAttribute("EwtStartBytes", UintegerValue(12345));
        UintegerValue start;
        disc->GetAttribute("EwtStartBytes", start);
        NS_TEST_ASSERT_MSG_EQ(start.Get(), 12345, "a size");
        disc->SetAttribute("RedMaxP", DoubleValue(0.25));
        DoubleValue ratio;
        disc->GetAttribute("RedMaxP", ratio);
        NS_TEST_ASSERT_MSG_EQ(ratio.Get(), 0.25, "a ratio");
        const bool refused = !disc->SetAttributeFailSafe("RedMaxP", DoubleValue(1.5));
        NS_TEST_ASSERT_MSG_EQ(refused, true, "out of range");
    }
};

/**
 * @ingroup tests
 * @brief Some connections through a gateway, watched by FlowMonitor.
 */
class PenstockDumbbellTestCase : public TestCase
{
  public:
    /**
     * @param method name in the registry
     * @param mode how windows are written
     * @param monitorFirst FlowMonitor is installed before the queue disc
     */
    PenstockDumbbellTestCase(const std::string& method,
                             PenstockQueueDisc::Mode mode,
                             bool monitorFirst = false)
        : TestCase("Dumbbell, " + method + ", mode " + std::to_string(mode) +
                   (monitorFirst ? ", FlowMonitor first" : "")),
          m_method(method),
          m_mode(mode),
          m_monitorFirst(monitorFirst)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT_BYTES));
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        NodeContainer nodes;
        nodes.Create(3);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("50Mbps"));
        link.SetChannelAttribute("Delay", StringValue("1ms"));
        const auto access = link.Install(nodes.Get(0), nodes.Get(1));
        link.SetDeviceAttribute("DataRate", StringValue("5Mbps"));
        link.SetChannelAttribute("Delay", StringValue("20ms"));
        const auto bottleneck = link.Install(nodes.Get(1), nodes.Get(2));
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper addresses("10.1.1.0", "255.255.255.0");
        addresses.Assign(access);
        addresses.NewNetwork();
        const auto far = addresses.Assign(bottleneck);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();

        FlowMonitorHelper monitors;
        if (m_monitorFirst)
        {
            monitors.InstallAll();
        }
        PenstockHelper penstock(m_method);
        penstock.Set("MaxSize", StringValue("40000B"));
        penstock.Set("Mode", EnumValue(m_mode));
        const auto disc = penstock.Install(bottleneck.Get(0));
        disc->TraceConnectWithoutContext("Decision",
                                         MakeCallback(&PenstockDumbbellTestCase::OnDecision, this));
        const auto monitor = m_monitorFirst ? monitors.GetMonitor() : monitors.InstallAll();

        BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(far.GetAddress(1), 9));
        for (uint32_t i = 0; i < 4; ++i)
        {
            const auto app = sender.Install(nodes.Get(0));
            app.Start(Seconds(0.2 * i));
            app.Stop(Seconds(12));
        }
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
        const auto sinks = sink.Install(nodes.Get(2));
        Simulator::Stop(Seconds(30));
        Simulator::Run();
        Check(disc, monitor, DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx());
        Simulator::Destroy();
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
        Config::Reset();
    }

    void Check(Ptr<PenstockQueueDisc> disc, Ptr<FlowMonitor> monitor, uint64_t received)
    {
        uint64_t droppedByFlows = 0;
        uint64_t acksLost = 0;
        for (const auto& [id, stats] : monitor->GetFlowStats())
        {
            for (const uint32_t packets : stats.packetsDropped)
            {
                droppedByFlows += packets;
            }
            const bool acks = stats.txBytes < 100ULL * stats.txPackets;
            acksLost += acks ? stats.lostPackets : 0;
        }
        // A checksum that were wrong would stop the connections.
        NS_TEST_ASSERT_MSG_GT(received, 5'000'000, "bytes delivered in 12 s at 5 Mbit/s");
        NS_TEST_ASSERT_MSG_EQ(acksLost, 0, "FlowMonitor loses no rewritten ACK");
        const uint64_t dropped = disc->GetStats().nTotalDroppedPackets;
        if (m_method == "droptail")
        {
            NS_TEST_ASSERT_MSG_GT(dropped, 0, "a full queue drops");
            NS_TEST_ASSERT_MSG_EQ(m_changed, 0, "and changes no window");
            NS_TEST_ASSERT_MSG_EQ(droppedByFlows,
                                  (m_monitorFirst ? 0 : dropped),
                                  "drops that FlowMonitor saw");
        }
        else
        {
            NS_TEST_ASSERT_MSG_GT(m_changed, 100, "windows changed");
            NS_TEST_ASSERT_MSG_GT(m_smallest, SEGMENT_BYTES - 1, "a window holds a segment");
        }
    }

    void OnDecision(uint32_t, uint32_t windowBytes, bool changed)
    {
        m_changed += changed;
        m_smallest = changed ? std::min(m_smallest, windowBytes) : m_smallest;
    }

    std::string m_method;            //!< name in the registry
    PenstockQueueDisc::Mode m_mode;  //!< how windows are written
    bool m_monitorFirst;             //!< the wrong order
    uint64_t m_changed{0};           //!< windows changed
    uint32_t m_smallest{UINT32_MAX}; //!< smallest window written
};

/**
 * @ingroup tests
 * @brief The suite.
 */
class PenstockTestSuite : public TestSuite
{
  public:
    PenstockTestSuite()
        : TestSuite("penstock", Type::UNIT)
    {
        AddTestCase(new PenstockRewriteTestCase, Duration::QUICK);
        AddTestCase(new PenstockAttributesTestCase, Duration::QUICK);
        AddTestCase(new PenstockDumbbellTestCase("droptail", PenstockQueueDisc::SAFE),
                    Duration::QUICK);
        AddTestCase(new PenstockDumbbellTestCase("droptail", PenstockQueueDisc::SAFE, true),
                    Duration::QUICK);
        for (const std::string method : {"ewt", "ewt_iot", "ewa", "awm"})
        {
            for (const auto mode :
                 {PenstockQueueDisc::SAFE, PenstockQueueDisc::STRICT, PenstockQueueDisc::LITERAL})
            {
                AddTestCase(new PenstockDumbbellTestCase(method, mode), Duration::QUICK);
            }
        }
    }
};

static PenstockTestSuite g_penstockTestSuite; //!< registers the suite

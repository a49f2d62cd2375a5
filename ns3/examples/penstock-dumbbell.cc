// SPDX-License-Identifier: GPL-2.0-only
// A sender, a gateway and a receiver; the gateway's method is chosen on the command line:
//   penstock-dumbbell --method=ewt --flows=4
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-module.h"
#include "ns3/penstock-helper.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    std::string method = "ewt";
    uint32_t flows = 4;
    double seconds = 60;
    CommandLine cmd(__FILE__);
    cmd.AddValue("method", "Penstock method at the gateway", method);
    cmd.AddValue("flows", "TCP connections", flows);
    cmd.AddValue("seconds", "How long the senders send", seconds);
    cmd.Parse(argc, argv);
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));

    NodeContainer nodes;
    nodes.Create(3); // sender, gateway, receiver
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    link.SetChannelAttribute("Delay", StringValue("5ms"));
    NetDeviceContainer access = link.Install(nodes.Get(0), nodes.Get(1));
    link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    link.SetChannelAttribute("Delay", StringValue("40ms"));
    NetDeviceContainer bottleneck = link.Install(nodes.Get(1), nodes.Get(2));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.1.1.0", "255.255.255.0");
    addresses.Assign(access);
    addresses.NewNetwork();
    Ipv4InterfaceContainer far = addresses.Assign(bottleneck);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    // All that a script needs for Penstock.
    PenstockHelper penstock(method);
    penstock.Set("MaxSize", StringValue("97000B"));
    Ptr<PenstockQueueDisc> queue = penstock.Install(bottleneck.Get(0));
    uint64_t changed = 0;
    queue->TraceConnectWithoutContext(
        "Decision",
        Callback<void, uint32_t, uint32_t, bool>(
            [&changed](uint32_t, uint32_t, bool isChanged) { changed += isChanged; }));

    BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(far.GetAddress(1), 9));
    for (uint32_t i = 0; i < flows; ++i)
    {
        ApplicationContainer app = sender.Install(nodes.Get(0));
        app.Start(Seconds(0.1 * i));
        app.Stop(Seconds(seconds));
    }
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
    ApplicationContainer sinks = sink.Install(nodes.Get(2));

    FlowMonitorHelper monitors; // after the queue disc, whose drops it is to see
    Ptr<FlowMonitor> monitor = monitors.InstallAll();
    Simulator::Stop(Seconds(seconds + 5));
    Simulator::Run();

    const uint64_t bytes = DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx();
    uint64_t lost = 0;
    for (const auto& [id, stats] : monitor->GetFlowStats())
    {
        lost += stats.packetsDropped.empty() ? 0 : stats.lostPackets;
    }
    std::cout << method << ": " << static_cast<double>(bytes) * 8e-6 / seconds << " Mbit/s, "
              << queue->GetStats().nTotalDroppedPackets << " packets dropped, " << changed
              << " windows changed, FlowMonitor says " << lost << " lost\n";
    Simulator::Destroy();
    return 0;
}

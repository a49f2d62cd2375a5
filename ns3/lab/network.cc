// SPDX-License-Identifier: GPL-2.0-only
#include "network.h"

#include "core/queue/queue.h"
#include "core/sizes.h"
#include "queue-discs.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/global-value.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/penstock-gateway.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <stdexcept>

namespace penstock
{

using namespace ns3;

namespace
{

constexpr uint32_t NONE = UINT32_MAX;
constexpr uint16_t FIRST_PORT = 1024;
constexpr uint32_t FIRST_NETWORK = 0x0a000000; // 10.0.0.0, a /30 for each pair of links
constexpr uint32_t RAW_IP = 101;               // LINKTYPE_RAW
constexpr const char* HUGE_QUEUE = "4000000000p";

uint32_t
LargestPacket(const FlowSpec& flow)
{
    if (flow.isUdp)
    {
        return flow.udp.payload_bytes + PST_UDP_HEADERS_BYTES;
    }
    return flow.sender.mss_bytes + PST_HEADERS_BYTES +
           (flow.sender.timestamps ? PST_TIMESTAMPS_BYTES : 0);
}

// The device rounds a packet's time on the wire to the resolution of times. On a link of 100 Gbit/s
// a nanosecond is a seventh of a small packet.
void
SetResolution(const std::vector<LinkSpec>& links)
{
    constexpr uint64_t mostInNsBps = 1'000'000'000;
    const auto isFast = [](const LinkSpec& link) { return link.rate_bps > mostInNsBps; };
    if (std::any_of(links.begin(), links.end(), isFast))
    {
        Time::SetResolution(Time::PS);
    }
}

} // namespace

Network::Network(const Description& description)
    : m_spec(description)
{
    SetResolution(m_spec.links);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(m_spec.seed);
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(m_spec.checksums));
    CheckFits();
    MakeNodes();
    MakeLinks();
    MakeQueues();
    MakeRoutes();
    MakeFlows();
    MakeCaptures();
    if (m_spec.sample.interval_ns)
    {
        m_queueBytes.resize(m_spec.sample.links.size());
        m_queuePackets.resize(m_spec.sample.links.size());
        m_windowBytes.resize(m_spec.sample.links.size());
        m_cwndBytes.resize(m_spec.sample.flows.size());
        m_sendWindowBytes.resize(m_spec.sample.flows.size());
        Simulator::Schedule(Seconds(0), &Network::Sample, this);
    }
}

Network::~Network()
{
    m_flows.clear();
    Simulator::Destroy();
}

// IP would silently fragment larger packets, and count each fragment.
void
Network::CheckFits() const
{
    for (const FlowSpec& flow : m_spec.flows)
    {
        for (const LinkSpec& link : m_spec.links)
        {
            if (LargestPacket(flow) > link.mtu_bytes)
            {
                throw std::invalid_argument("a packet of " + std::to_string(LargestPacket(flow)) +
                                            " bytes does not fit a link's MTU of " +
                                            std::to_string(link.mtu_bytes) + " bytes");
            }
        }
    }
}

void
Network::MakeNodes()
{
    m_nodes.Create(static_cast<uint32_t>(m_spec.nodes.size()));
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
    stack.Install(m_nodes);
}

void
Network::MakeLinks()
{
    const auto count = static_cast<uint32_t>(m_spec.links.size());
    m_devices.resize(count);
    m_addresses.resize(count);
    m_backs.assign(count, NONE);
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t j = i + 1; m_backs[i] == NONE && j < count; ++j)
        {
            const bool opposite = m_spec.links[i].src == m_spec.links[j].dst &&
                                  m_spec.links[i].dst == m_spec.links[j].src;
            if (opposite && m_backs[j] == NONE)
            {
                MakeLink(i, j);
            }
        }
        if (m_backs[i] == NONE)
        {
            throw std::invalid_argument("ns-3 needs links in both directions");
        }
    }
    MakeRadios();
}

void
Network::MakeLink(uint32_t forward, uint32_t back)
{
    m_backs[forward] = back;
    m_backs[back] = forward;
    if (m_spec.links[forward].radio)
    {
        m_radios[m_spec.links[forward].src].push_back(forward);
        return;
    }
    const auto channel = CreateObject<LinkChannel>();
    const uint32_t network = FIRST_NETWORK + 4 * forward;
    for (const uint32_t link : {forward, back})
    {
        const auto device = MakeDevice(link, channel);
        m_devices[link] = device;
        AddAddress(link, Ipv4Address(network + (link == forward ? 1 : 2)), Ipv4Mask("/30"));
        // Losses of the opposite direction are applied on reception here.
        const LinkSpec& in = m_spec.links[m_backs[link]];
        if (in.loss_ratio > 0 || !in.dropDataPackets.empty())
        {
            const auto loss = CreateObject<LinkLoss>();
            loss->Configure(in, m_backs[link]);
            device->SetReceiveErrorModel(loss);
        }
    }
}

void
Network::AddAddress(uint32_t link, Ipv4Address address, Ipv4Mask mask)
{
    m_addresses[link] = address;
    const auto ip = m_devices[link]->GetNode()->GetObject<Ipv4>();
    const uint32_t interface = ip->AddInterface(m_devices[link]);
    ip->AddAddress(interface, Ipv4InterfaceAddress(address, mask));
    ip->SetUp(interface);
}

Ptr<LinkDevice>
Network::MakeDevice(uint32_t link, Ptr<LinkChannel> channel)
{
    const LinkSpec& spec = m_spec.links[link];
    const bool queued = spec.queue_bytes || spec.queue_packets;
    const auto device = CreateObject<LinkDevice>();
    const auto queue = CreateObject<DropTailQueue<Packet>>();
    // With a limit, packets wait in the queue disc, which needs room for one in the device.
    const auto room = std::to_string(std::max(spec.device_packets, 1U)) + "p";
    queue->SetMaxSize(QueueSize(queued ? room : HUGE_QUEUE));
    device->SetAttribute("PointToPointMode", BooleanValue(true));
    device->SetAttribute("DataRate", DataRateValue(DataRate(spec.rate_bps)));
    device->SetMtu(static_cast<uint16_t>(spec.mtu_bytes));
    device->Configure(spec.overhead_bytes, NanoSeconds(spec.delay_ns));
    device->SetAddress(Mac48Address::Allocate());
    m_nodes.Get(spec.src)->AddDevice(device);
    device->SetChannel(channel);
    device->SetQueue(queue);
    if (queued)
    {
        const auto flowControl = CreateObject<NetDeviceQueueInterface>();
        flowControl->GetTxQueue(0)->ConnectQueueTraces(queue);
        device->AggregateObject(flowControl);
    }
    return device;
}

void
Network::MakeQueues()
{
    for (uint32_t i = 0; i < m_spec.links.size(); ++i)
    {
        if (!OwnsQueue(i))
        {
            continue;
        }
        if (m_spec.links[i].queue_bytes || m_spec.links[i].queue_packets)
        {
            MakeQueue(i);
        }
        else if (m_spec.gateways.count(i))
        {
            throw std::invalid_argument("a gateway needs a queue limit on its link");
        }
    }
}

void
Network::MakeQueue(uint32_t link)
{
    const LinkSpec& spec = m_spec.links[link];
    const Ptr<NetDevice> device = m_devices[link];
    const auto wire = DynamicCast<LinkDevice>(device);
    // What the device takes is in sight as long as it has room for one packet, as it must.
    const bool sees = wire && !spec.device_packets;
    const Ptr<Queue<Packet>> deviceQueue = sees ? wire->GetQueue() : nullptr;
    const auto stream = static_cast<int64_t>(m_spec.links.size() + link);
    const auto gateway = m_spec.gateways.find(link);
    const bool decides = gateway != m_spec.gateways.end();
    Ptr<QueueDisc> disc;
    if (decides && gateway->second.discipline == FQ_CODEL)
    {
        disc = MakeFqCoDel(spec, gateway->second, deviceQueue ? 1 : 0);
    }
    else
    {
        const auto ours = MakePenstockQueue(spec, decides ? &gateway->second : nullptr, stream);
        if (deviceQueue)
        {
            ours->SetDeviceQueue(deviceQueue);
        }
        if (decides)
        {
            const auto acks = CreateObject<PenstockGateway>();
            acks->Install(device, ours);
            device->AggregateObject(acks);
        }
        disc = ours;
    }
    device->GetNode()->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(device, disc);
    m_queues[link] = std::make_unique<QueueBooks>(spec, disc, deviceQueue);
    KeepRecord(link, disc);
}

void
Network::KeepRecord(uint32_t link, Ptr<QueueDisc> disc)
{
    for (const uint64_t traced : m_spec.tracedLinks)
    {
        if (traced == link)
        {
            std::vector<std::string>& kept = m_records[link];
            disc->TraceConnectWithoutContext(
                "Record",
                Callback<void, const std::string&>(
                    [&kept](const std::string& line) { kept.push_back(line); }));
        }
    }
}

void
Network::MakeFlows()
{
    for (uint32_t i = 0; i < m_spec.flows.size(); ++i)
    {
        const FlowSpec& flow = m_spec.flows[i];
        m_unfinished += !flow.isUdp;
        m_flows.push_back(std::make_unique<Flow>(flow,
                                                 m_nodes.Get(flow.src),
                                                 m_nodes.Get(flow.dst),
                                                 m_nodeAddresses[flow.src],
                                                 m_nodeAddresses[flow.dst],
                                                 static_cast<uint16_t>(FIRST_PORT + i),
                                                 [this] { FlowDone(); }));
    }
    for (const uint64_t traced : m_spec.tracedFlows)
    {
        m_flows.at(traced)->Trace();
    }
}

void
Network::MakeCaptures()
{
    for (const auto& [link, path] : m_spec.captures)
    {
        const auto file = CreateObject<PcapFileWrapper>();
        file->Open(path, std::ios::out | std::ios::binary);
        if (file->Fail())
        {
            throw std::invalid_argument(path + ": cannot be written");
        }
        file->Init(RAW_IP);
        m_captures.push_back(file);
        const auto wire = DynamicCast<LinkDevice>(m_devices.at(link));
        if (!wire)
        {
            throw std::invalid_argument("only a wire can be captured");
        }
        wire->GetQueue()->TraceConnectWithoutContext(
            "Dequeue",
            Callback<void, Ptr<const Packet>>(
                [file](Ptr<const Packet> packet) { file->Write(Simulator::Now(), packet); }));
    }
}

void
Network::FlowDone()
{
    if (--m_unfinished == 0)
    {
        Simulator::Stop();
    }
}

void
Network::Run()
{
    Simulator::Stop(NanoSeconds(m_spec.clock.until_ns));
    Simulator::Run();
    m_endNs = Simulator::Now().GetNanoSeconds();
}

void
Network::Sample()
{
    m_timeNs.push_back(Simulator::Now().GetNanoSeconds());
    for (std::size_t i = 0; i < m_spec.sample.links.size(); ++i)
    {
        const auto books = m_queues.find(static_cast<uint32_t>(m_spec.sample.links[i]));
        const bool queued = books != m_queues.end();
        m_queueBytes[i].push_back(queued ? books->second->GetWaitingBytes() : 0);
        m_queuePackets[i].push_back(queued ? books->second->GetWaitingPackets() : 0);
        m_windowBytes[i].push_back(queued ? books->second->GetLastWindow() : 0);
    }
    for (std::size_t i = 0; i < m_spec.sample.flows.size(); ++i)
    {
        const Flow& flow = *m_flows.at(m_spec.sample.flows[i]);
        m_cwndBytes[i].push_back(flow.GetCwnd());
        m_sendWindowBytes[i].push_back(flow.GetSendWindow());
    }
    Simulator::Schedule(NanoSeconds(m_spec.sample.interval_ns), &Network::Sample, this);
}

} // namespace penstock

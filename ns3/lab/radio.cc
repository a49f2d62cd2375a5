// SPDX-License-Identifier: GPL-2.0-only
#include "radio.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/queue-size.h"
#include "ns3/ssid.h"
#include "ns3/txop.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-helper.h"

#include <cmath>
#include <numbers>

namespace penstock
{

using namespace ns3;

namespace
{

constexpr const char* MAC_QUEUE = "2p";
constexpr int64_t FIRST_STREAM = int64_t{1} << 32; // above those of links and queues
constexpr int64_t STREAMS = int64_t{1} << 20;      // of one access point

void
Place(Ptr<Node> node, double metres, double turn)
{
    const double angle = 2 * std::numbers::pi * turn;
    const auto position = CreateObject<ConstantPositionMobilityModel>();
    position->SetPosition(Vector(metres * std::cos(angle), metres * std::sin(angle), 0));
    node->AggregateObject(position);
}

} // namespace

Radio
MakeRadio(Ptr<Node> accessPoint, const NodeContainer& stations, double metres, uint32_t cell)
{
    Place(accessPoint, 0, 0);
    for (uint32_t i = 0; i < stations.GetN(); ++i)
    {
        Place(stations.Get(i), metres, static_cast<double>(i) / stations.GetN());
    }
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FriisPropagationLossModel");
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211g);
    WifiMacHelper mac;
    const SsidValue name(Ssid("penstock-" + std::to_string(cell)));
    mac.SetType("ns3::ApWifiMac", "Ssid", name);
    const NetDeviceContainer ap = wifi.Install(phy, mac, accessPoint);
    mac.SetType("ns3::StaWifiMac", "Ssid", name);
    const NetDeviceContainer others = wifi.Install(phy, mac, stations);
    const int64_t stream = FIRST_STREAM + cell * STREAMS;
    WifiHelper::AssignStreams(ap, stream);
    WifiHelper::AssignStreams(others, stream + STREAMS / 2);
    const auto device = DynamicCast<WifiNetDevice>(ap.Get(0));
    device->GetMac()->GetTxop()->GetWifiMacQueue()->SetMaxSize(QueueSize(MAC_QUEUE));
    return {device, others};
}

} // namespace penstock

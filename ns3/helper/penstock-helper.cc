// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-helper.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"
#include "ns3/penstock-gateway.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

constexpr uint16_t HEADER_BYTES = 40; // IPv4 and TCP without options

/// The device's queue: an attribute that several types of devices have.
Ptr<Queue<Packet>>
FindDeviceQueue(Ptr<NetDevice> device)
{
    PointerValue value;
    return device->GetAttributeFailSafe("TxQueue", value) ? value.Get<Queue<Packet>>() : nullptr;
}

} // namespace

PenstockHelper::PenstockHelper(const std::string& method)
{
    m_factory.SetTypeId("ns3::PenstockQueueDisc");
    m_factory.Set("Method", StringValue(method));
}

void
PenstockHelper::Set(const std::string& name, const AttributeValue& value)
{
    m_given.insert(name);
    m_factory.Set(name, value);
}

QueueDiscContainer
PenstockHelper::Install(const NetDeviceContainer& devices) const
{
    QueueDiscContainer installed;
    for (auto i = devices.Begin(); i != devices.End(); ++i)
    {
        installed.Add(Install(*i));
    }
    return installed;
}

Ptr<PenstockQueueDisc>
PenstockHelper::Install(Ptr<NetDevice> device) const
{
    const auto layer = device->GetNode()->GetObject<TrafficControlLayer>();
    NS_ABORT_MSG_IF(!layer, "PenstockHelper: install the Internet stack on the node first");
    if (layer->GetRootQueueDiscOnDevice(device))
    {
        layer->DeleteRootQueueDiscOnDevice(device);
    }
    const auto disc = m_factory.Create<PenstockQueueDisc>();
    DataRateValue rate;
    if (!m_given.count("LinkBandwidth") && device->GetAttributeFailSafe("DataRate", rate))
    {
        disc->SetAttribute("LinkBandwidth", rate);
    }
    if (!m_given.count("SegmentBytes") && device->GetMtu() > HEADER_BYTES)
    {
        disc->SetAttribute("SegmentBytes", UintegerValue(device->GetMtu() - HEADER_BYTES));
    }
    const auto queue = FindDeviceQueue(device);
    if (queue && device->GetObject<NetDeviceQueueInterface>())
    {
        // All packets must be queued in the queue disc, so the device only holds one packet.
        queue->SetMaxSize(QueueSize("1p"));
        disc->SetDeviceQueue(queue);
    }
    layer->SetRootQueueDiscOnDevice(device, disc);
    const auto gateway = CreateObject<PenstockGateway>();
    gateway->Install(device, disc);
    device->AggregateObject(gateway);
    return disc;
}

} // namespace ns3

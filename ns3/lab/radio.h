// SPDX-License-Identifier: GPL-2.0-only
// The lab's 802.11g: one access point and its stations on a channel of their own.
//
// Packets should be queued in the access point's queue disc, where the method sees them. The Wi-Fi
// MAC keeps a frame in its own queue until it is acknowledged, so that queue has room for two: the
// frame on the air and the next one, which keeps the channel busy.
#ifndef PENSTOCK_LAB_RADIO_H
#define PENSTOCK_LAB_RADIO_H

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"

namespace penstock
{

/// Devices of one access point and of its stations, in their order.
struct Radio
{
    ns3::Ptr<ns3::NetDevice> accessPoint;
    ns3::NetDeviceContainer stations;
};

/// Puts the nodes in place and gives them 802.11g in infrastructure mode; losses after Friis.
/// @param metres distance of each station from the access point; they stand on a circle
/// @param cell number of this access point, for its name and its streams
Radio MakeRadio(ns3::Ptr<ns3::Node> accessPoint,
                const ns3::NodeContainer& stations,
                double metres,
                uint32_t cell);

} // namespace penstock

#endif

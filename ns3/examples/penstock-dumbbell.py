# SPDX-License-Identifier: GPL-2.0-only
"""A sender, a gateway and a receiver, with ns-3's Python bindings.

python penstock-dumbbell.py BUILD [METHOD]; BUILD is where CMake built penstock-shared.
"""

import sys

import cppyy
from ns import ns

SECONDS = 20
build, method = sys.argv[1], (sys.argv[2:] or ["ewt"])[0]

# All that a script needs for Penstock.
cppyy.add_include_path(f"{build}/include")
cppyy.load_library(f"{build}/libpenstock.so")
cppyy.include("ns3/penstock-helper.h")

nodes = ns.NodeContainer()
nodes.Create(3)  # sender, gateway, receiver
link = ns.PointToPointHelper()
link.SetDeviceAttribute("DataRate", ns.StringValue("100Mbps"))
link.SetChannelAttribute("Delay", ns.StringValue("5ms"))
access = link.Install(nodes.Get(0), nodes.Get(1))
link.SetDeviceAttribute("DataRate", ns.StringValue("10Mbps"))
link.SetChannelAttribute("Delay", ns.StringValue("40ms"))
bottleneck = link.Install(nodes.Get(1), nodes.Get(2))
ns.InternetStackHelper().Install(nodes)
addresses = ns.Ipv4AddressHelper()
addresses.SetBase(ns.Ipv4Address("10.1.1.0"), ns.Ipv4Mask("255.255.255.0"))
addresses.Assign(access)
addresses.NewNetwork()
far = addresses.Assign(bottleneck)
ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()

penstock = ns.PenstockHelper(method)
penstock.Set("MaxSize", ns.StringValue("97000B"))
queue = penstock.Install(bottleneck.Get(0))

receiver = ns.InetSocketAddress(far.GetAddress(1), 9).ConvertTo()
sender = ns.BulkSendHelper("ns3::TcpSocketFactory", receiver)
for _ in range(4):
    sender.Install(nodes.Get(0)).Stop(ns.Seconds(SECONDS))
anywhere = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), 9).ConvertTo()
sinks = ns.PacketSinkHelper("ns3::TcpSocketFactory", anywhere).Install(nodes.Get(2))

ns.Simulator.Stop(ns.Seconds(SECONDS + 5))
ns.Simulator.Run()
received = sinks.Get(0).__deref__().GetTotalRx() * 8e-6 / SECONDS
print(f"{method}: {received:.2f} Mbit/s, {queue.GetStats().nTotalDroppedPackets} packets dropped")
ns.Simulator.Destroy()

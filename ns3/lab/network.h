// SPDX-License-Identifier: GPL-2.0-only
// A description as an ns-3 simulation: nodes, links, queues, gateways, routes, flows.
#ifndef PENSTOCK_LAB_NETWORK_H
#define PENSTOCK_LAB_NETWORK_H

#include "description.h"
#include "flows.h"
#include "link.h"
#include "queue-books.h"

#include "ns3/node-container.h"

#include <map>
#include <memory>
#include <ostream>

namespace ns3
{
class PcapFileWrapper;
}

namespace penstock
{

/// Built and run once.
class Network
{
  public:
    explicit Network(const Description& description);
    ~Network();

    void Run();
    /// The result as JSON.
    void Write(std::ostream& out);

  private:
    void CheckFits() const;
    void MakeNodes();
    void MakeLinks();
    void MakeLink(uint32_t forward, uint32_t back);
    ns3::Ptr<LinkDevice> MakeDevice(uint32_t link, ns3::Ptr<LinkChannel> channel);
    void MakeRadios();
    void MakeRadioOf(uint32_t accessPoint, const std::vector<uint32_t>& links);
    void AddAddress(uint32_t link, ns3::Ipv4Address address, ns3::Ipv4Mask mask);
    bool OwnsQueue(uint32_t link) const;
    void MakeQueues();
    void MakeQueue(uint32_t link);
    void KeepRecord(uint32_t link, ns3::Ptr<ns3::QueueDisc> disc);
    void MakeRoutes();
    void RouteTo(uint32_t destination);
    void MakeFlows();
    void MakeCaptures();
    void FlowDone();
    void Sample();
    void WriteFlows(std::ostream& out);
    void WriteQueues(std::ostream& out);
    void WriteDelays(std::ostream& out) const;
    void WriteSeries(std::ostream& out) const;
    void WriteEvents(std::ostream& out) const;
    void WriteRecords(std::ostream& out) const;

    Description m_spec;
    ns3::NodeContainer m_nodes;
    std::vector<ns3::Ptr<ns3::NetDevice>> m_devices;    // by link: the one it leaves from
    std::map<uint32_t, std::vector<uint32_t>> m_radios; // by access point: links that leave it
    std::vector<uint32_t> m_backs;                      // by link: its opposite
    std::vector<ns3::Ipv4Address> m_addresses;          // by link: of its device
    std::vector<ns3::Ipv4Address> m_nodeAddresses;      // by node: where its flows end
    std::map<uint32_t, std::unique_ptr<QueueBooks>> m_queues; // by link
    std::vector<std::unique_ptr<Flow>> m_flows;
    std::vector<ns3::Ptr<ns3::PcapFileWrapper>> m_captures;
    std::map<uint64_t, std::vector<std::string>> m_records; // by traced link
    uint32_t m_unfinished{0};
    int64_t m_endNs{0};
    std::vector<int64_t> m_timeNs;
    std::vector<std::vector<uint64_t>> m_queueBytes;
    std::vector<std::vector<uint64_t>> m_queuePackets;
    std::vector<std::vector<uint64_t>> m_windowBytes;
    std::vector<std::vector<uint64_t>> m_cwndBytes;
    std::vector<std::vector<uint64_t>> m_sendWindowBytes;
};

} // namespace penstock

#endif

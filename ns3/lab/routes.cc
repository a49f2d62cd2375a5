// SPDX-License-Identifier: GPL-2.0-only
// Static routes: ns-3's global routing would take longer than most runs.
#include "network.h"

#include "ns3/ipv4-static-routing-helper.h"

namespace penstock
{

using namespace ns3;

void
Network::MakeRoutes()
{
    m_nodeAddresses.resize(m_nodes.GetN());
    for (uint32_t i = 0; i < m_spec.links.size(); ++i)
    {
        Ipv4Address& address = m_nodeAddresses[m_spec.links[i].src];
        if (address == Ipv4Address())
        {
            address = m_addresses[i];
        }
    }
    std::vector<bool> wanted(m_nodes.GetN(), false);
    for (const FlowSpec& flow : m_spec.flows)
    {
        wanted[flow.src] = wanted[flow.dst] = true;
    }
    for (uint32_t i = 0; i < wanted.size(); ++i)
    {
        if (wanted[i])
        {
            RouteTo(i);
        }
    }
}

// Host routes to one node from every other, over the fewest links.
void
Network::RouteTo(uint32_t destination)
{
    std::vector<bool> reached(m_nodes.GetN(), false);
    std::vector<uint32_t> frontier{destination};
    reached[destination] = true;
    while (!frontier.empty())
    {
        std::vector<uint32_t> next;
        for (const uint32_t node : frontier)
        {
            for (uint32_t link = 0; link < m_spec.links.size(); ++link)
            {
                const uint32_t from = m_spec.links[link].src;
                if (m_spec.links[link].dst != node || reached[from])
                {
                    continue;
                }
                reached[from] = true;
                next.push_back(from);
                const auto ip = m_nodes.Get(from)->GetObject<Ipv4>();
                Ipv4StaticRoutingHelper().GetStaticRouting(ip)->AddHostRouteTo(
                    m_nodeAddresses[destination],
                    m_addresses[m_backs[link]],
                    static_cast<uint32_t>(ip->GetInterfaceForDevice(m_devices[link])));
            }
        }
        frontier.swap(next);
    }
}

} // namespace penstock

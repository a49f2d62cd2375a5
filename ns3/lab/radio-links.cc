// SPDX-License-Identifier: GPL-2.0-only
// Radio links of a description: those of an access point form one 802.11g cell.
#include "network.h"
#include "radio.h"

#include <stdexcept>

namespace penstock
{

using namespace ns3;

namespace
{

constexpr uint32_t FIRST_CELL = 0xac100000; // 172.16.0.0, a /20 for each access point
constexpr uint32_t CELL_ADDRESSES = 1U << 12;
constexpr const char* CELL_MASK = "255.255.240.0";

} // namespace

void
Network::MakeRadios()
{
    for (const auto& [accessPoint, links] : m_radios)
    {
        MakeRadioOf(accessPoint, links);
    }
}

void
Network::MakeRadioOf(uint32_t accessPoint, const std::vector<uint32_t>& links)
{
    if (links.size() > CELL_ADDRESSES - 3)
    {
        throw std::invalid_argument("an access point has at most 4093 stations");
    }
    const auto cell =
        static_cast<uint32_t>(std::distance(m_radios.begin(), m_radios.find(accessPoint)));
    NodeContainer stations;
    for (const uint32_t link : links)
    {
        stations.Add(m_nodes.Get(m_spec.links[link].dst));
    }
    const Radio radio =
        MakeRadio(m_nodes.Get(accessPoint), stations, m_spec.links[links.front()].metres, cell);
    const uint32_t network = FIRST_CELL + cell * CELL_ADDRESSES;
    for (uint32_t i = 0; i < links.size(); ++i)
    {
        const uint32_t back = m_backs[links[i]];
        m_devices[links[i]] = radio.accessPoint;
        m_devices[back] = radio.stations.Get(i);
        m_addresses[links[i]] = Ipv4Address(network + 1);
        AddAddress(back, Ipv4Address(network + 2 + i), Ipv4Mask(CELL_MASK));
    }
    AddAddress(links.front(), Ipv4Address(network + 1), Ipv4Mask(CELL_MASK));
}

// All links of an access point use one device; the first describes its queue.
bool
Network::OwnsQueue(uint32_t link) const
{
    const auto radio = m_radios.find(m_spec.links[link].src);
    const bool leavesRadio = m_spec.links[link].radio && radio != m_radios.end();
    return !leavesRadio || radio->second.front() == link;
}

} // namespace penstock

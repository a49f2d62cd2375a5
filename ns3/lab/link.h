// SPDX-License-Identifier: GPL-2.0-only
// One direction of a link as defined by the lab: IP packets plus a fixed overhead, a rate, a
// delay, random and scripted losses.
#ifndef PENSTOCK_LAB_LINK_H
#define PENSTOCK_LAB_LINK_H

#include "description.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device.h"

namespace penstock
{

/// A device that adds the link's overhead to each packet on the wire; IP trims it off again.
class LinkDevice : public ns3::SimpleNetDevice
{
  public:
    static ns3::TypeId GetTypeId();

    /// Overhead and delay of the direction that leaves here.
    void Configure(uint32_t overheadBytes, ns3::Time delay);

    ns3::Time GetDelay() const
    {
        return m_delay;
    }

    uint16_t GetMtu() const override;
    bool SendFrom(ns3::Ptr<ns3::Packet> packet,
                  const ns3::Address& source,
                  const ns3::Address& dest,
                  uint16_t protocol) override;

  private:
    uint16_t m_overheadBytes{0};
    uint16_t m_framingBytes{0}; // m_overheadBytes while a packet is being sent
    ns3::Time m_delay;
};

/// Joins two LinkDevices; each has its own delay.
class LinkChannel : public ns3::SimpleChannel
{
  public:
    static ns3::TypeId GetTypeId();

    void Send(ns3::Ptr<ns3::Packet> packet,
              uint16_t protocol,
              ns3::Mac48Address to,
              ns3::Mac48Address from,
              ns3::Ptr<ns3::SimpleNetDevice> sender) override;
};

/// Drops packets at random, and the data packets with the given numbers.
class LinkLoss : public ns3::ErrorModel
{
  public:
    static ns3::TypeId GetTypeId();

    void Configure(const LinkSpec& link, int64_t stream);

    uint64_t GetLost() const
    {
        return m_lost;
    }

  private:
    bool DoCorrupt(ns3::Ptr<ns3::Packet> packet) override;
    void DoReset() override;

    double m_ratio{0};
    std::vector<uint64_t> m_script; // sorted
    ns3::Ptr<ns3::UniformRandomVariable> m_random;
    uint64_t m_dataPackets{0};
    uint64_t m_lost{0};
};

} // namespace penstock

#endif

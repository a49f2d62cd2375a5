// SPDX-License-Identifier: GPL-2.0-only

#ifndef PENSTOCK_PACKET_H
#define PENSTOCK_PACKET_H

#include "penstock-tags.h"

#include "core/queue/queue.h"

#include "ns3/packet.h"
#include "ns3/queue-item.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup traffic-control
 * @brief A packet as core sees it, with its header for routers and its label, if there are any.
 *
 * What a discipline writes into these goes back into the packet with Write(). Private to the
 * module: it needs core's headers.
 */
class PenstockPacket
{
  public:
    /**
     * @param item of a queue disc
     * @return it as core sees it, without header and label
     */
    static pst_packet Look(Ptr<const QueueDiscItem> item);

    /**
     * @param item of a queue disc
     * @param discipline enum pst_discipline, which reads headers of its own kind only
     */
    PenstockPacket(Ptr<QueueDiscItem> item, uint32_t discipline);

    PenstockPacket(const PenstockPacket&) = delete;
    PenstockPacket& operator=(const PenstockPacket&) = delete;

    /**
     * @brief It arrives at a discipline that labels packets.
     * @param rate of its flow
     */
    void Label(pst_rate* rate);

    /// It arrives: a header that the discipline cannot read has met a hop without support.
    void CountHop();

    /// Puts what the discipline wrote into the packet.
    void Write();

    pst_packet view; //!< for core; points into this object

  private:
    Ptr<Packet> m_packet;       //!< with the tags
    PenstockHeaderTag m_header; //!< its header, if m_hasHeader
    PenstockLabelTag m_label;   //!< its label, once Label() was called
    bool m_hasHeader;           //!< one for routers
};

} // namespace ns3

#endif /* PENSTOCK_PACKET_H */

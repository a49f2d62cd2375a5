// SPDX-License-Identifier: GPL-2.0-only

#ifndef PENSTOCK_SEGMENT_H
#define PENSTOCK_SEGMENT_H

#include "ns3/packet.h"
#include "ns3/queue-item.h"

#include <array>
#include <cstdint>

struct pst_segment;

namespace ns3
{

/**
 * @ingroup traffic-control
 * @brief What core's parser reads of a TCP segment, off its bytes.
 *
 * Bytes instead of TcpHeader, because a gateway changes two words of another host's
 * packet: all else, including options unknown to ns-3, must remain unchanged.
 */
struct PenstockSegment
{
    /// Addresses and ports of both ends, in the direction of the segment.
    typedef std::array<uint8_t, 36> Key;

    /// A window scale option is absent; core's PST_NO_SCALE.
    static constexpr uint8_t NO_SCALE = 255;

    /**
     * @brief Reads a packet that begins with its IP header.
     * @param packet the packet
     * @param protocol EtherType: 0x0800 or 0x86DD
     * @return false unless it holds a whole TCP header, unfragmented
     */
    bool ReadIp(Ptr<const Packet> packet, uint16_t protocol);

    /**
     * @brief Reads an item of a queue disc, whose IP header is kept beside the packet.
     * @param item the item
     * @return as for ReadIp()
     */
    bool ReadItem(Ptr<QueueDiscItem> item);

    /// @return the key of the segments that travel the other way
    Key GetReverseKey() const;

    /**
     * @brief A copy of the packet with another window field.
     * @param packet the packet given to ReadIp()
     * @param field the new field
     *
     * The checksum is updated as RFC 1624 says, unless it is 0: then ns-3 computes none.
     * Byte tags are restored, because FlowMonitor identifies packets by them.
     *
     * @return the copy
     */
    Ptr<Packet> WithWindow(Ptr<const Packet> packet, uint16_t field) const;

    Key key{};                     //!< flow, in the segment's direction
    uint32_t tcpOffset{0};         //!< of the TCP header from the start of the packet
    uint32_t seq{0};               //!< sequence number
    uint32_t ack{0};               //!< acknowledgment number
    uint32_t payloadBytes{0};      //!< TCP payload
    uint16_t field{0};             //!< window field
    uint16_t mssOption{0};         //!< MSS option, 0 without one
    uint8_t scaleOption{NO_SCALE}; //!< window scale option
    uint8_t flags{0};              //!< TCP flags as on the wire
    bool timestamps{false};        //!< has a timestamps option
    uint32_t tsVal{0};             //!< its TSval
    uint32_t tsEcr{0};             //!< its TSecr

  private:
    bool Take(const pst_segment& parsed, const uint8_t* data, uint32_t captured);
};

} // namespace ns3

#endif /* PENSTOCK_SEGMENT_H */

// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-segment.h"

#include "core/packet/options.h"
#include "core/packet/parse.h"
#include "core/packet/stamp.h"
#include "core/rewrite/checksum.h"

#include "ns3/header.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/ipv6-queue-disc-item.h"
#include "ns3/tag.h"
#include "ns3/tcp-header.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t CAPTURE_BYTES = 192; // any IPv4 and TCP header; IPv6 with some extensions

void
PutWord(uint8_t* p, uint16_t value)
{
    p[0] = static_cast<uint8_t>(value >> 8);
    p[1] = static_cast<uint8_t>(value);
}

/// The first bytes of a packet.
class RawBytes : public Header
{
  public:
    explicit RawBytes(std::vector<uint8_t> bytes)
        : m_bytes(std::move(bytes))
    {
    }

    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::PenstockRawBytes").SetParent<Header>().SetGroupName("TrafficControl");
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return static_cast<uint32_t>(m_bytes.size());
    }

    void Serialize(Buffer::Iterator start) const override
    {
        start.Write(m_bytes.data(), GetSerializedSize());
    }

    uint32_t Deserialize(Buffer::Iterator start) override
    {
        start.Read(m_bytes.data(), GetSerializedSize());
        return GetSerializedSize();
    }

    void Print(std::ostream& os) const override
    {
        os << m_bytes.size() << " bytes";
    }

  private:
    std::vector<uint8_t> m_bytes; //!< the bytes
};

/// An item of a queue disc: the IP header, already read, beside the rest of the packet.
struct ItemCursor
{
    pst_cursor at;       //!< core's parser, behind the IP header
    pst_segment segment; //!< with the addresses
};

/// @return false for fragments
bool
ReadHeader(const Ipv4Header& header, ItemCursor& item)
{
    uint8_t address[4];
    header.GetSource().Serialize(address);
    pst_map_ipv4(item.segment.source, pst_load32(address));
    header.GetDestination().Serialize(address);
    pst_map_ipv4(item.segment.target, pst_load32(address));
    item.at.protocol = header.GetProtocol();
    return header.GetFragmentOffset() == 0 && header.IsLastFragment();
}

/// @return false for fragments, and unknown extensions
bool
ReadHeader(const Ipv6Header& header, ItemCursor& item)
{
    header.GetSource().Serialize(reinterpret_cast<uint8_t*>(item.segment.source));
    header.GetDestination().Serialize(reinterpret_cast<uint8_t*>(item.segment.target));
    item.at.protocol = header.GetNextHeader();
    return pst_parse_extensions(&item.at) == PST_PARSED_TCP;
}

bool
ReadHeader(Ptr<QueueDiscItem> from, ItemCursor& item)
{
    if (const auto ipv4 = DynamicCast<Ipv4QueueDiscItem>(from))
    {
        return ReadHeader(ipv4->GetHeader(), item);
    }
    const auto ipv6 = DynamicCast<Ipv6QueueDiscItem>(from);
    return ipv6 && ReadHeader(ipv6->GetHeader(), item);
}

} // namespace

bool
PenstockSegment::ReadIp(Ptr<const Packet> packet, uint16_t protocol)
{
    if (protocol != PST_ETHERTYPE_IPV4 && protocol != PST_ETHERTYPE_IPV6)
    {
        return false;
    }
    uint8_t data[CAPTURE_BYTES];
    const uint32_t captured = packet->CopyData(data, CAPTURE_BYTES);
    pst_segment segment{};
    return pst_parse(data, data + captured, packet->GetSize(), false, &segment) == PST_PARSED_TCP &&
           Take(segment, data, captured);
}

bool
PenstockSegment::ReadItem(Ptr<QueueDiscItem> item)
{
    uint8_t data[CAPTURE_BYTES];
    const uint32_t bytes = item->GetPacket()->GetSize();
    const uint32_t captured = item->GetPacket()->CopyData(data, CAPTURE_BYTES);
    ItemCursor cursor{{data, data + captured, 0, bytes, bytes, 0, 0}, {}};
    return ReadHeader(item, cursor) &&
           pst_parse_tcp(&cursor.at, &cursor.segment) == PST_PARSED_TCP &&
           Take(cursor.segment, data, captured);
}

bool
PenstockSegment::Take(const pst_segment& parsed, const uint8_t* data, uint32_t captured)
{
    tcpOffset = parsed.tcp_offset;
    if (tcpOffset + parsed.header_bytes > captured)
    {
        return false;
    }
    std::memcpy(key.data(), parsed.source, 16);
    std::memcpy(key.data() + 16, parsed.target, 16);
    std::memcpy(key.data() + 32, &parsed.source_port, 2);
    std::memcpy(key.data() + 34, &parsed.target_port, 2);
    seq = parsed.seq;
    ack = parsed.ack;
    flags = static_cast<uint8_t>(parsed.flags);
    field = parsed.window;
    payloadBytes = parsed.payload_bytes;

    const uint32_t length = parsed.header_bytes - PST_TCP_BYTES;
    uint8_t bytes[PST_OPTION_ROOM]{};
    std::copy_n(data + tcpOffset + PST_TCP_BYTES, length, bytes);
    pst_options options;
    pst_options_parse(bytes, length, &options);
    mssOption = options.mss_bytes;
    scaleOption = options.scale;
    pst_stamp_scan stamp;
    pst_stamp_parse(bytes, length, &stamp);
    timestamps = stamp.found;
    tsVal = stamp.val;
    tsEcr = stamp.echo;
    return true;
}

PenstockSegment::Key
PenstockSegment::GetReverseKey() const
{
    Key reverse;
    std::copy(key.begin() + 16, key.begin() + 32, reverse.begin());
    std::copy(key.begin(), key.begin() + 16, reverse.begin() + 16);
    std::copy(key.begin() + 34, key.begin() + 36, reverse.begin() + 32);
    std::copy(key.begin() + 32, key.begin() + 34, reverse.begin() + 34);
    return reverse;
}

Ptr<Packet>
PenstockSegment::WithWindow(Ptr<const Packet> packet, uint16_t newField) const
{
    Ptr<Packet> copy = packet->Copy();
    std::vector<uint8_t> head(tcpOffset + PST_TCP_BYTES);
    copy->CopyData(head.data(), static_cast<uint32_t>(head.size()));
    uint8_t* tcp = head.data() + tcpOffset;
    const uint16_t checksum = pst_load_be16(tcp + PST_TCP_CHECKSUM_AT);
    PutWord(tcp + PST_TCP_WINDOW_AT, newField);
    if (checksum != 0)
    {
        PutWord(tcp + PST_TCP_CHECKSUM_AT, pst_checksum_update(checksum, field, newField));
    }
    // Removing and adding bytes would truncate a tag that covers them.
    struct Kept
    {
        std::unique_ptr<Tag> tag;
        uint32_t start;
        uint32_t end;
    };

    std::vector<Kept> kept;
    for (auto tags = copy->GetByteTagIterator(); tags.HasNext();)
    {
        const auto item = tags.Next();
        std::unique_ptr<Tag> tag(dynamic_cast<Tag*>(item.GetTypeId().GetConstructor()()));
        item.GetTag(*tag);
        kept.push_back({std::move(tag), item.GetStart(), item.GetEnd()});
    }
    copy->RemoveAllByteTags();
    copy->RemoveAtStart(static_cast<uint32_t>(head.size()));
    copy->AddHeader(RawBytes(head));
    for (const Kept& each : kept)
    {
        copy->AddByteTag(*each.tag, each.start, each.end);
    }
    return copy;
}

} // namespace ns3

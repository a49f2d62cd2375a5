// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-segment.h"

#include "core/rewrite/checksum.h"

#include "ns3/header.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/ipv6-queue-disc-item.h"
#include "ns3/tag.h"
#include "ns3/tcp-header.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;
constexpr uint16_t ETHERTYPE_IPV6 = 0x86DD;
constexpr uint8_t PROTOCOL_TCP = 6;
constexpr uint32_t TCP_BYTES = 20;
constexpr uint32_t IPV6_BYTES = 40;
constexpr uint32_t WINDOW_OFFSET = 14;   // RFC 9293 section 3.1
constexpr uint32_t CHECKSUM_OFFSET = 16; // likewise
constexpr uint32_t CAPTURE_BYTES = 192;  // any IPv4 and TCP header; IPv6 with some extensions

uint16_t
Word(const uint8_t* p)
{
    return static_cast<uint16_t>(p[0] << 8 | p[1]);
}

uint32_t
LongWord(const uint8_t* p)
{
    return static_cast<uint32_t>(Word(p)) << 16 | Word(p + 2);
}

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

/// Offset of the TCP header behind IPv6's and its extensions (RFC 8200 section 4); 0 if none.
uint32_t
FindTcpInIpv6(const uint8_t* data, uint32_t captured, uint8_t next, uint32_t offset)
{
    constexpr uint8_t HOP_BY_HOP = 0;
    constexpr uint8_t ROUTING = 43;
    constexpr uint8_t DESTINATION = 60;
    while (next == HOP_BY_HOP || next == ROUTING || next == DESTINATION)
    {
        if (offset + 2 > captured)
        {
            return 0;
        }
        next = data[offset];
        offset += 8 * (data[offset + 1] + 1U);
    }
    return next == PROTOCOL_TCP ? offset : 0;
}

} // namespace

bool
PenstockSegment::ReadIp(Ptr<const Packet> packet, uint16_t protocol)
{
    uint8_t data[CAPTURE_BYTES];
    const uint32_t captured = packet->CopyData(data, CAPTURE_BYTES);
    uint32_t length = 0;
    if (protocol == ETHERTYPE_IPV4 && captured >= 20)
    {
        const bool fragment = (Word(data + 6) & 0x3fff) != 0;
        if (data[9] != PROTOCOL_TCP || fragment)
        {
            return false;
        }
        tcpOffset = 4U * (data[0] & 0x0f);
        length = Word(data + 2);
        std::copy(data + 12, data + 16, key.begin());
        std::copy(data + 16, data + 20, key.begin() + 16);
    }
    else if (protocol == ETHERTYPE_IPV6 && captured >= IPV6_BYTES)
    {
        tcpOffset = FindTcpInIpv6(data, captured, data[6], IPV6_BYTES);
        length = IPV6_BYTES + Word(data + 4);
        std::copy(data + 8, data + 24, key.begin());
        std::copy(data + 24, data + 40, key.begin() + 16);
    }
    if (tcpOffset == 0 || tcpOffset > captured || length < tcpOffset)
    {
        return false;
    }
    return ReadTcp(data + tcpOffset, captured - tcpOffset, length - tcpOffset);
}

bool
PenstockSegment::ReadItem(Ptr<QueueDiscItem> item)
{
    uint8_t data[CAPTURE_BYTES];
    const uint32_t captured = item->GetPacket()->CopyData(data, CAPTURE_BYTES);
    uint32_t offset = 0;
    if (const auto ipv4 = DynamicCast<Ipv4QueueDiscItem>(item))
    {
        const Ipv4Header& header = ipv4->GetHeader();
        if (header.GetProtocol() != PROTOCOL_TCP || header.GetFragmentOffset() ||
            !header.IsLastFragment())
        {
            return false;
        }
        header.GetSource().Serialize(key.data());
        header.GetDestination().Serialize(key.data() + 16);
    }
    else if (const auto ipv6 = DynamicCast<Ipv6QueueDiscItem>(item))
    {
        const Ipv6Header& header = ipv6->GetHeader();
        const bool direct = header.GetNextHeader() == PROTOCOL_TCP;
        offset = direct ? 0 : FindTcpInIpv6(data, captured, header.GetNextHeader(), 0);
        if (!direct && offset == 0)
        {
            return false;
        }
        header.GetSource().Serialize(key.data());
        header.GetDestination().Serialize(key.data() + 16);
    }
    else
    {
        return false;
    }
    tcpOffset = offset;
    if (offset > captured)
    {
        return false;
    }
    return ReadTcp(data + offset, captured - offset, item->GetPacket()->GetSize() - offset);
}

bool
PenstockSegment::ReadTcp(const uint8_t* data, uint32_t captured, uint32_t length)
{
    if (captured < TCP_BYTES)
    {
        return false;
    }
    const uint32_t headerBytes = 4U * (data[12] >> 4);
    if (headerBytes < TCP_BYTES || headerBytes > captured || headerBytes > length)
    {
        return false;
    }
    std::copy(data, data + 4, key.begin() + 32);
    seq = LongWord(data + 4);
    ack = LongWord(data + 8);
    flags = data[13];
    field = Word(data + WINDOW_OFFSET);
    payloadBytes = length - headerBytes;
    ReadOptions(data + TCP_BYTES, headerBytes - TCP_BYTES);
    return true;
}

void
PenstockSegment::ReadOptions(const uint8_t* options, uint32_t length)
{
    constexpr uint8_t END = 0;
    constexpr uint8_t NOP = 1;
    constexpr uint8_t MSS = 2;
    constexpr uint8_t SCALE = 3;
    constexpr uint8_t TIMESTAMPS = 8;
    uint32_t i = 0;
    while (i < length && options[i] != END)
    {
        if (options[i] == NOP)
        {
            ++i;
            continue;
        }
        if (i + 1 >= length || options[i + 1] < 2 || i + options[i + 1] > length)
        {
            return;
        }
        const uint8_t size = options[i + 1];
        if (options[i] == MSS && size == 4)
        {
            mssOption = Word(options + i + 2);
        }
        else if (options[i] == SCALE && size == 3)
        {
            scaleOption = std::min<uint8_t>(options[i + 2], 14); // RFC 7323 section 2.3
        }
        else if (options[i] == TIMESTAMPS && size == 10)
        {
            timestamps = true;
        }
        i += size;
    }
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
    std::vector<uint8_t> head(tcpOffset + TCP_BYTES);
    copy->CopyData(head.data(), static_cast<uint32_t>(head.size()));
    uint8_t* tcp = head.data() + tcpOffset;
    const uint16_t checksum = Word(tcp + CHECKSUM_OFFSET);
    PutWord(tcp + WINDOW_OFFSET, newField);
    if (checksum != 0)
    {
        PutWord(tcp + CHECKSUM_OFFSET, pst_checksum_update(checksum, field, newField));
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

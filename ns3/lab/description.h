// SPDX-License-Identifier: GPL-2.0-only
// The network to run, as penstock/runs/backends/ns3.py writes it: one item per line, its name and
// then KEY=VALUE pairs. Numbers are integers in the unit in which their key ends.
#ifndef PENSTOCK_LAB_DESCRIPTION_H
#define PENSTOCK_LAB_DESCRIPTION_H

#include "core/tables/link_keys.h"
#include "core/tables/run_keys.h"
#include "core/tables/tcp_options.h"
#include "core/tables/udp_keys.h"

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace penstock
{

/// The pairs of a line. Each value must be read, so that nothing is silently ignored.
class Fields
{
  public:
    /// @param text the pairs, separated by blanks; @param where the line, for messages
    Fields(const std::string& text, std::string where);

    /// Text of a key that must be there; throws std::invalid_argument.
    std::string Text(const std::string& key);
    /// Text of a key, or @p otherwise.
    std::string Text(const std::string& key, const std::string& otherwise);
    /// Number of a key that must be there.
    uint64_t Number(const std::string& key);
    /// The same, of at most 32 bits.
    uint32_t Number32(const std::string& key);
    /// Number of a key, or @p otherwise.
    uint64_t Number(const std::string& key, uint64_t otherwise);
    /// Numbers with commas between them; none without the key.
    std::vector<uint64_t> Numbers(const std::string& key);
    /// All pairs whose key begins with @p prefix, without it.
    std::map<std::string, uint64_t> Group(const std::string& prefix);
    /// Throws if a pair was not asked for.
    void Finish() const;

  private:
    uint64_t ToNumber(const std::string& key, const std::string& text) const;

    std::map<std::string, std::string> m_pairs;
    std::string m_where;
};

#define PENSTOCK_KEY(type, name, initial, hosts, ...)                                              \
    PST_NS3_HAS_##hosts(PST_TYPE_##type name = initial;)

struct LinkSpec
{
    uint32_t src;
    uint32_t dst;
    PST_LINK_KEYS(PENSTOCK_KEY)
    std::vector<uint64_t> dropDataPackets;
    bool radio = false; // 802.11g; of a pair, the first leaves the access point
    double metres = 0;  // from there to the station
};

struct UdpSpec
{
    PST_UDP_KEYS(PENSTOCK_KEY)
};

struct ClockSpec
{
    PST_TIME_KEYS(PENSTOCK_KEY)
};

struct SampleSpec
{
    PST_SAMPLE_KEYS(PENSTOCK_KEY)
    std::vector<uint64_t> links;
    std::vector<uint64_t> flows;
};

#undef PENSTOCK_KEY

struct GatewaySpec
{
    std::string discipline;
    std::string law;
    std::string signal;
    std::string mode;
    std::map<std::string, uint64_t> params;
};

#define PENSTOCK_FIELD(type, name, hosts) PST_NS3_HAS_##hosts(PST_TYPE_##type name;)
#define PENSTOCK_SENDER(ends, type, name, initial, hosts, ...)                                     \
    PST_SENDER_HAS_##ends(PENSTOCK_FIELD(type, name, hosts))
#define PENSTOCK_RECEIVER(ends, type, name, initial, hosts, ...)                                   \
    PST_RECEIVER_HAS_##ends(PENSTOCK_FIELD(type, name, hosts))

struct SenderSpec
{
    std::string law; // "ns3": ns-3's own congestion control, "core": Penstock's
    std::string method;
    std::map<std::string, uint64_t> params;
    PST_TCP_OPTIONS(PENSTOCK_SENDER)
};

struct ReceiverSpec
{
    PST_TCP_OPTIONS(PENSTOCK_RECEIVER)
};

#undef PENSTOCK_FIELD
#undef PENSTOCK_SENDER
#undef PENSTOCK_RECEIVER

struct FlowSpec
{
    bool isUdp;
    uint32_t src;
    uint32_t dst;
    uint64_t startNs;
    uint64_t sizeBytes; // TCP
    UdpSpec udp;
    SenderSpec sender;
    ReceiverSpec receiver;
};

struct Description
{
    uint64_t seed = 1;
    ClockSpec clock;
    bool checksums = false;
    std::vector<std::string> nodes;
    std::vector<LinkSpec> links;
    std::map<uint32_t, GatewaySpec> gateways; // by link
    std::vector<FlowSpec> flows;
    SampleSpec sample;
    std::map<uint32_t, std::string> captures; // file by link
    std::vector<uint64_t> tracedFlows;
    std::vector<uint64_t> tracedLinks;
};

/// Reads a description; throws std::invalid_argument with the line.
Description Read(std::istream& in);

} // namespace penstock

#endif

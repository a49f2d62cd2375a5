// SPDX-License-Identifier: GPL-2.0-only
#include "description.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace penstock
{

Fields::Fields(const std::string& text, std::string where)
    : m_where(std::move(where))
{
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
        {
            throw std::invalid_argument(m_where + ": expected KEY=VALUE, not " + word);
        }
        m_pairs[word.substr(0, equals)] = word.substr(equals + 1);
    }
}

std::string
Fields::Text(const std::string& key)
{
    const auto found = m_pairs.find(key);
    if (found == m_pairs.end())
    {
        throw std::invalid_argument(m_where + ": " + key + " is missing");
    }
    std::string text = found->second;
    m_pairs.erase(found);
    return text;
}

std::string
Fields::Text(const std::string& key, const std::string& otherwise)
{
    return m_pairs.count(key) ? Text(key) : otherwise;
}

uint64_t
Fields::ToNumber(const std::string& key, const std::string& text) const
{
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (!digits)
    {
        throw std::invalid_argument(m_where + ": " + key + " must be a whole number, not " + text);
    }
    return std::stoull(text);
}

uint64_t
Fields::Number(const std::string& key)
{
    return ToNumber(key, Text(key));
}

uint32_t
Fields::Number32(const std::string& key)
{
    const uint64_t number = Number(key);
    if (number > UINT32_MAX)
    {
        throw std::invalid_argument(m_where + ": " + key + " must be at most " +
                                    std::to_string(UINT32_MAX) + " in ns-3, not " +
                                    std::to_string(number));
    }
    return static_cast<uint32_t>(number);
}

uint64_t
Fields::Number(const std::string& key, uint64_t otherwise)
{
    return m_pairs.count(key) ? Number(key) : otherwise;
}

std::vector<uint64_t>
Fields::Numbers(const std::string& key)
{
    std::vector<uint64_t> numbers;
    std::istringstream parts(Text(key, ""));
    for (std::string part; std::getline(parts, part, ',');)
    {
        numbers.push_back(ToNumber(key, part));
    }
    return numbers;
}

std::map<std::string, uint64_t>
Fields::Group(const std::string& prefix)
{
    std::map<std::string, uint64_t> group;
    for (auto it = m_pairs.begin(); it != m_pairs.end();)
    {
        if (it->first.compare(0, prefix.size(), prefix) == 0)
        {
            group[it->first.substr(prefix.size())] = ToNumber(it->first, it->second);
            it = m_pairs.erase(it);
        }
        else
        {
            ++it;
        }
    }
    return group;
}

void
Fields::Finish() const
{
    if (!m_pairs.empty())
    {
        throw std::invalid_argument(m_where + ": unknown key " + m_pairs.begin()->first);
    }
}

namespace
{

#define PENSTOCK_READ_FLAG(key) f.Number(key) != 0
#define PENSTOCK_READ_COUNT(key) f.Number32(key)
#define PENSTOCK_READ_SIZE(key) f.Number32(key)
#define PENSTOCK_READ_LONG_SIZE(key) f.Number(key)
#define PENSTOCK_READ_TIME(key) f.Number(key)
#define PENSTOCK_READ_SPAN(key) f.Number(key)
#define PENSTOCK_READ_RATE(key) f.Number(key)
#define PENSTOCK_READ_LONG_COUNT(key) f.Number(key)
#define PENSTOCK_READ_RATIO(key) std::stod(f.Text(key))
#define PENSTOCK_KEY(type, name, initial, hosts, ...)                                              \
    PST_NS3_HAS_##hosts(spec.name = PENSTOCK_READ_##type(#name);)

// Queue sizes of ns-3 have 32 bits.
void
Limit(const LinkSpec& spec)
{
    if (std::max(spec.queue_bytes, spec.queue_packets) > UINT32_MAX)
    {
        throw std::invalid_argument("a queue's limit must be at most " +
                                    std::to_string(UINT32_MAX) + " in ns-3");
    }
}

LinkSpec
ReadLink(Fields& f)
{
    LinkSpec spec;
    spec.src = f.Number32("src");
    spec.dst = f.Number32("dst");
    PST_LINK_KEYS(PENSTOCK_KEY)
    spec.dropDataPackets = f.Numbers("drop_data_packets");
    Limit(spec);
    return spec;
}

// What a wire has besides is zero; the rate is the highest of 802.11g.
LinkSpec
ReadRadio(Fields& f)
{
    constexpr uint64_t highestRateBps = 54'000'000;
    constexpr double perMetre = 1000;
    if (const std::string medium = f.Text("medium"); medium != "802.11g")
    {
        throw std::invalid_argument("the lab has no " + medium + " in ns-3");
    }
    LinkSpec spec;
    spec.src = f.Number32("src");
    spec.dst = f.Number32("dst");
    spec.rate_bps = highestRateBps;
    spec.mtu_bytes = f.Number32("mtu_bytes");
    spec.queue_bytes = f.Number("queue_bytes");
    spec.queue_packets = f.Number("queue_packets");
    spec.radio = true;
    spec.metres = static_cast<double>(f.Number("distance_mm")) / perMetre;
    Limit(spec);
    return spec;
}

#define PENSTOCK_OPTION(end, type, name, hosts)                                                    \
    PST_NS3_HAS_##hosts(spec.name = PENSTOCK_READ_##type(end "." #name);)
#define PENSTOCK_SENDER(ends, type, name, initial, hosts, ...)                                     \
    PST_SENDER_HAS_##ends(PENSTOCK_OPTION("sender", type, name, hosts))
#define PENSTOCK_RECEIVER(ends, type, name, initial, hosts, ...)                                   \
    PST_RECEIVER_HAS_##ends(PENSTOCK_OPTION("receiver", type, name, hosts))

SenderSpec
ReadSender(Fields& f)
{
    SenderSpec spec;
    spec.law = f.Text("law");
    spec.method = f.Text("sender.method");
    spec.params = f.Group("param.");
    PST_TCP_OPTIONS(PENSTOCK_SENDER)
    return spec;
}

ReceiverSpec
ReadReceiver(Fields& f)
{
    ReceiverSpec spec;
    PST_TCP_OPTIONS(PENSTOCK_RECEIVER)
    return spec;
}

FlowSpec
ReadTcp(Fields& f)
{
    FlowSpec flow{};
    flow.src = f.Number32("src");
    flow.dst = f.Number32("dst");
    flow.startNs = f.Number("start_ns");
    flow.sizeBytes = f.Number("size_bytes");
    flow.sender = ReadSender(f);
    flow.receiver = ReadReceiver(f);
    return flow;
}

FlowSpec
ReadUdp(Fields& f)
{
    FlowSpec flow{};
    flow.isUdp = true;
    flow.src = f.Number32("src");
    flow.dst = f.Number32("dst");
    flow.startNs = f.Number("start_ns");
    UdpSpec& spec = flow.udp;
    PST_UDP_KEYS(PENSTOCK_KEY)
    return flow;
}

ClockSpec
ReadClock(Fields& f)
{
    ClockSpec spec;
    PST_TIME_KEYS(PENSTOCK_KEY)
    return spec;
}

SampleSpec
ReadSample(Fields& f)
{
    SampleSpec spec;
    PST_SAMPLE_KEYS(PENSTOCK_KEY)
    spec.links = f.Numbers("links");
    spec.flows = f.Numbers("flows");
    return spec;
}

void
ReadLine(Description& d, const std::string& what, Fields& f)
{
    if (what == "run")
    {
        d.seed = f.Number("seed");
        d.clock = ReadClock(f);
        d.checksums = f.Number("checksums", 0);
    }
    else if (what == "node")
    {
        d.nodes.push_back(f.Text("name"));
    }
    else if (what == "link")
    {
        d.links.push_back(ReadLink(f));
    }
    else if (what == "radio")
    {
        d.links.push_back(ReadRadio(f));
    }
    else if (what == "gateway")
    {
        const auto link = f.Number32("link");
        d.gateways[link] = {f.Text("discipline"),
                            f.Text("law"),
                            f.Text("signal"),
                            f.Text("mode"),
                            f.Group("param.")};
    }
    else if (what == "tcp")
    {
        d.flows.push_back(ReadTcp(f));
    }
    else if (what == "udp")
    {
        d.flows.push_back(ReadUdp(f));
    }
    else if (what == "sample")
    {
        d.sample = ReadSample(f);
    }
    else if (what == "trace")
    {
        d.tracedFlows = f.Numbers("flows");
        d.tracedLinks = f.Numbers("links");
    }
    else
    {
        throw std::invalid_argument("unknown line: " + what);
    }
}

} // namespace

Description
Read(std::istream& in)
{
    Description d;
    uint32_t number = 0;
    for (std::string line; std::getline(in, line);)
    {
        ++number;
        const auto blank = line.find(' ');
        const std::string what = line.substr(0, blank);
        const std::string rest = blank == std::string::npos ? "" : line.substr(blank + 1);
        const std::string where = "line " + std::to_string(number) + ", " + what;
        if (what == "pcap") // its path may hold blanks
        {
            const auto end = rest.find(' ');
            d.captures[static_cast<uint32_t>(std::stoul(rest.substr(0, end)))] =
                rest.substr(end + 1);
            continue;
        }
        Fields fields(rest, where);
        ReadLine(d, what, fields);
        fields.Finish();
    }
    return d;
}

} // namespace penstock

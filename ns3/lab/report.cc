// SPDX-License-Identifier: GPL-2.0-only
// The result of a run as JSON; all its text is ours, so nothing needs escaping.
#include "network.h"

#include "ns3/simulator.h"

#include <iomanip>

namespace penstock
{

using namespace ns3;

namespace
{

template <class Values>
void
WriteList(std::ostream& out, const Values& values)
{
    out << '[';
    const char* comma = "";
    for (const auto& value : values)
    {
        out << comma << value;
        comma = ",";
    }
    out << ']';
}

void
WriteRows(std::ostream& out, const char* name, const std::vector<std::vector<uint64_t>>& rows)
{
    out << ",\n\"" << name << "\": [";
    const char* comma = "";
    for (const auto& row : rows)
    {
        out << comma;
        WriteList(out, row);
        comma = ",\n";
    }
    out << ']';
}

/// `write` writes each value of the map.
template <class Map, class Write>
void
WriteObject(std::ostream& out, const char* name, const Map& map, const Write& write)
{
    out << ",\n\"" << name << "\": {";
    const char* comma = "";
    for (const auto& [key, value] : map)
    {
        out << comma << "\n\"" << key << "\": ";
        write(value);
        comma = ",";
    }
    out << '}';
}

} // namespace

void
Network::Write(std::ostream& out)
{
    out << std::setprecision(17);
    out << "{\"end_ns\": " << m_endNs << ", \"events\": " << Simulator::GetEventCount()
        << ", \"all_done\": " << (m_unfinished == 0 ? "true" : "false");
    WriteFlows(out);
    WriteQueues(out);
    WriteDelays(out);
    WriteSeries(out);
    WriteEvents(out);
    WriteRecords(out);
    out << "}\n";
}

void
Network::WriteFlows(std::ostream& out)
{
    out << ",\n\"flows\": {";
    const char* comma = "";
    const auto column = [&](const char* name, auto value) {
        out << comma << "\n\"" << name << "\": ";
        std::vector<int64_t> values;
        for (const auto& flow : m_flows)
        {
            values.push_back(static_cast<int64_t>(value(*flow)));
        }
        WriteList(out, values);
        comma = ",";
    };
    column("is_udp", [](Flow& f) { return f.GetSpec().isUdp; });
    column("start_ns", [](Flow& f) { return f.GetSpec().startNs; });
    column("done_ns", [](Flow& f) { return f.GetBooks().doneNs; });
    column("size_bytes", [](Flow& f) { return f.GetBooks().sizeBytes; });
#define PENSTOCK_COLUMN(name, unit, hosts, ...)                                                    \
    PST_COUNTED_##hosts(column(#name, [](Flow& f) { return f.GetBooks().name; });)
    PST_SENDER_COUNTERS(PENSTOCK_COLUMN)
    PST_RECEIVER_COUNTERS(PENSTOCK_COLUMN)
#undef PENSTOCK_COLUMN
    out << '}';
}

void
Network::WriteQueues(std::ostream& out)
{
    WriteObject(out, "queues", m_queues, [&out](const auto& books) {
        out << '{';
        const char* inner = "";
        for (const auto& [name, value] : books->Report())
        {
            out << inner << '"' << name << "\": " << value;
            inner = ", ";
        }
        out << '}';
    });
}

void
Network::WriteDelays(std::ostream& out) const
{
    WriteObject(out, "delay_quantiles_ns", m_queues, [&out](const auto& books) {
        WriteList(out, books->GetDelayQuantilesNs());
    });
}

void
Network::WriteSeries(std::ostream& out) const
{
    out << ",\n\"series\": {\"time_ns\": ";
    WriteList(out, m_timeNs);
    WriteRows(out, "queue_bytes", m_queueBytes);
    WriteRows(out, "queue_packets", m_queuePackets);
    WriteRows(out, "window_bytes", m_windowBytes);
    WriteRows(out, "cwnd_bytes", m_cwndBytes);
    WriteRows(out, "send_window_bytes", m_sendWindowBytes);
    out << '}';
}

void
Network::WriteEvents(std::ostream& out) const
{
    out << ",\n\"events_of\": {";
    const char* comma = "";
    for (const uint64_t flow : m_spec.tracedFlows)
    {
        out << comma << "\n\"" << flow << "\": [";
        const char* inner = "";
        for (const SenderEvent& e : m_flows.at(flow)->GetEvents())
        {
            out << inner << "\n[" << e.timeNs << ", \"" << e.what << "\", " << e.first << ", "
                << e.second << ']';
            inner = ",";
        }
        out << ']';
        comma = ",";
    }
    out << '}';
}

void
Network::WriteRecords(std::ostream& out) const
{
    WriteObject(out, "records_of", m_records, [&out](const auto& lines) {
        out << '[';
        const char* inner = "";
        for (const std::string& line : lines)
        {
            out << inner << "\n\"" << line << '"';
            inner = ",";
        }
        out << ']';
    });
}

} // namespace penstock

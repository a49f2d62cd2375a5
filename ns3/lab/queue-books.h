// SPDX-License-Identifier: GPL-2.0-only
// Counters of a queue; names and definitions as in penstock/_native.pyi.
#ifndef PENSTOCK_LAB_QUEUE_BOOKS_H
#define PENSTOCK_LAB_QUEUE_BOOKS_H

#include "core/tables/counters.h"
#include "link.h"
#include "sim/net/histogram.h"

#include "ns3/data-rate.h"
#include "ns3/penstock-queue-disc.h"

#include <array>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace penstock
{

/// The counters that ns-3 has of a queue.
struct QueueCounters
{
#define PENSTOCK_FIELD(name, unit, hosts, ...) PST_COUNTED_##hosts(uint64_t name = 0;)
    PST_QUEUE_COUNTERS(PENSTOCK_FIELD)
#undef PENSTOCK_FIELD
};

/// Books of one queue disc and of the gateway on it. Of a queue disc of ns-3's own, packets may
/// leave in another order than they came.
class QueueBooks
{
  public:
    /// @param deviceQueue where packets wait last; null: they leave with the queue disc
    QueueBooks(const LinkSpec& link,
               ns3::Ptr<ns3::QueueDisc> disc,
               ns3::Ptr<ns3::Queue<ns3::Packet>> deviceQueue);

    /// All figures, after the run.
    std::vector<std::pair<std::string, double>> Report();

    /// Of the packets' delays, at equal steps of their share.
    std::vector<double> GetDelayQuantilesNs() const;

    uint32_t GetWaitingBytes() const;
    uint32_t GetWaitingPackets() const;

    uint32_t GetLastWindow() const
    {
        return m_lastWindow;
    }

  private:
    void OnEnqueue(ns3::Ptr<const ns3::QueueDiscItem> item);
    void OnDrop(ns3::Ptr<const ns3::QueueDiscItem> item, const char* reason);
    void OnDropAtHead(ns3::Ptr<const ns3::QueueDiscItem> item, const char* reason);
    void OnMark(ns3::Ptr<const ns3::QueueDiscItem> item, const char* reason);
    void OnWaiting(uint32_t before, uint32_t now);
    void OnDequeue(ns3::Ptr<const ns3::QueueDiscItem> item);
    void OnStart(ns3::Ptr<const ns3::Packet> packet);
    void Changed();
    void Drop(ns3::Ptr<const ns3::QueueDiscItem> item, const char* reason);
    void Left(uint32_t bytes);
    ns3::Time WireTime(uint32_t bytes) const;
    ns3::Time UnsentTime() const;
    void OnDecision(uint32_t limit, uint32_t windowBytes, bool changed);
    void Arrived(ns3::Ptr<const ns3::QueueDiscItem> item);

    ns3::Ptr<ns3::QueueDisc> m_disc;
    ns3::Ptr<ns3::PenstockQueueDisc> m_ours;         // the same, if it is one of these
    ns3::Ptr<ns3::Queue<ns3::Packet>> m_deviceQueue; // null without one
    net::Histogram m_occupancyBytes;
    net::Sample m_delayNs;
    uint32_t m_bytes{0};               // that wait since m_changedNs
    uint64_t m_packets{0};             // likewise
    uint64_t m_packetsNs{0};           // those that waited, each times how long
    std::deque<uint64_t> m_arrivalsNs; // of packets that wait; of ns-3's own, in the device alone
    ns3::DataRate m_rate;
    uint64_t m_overheadBytes; // of a packet in the device's queue
    uint64_t m_changedNs{0};
    uint64_t m_firstNs{0};
    QueueCounters m_counters;
    ns3::Time m_first;     // the first arrival
    ns3::Time m_wire;      // transmission of all packets that left
    ns3::Time m_sentUntil; // the end of the last one's
    uint64_t m_acks{0};
    uint64_t m_rewritten{0};
    uint64_t m_windowBytesSum{0};
    uint32_t m_lastWindow{0};
    std::array<uint64_t, 16> m_acksBy{}; // by enum pst_limit
};

} // namespace penstock

#endif

// SPDX-License-Identifier: GPL-2.0-only

#ifndef PENSTOCK_CONTROL_H
#define PENSTOCK_CONTROL_H

#include "penstock-segment.h"

#include "core/gateway/gateway.h"
#include "core/queue/places.h"

#include <map>
#include <memory>

namespace ns3
{

/**
 * @ingroup traffic-control
 * @brief The gateway of core/ on one forward queue, and its flows by address.
 *
 * Turns what ns-3 has into core's views, and core's answers into a verdict or a window field.
 * Decides nothing itself. Private to the module: it needs core's headers.
 */
class PenstockControl
{
  public:
    /// What becomes of an ACK.
    struct Answer
    {
        uint16_t field;       //!< window field to send
        uint32_t limit;       //!< enum pst_limit: which rule had the last word
        uint64_t windowBytes; //!< the field in bytes
    };

    /**
     * @param config discipline, law, mode, signal and parameters
     * @param queue the empty queue: limits, rate and segment size
     */
    PenstockControl(const pst_gateway_config& config, const pst_queue& queue);

    /// @return the queue as core sees it; the caller keeps its changing fields up to date
    pst_queue& GetQueue()
    {
        return m_queue;
    }

    /**
     * @brief A packet passes out, towards the queue; the arguments are those of pst_port_out().
     * @param packet the packet, which gets its kind
     * @param host of both functions
     * @param flow has See() called
     * @param judge has Arrive() called
     * @return the verdict
     */
    pst_verdict Out(pst_packet& packet, void* host, pst_out_flow flow, pst_out_judge judge);

    /**
     * @brief A packet passes in the direction of the data, on its way into the queue.
     * @param packet the packet
     * @param s its segment; null if it is not TCP
     * @param hash of its flow
     */
    void See(pst_packet& packet, const PenstockSegment* s, uint32_t hash);

    /**
     * @param hash of a flow, in the direction of its packet
     * @return its rate, kept for a discipline that labels packets; null for others
     */
    pst_rate* GetRate(uint32_t hash);

    /**
     * @brief A packet arrives at the queue, which does not hold it yet.
     * @param packet the packet
     * @return the verdict
     */
    pst_verdict Arrive(const pst_packet& packet);

    /**
     * @brief A packet went into the queue, which holds it now.
     * @param packet the packet
     */
    void Queued(const pst_packet& packet);

    /**
     * @brief A packet did not fit.
     * @param packet the packet
     */
    void Overflow(const pst_packet& packet);

    /**
     * @brief The head of the queue is to leave.
     * @param packet the packet, which the queue no longer holds
     * @return whether it does: PASS, DROP, MARK or SIGNAL
     */
    pst_verdict Leave(const pst_packet& packet);

    /**
     * @brief A packet has left the queue.
     * @param packet the packet
     */
    void Left(const pst_packet& packet);

    /**
     * @brief To be called when the time of the next tick has come.
     * @return nanoseconds to the one after, 0 for none
     */
    uint64_t Tick();

    /**
     * @brief A segment passes back to the data's sender.
     * @param s the segment
     * @return its window
     */
    Answer OnAck(const PenstockSegment& s);

    /// @return nanoseconds from now to the next tick; 0 for none
    uint64_t GetNextTickNs() const;

  private:
    bool SeeSegment(pst_packet& packet, const PenstockSegment& s);
    void SeeOther(uint32_t hash, uint32_t bytes);

    pst_port m_port;                                          //!< discipline and law
    pst_queue m_queue;                                        //!< the forward queue
    std::map<PenstockSegment::Key, pst_gateway_flow> m_flows; //!< by the data's direction
    std::map<PenstockSegment::Key, pst_return> m_returns; //!< likewise, where the queue is hidden
    std::map<uint32_t, pst_rate> m_rates;                 //!< by hash, for a discipline that labels
    std::unique_ptr<pst_fair_table> m_table;              //!< for a discipline that has one
};

} // namespace ns3

#endif /* PENSTOCK_CONTROL_H */

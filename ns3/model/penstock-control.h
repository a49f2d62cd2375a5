// SPDX-License-Identifier: GPL-2.0-only

#ifndef PENSTOCK_CONTROL_H
#define PENSTOCK_CONTROL_H

#include "penstock-segment.h"

#include "core/control/control.h"
#include "core/packet/rtt.h"
#include "core/queue/flow_count.h"
#include "core/rewrite/window.h"

#include <map>

namespace ns3
{

/**
 * @ingroup traffic-control
 * @brief A gateway method of core/ on one forward queue, and what it remembers of each flow.
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
        uint16_t field;        //!< window field to send
        uint32_t limit;        //!< enum pst_limit: which rule had the last word
        uint64_t windowBytes;  //!< the field in bytes
    };

    /**
     * @param method enum pst_method
     * @param mode enum pst_mode
     * @param params the method's parameters
     * @param queue the empty queue: limits, rate and segment size
     * @param flowIntervalNs how long a flow counts as active after its last data
     */
    PenstockControl(uint32_t method,
                    uint32_t mode,
                    const pst_params& params,
                    const pst_queue& queue,
                    uint64_t flowIntervalNs);

    /// @return the queue as methods see it; the caller keeps its changing fields up to date
    pst_queue& GetQueue()
    {
        return m_queue;
    }

    /**
     * @brief A segment passes in the direction of the data.
     * @param s the segment
     */
    void SeeForward(const PenstockSegment& s);

    /**
     * @brief A packet arrives at the queue, which does not hold it yet.
     * @param packet the packet
     * @return the method's verdict
     */
    pst_verdict OnEnqueue(const pst_packet& packet);

    /**
     * @brief A packet has left the queue.
     * @param packet the packet
     */
    void OnDequeue(const pst_packet& packet);

    /// To be called every GetIntervalNs().
    void OnTick();

    /**
     * @brief A segment passes back to the data's sender.
     * @param s the segment
     * @return its window
     */
    Answer OnAck(const PenstockSegment& s);

    /// @return the time between ticks; 0 for a method without
    uint64_t GetIntervalNs() const;

  private:
    /// What is remembered of one flow.
    struct Flow : pst_flow
    {
        pst_rtt rtt; //!< its round trip
    };

    void CountFlows();
    pst_rewrite Decide(const Flow& flow, const pst_ack_header& header);

    uint32_t m_method;                              //!< enum pst_method
    uint32_t m_mode;                                //!< enum pst_mode
    pst_params m_params;                            //!< parameters
    pst_state m_state{};                            //!< what the method remembers
    pst_queue m_queue;                              //!< the forward queue
    pst_flow_count m_count{};                       //!< N
    bool m_rewrites;                                //!< the method has on_ack
    std::map<PenstockSegment::Key, Flow> m_flows; //!< by the key of the data's direction
};

} // namespace ns3

#endif /* PENSTOCK_CONTROL_H */

// SPDX-License-Identifier: GPL-2.0-only

#ifndef PENSTOCK_QUEUE_DISC_H
#define PENSTOCK_QUEUE_DISC_H

#include "penstock-settings.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/packet.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"
#include "ns3/traced-value.h"

#include <deque>
#include <memory>
#include <string>

struct pst_packet;
struct pst_queue;

namespace ns3
{

class PenstockControl;
class PenstockPacket;
struct PenstockSegment;

/**
 * @ingroup traffic-control
 * @brief The forward queue of a gateway, with any discipline and law of Penstock's.
 *
 * A FIFO that the discipline may drop from or mark. Together with a PenstockGateway, which sees the
 * ACKs that come back through the same device, the laws that rewrite the receiver window work as
 * well. Every parameter of each is an attribute, named after both: EwtStartBytes, RedMaxP,
 * EwaInterval.
 */
class PenstockQueueDisc : public QueueDisc
{
  public:
    /// How windows are written: the rules of Penstock's core/rewrite/window.h.
    enum Mode
    {
        SAFE,   //!< the right edge does not go left of data already sent
        STRICT, //!< the right edge never goes left
        LITERAL //!< as the papers print it
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    PenstockQueueDisc();
    ~PenstockQueueDisc() override;

    static constexpr const char* METHOD_DROP = "Dropped by the method"; //!< early drop
    static constexpr const char* LIMIT_DROP = "Queue limit exceeded";   //!< overflow
    static constexpr const char* METHOD_MARK = "Marked by the method";  //!< ECN

    /**
     * @brief TracedCallback signature of the decision on an ACK.
     * @param [in] limit enum pst_limit of core/rewrite/window.h: which rule had the last word
     * @param [in] windowBytes the window as sent on
     * @param [in] changed the field differs from what the receiver sent
     */
    typedef void (*DecisionTracedCallback)(uint32_t limit, uint32_t windowBytes, bool changed);

    /**
     * @brief TracedCallback signature of the record.
     * @param [in] line an event and what came of it, numbers in core's units
     */
    typedef void (*RecordTracedCallback)(const std::string& line);

    /**
     * @brief The queue of the device below, whose packets then count as waiting here.
     *
     * A device holds at least one packet besides the one in transmission. With its queue
     * set, the method sees and limits all queued packets; otherwise only those in the
     * queue disc.
     *
     * @param queue the device's queue
     */
    void SetDeviceQueue(Ptr<Queue<Packet>> queue);

    /**
     * @brief Sets a parameter of the chosen discipline or law by the name of its field in core/.
     * @param field for instance "weight_q32", or "red.weight_q32" where both have it
     * @param value in core's unit
     */
    void SetParameter(const std::string& field, uint64_t value);

    /**
     * @brief A segment passes back through this gateway.
     * @param segment the segment
     * @return the window field it is to carry
     */
    uint16_t Rewrite(const PenstockSegment& segment);

    /// @return bytes that wait, those in the device's queue included if it is known
    uint32_t GetWaitingBytes() const;
    /// @return their packets
    uint32_t GetWaitingPackets() const;

    /**
     * @brief Fixes the random variables.
     * @param stream first stream number to use
     * @return the number of streams used
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override;
    Ptr<QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;

    void SetMethod(std::string name);
    std::string GetMethod() const;
    void SetDiscipline(std::string name);
    std::string GetDiscipline() const;
    void SetLaw(std::string name);
    std::string GetLaw() const;
    void SetSignal(std::string name);
    std::string GetSignal() const;
    pst_queue MakeFirstView() const;
    pst_queue& RefreshView();
    bool Fits(Ptr<const QueueDiscItem> item) const;
    void DeviceDequeued(Ptr<const Packet> packet);
    struct Arrival;
    Ptr<QueueDiscItem> NextThatLeaves();
    void Left(const pst_packet& packet);
    void ScheduleTick(uint64_t afterNs);
    void Tick();
    template <class... Numbers>
    void Record(const char* event, Numbers... numbers);
    template <class... Numbers>
    void RecordVerdict(const char* event,
                       const pst_packet& packet,
                       uint32_t verdict,
                       Numbers... numbers);

    PenstockSettings m_settings;                //!< attributes of all disciplines and laws
    std::string m_method;                       //!< the variant that was set
    uint32_t m_discipline;                      //!< enum pst_discipline
    uint32_t m_law;                             //!< enum pst_law
    uint32_t m_signal;                          //!< enum pst_signal
    Mode m_mode;                                //!< how windows are written
    uint32_t m_maxPackets;                      //!< second limit, 0: none
    uint32_t m_segmentBytes;                    //!< usual payload of a segment
    DataRate m_linkBandwidth;                   //!< rate of the link behind
    Time m_flowInterval;                        //!< how long a flow counts as active
    Ptr<UniformRandomVariable> m_random;        //!< for methods that decide by chance
    Ptr<Queue<Packet>> m_deviceQueue;           //!< may be null
    std::deque<pst_packet> m_handed;            //!< what is in the device's queue
    uint32_t m_handedBytes;                     //!< sum of m_handed
    std::unique_ptr<PenstockControl> m_control; //!< the gateway at work
    EventId m_tick;                             //!< next tick

    TracedValue<uint32_t> m_waiting;                     //!< bytes waiting
    TracedValue<uint32_t> m_window;                      //!< last window granted
    TracedCallback<uint32_t, uint32_t, bool> m_decision; //!< on each ACK
    TracedCallback<const std::string&> m_record;         //!< on each event
};

} // namespace ns3

#endif /* PENSTOCK_QUEUE_DISC_H */

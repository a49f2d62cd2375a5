// SPDX-License-Identifier: GPL-2.0-only

#ifndef PENSTOCK_CONGESTION_OPS_H
#define PENSTOCK_CONGESTION_OPS_H

#include "penstock-settings.h"

#include "ns3/packet.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-state.h"

#include <memory>
#include <string>

struct pst_sender_view;

namespace ns3
{

/**
 * @ingroup congestionOps
 * @brief Any sender method of Penstock's registry, as ns-3's TCP takes it.
 *
 * The window law is core's; recovery, timers and ACK handling are ns-3's. Two things that ns-3
 * does otherwise are put right on the way: FlightSize is all that is sent and not acknowledged
 * (RFC 5681 section 2), at most cwnd, where ns-3 hands over the pipe of RFC 6675; and the ACK
 * that ends a recovery does not let the window grow.
 */
class PenstockCongestionOps : public TcpCongestionOps
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    PenstockCongestionOps();
    /// @param other what to copy, for a connection that was accepted
    PenstockCongestionOps(const PenstockCongestionOps& other);
    ~PenstockCongestionOps() override;

    /**
     * @brief Sets a parameter of the chosen method by the name of its field in core/.
     * @param field for instance "abc_limit"
     * @param value in core's unit
     */
    void SetParameter(const std::string& field, uint64_t value);

    /**
     * @brief Sees what the socket receives and sends: the window that the peer offers, and the
     * header for routers that some methods have. Without it these behave as NewReno.
     * @param socket of which this is the congestion control, before it connects
     */
    void Watch(Ptr<TcpSocketBase> socket);

    std::string GetName() const override;
    void Init(Ptr<TcpSocketState> tcb) override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override;
    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt) override;
    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override;
    void CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event) override;
    Ptr<TcpCongestionOps> Fork() override;

  private:
    struct Law; // core's parameters and state; its headers are not for users of this one

    void SetMethod(std::string name);
    std::string GetMethod() const;
    Law& GetLaw(Ptr<const TcpSocketState> tcb);
    pst_sender_view MakeView(Ptr<const TcpSocketState> tcb, uint32_t flightBytes) const;
    void SeeWindow(uint32_t before, uint32_t windowBytes);
    void Stamp(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase> socket);
    void Take(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase> socket);

    /// What the peer is known to have, as 64-bit offsets in the stream.
    struct Delivered
    {
        uint64_t una{0};            //!< acknowledged
        uint64_t above{0};          //!< reported above that
        uint32_t windowBytes{0};    //!< what it offers
        bool guessed{false};        //!< from duplicates without SACK
        SequenceNumber32 lastSeq{}; //!< where una was

        void Count(Ptr<const TcpSocketState> tcb);
    };

    /// What routers wrote into the header that the last ACK returned.
    struct Returned
    {
        bool used{false};      //!< path and receiver speak it, as far as known
        int32_t deltaBytes{0}; //!< change of the window
        uint32_t label{0};     //!< further data of a method
    };

    PenstockSettings m_settings; //!< attributes of all methods
    uint32_t m_method;           //!< number in the registry
    Ptr<TcpSocketState> m_tcb;   //!< of the socket
    std::unique_ptr<Law> m_law;  //!< made at first use
    Delivered m_delivered;       //!< so far
    Returned m_returned;         //!< with the last ACK
    bool m_recovering{false};    //!< the reduction to come is that of a fast recovery
    bool m_recovered{false};     //!< this ACK ends a recovery
};

} // namespace ns3

#endif /* PENSTOCK_CONGESTION_OPS_H */

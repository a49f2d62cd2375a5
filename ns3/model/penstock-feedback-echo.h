// SPDX-License-Identifier: GPL-2.0-only

#ifndef PENSTOCK_FEEDBACK_ECHO_H
#define PENSTOCK_FEEDBACK_ECHO_H

#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup tcp
 * @brief A receiver's part of XCP and AntiECN: its ACKs return what routers wrote.
 *
 * For a socket with one connection: one that connects, or one that listens and accepts once.
 * Without it the senders behave as NewReno.
 */
class PenstockFeedbackEcho : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Returns headers on this socket from now on.
     * @param socket before it connects or listens; it keeps the echo
     */
    static void Install(Ptr<TcpSocketBase> socket);

  private:
    void Receive(Ptr<const Packet> packet,
                 const TcpHeader& header,
                 Ptr<const TcpSocketBase> socket);
    void Send(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase> socket);

    bool m_used{false};      //!< the data that arrived last had a header that all routers read
    uint8_t m_kind{0};       //!< enum pst_feedback_kind
    uint32_t m_label{0};     //!< of the last data
    int32_t m_deltaBytes{0}; //!< sum of the changes since the last ACK
};

} // namespace ns3

#endif /* PENSTOCK_FEEDBACK_ECHO_H */

// SPDX-License-Identifier: GPL-2.0-only

#ifndef PENSTOCK_GATEWAY_H
#define PENSTOCK_GATEWAY_H

#include "penstock-queue-disc.h"

#include "ns3/net-device.h"
#include "ns3/object.h"

namespace ns3
{

class TrafficControlLayer;

/**
 * @ingroup traffic-control
 * @brief The ACK side of a gateway: sets the windows that the queue disc's method grants.
 *
 * The data of a flow leaves through a device whose root queue disc is a
 * PenstockQueueDisc; its ACKs come in through the same device. This object is between
 * that device and the traffic control layer, like a program on the ingress hook in Linux,
 * and passes on a modified copy of each ACK. IPv4 and IPv6; fragments and other protocols
 * pass unchanged.
 *
 * Handlers that were registered at the node for this device only, for instance by packet
 * sockets, no longer see its packets, which go directly to the traffic control layer.
 */
class PenstockGateway : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    PenstockGateway();
    ~PenstockGateway() override;

    /**
     * @brief Begins to work on what comes in through a device.
     * @param device the device; its node has an Internet stack
     * @param queueDisc the queue disc of the same device
     */
    void Install(Ptr<NetDevice> device, Ptr<PenstockQueueDisc> queueDisc);

  protected:
    void DoDispose() override;

  private:
    bool Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from);

    Ptr<PenstockQueueDisc> m_queueDisc; //!< the forward queue
    Ptr<TrafficControlLayer> m_above;   //!< where packets go
};

} // namespace ns3

#endif /* PENSTOCK_GATEWAY_H */

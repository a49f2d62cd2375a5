// SPDX-License-Identifier: GPL-2.0-only

#ifndef PENSTOCK_HELPER_H
#define PENSTOCK_HELPER_H

#include "ns3/attribute.h"
#include "ns3/net-device-container.h"
#include "ns3/object-factory.h"
#include "ns3/penstock-queue-disc.h"
#include "ns3/queue-disc-container.h"

#include <set>
#include <string>

namespace ns3
{

/**
 * @ingroup traffic-control
 * @brief Puts a PenstockQueueDisc and its PenstockGateway on devices.
 *
 * To be used after the Internet stack and after addresses are assigned (which installs a default
 * queue disc; it is replaced), but before FlowMonitor: its probes find the queue discs that are
 * there when they are made, and count no drop of later ones.
 */
class PenstockHelper
{
  public:
    /// @param method name in the registry, for instance "ewt"
    explicit PenstockHelper(const std::string& method);

    /**
     * @brief Sets an attribute of the queue discs to install.
     * @param name attribute
     * @param value its value
     */
    void Set(const std::string& name, const AttributeValue& value);

    /**
     * @brief Installs on the devices through which the data leaves.
     * @param devices point-to-point or other devices with a queue
     * @return the queue discs
     */
    QueueDiscContainer Install(const NetDeviceContainer& devices) const;

    /**
     * @brief Installs on one device.
     * @param device the device through which the data leaves
     * @return the queue disc
     */
    Ptr<PenstockQueueDisc> Install(Ptr<NetDevice> device) const;

  private:
    ObjectFactory m_factory;       //!< makes the queue discs
    std::set<std::string> m_given; //!< names of attributes that were set
};

} // namespace ns3

#endif /* PENSTOCK_HELPER_H */

// SPDX-License-Identifier: GPL-2.0-only
// The queue discs of links: with one FIFO, Penstock's, with several queues, ns-3's own.
#ifndef PENSTOCK_LAB_QUEUE_DISCS_H
#define PENSTOCK_LAB_QUEUE_DISCS_H

#include "description.h"

#include "ns3/penstock-queue-disc.h"

namespace penstock
{

constexpr const char* FQ_CODEL = "fq_codel"; // the discipline that ns-3 has itself

/// A FIFO, with a gateway's discipline and law if there is one; random numbers of that stream.
ns3::Ptr<ns3::PenstockQueueDisc> MakePenstockQueue(const LinkSpec& link,
                                                   const GatewaySpec* gateway,
                                                   int64_t stream);

/// ns-3's FqCoDelQueueDisc, which has its limit in packets: one in bytes is as many full packets.
/// Throws std::invalid_argument for parameters that it lacks.
/// @param below how many packets of the limit wait in the device's queue
ns3::Ptr<ns3::QueueDisc> MakeFqCoDel(const LinkSpec& link,
                                     const GatewaySpec& gateway,
                                     uint32_t below);

} // namespace penstock

#endif

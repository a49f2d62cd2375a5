// SPDX-License-Identifier: GPL-2.0-only

#ifndef PENSTOCK_TAGS_H
#define PENSTOCK_TAGS_H

#include "core/packet/feedback.h"

#include "ns3/tag.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup traffic-control
 * @brief The header between routers and end hosts, which a segment carries as a packet tag.
 *
 * A tag, because ns-3's TCP has no place for options of others. It takes no room in packets.
 * Private to the module: it needs core's headers.
 */
class PenstockHeaderTag : public Tag
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer i) const override;
    void Deserialize(TagBuffer i) override;
    void Print(std::ostream& os) const override;

    pst_feedback feedback{};         //!< what it says
    uint8_t kind{PST_FEEDBACK_NONE}; //!< enum pst_feedback_kind
    bool returned{false};            //!< on its way back, which routers leave alone
    uint32_t silentHops{0};          //!< queues without support that it passed
};

/**
 * @ingroup traffic-control
 * @brief The label of a discipline that labels packets, in the place of the TOS octet.
 *
 * A tag, because the IP header of a queue disc's item cannot be written except for ECN.
 */
class PenstockLabelTag : public Tag
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer i) const override;
    void Deserialize(TagBuffer i) override;
    void Print(std::ostream& os) const override;

    uint8_t octet{0}; //!< the label; 0: none
};

} // namespace ns3

#endif /* PENSTOCK_TAGS_H */

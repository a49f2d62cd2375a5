// SPDX-License-Identifier: GPL-2.0-only

#ifndef PENSTOCK_SETTINGS_H
#define PENSTOCK_SETTINGS_H

#include "ns3/attribute.h"
#include "ns3/object-base.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <string>
#include <vector>

struct pst_param_row;

namespace ns3
{

/**
 * @ingroup traffic-control
 * @brief One parameter table of core/, as attributes see it.
 *
 * Attributes are created from the rows in the header of the method.
 */
struct PenstockTable
{
    const char* method;        //!< name of the method in the registry
    const pst_param_row* rows; //!< its parameters
    uint32_t count;            //!< number of rows
};

/**
 * @ingroup traffic-control
 * @brief The values of all parameters of all methods of a registry.
 */
class PenstockSettings
{
  public:
    /// Value of a parameter whose default depends on the queue limit, until it is set.
    static constexpr uint64_t AUTOMATIC = UINT64_MAX;

    /// @return the tables of the queue disciplines and, after them, of the laws
    static const std::vector<PenstockTable>& GetGatewayTables();
    /// @return the tables of the senders' methods, in the registry's order
    static const std::vector<PenstockTable>& GetSenderTables();

    /**
     * @brief The attribute's name: CamelCase of method and parameter.
     * @param table the method
     * @param row index of the parameter
     * @return for instance EwtStartBytes, RedWeight or EwaInterval
     */
    static std::string GetAttributeName(const PenstockTable& table, uint32_t row);

    /**
     * @brief Adds one attribute for each parameter of each table.
     * @param tid the type that gets them
     * @param tables GetGatewayTables() or GetSenderTables()
     * @param find gives the settings of an object of that type
     * @return the type
     */
    static TypeId AddAttributes(TypeId tid,
                                const std::vector<PenstockTable>& tables,
                                PenstockSettings* (*find)(ObjectBase*));

    /// @param tables whose parameters are kept here
    explicit PenstockSettings(const std::vector<PenstockTable>& tables);

    /**
     * @brief Stores a value in core's unit; aborts if it is out of the row's range.
     * @param method number of the method
     * @param row number of the parameter
     * @param value bytes, packets, nanoseconds, or a ratio in its fixed-point format
     */
    void Set(uint32_t method, uint32_t row, uint64_t value);

    /**
     * @param method number of the method
     * @param row number of the parameter
     * @return the value in core's unit, or AUTOMATIC
     */
    uint64_t Get(uint32_t method, uint32_t row) const;

    /**
     * @param method the method
     * @param field the name of a field
     * @return whether it has such a parameter, and that was set
     */
    bool IsSet(uint32_t method, const char* field) const;

    /**
     * @brief Stores a value by the name of its field in core.
     * @param method number of the method
     * @param field for instance "start_bytes"
     * @param value in core's unit
     * @return false if the method has no such parameter
     */
    bool SetField(uint32_t method, const std::string& field, uint64_t value);

    /**
     * @brief Fills a parameter struct of core.
     * @param method number of the method
     * @param fields the parameter union
     * @param bufferBytes the queue limit, for defaults that depend on it
     */
    void Fill(uint32_t method, void* fields, uint64_t bufferBytes) const;

  private:
    const std::vector<PenstockTable>* m_tables;  //!< what the values belong to
    std::vector<std::vector<uint64_t>> m_values; //!< by method and row
};

} // namespace ns3

#endif /* PENSTOCK_SETTINGS_H */

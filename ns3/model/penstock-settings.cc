// SPDX-License-Identifier: GPL-2.0-only

#include "penstock-settings.h"

#include "core/describe.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <cctype>
#include <cmath>

namespace ns3
{

namespace
{

/// Suffixes that the attribute's type makes superfluous.
const char* const TYPED_SUFFIXES[] = {"_ns", "_bps", "_q16", "_q32"};

std::string
CamelCase(const std::string& name)
{
    std::string camel;
    bool upper = true;
    for (const char c : name)
    {
        if (c == '_')
        {
            upper = true;
            continue;
        }
        camel += upper ? static_cast<char>(std::toupper(c)) : c;
        upper = false;
    }
    return camel;
}

double
One(pst_unit unit)
{
    return unit == PST_RATIO_Q16 ? static_cast<double>(PST_Q16_ONE)
                                 : static_cast<double>(PST_Q32_ONE);
}

/// Puts a number in core's unit into an attribute's value.
void
ToAttribute(pst_unit unit, uint64_t number, AttributeValue& value)
{
    switch (unit)
    {
    case PST_NS:
        dynamic_cast<TimeValue&>(value).Set(NanoSeconds(number));
        return;
    case PST_BPS:
        dynamic_cast<DataRateValue&>(value).Set(DataRate(number));
        return;
    case PST_FLAG:
        dynamic_cast<BooleanValue&>(value).Set(number != 0);
        return;
    case PST_RATIO_Q16:
    case PST_RATIO_Q32:
        dynamic_cast<DoubleValue&>(value).Set(static_cast<double>(number) / One(unit));
        return;
    case PST_BYTES:
    case PST_PKTS:
    case PST_COUNT:
    case PST_TIME:
        break;
    }
    dynamic_cast<UintegerValue&>(value).Set(number);
}

/// The number in core's unit for an attribute's value.
uint64_t
FromAttribute(pst_unit unit, const AttributeValue& value)
{
    switch (unit)
    {
    case PST_NS:
        return static_cast<uint64_t>(dynamic_cast<const TimeValue&>(value).Get().GetNanoSeconds());
    case PST_BPS:
        return dynamic_cast<const DataRateValue&>(value).Get().GetBitRate();
    case PST_FLAG:
        return dynamic_cast<const BooleanValue&>(value).Get() ? 1 : 0;
    case PST_RATIO_Q16:
    case PST_RATIO_Q32:
        return static_cast<uint64_t>(
            std::llround(dynamic_cast<const DoubleValue&>(value).Get() * One(unit)));
    case PST_BYTES:
    case PST_PKTS:
    case PST_COUNT:
    case PST_TIME:
        break;
    }
    return dynamic_cast<const UintegerValue&>(value).Get();
}

Ptr<const AttributeChecker>
MakeChecker(const pst_param_row& row)
{
    switch (row.unit)
    {
    case PST_NS:
        return MakeTimeChecker(NanoSeconds(row.min), NanoSeconds(row.max));
    case PST_BPS:
        return MakeDataRateChecker();
    case PST_FLAG:
        return MakeBooleanChecker();
    case PST_RATIO_Q16:
    case PST_RATIO_Q32:
        return MakeDoubleChecker<double>(static_cast<double>(row.min) / One(row.unit),
                                         static_cast<double>(row.max) / One(row.unit));
    case PST_BYTES:
    case PST_PKTS:
    case PST_COUNT:
    case PST_TIME:
        break;
    }
    // AUTOMATIC lies above every range; Set() checks what is not automatic.
    return MakeUintegerChecker<uint64_t>(row.min,
                                         row.def.buffer_den ? PenstockSettings::AUTOMATIC
                                                            : row.max);
}

/// Reads and writes one parameter of one method.
class ParamAccessor : public AttributeAccessor
{
  public:
    ParamAccessor(PenstockSettings* (*find)(ObjectBase*),
                  uint32_t method,
                  uint32_t row,
                  pst_unit unit)
        : m_find(find),
          m_method(method),
          m_row(row),
          m_unit(unit)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        m_find(object)->Set(m_method, m_row, FromAttribute(m_unit, value));
        return true;
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        const auto settings = m_find(const_cast<ObjectBase*>(object));
        ToAttribute(m_unit, settings->Get(m_method, m_row), value);
        return true;
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    PenstockSettings* (*m_find)(ObjectBase*); //!< from the object to its settings
    uint32_t m_method;                        //!< number of the method
    uint32_t m_row;                           //!< number of the parameter
    pst_unit m_unit;                          //!< what the value is
};

template <class Rows>
std::vector<PenstockTable>
MakeTables(const Rows& rows)
{
    std::vector<PenstockTable> tables;
    for (const auto& row : rows)
    {
        tables.push_back({row.name, row.params, row.param_count});
    }
    return tables;
}

} // namespace

const std::vector<PenstockTable>&
PenstockSettings::GetGatewayTables()
{
    static const std::vector<PenstockTable> tables = [] {
        std::vector<PenstockTable> all = MakeTables(pst_discipline_rows);
        const std::vector<PenstockTable> laws = MakeTables(pst_law_rows);
        all.insert(all.end(), laws.begin(), laws.end());
        return all;
    }();
    return tables;
}

const std::vector<PenstockTable>&
PenstockSettings::GetSenderTables()
{
    static const std::vector<PenstockTable> tables = MakeTables(pst_sender_rows);
    return tables;
}

std::string
PenstockSettings::GetAttributeName(const PenstockTable& table, uint32_t row)
{
    std::string field = table.rows[row].name;
    for (const std::string suffix : TYPED_SUFFIXES)
    {
        if (field.size() > suffix.size() &&
            field.compare(field.size() - suffix.size(), suffix.size(), suffix) == 0)
        {
            field.resize(field.size() - suffix.size());
        }
    }
    return CamelCase(table.method) + CamelCase(field);
}

TypeId
PenstockSettings::AddAttributes(TypeId tid,
                                const std::vector<PenstockTable>& tables,
                                PenstockSettings* (*find)(ObjectBase*))
{
    for (uint32_t method = 0; method < tables.size(); ++method)
    {
        for (uint32_t i = 0; i < tables[method].count; ++i)
        {
            const pst_param_row& row = tables[method].rows[i];
            std::string help = std::string(row.help) + " [" + row.source + "]";
            uint64_t initial = row.def.value;
            if (row.def.buffer_den)
            {
                help += "; until it is set, " + std::to_string(row.def.buffer_num) + "/" +
                        std::to_string(row.def.buffer_den) + " of the queue limit";
                initial = AUTOMATIC;
            }
            const auto checker = MakeChecker(row);
            const auto first = checker->Create();
            ToAttribute(row.unit, initial, *first);
            tid.AddAttribute(GetAttributeName(tables[method], i),
                             help,
                             *first,
                             Create<ParamAccessor>(find, method, i, row.unit),
                             checker);
        }
    }
    return tid;
}

PenstockSettings::PenstockSettings(const std::vector<PenstockTable>& tables)
    : m_tables(&tables)
{
    for (const PenstockTable& table : tables)
    {
        m_values.emplace_back(table.count, AUTOMATIC);
    }
}

void
PenstockSettings::Set(uint32_t method, uint32_t row, uint64_t value)
{
    const PenstockTable& table = m_tables->at(method);
    const pst_param_row& param = table.rows[row];
    NS_ABORT_MSG_IF(value != AUTOMATIC && !pst_param_in_range(&param, value),
                    table.method << ": " << param.name << " must be " << param.min << " to "
                                 << param.max << ", not " << value);
    m_values.at(method).at(row) = value;
}

uint64_t
PenstockSettings::Get(uint32_t method, uint32_t row) const
{
    return m_values.at(method).at(row);
}

bool
PenstockSettings::SetField(uint32_t method, const std::string& field, uint64_t value)
{
    const PenstockTable& table = m_tables->at(method);
    const uint32_t row = pst_param_find(table.rows, table.count, field.c_str());
    if (row == PST_NO_ROW)
    {
        return false;
    }
    Set(method, row, value);
    return true;
}

void
PenstockSettings::Fill(uint32_t method, void* fields, uint64_t bufferBytes) const
{
    const PenstockTable& table = m_tables->at(method);
    pst_params_default(table.rows, table.count, fields, bufferBytes);
    for (uint32_t row = 0; row < table.count; ++row)
    {
        if (Get(method, row) != AUTOMATIC)
        {
            pst_field_set(fields, row, Get(method, row));
        }
    }
    if (IsSet(method, "target_bytes") && !IsSet(method, "target_ns"))
    {
        pst_target_in_bytes(table.rows, table.count, fields);
    }
}

bool
PenstockSettings::IsSet(uint32_t method, const char* field) const
{
    const PenstockTable& table = m_tables->at(method);
    const uint32_t row = pst_param_find(table.rows, table.count, field);
    return row != PST_NO_ROW && Get(method, row) != AUTOMATIC;
}

} // namespace ns3

// SPDX-License-Identifier: GPL-2.0-only
// The tables of core/tables/ of a copy as JSON; all their text is ours, so only quotes are escaped.
#include <initializer_list>
#include <iomanip>
#include <iostream>

#include "core/tables/counters.h"

namespace {

void counters(const char* name, std::initializer_list<pst_counter_row> rows) {
  const char* comma = "";
  std::cout << '"' << name << "\": [";
  for (const pst_counter_row& row : rows) {
    std::cout << comma << "{\"name\": " << std::quoted(row.name)
              << ", \"unit\": " << std::quoted(row.unit)
              << ", \"column\": " << (row.column ? "true" : "false")
              << ", \"better\": " << std::quoted(row.better)
              << ", \"help\": " << std::quoted(row.help)
              << ", \"source\": " << std::quoted(row.source) << '}';
    comma = ",\n";
  }
  std::cout << "]";
}

}  // namespace

int main() {
  std::cout << '{';
  counters("sender_counters", {PST_SENDER_COUNTERS(PST_COUNTER_ROW)});
  std::cout << ",\n";
  counters("receiver_counters", {PST_RECEIVER_COUNTERS(PST_COUNTER_ROW)});
  std::cout << ",\n";
  counters("queue_counters", {PST_QUEUE_COUNTERS(PST_COUNTER_ROW)});
  std::cout << "}\n";
}

// SPDX-License-Identifier: GPL-2.0-only
// The tables of core/tables/ of a copy as JSON; all their text is ours, so only quotes are escaped.
#include <initializer_list>
#include <iomanip>
#include <iostream>

#include "core/tables/counters.h"
#include "core/tables/link_keys.h"
#include "core/tables/run_keys.h"
#include "core/tables/tcp_options.h"
#include "core/tables/traffic_keys.h"
#include "core/tables/udp_keys.h"

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

void options(const char* name, std::initializer_list<pst_option_row> rows) {
  const char* comma = "";
  std::cout << '"' << name << "\": [";
  for (const pst_option_row& row : rows) {
    std::cout << comma << "{\"sender\": " << row.sender << ", \"receiver\": " << row.receiver
              << ", \"name\": " << std::quoted(row.name) << ", \"unit\": " << std::quoted(row.unit)
              << ", \"initial\": " << row.initial << ", \"ns3\": " << row.ns3
              << ", \"ns3_lacks\": " << std::quoted(row.ns3_lacks)
              << ", \"sysctl\": " << std::quoted(row.sysctl)
              << ", \"route\": " << std::quoted(row.route)
              << ", \"none\": " << std::quoted(row.none) << ", \"key\": " << std::quoted(row.key)
              << ", \"low\": " << row.low << ", \"high\": " << row.high
              << ", \"help\": " << std::quoted(row.help)
              << ", \"source\": " << std::quoted(row.source)
              << ", \"kinds\": " << std::quoted(row.kinds) << '}';
    comma = ",\n";
  }
  std::cout << "]";
}

void traffic(const char* name, std::initializer_list<pst_traffic_row> rows) {
  const char* comma = "";
  std::cout << '"' << name << "\": [";
  for (const pst_traffic_row& row : rows) {
    std::cout << comma << "{\"drawn\": " << row.drawn << ", \"name\": " << std::quoted(row.name)
              << ", \"unit\": " << std::quoted(row.unit)
              << ", \"initial\": " << std::quoted(row.initial)
              << ", \"key\": " << std::quoted(row.key) << ", \"help\": " << std::quoted(row.help)
              << '}';
    comma = ",\n";
  }
  std::cout << "]";
}

}  // namespace

int main() {
  std::cout << std::boolalpha << '{';
  counters("sender_counters", {PST_SENDER_COUNTERS(PST_COUNTER_ROW)});
  std::cout << ",\n";
  counters("receiver_counters", {PST_RECEIVER_COUNTERS(PST_COUNTER_ROW)});
  std::cout << ",\n";
  counters("queue_counters", {PST_QUEUE_COUNTERS(PST_COUNTER_ROW)});
  std::cout << ",\n";
  options("tcp_options", {PST_TCP_OPTIONS(PST_OPTION_ROW)});
  std::cout << ",\n";
  options("freeze_options", {PST_FREEZE_OPTIONS(PST_OPTION_ROW)});
  std::cout << ",\n";
  options("link_keys", {PST_LINK_KEYS(PST_KEY_ROW)});
  std::cout << ",\n";
  options("udp_keys", {PST_UDP_KEYS(PST_KEY_ROW)});
  std::cout << ",\n";
  options("time_keys", {PST_TIME_KEYS(PST_KEY_ROW)});
  std::cout << ",\n";
  options("sample_keys", {PST_SAMPLE_KEYS(PST_KEY_ROW)});
  std::cout << ",\n";
  options("user_keys", {PST_USER_KEYS(PST_USER_ROW)});
  std::cout << ",\n";
  traffic("mobility_keys", {PST_MOBILITY_KEYS(PST_TRAFFIC_ROW)});
  std::cout << ",\n";
  traffic("web_keys", {PST_WEB_KEYS(PST_TRAFFIC_ROW)});
  std::cout << ",\n";
  traffic("on_off_keys", {PST_ON_OFF_KEYS(PST_TRAFFIC_ROW)});
  std::cout << "}\n";
}

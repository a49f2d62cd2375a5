// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/config.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "linux/gateway/tool/error.h"

namespace penstock::gw {

namespace {

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  [[noreturn]] void refuse(const toml::source_region& at, const std::string& why) const {
    throw Error(kConfig, path_ + ":" + std::to_string(at.begin.line) + ": " + why);
  }

  Settings settings(const toml::table& table) const {
    const std::map<std::string_view, std::optional<std::string> Settings::*> kTexts = {
        {"rate", &Settings::rate},
        {"buffer", &Settings::buffer},
        {"method", &Settings::method},
        {"mode", &Settings::mode},
        {"queue", &Settings::queue},
        {"source", &Settings::source},
        {"hook", &Settings::hook},
        {"scalable", &Settings::scalable},
        {"acks", &Settings::acks},
        {"class", &Settings::traffic_class},
        {"flows", &Settings::flows},
        {"idle", &Settings::idle},
        {"shapes", &Settings::shapes},
        {"overhead", &Settings::overhead},
        {"share_by", &Settings::share_by},
        {"beyond", &Settings::beyond},
        {"target", &Settings::target},
        {"fair", &Settings::fair},
        {"discipline", &Settings::discipline},
        {"signal", &Settings::signal},
        {"scone", &Settings::scone}};
    Settings s;
    for (const auto& [key, node] : table) {
      if (const auto text = kTexts.find(key.str()); text != kTexts.end())
        s.*text->second = string_of(key, node);
      else if (key == "observe")
        s.observe = bool_of(key, node);
      else if (key == "police")
        s.police = bool_of(key, node);
      else if (key == "exempt")
        s.exempt = strings_of(key, node);
      else if (key == "params")
        read_params(key, node, s);
      else
        refuse(key.source(),
               std::string(key.str()) +
                   ": no such key; there are rate, buffer, target, method, mode, observe, "
                   "fair, discipline, signal, police, queue, class, source, hook, acks, scalable, "
                   "share_by, beyond, scone, exempt, "
                   "overhead, flows, shapes, idle, params");
    }
    return s;
  }

 private:
  std::string string_of(const toml::key& key, const toml::node& node) const {
    if (const auto text = node.value_exact<std::string>()) return *text;
    refuse(key.source(), std::string(key.str()) + ": wants text in quotes, such as \"20mbit\"");
  }

  std::vector<std::string> strings_of(const toml::key& key, const toml::node& node) const {
    std::vector<std::string> all;
    const toml::array* array = node.as_array();
    if (array)
      for (const toml::node& each : *array) all.push_back(string_of(key, each));
    else
      refuse(key.source(), std::string(key.str()) + ": wants a list, such as [\"port 22\"]");
    return all;
  }

  bool bool_of(const toml::key& key, const toml::node& node) const {
    if (const auto flag = node.value_exact<bool>()) return *flag;
    refuse(key.source(), std::string(key.str()) + ": wants true or false");
  }

  void read_params(const toml::key& key, const toml::node& node, Settings& s) const {
    const toml::table* params = node.as_table();
    if (!params) refuse(key.source(), "params: wants a table of the method's parameters");
    for (const auto& [name, value] : *params) {
      std::ostringstream text;
      if (value.is_string())
        text << *value.value_exact<std::string>();
      else if (value.is_boolean())
        text << (*value.value_exact<bool>() ? 1 : 0);
      else if (value.is_integer())
        text << *value.value_exact<std::int64_t>();
      else if (value.is_floating_point())
        text << *value.value_exact<double>();
      else
        refuse(name.source(), std::string(name.str()) + ": wants a number or text");
      s.params[std::string(name.str())] = text.str();
    }
  }

  std::string path_;
};

toml::table parse(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(kConfig, path + ": cannot be read: " + std::strerror(errno));
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    throw Error(kConfig, path + ": is a directory, not a TOML file");
  try {
    return toml::parse(file, path);
  } catch (const toml::parse_error& e) {
    throw Error(kConfig, path + ":" + std::to_string(e.source().begin.line) + ": " +
                             std::string(e.description()));
  }
}

// JSON strings are valid TOML. toml++ 3.3 is not used, as it prints a key with an apostrophe
// unquoted.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string key_text(const std::string& key) {
  const auto is_bare = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  return !key.empty() && std::ranges::all_of(key, is_bare) ? key : quoted(key);
}

}  // namespace

std::string to_toml(const std::string& device, const Settings& s) {
  const std::string table = key_text(device);
  std::string text = "[" + table + "]\n";
  const auto put = [&](const char* key, const std::optional<std::string>& value) {
    if (value) text += std::string(key) + " = " + quoted(*value) + "\n";
  };
  put("rate", s.rate);
  put("overhead", s.overhead);
  put("buffer", s.buffer);
  put("target", s.target);
  put("method", s.method);
  put("mode", s.mode);
  if (s.observe) text += std::string("observe = ") + (*s.observe ? "true" : "false") + "\n";
  if (s.police) text += std::string("police = ") + (*s.police ? "true" : "false") + "\n";
  put("fair", s.fair);
  put("discipline", s.discipline);
  put("signal", s.signal);
  put("queue", s.queue);
  put("class", s.traffic_class);
  put("source", s.source);
  put("hook", s.hook);
  put("acks", s.acks);
  put("scone", s.scone);
  put("scalable", s.scalable);
  put("share_by", s.share_by);
  put("beyond", s.beyond);
  put("flows", s.flows);
  put("shapes", s.shapes);
  put("idle", s.idle);
  if (s.exempt) text += "exempt = " + nlohmann::json(*s.exempt).dump() + "\n";
  if (!s.params.empty()) text += "[" + table + ".params]\n";
  for (const auto& [key, value] : s.params) text += key_text(key) + " = " + quoted(value) + "\n";
  return text;
}

std::map<std::string, Settings> read_config(const std::string& path) {
  std::map<std::string, Settings> devices;
  const Reader reader(path);
  for (const auto& [name, node] : parse(path)) {
    const toml::table* table = node.as_table();
    if (!table)
      reader.refuse(name.source(), std::string(name.str()) +
                                       ": stands outside of a device's table, such as [wan0]");
    Settings s = reader.settings(*table);
    try {
      plan_of(s);
    } catch (const Error& e) {
      reader.refuse(name.source(), "[" + std::string(name.str()) + "] " + e.what());
    }
    devices[std::string(name.str())] = std::move(s);
  }
  return devices;
}

Settings configured(const std::string& path, const std::string& device) {
  const auto devices = read_config(path);
  const auto found = devices.find(device);
  if (found == devices.end()) throw Error(kConfig, path + ": has no table [" + device + "]");
  return found->second;
}

}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/config.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/automatic.h"
#include "linux/gateway/tool/settings/down.h"

namespace penstock::gw {

namespace {

constexpr const char* kAutoKey = "auto";  // what penstock-gw auto runs
constexpr const char* kDownKey = "down";  // [wan0.down]: of what comes in by the device

// All of its digits, without an exponent.
std::string shortest(double number) {
  std::array<char, 400> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return {text.data(), end.ptr};
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  [[noreturn]] void refuse(const toml::source_region& at, const std::string& why) const {
    throw Error(kConfig, path_ + ":" + std::to_string(at.begin.line) + ": " + why);
  }

  Settings settings(const toml::table& table) const {
    Settings s;
    for (const auto& entry : table) {
      const auto& key = entry.first;  // clang lets no lambda have a structured binding
      const auto& node = entry.second;
      bool known = key == "params";
      if (known) read_params(key, node, s);
      if (key == kAutoKey) {
        SettingFLAG automatic;
        read(key, node, automatic);
        s.automatic = *automatic;
        known = true;
      }
      known |= key == kDownKey && node.is_table();  // another device's
      for_each_setting([&](const SettingRow& row, auto member) {
        if (key != row.key) return;
        read(key, node, s.*member);
        known = true;
      });
      if (!known)
        refuse(key.source(), std::string(key.str()) + ": no such key; there are " + setting_keys() +
                                 ", auto, params");
    }
    return s;
  }

 private:
  std::string string_of(const toml::key& key, const toml::node& node) const {
    if (const auto text = node.value_exact<std::string>()) return *text;
    refuse(key.source(), std::string(key.str()) + ": wants text in quotes, such as \"20mbit\"");
  }

  void read(const toml::key& key, const toml::node& node, SettingTEXT& text) const {
    text = string_of(key, node);
  }

  void read(const toml::key& key, const toml::node& node, SettingLIST& list) const {
    const toml::array* array = node.as_array();
    list.emplace();
    if (!array) {
      const auto text = node.value_exact<std::string>();
      if (!text) refuse(key.source(), std::string(key.str()) + ": wants a list of texts in quotes");
      return list->push_back(*text);
    }
    for (const toml::node& each : *array) list->push_back(string_of(key, each));
  }

  void read(const toml::key& key, const toml::node& node, SettingFLAG& flag) const {
    flag = node.value_exact<bool>();
    if (!flag) refuse(key.source(), std::string(key.str()) + ": wants true or false");
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
        text << shortest(*value.value_exact<double>());
      else
        refuse(name.source(), std::string(name.str()) + ": wants a number or text");
      s.params[std::string(name.str())] = text.str();
    }
  }

  std::string path_;
};

// The line of the key that a complaint is about; of its table, where it is about several.
toml::source_region place_of(const toml::source_region& at, const toml::table& table,
                             const std::string& what) {
  for (const auto& [key, node] : table) {
    if (what.starts_with(std::string(key.str()) + ": ")) return key.source();
    if (const toml::table* inner = node.as_table())
      for (const auto& [own, value] : *inner)
        if (what.starts_with("param " + std::string(own.str()) + ":")) return own.source();
  }
  return at;
}

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr int kMostDepth = 32;

// How deep a document nests, and in which line most. toml++ follows dotted keys by recursion,
// without a bound. Text in quotes and comments do not count.
struct Depth {
  int most = 0;
  int line = 1;
};

// The place after the text in quotes that begins at `at`, or after its line.
std::size_t after_quotes(const std::string& text, std::size_t at) {
  const char quote = text[at];
  const bool is_long = text.compare(at, 3, std::string(3, quote)) == 0;
  const std::string end(is_long ? 3 : 1, quote);
  for (at += end.size(); at < text.size(); ++at) {
    if (!is_long && text[at] == '\n') return at;
    if (text.compare(at, end.size(), end) == 0) return at + end.size();
    if (quote == '"' && text[at] == '\\') ++at;
  }
  return text.size();
}

Depth depth_of(const std::string& text) {
  Depth depth;
  int line = 1, open = 0, dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    std::size_t next = i + 1;
    if (c == '#')
      next = std::min(text.find('\n', i), text.size());
    else if (c == '"' || c == '\'')
      next = after_quotes(text, i);
    else if (c == '.')
      ++dots;
    else if (c == '[' || c == '{')
      ++open;
    else if (c == ']' || c == '}')
      open = std::max(open - 1, 0);
    if (c == ',' || c == '=' || c == '\n') dots = 0;
    if (open + dots > depth.most) depth = {open + dots, line};
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                        text.begin() + static_cast<std::ptrdiff_t>(next), '\n'));
    i = next;
  }
  return depth;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(kConfig, path + ": cannot be read: " + std::strerror(errno));
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    throw Error(kConfig, path + ": is a directory, not a TOML file");
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMostBytes)
    throw Error(kConfig, path + ": has more than " + std::to_string(kMostBytes) +
                             " bytes, which no configuration needs");
  const Depth depth = depth_of(text);
  if (depth.most > kMostDepth)
    throw Error(kConfig, path + ":" + std::to_string(depth.line) + ": nests more than " +
                             std::to_string(kMostDepth) +
                             " deep; a device's table has keys and [DEVICE.params] alone");
  return text;
}

toml::table parse(const std::string& path) {
  const std::string text = read_text(path);
  try {
    return toml::parse(text, path);
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

bool is_down(const std::string& device) { return device.ends_with(kDownSuffix); }

// "wan0.down" is the table of `down` in that of wan0, which other dots are not.
std::string table_text(const std::string& device) {
  return attachment_name(key_text(without_down(device)), is_down(device));
}

void add_device(const Reader& reader, const toml::key& name, const std::string& device,
                const toml::table& table, std::map<std::string, Settings>& devices) {
  Settings s = reader.settings(table);
  try {
    if (s.automatic && is_down(device))
      throw Error(kUsage,
                  "auto: is of both directions: write it into [" + without_down(device) + "]");
    if (s.automatic)
      require_automatic(s);
    else
      plan_of(s, is_down(device) ? Below::kBefore : Below::kPlain);
  } catch (const Error& e) {
    reader.refuse(place_of(name.source(), table, e.what()), "[" + device + "] " + e.what());
  }
  devices[device] = std::move(s);
}

}  // namespace

std::string to_toml(const std::string& device, const Settings& s) {
  const std::string table = table_text(device);
  std::string text = "[" + table + "]\n";
  for_each_setting([&](const SettingRow& row, auto member) {
    if (s.*member)
      text += std::string(row.key) + " = " + nlohmann::json(*(s.*member)).dump() + "\n";
  });
  if (!s.params.empty()) text += "[" + table + ".params]\n";
  for (const auto& [key, value] : s.params) text += key_text(key) + " = " + quoted(value) + "\n";
  return text;
}

void put_settings(const Settings& s, nlohmann::ordered_json& json) {
  for_each_setting([&](const SettingRow& row, auto member) {
    if (s.*member) json[row.key] = *(s.*member);
  });
}

std::map<std::string, Settings> read_config(const std::string& path) {
  std::map<std::string, Settings> devices;
  const Reader reader(path);
  for (const auto& [name, node] : parse(path)) {
    const toml::table* table = node.as_table();
    if (!table)
      reader.refuse(name.source(), std::string(name.str()) +
                                       ": stands outside of a device's table, such as [wan0]");
    const std::string device(name.str());
    const toml::table* down = is_down(device) ? nullptr : (*table)[kDownKey].as_table();
    if (down) add_device(reader, name, attachment_name(device, true), *down, devices);
    if (!down || table->size() > 1) add_device(reader, name, device, *table, devices);
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

// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/shapes/file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>

#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

namespace {

constexpr const char* kColumns[] = {"name", "rate", "buffer", "target", "prefix", "mark", "class"};
constexpr const char* kCircuit = "Circuit ID";  // LibreQoS's, as the following
constexpr const char* kAddresses[] = {"IPv4", "IPv6"};
constexpr const char* kByteOrderMark = "\xef\xbb\xbf";

using Row = std::map<std::string, std::string>;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class ShapeFile {
 public:
  ShapeFile(const std::string& path, Direction direction) : path_(path), file_(path) {
    if (!file_) throw Error(kConfig, path + ": cannot be read: " + std::strerror(errno));
    rate_column_ = direction == Direction::kDown ? "Download Max Mbps" : "Upload Max Mbps";
  }

  std::vector<ShapeText> shapes() {
    read_head();
    std::vector<ShapeText> all;
    std::map<std::string, std::size_t> circuits;
    for (std::string line; next(line);) {
      const ShapeText text = text_of(row_of(line));
      const auto [place, is_new] = circuits.emplace(text.name, all.size());
      if (is_new || text.name.empty())
        all.push_back(text);
      else if (is_libreqos_)
        std::ranges::copy(text.prefixes, std::back_inserter(all[place->second].prefixes));
      else
        refuse("'" + text.name + "' stands in line " + std::to_string(lines_[place->second]) +
               " already");
      if (all.size() > lines_.size()) lines_.push_back(line_);
    }
    if (all.empty()) throw Error(kConfig, path_ + ": has no shape");
    return all;
  }

 private:
  std::string where() const { return path_ + ":" + std::to_string(line_) + ": "; }
  [[noreturn]] void refuse(const std::string& why) const { throw Error(kConfig, where() + why); }

  // The next line that says something.
  bool next(std::string& line) {
    while (std::getline(file_, line)) {
      if (!line_++ && line.starts_with(kByteOrderMark)) line.erase(0, 3);
      const std::string text = trimmed(line);
      if (!text.empty() && text[0] != '#') return true;
    }
    return false;
  }

  // RFC 4180, one record a line.
  std::vector<std::string> fields(const std::string& line) const {
    std::vector<std::string> all{""};
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
        all.back() += line[i++];
      else if (line[i] == '"')
        quoted = !quoted;
      else if (line[i] == ',' && !quoted)
        all.emplace_back();
      else
        all.back() += line[i];
    }
    if (quoted) refuse("a quotation mark is not closed");
    std::ranges::transform(all, all.begin(), trimmed);
    return all;
  }

  void read_head() {
    std::string line;
    if (!next(line)) throw Error(kConfig, path_ + ": is empty: its first line names the columns");
    head_ = fields(line);
    is_libreqos_ = std::ranges::find(head_, kCircuit) != head_.end();
    if (is_libreqos_) return require(rate_column_);
    for (const std::string& column : head_)
      if (std::ranges::find(kColumns, column) == std::end(kColumns))
        refuse("'" + column +
               "' is no column; there are name, rate, buffer, target, prefix, mark, class");
    require("name");
    require("rate");
  }

  void require(const std::string& column) const {
    if (std::ranges::find(head_, column) == head_.end())
      refuse("the column '" + column + "' is missing");
  }

  Row row_of(const std::string& line) const {
    const std::vector<std::string> values = fields(line);
    if (values.size() != head_.size())
      refuse(std::to_string(values.size()) + " fields, where the first line names " +
             std::to_string(head_.size()));
    Row row;
    for (std::size_t i = 0; i < head_.size(); ++i)
      if (!values[i].empty()) row[head_[i]] = values[i];
    return row;
  }

  ShapeText text_of(const Row& row) const {
    const auto value = [&row](const std::string& column) -> std::optional<std::string> {
      const auto found = row.find(column);
      return found == row.end() ? std::nullopt : std::optional(found->second);
    };
    ShapeText text;
    text.where = where();
    if (is_libreqos_) {
      text.name = value(kCircuit).value_or("");
      if (const auto rate = value(rate_column_)) text.rate = *rate + "mbit";
      for (const char* column : kAddresses) add_prefixes(value(column), text);
      return text;
    }
    text.name = value("name").value_or("");
    text.rate = value("rate");
    text.buffer = value("buffer");
    text.target = value("target");
    text.mark = value("mark");
    text.traffic_class = value("class");
    add_prefixes(value("prefix"), text);
    return text;
  }

  // Separated by spaces or commas.
  static void add_prefixes(const std::optional<std::string>& list, ShapeText& text) {
    std::string word;
    for (const char c : list.value_or("") + " ") {
      if (c != ' ' && c != ',' && c != ';') {
        word += c;
      } else if (!word.empty()) {
        text.prefixes.push_back(word);
        word.clear();
      }
    }
  }

  std::string path_;
  std::ifstream file_;
  std::string rate_column_;
  std::size_t line_ = 0;
  std::vector<std::string> head_;
  std::vector<std::size_t> lines_;  // of each shape
  bool is_libreqos_ = false;
};

}  // namespace

std::vector<ShapeText> read_shapes(const std::string& path, Direction direction) {
  return ShapeFile(path, direction).shapes();
}

}  // namespace penstock::gw

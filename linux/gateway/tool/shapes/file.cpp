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
constexpr const char* kWideMarks[] = {"\xff\xfe", "\xfe\xff"};  // UTF-16

using Row = std::map<std::string, std::string>;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// What spreadsheets separate fields by where a comma stands in numbers, or a comma.
char separator_of(const std::string& head) {
  for (const char each : {',', ';', '\t'})
    if (head.find(each) != std::string::npos) return each;
  return ',';
}

// "10,5" as 10.5 where a comma separates nothing; "10,500" may be either, and stays.
std::string with_point(std::string number) {
  const std::size_t comma = number.find(',');
  if (comma == 0 || comma == std::string::npos) return number;
  const std::size_t end = number.find_first_not_of("0123456789", comma + 1);
  const std::size_t digits = std::min(end, number.size()) - comma - 1;
  if (number.find_first_not_of("0123456789") != comma || digits == 0 || digits == 3) return number;
  number[comma] = '.';
  return number;
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
      else
        join(text, all[place->second], lines_[place->second]);
      if (all.size() > lines_.size()) lines_.push_back(line_);
    }
    if (all.empty()) throw Error(kConfig, path_ + ": has no shape");
    return all;
  }

 private:
  std::string where() const { return path_ + ":" + std::to_string(line_) + ": "; }
  [[noreturn]] void refuse(const std::string& why) const { throw Error(kConfig, where() + why); }

  // Further devices of a circuit of LibreQoS, which all have its rate.
  void join(const ShapeText& text, ShapeText& shape, std::size_t line) const {
    const std::string before = "'" + text.name + "' stands in line " + std::to_string(line);
    if (!is_libreqos_) refuse(before + " already");
    if (text.rate != shape.rate) refuse(before + " with another rate");
    std::ranges::copy(text.prefixes, std::back_inserter(shape.prefixes));
  }

  void begin(std::string& line) const {
    if (line.starts_with(kByteOrderMark)) line.erase(0, 3);
    for (const char* mark : kWideMarks)
      if (line.starts_with(mark)) refuse("is in UTF-16; save it in UTF-8");
  }

  // The next line that says something.
  bool next(std::string& line) {
    while (std::getline(file_, line)) {
      if (!line_++) begin(line);
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
      else if (line[i] == separator_ && !quoted)
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
    separator_ = separator_of(line);
    head_ = fields(line);
    for (std::size_t i = 0; i < head_.size(); ++i)
      if (std::find(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(i), head_[i]) !=
          head_.begin() + static_cast<std::ptrdiff_t>(i))
        refuse("the column '" + head_[i] + "' is named twice");
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
    const auto number = [&](const std::string& column) {
      auto text = value(column);
      if (text && separator_ != ',') text = with_point(*text);
      return text;
    };
    ShapeText text;
    text.where = where();
    if (is_libreqos_) {
      text.name = value(kCircuit).value_or("");
      if (const auto rate = number(rate_column_)) text.rate = *rate + "mbit";
      for (const char* column : kAddresses) add_prefixes(value(column), text);
      return text;
    }
    text.name = value("name").value_or("");
    text.rate = number("rate");
    text.buffer = number("buffer");
    text.target = number("target");
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
  char separator_ = ',';
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

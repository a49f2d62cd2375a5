// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/compare/page.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <span>

#include "linux/common/clock.h"
#include "linux/common/quantity.h"
#include "page_files.h"

namespace penstock::gw {

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string number(double value, int places) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*f", places, value);
  return text.data();
}

std::string cell(const std::string& text) { return "<td>" + text + "</td>"; }

std::string unit_text(const Measure& m) { return escaped(m.label + (", " + std::string(m.unit))); }

std::string row_text(const MeasureRow& row) {
  const Measure& m = row.measure;
  const std::string name = "<tr>" + cell(unit_text(m));
  const auto d = row.difference(m.of_unit);
  if (!d) return name + "<td colspan=\"4\"></td>" + cell("there was none") + "</tr>\n";
  const bool better = (d->mean < 0) == m.less_is_better;
  const std::string sign = d->mean > 0 ? "+" : "";
  return name + cell(number(d->first, m.places)) + cell(number(d->second, m.places)) +
         cell(sign + number(d->mean, m.places)) +
         cell(number(d->mean - d->half_width, m.places) + " to " +
              number(d->mean + d->half_width, m.places)) +
         cell(!d->is_shown() ? "no difference shown"
              : better       ? "better"
                             : "worse") +
         "</tr>\n";
}

// The table of a section, with a heading above that of a class.
std::string section_text(const Section& section) {
  std::string text;
  if (!section.name.empty())
    text += "<h3>" + escaped(section.name) + " <span class=\"soft\">" + escaped(section.rule) +
            "</span></h3>\n";
  text +=
      "<div class=\"scroll\"><table>\n<thead><tr><th>measured</th><th>observing</th><th>live</th>"
      "<th>difference</th><th>95 % interval</th><th></th></tr></thead>\n<tbody>\n";
  for (const MeasureRow& row : section.rows) text += row_text(row);
  return text + "</tbody>\n</table></div>\n";
}

// A panel with a line for each pair, from a ring on the left to a dot on the right.
std::string chart_text(const MeasureRow& row) {
  constexpr double kWidth = 172, kHeight = 120, kLeft = 60, kRight = 140, kBase = 100, kTop = 10;
  const Measure& m = row.measure;
  double most = 0;
  for (const auto& [one, two] : row.pairs)
    most = std::max({most, m.of_unit * one, m.of_unit * two});
  if (most <= 0) most = 1;
  const auto y = [&](double value) {
    return number(kBase - (kBase - kTop) * std::max(m.of_unit * value, 0.0) / most, 1);
  };
  const std::string left = number(kLeft, 0), right = number(kRight, 0);
  std::string text = "<figure><figcaption>" + unit_text(m) + "</figcaption><svg viewBox=\"0 0 " +
                     number(kWidth, 0) + " " + number(kHeight, 0) +
                     "\" role=\"img\" aria-label=\"" + escaped(m.label) + " of each pair\">";
  text += "<path class=\"axis\" d=\"M46 " + number(kBase, 0) +
          "H154\"/><text x=\"42\" y=\"104\" "
          "text-anchor=\"end\">0</text><text x=\"42\" y=\"14\" text-anchor=\"end\">" +
          number(most, m.places) + "</text>";
  text += "<text x=\"" + left + "\" y=\"116\" text-anchor=\"middle\">observing</text><text x=\"" +
          right + "\" y=\"116\" text-anchor=\"middle\">live</text>";
  for (const auto& [one, two] : row.pairs)
    text += "<path class=\"pair\" d=\"M" + left + " " + y(one) + "L" + right + " " + y(two) +
            "\"/><circle class=\"one\" r=\"3\" cx=\"" + left + "\" cy=\"" + y(one) +
            "\"/><circle class=\"two\" r=\"3\" cx=\"" + right + "\" cy=\"" + y(two) + "\"/>";
  return text + "</svg></figure>\n";
}

// What the intervals show, in a sentence.
std::string found_text(const std::vector<MeasureRow>& rows) {
  std::string shown;
  for (const MeasureRow& row : rows) {
    const Measure& m = row.measure;
    const auto d = row.difference(m.of_unit);
    if (!d || !d->is_shown()) continue;
    const std::string unit = std::string(" ") + m.unit;
    shown += (shown.empty() ? "" : "; ") + std::string(m.label) + " " +
             number(d->second, m.places) + unit + " instead of " + number(d->first, m.places) +
             unit;
  }
  return shown.empty() ? "No difference is shown: longer, or under more load, there may be one."
                       : "Live: " + shown + ".";
}

std::string date_text(std::uint64_t time_ns) { return local_time_text(time_ns, "%F %H:%M %Z"); }

}  // namespace

std::string compare_page(const ComparePage& page) {
  const std::vector<MeasureRow>& rows = page.sections[0].rows;
  std::string charts, classes;
  for (const MeasureRow& row : rows)
    if (!row.pairs.empty()) charts += chart_text(row);
  for (const Section& section : std::span(page.sections).subspan(1))
    classes += section_text(section);
  if (!classes.empty()) classes = "<h2>By class of subscribers</h2>\n" + classes;
  const std::vector<std::pair<std::string, std::string>> parts = {
      {"{{title}}", escaped("What Penstock changes on " + page.device)},
      {"{{facts}}", "Until " + date_text(page.end_ns) + ", by penstock-gw " PENSTOCK_VERSION},
      {"{{found}}", escaped(found_text(rows))},
      {"{{all}}", section_text(page.sections[0])},
      {"{{classes}}", classes},
      {"{{charts}}", charts},
      {"{{pairs}}", std::to_string(page.pairs)},
      {"{{period}}", form_time(page.period_ns)},
      {"{{queue}}",
       page.own_shaper
           ? std::string("the shaper that attach installed stays, so both are behind it, and "
                         "neither is the queue of before")
           : std::string("senders find the same queue as without it") +
                 (page.modelled ? "; its drops are those of a model" : "")},
      {"{{settings}}", escaped(page.settings)}};
  std::string text(page::report_html);
  for (const auto& [name, value] : parts)
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size(), value);
  return text;
}

}  // namespace penstock::gw

// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/compare_page.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "gateway/common/clock.h"
#include "gateway/common/paired.h"
#include "gateway/common/quantity.h"
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

std::string row_text(const MeasureRow& row) {
  const Difference d = paired_difference(row.pairs);
  const bool better = (d.mean < 0) == row.less_is_better;
  const std::string sign = d.mean > 0 ? "+" : "";
  return "<tr>" + cell(escaped(row.label + ", " + row.unit)) + cell(number(d.first, row.places)) +
         cell(number(d.second, row.places)) + cell(sign + number(d.mean, row.places)) +
         cell(number(d.mean - d.half_width, row.places) + " to " +
              number(d.mean + d.half_width, row.places)) +
         cell(!d.is_shown() ? "no difference shown"
              : better      ? "better"
                            : "worse") +
         "</tr>\n";
}

// A panel with a line for each pair, from a ring on the left to a dot on the right.
std::string chart_text(const MeasureRow& row) {
  constexpr double kWidth = 160, kHeight = 120, kLeft = 40, kRight = 120, kBase = 100, kTop = 10;
  double most = 0;
  for (const auto& [one, two] : row.pairs) most = std::max({most, one, two});
  if (most <= 0) most = 1;
  const auto y = [&](double value) {
    return number(kBase - (kBase - kTop) * std::max(value, 0.0) / most, 1);
  };
  const std::string left = number(kLeft, 0), right = number(kRight, 0);
  std::string text = "<figure><figcaption>" + escaped(row.label + ", " + row.unit) +
                     "</figcaption><svg viewBox=\"0 0 " + number(kWidth, 0) + " " +
                     number(kHeight, 0) + "\" role=\"img\" aria-label=\"" + escaped(row.label) +
                     " of each pair\">";
  text += "<path class=\"axis\" d=\"M30 " + number(kBase, 0) +
          "H130\"/><text x=\"26\" y=\"104\" "
          "text-anchor=\"end\">0</text><text x=\"26\" y=\"14\" text-anchor=\"end\">" +
          number(most, row.places) + "</text>";
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
    const Difference d = paired_difference(row.pairs);
    if (!d.is_shown()) continue;
    shown += (shown.empty() ? "" : "; ") + row.label + " " + number(d.second, row.places) + " " +
             row.unit + " instead of " + number(d.first, row.places) + " " + row.unit;
  }
  return shown.empty() ? "No difference is shown: longer, or under more load, there may be one."
                       : "Live: " + shown + ".";
}

std::string date_text(std::uint64_t time_ns) {
  const auto time_s = static_cast<std::time_t>(time_ns / kNsPerS);
  std::tm parts{};
  localtime_r(&time_s, &parts);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%F %H:%M %Z", &parts);
  return text.data();
}

}  // namespace

std::string compare_page(const ComparePage& page) {
  std::string rows, charts;
  for (const MeasureRow& row : page.rows) {
    rows += row_text(row);
    charts += chart_text(row);
  }
  const std::vector<std::pair<std::string, std::string>> parts = {
      {"{{title}}", escaped("What Penstock changes on " + page.device)},
      {"{{facts}}", "Until " + date_text(page.end_ns) + ", by penstock-gw " PENSTOCK_VERSION},
      {"{{found}}", escaped(found_text(page.rows))},
      {"{{rows}}", rows},
      {"{{charts}}", charts},
      {"{{pairs}}", std::to_string(page.rows.front().pairs.size())},
      {"{{period}}", form_time(page.period_ns)},
      {"{{settings}}", escaped(page.settings)}};
  std::string text(page::report_html);
  for (const auto& [name, value] : parts)
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size(), value);
  return text;
}

}  // namespace penstock::gw

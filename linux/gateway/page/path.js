// SPDX-License-Identifier: GPL-2.0-only
// The path as `penstock-gw auto` sees it: where data and ACKs wait, in each half of it.
"use strict";

const PATH_LANES = [ // of top to bottom; data goes by `way`, and what answers it the other way
  { way: "down", name: "downloads", kind: "data", right: true },
  { way: "down", name: "their ACKs", kind: "acks", right: false },
  { way: "up", name: "uploads", kind: "data", right: false },
  { way: "up", name: "their ACKs", kind: "acks", right: true },
];
const PATH_X = { line: [150, 330], lan: [430, 610] }; // of the two halves
const PATH_LONG_MS = 100; // a bar of the whole half
const PATH_HIGH_MS = 10; // a queue that stands

function svgPart(name, attributes, text = "") {
  const part = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
  part.textContent = text;
  return part;
}

function pathPlace(x, width, name) {
  return [svgPart("rect", { x, y: 26, width, height: 176, rx: 6, class: "place" }),
    svgPart("text", { x: x + width / 2, y: 18, "text-anchor": "middle" }, name)];
}

// A half of a lane: an arrow, and a bar as long as what waits in front of its end.
function pathHalf([from, to], y, right, wait) {
  const tip = right ? to : from;
  const back = right ? -6 : 6;
  const parts = [svgPart("path", { d: `M${from} ${y}H${to}M${tip + back} ${y - 4}L${tip} ${y}L${tip + back} ${y + 4}`, class: "way" })];
  if (!wait) return [...parts, svgPart("text", { x: (from + to) / 2, y: y - 8, "text-anchor": "middle" }, "not seen")];
  const ms = 1e3 * wait.mean_s;
  const length = Math.max(2, (to - from - 12) * Math.min(1, ms / PATH_LONG_MS));
  const x = right ? to - 8 - length : from + 8;
  return [...parts,
    svgPart("rect", { x, y: y - 5, width: length, height: 10, class: ms >= PATH_HIGH_MS ? "queue high" : "queue" }),
    svgPart("text", { x: (from + to) / 2, y: y - 9, "text-anchor": "middle" },
      `${ms.toFixed(1)} ms, p99 ${(1e3 * wait.p99_s).toFixed(0)}`)];
}

function pathText(ways) {
  return ["down", "up"].map((way) => `${way}: ${ways[way].state}. ${ways[way].reason}`);
}

// A line of the stream; without `down` nobody watches.
function showPath(line) {
  const part = document.getElementById("path");
  part.hidden = !line.down;
  if (!line.down) return;
  const parts = [...pathPlace(40, 100, "the line"), ...pathPlace(340, 80, line.device), ...pathPlace(620, 80, "LAN")];
  PATH_LANES.forEach(({ way, name, kind, right }, row) => {
    const y = 52 + 42 * row;
    const { waits } = line[way];
    const [near, far] = [waits[`${kind}_before`], waits[`${kind}_behind`]];
    parts.push(...pathHalf(PATH_X.line, y, right, right ? near : far),
      ...pathHalf(PATH_X.lan, y, right, right ? far : near),
      svgPart("text", { x: 90, y: y + 4, "text-anchor": "middle" }, name));
  });
  const drawing = document.getElementById("path_drawing");
  drawing.replaceChildren(...parts);
  drawing.setAttribute("aria-label", PATH_LANES.map(({ way, name, kind }) => {
    const said = ["before", "behind"].map((half) => [half, line[way].waits[`${kind}_${half}`]])
      .filter(([, wait]) => wait).map(([half, wait]) => `${(1e3 * wait.mean_s).toFixed(1)} ms ${half} ${line.device}`);
    return `${name}: ${said.join(", ") || "not seen"}`;
  }).join("; "));
  document.getElementById("path_said").replaceChildren(...pathText(line).map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
}

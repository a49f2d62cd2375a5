// SPDX-License-Identifier: GPL-2.0-only
// Time series as SVG: styled by the page's CSS, so they follow dark mode and print. The live page has
// them, and LuCI's.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const SPAN_S = 60;
const LEFT = 44, RIGHT = 8, TOP = 16, BOTTOM = 20;

const shortMs = (ms) => `${+ms.toPrecision(3)} ms`;
const shortRate = (mbps) => `${+mbps.toPrecision(3)} Mbit/s`;
const clockText = (time_s) => new Date(1000 * time_s).toLocaleTimeString([], { hour12: false });

function svgElement(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

// The next of 1, 2, 5, 10, ... that is `value` or more.
function niceStep(value) {
  const ten = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((n) => n * ten).find((step) => step >= value * 0.999);
}

// `series`: [{key, name, style}], where a point's key may be null. `mark(point)`: whether a triangle
// at the top marks it. `text(value)`: a value with its unit, which the caption gives for the axis.
class Chart {
  constructor(svg, { series, text, mark = () => false, marked = "" }) {
    Object.assign(this, { svg, series, text, mark, points: [], top: 0, at: null });
    this.grid = svgElement("g", {}, svg);
    this.lines = series.map(({ style, key }) =>
      svgElement("path", { class: style, "data-key": key }, svg));
    this.lost = svgElement("path", { class: "lost" }, svg);
    this.cursor = svgElement("path", { class: "cursor" }, svg);
    this.readout = svg.parentElement.querySelector(".readout");
    this.name(svg.parentElement.querySelector(".legend"), marked);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(svg);
  }

  name(legend, marked) {
    for (const { name, style } of this.series) {
      const entry = document.createElement("span");
      const sign = svgElement("svg", { viewBox: "0 0 32 10", "aria-hidden": "true" }, entry);
      svgElement("path", { class: style, d: "M0 5H32" }, sign);
      entry.append(name);
      legend.append(entry);
    }
    if (!marked) return;
    const entry = document.createElement("span");
    const sign = svgElement("svg", { viewBox: "0 0 32 10", "aria-hidden": "true" }, entry);
    svgElement("path", { class: "lost", d: "M11 0H21L16 9Z" }, sign);
    entry.append(marked);
    legend.append(entry);
  }

  // A pointer or the arrow keys choose a time; Escape leaves it.
  listen() {
    const choose = (at) => { this.at = at; this.draw(); };
    this.svg.addEventListener("pointermove", (event) => {
      const x = event.clientX - this.svg.getBoundingClientRect().left;
      choose(Math.min(Math.max((this.width - RIGHT - x) / this.perSecond(), 0), SPAN_S));
    });
    this.svg.addEventListener("pointerleave", () => choose(null));
    this.svg.addEventListener("blur", () => choose(null));
    this.svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: 1, ArrowRight: -1, Home: SPAN_S, End: -SPAN_S }[event.key];
      if (event.key === "Escape") choose(null);
      if (!step) return;
      event.preventDefault();
      choose(Math.min(Math.max((this.at ?? 0) + step, 0), SPAN_S));
    });
  }

  perSecond() { return (this.width - LEFT - RIGHT) / SPAN_S; }

  show(points) {
    this.points = points;
    this.draw();
  }

  draw() {
    this.width = this.svg.clientWidth;
    this.height = this.svg.clientHeight;
    if (!this.width || !this.points.length) return;
    // Paper has another width, for which it is not drawn again.
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    const now = this.points.at(-1).time_s;
    const high = Math.max(...this.points.flatMap((point) =>
      this.series.map(({ key }) => point[key] ?? 0)));
    const step = niceStep(Math.max(high, 1e-9) / 4);
    const top = step * Math.max(Math.ceil(high / step), 1);
    const x = (time_s) => this.width - RIGHT - (now - time_s) * this.perSecond();
    const y = (value) => this.height - BOTTOM - (value / top) * (this.height - TOP - BOTTOM);
    this.drawGrid(step, top, y);
    this.series.forEach(({ key }, index) => {
      let pen = "M";
      let path = "";
      for (const point of this.points) {
        if (point[key] == null) { pen = "M"; continue; }
        path += `${pen}${x(point.time_s).toFixed(1)} ${y(point[key]).toFixed(1)}`;
        pen = "L";
      }
      this.lines[index].setAttribute("d", path);
    });
    this.lost.setAttribute("d", this.points.filter(this.mark).map((point) =>
      `M${(x(point.time_s) - 4).toFixed(1)} 4h8l-4 8Z`).join(""));
    this.drawCursor(now, x);
  }

  drawGrid(step, top, y) {
    const shape = `${this.width} ${this.height} ${step} ${top}`;
    if (shape === this.shape) return;
    this.shape = shape;
    this.grid.replaceChildren();
    for (let value = 0; value <= top * 1.001; value += step) {
      svgElement("path", { class: "grid", d: `M${LEFT} ${y(value)}H${this.width - RIGHT}` }, this.grid);
      svgElement("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, this.grid)
        .textContent = String(+value.toPrecision(3));
    }
    for (let ago = 0; ago <= SPAN_S; ago += 15) {
      const at = this.width - RIGHT - ago * this.perSecond();
      const anchor = ago === 0 ? "end" : ago === SPAN_S ? "start" : "middle";
      svgElement("text", { x: at, y: this.height - 4, "text-anchor": anchor }, this.grid)
        .textContent = ago ? `−${ago} s` : "now";
    }
  }

  drawCursor(now, x) {
    const time_s = now - this.at;
    const point = this.at === null ? null
      : this.points.findLast((each) => each.time_s <= time_s + 0.05);
    if (!point) {
      this.cursor.setAttribute("d", "");
      this.readout.textContent = "";
      return;
    }
    const at = x(point.time_s).toFixed(1);
    this.cursor.setAttribute("d", `M${at} ${TOP}V${this.height - BOTTOM}`);
    const values = this.series.filter(({ key }) => point[key] != null)
      .map(({ key, name }) => `${name} ${this.text(point[key])}`);
    this.readout.textContent = `${clockText(point.time_s)}: ${values.join(", ")}`;
  }
}

const queueChart = (svg) => new Chart(svg, {
  series: [{ key: "delay_ms", name: "queue", style: "one" },
    { key: "target_ms", name: "target", style: "mark" }],
  text: shortMs, mark: (point) => point.lost > 0, marked: "drops",
});

const rateChart = (svg) => new Chart(svg, {
  series: [{ key: "sent_mbps", name: "all", style: "one" },
    { key: "controlled_mbps", name: "controlled", style: "two" },
    { key: "line_mbps", name: "the line's rate", style: "mark" }],
  text: shortRate,
});

// What is known of the queue where it is elsewhere, further down or before the device.
const elsewhere = (status) =>
  status?.passive ?? (status?.queue_source === "upstream" ? status.upstream : undefined);

// In bits per second; 0 while a rate elsewhere is not known.
const lineRate = (status) => (elsewhere(status)?.known === false ? 0 : status?.rate_bps ?? 0);

// The point of a sample: `last` is the one before, and `before` one as old as a rate is averaged over.
function pointOf(status, { time_s, line }, before, last) {
  const point = { time_s, delay_ms: null, target_ms: null, sent_mbps: null };
  if (line.state === "off" || !status?.rate_bps) return point;
  const rate_bps = lineRate(status);
  if (rate_bps) {
    point.delay_ms = (8e3 * line.queue_bytes) / rate_bps;
    point.target_ms = status.target_bytes ? (8e3 * status.target_bytes) / rate_bps : null;
    point.line_mbps = rate_bps / 1e6;
  }
  // A queue that was replaced counts from zero.
  point.lost = last ? Math.max(line.queue_drops - last.line.queue_drops, 0) : 0;
  if (!before) return point;
  const mbps = (key) => (8e-6 * Math.max(line[key] - before.line[key], 0)) / (time_s - before.time_s);
  point.sent_mbps = mbps("forward_bytes");
  point.controlled_mbps = mbps("forward_controlled_bytes");
  return point;
}

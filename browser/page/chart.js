// SPDX-License-Identifier: GPL-2.0-only
// The two charts of a method on one canvas: the queue with its drops, and the windows below it.

const GAP = { left: 46, right: 8, top: 16, between: 40, bottom: 22 };
const QUEUE_SHARE = 0.56;
const TICK = 45; // pixels that the text of a time takes, with a gap
const MOST_TICKS = 8;
const MOST_LINES = 40; // windows that are drawn
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function niceStep(span, parts) {
  const rough = span / parts;
  const unit = 10 ** Math.floor(Math.log10(rough));
  return unit * [1, 2, 5, 10].find((each) => each * unit >= rough);
}

const short = (value) =>
  value >= 1e6 ? `${+(value / 1e6).toFixed(2)}M` : value >= 1e3 ? `${+(value / 1e3).toFixed(1)}k` : `${+value.toFixed(2)}`;

class Chart {
  constructor(canvas, colour) {
    this.canvas = canvas;
    this.colour = colour;
    this.clear();
  }

  clear() {
    this.times = [];
    this.states = [];
    this.drawn = 0;
    this.axes = null;
  }

  add(times, states) {
    this.times.push(...times);
    this.states.push(...states);
  }

  // The largest window that there is so far.
  get topWindow() {
    let top = 0;
    for (; this.seen < this.states.length; this.seen++)
      for (let i = 4; i < this.states[this.seen].length; i++)
        top = Math.max(top, this.states[this.seen][i]);
    return (this.top = Math.max(this.top, top));
  }
  top = 0;
  seen = 0;

  // The index of the first state after `now_ns`.
  indexAt(now_ns) {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= now_ns) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Draws up to `now_ns` on axes that end at `axes`: {end_ns, queue, window, buffer}.
  draw(now_ns, axes) {
    const key = JSON.stringify([axes, this.canvas.clientWidth, this.canvas.clientHeight, devicePixelRatio, css("--ink")]);
    const until = this.indexAt(now_ns);
    if (key !== this.axes || until < this.drawn) {
      this.axes = key;
      this.frame(axes);
      this.drawn = 0;
    }
    if (until > this.drawn) this.lines(Math.max(this.drawn - 1, 0), until, axes);
    this.drawn = until;
  }

  frame(axes) {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.canvas.width = Math.round(width * devicePixelRatio);
    this.canvas.height = Math.round(height * devicePixelRatio);
    const g = (this.g = this.canvas.getContext("2d"));
    g.scale(devicePixelRatio, devicePixelRatio);
    const room = height - GAP.top - GAP.between - GAP.bottom;
    const split = GAP.top + room * QUEUE_SHARE;
    this.areas = {
      queue: { top: GAP.top, bottom: split, most: axes.queue },
      window: { top: split + GAP.between, bottom: height - GAP.bottom, most: axes.window },
    };
    this.x = (ns) => GAP.left + (ns / axes.end_ns) * (width - GAP.left - GAP.right);
    g.font = "11px system-ui, sans-serif";
    this.cut = [];
    this.area(this.areas.queue, ["queue (bytes)"], axes, width);
    this.area(this.areas.window, ["window of each connection (bytes)", "windows (bytes)"], axes, width);
    this.limit(axes, width);
  }

  y(area, value) {
    return area.bottom - (Math.min(value, area.most) / area.most) * (area.bottom - area.top);
  }

  // Writes a text, and keeps it if it does not lie within the canvas: tests ask for those.
  write(text, x, y) {
    const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right } = this.g.measureText(text);
    if (x - left < 0 || x + right > this.canvas.clientWidth) this.cut.push(text);
    this.g.fillText(text, x, y);
  }

  // `titles`: the longest first, of which one fits.
  area(area, titles, axes, width) {
    const g = this.g;
    g.fillStyle = css("--ink");
    g.textAlign = "left";
    g.textBaseline = "alphabetic";
    const fits = (title) => GAP.left + g.measureText(title).width <= width;
    this.write(titles.find(fits) ?? titles.at(-1), GAP.left, area.top - 5);
    g.strokeStyle = css("--grid");
    g.lineWidth = 1;
    g.fillStyle = css("--quiet");
    g.textAlign = "right";
    g.textBaseline = "middle";
    const step = niceStep(area.most, 3);
    for (let value = 0; value <= area.most; value += step) {
      const y = Math.round(this.y(area, value)) + 0.5;
      this.segment(GAP.left, y, width - GAP.right, y);
      this.write(short(value), GAP.left - 5, y);
    }
    g.textAlign = "center";
    g.textBaseline = "top";
    const room = width - GAP.left - GAP.right;
    const parts = Math.max(Math.min(Math.floor(room / TICK), MOST_TICKS), 1);
    const seconds = niceStep(axes.end_ns / 1e9, parts);
    for (let s = 0; s * 1e9 <= axes.end_ns; s += seconds) {
      const last = (s + seconds) * 1e9 > axes.end_ns;
      const text = `${+s.toPrecision(4)}${last ? " s" : ""}`;
      const most = width - g.measureText(text).width / 2 - 1;
      this.write(text, Math.min(this.x(s * 1e9), most), area.bottom + 8);
    }
  }

  segment(x1, y1, x2, y2) {
    this.g.beginPath();
    this.g.moveTo(x1, y1);
    this.g.lineTo(x2, y2);
    this.g.stroke();
  }

  limit(axes, width) {
    const g = this.g;
    const y = this.y(this.areas.queue, axes.buffer);
    g.setLineDash([4, 4]);
    g.strokeStyle = css("--quiet");
    this.segment(GAP.left, y, width - GAP.right, y);
    g.setLineDash([]);
  }

  lines(from, to, axes) {
    const { queue, window: windows } = this.areas;
    const flows = this.states[from].length - 4;
    this.g.lineJoin = "round";
    this.style(css("--faint"), 1);
    for (let flow = Math.min(flows, MOST_LINES) - 1; flow >= 0; flow--)
      this.line(from, to, windows, 4 + flow);
    this.style(this.colour, 1.6);
    this.line(from, to, windows, 4);
    this.line(from, to, queue, 0);
    this.drops(from, to);
  }

  style(colour, width) {
    this.g.strokeStyle = colour;
    this.g.lineWidth = width;
  }

  line(from, to, area, column) {
    this.g.beginPath();
    for (let i = from; i < to; i++)
      this.g.lineTo(this.x(this.times[i]), this.y(area, this.states[i][column]));
    this.g.stroke();
  }

  // A tick below the axis wherever packets were dropped; higher where there were more.
  drops(from, to) {
    const bottom = this.areas.queue.bottom;
    this.style(css("--drop"), 1);
    for (let i = Math.max(from, 0); i < to; i++) {
      const lost = this.states[i][1] - (i ? this.states[i - 1][1] : 0);
      if (lost <= 0) continue;
      const x = Math.round(this.x(this.times[i])) + 0.5; // whole pixels: clear ticks
      this.segment(x, bottom + 1, x, bottom + 2 + Math.min(lost, 5));
    }
  }
}

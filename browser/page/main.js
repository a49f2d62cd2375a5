// SPDX-License-Identifier: GPL-2.0-only
// The page: settings in, a run for each method, and what is seen of them.

const PLAY_S = 8; // a run is played in that time
const STATES = 1200; // about so many of a run
const LIMIT_NS = RECIPE.limit_ns;
const SHOWN = [
  "loss_percent", "goodput_mbps_total", "transfer_s_max", "jain", "queue_delay_ms_mean",
  "queue_delay_ms_p99", "timeouts", "utilisation_percent",
];

const $ = (id) => document.getElementById(id);
const make = (tag, fields = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
};

const engineBytes = Uint8Array.from(atob($("engine").textContent.trim()), (c) => c.charCodeAt(0));
const workerAddress = URL.createObjectURL(
  new Blob([$("worker").textContent], { type: "text/javascript" }),
);
const columnOf = Object.fromEntries(RECIPE.columns.map((column) => [column.name, column]));

if (window !== top) document.documentElement.classList.add("inside");
let settings = taken(location.hash);
let panels = [];
let generation = 0;
let now_ns = 0;
let playing = true;
let lastFrame = null;

// The settings of a link; says what of it could not be used.
function taken(fragment) {
  const wrong = [];
  const found = fromFragment(fragment, wrong);
  $("wrong").replaceChildren(...wrong.map((text) => make("li", { textContent: text })));
  $("told").hidden = !wrong.length;
  return found;
}

class Panel {
  constructor(index) {
    this.worker = new Worker(workerAddress);
    this.worker.postMessage({ engine: engineBytes });
    this.worker.onmessage = ({ data }) => data.id === generation && this.hear(data);
    this.select = make("select", { ariaLabel: `Method ${index + 1}` });
    for (const [name, method] of Object.entries(RECIPE.methods))
      this.select.append(make("option", { value: name, textContent: method.label }));
    this.select.onchange = () => change({ methods: chosen(index, this.select.value) });
    this.away = make("button", { type: "button", textContent: "✕", ariaLabel: "Remove this method" });
    this.away.onclick = () =>
      change({ methods: settings.methods.filter((_, each) => each !== index) });
    this.canvas = make("canvas", { role: "img" });
    this.counts = make("p", { className: "counts" });
    this.element = make(
      "article", {}, make("div", { className: "head" }, this.select, this.away), this.counts, this.canvas,
    );
    $("panels").append(this.element);
  }

  start(name) {
    this.name = name;
    this.row = null;
    this.ended_ns = null;
    this.error = null;
    this.select.value = name;
    this.away.hidden = settings.methods.length < 2;
    const colour = RECIPE.methods[name].colour;
    this.select.style.borderLeftColor = colour;
    this.canvas.ariaLabel = `Queue, drops and windows over time with ${RECIPE.methods[name].label}`;
    this.chart = new Chart(this.canvas, colour);
    this.worker.postMessage({
      id: generation,
      text: networkText(settings, name),
      step_ns: stepNs(),
      limit_ns: LIMIT_NS,
      flows: settings.flows,
      counters: { queue: QUEUE.length, flow: FLOW.length },
    });
  }

  hear(data) {
    if (data.error !== undefined) {
      this.error = data.error;
    } else if (data.numbers) {
      this.row = rowOf(settings, this.name, data.numbers);
      this.ended_ns = data.numbers[0];
    } else {
      this.chart.add(data.times, data.states);
    }
    if (this.row || this.error) showTable();
  }

  get computed_ns() {
    return this.chart.times.at(-1) ?? 0;
  }

  stop() {
    this.worker.terminate();
    this.element.remove();
  }

  show(axes) {
    this.chart.draw(now_ns, axes);
    const index = this.chart.indexAt(now_ns) - 1;
    const state = this.chart.states[index];
    if (!state) return;
    const over = this.row && now_ns >= this.ended_ns;
    const delay_ms = over ? this.row.queue_delay_ms_mean : ((state[0] * 8) / settings.rate) * 1e3;
    this.counts.replaceChildren(
      over ? "mean delay " : "delay ", make("b", { textContent: `${+delay_ms.toPrecision(3)} ms` }),
      " · dropped ", make("b", { textContent: state[1].toLocaleString("en") }),
      ...(state[2] ? [" · marked ", make("b", { textContent: state[2].toLocaleString("en") })] : []),
    );
  }
}

// The methods with another one in that place; of two that are the same, the other moves on.
function chosen(index, name) {
  const methods = [...settings.methods];
  const twin = methods.indexOf(name);
  if (twin >= 0) methods[twin] = methods[index];
  methods[index] = name;
  return methods;
}

// When the link has carried everything, at best.
function expectedNs() {
  const segments = settings.flows * Math.ceil(settings.size / RECIPE.segment_bytes);
  const bits = 8 * (settings.flows * settings.size + segments * RECIPE.headers_bytes);
  return RECIPE.start.last_ns / 2 + (bits / settings.rate) * 1e9 * 1.05 + 4 * settings.rtt;
}

const stepNs = () => Math.max(Math.round(expectedNs() / STATES), 100_000);

// The end of the axes: of the runs, or what is expected while they go on.
function endNs() {
  const ends = panels.map((panel) => panel.ended_ns ?? Math.max(panel.computed_ns, expectedNs()));
  return Math.max(...ends, 1);
}

// The largest window, but no more than four times a fair share of what the path can hold: the
// first slow start would flatten all that follows.
function topWindow() {
  const path = (settings.rate / 8) * (settings.rtt / 1e9) + settings.buffer;
  const top = Math.max(...panels.map((panel) => panel.chart.topWindow), 1);
  return 1.05 * Math.min(top, Math.max((4 * path) / settings.flows, 8 * RECIPE.segment_bytes));
}

function frame(time) {
  const end_ns = endNs();
  const ready = Math.min(...panels.map((panel) => (panel.row || panel.error ? end_ns : panel.computed_ns)));
  if (playing && lastFrame !== null)
    now_ns = Math.min(now_ns + ((time - lastFrame) / 1e3 / PLAY_S) * end_ns, ready);
  lastFrame = time;
  if (playing && now_ns >= end_ns && panels.every((panel) => panel.row || panel.error)) setPlaying(false);
  const axes = {
    end_ns,
    queue: settings.buffer * 1.08,
    buffer: settings.buffer,
    window: topWindow(),
  };
  for (const panel of panels) panel.show(axes);
  if (document.activeElement !== $("time") || playing) $("time").value = (now_ns / end_ns) * 1000;
  $("clock").textContent = `${(now_ns / 1e9).toFixed(1)} s`;
  say();
  requestAnimationFrame(frame);
}

function say() {
  const wrong = panels.find((panel) => panel.error);
  const waiting = panels.some((panel) => !panel.row && !panel.error);
  const text = wrong ? `${wrong.name}: ${wrong.error}` : waiting ? "computing" : "";
  if ($("state").textContent === text) return;
  $("state").textContent = text;
  $("state").className = wrong ? "wrong" : "";
}

function setPlaying(value) {
  playing = value;
  $("play").textContent = value ? "Pause" : "Play";
}

const digits = (value) => (value === null ? null : +value.toPrecision(4));

// The best of a column, as it is shown, where some are worse.
function best(name, rows) {
  const { better } = columnOf[name];
  const values = rows.map((row) => digits(row[name])).filter((value) => value !== null);
  if (!better || values.every((value) => value === values[0])) return null;
  return better === "low" ? Math.min(...values) : Math.max(...values);
}

function showTable() {
  const rows = panels.filter((panel) => panel.row).map((panel) => panel.row);
  const head = make("tr", {}, make("th", { textContent: "At the end" }),
    ...rows.map((row) => make("th", { scope: "col", textContent: RECIPE.methods[row.method].label })));
  const body = SHOWN.map((name) => {
    const { title, definition } = columnOf[name];
    const top = best(name, rows);
    return make("tr", {}, make("th", { scope: "row", textContent: title, title: definition }),
      ...rows.map((row) => make("td", {
        textContent: digits(row[name]) ?? "–",
        className: top !== null && digits(row[name]) === top ? "best" : "",
      })));
  });
  $("table").replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
  $("rows").textContent = rows.map(rowText).join("\n");
}

function start() {
  generation += 1;
  now_ns = matchMedia("(prefers-reduced-motion: reduce)").matches ? Infinity : 0;
  while (panels.length > settings.methods.length) panels.pop().stop();
  while (panels.length < settings.methods.length) panels.push(new Panel(panels.length));
  panels.forEach((panel, index) => panel.start(settings.methods[index]));
  setPlaying(true);
  showTable();
}

let pending = 0;
function change(given) {
  $("told").hidden = true;
  settings = { ...settings, ...given };
  history.replaceState(null, "", toFragment(settings));
  showSettings();
  clearTimeout(pending);
  pending = setTimeout(start, 120);
}

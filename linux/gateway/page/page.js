// SPDX-License-Identifier: GPL-2.0-only
// Shows the JSON lines of `penstock-gw serve`, or of a recording, as they come.
"use strict";

const byId = (id) => document.getElementById(id);
const RATE_OVER_S = 0.5; // a rate is averaged over this time
const MOST_EVENTS = 50;

// Three digits with the unit, as penstock-gw prints them.
function rounded(value, units) {
  let scaled = value;
  let unit = 0;
  while (scaled >= 999.5 && unit + 1 < units.length) { scaled /= 1000; unit += 1; }
  const places = unit === 0 && Number.isInteger(scaled) ? 0 : scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
  return `${scaled.toFixed(places)} ${units[unit]}`;
}
const sizeText = (bytes) => rounded(bytes, ["B", "kB", "MB", "GB", "TB"]);
const rateText = (bps) => rounded(bps, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]);
const timeText = (ns) => rounded(ns, ["ns", "us", "ms", "s"]);
const percentText = (ratio) => `${(100 * ratio).toFixed(1)} %`;

function put(id, text) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
}

// Rows of a table, made again only where they changed. A cell: [text, class, tooltip].
function putRows(table, rows, names = []) {
  const body = table.tBodies[0];
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((cells, index) => {
    const row = body.rows[index] ?? body.insertRow();
    cells.forEach(([text, style = "", title = ""], column) => {
      const cell = row.cells[column] ?? row.insertCell();
      if (cell.textContent !== text) cell.textContent = text;
      if (cell.className !== style) cell.className = style;
      if (cell.title !== title) cell.title = title;
      if (names[column]) cell.dataset.name = names[column];
    });
  });
}

const charts = { queue: queueChart(byId("queue_chart")), rate: rateChart(byId("rate_chart")) };

// What the lines have told so far.
class View {
  constructor() { this.clear(); this.head = { rules: {}, bypasses: {} }; }

  clear() {
    this.samples = [];
    this.points = [];
    this.status = null;
    this.events = [];
    this.drawn = 0;
  }

  take(line) {
    const taker = this[`take_${line.kind}`];
    if (taker) taker.call(this, line);
  }

  take_head(line) {
    this.head = line;
    put("device", line.device);
    document.title = `${line.device} – Penstock`;
  }

  take_path(line) { showPath(line); }

  take_sample(line) {
    const time_s = line.time_ns / 1e9;
    const before = this.samples.findLast((each) => each.time_s <= time_s - RATE_OVER_S + 0.02);
    const last = this.samples.at(-1);
    const sample = { time_s, line };
    this.samples.push(sample);
    this.points.push(pointOf(this.status, sample, before, last));
    const old = (each) => each.time_s < time_s - SPAN_S;
    while (old(this.samples[0])) this.samples.shift();
    while (old(this.points[0])) this.points.shift();
  }

  take_status(line) {
    this.status = line.status;
    this.avoided = line.drops_avoided;
    this.outcome = line.outcome;
    showStatus(this);
  }

  take_flows(line) { showFlows(this, line); }

  take_event(line) {
    this.events.unshift(line);
    this.events.length = Math.min(this.events.length, MOST_EVENTS);
    showEvents(this.events);
  }

  draw() {
    const line = this.samples.at(-1)?.line;
    if (!line) return;
    showSample(this, line, this.points.at(-1));
    charts.queue.show(this.points);
    charts.rate.show(this.points);
    this.drawn += 1;
    document.body.dataset.drawn = String(this.drawn);
  }
}

function showSample(view, line, point) {
  const { status } = view;
  if (!status?.rate_bps) return;
  const rate_bps = lineRate(status);
  put("queue", rate_bps ? timeText(Math.round((8e9 * line.queue_bytes) / rate_bps)) : "unknown");
  put("rate", point.sent_mbps == null ? "…" : rateText(Math.round(1e6 * point.sent_mbps)));
  const lost = view.points.reduce((sum, each) => sum + (each.lost ?? 0), 0);
  put("drops", `${lost}`);
  const would = (status.queue_source === "virtual" && status.observed_drops) || 0;
  const all = wouldBe(status) ? would : status.queue_drops - would;
  put("drops_note", `${wouldBe(status)}in ${spanText(view.points)}; ${all} in all`);
}

// A model of a queue drops nothing while it observes.
const wouldBe = ({ observe, queue_source: source }) => (observe && source === "virtual" ? "would have been: " : "");

// What a page saw: less than the minute of its charts, after it was opened.
function spanText(points) {
  const span = points.at(-1).time_s - points[0].time_s;
  return span > SPAN_S - 2 ? "the last minute" : `the last ${Math.round(span)} s, seen here`;
}

const SIGNS = { live: "●", observe: "○", degraded: "▲", off: "–" };

function showStatus({ status, avoided, outcome, head }) {
  const badge = byId("state");
  badge.dataset.state = status.state;
  badge.textContent = `${SIGNS[status.state] ?? ""} ${status.state}`;
  const alert = status.reason || status.warning || "";
  byId("alert").hidden = !alert;
  put("alert", alert);
  byId("not_held").hidden = !status.not_held;
  put("not_held", status.not_held ? `Not held: ${status.not_held}.` : "");
  byId("content").classList.toggle("off", status.state === "off");
  putRows(byId("values"), [...flat(status)].map(([key, value]) => [[key], [value]]));
  if (!status.rate_bps) return;
  put("method", `${status.method}, ${status.mode} mode${status.observe ? ", rewriting nothing" : ""}`);
  showLine(status);
  put("flows_active", String(status.flows_active));
  put("flows_note", `${status.acks_rewritten} of ${status.acks_seen} ACKs ${status.observe ? "would be rewritten" : "rewritten"}`);
  put("controlled", percentText(status.controllable_ratio));
  put("controlled_note", `of ${sizeText(status.forward_bytes)} since the attach`);
  showAvoided(avoided);
  showOutcome(outcome);
  showBypassed(status, head);
  showSpared(status.spared ?? []);
}

// The queue and the rate of the line, where the rate is known.
function showLine(status) {
  const rate_bps = lineRate(status);
  if (!rate_bps) {
    put("queue_note", elsewhere(status).reason);
    put("rate_note", "of an unknown rate; all passes unchanged");
    return;
  }
  const target = status.target_bytes ? `, target ${timeText(status.target_ns)}` : "";
  put("queue_note", `${sizeText(status.queue_bytes)} of ${sizeText(status.buffer_bytes)}${target}`);
  const measured = status.departures || elsewhere(status) ? ", measured" : "";
  put("rate_note", `of ${rateText(rate_bps)}${measured}`);
}

function showAvoided(avoided) {
  if (!avoided?.known) {
    put("avoided", "not known");
    put("avoided_note", (avoided?.reason ?? "").replace(/^not known: /, ""));
    return;
  }
  put("avoided", `${avoided.drops_per_s.toFixed(1)}/s`);
  const pairs = `${avoided.pairs} ${avoided.pairs === 1 ? "pair" : "pairs"} of observing and live periods`;
  const [low, high] = avoided.interval ?? [];
  put("avoided_note", avoided.interval
    ? `${low.toFixed(1)} to ${high.toFixed(1)} (95 %), by ${pairs}` : `by ${pairs}: no interval yet`);
}

function showOutcome(outcome) {
  put("rpm", outcome ? `${Math.round(outcome.rpm)} a minute` : "not known");
  put("rpm_note", outcome ? `round trips under this load; quality of outcome ${Math.round(outcome.qoo_percent)} %` : "");
}

function* flat(value, name = "") {
  for (const [key, inner] of Object.entries(value)) {
    const path = name ? `${name}.${key}` : key;
    if (Array.isArray(inner) && inner.every((one) => typeof one === "string")) yield [path, inner.join(", ")];
    else if (inner !== null && typeof inner === "object") yield* flat(inner, path);
    else yield [path, String(inner)];
  }
}

function showBypassed(status, head) {
  const loose = status.forward_bytes - status.forward_controlled_bytes;
  put("uncontrolled", `${sizeText(loose)} of ${sizeText(status.forward_bytes)} sent, of these ` +
    `${sizeText(status.forward_bytes - status.forward_tcp_bytes)} not TCP (UDP, QUIC, VPNs).`);
  const rows = Object.entries(status.bypassed).filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => [[String(count), "n"], [name], [head.bypasses[name] ?? "", "soft"]]);
  for (const name of ["early_drops", "early_marks"].filter((one) => status[one]))
    rows.push([[String(status[name]), "n"], [name],
      [`by the discipline ${status.discipline}`, "soft"]]);
  byId("passed").hidden = !rows.length;
  putRows(byId("bypassed"), rows);
}

// Each rule, and below it the fastest of the flows that it spares.
function showSpared(rules) {
  byId("spared_part").hidden = !rules.length;
  putRows(byId("spared"), rules.flatMap(({ rule, believed, rate_bps, packets, bytes, flows }) => [
    [[believed ? rateText(rate_bps) : "–", "n"], [rule],
      [believed ? `${sizeText(bytes)} in ${packets} packets` : "not believed: from the provider's side", "soft"]],
    ...flows.map((flow) => [[rateText(flow.rate_bps), "n"], [`${flow.sender} → ${flow.receiver}`], ["", "soft"]]),
  ]), SPARED_NAMES);
}

const SPARED_NAMES = ["rate", "rule", "amount"];
const FLOW_NAMES = ["sender", "receiver", "rate", "round trip", "window", "offered", "limited by"];

// Those that send now come first; the others may have ended long ago.
function showFlows({ head }, { flows, known }) {
  const rate = (flow) => (flow.rate_bps == null ? "…" : rateText(flow.rate_bps));
  const rows = [...flows].sort((a, b) => b.rate_bps - a.rate_bps).map((flow) => [
    [flow.sender], [flow.receiver], [rate(flow), "n"],
    [flow.rtt_ns ? timeText(flow.rtt_ns) : "–", "n"],
    [flow.controlled && flow.window_offered_bytes ? sizeText(flow.window_sent_bytes) : "–", "n"],
    [flow.window_offered_bytes ? sizeText(flow.window_offered_bytes) : "–", "n"],
    [limitText(flow, head)],
  ]);
  putRows(byId("flows"), rows, FLOW_NAMES);
  put("flows_more", known > flows.length ? `and ${known - flows.length} more`
    : known ? "" : "No flow is known: none has opened a connection since the attach.");
}

function limitText({ limited_by: name, controlled }, { rules, bypasses }) {
  const help = (controlled ? rules : bypasses)[name] ?? "";
  return controlled ? `${name}: ${help}` : `passes unchanged, ${name}: ${help}`;
}

function showEvents(events) {
  byId("no_events").hidden = events.length > 0;
  byId("events").replaceChildren(...events.map(({ time_ns, event, reason }) => {
    const item = document.createElement("li");
    const time = document.createElement("time");
    time.textContent = clockText(time_ns / 1e9);
    const name = document.createElement("strong");
    name.textContent = event.replace("_", " ");
    item.append(time, " ", name, reason ? `: ${reason}` : "");
    return item;
  }));
}

const view = new View();

function drawSoon() {
  if (drawSoon.asked) return;
  drawSoon.asked = true;
  requestAnimationFrame(() => { drawSoon.asked = false; view.draw(); });
}

// Whole numbers beyond 2^53 stay text, so that all their digits are shown.
const exact = (key, value, context) =>
  (Number.isInteger(value) && !Number.isSafeInteger(value) && context ? context.source : value);

// The last line has no end yet: it is kept.
async function eachLine(body, take) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) take(JSON.parse(line, exact));
    drawSoon();
  }
}

async function open(token) {
  const answer = await fetch("stream", {
    headers: token ? { Authorization: `Bearer ${token}` } : {}, cache: "no-store",
  });
  if (answer.status === 401) return "refused";
  if (!answer.ok) throw new Error(await answer.text());
  byId("content").hidden = false;
  byId("access").hidden = true;
  put("link", "live, ten samples a second");
  view.clear();
  await eachLine(answer.body, (line) => view.take(line));
  return "ended";
}

const wait = (ms) => new Promise((go) => { setTimeout(go, ms); });

async function follow() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? byId("token").value;
  for (;;) {
    try {
      if (await open(token) === "refused") {
        byId("access").hidden = false;
        put("link", token ? "this token is wrong" : "");
        return;
      }
    } catch {
      // said below
    }
    put("link", "no connection to penstock-gw serve; trying again");
    await wait(1000);
  }
}

byId("access").addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = "";
  follow();
});

// Plays the lines of a recording that is in the page itself.
class Player {
  constructor(text) {
    this.lines = text.trim().split("\n").map((line) => JSON.parse(line, exact));
    this.times = this.lines.map((line) => line.time_ns / 1e9);
    [this.first] = this.times;
    this.length = this.times.at(-1) - this.first;
    this.playing = true;
    byId("seek").max = this.length.toFixed(1);
    byId("seek").addEventListener("input", (event) => this.seek(+event.target.value));
    byId("play").addEventListener("click", () => this.play(!this.playing));
    this.seek(0);
    setInterval(() => this.go(), 100);
  }

  play(playing) {
    this.playing = playing;
    put("play", playing ? "Pause" : "Play");
  }

  go() {
    if (!this.playing) return;
    if (this.at >= this.length) { this.play(false); return; }
    this.at = Math.min(this.at + 0.1 * byId("speed").value, this.length);
    while (this.next < this.lines.length && this.times[this.next] <= this.first + this.at) {
      view.take(this.lines[this.next]);
      this.next += 1;
    }
    this.show();
  }

  // All events before, the last whole state, and the minute that the charts show.
  seek(at) {
    view.clear();
    showEvents([]);
    this.at = at;
    const end = this.times.findIndex((time) => time > this.first + at);
    this.next = end < 0 ? this.lines.length : end;
    const before = this.lines.slice(0, Math.max(this.next, 1));
    const shown = this.first + at - SPAN_S;
    const last = (kind, until = Infinity) => before.findLast((line, index) =>
      line.kind === kind && this.times[index] < until);
    const state = [last("head"), last("status", shown) ?? this.lines.find(({ kind }) => kind === "status")];
    const minute = before.filter(({ kind }, index) => kind === "event"
      || (kind === "sample" || kind === "status") && this.times[index] >= shown);
    for (const line of [...state, ...minute, last("flows")]) if (line) view.take(line);
    this.show();
  }

  show() {
    byId("seek").value = this.at.toFixed(1);
    put("clock", `${new Date(1000 * (this.first + this.at)).toLocaleString()}`);
    drawSoon();
  }
}

const recording = byId("recording");
if (recording) {
  byId("content").hidden = false;
  byId("player").hidden = false;
  put("link", "a recording");
  put("no_events", "None so far.");
  new Player(recording.textContent);
} else {
  follow();
}

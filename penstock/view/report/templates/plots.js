"use strict";
const plots = JSON.parse(document.getElementById("plots").textContent);
const config = { responsive: true, displayModeBar: false, typesetMath: false };
const dark = window.matchMedia("(prefers-color-scheme: dark)");
// Too narrow for so many panels beside each other.
const NARROW = { 2: window.matchMedia("(max-width: 720px)"), 3: window.matchMedia("(max-width: 1000px)") };
const DIVIDED = /^methods \d+ to \d+/; // the title of a panel with some of the methods
const SAVED_WIDTH = 960;
const PRINTED_WIDTH = 680;
const STYLES = { dash: "dashed", dot: "dotted", dashdot: "dashed", longdash: "dashed" };

// Text and lines; those "on paper" are the same in dark and light pages.
function palette(onPaper) {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(onPaper ? `--paper-${name}` : `--${name}`).trim();
  return { text: read("text"), line: read("line") };
}

function layoutOf(plot, { stacked = false, onPaper = false, width } = {}) {
  const { meta, ...wide } = plot.layout;
  const own = structuredClone(stacked && meta ? meta.stacked : wide);
  const { text, line } = palette(onPaper);
  own.font = { ...own.font, color: text };
  for (const key of Object.keys(own).filter((name) => /^[xy]axis/.test(name))) {
    Object.assign(own[key], { gridcolor: line, zerolinecolor: line, linecolor: line });
  }
  if (width) Object.assign(own, { width, autosize: false });
  return own;
}

// The button of a series: a click hides or shows it.
function nameOf(div, name, { color, dash, pattern }) {
  const button = document.createElement("button");
  button.type = "button";
  button.setAttribute("aria-pressed", "true");
  const sign = document.createElement("span");
  const style = pattern?.shape ? "double" : (STYLES[dash] ?? "solid");
  sign.style.borderTop = `3px ${style} ${color}`;
  button.append(sign, name);
  button.addEventListener("click", () => {
    const visible = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(visible));
    const traces = plotOf(div).data;
    const mine = traces.flatMap((trace, index) => (trace.legendgroup === name ? [index] : []));
    Plotly.restyle(div, { visible }, mine);
  });
  return button;
}

// The names of a plot's series below it. Where panels have methods of their own, a row for each.
function nameAll(div) {
  const names = new Map();
  const rows = new Map();
  for (const trace of plotOf(div).data) {
    if (!trace.legendgroup || names.has(trace.legendgroup)) continue;
    names.set(trace.legendgroup, trace.line ?? trace.marker);
    const row = DIVIDED.exec(trace.meta ?? "")?.[0] ?? "";
    rows.set(row, [...(rows.get(row) ?? []), trace.legendgroup]);
  }
  if (names.size < 2) return;
  const list = document.createElement("div");
  list.className = "names";
  for (const [title, mine] of rows) {
    const row = document.createElement("div");
    if (title) row.append(`${title}:`);
    row.append(...mine.map((name) => nameOf(div, name, names.get(name))));
    list.append(row);
  }
  div.after(list);
  list.hidden = div.hidden;
}

const plotOf = (div) => plots[Number(div.dataset.plot)];

function draw(div, how) {
  const columns = plotOf(div).layout.meta?.columns;
  how = how ? { stacked: columns > 2, ...how } : { stacked: NARROW[columns]?.matches };
  Plotly.react(div, plotOf(div).data, layoutOf(plotOf(div), how), config);
}

function drawAll(how) {
  document.querySelectorAll("[data-plot]:not([hidden])").forEach((div) => draw(div, how));
}

// A text of a plot without its line breaks, and with the signs that stand for tags.
function shown(text) {
  const signs = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
  return text.replaceAll("<br>", ", ").replace(/&(?:lt|gt|amp);/g, (sign) => signs[sign]);
}

function axisTitle(layout, letter) {
  const axes = Object.keys(layout).filter((name) => name.startsWith(`${letter}axis`));
  const title = axes.map((name) => layout[name].title?.text).find((text) => text) ?? letter;
  return shown(title);
}

// Rows of a surface: one for each point of its grid.
function surfaceRows(trace, { scene }) {
  const rows = [["x", "y", "z"].map((letter) => scene[`${letter}axis`].title.text)];
  trace.z.forEach((line, row) => {
    line.forEach((value, column) => rows.push([trace.x[column], trace.y[row], value ?? ""]));
  });
  return rows;
}

function traceRows(trace) {
  const at = (list, index) => list?.[index] ?? "";
  const place = (index) =>
    trace.x ? at(trace.x, index) : Number((trace.x0 + index * trace.dx).toFixed(6));
  return trace.y.map((value, index) => [
    trace.meta ?? "",
    trace.legendgroup ?? trace.name ?? "",
    place(index),
    value ?? "",
    at(trace.error_y?.arrayminus ?? trace.error_y?.array, index),
    at(trace.error_y?.array, index),
  ]);
}

function asTable({ data, layout }) {
  const titles = ["x", "y"].map((letter) => axisTitle(layout, letter));
  const rows =
    data[0]?.type === "surface"
      ? surfaceRows(data[0], layout)
      : [["panel", "trace", ...titles, "below", "above"], ...data.flatMap(traceRows)];
  const cell = (value) => `"${String(value).replaceAll('"', '""')}"`;
  return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

function saveText(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// On white, with the traces that the legend has switched on.
function saveImage(div, format, filename) {
  const layout = { ...layoutOf(plotOf(div), { onPaper: true }), paper_bgcolor: "#ffffff" };
  layout.showlegend = new Set(div.data.map((trace) => trace.legendgroup)).size > 1;
  const size = { width: SAVED_WIDTH, height: layout.height };
  Plotly.downloadImage({ data: div.data, layout }, { format, filename, ...size, scale: 2 });
}

function fileName(card) {
  const pressed = card.querySelector(".tabs button[aria-pressed=true]");
  const words = [document.title, card.previousElementSibling?.textContent, pressed?.textContent];
  return words.join(" ").toLowerCase().match(/[a-z0-9]+/g).join("-").slice(0, 100);
}

function save(card, kind) {
  const div = card.querySelector("[data-plot]:not([hidden])");
  if (kind === "data") saveText(`${fileName(card)}.csv`, asTable(plotOf(div)));
  else saveImage(div, kind.toLowerCase(), fileName(card));
}

function offer(card) {
  const bar = document.createElement("div");
  bar.className = "saves";
  for (const kind of ["PNG", "SVG", "data"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    button.title = kind === "data" ? "save the plotted values as CSV" : `save as ${kind}`;
    button.addEventListener("click", () => save(card, kind));
    bar.append(button);
  }
  card.append(bar);
}

function choose(button) {
  const card = button.closest(".card");
  card.querySelectorAll(".tabs button").forEach((each) => {
    each.setAttribute("aria-pressed", String(each === button));
  });
  card.querySelectorAll("[data-plot]").forEach((div) => {
    div.hidden = div.dataset.plot !== button.dataset.shows;
    if (div.nextElementSibling?.className === "names") div.nextElementSibling.hidden = div.hidden;
    if (!div.hidden) draw(div);
  });
}

function complain() {
  document.querySelectorAll("[data-plot]").forEach((div) => {
    div.textContent =
      "The plots need the file plotly-*.min.js that was written with this page; " +
      "penstock report --one-file puts it into the page.";
  });
}

function start() {
  if (typeof Plotly === "undefined") {
    complain();
    return;
  }
  document.querySelectorAll("[data-plot]").forEach(nameAll);
  document.querySelectorAll(".card").forEach(offer);
  document.querySelectorAll(".tabs button").forEach((button) => {
    button.addEventListener("click", () => choose(button));
  });
  dark.addEventListener("change", () => drawAll());
  Object.values(NARROW).forEach((each) => each.addEventListener("change", () => drawAll()));
  window.addEventListener("beforeprint", () => drawAll({ onPaper: true, width: PRINTED_WIDTH }));
  window.addEventListener("afterprint", () => drawAll());
  drawAll();
}

// A page of one file holds the library compressed.
async function unpack(element) {
  const bytes = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}

const packed = document.getElementById("library");
if (packed) unpack(packed).then(start, complain);
else start();

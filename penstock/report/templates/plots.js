"use strict";
const plots = JSON.parse(document.getElementById("plots").textContent);
const config = {
  responsive: true,
  displayModeBar: false,
};
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function inColours(layout) {
  const style = getComputedStyle(document.documentElement);
  const text = style.getPropertyValue("--text").trim();
  const line = style.getPropertyValue("--line").trim();
  const own = structuredClone(layout);
  own.font = { ...own.font, color: text };
  for (const key of Object.keys(own).filter((name) => /^[xy]axis/.test(name))) {
    Object.assign(own[key], { gridcolor: line, zerolinecolor: line, linecolor: line });
  }
  return own;
}

function draw(div) {
  const plot = plots[Number(div.dataset.plot)];
  Plotly.react(div, plot.data, inColours(plot.layout), config);
}

function drawAll() {
  document.querySelectorAll("[data-plot]:not([hidden])").forEach(draw);
}

function asTable(div) {
  const rows = [["trace", "x", "y", "interval"]];
  for (const trace of div.data) {
    const at = (list, index) => (list && list.length > index ? list[index] : "");
    for (let index = 0; index < trace.y.length; index += 1) {
      const half = trace.error_y ? at(trace.error_y.array, index) : "";
      rows.push([trace.name, at(trace.x, index), trace.y[index] ?? "", half]);
    }
  }
  const cell = (value) => `"${String(value).replaceAll("<br>", ", ").replaceAll('"', '""')}"`;
  return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function offer(card, number) {
  const bar = document.createElement("div");
  bar.className = "saves";
  for (const kind of ["PNG", "SVG", "data"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    button.title = kind === "data" ? "save the plotted values as CSV" : `save as ${kind}`;
    button.addEventListener("click", () => {
      const div = card.querySelector("[data-plot]:not([hidden])");
      const filename = `plot-${number}`;
      if (kind === "data") save(`${filename}.csv`, asTable(div));
      else Plotly.downloadImage(div, { format: kind.toLowerCase(), filename, scale: 2 });
    });
    bar.append(button);
  }
  card.append(bar);
}

document.querySelectorAll(".card").forEach(offer);
document.querySelectorAll(".tabs button").forEach((button) => {
  button.addEventListener("click", () => {
    const card = button.closest(".card");
    card.querySelectorAll(".tabs button").forEach((each) => {
      each.setAttribute("aria-pressed", String(each === button));
    });
    card.querySelectorAll("[data-plot]").forEach((div) => {
      div.hidden = div.dataset.plot !== button.dataset.shows;
      if (!div.hidden) draw(div);
    });
  });
});
dark.addEventListener("change", drawAll);
drawAll();

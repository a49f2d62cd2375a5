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

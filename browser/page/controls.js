// SPDX-License-Identifier: GPL-2.0-only
// The form: sliders, choices and buttons, each bound to its setting.

const inputs = {};

function nearest(values, value) {
  const far = (each) => Math.abs(Math.log(each / Math.max(value, 1)));
  return values.reduce((best, each, i) => (far(each) < far(values[best]) ? i : best), 0);
}

function addSlider(name, { label, unit, values }) {
  const input = make("input", { type: "range", min: 0, max: values.length - 1, id: name });
  const output = make("output", {});
  output.htmlFor = name;
  input.oninput = () => change({ [name]: values[input.value] });
  inputs[name] = () => {
    input.value = nearest(values, settings[name]);
    output.textContent = shown(settings[name], unit);
    input.ariaValueText = output.textContent;
  };
  $("settings").append(make("label", {}, make("span", { textContent: label }), output, input));
}

function addChoice(name, label, options) {
  const select = make("select", { id: name });
  for (const [value, text] of options) select.append(make("option", { value, textContent: text }));
  select.onchange = () => change({ [name]: select.value });
  inputs[name] = () => (select.value = settings[name]);
  $("settings").append(make("label", {}, make("span", { textContent: label }), select));
}

function addSeed() {
  const input = make("input", { type: "number", min: 1, max: 1e6, id: "seed" });
  input.onchange = () => change({ seed: parsed(input.value, "count", 1, 1e6) ?? settings.seed });
  inputs.seed = () => (input.value = settings.seed);
  $("settings").append(make("label", {}, make("span", { textContent: "Seed" }), input));
}

function download() {
  const file = new Blob([scenarioText(settings)], { type: "application/toml" });
  const link = make("a", { href: URL.createObjectURL(file), download: "link.toml" });
  link.click();
  URL.revokeObjectURL(link.href);
}

function copyLink(button) {
  const shown = (text) => {
    const before = "Copy link";
    button.textContent = text;
    setTimeout(() => (button.textContent = before), 1500);
  };
  navigator.clipboard?.writeText(location.href).then(() => shown("Copied"), () => shown("In the address bar"));
  if (!navigator.clipboard) shown("In the address bar");
}

function addMethod() {
  if (settings.methods.length >= MOST_METHODS) return;
  const next = Object.keys(RECIPE.methods).find((name) => !settings.methods.includes(name));
  change({ methods: [...settings.methods, next] });
}

function addActions() {
  const add = make("button", { type: "button", id: "add", textContent: "Add a method", onclick: addMethod });
  const file = make("button", { type: "button", id: "file", textContent: "Scenario file", onclick: download });
  file.title = "The scenario for penstock run";
  const copy = make("button", { type: "button", id: "copy", textContent: "Copy link" });
  copy.onclick = () => copyLink(copy);
  inputs.methods = () => (add.disabled = settings.methods.length >= MOST_METHODS);
  $("settings").append(make("div", { className: "actions" }, add, copy, file));
}

function showSettings() {
  for (const show of Object.values(inputs)) show();
}

function begin() {
  $("settings").onsubmit = (event) => event.preventDefault();
  for (const [name, slider] of Object.entries(SLIDERS)) addSlider(name, slider);
  addChoice("window", "Receive window", [["auto", "autotuned"], ["65535", "65,535 bytes"]]);
  addChoice("congestion", "Congestion control", RECIPE.senders.map((name) => [name, name]));
  addSeed();
  addActions();
  $("play").onclick = () => {
    if (!playing && now_ns >= endNs()) now_ns = 0;
    setPlaying(!playing);
  };
  $("time").oninput = () => {
    setPlaying(false);
    now_ns = ($("time").value / 1000) * endNs();
  };
  addEventListener("hashchange", () => {
    settings = taken(location.hash);
    showSettings();
    start();
  });
  showSettings();
  start();
  requestAnimationFrame(frame);
}

// For tests: the rows once all runs have ended, and the texts that the page makes.
window.penstock = {
  rows: () => (panels.every((panel) => panel.row) ? panels.map((panel) => rowText(panel.row)) : null),
  errors: () => panels.map((panel) => panel.error).filter(Boolean),
  network: (name) => networkText(settings, name),
  scenario: () => scenarioText(settings),
  link: (fragment) => toFragment(fromFragment(fragment)),
  cut: () => panels.flatMap((panel) => panel.chart.cut),
  number: (value) => pythonFloat(rounded(value)),
  sum: (values) => pairwiseSum(values),
  refused: (text) =>
    new Promise((resolve) => {
      const worker = new Worker(workerAddress);
      worker.onmessage = ({ data }) => resolve(data.error);
      worker.postMessage({ engine: engineBytes });
      worker.postMessage({ id: 1, text, step_ns: 1e9, limit_ns: 1e9, flows: 0, counters: {} });
    }),
};

begin();

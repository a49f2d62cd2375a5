// SPDX-License-Identifier: GPL-2.0-only
// Settings: their scales, as text in a link, and as a scenario file.

const STEPS = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
const decades = (low, high) => {
  const found = [];
  for (let unit = 10 ** Math.floor(Math.log10(low)); unit <= high; unit *= 10)
    found.push(...STEPS.map((step) => Math.round(step * unit)));
  return found.filter((value) => value >= low && value <= high);
};

const UNITS = {
  rate: { bit: 1, kbit: 1e3, mbit: 1e6, gbit: 1e9 },
  time: { us: 1e3, ms: 1e6, s: 1e9 },
  size: { B: 1, kB: 1e3, MB: 1e6 },
  count: { "": 1 },
};

// Of each slider: its values, its unit, and what it is called.
const SLIDERS = {
  rate: { label: "Rate", unit: "rate", values: decades(250e3, 500e6), most: 1e9 },
  rtt: { label: "Round-trip time", unit: "time", values: decades(2e6, 800e6), most: 10e9 },
  buffer: { label: "Buffer", unit: "size", values: decades(3000, 5e6), most: 100e6 },
  flows: {
    label: "Connections",
    unit: "count",
    values: [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 30, 40, 50, 64, 80, 100, 128, 160, 200],
    most: 500,
  },
  size: { label: "Bytes of each", unit: "size", values: decades(20e3, 50e6), most: 1e9 },
};
const LEAST = { rate: 1000, rtt: 0, buffer: 1500, flows: 1, size: 1 };
const MOST_METHODS = 4;

// 10000000 of "rate" is 10mbit.
function written(value, unit) {
  const [name, size] = Object.entries(UNITS[unit])
    .filter(([, each]) => value >= each)
    .at(-1) ?? Object.entries(UNITS[unit])[0];
  return `${value / size}${name}`;
}

// The same for a reader: 10 Mbit/s.
function shown(value, unit) {
  const [, number, name] = /^([\d.]+)(.*)$/.exec(written(value, unit));
  const names = { bit: "bit/s", kbit: "kbit/s", mbit: "Mbit/s", gbit: "Gbit/s" };
  return `${number} ${names[name] ?? name}`.trim();
}

// The number of a text with its unit, or null.
function parsed(text, unit, low, high) {
  const found = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(text ?? "");
  const units = UNITS[unit];
  const size = found && (units[found[2]] ?? (unit === "size" && !found[2] ? 1 : undefined));
  if (!size) return null;
  const value = Math.round(Number(found[1]) * size);
  return value >= low && value <= high ? value : null;
}

// The settings of a link's fragment; what it lacks or gets wrong is as scenarios/link.toml has it.
function fromFragment(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const settings = { ...RECIPE.settings };
  for (const [name, { unit, most }] of Object.entries(SLIDERS))
    settings[name] = parsed(given.get(name), unit, LEAST[name], most) ?? settings[name];
  settings.seed = parsed(given.get("seed"), "count", 1, 1e6) ?? settings.seed;
  if (Object.hasOwn(RECIPE.receivers, given.get("window"))) settings.window = given.get("window");
  if (RECIPE.senders.includes(given.get("congestion")))
    settings.congestion = given.get("congestion");
  const named = (given.get("methods") ?? "").split(",");
  const known = named.filter((name) => Object.hasOwn(RECIPE.methods, name));
  if (known.length) settings.methods = [...new Set(known)].slice(0, MOST_METHODS);
  return settings;
}

function toFragment(settings) {
  const parts = Object.entries(SLIDERS).map(
    ([name, { unit }]) => `${name}=${written(settings[name], unit)}`,
  );
  const rest = ["window", "congestion", "seed"].map((name) => `${name}=${settings[name]}`);
  return `#${[...parts, ...rest].join("&")}&methods=${settings.methods.join(",")}`;
}

// scenarios/link.toml with these settings in their lines, as `penstock new-link` writes it.
function scenarioText(settings) {
  const quoted = (value, unit) => `"${written(value, unit)}"`;
  const values = {
    methods: JSON.stringify(settings.methods),
    flows: `[${settings.flows}]`,
    receivers: `["${settings.window}"]`,
    seeds: "1",
    queue: quoted(settings.buffer, "size"),
    size: quoted(settings.size, "size"),
    congestion: `"${settings.congestion}"`,
  };
  const run = `# penstock run link.toml --seeds ${settings.seed}-${settings.seed}`;
  let text = RECIPE.template.replace(/\n(?!#)/, `\n#\n${run}\n`);
  for (const [key, value] of Object.entries(values))
    text = text.replace(new RegExp(`^(${key} = )(?:\\[.*?\\]|"[^"]*"|\\d+)`, "m"), `$1${value}`);
  const table = /^\[link\.bottleneck\]\n(?:.+\n)*/m;
  return text.replace(table, (lines) =>
    lines
      .replace(/^(rate = )"[^"]*"/m, `$1${quoted(settings.rate, "rate")}`)
      .replace(/^(delay = )"[^"]*"/m, `$1${quoted(Math.floor(settings.rtt / 2), "time")}`),
  );
}

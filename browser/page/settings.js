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

const EXAMPLES = { rate: "10mbit", time: "60ms", size: "97kB", count: "12" };

// What reads each key of a fragment: its value or null, and what would be right.
const READERS = {
  ...Object.fromEntries(
    Object.entries(SLIDERS).map(([name, { unit, most }]) => [
      name,
      {
        read: (text) => parsed(text, unit, LEAST[name], most),
        right: `${written(LEAST[name], unit)} to ${written(most, unit)}, such as ${EXAMPLES[unit]}`,
      },
    ]),
  ),
  seed: { read: (text) => parsed(text, "count", 1, 1e6), right: "a whole number from 1 to 1000000" },
  window: {
    read: (text) => (Object.hasOwn(RECIPE.receivers, text) ? text : null),
    right: Object.keys(RECIPE.receivers).join(" or "),
  },
  congestion: {
    read: (text) => (RECIPE.senders.includes(text) ? text : null),
    right: RECIPE.senders.join(", "),
  },
};

// The methods of a text, and what is wrong with it.
function methodsOf(text, complain) {
  const named = [...new Set(text.split(",").filter((name) => name))];
  const known = named.filter((name) => Object.hasOwn(RECIPE.methods, name));
  for (const name of named)
    if (!known.includes(name)) complain(`methods: there is no ${name} in this page`);
  if (known.length > MOST_METHODS)
    complain(`methods: ${MOST_METHODS} at most; ${known.slice(MOST_METHODS).join(", ")} left out`);
  return known.slice(0, MOST_METHODS);
}

// The settings of a link's fragment, those that it lacks as scenarios/link.toml has them; `wrong`
// tells what it has that cannot be used.
function fromFragment(fragment, wrong = []) {
  const settings = { ...RECIPE.settings };
  const complain = (text) => wrong.push(text);
  for (const [name, text] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    if (name === "methods") {
      const methods = methodsOf(text, complain);
      if (methods.length) settings.methods = methods;
    } else if (!Object.hasOwn(READERS, name)) {
      complain(`${name}: no setting; there are ${[...Object.keys(READERS), "methods"].join(", ")}`);
    } else {
      const { read, right } = READERS[name];
      const value = read(text);
      if (value === null) complain(`${name}=${text}: write ${right}`);
      else settings[name] = value;
    }
  }
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
    text = text.replace(new RegExp(`^(${key} = )(?:\\[[^\\]]*\\]|"[^"]*"|\\d+)`, "m"), `$1${value}`);
  const table = /^\[link\.bottleneck\]\n(?:.+\n)*/m;
  return text.replace(table, (lines) =>
    lines
      .replace(/^(rate = )"[^"]*"/m, `$1${quoted(settings.rate, "rate")}`)
      .replace(/^(delay = )"[^"]*"/m, `$1${quoted(Math.floor(settings.rtt / 2), "time")}`),
  );
}

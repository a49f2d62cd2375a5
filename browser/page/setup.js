// SPDX-License-Identifier: GPL-2.0-only
// From settings to the network as text: what penstock/plan/build.py makes of scenarios/link.toml.
// RECIPE holds that scenario as the lab reads it (browser/recipe.py).

const words = (kind, fields) =>
  [kind, ...Object.entries(fields).map(([key, value]) => `${key}=${value}`)].join(" ");

function prefixed(prefix, fields) {
  const found = {};
  for (const [key, value] of Object.entries(fields)) {
    if (key === "params") Object.assign(found, prefixed(`${prefix}params.`, value));
    else if (value !== "") found[`${prefix}${key}`] = value;
  }
  return found;
}

// The nodes' numbers by name; a name stands for one node or for one a flow.
function rows(flows) {
  let next = 0;
  const found = {};
  for (const { name, many } of RECIPE.nodes) {
    const size = many ? flows : 1;
    found[name] = Array.from({ length: size }, (_, index) => next + index);
    next += size;
  }
  return found;
}

function nodeLines(flows) {
  return RECIPE.nodes.flatMap(({ name, many }) =>
    many && flows > 1
      ? Array.from({ length: flows }, (_, index) => words("node", { name: name + (index + 1) }))
      : [words("node", { name })],
  );
}

const at = (row, index) => row[index % row.length];

// Lines of the links, and the number of the one that is measured.
function links(settings, nodes) {
  const lines = [];
  let measured = 0;
  for (const link of RECIPE.links) {
    const own = link.name === RECIPE.measured;
    const set = own
      ? {
          rate_bps: settings.rate,
          delay_ns: Math.floor(settings.rtt / 2),
          queue_bytes: settings.buffer,
        }
      : {};
    if (own) measured = lines.length;
    const [a, b] = [nodes[link.ends[0]], nodes[link.ends[1]]];
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      lines.push(words("link", { src: at(a, i), dst: at(b, i), ...link.forward, ...set }));
      lines.push(words("link", { src: at(b, i), dst: at(a, i), ...link.back, ...set }));
    }
  }
  return { lines, measured };
}

function tcpLines(settings, method, nodes) {
  const hosts = (!method.sender.method && RECIPE.hosts[settings.congestion]) || {};
  const sender = {
    ...RECIPE.sender,
    method: settings.congestion,
    ...hosts.sender,
    ...method.sender,
  };
  const receiver = { ...RECIPE.receivers[settings.window], ...hosts.receiver, ...method.receiver };
  const kind = { ...prefixed("sender.", sender), ...prefixed("receiver.", receiver) };
  return startTimes(settings.seed, RECIPE.start, settings.flows).map((start_ns, i) =>
    words("tcp", {
      src: at(nodes[RECIPE.source], i),
      dst: at(nodes[RECIPE.sink], i),
      start_ns,
      size_bytes: settings.size,
      ...kind,
    }),
  );
}

function networkText(settings, name) {
  const method = RECIPE.methods[name];
  const nodes = rows(settings.flows);
  const { lines, measured } = links(settings, nodes);
  return [
    words("network", { seed: settings.seed }),
    ...nodeLines(settings.flows),
    ...lines,
    words("gateway", { link: measured, ...method.gateway }),
    ...tcpLines(settings, method, nodes),
    words("sample", { interval_ns: RECIPE.sample_ns, link: measured, flow: 0 }),
  ].join("\n");
}

// SPDX-License-Identifier: GPL-2.0-only
// The row of a run, as penstock/results/metrics.py computes it; docs/columns.md defines it.

const namesOf = (rows) => rows.map(({ name }) => name);
const QUEUE = [
  ...namesOf(RECIPE.counters.queue),
  ...namesOf(RECIPE.figures),
  ...["acks_seen", "acks_rewritten", "window_bytes_sum"],
];
const FLOW = [
  ...["start_ns", "done_ns", "size_bytes"],
  ...namesOf(RECIPE.counters.sender),
  ...namesOf(RECIPE.counters.receiver),
];
const SIZE_LIMITS = { to_10k: 1e4, to_100k: 1e5, to_1m: 1e6, over_1m: Infinity };

const named = (names, values, from) =>
  Object.fromEntries(names.map((name, index) => [name, values[from + index]]));

function unpacked(numbers) {
  const flows = [];
  for (let at = 2 + QUEUE.length; at < numbers.length; at += FLOW.length)
    flows.push(named(FLOW, numbers, at));
  return { end_ns: numbers[0], events: numbers[1], queue: named(QUEUE, numbers, 2), flows };
}

const percent = (part, whole) => (whole ? (100 * part) / whole : null);
const total = (flows, name) => flows.reduce((sum, flow) => sum + flow[name], 0);

// Those of the counters that are columns, each by `value`.
const counted = (counters, value) =>
  Object.fromEntries(counters.filter((each) => each.column).map(({ name }) => [name, value(name)]));

function queueColumns(q) {
  const drops = q.drops_overflow + q.drops_method;
  return {
    loss_percent: percent(drops, q.arrivals),
    tcp_loss_percent: percent(drops - q.udp_drops, q.arrivals - q.udp_arrivals),
    udp_loss_percent: percent(q.udp_drops, q.udp_arrivals),
    drops,
    ...Object.fromEntries(
      RECIPE.figures.map(({ name, column, factor }) => [column, factor * q[name]]),
    ),
    ...counted(RECIPE.counters.queue, (name) => q[name]),
    rewritten_acks: q.acks_rewritten,
    receive_window_bytes: q.acks_seen ? q.window_bytes_sum / q.acks_seen : null,
  };
}

function senderColumns(flows) {
  const sending = flows.filter((flow) => flow.bytes_sent > 0);
  const shares = sending.map((f) => (f.bytes_sent - f.retransmitted_bytes) / f.bytes_sent);
  return {
    tcp_efficiency_percent: shares.length ? 100 * mean(shares) : null,
    ...counted(RECIPE.counters.sender, (name) => total(flows, name)),
  };
}

function jain(rates) {
  const squares = pairwiseSum(rates.map((rate) => rate * rate));
  return squares ? pairwiseSum(rates) ** 2 / (rates.length * squares) : null;
}

// Mean, median and 99th percentile of times in ns, in ms.
function completion(name, times) {
  const sorted = Float64Array.from(times).sort();
  const quantile = (share) => {
    const wanted = share * sorted.length;
    const index = Math.min(Math.max(Math.ceil(wanted) - 1, 0), sorted.length - 1);
    return sorted.length ? sorted[index] * 1e-6 : null;
  };
  const sum = times.reduce((a, b) => a + b, 0);
  return {
    [`${name}_ms_mean`]: times.length ? (sum / times.length) * 1e-6 : null,
    [`${name}_ms_p50`]: quantile(0.5),
    [`${name}_ms_p99`]: quantile(0.99),
  };
}

function completionColumns(done) {
  const time = (flow) => flow.done_ns - flow.start_ns;
  let columns = { transfers: done.length, ...completion("fct", done.map(time)) };
  let below = 0;
  for (const [name, limit] of Object.entries(SIZE_LIMITS)) {
    const of = done.filter((flow) => flow.size_bytes > below && flow.size_bytes <= limit);
    columns = { ...columns, ...completion(`fct_${name}`, of.map(time)) };
    below = limit;
  }
  return columns;
}

function receiverColumns(flows, end_ns) {
  const done = flows.filter((flow) => flow.done_ns >= 0);
  const transfers = done.map((flow) => (flow.done_ns - flow.start_ns) / 1e9);
  const end = (flow) => (flow.done_ns >= 0 ? flow.done_ns : end_ns);
  const rates = flows.map(
    (flow) => (flow.received_bytes * 8e3) / Math.max(end(flow) - flow.start_ns, 1),
  );
  const time_ns =
    Math.max(...flows.map(end)) - Math.min(...flows.map((flow) => flow.start_ns));
  return {
    transfer_s: mean(transfers),
    transfer_s_max: transfers.length ? Math.max(...transfers) : null,
    goodput_mbps: mean(rates),
    goodput_mbps_total: (total(flows, "received_bytes") * 8e3) / Math.max(time_ns, 1),
    jain: jain(rates),
    unfinished: flows.length - done.length,
    ...counted(RECIPE.counters.receiver, (name) => total(flows, name)),
    ...completionColumns(done),
  };
}

function rowOf(settings, method, numbers) {
  const { end_ns, events, queue, flows } = unpacked(numbers);
  const values = {
    method,
    mode: RECIPE.mode,
    parameters: "",
    receivers: settings.window,
    flows: settings.flows,
    seed: settings.seed,
    ...queueColumns(queue),
    ...senderColumns(flows),
    ...receiverColumns(flows, end_ns),
    events,
  };
  return Object.fromEntries(RECIPE.columns.map(({ name, kind }) => {
    const value = values[name] ?? null;
    return [name, kind === "float" && value !== null ? rounded(value) : value];
  }));
}

// The line that `penstock run -j` prints, without the wall time at its end.
function rowText(row) {
  const fields = RECIPE.columns.map(({ name, kind }) => {
    const value = row[name];
    if (value === null) return `"${name}": null`;
    return `"${name}": ${kind === "float" ? pythonFloat(value) : JSON.stringify(value)}`;
  });
  return `{${fields.join(", ")}}`;
}

// SPDX-License-Identifier: GPL-2.0-only
// A worker: one run at a time, in steps whose states it posts as they come.

const SLICE_MS = 25;
let module = null;
let latest = 0; // the run that was asked for last; earlier ones stop

function instantiate() {
  let memory = null;
  const text = (at) => {
    const bytes = new Uint8Array(memory.buffer);
    return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
  };
  const page = { fail: (what) => { throw new Error(text(what)); } };
  // What libc asks of a system that has no files: EBADF.
  const wasi = new Proxy({}, { get: () => () => 8 });
  const imports = { page };
  for (const each of WebAssembly.Module.imports(module)) imports[each.module] ??= wasi;
  const instance = new WebAssembly.Instance(module, imports);
  memory = instance.exports.memory;
  instance.exports._initialize();
  return instance.exports;
}

function begin(engine, text) {
  const bytes = new TextEncoder().encode(text);
  const at = engine.room(bytes.length);
  new Uint8Array(engine.memory.buffer, at, bytes.length).set(bytes);
  engine.begin();
}

const copy = (engine, at, count) => new Float64Array(engine.memory.buffer, at, count).slice();
const breath = () => new Promise((resolve) => setTimeout(resolve, 0));

async function run({ id, text, step_ns, limit_ns, flows, counters }) {
  const engine = instantiate();
  const width = 4 + flows;
  begin(engine, text);
  let now_ns = 0;
  for (let goes_on = true; goes_on && now_ns < limit_ns; ) {
    const times = [];
    const states = [];
    const until = performance.now() + SLICE_MS;
    while (goes_on && now_ns < limit_ns && performance.now() < until) {
      now_ns = Math.min(now_ns + step_ns, limit_ns);
      goes_on = Boolean(engine.play(now_ns));
      times.push(now_ns);
      states.push(copy(engine, engine.look(now_ns), width));
    }
    postMessage({ id, times, states });
    await breath();
    if (latest !== id) return;
  }
  postMessage({ id, numbers: copy(engine, engine.close(), 2 + counters.queue + counters.flow * flows) });
}

onmessage = async ({ data }) => {
  if (data.engine) {
    module = new WebAssembly.Module(data.engine);
    return;
  }
  latest = data.id;
  try {
    await run(data);
  } catch (error) {
    postMessage({ id: data.id, error: error.message });
  }
};

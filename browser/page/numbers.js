// SPDX-License-Identifier: GPL-2.0-only
// Numbers as Python has them, so that a row is that of `penstock run` byte for byte.

// Sums as numpy does: eight at a time, and large arrays by halves.
function pairwiseSum(values, from = 0, count = values.length) {
  if (count < 8) {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += values[from + i];
    return sum;
  }
  if (count <= 128) {
    const r = Array.from(values.slice(from, from + 8));
    let i = 8;
    for (; i < count - (count % 8); i += 8)
      for (let k = 0; k < 8; k++) r[k] += values[from + i + k];
    let sum = (r[0] + r[1]) + (r[2] + r[3]) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < count; i++) sum += values[from + i];
    return sum;
  }
  let half = Math.floor(count / 2);
  half -= half % 8;
  return pairwiseSum(values, from, half) + pairwiseSum(values, from + half, count - half);
}

const mean = (values) => (values.length ? pairwiseSum(values) / values.length : null);

// round(x, 6): a tie, which only an odd number of 128ths has, goes to the even digit.
function rounded(x) {
  const size = Math.abs(x);
  let text = size.toFixed(6);
  if ((size * 128) % 2 === 1) {
    const exact = size.toFixed(7).slice(0, -1);
    if (Number(exact.at(-1)) % 2 === 0) text = exact;
  }
  return Math.sign(x) * Number(text);
}

// repr() of a float.
function pythonFloat(x) {
  if (Number.isInteger(x) && Math.abs(x) < 1e16) return `${Object.is(x, -0) ? "-0" : x}.0`;
  const size = Math.abs(x);
  if (size >= 1e-4 && size < 1e16) return String(x);
  const [digits, power] = x.toExponential().split("e");
  const sign = power.startsWith("-") ? "-" : "+";
  return `${digits}e${sign}${power.slice(1).padStart(2, "0")}`;
}

// The first words of numpy's Philox 4x64 with that key.
function philox(seed, purpose, count) {
  const mask = (1n << 64n) - 1n;
  const words = [];
  for (let block = 1n; words.length < count; block++) {
    let [a, b, c, d] = [block, 0n, 0n, 0n];
    let [k0, k1] = [BigInt(seed), BigInt(purpose)];
    for (let round = 0; round < 10; round++) {
      const p = a * 0xd2e7470ee14c6c93n;
      const q = c * 0xca5a826395121157n;
      [a, b, c, d] = [(q >> 64n) ^ b ^ k0, q & mask, (p >> 64n) ^ d ^ k1, p & mask];
      k0 = (k0 + 0x9e3779b97f4a7c15n) & mask;
      k1 = (k1 + 0xbb67ae8584caa73bn) & mask;
    }
    words.push(a, b, c, d);
  }
  return words.slice(0, count);
}

// Start times in ns, even over a span, as penstock/plan/streams.py draws them.
function startTimes(seed, span, count) {
  const width = BigInt(span.last_ns - span.first_ns);
  if (!width) return Array(count).fill(span.first_ns);
  return philox(seed, span.purpose, count).map(
    (word) => span.first_ns + Number((word * (width + 1n)) >> 64n),
  );
}

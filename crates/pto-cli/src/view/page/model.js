"use strict";
// What the page knows: moments, the bytes that each of them changed, and where operands lie.
const data = JSON.parse(document.getElementById("data").textContent), words = data.words;
const store = (() => {
  const text = atob(document.getElementById("bytes").textContent), bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return bytes;
})();
const $ = id => document.getElementById(id);
/// "{0} of {1}" with what stands for the numbers.
const say = (key, ...parts) => words[key].replace(/\{(\d)\}/g, (_, k) => parts[k]);
function cell(tag, text, kind) { const e = document.createElement(tag); e.textContent = text; if (kind) e.className = kind; return e; }

/// A moment: core, operation, operands, iterations of the loops, bytes that it found, bytes that it wrote, numbers among the operands.
const moments = data.moments.map(([core, op, use, loops, found, writes, numbers], at) =>
  ({ at, core, op: data.ops[op], use: data.uses[use], loops: data.loops[loops], found, writes, numbers }));

// Offsets of rows and columns in bits: a stride, or a list where boxes make them irregular.
const shapes = data.shapes.map(([rows, cols, type, bits, down, right, text, table]) => ({ rows, cols, type: data.types[type], bits, down, right, text, table }));
const along = (list, k) => typeof list === "number" ? k * list : list[k];
const offset = (shape, r, c) => shape.table.length ? shape.table[r * shape.cols + c] : along(shape.down, r) + along(shape.right, c);
const places = data.places.map(([memory, start, shape, rows, cols], at) => ({ at, memory, start, shape: shapes[shape], valid: [rows, cols] }));
/// The element of a place that starts at a bit of its memory.
function elementAt(place, bit) {
  const { shape } = place, want = bit - place.start * 8;
  if (shape.table.length) { const k = shape.table.indexOf(want); return k < 0 ? null : [Math.floor(k / shape.cols), k % shape.cols]; }
  const { right } = shape;
  if (typeof right !== "number") shape.columns ??= new Map(right.map((o, c) => [o, c]));
  const column = left => typeof right !== "number" ? shape.columns.get(left) : left === 0 ? 0 : left % right === 0 && left / right > 0 && left / right < shape.cols ? left / right : undefined;
  for (let r = 0; r < shape.rows; r++) { const c = column(want - along(shape.down, r)); if (c !== undefined) return [r, c]; }
  return null;
}
const bitOf = (place, r, c) => place.start * 8 + offset(place.shape, r, c);

// Memory at a time: pages that are shared until one of them changes.
const PAGE = 4096, KEEP = 32;
class Image {
  constructor(at, pages) { this.at = at; this.pages = pages; this.own = new Set(); }
  copy() { this.own = new Set(); return new Image(this.at, new Map(this.pages)); }
  page(memory, number) {
    const key = memory * 0x100000000 + number;
    let page = this.pages.get(key);
    if (page && this.own.has(key)) return page;
    page = page ? { bytes: page.bytes.slice(), known: page.known.slice() } : { bytes: new Uint8Array(PAGE), known: new Uint8Array(PAGE) };
    this.pages.set(key, page); this.own.add(key);
    return page;
  }
  write(memory, first, bytes) {
    for (let done = 0; done < bytes.length;) {
      const at = first + done, number = Math.floor(at / PAGE), from = at - number * PAGE, count = Math.min(PAGE - from, bytes.length - done);
      const page = this.page(memory, number);
      page.bytes.set(bytes.subarray(done, done + count), from); page.known.fill(1, from, from + count);
      done += count;
    }
  }
  apply(list) {
    for (let k = 0; k < list.length; k += 2) {
      const [memory, start, runs, length, stride] = data.rects[list[k]], [from] = data.blobs[list[k + 1]];
      for (let run = 0; run < runs; run++) this.write(memory, start + run * stride, store.subarray(from + run * length, from + (run + 1) * length));
    }
  }
  /// The bits of an element, or null if nothing wrote it.
  bits(place, r, c) {
    const bit = bitOf(place, r, c), count = place.shape.bits, first = Math.floor(bit / 8), size = Math.max(1, count >> 3);
    let low = 0, high = 0;
    for (let k = 0; k < size; k++) {
      const at = first + k, number = Math.floor(at / PAGE), page = this.pages.get(place.memory * 0x100000000 + number), within = at - number * PAGE;
      if (!page || !page.known[within]) return null;
      if (k < 4) low |= page.bytes[within] << (8 * k); else high |= page.bytes[within] << (8 * (k - 4));
    }
    if (count < 8) low = low >> (bit - first * 8) & (1 << count) - 1;
    return [low >>> 0, high >>> 0];
  }
}
const kept = new Map();
{ const start = new Image(-1, new Map()); if (moments.length) start.apply(moments[0].found); kept.set(-1, start); }
let nearest = kept.get(-1).copy();
/// Memory right after a moment, and what the next one found there; -1 is before the first.
function image(at) {
  if (nearest.at > at || at - nearest.at > KEEP) {
    let from = at - ((at + 1) % KEEP + KEEP) % KEEP;
    while (!kept.has(from)) from -= KEEP;
    if (nearest.at > at || from > nearest.at) nearest = kept.get(from).copy();
  }
  while (nearest.at < at) {
    nearest.at++;
    nearest.apply(moments[nearest.at].writes);
    if (nearest.at + 1 < moments.length) nearest.apply(moments[nearest.at + 1].found);
    if ((nearest.at + 1) % KEEP === 0 && !kept.has(nearest.at)) kept.set(nearest.at, nearest.copy());
  }
  return nearest.copy();
}

const scratch = new DataView(new ArrayBuffer(8));
function half(bits) {
  const sign = bits >> 15 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}
/// The number that bits are; of a pair, the first.
function number(type, [low, high]) {
  if (type.table) return Number(type.table[low & type.table.length - 1]);
  switch (type.name) {
    case "f32": scratch.setUint32(0, low); return scratch.getFloat32(0);
    case "f16": return half(low);
    case "bf16": scratch.setUint32(0, low << 16 >>> 0); return scratch.getFloat32(0);
  }
  if (type.bits === 64) { scratch.setUint32(0, high); scratch.setUint32(4, low); return Number(type.signed ? scratch.getBigInt64(0) : scratch.getBigUint64(0)); }
  const unused = 32 - type.bits;
  return type.signed ? low << unused >> unused : low << unused >>> unused;
}
/// A number in few characters.
function short(x) {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  if (Number.isInteger(x) && Math.abs(x) < 1e6) return String(x);
  const text = x.toPrecision(4);
  return text.includes("e") ? Number(text).toExponential().replace("e+", "e") : String(Number(text));
}
function whole(place, bits) {
  const { type } = place.shape, hex = "0x" + (place.shape.bits > 32 ? bits[1].toString(16).padStart(8, "0") : "") + bits[0].toString(16).padStart(Math.min(8, Math.ceil(place.shape.bits / 4)), "0");
  let text;
  if (type.bits === 64) { scratch.setUint32(0, bits[1]); scratch.setUint32(4, bits[0]); text = String(type.signed ? scratch.getBigInt64(0) : scratch.getBigUint64(0)); }
  else if (type.pairs) text = [bits[0] & 15, bits[0] >> 4].map(b => short(Number(type.table[b]))).join(", ");
  else { const x = number(type, bits); text = type.name === "f32" && Number.isFinite(x) ? String(Number(x.toPrecision(9))) : Number.isFinite(x) ? String(x) : short(x); }
  return `${text}  (${hex})`;
}

// Who wrote what.
const touches = ([, start, runs, length, stride], byte) => {
  if (runs === 1 || stride <= 0) return runs > 0 && Array.from({ length: runs }, (_, k) => byte - start - k * stride).some(d => d >= 0 && d < length);
  const from = byte - start, run = Math.min(runs - 1, Math.floor(from / stride));
  return from >= 0 && from - run * stride < length;
};
/// The last moment up to one that wrote a byte, or -1.
function writer(memory, byte, upTo) {
  for (let at = Math.min(upTo, moments.length - 1); at >= 0; at--) {
    const { writes } = moments[at];
    for (let k = 0; k < writes.length; k += 2) if (data.rects[writes[k]][0] === memory && touches(data.rects[writes[k]], byte)) return at;
  }
  return -1;
}
/// The operand through which a moment wrote the element that starts at a bit: its place, row and column, and what it came from.
function written(moment, memory, bit) {
  for (const [value, place, maps] of moment.use.w) {
    const found = places[place].memory === memory && elementAt(places[place], bit);
    if (found) return { value, place: places[place], row: found[0], col: found[1], maps: data.maps[maps] };
  }
  return null;
}
function axis([of, times, per, modulo, add, count], row, col) {
  let start = Math.floor((of === 1 ? row : of === 2 ? col : 0) * times / per);
  if (modulo) start %= modulo;
  return [start + add, start + add + count];
}
/// The elements of operands that an element was computed from.
function sources(moment, found) {
  const list = [];
  const operands = [...moment.use.r, ...moment.use.w], clip = ([a, b], most) => [Math.max(0, a), Math.min(b, most)];
  for (const [index, value, rows, cols, size, exact, otherwise] of found.maps) {
    if (otherwise && list.some(s => s.place)) continue;
    if (index < 0) { list.push({ value, number: moment.numbers.find(n => n[0] === value)?.[1] }); continue; }
    const [owner, at] = operands[index], place = places[at];
    const r = clip(axis(rows, found.row, found.col), size[0]), c = clip(axis(cols, found.row, found.col), size[1]);
    if (r[0] < r[1] && c[0] < c[1]) list.push({ value: owner, place, rows: r, cols: c, exact });
  }
  return list;
}

// Heat maps: elements as colours, and as numbers where they are large enough.
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const HEAD = 15, SIDE = 30, TALL = 22, WIDE = 66, NUMBERS = [40, 13];
let colours = null;
function rgb(text) { const n = parseInt(text.slice(1), 16); return text.length === 4 ? [(n >> 8) * 17, (n >> 4 & 15) * 17, (n & 15) * 17] : [n >> 16, n >> 8 & 255, n & 255]; }
function palette() {
  if (!colours) { colours = {}; for (const name of ["none", "low", "high", "nan", "up", "down", "blank", "ink", "soft", "line", "back", "accent", "read", "write"]) colours[name] = rgb(css("--" + name)); }
  return colours;
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { colours = null; show(now); });
const text = ([r, g, b], alpha = 1) => `rgba(${r},${g},${b},${alpha})`;
const mix = (a, b, t) => a.map((x, k) => Math.round(x + (b[k] - x) * t));

/// Rows that a card shows: of very large views, the first ones.
const shownRows = ({ shape }) => Math.max(1, Math.min(shape.rows, Math.floor(262144 / shape.cols)));
/// The numbers of a place in an image of memory; null where nothing was written.
function contents(memory, place) {
  const { cols, type } = place.shape, rows = shownRows(place), list = new Array(rows * cols);
  for (let r = 0; r < rows; r++) for (let c = 0; c < cols; c++) {
    const bits = memory.bits(place, r, c);
    list[r * cols + c] = bits && number(type, bits);
  }
  return list;
}
/// Smallest and largest number of the valid region, and how many are none.
function summary(place, list) {
  const s = { low: Infinity, high: -Infinity, nan: 0, up: 0, down: 0, blank: 0, first: {} }, { cols } = place.shape;
  for (let r = 0; r < Math.min(place.valid[0], shownRows(place)); r++) for (let c = 0; c < Math.min(place.valid[1], cols); c++) {
    const x = list[r * cols + c];
    const kind = x === null ? "blank" : Number.isNaN(x) ? "nan" : x === Infinity ? "up" : x === -Infinity ? "down" : null;
    if (kind) { s[kind]++; s.first[kind] ??= [r, c]; } else { if (x < s.low) s.low = x; if (x > s.high) s.high = x; }
  }
  return s;
}
function colour(x, s) {
  const p = palette();
  if (x === null) return p.blank;
  if (Number.isNaN(x)) return p.nan;
  if (!Number.isFinite(x)) return x > 0 ? p.up : p.down;
  if (s.low >= 0 || s.high <= 0) return mix(p.none, s.low >= 0 ? p.high : p.low, s.high > s.low ? 0.08 + 0.92 * Math.abs(x - (s.low >= 0 ? s.low : s.high)) / (s.high - s.low) : x ? 0.5 : 0.08);
  return mix(p.none, x < 0 ? p.low : p.high, 0.06 + 0.94 * (Math.abs(x) / Math.max(-s.low, s.high)) ** 0.7);
}

/// How cards are zoomed, by value, so that stepping keeps it.
const zooms = new Map();

/// A card: a heat map of an operand with a heading and a legend.
class Card {
  constructor(info) {
    Object.assign(this, info);
    this.root = cell("article", "", "card " + this.role);
    this.list = contents(this.memory, this.place);
    this.stats = summary(this.place, this.list);
    this.changed = this.before && this.changes();
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${this.name} ${this.place.shape.text}`);
    this.head(); this.root.append(this.canvas); this.foot(); this.listen();
  }
  get key() { return this.role + this.name; }
  get zoom() { return zooms.get(this.key) ?? { z: 1, x: 0, y: 0 }; }
  set zoom(to) { zooms.set(this.key, to); this.draw(); }

  changes() {
    const old = contents(this.before, this.place), set = new Uint8Array(this.list.length);
    let count = 0;
    this.list.forEach((x, k) => { if (!Object.is(x, old[k])) { set[k] = 1; count++; } });
    return { set, count };
  }
  head() {
    const head = cell("div", "", "head"), button = (label, title, act) => { const b = cell("button", label); b.title = title; b.setAttribute("aria-label", title); b.onclick = act; return b; };
    head.append(cell("b", this.name), cell("span", say(this.role)), cell("span", this.place.shape.text), cell("span", "", "gap"),
      button("−", words.farther, () => this.scale(0.5)), button("+", words.closer, () => this.scale(2)), button("⤢", words.fit, () => { this.zoom = { z: 1, x: 0, y: 0 }; }));
    if (this.unpin) head.append(button("×", words.unpin, this.unpin));
    this.root.append(head);
  }
  foot() {
    const foot = cell("div", "", "foot"), s = this.stats, p = palette();
    const swatch = (colours, label) => { const span = cell("span", ""), i = document.createElement("i"); i.style.background = colours.length > 1 ? `linear-gradient(to right, ${colours.map(c => text(c))})` : text(colours[0]); if (colours.length > 1) i.className = "bar"; span.append(i, document.createTextNode(label)); return span; };
    if (s.low <= s.high) foot.append(swatch([colour(s.low, s), ...(s.low < 0 && s.high > 0 ? [p.none] : []), colour(s.high, s)], `${short(s.low)} … ${short(s.high)}`));
    for (const [kind, label] of [["nan", "NaN"], ["up", "+inf"], ["down", "-inf"], ["blank", words.blank]])
      if (s[kind]) { const b = cell("button", "", "link"); b.append(swatch([p[kind]], `${label} ${s[kind]}`)); b.onclick = () => this.lookAt(...s.first[kind]); foot.append(b); }
    const { valid, shape } = this.place;
    foot.append(cell("span", valid[0] === shape.rows && valid[1] === shape.cols ? words.all_valid : say("valid", valid[0], valid[1])));
    if (shownRows(this.place) < shape.rows) foot.append(cell("span", say("first_rows", shownRows(this.place), shape.rows)));
    if (this.changed) foot.append(cell("span", this.since === undefined ? say("changed", this.changed.count, this.list.length) : say("changed_at", this.changed.count, this.list.length, this.since + 1)));
    this.root.append(foot);
  }
  layout() {
    const { cols } = this.place.shape, rows = shownRows(this.place), width = (this.canvas.clientWidth || 330) - SIDE, { z } = this.zoom;
    const fit = Math.min(WIDE, width / cols), w = Math.min(WIDE, fit * z), h = Math.min(TALL, Math.max(rows > 90 ? 1 : 2, Math.min(TALL, 150 / rows)) * Math.max(1, z ** 0.8));
    const height = Math.min(rows * h, 260);
    const clamp = (x, most) => Math.max(0, Math.min(x, most));
    return { w, h, width, height, x: clamp(this.zoom.x, Math.max(0, cols - width / w)), y: clamp(this.zoom.y, Math.max(0, rows - height / h)) };
  }
  /// Zooms about the middle, or an element.
  scale(by, row, col) {
    const a = this.layout(), { cols } = this.place.shape;
    const r = row ?? a.y + a.height / a.h / 2, c = col ?? a.x + a.width / a.w / 2;
    const fit = Math.min(WIDE, a.width / cols), z = Math.max(1, Math.min(this.zoom.z * by, WIDE / fit * 1.01, 4096));
    zooms.set(this.key, { z, x: a.x, y: a.y });
    const b = this.layout();
    this.zoom = { z, x: c - (c - a.x) * a.w / b.w, y: r - (r - a.y) * a.h / b.h };
  }
  /// Zooms until numbers are readable, with an element in the middle.
  lookAt(row, col) {
    const z = Math.max(1, WIDE / (this.layout().width / this.place.shape.cols));
    zooms.set(this.key, { z, x: 0, y: 0 });
    const b = this.layout();
    this.zoom = { z, x: col + 0.5 - b.width / b.w / 2, y: row + 0.5 - b.height / b.h / 2 };
  }
  at(event) {
    const box = this.canvas.getBoundingClientRect(), { w, h, x, y } = this.layout();
    const r = Math.floor(y + (event.clientY - box.top - HEAD) / h), c = Math.floor(x + (event.clientX - box.left - SIDE) / w);
    return r >= 0 && c >= 0 && r < shownRows(this.place) && c < this.place.shape.cols && event.clientX - box.left >= SIDE && event.clientY - box.top >= HEAD ? [r, c] : null;
  }
  listen() {
    let drag = null;
    const { canvas } = this;
    canvas.addEventListener("wheel", e => { if (!e.ctrlKey && !e.shiftKey) return; e.preventDefault(); const hit = this.at(e) ?? [undefined, undefined]; this.scale(e.deltaY < 0 ? 1.5 : 1 / 1.5, ...hit); }, { passive: false });
    canvas.addEventListener("pointerdown", e => { drag = { from: [e.clientX, e.clientY], start: this.layout(), moved: false }; try { canvas.setPointerCapture(e.pointerId); } catch { /* a made-up pointer */ } });
    canvas.addEventListener("pointermove", e => {
      const hit = this.at(e);
      if (!drag) { canvas.title = hit ? this.words(...hit) : ""; return; }
      const [dx, dy] = [e.clientX - drag.from[0], e.clientY - drag.from[1]];
      if (Math.abs(dx) + Math.abs(dy) > 4) drag.moved = true;
      if (drag.moved) this.zoom = { z: this.zoom.z, x: drag.start.x - dx / drag.start.w, y: drag.start.y - dy / drag.start.h };
    });
    canvas.addEventListener("pointerup", e => { const hit = drag && !drag.moved && this.at(e); drag = null; if (hit) this.pick(...hit); });
    canvas.addEventListener("dblclick", e => { const hit = this.at(e); if (hit) this.lookAt(...hit); });
  }
  words(r, c) { const bits = this.memory.bits(this.place, r, c); return `${this.name}[${r}, ${c}] = ${bits ? whole(this.place, bits) : words.blank}`; }

  draw() {
    const { canvas, place: { shape, valid }, list, stats } = this, { w, h, width, height, x, y } = this.layout(), p = palette();
    const ratio = window.devicePixelRatio || 1, pen = canvas.getContext("2d");
    canvas.style.height = height + HEAD + "px";
    canvas.width = (width + SIDE) * ratio; canvas.height = (height + HEAD) * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const rows = [Math.floor(y), Math.min(shownRows(this.place), Math.ceil(y + height / h))], cols = [Math.floor(x), Math.min(shape.cols, Math.ceil(x + width / w))];
    const left = c => SIDE + (c - x) * w, top = r => HEAD + (r - y) * h, numbers = w >= NUMBERS[0] && h >= NUMBERS[1];
    pen.save(); pen.beginPath(); pen.rect(SIDE, HEAD, width, height); pen.clip();
    this.paint(pen, rows, cols, left(cols[0]), top(rows[0]), w, h);
    if (numbers) {
      pen.font = "11px ui-monospace, monospace"; pen.textBaseline = "middle"; pen.textAlign = "right";
      for (let r = rows[0]; r < rows[1]; r++) for (let c = cols[0]; c < cols[1]; c++) {
        const k = r * shape.cols + c, fill = colour(list[k], stats), inside = r < valid[0] && c < valid[1];
        const bright = (fill[0] * 3 + fill[1] * 6 + fill[2]) / 10 > 140;
        pen.fillStyle = inside ? bright ? "#000" : "#fff" : text(p.soft);
        pen.fillText(list[k] === null ? "·" : short(list[k]), left(c) + w - 5, top(r) + h / 2 + 1, w - 8);
        if (this.changed?.set[k]) { pen.fillStyle = text(p.accent); pen.beginPath(); pen.moveTo(left(c), top(r)); pen.lineTo(left(c) + 7, top(r)); pen.lineTo(left(c), top(r) + 7); pen.fill(); }
      }
      pen.textAlign = "left"; pen.textBaseline = "alphabetic";
    }
    if (valid[0] < shape.rows || valid[1] < shape.cols) { pen.setLineDash([4, 3]); pen.strokeStyle = text(p.ink); pen.lineWidth = 1; pen.strokeRect(left(0) + 0.5, top(0) + 0.5, valid[1] * w - 1, valid[0] * h - 1); pen.setLineDash([]); }
    for (const { rows: [a, b], cols: [c, d], kind } of this.marks) { pen.strokeStyle = text(p[kind]); pen.lineWidth = 2; pen.strokeRect(left(c) - 0.5, top(a) - 0.5, Math.max(3, (d - c) * w + 1), Math.max(3, (b - a) * h + 1)); }
    pen.restore();
    this.ticks(pen, rows, cols, left, top, w, h, width, height);
    this.root.dataset.numbers = numbers;
  }
  /// One pixel for each element, scaled.
  paint(pen, rows, cols, left, top, w, h) {
    const { place: { shape, valid }, list, stats, changed } = this, wide = cols[1] - cols[0], high = rows[1] - rows[0];
    if (wide <= 0 || high <= 0) return;
    const pixels = new ImageData(wide, high), p = palette(), few = changed && changed.count * 4 < list.length;
    for (let r = 0; r < high; r++) for (let c = 0; c < wide; c++) {
      const row = r + rows[0], col = c + cols[0], k = row * shape.cols + col, at = 4 * (r * wide + c);
      let fill = colour(list[k], stats);
      if (list[k] === null && (row + col) % 2) fill = p.none;
      if (few && changed.set[k] && w < 14) fill = p.accent;
      pixels.data.set(fill, at); pixels.data[at + 3] = row < valid[0] && col < valid[1] ? 255 : 80;
    }
    const sheet = new OffscreenCanvas(wide, high);
    sheet.getContext("2d").putImageData(pixels, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(sheet, left, top, wide * w, high * h);
  }
  ticks(pen, rows, cols, left, top, w, h, width, height) {
    pen.font = "10px system-ui, sans-serif"; pen.fillStyle = text(palette().soft);
    const step = (size, room) => [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192].find(n => n * size >= room) ?? 16384;
    const across = step(w, 34), down = step(h, 13);
    for (let c = Math.ceil(cols[0] / across) * across; c < cols[1]; c += across) if (left(c) >= SIDE - 1 && left(c) < SIDE + width - 8) pen.fillText(c, left(c) + 1, HEAD - 4);
    pen.textAlign = "right";
    for (let r = Math.ceil(rows[0] / down) * down; r < rows[1]; r += down) if (top(r) >= HEAD - 1 && top(r) < HEAD + height - 3) pen.fillText(r, SIDE - 4, top(r) + Math.max(9, h / 2 + 4));
    pen.textAlign = "left";
  }
}

// The page: a time that is looked at, and what it shows.
let now = -1, core = -1, selected = null, trail = [], pins = [], cards = [];
const order = () => core < 0 ? moments : (order.of ??= new Map()).get(core) ?? order.of.set(core, moments.filter(m => m.core === core)).get(core);
const valueName = value => value < 0 ? words.nameless : data.values[value][0];
const momentName = m => say("moment", m.at + 1 + data.from, m.op.name, m.op.line);
const plain = (label, act, title) => { const b = cell("button", label, "link"); b.onclick = act; if (title) b.title = title; return b; };

/// Position of a moment, or the last before it, among those of the chosen core.
function position(at) {
  const list = order();
  let a = 0, b = list.length;
  while (a < b) { const m = (a + b) >> 1; if (list[m].at <= at) a = m + 1; else b = m; }
  return a - 1;
}
function step(by) {
  const list = order(), to = Math.max(0, Math.min(list.length - 1, position(now) + by));
  if (list.length) show(list[to].at);
}

/// Shows a moment and everything around it.
function show(at) {
  if (!moments.length) return;
  now = Math.max(0, Math.min(moments.length - 1, at));
  if (core >= 0 && moments[now].core !== core) { core = -1; $("core").value = "-1"; }
  const moment = moments[now], at_place = position(now), list = order();
  $("time").max = list.length - 1; $("time").value = at_place;
  $("where").textContent = say("where", now + 1 + data.from, data.from + moments.length) + (data.cores.length > 1 ? " · " + data.cores[moment.core] : "");
  $("back").disabled = $("first").disabled = at_place <= 0; $("forward").disabled = $("last").disabled = at_place >= list.length - 1;
  heading(moment); sourceLine(moment.op.line); showCards(moment); showElement(); mark(); showMemory(moment); drawStrip();
  document.body.dataset.moment = now;
}
function heading(m) {
  const parts = [cell("b", m.op.name), document.createTextNode(" "), cell("span", [say("line", m.op.line), m.op.pipe, m.loops && say("iteration", m.loops), m.op.deed].filter(x => x).join(" · ")), document.createTextNode(" "), cell("code", m.op.text)];
  for (const [value, text] of m.numbers) parts.push(document.createTextNode(" "), cell("code", `${valueName(value)} = ${text}`));
  $("now").replaceChildren(...parts);
}

const rows = data.source.split("\n").map((line, at) => { const row = cell("div", "", "row"); row.append(cell("span", at + 1), cell("span", line)); return row; });
$("source").append(...rows);
for (const line of new Set(moments.map(m => m.op.line))) {
  const row = rows[line - 1];
  if (!row) continue;
  row.classList.add("runs"); row.title = words.click_line;
  row.onclick = () => { const list = order(), next = list.find(m => m.at > now && m.op.line === line) ?? list.find(m => m.op.line === line); if (next) show(next.at); };
}
function sourceLine(line) {
  rows.forEach((row, at) => row.classList.toggle("current", at + 1 === line));
  const pane = $("source"), row = rows[line - 1];
  if (row && (row.offsetTop < pane.scrollTop || row.offsetTop + 20 > pane.scrollTop + pane.clientHeight)) pane.scrollTop = row.offsetTop - pane.clientHeight / 2;
}

// Cards of the operands of a moment, and of the tiles that are pinned.
function showCards(moment) {
  const after = image(now), before = image(now - 1), list = [];
  const add = (value, place, role, memory, more = {}) => {
    const name = valueName(value), card = { name, value, place, role, memory, marks: [], pick: (r, c) => choose({ value, place, row: r, col: c, at: role === "read" ? now - 1 : now }), ...more };
    list.push(card);
  };
  for (const [value, at] of moment.use.r) add(value, places[at], "read", before);
  for (const [value, at] of moment.use.w) add(value, places[at], "write", after, { before });
  for (const value of pins) {
    const at = lastPlace(value, now);
    if (!at || list.some(c => c.place.at === at.at)) continue;
    const since = lastChange(at, now), unpin = () => { pins = pins.filter(v => v !== value); show(now); };
    add(value, at, "pinned", after, { unpin, ...(since >= 0 ? { before: image(since - 1), since: since + data.from } : {}) });
  }
  cards = list.map(info => new Card(info));
  $("cards").replaceChildren(...cards.map(c => c.root));
  if (!cards.length) $("cards").append(cell("p", words.no_tiles));
}
/// Where a value lay when it was last used.
function lastPlace(value, upTo) {
  const where = core >= 0 ? core : moments[now].core;
  for (let at = upTo; at >= 0; at--) {
    if (moments[at].core !== where) continue;
    const { r, w } = moments[at].use, found = w.find(o => o[0] === value) ?? r.find(o => o[0] === value);
    if (found) return places[found[1]];
  }
  return null;
}
/// The last moment that wrote into a place.
function lastChange(place, upTo) {
  const { shape, start, memory } = place, end = start + Math.ceil((offset(shape, shape.rows - 1, shape.cols - 1) + shape.bits) / 8);
  for (let at = upTo; at >= 0; at--) {
    const { writes } = moments[at];
    for (let k = 0; k < writes.length; k += 2) {
      const [m, first, runs, length, stride] = data.rects[writes[k]];
      if (m === memory && first < end && first + (runs - 1) * stride + length > start) return at;
    }
  }
  return -1;
}
function redraw() { cards.forEach(c => c.draw()); }

// The chosen element, who wrote it, and from what.
function origin(element) {
  const bit = bitOf(element.place, element.row, element.col), at = writer(element.place.memory, Math.floor(bit / 8), element.at);
  if (at < 0) return { at };
  const moment = moments[at], found = written(moment, element.place.memory, bit);
  return { at, moment, found, list: found ? sources(moment, found) : [] };
}
function choose(element, keepTrail) {
  if (!keepTrail) trail = [];
  selected = element;
  show(now);
}
/// Goes back to a source: the moment that wrote it, or the one that read it if it is an input.
function follow(source, row, col, reader) {
  trail.push({ element: selected, at: now });
  selected = { value: source.value, place: source.place, row, col, at: reader - 1 };
  const found = origin(selected);
  show(found.at >= 0 ? found.at : reader);
}
function showElement() {
  const box = $("element");
  $("trail").hidden = !trail.length;
  $("trail").replaceChildren(cell("span", words.trail), ...trail.flatMap((stop, k) => [plain(`${valueName(stop.element.value)}[${stop.element.row}, ${stop.element.col}]`, () => { trail.length = k; selected = stop.element; show(stop.at); }), cell("span", "→")]));
  if (!selected) { box.textContent = words.click_element; box.dataset.kind = ""; return; }
  const { value, place, row, col } = selected, bits = image(selected.at).bits(place, row, col);
  const title = cell("div", "", "value"), from = origin(selected);
  title.textContent = `${valueName(value)}[${row}, ${col}] = ${bits ? whole(place, bits) : words.blank}`;
  const parts = [title];
  box.dataset.kind = from.at < 0 ? "input" : "written";
  if (from.at < 0) parts.push(cell("div", inputText(place, row, col, bits), "input"));
  else {
    const by = cell("div", words.written_by + " ");
    by.append(plain(momentName(from.moment), () => show(from.at)), document.createTextNode(from.moment.loops ? " · " + say("iteration", from.moment.loops) : ""));
    parts.push(by, cell("code", from.moment.op.text));
    parts.push(...sourceList(from));
  }
  box.replaceChildren(...parts);
}
function inputText(place, row, col, bits) {
  const [name, owner] = data.memories[place.memory];
  if (owner >= 0) return !bits ? words.uninitialised : data.partial ? words.before_page : words.given;
  const { down, bits: size } = place.shape, element = Math.floor(bitOf(place, row, col) / size), long = typeof down === "number" ? down / size : 0;
  const text = say("input", name, long > 1 ? `${Math.floor(element / long)}, ${element % long}` : element);
  return data.partial ? text + " " + words.or_before : text;
}
function sourceList(from) {
  if (!from.found) return [cell("div", words.not_traced)];
  if (!from.list.length) return [cell("div", words.from_nothing)];
  const list = document.createElement("ul");
  for (const source of from.list) {
    const item = document.createElement("li");
    if (!source.place) item.textContent = source.number === undefined ? valueName(source.value) : `${valueName(source.value)} = ${source.number}`;
    else {
      const [[a, b], [c, d]] = [source.rows, source.cols], one = (b - a) * (d - c) === 1;
      const bits = one && image(from.at - 1).bits(source.place, a, c);
      const range = (p, q) => q - p === 1 ? p : `${p}…${q - 1}`;
      item.append(plain(`${valueName(source.value)}[${range(a, b)}, ${range(c, d)}]`, () => follow(source, a, c, from.at), words.go_back), document.createTextNode(one ? bits ? " = " + whole(source.place, bits) : "" : " " + say("elements", (b - a) * (d - c))));
      if (!source.exact) item.append(document.createTextNode(" " + words.inexact));
    }
    list.append(item);
  }
  return [cell("div", words.computed_from), list];
}
/// Outlines the chosen element and its sources on the cards.
function mark() {
  const from = selected && origin(selected);
  for (const card of cards) {
    card.marks = [];
    if (!selected) continue;
    const same = (place) => card.place.memory === place.memory && card.place.start === place.start && card.place.shape === place.shape;
    if (same(selected.place)) card.marks.push({ rows: [selected.row, selected.row + 1], cols: [selected.col, selected.col + 1], kind: "write" });
    if (from.at === now && card.role === "read") for (const s of from.list) if (s.place && same(s.place)) card.marks.push({ rows: s.rows, cols: s.cols, kind: "accent" });
  }
  redraw();
  rows.forEach((row, k) => row.classList.toggle("writer", Boolean(from?.moment) && from.moment.op.line === k + 1));
}

// Memories of the core: where its tiles lie, and which of them the moment touches.
const tilesOf = new Map();
/// The tiles of a core so far, each where it was used last.
function knownTiles(owner) {
  let known = tilesOf.get(owner);
  if (!known || known.at > now) tilesOf.set(owner, known = { at: -1, tiles: new Map() });
  while (known.at < now) {
    const m = moments[++known.at];
    if (m.core === owner) for (const [value, p] of [...m.use.r, ...m.use.w]) known.tiles.set(`${value} ${places[p].memory}`, [value, places[p]]);
  }
  return known.tiles;
}
function showMemory(moment) {
  const owner = moment.core, known = knownTiles(owner);
  const list = data.memories.map((m, at) => [m, at]).filter(([m]) => m[1] === owner).flatMap(([m, at]) => {
    const tiles = [...known.values()].filter(([, place]) => place.memory === at), inside = tiles.filter(([, place]) => place.start < m[2]);
    // Tiles without an address lie after the end of the memory.
    const outside = tiles.filter(([, place]) => place.start >= m[2]);
    return [...(inside.length ? [space(m, inside, moment, false)] : []), ...(outside.length ? [space(m, outside, moment, true)] : [])];
  });
  $("memory").replaceChildren(...list);
}
function space([name, , size], tiles, moment, outside) {
  const extent = ([, { start, shape }]) => [start, start + Math.ceil((offset(shape, shape.rows - 1, shape.cols - 1) + shape.bits) / 8)];
  const first = outside ? Math.min(...tiles.map(t => extent(t)[0])) : 0;
  const end = outside ? Math.max(...tiles.map(t => extent(t)[1])) : size, root = cell("div", "", "space"), bytes = cell("div", "", "bytes");
  const role = place => moment.use.w.some(o => o[1] === place.at) ? "write" : moment.use.r.some(o => o[1] === place.at) ? "read" : "";
  for (const tile of tiles) {
    const [a, b] = extent(tile), box = cell("button", valueName(tile[0]), role(tile[1]));
    box.style.left = 100 * (a - first) / (end - first) + "%"; box.style.width = 100 * (b - a) / (end - first) + "%";
    box.title = `${valueName(tile[0])}: ${tile[1].shape.text}, ${say("bytes", a - first, b - first)}`;
    box.onclick = () => { if (!pins.includes(tile[0])) pins.push(tile[0]); show(now); };
    bytes.append(box);
  }
  root.append(cell("span", outside ? say("unplaced", name) : say("size", name, size / 1024)), bytes);
  return root;
}

// The moments around the current one, a lane for each pipe.
const LANE = 20, LABEL = 62, CELL = 15;
const COLOURS = ["#2f6fb5", "#b5541c", "#2e8540", "#7b4fb3", "#7d6400", "#12807a", "#a83f86", "#5a7a1e", "#4656c0", "#8c5a3c", "#5f6b7a", "#1c7fa6"];
const opNames = [...new Set(data.ops.map(op => op.name))];
let strip = null;
function drawStrip() {
  const canvas = $("pipes"), pen = canvas.getContext("2d"), ratio = window.devicePixelRatio || 1, list = order(), lanes = [...new Set(list.map(m => m.op.pipe || "scalar"))];
  const width = $("strip").clientWidth, height = lanes.length * LANE + 6, room = Math.max(1, Math.floor((width - LABEL) / CELL)), here = position(now);
  const from = Math.max(0, Math.min(here - (room >> 1), list.length - room)), p = palette();
  canvas.width = width * ratio; canvas.height = height * ratio; canvas.style.height = height + "px";
  pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.font = "11px system-ui, sans-serif";
  lanes.forEach((lane, k) => { pen.fillStyle = text(p.soft); pen.fillText(lane, 6, k * LANE + 17); });
  pen.fillStyle = text(p.accent, 0.2); pen.fillRect(LABEL + (here - from) * CELL, 0, CELL, height);
  list.slice(from, from + room).forEach((m, k) => {
    const x = LABEL + k * CELL, y = lanes.indexOf(m.op.pipe || "scalar") * LANE + 6;
    pen.fillStyle = COLOURS[opNames.indexOf(m.op.name) % COLOURS.length];
    if (m.use.r.length + m.use.w.length) pen.fillRect(x + 1, y, CELL - 2, LANE - 6); else { pen.beginPath(); pen.arc(x + CELL / 2, y + 7, 4, 0, 7); pen.fill(); }
    if (m.at === now) { pen.strokeStyle = text(p.ink); pen.lineWidth = 2; pen.strokeRect(x + 1, y - 1, CELL - 2, LANE - 4); }
  });
  strip = { from, room, list, lanes };
}
const momentAtX = e => { const box = $("pipes").getBoundingClientRect(), k = Math.floor((e.clientX - box.left - LABEL) / CELL); return k >= 0 && k < strip.room ? strip.list[strip.from + k] : null; };
$("pipes").addEventListener("click", e => { const m = momentAtX(e); if (m) show(m.at); });
$("pipes").addEventListener("pointermove", e => {
  const m = momentAtX(e), tip = $("tip"), box = $("pipes").getBoundingClientRect();
  tip.style.display = m ? "block" : "none";
  if (m) { tip.textContent = momentName(m) + (m.op.pipe ? " · " + m.op.pipe : ""); tip.style.left = Math.max(0, Math.min(e.clientX - box.left + 12, box.width - tip.offsetWidth - 4)) + "px"; tip.style.top = e.clientY - box.top + 14 + "px"; }
});
$("pipes").addEventListener("pointerleave", () => { $("tip").style.display = "none"; });

// Texts and controls.
$("title").textContent = say("title", data.file, data.target, moments.length);
document.title = data.file;
if (data.note) { $("note").hidden = false; $("note").textContent = data.note; }
for (const [id, word] of [["pipes-title", "pipes"], ["source-title", "program"], ["tiles-title", "operands"], ["memory-title", "memory"], ["keys", "keys"]]) $(id).textContent = words[word];
for (const [id, word] of [["first", "go_first"], ["back", "go_before"], ["forward", "go_next"], ["last", "go_last"], ["time", "time"], ["core", "core"]]) { $(id).title = words[word]; $(id).setAttribute("aria-label", words[word]); }
document.querySelector("#more label").textContent = words.pin + " ";
const option = (value, label) => { const o = cell("option", label); o.value = value; return o; };
$("core").append(option(-1, words.all_cores), ...data.cores.map((name, k) => option(k, name)));
$("core").hidden = data.cores.length < 2;
$("core").onchange = () => { core = +$("core").value; const list = order(); show(list.length ? list[Math.max(0, position(now))].at : now); };
const used = [...new Set(moments.flatMap(m => [...m.use.r, ...m.use.w].map(o => o[0])))].filter(v => v >= 0);
$("pin").append(option(-1, "…"), ...used.map(v => option(v, valueName(v))));
$("pin").onchange = () => { const v = +$("pin").value; if (v >= 0 && !pins.includes(v)) pins.push(v); $("pin").value = "-1"; show(now); };
$("time").oninput = () => show(order()[+$("time").value].at);
$("first").onclick = () => step(-Infinity); $("last").onclick = () => step(Infinity);
$("back").onclick = () => step(-1); $("forward").onclick = () => step(1);
addEventListener("keydown", e => {
  if (e.target.matches("select, input") && e.target.id !== "time" || e.altKey || e.ctrlKey || e.metaKey) return;
  const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }[e.key];
  if (!by || e.key.startsWith("Page") && e.target !== $("time") && !e.shiftKey) return;
  e.preventDefault(); step(e.shiftKey ? by * 10 : by);
});
addEventListener("resize", () => { redraw(); drawStrip(); });
// page.html#120 opens at a moment.
const asked = /^#(\d+)$/.exec(location.hash);
show(asked ? +asked[1] - 1 - data.from : 0);

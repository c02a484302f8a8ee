"use strict";
const data = JSON.parse(document.getElementById("data").textContent), words = data.words;
const $ = id => document.getElementById(id);
const group = n => Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, " ");
const percent = x => (100 * x).toFixed(0) + " %";
/// "{0} of {1}" with what stands for the numbers.
const say = (key, ...parts) => words[key].replace(/\{(\d)\}/g, (_, k) => parts[k]);
const LABEL = 150, ROW = 22, BAR = 16, AXIS = 20, MEMORY = 54;
const canvas = $("lanes"), pen = canvas.getContext("2d"), tip = $("tip");
let from = 0, to = Math.max(1, data.cycles), width = 0, wanted = null, chosen = null;

function cell(tag, text, kind) { const e = document.createElement(tag); e.textContent = text; if (kind) e.className = kind; return e; }
/// Text with what is in backquotes as code.
function marked(e, text) { text.split("`").forEach((part, k) => e.append(k % 2 ? cell("code", part) : document.createTextNode(part))); return e; }
function table(head, rows) {
  const t = document.createElement("table"), top = t.insertRow();
  head.forEach(h => top.append(cell("th", h)));
  rows.forEach(r => { const row = t.insertRow(); r.forEach(c => row.append(c instanceof Node ? c : cell("td", c, typeof c === "string" && /^[\d −%.]+$/.test(c) ? "n" : ""))); });
  $("tables").append(t);
}
function meter(share) { const td = document.createElement("td"), m = cell("span", "", "meter"), i = document.createElement("i"); i.style.width = Math.min(100, 100 * share) + "%"; m.append(i); td.append(m); return td; }

$("title").textContent = say("title", data.file, data.target, group(data.cycles), (data.cycles / data.mhz).toFixed(1), (data.mhz / 1000).toFixed(2));
marked($("answer"), data.bottleneck + " " + data.note);
$("keys").textContent = words.keys;
$("find").placeholder = words.find;
$("find").setAttribute("aria-label", words.find);
$("all").textContent = words.all;
$("in").title = words.closer; $("out").title = words.farther; $("all").title = words.everything;
table([words.pipe, "", words.busy, words.waits], data.pipes.map(p => [p.name, meter(p.busy / data.cycles), percent(p.busy / data.cycles), p.waits]));
table([words.path, words.share, words.cycles], data.path.map(s => [say("step", s.line, s.name), percent(s.cycles / data.cycles), group(s.cycles)]));
if (data.advice.length) table([words.try, words.cycles, words.gain], data.advice.map(a => [marked(document.createElement("td"), a.text), group(a.cycles), "−" + percent(a.gain)]));

// One colour for each instruction; white text is readable on all of them.
const PALETTE = ["#2f6fb5", "#b5541c", "#2e8540", "#7b4fb3", "#7d6400", "#12807a", "#a83f86", "#5a7a1e", "#4656c0", "#8c5a3c", "#5f6b7a", "#1c7fa6", "#3f6b52", "#6d5aa0", "#946b00", "#2d6a6a", "#8a4f9e", "#4f7d3a", "#3a5f9e", "#a0652a", "#6b6f7d", "#2b7d8f", "#7f5b83", "#566b2f"];
const names = [...new Set(data.ops.map(op => op.name))];
const colours = data.ops.map(op => PALETTE[names.indexOf(op.name) % PALETTE.length]);
const x = t => LABEL + (t - from) / (to - from) * (width - LABEL);
const time = px => from + (px - LABEL) / (width - LABEL) * (to - from);
const laneTop = k => AXIS + k * ROW;
const memoryTop = k => AXIS + data.lanes.length * ROW + 8 + k * MEMORY;

function firstVisible(items) { let a = 0, b = items.length; while (a < b) { const m = (a + b) >> 1; if (items[m][1] + items[m][2] < from) a = m + 1; else b = m; } return a; }
function style(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
function fitted(text, room) { while (text.length > 1 && pen.measureText(text).width > room) text = text.slice(0, -2) + "…"; return text; }

function drawLane(lane, k) {
  const y = laneTop(k) + 3;
  pen.fillStyle = style("--ink"); pen.fillText(fitted(lane.name, LABEL - 12), 6, y + 12);
  const path = style("--path"), ink = style("--ink");
  let runEnd = -1, pathEnd = -1, foundEnd = -1;
  for (let i = firstVisible(lane.items); i < lane.items.length && lane.items[i][1] <= to; i++) {
    const item = lane.items[i], [op, start, length, critical] = item;
    const a = Math.max(LABEL, x(start)), b = Math.max(a + 0.5, x(start + length)), found = !wanted || wanted(op, k);
    // Items narrower than a pixel are one run; those of the path and those found show in it.
    if (b - a < 1 && a <= runEnd && (!critical || a <= pathEnd) && (!found || !wanted || a <= foundEnd)) { runEnd = Math.max(runEnd, b); continue; }
    if (critical) pathEnd = b;
    if (found) foundEnd = b;
    pen.globalAlpha = found ? 1 : 0.18;
    pen.fillStyle = colours[op]; pen.fillRect(a, y, b - a, BAR); runEnd = b;
    // A narrow bar has no room for an outline and its colour.
    if (critical && b - a < 7) { pen.fillStyle = path; pen.fillRect(a, y - 2, b - a, 3); pen.fillRect(a, y + BAR - 1, b - a, 3); }
    else if (critical) { pen.strokeStyle = path; pen.lineWidth = 2; pen.strokeRect(a + 1, y + 1, b - a - 2, BAR - 2); }
    if (b - a > 46) { pen.fillStyle = "#fff"; pen.save(); pen.beginPath(); pen.rect(a, y, b - a - 3, BAR); pen.clip(); pen.fillText(data.ops[op].name, a + 4, y + 12); pen.restore(); }
    pen.globalAlpha = 1;
    if (chosen && chosen[1] === item) { pen.strokeStyle = ink; pen.lineWidth = 2; pen.strokeRect(a - 1, y - 2, b - a + 2, BAR + 4); }
  }
}
function drawMemory(m, k) {
  const y = memoryTop(k), high = MEMORY - 12;
  pen.fillStyle = style("--ink"); pen.fillText(fitted(m.name, LABEL - 12), 6, y + 14);
  pen.fillStyle = style("--soft"); pen.fillText(say("of_memory", percent(m.peak / m.size), m.size / 1024), 6, y + 30);
  pen.strokeStyle = style("--line"); pen.strokeRect(LABEL + 0.5, y + 0.5, width - LABEL - 1, high);
  pen.fillStyle = "#2f81f788"; pen.beginPath(); pen.moveTo(LABEL, y + high);
  let level = 0;
  for (const [t, bytes] of m.steps) {
    if (t > to) break;
    const px = Math.max(LABEL, x(t));
    pen.lineTo(px, y + high - level); level = high * Math.min(1, bytes / m.size); pen.lineTo(px, y + high - level);
  }
  pen.lineTo(width, y + high - level); pen.lineTo(width, y + high); pen.fill();
}
function draw() {
  const ratio = window.devicePixelRatio || 1, height = memoryTop(data.memory.length) + 4;
  width = $("stage").clientWidth;
  canvas.width = width * ratio; canvas.height = height * ratio; canvas.style.height = height + "px";
  pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.clearRect(0, 0, width, height); pen.font = "11px system-ui, sans-serif";
  pen.strokeStyle = style("--line"); pen.fillStyle = style("--soft"); pen.lineWidth = 1;
  const least = (to - from) * 80 / Math.max(1, width - LABEL), ten = Math.pow(10, Math.floor(Math.log10(least)));
  const unit = [1, 2, 5, 10].map(k => k * ten).find(u => u >= least);
  for (let t = Math.ceil(from / unit) * unit; t <= to; t += unit) {
    pen.beginPath(); pen.moveTo(x(t), AXIS - 4); pen.lineTo(x(t), height); pen.stroke();
    if (x(t) + 3 + pen.measureText(group(t)).width < width) pen.fillText(group(t), x(t) + 3, 12);
  }
  pen.fillText(words.cycles, 6, 12);
  data.lanes.forEach(drawLane); pen.lineWidth = 1; data.memory.forEach(drawMemory);
  $("range").textContent = say("range", group(from), group(to), group(data.cycles));
  document.body.dataset.range = from + " " + to;
}
function zoom(factor, about) {
  const centre = about === undefined ? (from + to) / 2 : about;
  const length = Math.min(data.cycles, Math.max(8, (to - from) * factor));
  from = Math.max(0, Math.min(data.cycles - length, centre - (centre - from) / (to - from) * length)); to = from + length; draw();
}
function itemAt(px, py) {
  const k = Math.floor((py - AXIS) / ROW), lane = data.lanes[k];
  if (!lane || px < LABEL) return null;
  const t = time(px), slack = (to - from) / (width - LABEL);
  for (let i = firstVisible(lane.items); i < lane.items.length && lane.items[i][1] <= t + slack; i++)
    if (lane.items[i][1] - slack <= t && t <= lane.items[i][1] + lane.items[i][2] + slack) return [lane, lane.items[i]];
  return null;
}
function pointed(event) { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; }
/// What is known about an item: its instruction, when it ran, what it waited for.
function about([lane, [op, start, length, critical, held]]) {
  const info = data.ops[op], line = text => cell("div", text), title = line("");
  title.append(cell("b", info.name), document.createTextNode("  " + say("on_lane", info.line, lane.name)));
  const parts = [title, cell("code", info.text), line(say("took", group(start), group(start + length), group(length), info.law))];
  if (held >= 0) parts.push(line(data.reasons[held]));
  if (critical) parts.push(cell("div", words.on_path, "path"));
  return parts;
}
function hover(event) {
  const [px, py] = pointed(event), hit = itemAt(px, py);
  canvas.style.cursor = hit ? "pointer" : "grab";
  if (!hit) { tip.style.display = "none"; return; }
  tip.replaceChildren(...about(hit));
  tip.style.display = "block"; tip.style.left = Math.max(0, Math.min(px + 14, width - tip.offsetWidth - 4)) + "px"; tip.style.top = py + 16 + "px";
}

const rows = data.source.split("\n").map((text, at) => {
  const row = cell("div", "", "row");
  row.append(cell("span", at + 1), cell("span", text));
  return row;
});
$("source").append(...rows);
data.ops.forEach(op => {
  const row = rows[op.line - 1];
  if (!row || row.classList.contains("runs")) return;
  row.classList.add("runs");
  row.title = words.click_line;
  row.onclick = () => search(say("line", op.line));
});
function showLine(line) {
  rows.forEach((row, at) => row.classList.toggle("chosen", at + 1 === line));
  const pane = $("source"), row = rows[line - 1];
  if (row) { pane.scrollTop = row.offsetTop - pane.clientHeight / 2; pane.scrollLeft = 0; }
}
/// Selects an item: its details, and its line in the program.
function choose(hit) {
  chosen = hit;
  if (hit) { $("details").replaceChildren(...about(hit)); showLine(data.ops[hit[1][0]].line); } else $("details").textContent = words.click_bar;
  draw();
}

/// "tload", "line 12", "block 3", or several of them: every part has to fit.
function query(text) {
  const tests = [];
  let rest = text.toLowerCase().replace(new RegExp("(?:line|行|:) *(\\d+)", "g"), (_, n) => { tests.push(op => op.line === +n); return " "; });
  rest = rest.replace(/(block|vector|rank) (\d+)/g, (_, what, n) => { tests.push((op, lane) => new RegExp(what + " " + n + "(?!\\d)").test(lane.name)); return " "; });
  for (const word of rest.split(/\s+/).filter(w => w))
    tests.push(/^\d+$/.test(word) ? op => op.line === +word : (op, lane) => op.name.includes(word) || lane.name.toLowerCase().includes(word));
  return tests.length === 0 ? null : (op, lane) => tests.every(test => test(op, lane));
}
let hits = [], hit = -1;
function search(text) {
  if ($("find").value !== text) $("find").value = text;
  const fits = query(text);
  const table = fits && data.lanes.map(lane => data.ops.map(op => fits(op, lane)));
  wanted = table && ((op, lane) => table[lane][op]);
  hits = []; hit = -1;
  if (wanted) data.lanes.forEach((lane, k) => lane.items.forEach(item => { if (wanted(item[0], k)) hits.push([lane, item]); }));
  hits.sort((a, b) => a[1][1] - b[1][1]);
  const sum = hits.reduce((n, h) => n + h[1][2], 0);
  $("hits").textContent = !wanted ? "" : hits.length ? say("found", group(hits.length), group(sum)) : words.none;
  document.querySelectorAll("#legend button").forEach(b => b.setAttribute("aria-pressed", b.value === text));
  if (hits.length) showLine(data.ops[hits[0][1][0]].line);
  draw();
}
/// The next item found, in the middle of the timeline.
function next(step) {
  if (!hits.length) return;
  hit = (hit + step + hits.length) % hits.length;
  const [, [, start, length]] = hits[hit], half = (to - from) / 2, middle = start + length / 2;
  if (start < from || start + length > to) { from = Math.max(0, Math.min(data.cycles - 2 * half, middle - half)); to = from + 2 * half; }
  choose(hits[hit]);
}
names.forEach((name, k) => {
  const entry = document.createElement("button"), colour = document.createElement("i");
  colour.style.background = PALETTE[k % PALETTE.length]; entry.value = name;
  entry.setAttribute("aria-pressed", "false");
  entry.append(colour, document.createTextNode(name));
  entry.onclick = () => search($("find").value === name ? "" : name);
  $("legend").append(entry);
});
const critical = cell("span", ""), pipes = cell("div", "", "pipes");
critical.append(cell("i", "", "outline"), document.createTextNode(words.critical));
data.work.forEach(([pipe, work], k) => pipes.append(document.createTextNode(k ? " · " : ""), cell("b", pipe), document.createTextNode(" " + work)));
$("legend").append(critical, pipes);

let drag = null;
canvas.addEventListener("wheel", e => { e.preventDefault(); zoom(e.deltaY < 0 ? 0.8 : 1.25, time(pointed(e)[0])); }, { passive: false });
canvas.addEventListener("pointerdown", e => { drag = [e.clientX, from, false]; try { canvas.setPointerCapture(e.pointerId); } catch { /* a made-up pointer */ } });
canvas.addEventListener("pointerup", e => { if (drag && !drag[2]) choose(itemAt(...pointed(e))); drag = null; });
canvas.addEventListener("pointermove", e => {
  if (!drag) return hover(e);
  if (Math.abs(e.clientX - drag[0]) > 3) { drag[2] = true; tip.style.display = "none"; }
  if (!drag[2]) return;
  const length = to - from; from = Math.max(0, Math.min(data.cycles - length, drag[1] - (e.clientX - drag[0]) / (width - LABEL) * length)); to = from + length; draw();
});
canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
canvas.addEventListener("dblclick", () => zoom(1e9));
$("find").addEventListener("input", () => search($("find").value));
$("find").addEventListener("keydown", e => { if (e.key === "Enter") next(e.shiftKey ? -1 : 1); });
$("in").onclick = () => zoom(0.5); $("out").onclick = () => zoom(2); $("all").onclick = () => zoom(1e9);
window.addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
// report.html#1000-9000 opens at these cycles.
const asked = /^#(\d+)-(\d+)$/.exec(location.hash);
if (asked && +asked[2] > +asked[1]) { from = Math.min(+asked[1], data.cycles - 8); to = Math.min(+asked[2], data.cycles); }
choose(null);

// The editor: a text area over the same text in colours. The browser does the editing, so keyboards of phones, undo and
// spell-free input work as everywhere; this file adds colours, problems, cards and completions.

const LINE = 20, TOP = 8;

class Editor extends EventTarget {
  constructor() {
    super();
    this.area = $("text");
    this.paint = $("paint");
    this.tokens = [];
    this.problems = [];
    this.marks = [];
    this.painted = "";
    this.area.addEventListener("input", () => this.changed());
    this.area.addEventListener("keydown", event => this.key(event));
    const view = $("editor");
    view.addEventListener("click", event => event.target === view && this.area.focus());
    new ResizeObserver(() => this.measure()).observe(view);
    this.measure();
  }

  get text() { return this.area.value; }

  set text(value) {
    this.area.value = value;
    this.tokens = [];
    this.problems = [];
    this.marks = [];
    this.changed();
    $("editor").scrollTo(0, 0);
  }

  /** Replaces parts of the text, in a way that undo knows. */
  edit(edits) {
    for (const { start, end, text } of [...edits].sort((a, b) => b.start - a.start || b.end - a.end)) {
      this.area.focus();
      this.area.setSelectionRange(start, end);
      const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
      if (!done) this.area.setRangeText(text, start, end, "end");
    }
    this.changed();
  }

  changed() {
    this.shift();
    this.render();
    this.dispatchEvent(new Event("change"));
  }

  /** Moves what is known about the text behind the place that was edited, until the next answer comes. */
  shift() {
    const [old, now] = [this.painted, this.text];
    let head = 0, tail = 0;
    const most = Math.min(old.length, now.length);
    while (head < most && old[head] === now[head]) head++;
    while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
    const last = old.length - tail, by = now.length - old.length;
    const moved = span => {
      if (span.end <= head) return span;
      return span.start >= last ? { ...span, start: span.start + by, end: span.end + by } : null;
    };
    this.tokens = this.tokens.map(moved).filter(Boolean);
    this.problems = this.problems.map(moved).filter(Boolean);
    this.marks = this.marks.map(moved).filter(Boolean);
  }

  /** Shows what an answer says about the text. */
  show({ tokens, problems }) {
    this.tokens = tokens;
    this.problems = problems;
    this.render();
  }

  /** Marks places of a finding. */
  mark(spans) {
    this.marks = spans;
    this.render();
  }

  render() {
    const text = this.text;
    this.painted = text;
    const cuts = new Set([0, text.length]);
    const layers = [...this.tokens, ...this.problems, ...this.marks];
    for (const { start, end } of layers) cuts.add(Math.min(start, text.length)).add(Math.min(Math.max(end, start + 1), text.length));
    const order = [...cuts].sort((a, b) => a - b);
    const classes = new Map(order.map(at => [at, []]));
    for (const span of layers) this.note(classes, order, span);
    const parts = [];
    for (let i = 0; i + 1 < order.length; i++) {
      const names = classes.get(order[i]), part = text.slice(order[i], order[i + 1]);
      parts.push(names.length ? el("span", { class: names.join(" ") }, part) : part);
    }
    // A line break at the end needs something behind it to have a height.
    this.paint.replaceChildren(...parts, "\n");
    this.number(text.split("\n").length);
  }

  note(classes, order, { start, end, style }) {
    let low = 0, high = order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order[middle] < start) low = middle + 1; else high = middle;
    }
    for (let i = low; i < order.length && order[i] < Math.max(end, start + 1); i++) classes.get(order[i]).push(style);
  }

  number(lines) {
    const bad = new Map();
    for (const problem of this.problems) {
      const line = this.locate(problem.start).line;
      if (bad.get(line) !== "error") bad.set(line, problem.severity);
    }
    const row = (_, at) => el("div", { class: bad.get(at) ?? "" }, String(at + 1));
    $("numbers").replaceChildren(...Array.from({ length: lines }, row));
  }

  measure() {
    const probe = el("span", {}, "0".repeat(100));
    this.paint.append(probe);
    this.wide = probe.getBoundingClientRect().width / 100 || 8;
    probe.remove();
  }

  locate(at) {
    const before = this.text.slice(0, at), line = before.split("\n").length - 1;
    return { line, column: at - (before.lastIndexOf("\n") + 1) };
  }

  /** The offset below a point of the window; null beside the text. */
  offsetAt(x, y) {
    const box = this.area.getBoundingClientRect();
    const line = Math.floor((y - box.top - TOP) / LINE), column = Math.floor((x - box.left - TOP) / this.wide);
    const lines = this.text.split("\n");
    if (line < 0 || line >= lines.length || column < 0 || column >= lines[line].length) return null;
    return lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + column;
  }

  /** Where an offset is shown in the window. */
  pointOf(at) {
    const { line, column } = this.locate(at), box = this.area.getBoundingClientRect();
    return { x: box.left + TOP + column * this.wide, y: box.top + TOP + line * LINE };
  }

  /** Selects a span and scrolls to it. */
  go(start, end = start) {
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, end);
    const { line, column } = this.locate(start), view = $("editor");
    view.scrollTo({
      top: Math.max(0, line * LINE - view.clientHeight / 3),
      left: Math.max(0, column * this.wide - view.clientWidth * 0.7),
    });
  }

  /** The offset of a line, from 1, and column, from 1. */
  offsetOf(line, column = 1) {
    return this.text.split("\n").slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
  }

  key(event) {
    if (this.popup?.key(event)) return event.preventDefault();
    if (event.key === "Tab" && !event.shiftKey && !event.ctrlKey && this.wantsTab) {
      event.preventDefault();
      document.execCommand("insertText", false, "  ");
    }
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      const line = this.text.slice(0, this.area.selectionStart).split("\n").pop();
      const indent = line.match(/^ */)[0] + (/[{(]\s*$/.test(line) ? "  " : "");
      event.preventDefault();
      document.execCommand("insertText", false, "\n" + indent);
    }
    // Tab is for indentation only while one types; after Escape it leaves the editor.
    this.wantsTab = event.key !== "Escape";
  }
}

// The page: what is typed is checked, tabs show what the commands of `pto` say about it.

class App {
  constructor() {
    // One worker answers while another computes.
    this.quickEngine = new Engine();
    this.engine = new Engine();
    this.editor = new Editor();
    this.analysis = { tokens: [], problems: [] };
    this.tab = "problems";
    this.dropped = {};
    this.version = 0;
    new Completions(this.editor, this.quickEngine, () => this.target());
    this.cards = new Cards(this.editor, this.quickEngine, () => this.target());
    this.checkLater = debounced(120, () => this.check());
    this.refillLater = debounced(500, () => this.refill());
    this.editor.addEventListener("change", () => { this.checkLater(); this.remember(); });
    // What the button says and does: a tab that is being filled is stopped only once the button says so.
    this.offersStop = false;
    this.makeTabs();
    this.listen();
  }

  makeTabs() {
    for (const [name, { title }] of Object.entries(PANELS)) {
      $("tabs").append(el("button", { type: "button", role: "tab", id: `tab-${name}`, click: () => this.open(name) }, title));
    }
  }

  listen() {
    $("run").addEventListener("click", () => (this.offersStop ? this.stop() : this.open("run")));
    $("target").addEventListener("change", () => { this.check(); this.remember(); });
    $("values").addEventListener("change", () => { this.remember(); this.refill(); });
    $("blocks").addEventListener("change", () => { this.remember(); this.refill(); });
    $("theme").addEventListener("click", () => this.switchTheme());
    $("share").addEventListener("click", () => this.share());
    addEventListener("dragover", event => event.preventDefault());
    addEventListener("drop", event => { event.preventDefault(); this.drop([...event.dataTransfer.files]); });
    $("files").addEventListener("change", event => this.drop([...event.target.files]));
    addEventListener("keydown", event => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.open("run");
    });
    document.addEventListener("selectionchange", debounced(150, () => this.showPlace()));
  }

  /** The chosen target; empty for the one that the program states. */
  target() { return $("target").value; }
  forTarget() { return this.target() ? ["--target", this.target()] : []; }
  ranks() { return /--ranks/.test($("values").value); }

  launch() {
    const blocks = $("blocks").value;
    return [...this.forTarget(), ...(blocks && blocks !== "1" ? ["--blocks", blocks] : [])];
  }

  /** Values of parameters, as on the command line. */
  values() { return $("values").value.match(/\S+/g) ?? []; }

  files() { return { [FILE]: this.editor.text, ...this.dropped }; }

  /** A command that may take long; it can be stopped. */
  async command(words, take = []) {
    const version = this.version;
    const answer = await this.engine.command(words, this.files(), take);
    if (version !== this.version) throw new Superseded();
    return answer;
  }

  /** A command that takes no time. */
  quick(words) { return this.quickEngine.command(words, { [FILE]: this.editor.text }); }

  async parameters() {
    const answer = await this.quickEngine.ask({ ide: "parameters", text: this.editor.text, target: this.target() });
    return answer.parameters ?? [];
  }

  async check() {
    const text = this.editor.text;
    const answer = await this.quickEngine.ask({ ide: "analyse", text, target: this.target() }).catch(error => ({ error: error.message }));
    if (answer.error) $("status").textContent = answer.error;
    if (text !== this.editor.text || !answer.problems) return;
    const style = { error: "bad", warning: "odd" };
    const problems = answer.problems.map(p => ({ ...p, style: style[p.severity], line: this.editor.locate(p.start).line + 1 }));
    const tokens = answer.tokens.map(([start, length, role]) => ({ start, end: start + length, style: `t-${role}` }));
    this.analysis = { tokens, problems };
    this.editor.show(this.analysis);
    this.count();
    document.body.dataset.checked = String(answer.problems.length);
    this.refillLater();
  }

  count() {
    const errors = this.analysis.problems.filter(p => p.severity === "error").length, all = this.analysis.problems.length;
    $("tab-problems").textContent = all ? `Problems ${all}` : "Problems";
    $("tab-problems").classList.toggle("bad", errors > 0);
  }

  /** All that a tab depends on. */
  question() { return JSON.stringify([this.state(), $("blocks").value]); }

  /** A tab that computes only what was asked for keeps what it shows. */
  refill() {
    if (this.tab !== "problems" && this.filled === this.question()) return;
    if (PANELS[this.tab].asked) $("panel").classList.add("stale");
    else this.open(this.tab, true);
  }

  /** Opens a tab and fills it. */
  async open(name, quiet = false) {
    this.version++;
    const version = this.version;
    if (this.engine.isBusy) this.engine.stop();
    this.tab = name;
    this.filled = this.question();
    for (const button of $("tabs").children) button.setAttribute("aria-selected", String(button.id === `tab-${name}`));
    if (!quiet) $("panel").replaceChildren(note("…"));
    delete document.body.dataset.shown;
    const ticker = this.busy(name);
    let content;
    try {
      content = await PANELS[name].fill(this);
    } catch (error) {
      if (error instanceof Superseded || version !== this.version) return;
      content = [note(error.message, "error")];
    } finally {
      clearInterval(ticker);
      if (version === this.version) this.idle();
    }
    if (version !== this.version) return;
    $("panel").classList.remove("stale");
    $("panel").replaceChildren(...content.flat().filter(Boolean));
    document.body.dataset.shown = name;
  }

  busy(name) {
    const from = performance.now();
    if (name === "problems" || name === "doc") return 0;
    return setInterval(() => {
      this.offersStop = true;
      $("run").textContent = "■ Stop";
      $("status").textContent = `${PANELS[name].title}: ${((performance.now() - from) / 1000).toFixed(0)} s`;
    }, 250);
  }

  idle() {
    this.offersStop = false;
    $("run").textContent = "▶ Run";
    this.showPlace();
  }

  stop() {
    this.version++;
    this.engine.stop();
    this.idle();
    $("panel").replaceChildren(note("Stopped."));
    document.body.dataset.shown = "stopped";
  }

  /** A diagnostic of a report, with offsets of this text. */
  located(d) {
    const span = s => ({ start: this.editor.offsetOf(s.line, s.column), line: s.line });
    const first = span(d.span), text = this.editor.text;
    const end = first.start + [...text.slice(first.start)].join("").split("\n")[0].trimEnd().length;
    const others = d.labels.map(l => ({ ...span(l), text: l.text }));
    const edits = d.edits ?? [], steps = edits.map(e => `${e.change} line ${e.line}${e.text ? `: ${e.text}` : ""}`);
    // The steps are a list of their own.
    const help = steps.length ? d.help?.split(/(?::|;)? (?:before|after|remove|in) lines? \d/)[0] : d.help;
    return { id: d.id, severity: d.severity, message: d.message, legal: d.legal, help, steps, line: first.line, start: first.start, end, labels: others, edits: lineEdits(text, edits) };
  }

  /** Shows where a problem is: its line, and the lines that have to do with it. */
  reveal(problem) {
    const line = at => {
      const text = this.editor.text, end = text.indexOf("\n", at);
      return { start: at, end: end < 0 ? text.length : end, style: "marked" };
    };
    this.editor.mark([line(problem.start), ...(problem.labels ?? []).map(l => line(l.start))]);
    this.editor.go(problem.start, problem.end);
  }

  apply(edits) {
    this.editor.edit(edits);
    this.editor.mark([]);
    this.check();
  }

  /** Another text, in a way that undo knows. */
  replace(text) {
    this.editor.edit([{ start: 0, end: this.editor.text.length, text }]);
  }

  /** What is wrong at the cursor, where there is no pointer to hover with. */
  showPlace() {
    const at = this.editor.area.selectionStart, { line, column } = this.editor.locate(at);
    const here = this.editor.problems.find(p => p.start <= at && at <= Math.max(p.end, p.start + 1));
    $("status").textContent = here ? `${here.id}: ${here.message}` : `line ${line + 1}, column ${column + 1}`;
  }

  async drop(files) {
    for (const file of files) {
      if (file.name.endsWith(".pto")) {
        this.load(await file.text(), "");
      } else if (file.name.endsWith(".npy")) {
        await this.dropArray(file);
      } else {
        $("status").textContent = `${file.name}: drop .npy arrays, or a .pto program`;
      }
    }
  }

  /** An array goes to the parameter of its name, or to the next one without a value. */
  async dropArray(file) {
    const name = file.name.replace(/[^\w.-]/g, "_"), base = name.replace(/\.npy$/, "");
    this.dropped[name] = new Uint8Array(await file.arrayBuffer());
    const memory = (await this.parameters()).filter(p => p.kind !== "scalar").map(p => p.name);
    const taken = this.values().map(v => v.split("=")[0]);
    const to = memory.includes(base) ? base : memory.find(p => !taken.includes(p));
    const others = this.values().filter(v => v.split("=")[0] !== to);
    $("values").value = [...others, to ? `${to}=${name}` : name].join(" ");
    $("status").textContent = `${file.name}: ${file.size} bytes`;
    this.remember();
    this.open("run");
  }

  load(text, values = "", target = "") {
    $("values").value = values;
    $("target").value = target;
    this.editor.text = text;
    document.body.dataset.checked = "";
  }

  switchTheme() {
    const dark = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    document.documentElement.dataset.theme = dark === "dark" ? "light" : "dark";
  }

  remember() { this.rememberLater ??= debounced(400, () => saveState(this.state())); this.rememberLater(); }

  state() { return { text: this.editor.text, values: $("values").value, target: this.target() }; }

  async share() {
    await saveState(this.state());
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    $("status").textContent = "The link is in the address bar and on the clipboard; it holds the whole program.";
  }
}

/** A newer question has replaced this one. */
class Superseded extends Error {}

/** Edits of a report, which are in lines, as edits of the text. */
function lineEdits(text, edits) {
  const lines = text.split("\n"), starts = [0];
  for (const line of lines) starts.push(starts[starts.length - 1] + line.length + 1);
  return edits.map(({ line, last_line: last = line, column = 1, change, text: put = "" }) => {
    const indent = (lines[line - 1] ?? "").match(/^\s*/)[0], from = starts[line - 1];
    switch (change) {
      case "before": return { start: from, end: from, text: `${indent}${put}\n` };
      case "after": return { start: starts[line], end: starts[line], text: `${indent}${put}\n` };
      case "remove": return { start: from, end: Math.min(starts[last], text.length), text: "" };
      default: return { start: from + column - 1, end: from + column - 1, text: put };
    }
  });
}

// What the tabs show. A panel has a name, commands that it executes, and a way to show what they give. Panels are filled when they
// are opened, and again when the program changes while they are open.

const FILE = "program.pto";

const PANELS = {
  problems: { title: "Problems", fill: showProblems },
  run: { title: "Run", fill: showRun, asked: true },
  race: { title: "Races", fill: showRaces },
  perf: { title: "Timeline", fill: showPerf },
  plan: { title: "Memory", fill: showPlan },
  cpp: { title: "C++", fill: showCpp },
  forms: { title: "Forms", fill: showForms },
  steps: { title: "Steps", fill: showSteps, asked: true },
  doc: { title: "Reference", fill: showDoc },
};

/** A message instead of a result. */
const note = (text, kind = "quiet") => el("p", { class: kind }, inline(text));

/** What a command wrote to standard error. */
const told = answer => answer.stderr.trim() && el("pre", { class: answer.code ? "error" : "quiet" }, answer.stderr.trim());

/** A page that a command has written, with its own style and scripts. */
const frame = (bytes, title) =>
  el("iframe", { title, sandbox: "allow-scripts", srcdoc: new TextDecoder().decode(bytes) });

function problemCard(app, problem) {
  const fix = problem.edits?.length ? el("button", { type: "button", class: "fix", click: () => app.apply(problem.edits) }, "apply fix") : null;
  return el("article", { class: `finding ${problem.severity}` },
    el("button", { type: "button", class: "place", click: () => app.reveal(problem) }, `line ${problem.line}`),
    el("b", {}, problem.id), " ", el("span", { class: "message" }, inline(problem.message)),
    problem.legal.map(text => el("p", { class: "why" }, inline(text))),
    problem.help && el("p", { class: "help" }, inline(problem.help)),
    problem.steps?.length ? el("ul", { class: "steps" }, problem.steps.map(step => el("li", {}, el("code", {}, step)))) : null, fix);
}

async function showProblems(app) {
  const { problems } = app.analysis;
  if (!problems.length) return [note("No problems.", "clean")];
  return problems.map(problem => problemCard(app, problem));
}

/** The scalars that a message says are missing, with values to start from. */
const suggested = stderr => stderr.match(/help: pto \w+ \S+ (.*)/)?.[1];

function failed(app, answer, retry) {
  const values = suggested(answer.stderr);
  const use = values && el("button", { type: "button", click: () => { $("values").value = values; app.remember(); retry(); } }, `use ${values}`);
  return [told(answer), use];
}

async function showRun(app) {
  const parameters = await app.parameters();
  const memory = parameters.filter(p => p.kind !== "scalar");
  const outs = memory.flatMap(p => ["--out", `${p.name}=out/${p.name}.npy`]);
  const take = memory.map(p => `out/${p.name}.npy`);
  const answer = await app.command(["run", FILE, ...app.values(), ...app.launch(), "--json", ...(app.ranks() ? [] : outs)], take);
  const report = answer.stdout ? JSON.parse(answer.stdout) : null;
  if (!report?.parameters) {
    const problems = (report?.diagnostics ?? []).map(d => app.located(d));
    return [...problems.map(p => problemCard(app, p)), ...failed(app, answer, () => app.open("run"))];
  }
  const written = report.parameters.filter(p => p.written), inputs = report.parameters.filter(p => !p.written);
  return [
    el("p", {}, el("b", {}, report.function), ` on ${report.target}: ${count(report.instructions, "instruction")} in ${answer.milliseconds.toFixed(1)} ms`),
    told(answer),
    report.diagnostics.map(d => problemCard(app, app.located(d))),
    report.printed.map(p => el("pre", {}, `line ${p.line}  ${p.title}\n${p.text}`)),
    inputs.length ? el("p", { class: "quiet" }, "in: ", inputs.map(p => `${p.name} ${p.type} ${p.shape?.join("x") ?? p.value} (${p.data})`).join(", ")) : null,
    written.map(p => resultView(p, answer.files[`out/${p.name}.npy`])),
  ].flat();
}

function resultView(parameter, file) {
  const { name, type, shape, summary: s } = parameter;
  const facts = { type, shape: shape.join("x"), min: s.min, max: s.max, mean: s.mean, nan: s.nan, inf: s.inf, crc32: s.crc32 };
  const shown = value => (typeof value === "number" ? shortNumber(value) : String(value));
  const save = file && el("button", { type: "button", click: () => download(`${name}.npy`, file) }, "save .npy");
  return el("section", { class: "result", "data-crc32": s.crc32, "data-name": name },
    el("h3", {}, name, save),
    el("dl", {}, Object.entries(facts).map(([key, value]) => el("div", {}, el("dt", {}, key), el("dd", {}, shown(value))))),
    file && arrayView(readNpy(file, type)));
}

function download(name, bytes) {
  const link = el("a", { href: URL.createObjectURL(new Blob([bytes])), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function showRaces(app) {
  const answer = await app.command(["race", FILE, ...app.values(), ...app.launch(), "--json"]);
  const report = answer.stdout ? JSON.parse(answer.stdout) : null;
  if (!report) return failed(app, answer, () => app.open("race"));
  const findings = report.findings.map(d => app.located(d));
  const auto = report.sync === "auto" ? " The program leaves the order of the pipes of a core to the toolchain." : "";
  const head = findings.length ? note(`${count(findings.length, "finding")} in ${count(report.instructions, "instruction")}.${auto}`)
    : note(`No race found in ${count(report.instructions, "instruction")}.${auto}`, "clean");
  const everything = findings.flatMap(f => f.edits).length && findings.length > 1
    ? note("Apply one fix, and the check runs again: a fix may settle several findings.") : null;
  return [head, everything, ...findings.map(f => problemCard(app, f))];
}

async function showPerf(app) {
  const answer = await app.command(["perf", FILE, ...app.values(), ...app.launch(), "--html", "out/perf.html"], ["out/perf.html"]);
  const page = answer.files["out/perf.html"];
  if (!page) return failed(app, answer, () => app.open("perf"));
  return [frame(page, "timeline"), el("pre", { class: "summary" }, answer.stdout)];
}

async function showPlan(app) {
  const answer = await app.command(["plan", FILE, ...app.forTarget(), "--html", "out/plan.html"], ["out/plan.html"]);
  const page = answer.files["out/plan.html"];
  return page ? [frame(page, "memory"), el("pre", { class: "summary" }, answer.stdout)] : [told(answer)];
}

async function showCpp(app) {
  const answer = await app.command(["emit", "cpp", FILE, ...app.forTarget()]);
  return [answer.stdout && copied(answer.stdout), told(answer)];
}

const copied = text => el("div", { class: "code" },
  el("button", { type: "button", click: () => navigator.clipboard?.writeText(text) }, "copy"), el("pre", {}, text));

async function showForms(app) {
  const forms = { level1: "tiles as values", level2: "tiles as buffers", asm: "assembly", generic: "generic" };
  const texts = [];
  for (const [form, title] of Object.entries(forms)) {
    texts.push([`${form}: ${title}`, await app.command(["fmt", "--stdout", "--form", form, FILE])]);
  }
  texts.push(["lowered: addresses and flags", await app.command(["lower", FILE, ...app.forTarget()])]);
  const column = ([title, answer]) => {
    const use = answer.code === 0 && el("button", { type: "button", click: () => app.replace(answer.stdout) }, "edit this");
    return el("section", {}, el("h3", {}, title, use), answer.stdout ? el("pre", {}, answer.stdout) : told(answer));
  };
  return [el("div", { class: "columns" }, texts.map(column))];
}

async function showSteps(app) {
  const answer = await app.command(["view", FILE, ...app.values(), ...app.launch(), "--limit", "8M", "--html", "out/view.html"], ["out/view.html"]);
  const page = answer.files["out/view.html"];
  return page ? [frame(page, "steps of the run")] : failed(app, answer, () => app.open("steps"));
}

async function showDoc(app) {
  const box = el("input", { type: "search", placeholder: "instruction or diagnostic: tmax, PTO-E0802", "aria-label": "instruction", value: app.topic ?? "" });
  const out = el("div");
  const look = async () => {
    app.topic = box.value.trim();
    const words = /^(PTO-)?E\d+$/i.test(app.topic) ? ["explain", app.topic] : app.topic ? ["doc", app.topic] : ["isa"];
    const answer = await app.quick(words);
    out.replaceChildren(el("pre", { class: "page" }, answer.stdout || answer.stderr));
  };
  box.addEventListener("change", look);
  await look();
  return [el("form", { submit: event => { event.preventDefault(); look(); } }, box), out];
}

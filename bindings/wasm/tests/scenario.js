// What a user would do; what came of it is sent to the test.
const found = {}, times = {};
const $ = id => document.getElementById(id);
const until = (test, what, seconds = 120) => new Promise((resolve, reject) => {
  const from = performance.now(), look = () => {
    const result = test();
    if (result) resolve(result);
    else if (performance.now() - from > seconds * 1000) reject(new Error(`waited in vain: ${what}`));
    else setTimeout(look, 20);
  };
  look();
});
const checked = count => until(() => document.body.dataset.checked === String(count), `${count} problems`);
const shown = async name => {
  await until(() => document.body.dataset.shown === name, `the tab ${name}`);
  return $("panel");
};
const example = name => document.querySelector(`script.example[data-name=${name}]`).textContent.replace(/^\n/, "");
const type = (at, text) => {
  const { area } = app.editor;
  area.focus();
  area.setSelectionRange(at, at);
  if (!document.execCommand("insertText", false, text)) {
    area.setRangeText(text, at, at, "end");
    area.dispatchEvent(new InputEvent("input", { inputType: "insertText" }));
  }
};

async function problems() {
  app.load(example("scale"));
  await checked(0);
  const at = app.editor.text.indexOf("pto.tmuls") + 9;
  type(at, "s");
  await checked(1);
  app.open("problems");
  const panel = await shown("problems");
  found.typo = panel.querySelector(".finding b").textContent;
  found.underlined = document.querySelectorAll("#paint .bad").length;
  panel.querySelector(".fix").click();
  await checked(0);
  found.fixed = app.editor.text === example("scale");
  found.coloured = new Set([...document.querySelectorAll("#paint span")].map(e => e.className)).size;
}

async function assistance() {
  const at = app.editor.text.indexOf("    pto.tload");
  type(at, "    pto.trowm");
  await until(() => !$("completions").hidden, "completions");
  found.completions = [...$("completions").querySelectorAll("b")].slice(0, 3).map(e => e.textContent);
  app.editor.popup.close();
  app.load(example("scale"));
  const card = await app.cards.content(app.editor.text.indexOf("tmuls"));
  found.card = card.map(e => e.textContent).join(" ").slice(0, 300);
}

async function run() {
  app.load(example("softmax"));
  await checked(0);
  const from = performance.now();
  $("run").click();
  const panel = await shown("run");
  times.softmax = Math.round(performance.now() - from);
  found.softmax = panel.querySelector(".result").dataset.crc32;
  found.drawn = panel.querySelector("canvas").width > 100;
  found.cells = panel.querySelectorAll(".numbers td").length;
}

async function races() {
  app.load(example("scale"));
  await checked(0);
  app.open("race");
  let panel = await shown("race");
  found.findings = [...panel.querySelectorAll(".finding b")].map(e => e.textContent);
  panel.querySelector(".fix").click();
  panel = await until(() => document.body.dataset.shown === "race" && $("panel").querySelector(".clean") && $("panel"), "no race");
  found.clean = panel.textContent;
}

async function views() {
  app.load(example("softmax"));
  await checked(0);
  for (const [name, selector] of Object.entries({ perf: "iframe", plan: "iframe", cpp: ".code pre", forms: ".columns section", doc: ".page" })) {
    const from = performance.now();
    app.open(name);
    found[name] = (await shown(name)).querySelectorAll(selector).length;
    times[name] = Math.round(performance.now() - from);
  }
  app.open("perf");
  found.advice = (await shown("perf")).querySelector(".summary").textContent.includes("try: ");
}

async function stopping() {
  const endless = example("softmax").replaceAll("4096", "65536").replace("scf.for", "scf.for %again = %zero to %height step %one {\n scf.for").replace("  }\n  return", "  } }\n  return");
  app.load(endless);
  await checked(0);
  $("run").click();
  await until(() => $("run").textContent.includes("Stop"), "a run that takes long");
  let beats = 0;
  const clock = setInterval(() => beats++, 20);
  await new Promise(resolve => setTimeout(resolve, 400));
  clearInterval(clock);
  found.responsive = beats > 8;
  $("run").click();
  await shown("stopped");
  found.stopped = true;
  await run();
}

async function sharing() {
  app.load("func.func @shared() { return }");
  await checked(0);
  await app.share();
  const link = location.hash;
  app.load(example("softmax"));
  await until(() => location.hash !== link, "the link of another program");
  location.hash = link;
  await until(() => app.editor.text.includes("@shared"), "the program of the link");
  found.link = link.length;
}

/** The checksums of all programs, on the values that their comments say. */
async function checksums() {
  found.checksums = {};
  for (const { dataset, textContent } of document.querySelectorAll("script.example")) {
    const from = performance.now(), scalars = { vector_add: ["n=100000"], int8_gemm: ["scale=1"] }[dataset.name] ?? [];
    const ranks = /--ranks (\d+)/.exec(textContent)?.[0].split(" ") ?? [];
    const answer = await app.engine.command(["run", "k.pto", ...scalars, ...ranks, "--json"], { "k.pto": textContent.replace(/^\n/, "") });
    found.checksums[dataset.name] = answer.code === 0 ? JSON.parse(answer.stdout).parameters.filter(p => p.summary).map(p => `${p.name} ${p.summary.crc32}`) : answer.stderr;
    times[dataset.name] = Math.round(performance.now() - from);
  }
}

(async () => {
  try {
    times.ready = Number(await until(() => document.body.dataset.ready, "the module"));
    for (const step of [problems, assistance, run, races, views, stopping, sharing, checksums]) await step();
    found.fits = document.documentElement.scrollWidth <= innerWidth;
    found.width = innerWidth;
  } catch (error) {
    found.error = `${error.message} ${error.stack}`;
  }
  await fetch("REPORT", { method: "POST", mode: "no-cors", body: JSON.stringify({ found, times }) });
})();

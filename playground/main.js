// Examples, the tour, and the start.

/** Programs are part of the page, as they are in their files. */
const EXAMPLES = [...document.querySelectorAll("script.example")].map(({ dataset, textContent }) => ({
  name: dataset.name, isGuide: dataset.from === "guide", text: textContent.replace(/^\n/, ""),
  // The last lines of a comment at the top may say how to run it.
  values: textContent.match(/^\/\/\s+pto run \S+ (.*)/m)?.[1].replace(/--(?!ranks).*/, "").trim() ?? "",
}));

const GUIDE = $("guide-text").textContent;
const GUIDE_PROGRAMS = Object.fromEntries([...GUIDE.matchAll(/^```pto (\S+)\n([\s\S]*?)^```$/gm)].map(([, name, text]) => [name, text]));

/** The steps of the guide: a section, and what its first command shows. */
const TOUR = GUIDE.split(/^## /m).slice(1).map(section => {
  const [title, ...rest] = section.split("\n"), body = rest.join("\n");
  const [, verb, name, values] = body.match(/^\$ pto (\w+) (\S+)(.*)$/m) ?? [];
  const program = GUIDE_PROGRAMS[name];
  const words = body.replace(/^```[\s\S]*?^```$/gm, "").trim();
  return { title, words, program, tab: PANELS[verb] ? verb : "run", values: values?.replace(/--.*/, "").trim() ?? "" };
});

function fillExamples(app) {
  const group = (title, list) => el("optgroup", { label: title }, list.map(e => el("option", { value: e.name }, e.name)));
  $("example").append(el("option", { value: "" }, "Examples…"),
    group("guide", EXAMPLES.filter(e => e.isGuide)), group("kernels", EXAMPLES.filter(e => !e.isGuide)));
  $("example").addEventListener("change", event => {
    const found = EXAMPLES.find(e => e.name === event.target.value);
    if (found) app.load(found.text, found.values);
    event.target.value = "";
    app.open("problems");
  });
}

/** The guide, a step at a time: words, the program, and a tab to open. */
class Tour {
  constructor(app) {
    Object.assign(this, { app, at: 0 });
    $("tour").addEventListener("click", () => ($("guide").hidden ? this.show(this.at) : this.close()));
  }

  show(at) {
    this.at = Math.max(0, Math.min(at, TOUR.length - 1));
    const { title, words, program, values, tab } = TOUR[this.at];
    const step = (by, text) => el("button", { type: "button", disabled: !TOUR[this.at + by], click: () => this.show(this.at + by) }, text);
    $("guide").replaceChildren(
      el("h2", {}, title), el("div", { class: "words" }, markdown(words)),
      el("nav", {}, step(-1, "← back"), el("span", {}, `${this.at + 1} of ${TOUR.length}`), step(1, "next →"),
        el("button", { type: "button", click: () => this.close() }, "close")));
    $("guide").hidden = false;
    if (program) {
      this.app.load(program, values);
      this.app.open(tab);
    }
  }

  close() {
    $("guide").hidden = true;
  }
}

async function begin() {
  const app = new App();
  window.app = app;
  fillExamples(app);
  new Tour(app);
  const state = await savedState();
  const first = EXAMPLES.find(e => e.name === "softmax") ?? EXAMPLES[0];
  app.load(state?.text ?? first.text, state?.values ?? "", state?.target ?? "");
  addEventListener("hashchange", async () => {
    const other = await savedState();
    if (other && other.text !== app.editor.text) app.load(other.text, other.values, other.target);
  });
  app.open("problems");
  await app.quickEngine.ready;
  document.body.dataset.ready = String(Math.round(performance.now()));
}

begin().catch(error => { $("panel").replaceChildren(note(`The page cannot start: ${error.message}`, "error")); });

// Cards on hover, and completions.

/** A list of completions at the cursor. */
class Completions {
  constructor(editor, engine, target) {
    Object.assign(this, { editor, engine, target, items: [], chosen: 0 });
    this.box = $("completions");
    editor.popup = this;
    editor.area.addEventListener("input", event => this.typed(event));
    editor.area.addEventListener("blur", () => setTimeout(() => this.close(), 200));
    editor.area.addEventListener("click", () => this.close());
    this.later = debounced(60, () => this.open(false));
  }

  typed(event) {
    const at = this.editor.area.selectionStart, before = this.editor.text[at - 1] ?? "";
    if (event.inputType?.startsWith("insert") && /[\w%!#.@<]/.test(before)) this.later();
    else this.close();
  }

  async open(asked) {
    const { editor } = this, at = editor.area.selectionStart, text = editor.text;
    const answer = await this.engine.ask({ ide: "completions", text, target: this.target(), at }).catch(() => null);
    if (!answer || editor.text !== text || editor.area.selectionStart !== at) return;
    const word = text.slice(answer.items?.[0]?.start ?? at, at);
    const fits = item => item.filter.toLowerCase().includes(word.toLowerCase()) && item.label !== word;
    this.items = (answer.items ?? []).filter(fits).slice(0, 40);
    this.chosen = 0;
    if (this.items.length && (asked || word)) this.show(); else this.close();
  }

  show() {
    const row = (item, at) =>
      el("button", { type: "button", class: at === this.chosen ? "chosen" : "", mousedown: event => { event.preventDefault(); this.accept(at); } },
        el("b", {}, item.label), el("span", {}, item.detail));
    this.box.replaceChildren(...this.items.map(row));
    this.box.hidden = false;
    place(this.box, this.editor.pointOf(this.items[0].start), LINE);
    this.box.children[this.chosen]?.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.items = [];
    this.box.hidden = true;
  }

  accept(at) {
    const item = this.items[at], end = this.editor.area.selectionStart;
    this.close();
    const source = item.snippet ?? item.label;
    const gap = source.match(/\$\{\d+:([^}]*)\}/);
    const text = source.replace(/\$\{\d+:([^}]*)\}/g, "$1").replace(/\$\d+/g, "");
    this.editor.edit([{ start: item.start, end: Math.max(end, item.end), text }]);
    if (gap) this.editor.area.setSelectionRange(item.start + gap.index, item.start + gap.index + gap[1].length);
  }

  /** True if the key was meant for the list. */
  key(event) {
    if (event.key === " " && event.ctrlKey) {
      this.open(true);
      return true;
    }
    if (!this.items.length) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      this.chosen = (this.chosen + step + this.items.length) % this.items.length;
      this.show();
      return true;
    }
    if (event.key === "Escape") {
      this.close();
      return true;
    }
    if (event.key === "Enter" || event.key === "Tab") {
      this.accept(this.chosen);
      return true;
    }
    return false;
  }
}

/** Puts a box below a point of the window, or above it where there is no room. */
function place(box, { x, y }, height) {
  const width = box.offsetWidth, tall = box.offsetHeight;
  box.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 8))}px`;
  const below = y + height + 2;
  box.style.top = `${below + tall > innerHeight && y - tall > 4 ? y - tall - 2 : below}px`;
}

/** A card about what the pointer rests on: problems there, and what the name means. */
class Cards {
  constructor(editor, engine, target) {
    Object.assign(this, { editor, engine, target });
    this.box = $("card");
    this.rest = debounced(300, (x, y) => this.open(x, y));
    editor.area.addEventListener("pointermove", event => {
      if (event.pointerType !== "mouse") return;
      this.close();
      this.rest(event.clientX, event.clientY);
    });
    for (const name of ["pointerleave", "keydown", "pointerdown"]) {
      editor.area.addEventListener(name, () => { this.close(); this.rest(-1, -1); });
    }
    $("editor").addEventListener("scroll", () => this.close());
  }

  close() {
    this.box.hidden = true;
  }

  async open(x, y) {
    const at = x < 0 ? null : this.editor.offsetAt(x, y);
    if (at == null) return;
    const card = await this.content(at);
    if (!card.length) return;
    this.box.replaceChildren(...card);
    this.box.hidden = false;
    const line = this.editor.pointOf(at);
    place(this.box, { x, y: line.y }, LINE);
  }

  /** Problems at an offset, and what is known about the name there. */
  async content(at) {
    const text = this.editor.text;
    const problems = this.editor.problems.filter(p => p.start <= at && at < Math.max(p.end, p.start + 1));
    const cards = problems.map(p => el("p", { class: p.severity }, el("b", {}, p.id, " "), inline(p.message)));
    const answer = await this.engine.ask({ ide: "hover", text, target: this.target(), at }).catch(() => null);
    return answer?.markdown ? [...cards, ...markdown(answer.markdown)] : cards;
  }
}

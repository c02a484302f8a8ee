const rows = new Map([...document.querySelectorAll(".row")].map(row => [Number(row.dataset.line), row]));
const cards = [...document.querySelectorAll(".finding")];

function clear() {
  document.querySelectorAll(".added").forEach(row => row.remove());
  document.querySelectorAll(".removed").forEach(row => row.classList.remove("removed"));
  document.querySelectorAll(".says").forEach(note => note.remove());
  document.querySelectorAll(".first, .second").forEach(row => row.classList.remove("first", "second"));
  cards.forEach(card => card.setAttribute("aria-pressed", "false"));
}

function mark(place, kind) {
  const row = rows.get(place.line);
  if (!row) return;
  row.classList.add(kind);
  if (place.text) {
    const note = document.createElement("span");
    note.className = "says";
    note.textContent = "↑ " + place.text;
    row.append(note);
  }
}

/// A statement of the fix, where it belongs; those for the same place stay in order.
function insert(edit) {
  const row = rows.get(edit.line);
  if (!row) return;
  if (edit.change === "remove") {
    for (let line = edit.line; line <= edit.last; line++) rows.get(line)?.classList.add("removed");
    return;
  }
  const added = document.createElement("div"), sign = document.createElement("span"), text = document.createElement("span");
  const indent = /^\s*/.exec(row.children[1].textContent)[0];
  added.className = "row added";
  sign.className = "n";
  sign.textContent = "+";
  text.textContent = indent + edit.text;
  added.append(sign, text);
  if (edit.change === "before") return row.before(added);
  let last = row;
  while (last.nextElementSibling?.classList.contains("added")) last = last.nextElementSibling;
  last.after(added);
}

function show(card) {
  clear();
  card.setAttribute("aria-pressed", "true");
  const places = JSON.parse(card.dataset.places);
  places.slice(1).forEach(place => mark(place, "first"));
  mark(places[0], "second");
  const order = edit => 2 * edit.line + (edit.change === "after");
  JSON.parse(card.dataset.edits).sort((a, b) => order(a) - order(b)).forEach(insert);
  rows.get(places[0].line)?.scrollIntoView({ block: "center" });
}

cards.forEach(card => card.addEventListener("click", () => show(card)));
if (cards.length > 0) show(cards[0]);

const rows = new Map([...document.querySelectorAll(".row")].map(row => [Number(row.dataset.line), row]));
const cards = [...document.querySelectorAll(".finding")];

function clear() {
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
    note.textContent = "  ^ " + place.text;
    row.append(note);
  }
}

function show(card) {
  clear();
  card.setAttribute("aria-pressed", "true");
  const places = JSON.parse(card.dataset.places);
  places.slice(1).forEach(place => mark(place, "first"));
  mark(places[0], "second");
  rows.get(places[0].line)?.scrollIntoView({ block: "center" });
}

cards.forEach(card => card.addEventListener("click", () => show(card)));
if (cards.length > 0) show(cards[0]);

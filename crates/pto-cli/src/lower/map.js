// A tile and its row in the table are shown together.
for (const section of document.querySelectorAll("section")) {
  const shown = [...section.querySelectorAll("[data-tile]")];
  const mark = (name, on) => shown.filter(e => e.dataset.tile === name).forEach(e => e.classList.toggle("chosen", on));
  for (const element of shown) {
    element.addEventListener("mouseenter", () => mark(element.dataset.tile, true));
    element.addEventListener("mouseleave", () => mark(element.dataset.tile, false));
  }
}

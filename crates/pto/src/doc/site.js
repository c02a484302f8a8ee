"use strict";
// Before the page is drawn: the colours that were chosen last.
function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
try { setTheme(localStorage.getItem("pto-theme")); } catch { /* no storage: the system decides */ }

/// Entries that have all words; those whose title begins with the first word come first.
function lookUp(text) {
  const words = text.toLowerCase().split(/\s+/).filter(w => w);
  if (!words.length) return [];
  const found = [];
  for (const entry of window.ptoSearch ?? []) {
    const title = entry[0].toLowerCase(), all = title + " " + entry[1].toLowerCase() + " " + entry[2].toLowerCase();
    if (!words.every(w => all.includes(w))) continue;
    const rank = title === words[0] ? 0 : title.startsWith(words[0]) ? 1 : words.every(w => title.includes(w)) ? 2 : 3;
    found.push([rank, entry]);
  }
  return found.sort((a, b) => a[0] - b[0]).map(f => f[1]);
}

document.addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("search"), list = document.getElementById("found");
  document.getElementById("theme").addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    const next = dark === "dark" ? "light" : "dark";
    setTheme(next);
    try { localStorage.setItem("pto-theme", next); } catch { /* for this page only */ }
  });
  let at = -1;
  function choose(next) {
    const links = list.querySelectorAll("a");
    if (!links.length) return;
    at = (next + links.length) % links.length;
    links.forEach((link, k) => link.classList.toggle("chosen", k === at));
    links[at].scrollIntoView({ block: "nearest" });
  }
  function show() {
    at = -1;
    list.hidden = !box.value.trim();
    const entries = lookUp(box.value).slice(0, 40).map(([title, kind, summary, link]) => {
      const entry = document.createElement("a"), name = document.createElement("b"), where = document.createElement("span"), text = document.createElement("small");
      entry.href = link; name.textContent = title; where.textContent = kind; text.textContent = summary;
      entry.append(name, where, text);
      return entry;
    });
    list.replaceChildren(...(entries.length ? entries : [list.dataset.none]));
    if (entries.length) choose(0);
  }
  box.addEventListener("input", show);
  box.addEventListener("focus", show);
  box.addEventListener("keydown", e => {
    if (e.key === "ArrowDown") { e.preventDefault(); choose(at + 1); }
    if (e.key === "ArrowUp") { e.preventDefault(); choose(at - 1); }
    if (e.key === "Enter") list.querySelector("a.chosen")?.click();
    if (e.key === "Escape") { box.value = ""; list.hidden = true; box.blur(); }
  });
  document.addEventListener("click", e => { if (!e.target.closest(".search")) list.hidden = true; });
  document.addEventListener("keydown", e => {
    if (e.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { e.preventDefault(); box.focus(); }
  });
});

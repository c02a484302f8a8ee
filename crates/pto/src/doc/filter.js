const find = document.getElementById("find");
const target = document.getElementById("target");
function filter() {
  const words = find.value.toLowerCase().split(/\s+/);
  let any = false;
  for (const family of document.querySelectorAll(".family")) {
    let shown = false;
    for (const row of family.querySelectorAll("tr")) {
      const text = row.textContent.toLowerCase();
      const fits = words.every((w) => text.includes(w)) && row.dataset.targets.split(", ").some((t) => !target.value || t === target.value);
      row.hidden = !fits;
      shown ||= fits;
    }
    family.hidden = !shown;
    any ||= shown;
  }
  document.getElementById("none").hidden = any;
}
find.addEventListener("input", filter);
target.addEventListener("change", filter);
filter();

//! Pages in a browser: no errors in the console, and they do what a user expects.
//!
//! `PTO_BROWSER=chromium cargo test -p pto-cli --test data page`; without the variable there is no browser to ask, and the tests are ignored.

use libtest_mimic::Trial;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What a user would do with a timeline, with what came of it as JSON in the page.
const TIMELINE: &str = r#"<script>
const found = {}, box = canvas.getBoundingClientRect(), range = () => document.body.dataset.range;
const at = (px, py) => ({ clientX: box.left + px, clientY: box.top + py, pointerId: 1, cancelable: true });
found.lanes = data.lanes.length;
const whole = range();
canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, ...at(500, 30) }));
found.wheel_zooms = range() !== whole;
$("all").click();
found.all_resets = range() === whole;
const item = data.lanes[0].items[0];
canvas.dispatchEvent(new PointerEvent("pointermove", at(x(item[1] + item[2] / 2), laneTop(0) + 10)));
found.tip = tip.style.display === "block" ? tip.textContent : "";
$("in").click();
const near = range();
found.button_zooms = near !== whole;
canvas.dispatchEvent(new PointerEvent("pointerdown", at(600, 30)));
canvas.dispatchEvent(new PointerEvent("pointermove", at(500, 30)));
canvas.dispatchEvent(new PointerEvent("pointerup", at(500, 30)));
found.drag_moves = range() !== near;
$("all").click();
canvas.dispatchEvent(new PointerEvent("pointerdown", at(x(item[1] + item[2] / 2), laneTop(0) + 10)));
canvas.dispatchEvent(new PointerEvent("pointerup", at(x(item[1] + item[2] / 2), laneTop(0) + 10)));
found.click_shows_line = document.querySelector(".row.chosen")?.firstChild.textContent === String(data.ops[item[0]].line);
found.details = $("details").textContent;
search("tload");
found.search_finds = hits.length > 0 && hits.every(h => data.ops[h[1][0]].name === "tload");
search("vector 1 line " + data.ops[hits[0][1][0]].line);
found.search_by_line = hits.every(h => h[0].name.includes("vector 1"));
search("");
found.legend = document.querySelectorAll("button[value]").length;
found.painted = pen.getImageData(0, 0, canvas.width, canvas.height).data.some(byte => byte !== 0);
found.path = data.lanes.some(lane => lane.items.some(i => i[3]));
found.memory = data.memory.length;
document.body.append(cell("pre", "FOUND" + JSON.stringify(found) + "END"));
</script></body>"#;

/// A finding is chosen, and both its lines are marked.
const FINDINGS: &str = r#"<script>
const found = { cards: cards.length, first: document.querySelectorAll(".row.first").length };
found.second = document.querySelector(".row.second")?.dataset.line ?? "";
cards[cards.length - 1].click();
found.chosen = cards[cards.length - 1].getAttribute("aria-pressed");
found.notes = document.querySelectorAll(".says").length;
found.added = document.querySelectorAll(".row.added").length;
const pre = document.createElement("pre");
pre.textContent = "FOUND" + JSON.stringify(found) + "END";
document.body.append(pre);
</script></body>"#;

/// Tiles are drawn with words to hover over.
const MAP: &str = r#"<script>
const shapes = [...document.querySelectorAll(".plot .tile")];
const found = { tiles: shapes.length, words: shapes.every(e => e.title.includes("bytes")) };
found.drawn = shapes.every(e => e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().height > 1);
found.rows = document.querySelectorAll("tr[data-tile]").length;
const pre = document.createElement("pre");
pre.textContent = "FOUND" + JSON.stringify(found) + "END";
document.body.append(pre);
</script></body>"#;

/// Search finds instructions, diagnostics and headings; the switch changes the colours.
const SITE: &str = r#"<script>addEventListener("load", () => {
const box = document.getElementById("search"), list = document.getElementById("found"), found = {};
const ask = text => { box.value = text; box.dispatchEvent(new Event("input")); return list.querySelector("a.chosen")?.getAttribute("href") ?? ""; };
found.instruction = ask("tmax");
found.diagnostic = ask("E0802");
found.heading = ask("partial instructions");
found.nothing = ask("no such thing") === "" && list.textContent.length > 0;
const colour = () => getComputedStyle(document.body).backgroundColor, before = colour();
document.getElementById("theme").click();
found.theme = colour() !== before;
found.wide = document.documentElement.scrollWidth <= innerWidth;
const pre = document.createElement("pre");
pre.textContent = "FOUND" + JSON.stringify(found) + "END";
document.body.append(pre);
});</script></body>"#;

/// A recording is moved through with the slider and the keyboard; an element is clicked and followed back to the input it came from.
const RECORDING: &str = r##"<script>
const found = {}, pixels = k => cards[k].canvas.getContext("2d").getImageData(0, 0, cards[k].canvas.width, cards[k].canvas.height).data.join();
found.moments = moments.length;
found.start = document.querySelector(".row.current")?.textContent.trim() ?? "";
const before = pixels(1);
$("time").value = 2; $("time").dispatchEvent(new Event("input"));
found.slider = [now, document.querySelector(".row.current")?.textContent.includes("trowexpandsub")];
found.heat_changes = pixels(2) !== before;
document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
found.keys = now;
const log = moments.find(m => m.op.name === "tlog").at;
show(log);
found.marked = $("cards").textContent.match(/NaN \d+|[+-]inf \d+/g)?.join(" ") ?? "";
found.valid = $("cards").textContent.includes("valid 6x24");
const small = cards[1].root.dataset.numbers;
cards[1].root.querySelector("[aria-label='zoom in']").click();
for (let k = 0; k < 8; k++) cards[1].scale(2);
found.numbers_on_zoom = [small, cards[1].root.dataset.numbers];
const last = moments.findLast(m => m.op.name === "tstore").at;
show(last);
found.changed = $("cards").textContent.match(/\d+ of \d+ changed/)?.[0] ?? "";
const card = cards[1], box = card.canvas.getBoundingClientRect(), { w, h, x, y } = card.layout();
const at = { clientX: box.left + SIDE + (5.5 - x) * w, clientY: box.top + HEAD + (2.5 - y) * h, pointerId: 1, bubbles: true };
card.canvas.dispatchEvent(new PointerEvent("pointerdown", at));
card.canvas.dispatchEvent(new PointerEvent("pointerup", at));
found.clicked = $("element").textContent;
found.way = [];
for (let k = 0; k < 20 && $("element").dataset.kind === "written"; k++) {
  found.way.push(moments[now].op.name);
  const links = document.querySelectorAll("#element ul button");
  if (!links.length) break;
  links[0].click();
}
found.input = $("element").textContent;
found.trail = document.querySelectorAll("#trail button").length;
document.querySelector("#trail button").click();
found.back = $("element").textContent === found.clicked;
found.lanes = strip.lanes.join(" ");
found.memory = document.querySelectorAll(".space button").length;
found.fits = document.documentElement.scrollWidth <= innerWidth;
found.width = innerWidth;
found.dark = matchMedia("(prefers-color-scheme: dark)").matches;
found.colour = getComputedStyle(document.body).backgroundColor;
document.body.append(cell("pre", "FOUND" + JSON.stringify(found) + "END"));
</script></body>"##;

pub fn trials() -> Vec<Trial> {
    let no_browser = std::env::var_os("PTO_BROWSER").is_none_or(|name| name.is_empty());
    let all: [(&str, fn()); 6] = [
        ("page/a timeline can be zoomed, moved and asked", timeline),
        ("page/findings are marked in the program", findings),
        ("page/tiles are drawn where they lie", map),
        ("page/a recording is stepped through and followed to its inputs", recording),
        ("page/a recording fits a narrow window with dark colours", narrow_recording),
        ("page/the site is searched and changes its colours", site),
    ];
    let trial = |(name, test): (&str, fn())| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(no_browser)
    };
    all.into_iter().map(trial).collect()
}

/// Makes a page, lets a browser run a script in it, and gives what the script found.
fn shown(command: &[&str], file: &str, script: &str) -> Value {
    let dir = tempfile::tempdir().expect("a directory");
    let page = dir.path().join("report.html");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let made = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"))
        .args(command)
        .arg(file)
        .arg("--html")
        .arg(&page)
        .output();
    assert_ne!(made.expect("pto runs").status.code(), Some(2));
    ask(&page, script)
}

/// Lets a browser run a script in a page, and gives what the script found.
fn ask(page: &Path, script: &str) -> Value {
    ask_with(page, script, &["--window-size=1200,900"])
}

/// The same with options of the browser.
fn ask_with(page: &Path, script: &str, options: &[&str]) -> Value {
    let browser = std::env::var_os("PTO_BROWSER").expect("PTO_BROWSER names a browser");
    let text = std::fs::read_to_string(page).expect("a page").replace("</body>", script);
    std::fs::write(page, text).expect("a page");
    let shown = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"])
        .args(options)
        .args(["--dump-dom", &format!("file://{}", page.display())])
        .output()
        .expect("a browser that runs");
    let log = String::from_utf8_lossy(&shown.stderr);
    assert!(!log.contains("CONSOLE"), "the console is not empty: {log}");
    let dom = String::from_utf8_lossy(&shown.stdout);
    let found = dom.rsplit("FOUND").next().and_then(|t| t.split("END").next()).expect("what was found");
    serde_json::from_str(&found.replace("&lt;", "<").replace("&gt;", ">")).expect("JSON")
}

fn timeline() {
    let found = shown(&["perf"], "examples/flash_attention_128.pto", TIMELINE);
    assert!(found["lanes"].as_u64() >= Some(8), "{found}");
    assert!(found["memory"].as_u64() >= Some(4), "{found}");
    for what in [
        "wheel_zooms",
        "all_resets",
        "button_zooms",
        "drag_moves",
        "painted",
        "path",
        "click_shows_line",
        "search_finds",
        "search_by_line",
    ] {
        assert_eq!(found[what], true, "{what}: {found}");
    }
    assert!(found["legend"].as_u64() >= Some(8), "{found}");
    assert!(found["details"].as_str().is_some_and(|t| t.contains("line ")), "{found}");
    assert!(found["tip"].as_str().is_some_and(|t| t.contains("line ") && t.contains("cycles")), "{found}");
}

fn findings() {
    let found = shown(&["race"], "tests/cli/race.pto", FINDINGS);
    assert_eq!((found["cards"].as_u64(), found["first"].as_u64()), (Some(1), Some(1)), "{found}");
    assert_eq!((&found["second"], &found["chosen"]), (&"28".into(), &"true".into()), "{found}");
    assert_eq!(found["notes"], 2, "{found}");
    assert!(found["added"].as_u64() >= Some(1), "{found}");
}

fn map() {
    let found = shown(&["plan"], "examples/softmax.pto", MAP);
    assert_eq!((&found["tiles"], &found["rows"]), (&6.into(), &6.into()), "{found}");
    assert!(found["words"] == true && found["drawn"] == true, "{found}");
}

/// The page of a recording on counted numbers, in a window.
fn recorded(options: &[&str]) -> Value {
    let dir = tempfile::tempdir().expect("a directory");
    let page = dir.path().join("report.html");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/view.pto");
    let made = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"))
        .arg("view")
        .arg(file)
        .args(["x=iota", "--html"])
        .arg(&page)
        .output();
    assert!(made.expect("pto runs").status.success());
    ask_with(&page, RECORDING, options)
}

fn recording() {
    let found = recorded(&["--window-size=1200,900"]);
    assert_eq!((&found["moments"], &found["dark"]), (&16.into(), &false.into()), "{found}");
    assert_eq!((&found["slider"], &found["keys"]), (&serde_json::json!([2, true]), &4.into()), "{found}");
    assert!(found["start"].as_str().is_some_and(|line| line.contains("tload")), "{found}");
    // The largest number of a row minus itself is 0; the others are negative.
    assert_eq!((&found["marked"], &found["valid"]), (&"NaN 138 -inf 6".into(), &true.into()), "{found}");
    assert_eq!(found["numbers_on_zoom"], serde_json::json!(["false", "true"]), "{found}");
    assert_eq!(found["changed"], "144 of 144 changed", "{found}");
    assert!(
        found["clicked"].as_str().is_some_and(|t| t.starts_with("%out[2, 5] = ") && t.contains("tstore")),
        "{found}"
    );
    let way = serde_json::json!(["tstore", "trowexpanddiv", "texp", "trowexpandsub", "tload"]);
    assert_eq!((&found["way"], &found["trail"], &found["back"]), (&way, &5.into(), &true.into()), "{found}");
    // Row 8 of 24 columns: 8 * 24 + 5.
    let input = found["input"].as_str().unwrap_or_default();
    assert!(input.starts_with("%in[2, 5] = 197") && input.ends_with("input x[8, 5]"), "{found}");
    assert_eq!((&found["lanes"], &found["memory"]), (&"MTE2 vector MTE3".into(), &4.into()), "{found}");
    assert!(found["heat_changes"] == true && found["fits"] == true, "{found}");
}

fn narrow_recording() {
    let found = recorded(&["--window-size=800,900", "--force-dark-mode", "--blink-settings=preferredColorScheme=0"]);
    assert!(found["width"].as_u64() <= Some(800) && found["fits"] == true && found["dark"] == true, "{found}");
    assert_eq!((&found["colour"], &found["keys"]), (&"rgb(20, 23, 28)".into(), &4.into()), "{found}");
}

fn site() {
    let dir = tempfile::tempdir().expect("a directory");
    let made = Command::new(env!("CARGO_BIN_EXE_pto")).args(["doc", "--all", "--out"]).arg(dir.path()).output();
    assert!(made.expect("pto runs").status.success());
    let found = ask(&dir.path().join("index.html"), SITE);
    assert_eq!(found["instruction"], "tmax.html", "{found}");
    assert_eq!(found["diagnostic"], "diagnostics.html#PTO-E0802", "{found}");
    assert_eq!(found["heading"], "numerics.html#partial-instructions", "{found}");
    assert!(found["nothing"] == true && found["theme"] == true && found["wide"] == true, "{found}");
}

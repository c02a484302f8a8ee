//! The page of `pto perf --html` in a browser: no errors, lanes are drawn, hovering shows the source, wheel and buttons zoom, dragging
//! moves.
//!
//! It needs a Chromium: `cargo test -p pto --test page -- --ignored`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a user would do, with what came of it as JSON in the page.
const SCRIPT: &str = r#"<script>
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
found.painted = pen.getImageData(0, 0, canvas.width, canvas.height).data.some(byte => byte !== 0);
found.path = data.lanes.some(lane => lane.items.some(i => i[3]));
found.memory = data.memory.length;
document.body.append(cell("pre", "FOUND" + JSON.stringify(found) + "END"));
</script></body>"#;

fn browser() -> PathBuf {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).flat_map(|dir| names.map(|n| dir.join(n)));
    places.into_iter().find(|p| p.exists()).expect("a Chromium on the PATH")
}

#[test]
#[ignore = "needs a Chromium"]
fn the_page_works_in_a_browser() {
    let dir = tempfile::tempdir().expect("a directory");
    let page = dir.path().join("report.html");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/flash_attention_128.pto");
    let made = Command::new(env!("CARGO_BIN_EXE_pto")).arg("perf").arg(example).arg("--html").arg(&page).output();
    assert!(made.expect("pto runs").status.success());
    let text = std::fs::read_to_string(&page).expect("a page").replace("</body>", SCRIPT);
    std::fs::write(&page, text).expect("a page");
    let shown = Command::new(browser())
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--window-size=1200,900"])
        .args(["--dump-dom", &format!("file://{}", page.display())])
        .output()
        .expect("a browser that runs");
    let log = String::from_utf8_lossy(&shown.stderr);
    assert!(!log.contains("CONSOLE"), "the console is not empty: {log}");
    let dom = String::from_utf8_lossy(&shown.stdout);
    let found = dom.rsplit("FOUND").next().and_then(|t| t.split("END").next()).expect("what was found");
    let found: serde_json::Value =
        serde_json::from_str(&found.replace("&lt;", "<").replace("&gt;", ">")).expect("JSON");
    assert!(found["lanes"].as_u64() >= Some(8), "{found}");
    assert!(found["memory"].as_u64() >= Some(4), "{found}");
    for what in ["wheel_zooms", "all_resets", "button_zooms", "drag_moves", "painted", "path"] {
        assert_eq!(found[what], true, "{what}: {found}");
    }
    assert!(found["tip"].as_str().is_some_and(|t| t.contains("line ") && t.contains("cycles")), "{found}");
}

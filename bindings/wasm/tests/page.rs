//! The playground in browsers. `playground/test` builds the page and calls this; without a page or a browser the tests are ignored.
//!
//! `PTO_PLAYGROUND=target/playground/index.html PTO_BROWSERS="chromium firefox-esr" cargo test -p pto-wasm --test page`

use libtest_mimic::{Arguments, Trial};
use pto_wasm::PageSession;
use serde_json::{Value as Json, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SCENARIO: &str = include_str!("scenario.js");
const PATIENCE: Duration = Duration::from_secs(400);

fn main() {
    let args = Arguments::from_args();
    let page = std::env::var_os("PTO_PLAYGROUND").map(PathBuf::from).filter(|page| page.exists());
    let browsers = std::env::var("PTO_BROWSERS").unwrap_or_default();
    let mut browsers: Vec<String> = browsers.split_whitespace().map(str::to_string).collect();
    let is_ready = page.is_some() && !browsers.is_empty();
    if !is_ready {
        browsers = vec!["a browser".to_string()];
    }
    let sizes = [("wide", "1400,900"), ("narrow", "500,900")];
    let trial = |browser: &String, (name, size): (&str, &'static str)| {
        let (browser, page) = (browser.clone(), page.clone().unwrap_or_default());
        Trial::test(format!("page/{browser}, {name}"), move || {
            use_page(&browser, &page, size);
            Ok(())
        })
        .with_ignored_flag(!is_ready)
    };
    let trials = browsers.iter().flat_map(|b| sizes.map(|size| trial(b, size))).collect();
    libtest_mimic::run(&args, trials).exit();
}

/// Ends the browser when the test does.
struct Browser(Child);

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Opens the page from a file, and gives what the scenario reports.
fn report(browser: &str, page: &Path, size: &str) -> Json {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = listener.local_addr().expect("an address");
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("index.html");
    let script = SCENARIO.replace("REPORT", &format!("http://{place}/"));
    let text = std::fs::read_to_string(page).expect("the page");
    let text = text.replace("</body>", &format!("<script type=\"module\">\n{script}</script></body>"));
    std::fs::write(&file, text).expect("a copy of the page");
    let mut command = Command::new(browser);
    if browser.contains("firefox") {
        let (width, height) = size.split_once(',').unwrap_or((size, size));
        command.args(["--headless", "--no-remote", "--width", width, "--height", height]);
        command.arg("--profile").arg(dir.path());
    } else {
        command.args(["--headless", "--no-sandbox", "--disable-gpu", &format!("--window-size={size}")]);
        command.arg(format!("--user-data-dir={}", dir.path().join("profile").display()));
    }
    command.arg(format!("file://{}", file.display())).stdout(Stdio::null()).stderr(Stdio::null());
    let _browser = Browser(command.spawn().expect("a browser that starts"));
    receive(&listener)
}

/// The body of the first request that has one.
fn receive(listener: &TcpListener) -> Json {
    listener.set_nonblocking(true).expect("a socket");
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let Ok((mut stream, _)) = listener.accept() else {
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        stream.set_nonblocking(false).expect("a socket");
        let (mut bytes, mut part) = (Vec::new(), [0; 65536]);
        loop {
            if let Some(body) = body_of(&bytes) {
                let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n");
                return serde_json::from_slice(body).expect("JSON");
            }
            match stream.read(&mut part) {
                Ok(0) | Err(_) => break,
                Ok(n) => bytes.extend_from_slice(&part[..n]),
            }
        }
    }
    panic!("the page reported nothing");
}

fn body_of(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length: usize = head.lines().find_map(|line| line.strip_prefix("content-length:"))?.trim().parse().ok()?;
    (length > 0).then(|| bytes.get(end..end + length)).flatten()
}

fn use_page(browser: &str, page: &Path, size: &str) {
    let report = report(browser, page, size);
    let (found, times) = (&report["found"], &report["times"]);
    println!("{browser} {size}: {times}");
    assert_eq!(found["error"], Json::Null, "{found:#}");
    assert_eq!((&found["typo"], &found["fixed"]), (&json!("PTO-E0004"), &json!(true)), "{found:#}");
    assert_eq!((&found["underlined"], &found["softmax"]), (&json!(1), &json!("8c322766")), "{found:#}");
    assert_eq!(found["completions"][0], "pto.trowmax", "{found:#}");
    assert!(found["card"].as_str().is_some_and(|card| card.contains("TMULS")), "{found:#}");
    assert_eq!(found["findings"], json!(["PTO-E0802"]), "{found:#}");
    assert!(found["clean"].as_str().is_some_and(|text| text.contains("No race found")), "{found:#}");
    for (name, least) in
        [("perf", 1), ("plan", 1), ("cpp", 1), ("forms", 5), ("doc", 1), ("cells", 100), ("coloured", 6)]
    {
        assert!(found[name].as_u64() >= Some(least), "{name}: {found:#}");
    }
    for name in ["advice", "drawn", "responsive", "stopped", "fits"] {
        assert_eq!(found[name], true, "{name}: {found:#}");
    }
    same_checksums(&found["checksums"]);
}

/// The numbers in the browser are those of this machine.
fn same_checksums(found: &Json) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, theirs) in found.as_object().expect("an object") {
        let folder = if root.join(format!("examples/{name}.pto")).exists() { "examples" } else { "docs/guide" };
        let text = std::fs::read_to_string(root.join(folder).join(format!("{name}.pto"))).expect("a program");
        assert_eq!(&checksums(name, &text), theirs, "{name}");
    }
}

fn checksums(name: &str, text: &str) -> Json {
    let mut words = vec!["run", "k.pto", "--json"];
    match name {
        "vector_add" => words.push("n=100000"),
        "int8_gemm" => words.push("scale=1"),
        "all_reduce" => words.extend(["--ranks", "4"]),
        _ => {}
    }
    let mut session = PageSession::new();
    session.put("k.pto", text.as_bytes().to_vec());
    let answer: Json = serde_json::from_str(&session.call(&json!({ "command": words }).to_string())).expect("JSON");
    let report: Json = serde_json::from_str(answer["stdout"].as_str().unwrap_or_default()).expect("a report");
    let parameters = report["parameters"].as_array().expect("parameters").iter();
    let sum = |p: &Json| Some(format!("{} {}", p["name"].as_str()?, p["summary"]["crc32"].as_str()?));
    parameters.filter_map(sum).collect::<Vec<_>>().into()
}

//! The site that `pto doc --all` writes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// Every file of the site, by its path.
fn site() -> BTreeMap<String, Vec<u8>> {
    let dir = tempfile::tempdir().expect("a directory");
    let made = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"))
        .args(["doc", "--all", "--out"])
        .arg(dir.path())
        .output();
    let made = made.expect("pto starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let mut files = BTreeMap::new();
    read(dir.path(), "", &mut files);
    files
}

fn read(dir: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(dir).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => read(&entry.path(), &format!("{name}/"), files),
            false => drop(files.insert(name, std::fs::read(entry.path()).expect("a file"))),
        }
    }
}

/// The values of an attribute in a page.
fn attribute<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The links that the data of the search box has.
fn found_by_search(data: &str) -> Vec<&str> {
    data.lines().filter_map(|line| line.trim_end_matches(',').strip_suffix("\"]")?.rsplit('"').next()).collect()
}

/// The path that a link on a page leads to.
fn path(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Every link of every page and of the search leads to a file of the site, and to a place in it; nothing is loaded from elsewhere.
#[test]
fn every_link_of_the_site_leads_somewhere() {
    let files = site();
    let texts: HashMap<&str, &str> =
        files.iter().map(|(name, bytes)| (name.as_str(), std::str::from_utf8(bytes).unwrap_or(""))).collect();
    let anchors: HashMap<&str, HashSet<&str>> =
        texts.iter().map(|(name, text)| (*name, attribute(text, "id").into_iter().collect())).collect();
    let mut wrong = Vec::new();
    for (name, text) in &texts {
        let mut links = if name.ends_with("search.js") { found_by_search(text) } else { Vec::new() };
        if name.ends_with(".html") {
            links.extend(attribute(text, "href").into_iter().filter(|l| !l.starts_with("https://")));
            links.extend(attribute(text, "src"));
        }
        for link in links.into_iter().filter(|l| !l.starts_with("data:")) {
            let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
            let to = if file.is_empty() { name.to_string() } else { path(name, file) };
            if link.is_empty()
                || !anchors.get(to.as_str()).is_some_and(|all| fragment.is_empty() || all.contains(fragment))
            {
                wrong.push(format!("{name}: {link}"));
            }
        }
    }
    wrong.sort();
    assert!(wrong.is_empty(), "{} links lead nowhere:\n{}", wrong.len(), wrong.join("\n"));
    for page in ["index", "guide", "language", "instructions", "diagnostics", "decisions", "numerics", "tmax"] {
        for folder in ["", "zh/"] {
            assert!(texts.contains_key(format!("{folder}{page}.html").as_str()), "{folder}{page}");
        }
    }
}

//! Makes a failing program smaller.

/// Programs tried before the smallest so far must do.
const TRIES: usize = 4000;

/// Removes lines as long as the program still fails.
///
/// What fills memory for the first time stays as long as anything mentions that memory: without it a program would
/// depend on what is undefined, and fail for another reason.
pub fn reduce(text: &str, fails: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut tries = TRIES;
    let mut changed = true;
    while changed && tries > 0 {
        changed = false;
        for size in [32, 16, 8, 4, 2, 1] {
            let mut at = lines.len();
            while at > 0 && tries > 0 {
                at -= 1;
                let Some(end) = chunk(&lines, at, size) else { continue };
                let Some(rest) = without(&lines, at, end) else { continue };
                tries -= 1;
                if fails(&rest.join("\n")) {
                    lines = rest;
                    changed = true;
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

/// The end of `size` lines, extended to whole regions.
fn chunk(lines: &[&str], start: usize, size: usize) -> Option<usize> {
    let mut depth = 0;
    for (count, line) in lines[start..].iter().enumerate() {
        let text = line.trim();
        if text.starts_with('}') {
            depth -= 1;
        }
        if depth < 0 {
            return None;
        }
        if text.ends_with('{') {
            depth += 1;
        }
        if depth == 0 && count + 1 >= size {
            return Some(start + count + 1);
        }
    }
    None
}

/// The lines without some of them, and without what fills memory that these define; nothing when other memory would
/// not be filled any more.
fn without<'a>(lines: &[&'a str], start: usize, end: usize) -> Option<Vec<&'a str>> {
    let defines = |line: &&str| line.trim().split(" = ").next().map(str::to_string);
    let defined: Vec<String> = lines[start..end].iter().filter_map(defines).collect();
    let outside = lines[..start].iter().chain(&lines[end..]);
    let rest: Vec<&str> =
        outside.copied().filter(|line| filled(line).is_none_or(|name| !defined.contains(&name))).collect();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '%';
    let mentions = |name: &String| rest.iter().any(|l| l.split(|c| !is_name(c)).any(|word| word == name));
    let lost = lines[start..end].iter().filter_map(|line| filled(line)).any(|name| mentions(&name));
    (!lost).then_some(rest)
}

/// The memory that a line fills.
fn filled(line: &str) -> Option<String> {
    let after = |text: &str| {
        let name: String = line.split(text).nth(1)?.chars().take_while(char::is_ascii_alphanumeric).collect();
        Some(format!("%{name}"))
    };
    match line.trim().split(' ').next()? {
        "pto.tload" => after("outs(%"),
        "pto.local_array_set" => after("local_array_set %"),
        "pto.struct_set" => after("struct_set %"),
        "memref.store" => after(", %"),
        _ => None,
    }
}

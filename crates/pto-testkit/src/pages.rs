//! Pages of the documentation, so that tests can run what they show.

/// A fenced block.
#[derive(Clone, Debug)]
pub struct Fenced<'a> {
    /// The line of its fence, from 1.
    pub line: usize,
    /// What stands behind the fence.
    pub info: &'a str,
    /// Its lines.
    pub lines: Vec<&'a str>,
}

/// The fenced blocks of a page, in order.
pub fn fenced_blocks(page: &str) -> Vec<Fenced<'_>> {
    let mut blocks: Vec<Fenced<'_>> = Vec::new();
    let mut open = false;
    for (at, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(info), false) => blocks.push(Fenced { line: at + 1, info, lines: Vec::new() }),
            (None, true) => blocks.last_mut().expect("one is open").lines.push(line),
            _ => {}
        }
        open ^= line.starts_with("```");
    }
    blocks
}

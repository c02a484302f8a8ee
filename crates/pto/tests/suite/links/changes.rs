//! Programs with something wrong in their text.

use super::{Case, Expected};
use pto_testkit::random::Random;

/// Numbers that are likely to be out of range.
const NUMBERS: [&str; 9] = ["0", "1", "2", "3", "15", "17", "-1", "4096", "4294967295"];

/// Changes one to three lines: removes, repeats or moves one, or replaces a number.
pub fn change(case: &mut Case, random: &mut Random) {
    let mut lines: Vec<String> = case.text.lines().map(str::to_string).collect();
    for _ in 0..1 + random.below(3) {
        let (a, b) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(6) {
            0 => drop(lines.remove(a)),
            1 => lines.insert(b, lines[a].clone()),
            2 => lines.swap(a, b),
            _ => lines[a] = other_number(&lines[a], random),
        }
    }
    case.text = lines.join("\n");
    case.expected = Expected::Anything;
}

/// Replaces one of the numbers in a line.
fn other_number(line: &str, random: &mut Random) -> String {
    let digit = |at: usize| line.as_bytes()[at].is_ascii_digit();
    let starts: Vec<usize> = (1..line.len())
        .filter(|at| digit(*at) && matches!(line.as_bytes()[at - 1], b' ' | b'=' | b'x' | b'<' | b'[' | b'-'))
        .collect();
    if starts.is_empty() {
        return line.to_string();
    }
    let start = *random.pick(&starts);
    let end = (start..line.len()).find(|at| !digit(*at)).unwrap_or(line.len());
    format!("{}{}{}", &line[..start], random.pick(&NUMBERS), &line[end..])
}

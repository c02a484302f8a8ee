//! Programs laid out for a page: long types get a name, long lines are broken.

use pto_isa::sort::SharedSort;

/// Columns a line of an example may have.
const WIDTH: usize = 92;

/// Types that are worth a name.
const NAMED: [&str; 3] = ["!pto.tile_buf<", "!pto.partition_tensor_view<", "!pto.tensor_view<"];

/// The same program with aliases for its long types and without long lines.
pub(super) fn laid_out(program: &str) -> String {
    let mut text = program.to_string();
    let mut head = String::new();
    let types = repeated_types(program);
    for (at, ty) in types.iter().enumerate() {
        let alias = alias(program, ty, at, types.len());
        text = text.replace(ty, &alias);
        let gap = if alias.len() + ty.len() + 3 > WIDTH { "\n    " } else { " " };
        head += &format!("{alias} ={gap}{ty}\n");
    }
    head + &text.lines().map(|line| fold(line, WIDTH)).collect::<String>()
}

/// The long types that occur more than once, in order of appearance.
fn repeated_types(program: &str) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for open in NAMED {
        for (at, _) in program.match_indices(open) {
            let Some(end) = program[at..].find('>') else { continue };
            let ty = &program[at..=at + end];
            if found.iter().all(|(_, t)| t != ty) && program.matches(ty).count() > 1 {
                found.push((at, ty.to_string()));
            }
        }
    }
    found.shared_sort();
    found.into_iter().map(|(_, ty)| ty).collect()
}

/// A name for a type: `!tile` when it is the only one, else that of the first value declared with it.
fn alias(program: &str, ty: &str, at: usize, count: usize) -> String {
    if count == 1 && ty.starts_with("!pto.tile_buf") {
        return "!tile".to_string();
    }
    let declared = program.find(&format!(": {ty}")).and_then(|end| {
        let name = program[..end].rsplit_once('%')?.1;
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        (name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(word)).then_some(name)
    });
    match declared {
        Some(name) => format!("!{name}_t"),
        None => format!("!t{at}"),
    }
}

/// Breaks a long line before `outs(…)` or `->`, or after a comma; what follows is indented below it.
pub(super) fn fold(line: &str, width: usize) -> String {
    let indent = " ".repeat(line.len() - line.trim_start().len() + 4);
    let mut out = String::new();
    let mut rest = line.to_string();
    while let Some(at) = break_in(&rest, indent.len(), width) {
        out += &format!("{}\n", rest[..at].trim_end());
        rest = format!("{indent}{}", rest[at..].trim_start());
    }
    out + &rest + "\n"
}

/// Where to break a line that is too long: after its indentation and inside the width, between parts of the statement
/// if possible, else inside a list of attributes.
fn break_in(line: &str, indent: usize, width: usize) -> Option<usize> {
    let limit = line.char_indices().nth(width)?.0;
    let fits = &line[..limit];
    let before = |mark: &str| fits.match_indices(mark).map(|(at, _)| at).filter(|at| *at > indent).last();
    let commas = || fits.match_indices(", ").map(|(at, _)| at + 1).filter(|at| *at > indent);
    let outside = || commas().filter(|at| is_outside(fits, *at)).last().max(before(" <{")).max(before(" : ("));
    before(" outs(").or_else(|| before(" -> ")).or_else(outside).or_else(|| commas().last())
}

/// True when no angle bracket is open at a position: types and attribute lists stay in one piece.
fn is_outside(line: &str, at: usize) -> bool {
    let text = line[..at].replace("->", "");
    text.matches('<').count() == text.matches('>').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_types_get_names() {
        let t = "!pto.tile_buf<vec, 16x16xf32>";
        let program = format!("func.func @f(%a: {t}, %b: {t}) {{\n  return\n}}\n");
        assert_eq!(laid_out(&program), format!("!tile = {t}\nfunc.func @f(%a: !tile, %b: !tile) {{\n  return\n}}\n"));
    }

    #[test]
    fn long_lines_are_broken_at_commas() {
        let line = format!("  func.func @f({}) {{", ["%value: index"; 12].join(", "));
        let folded = fold(&line, WIDTH);
        assert!(folded.lines().count() > 1 && folded.lines().all(|l| l.len() <= WIDTH));
        assert_eq!(folded.split_whitespace().collect::<String>(), line.split_whitespace().collect::<String>());
    }
}

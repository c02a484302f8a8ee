//! The example of a page by hand: its tiles at addresses.

use crate::sample::Sample;
use crate::{Program, Target};
use pto_isa::Loc;
use pto_isa::ordered::OrdMap;
use std::fmt::Write;

/// Tiles start at multiples of this, so that addresses are easy to read.
const STEP: u64 = 0x1000;

/// The example with its tile parameters as tiles of the function, one after the other in each memory; `None` if it has no such
/// parameter, or has no room for them.
pub(super) fn placed(sample: &Sample) -> Option<String> {
    let (head, body) = sample.text.split_once(" {\n")?;
    let (name, params) = head.split_once('(')?;
    let (params, rest) = params.rsplit_once(')')?;
    let sizes = tile_sizes(&sample.text);
    let (mut kept, mut tiles, mut next) = (Vec::new(), String::new(), OrdMap::<Loc, u64>::new());
    for param in split(params) {
        let (value, ty) = param.split_once(": ")?;
        let Some((loc, bytes)) = sizes.get(value.trim_start_matches('%')) else {
            kept.push(param);
            continue;
        };
        let at = next.entry(*loc).or_default();
        let _ = writeln!(tiles, "  {value}_at = arith.constant {at} : i64");
        let _ = writeln!(tiles, "  {value} = pto.alloc_tile addr = {value}_at : {ty}");
        *at += bytes.next_multiple_of(STEP);
    }
    let text = format!("{name}({}){rest} {{\n{tiles}{body}", kept.join(", "));
    let is_legal = |text: &str| Program::parse(text).inspect(sample.target).iter().all(crate::Diagnostic::is_hazard);
    (!tiles.is_empty() && is_legal(&text)).then_some(text)
}

/// The memory and the size of the tile parameters, by name.
fn tile_sizes(text: &str) -> OrdMap<String, (Loc, u64)> {
    let program = Program::parse(text);
    let module = program.module();
    let regions = module.functions().into_iter().flat_map(|f| module.op_regions(f).to_vec());
    let blocks = regions.filter_map(|r| module.region(r).blocks.first().copied());
    let params = blocks.flat_map(|b| module.block(b).args.clone());
    let tiles = params.filter_map(|value| {
        let tile = module.tile(value)?;
        Some((module.value_name(value).to_string(), (tile.loc, tile.bytes())))
    });
    tiles.collect()
}

/// Splits parameters at the commas between them.
fn split(params: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in params.char_indices() {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' if !params[..at].ends_with('-') => depth -= 1,
            ')' | '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(params[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(params[start..].trim());
    parts
}

/// The C++ of a program, without its head.
pub(super) fn cpp(text: &str, target: Target) -> Option<String> {
    let checked = Program::parse(text).check(target).ok()?;
    let emitted = crate::emit::emit(&checked, &crate::emit::Options::default()).ok()?;
    let lines = emitted.text.lines().filter(|l| !l.starts_with("//")).map(without_line_number);
    Some(lines.collect::<Vec<_>>().join("\n").trim().to_string())
}

/// Drops the number of the source line at the end.
fn without_line_number(line: &str) -> &str {
    match line.rsplit_once("  // ") {
        Some((code, number)) if number.bytes().all(|b| b.is_ascii_digit()) => code,
        _ => line,
    }
}

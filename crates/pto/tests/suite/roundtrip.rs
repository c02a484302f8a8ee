//! Printing a program and reading it back gives the same program, in every form.
//!
//! Runs on the programs of this repository; with `PTO_CORPUS=dir:dir` also on every `.pto` file below those.

use pto::ir::{self, Style, TypeStyle, buffers};
use pto::syntax::{FormatOptions, format, parse};
use pto::{Form, Module, bytecode};
use pto_num::{Bf16, F16, Float, Round, Saturate};
use pto_testkit::corpus::corpus;

const FORMS: [Option<Form>; 5] = [None, Some(Form::Level1), Some(Form::Level2), Some(Form::Asm), Some(Form::Generic)];

/// What went wrong when a module was printed in a style and read back.
fn round_trip(module: &Module, style: Style) -> Result<(), String> {
    let text = ir::print(module, style);
    let (again, problems) = parse(&text);
    if let Some(d) = problems.first() {
        let at = d.primary.span.start as usize;
        let line = text[..at.min(text.len())].matches('\n').count();
        return Err(format!("{}: {} in `{}`", d.code, d.message, text.lines().nth(line).unwrap_or("")));
    }
    if !ir::same(module, &again) {
        return Err("reads back as another program".to_string());
    }
    let second = ir::print(&again, style);
    if second != text {
        let difference = text.lines().zip(second.lines()).find(|(a, b)| a != b);
        return Err(format!("prints differently the second time: {difference:?}"));
    }
    Ok(())
}

/// All forms of one source, in turn with one of the two spellings of types (`ROUNDTRIP_ALL=1`: both); programs that cannot be read are
/// left to other tests.
fn check_source(source: &str) -> Result<bool, String> {
    let (module, problems) = parse(source);
    if !problems.is_empty() {
        return Ok(false);
    }
    let all = std::env::var_os("ROUNDTRIP_ALL").is_some();
    for (number, form) in FORMS.into_iter().enumerate() {
        let turn = usize::from((number + source.len()).is_multiple_of(2));
        let both = [TypeStyle::Compact, TypeStyle::Keyed];
        for types in if all { &both[..] } else { &both[turn..=turn] } {
            let converted = match form {
                Some(Form::Level2) => buffers::to_buffers(&module, pto::isa::Targets::ALL).ok(),
                _ => Some(module.clone()),
            };
            let Some(converted) = converted else { continue };
            round_trip(&converted, Style { form, types: *types, source: None })
                .map_err(|e| format!("{form:?} {types:?}: {e}"))?;
        }
    }
    let once =
        format(source, FormatOptions::default()).map_err(|d| format!("format: {}", d.diagnostics()[0].message))?;
    let twice =
        format(&once, FormatOptions::default()).map_err(|d| format!("format again: {}", d.diagnostics()[0].message))?;
    if once != twice {
        let difference = once.lines().zip(twice.lines()).find(|(a, b)| a != b);
        return Err(format!("formatting twice changes it: {difference:?}"));
    }
    Ok(true)
}

#[test]
fn every_program_reads_back_in_every_form() {
    let mut failures = Vec::new();
    let (mut read, mut skipped) = (0, 0);
    for path in corpus() {
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        match check_source(&source) {
            Ok(true) => read += 1,
            Ok(false) => skipped += 1,
            Err(e) => failures.push(format!("{}: {e}", path.display())),
        }
    }
    println!("{read} programs in {} forms, {skipped} not readable", FORMS.len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(read >= 400, "only {read} programs were read");
}

/// Programs nobody wrote: drawn from the table, with loops, branches, values and buffers.
#[test]
fn generated_programs_read_back_in_every_form() {
    for target in pto::Target::ALL {
        for seed in 0..25 {
            let source = pto_testkit::random_program(seed, target, 20);
            let done = check_source(&source).unwrap_or_else(|e| panic!("seed {seed} on {target}: {e}\n{source}"));
            assert!(done, "seed {seed} on {target} is not readable:\n{source}");
        }
    }
}

/// The text of a program, without what only a text has: comments and aliases.
fn plain(module: &Module) -> String {
    let mut module = module.clone();
    module.aliases.clear();
    ir::print(&module, Style::default())
}

/// True for two lines with the same constant: its text may have more digits than its type holds.
fn same_number(a: &str, b: &str) -> bool {
    let parts = |line: &str| {
        let (head, rest) = line.split_once("arith.constant ")?;
        let (number, ty) = rest.split_once(" : ")?;
        Some((head.to_string(), number.parse::<f64>().ok()?, ty.to_string()))
    };
    let (Some(a), Some(b)) = (parts(a), parts(b)) else { return false };
    let bits = |number: f64, ty: &str| match ty {
        "f16" => F16::round(number, Round::Rint, Saturate::Off).to_bits(),
        "bf16" => Bf16::round(number, Round::Rint, Saturate::Off).to_bits(),
        _ => (number as f32).to_bits(),
    };
    (&a.0, &a.2) == (&b.0, &b.2) && bits(a.1, &a.2) == bits(b.1, &b.2)
}

/// What went wrong when a program was written as bytecode and read back; `false` where the container cannot hold it.
fn through_bytecode(module: &Module) -> Result<bool, String> {
    let Ok(bytes) = bytecode::encode(module, bytecode::Options::default()) else { return Ok(false) };
    let text = bytecode::decode(&bytes).map_err(|d| d.diagnostics()[0].message.clone())?;
    let (again, problems) = parse(&text);
    if let Some(d) = problems.first() {
        return Err(format!("{}: {}", d.code, d.message));
    }
    let (before, after) = (plain(module), plain(&again));
    if before.lines().count() != after.lines().count() {
        return Err(format!("{} lines became {}", before.lines().count(), after.lines().count()));
    }
    match before.lines().zip(after.lines()).find(|(a, b)| a != b && !same_number(a, b)) {
        Some((a, b)) => Err(format!("`{a}` became `{b}`")),
        None => Ok(true),
    }
}

#[test]
fn every_program_reads_back_from_bytecode() {
    let (mut held, mut all, mut failures) = (0, 0, Vec::new());
    for path in corpus() {
        let (module, problems) = parse(&std::fs::read_to_string(&path).expect("a text"));
        if !problems.is_empty() {
            continue;
        }
        all += 1;
        match through_bytecode(&module) {
            Ok(kept) => held += usize::from(kept),
            Err(why) => failures.push(format!("{}: {why}", path.display())),
        }
    }
    println!("{held} of {all} programs can be held");
    assert!(held > 100 && failures.is_empty(), "{held} programs; {}\n{}", failures.len(), failures.join("\n"));
}

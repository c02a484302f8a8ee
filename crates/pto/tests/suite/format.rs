//! `pto fmt` keeps what a program says and how it says it: forms, omitted types, comments.
//!
//! Every property is tried on a program for each instruction, on the programs of this repository, and, with
//! `PTO_CORPUS=dir:dir`, on every `.pto` file below those.

use pto::ir::{self, TypeStyle, buffers};
use pto::isa::{Target, Targets, table};
use pto::syntax::{FormatOptions, format, parse};
use pto::{Form, Module, sample};
use pto_testkit::corpus::corpus;
use std::collections::HashSet;

const FORMS: [Option<Form>; 5] = [None, Some(Form::Level1), Some(Form::Level2), Some(Form::Asm), Some(Form::Generic)];
const TYPES: [Option<TypeStyle>; 3] = [None, Some(TypeStyle::Compact), Some(TypeStyle::Keyed)];

fn readable(source: &str) -> Result<Module, String> {
    let (module, problems) = parse(source);
    match problems.iter().find(|d| d.is_error()) {
        None => Ok(module),
        Some(d) => {
            let at = (d.primary.span.start as usize).min(source.len());
            let line = source[..at].matches('\n').count();
            Err(format!("{}: {} in `{}`", d.code, d.message, source.lines().nth(line).unwrap_or("")))
        }
    }
}

fn formatted(source: &str, options: FormatOptions) -> Result<String, String> {
    format(source, options).map_err(|d| format!("{options:?}: {}", d.diagnostics()[0].message))
}

fn must_equal(once: &str, again: &str, what: &str) -> Result<(), String> {
    if once == again {
        return Ok(());
    }
    let difference = once.lines().zip(again.lines()).find(|(a, b)| a != b);
    Err(format!("{what}: {difference:?}"))
}

fn comments(module: &Module) -> Vec<String> {
    let mut all: Vec<String> = module.comments.iter().map(|c| c.text.to_string()).collect();
    all.sort();
    all
}

/// Every property of one source in one style.
fn check_style(source: &str, module: &Module, options: FormatOptions) -> Result<(), String> {
    let wanted = match options.form {
        // What has no buffer form is reported, not formatted.
        Some(Form::Level2) => match buffers::to_buffers(module, Targets::ALL) {
            Ok(m) => m,
            Err(_) => return Ok(()),
        },
        _ => module.clone(),
    };
    let once = formatted(source, options)?;
    let again = readable(&once).map_err(|e| format!("{options:?}: {e}"))?;
    if !ir::same(&wanted, &again) {
        return Err(format!("{options:?}: reads back as another program"));
    }
    if comments(module) != comments(&again) {
        return Err(format!("{options:?}: comments are lost or changed"));
    }
    must_equal(&once, &formatted(&once, options)?, &format!("{options:?}: formatting twice changes it"))?;
    let plain = FormatOptions::default();
    must_equal(&once, &formatted(&once, plain)?, &format!("{options:?}: `--check` without options would fail"))
}

/// All styles of one source; `false` for one that cannot be read.
fn check_source(source: &str) -> Result<bool, String> {
    check_styles(source, |_| true)
}

/// The styles that are asked for, by their number.
fn check_styles(source: &str, is_wanted: impl Fn(usize) -> bool) -> Result<bool, String> {
    let Ok(module) = readable(source) else { return Ok(false) };
    let styles = FORMS.into_iter().flat_map(|form| TYPES.map(|types| FormatOptions { form, types }));
    for (_, style) in styles.enumerate().filter(|(number, _)| is_wanted(*number)) {
        check_style(source, &module, style)?;
    }
    Ok(true)
}

fn is_thorough() -> bool {
    std::env::var_os("FORMAT_ALL").is_some()
}

/// From each form to one other, the next one for the next sample. `FORMAT_ALL=1` tries all.
#[test]
fn every_instruction_in_every_form() {
    let (mut seen, mut failures) = (HashSet::new(), Vec::new());
    for op in table::all() {
        for target in Target::ALL {
            let Some(source) = sample::program(op, target).filter(|s| seen.insert(s.clone())) else { continue };
            let mut fail = |why: String| failures.push(format!("{} on {target}: {why}", op.row().name));
            if let Err(e) = check_source(&source) {
                fail(e);
            }
            for (place, from) in FORMS.into_iter().enumerate() {
                let Ok(text) = format(&source, FormatOptions { form: from, types: None }) else { continue };
                let Ok(module) = readable(&text) else { continue };
                let is_wanted = |to: usize| is_thorough() || (place + to + seen.len()).is_multiple_of(FORMS.len());
                for (_, form) in FORMS.into_iter().enumerate().filter(|(to, _)| is_wanted(*to)) {
                    if let Err(e) = check_style(&text, &module, FormatOptions { form, types: None }) {
                        fail(format!("from {from:?}: {e}"));
                    }
                }
            }
        }
    }
    assert!(
        seen.len() > 200 && failures.is_empty(),
        "{} samples, {}:\n{}",
        seen.len(),
        failures.len(),
        failures.join("\n")
    );
}

/// Each program in every form, with one of the spellings of types: the next one for the next form and the next program.
/// `FORMAT_ALL=1` tries all spellings.
#[test]
fn every_program_in_every_form() {
    let (mut read, mut failures) = (0, Vec::new());
    let all = is_thorough();
    for (number, path) in corpus().into_iter().enumerate() {
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        let place = |style: usize| style % TYPES.len() + style / TYPES.len() + number;
        let is_wanted = |style: usize| all || place(style).is_multiple_of(TYPES.len());
        match check_styles(&source, is_wanted) {
            Ok(done) => read += usize::from(done),
            Err(e) => failures.push(format!("{}: {e}", path.display())),
        }
    }
    println!("{read} programs");
    assert!(read > 300 && failures.is_empty(), "{read} programs, {}:\n{}", failures.len(), failures.join("\n"));
}

const HEAD: &str = "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>, %b: !pto.tile_buf<vec, 16x16xf32>, %x: f32) {\n";

/// Statements that formatting leaves as they are, each in its own form.
const KEPT: &[&str] = &[
    "%v = pto.tmax %a, %b : (!pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) -> !pto.tile<16x16xf32>",
    "%v = pto.tmax %a, %b : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>",
    "%v = pto.tmax %a, %b",
    "%v = pto.tmax %a, %b -> !pto.tile<16x16xf32>",
    "%v = pto.tmax %a, %b : !pto.tile<16x16xf32>",
    "%v = pto.tmax %a, %b : (!pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>)",
    "%v = tmax %a, %b : !pto.tile<...>",
    "%v = tmax %a, %b",
    "%v = tmax %a, %b : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32> -> !pto.tile<16x16xf32>",
    "%v = tadds %a, %x : !pto.tile_buf<vec, 16x16xf32> -> !pto.tile<16x16xf32>",
    "%v = tadds %a, %x : (!pto.tile<...>, dtype) -> !pto.tile<...>",
    "%b = pto.tmax %a, %b : (!pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) -> !pto.tile_buf<vec, 16x16xf32>",
    "%b = pto.tmax %a, %b",
    "%b = tmax %a, %b",
    "%b = tmax %a, %b : !pto.tile<...>",
    "pto.tmax ins(%a, %b : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) outs(%b : !pto.tile_buf<vec, 16x16xf32>)",
    "pto.tmax ins(%a, %b) outs(%b)",
    "pto.tmax ins(%a, %b : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%b : !pto.tile_buf<...>)",
    "pto.tmax ins(%a, %b) outs(%b : !pto.tile_buf<vec, 16x16xf32>)",
    "tmax ins(%a, %b) outs(%b)",
    "pto.tmov ins(%a) outs(%b)",
    "pto.tmov ins(%a : !pto.tile_buf<vec, 16x16xf32>) outs(%b)",
    "pto.tmov ins(%a) outs(%b : !pto.tile_buf<vec, 16x16xf32>)",
    "pto.tmax ins(%a, %b : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) outs(%b)",
    "pto.tmax %a, %b, %b",
    "pto.tcmps ins(%a, %x {cmpMode = #pto<cmp gt>}) outs(%m)",
    "%v = tcmps %a, %x {cmpMode = #pto.cmp<GT>}",
    "\"pto.tmax\"(%a, %b, %b) : (!pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) -> ()",
    "%v = \"arith.addf\"(%x, %x) : (f32, f32) -> f32",
    "%v = pto.subview %a[%i, %i] sizes [8, 16]",
    "%v = pto.subview %a[%i, %i] sizes [8, 16] : !pto.tile_buf<vec, 16x16xf32>",
    "%v = subview %a[%i, %i] sizes [8, 16]",
    "%v = arith.constant 0x7F800000 : f32",
    "%v = arith.constant 1.50 : f32",
    "%v = arith.constant 7",
    "cf.br ^bb1(%x)",
];

#[test]
fn statements_keep_their_form_and_what_they_leave_out() {
    let mut failures = Vec::new();
    for statement in KEPT {
        let mask = "  %m = pto.alloc_tile : !pto.tile_buf<vec, 16x32xui8, valid=16x2>\n";
        let index = "  %i = arith.constant 0 : index\n";
        let end = if statement.starts_with("cf.br") { "^bb1(%y: f32):\n  return\n" } else { "  return\n" };
        let source = format!("{HEAD}{mask}{index}  {statement}\n{end}}}\n");
        if let Err(e) = readable(&source).map(drop) {
            failures.push(format!("`{statement}`: {e}"));
            continue;
        }
        let kept = formatted(&source, FormatOptions::default()).expect("it can be read");
        if let Err(e) = must_equal(&source, &kept, "changed").and_then(|()| check_source(&source).map(drop)) {
            failures.push(e);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A statement, and itself in the forms of level 1, level 2 and assembly; `T` is the type of the buffers, `V` that of a value.
/// The buffer that takes a value states its type.
const CONVERTED: &[[&str; 4]] = &[
    ["%v = pto.tmax %a, %b", "%v = pto.tmax %a, %b", "pto.tmax ins(%a, %b) outs(%v)", "%v = tmax %a, %b"],
    ["%v = tmax %a, %b", "%v = pto.tmax %a, %b", "pto.tmax ins(%a, %b) outs(%v)", "%v = tmax %a, %b"],
    [
        "%v = pto.tmax %a, %b -> V",
        "%v = pto.tmax %a, %b -> V",
        "pto.tmax ins(%a, %b) outs(%v)",
        "%v = tmax %a, %b -> V",
    ],
    [
        "%v = pto.tmax %a, %b : (T, T)",
        "%v = pto.tmax %a, %b : (T, T)",
        "pto.tmax ins(%a, %b : T, T) outs(%v)",
        "%v = tmax %a, %b : T, T",
    ],
    [
        "%v = tmax %a, %b : V",
        "%v = pto.tmax %a, %b : (T, T) -> V",
        "pto.tmax ins(%a, %b : T, T) outs(%v : T)",
        "%v = tmax %a, %b : T, T -> V",
    ],
    [
        "%v = tmax %a, %b : !pto.tile<...>",
        "%v = pto.tmax %a, %b : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>",
        "pto.tmax ins(%a, %b : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%v : !pto.tile_buf<...>)",
        "%v = tmax %a, %b : !pto.tile<...>",
    ],
    [
        "%v = pto.tadds %a, %x : (!pto.tile<...>, f32) -> V",
        "%v = pto.tadds %a, %x : (!pto.tile<...>, f32) -> V",
        "pto.tadds ins(%a, %x : !pto.tile_buf<...>, f32) outs(%v : T)",
        "%v = tadds %a, %x : !pto.tile<...> -> V",
    ],
    ["pto.tmax ins(%a, %b) outs(%b)", "%b = pto.tmax %a, %b", "pto.tmax ins(%a, %b) outs(%b)", "%b = tmax %a, %b"],
    [
        "pto.tmax ins(%a, %b : T, T) outs(%b)",
        "%b = pto.tmax %a, %b : (T, T)",
        "pto.tmax ins(%a, %b : T, T) outs(%b)",
        "%b = tmax %a, %b : T",
    ],
    [
        "%b = tmax %a, %b : !pto.tile<...>",
        "%b = pto.tmax %a, %b : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>",
        "pto.tmax ins(%a, %b : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%b : !pto.tile_buf<...>)",
        "%b = tmax %a, %b : !pto.tile<...>",
    ],
    ["pto.tmax %a, %b, %b", "%b = pto.tmax %a, %b", "pto.tmax ins(%a, %b) outs(%b)", "%b = tmax %a, %b"],
    [
        "pto.tmax %a, %b, %b : T, T, T",
        "%b = pto.tmax %a, %b : (T, T) -> T",
        "pto.tmax ins(%a, %b : T, T) outs(%b : T)",
        "%b = tmax %a, %b : T",
    ],
    ["%v = pto.tmov %a -> V", "%v = pto.tmov %a -> V", "pto.tmov ins(%a) outs(%v)", "%v = tmov %a -> V"],
    ["pto.tmov ins(%a) outs(%b : T)", "%b = pto.tmov %a -> T", "pto.tmov ins(%a) outs(%b : T)", "%b = tmov %a -> T"],
];

#[test]
fn omitted_types_stay_omitted_in_other_forms() {
    let full = |s: &str| s.replace('T', "!pto.tile_buf<vec, 16x16xf32>").replace('V', "!pto.tile<16x16xf32>");
    let mut failures = Vec::new();
    for [statement, converted @ ..] in CONVERTED {
        let source = format!("{HEAD}  {}\n  return\n}}\n", full(statement));
        for (form, wanted) in [Form::Level1, Form::Level2, Form::Asm].into_iter().zip(converted) {
            let buffer = if form == Form::Level2 && statement.starts_with("%v") {
                full("  %v = pto.alloc_tile : T\n")
            } else {
                String::new()
            };
            let wanted = format!("{HEAD}{buffer}  {}\n  return\n}}\n", full(wanted));
            let made = formatted(&source, FormatOptions { form: Some(form), types: None }).expect("it can be read");
            let result = must_equal(&wanted, &made, statement).and_then(|()| check_source(&made).map(drop));
            failures.extend(result.err());
        }
        failures.extend(check_source(&source).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Formats in a file stay mixed, and so do omissions.
#[test]
fn a_file_with_every_form_stays_as_it_is() {
    let statements: Vec<String> = KEPT
        .iter()
        .filter(|s| !s.starts_with("cf.br"))
        .enumerate()
        .map(|(at, s)| format!("  {}", s.replace("%v =", &format!("%v{at} ="))))
        .collect();
    let mask = "  %m = pto.alloc_tile : !pto.tile_buf<vec, 16x32xui8, valid=16x2>\n";
    let index = "  %i = arith.constant 0 : index\n";
    let source = format!("{HEAD}{mask}{index}{}\n  return\n}}\n", statements.join("\n"));
    readable(&source).expect("a program");
    assert_eq!(formatted(&source, FormatOptions::default()).as_ref(), Ok(&source));
    assert_eq!(check_source(&source), Ok(true));
}

/// One spelling of each element type, wherever it stands; both are read.
#[test]
fn unsigned_types_have_one_spelling() {
    let source = |u: &str| {
        format!(
            "func.func @f(%a: !pto.tile_buf<vec, 16x32x{u}8>, %p: !pto.ptr<{u}16>, %x: {u}32) -> {u}32 {{\n  \
             %c = arith.constant 7 : {u}32\n  %d = arith.addi %x, %c : {u}32\n  return %d : {u}32\n}}\n"
        )
    };
    assert_eq!(formatted(&source("u"), FormatOptions::default()), Ok(source("ui")));
    assert_eq!(formatted(&source("ui"), FormatOptions::default()), Ok(source("ui")));
}

/// Only types vote on the spelling of types: neither comments nor texts.
#[test]
fn comments_do_not_vote_on_the_spelling_of_types() {
    let keyed = "!pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=16, v_row=16, v_col=16, blayout=row_major, \
                 slayout=none_box, fractal=512, pad=0>";
    let compact = "!pto.tile_buf<vec, 16x16xf32>";
    for (comment, code) in [(keyed, compact), (compact, keyed)] {
        let source =
            format!("// {comment}\n// {comment}, {comment}\nfunc.func @f(%a: {code}) {{\n  return  // {comment}\n}}\n");
        assert_eq!(formatted(&source, FormatOptions::default()), Ok(source));
    }
    // Tile values vote like buffers.
    let value = keyed.replace("tile_buf", "tile");
    let source = format!("func.func @f(%a: {value}) {{\n  return\n}}\n");
    assert_eq!(formatted(&source, FormatOptions::default()), Ok(source));
}

/// Names of types are used where they were, in results of functions as well.
#[test]
fn aliases_are_kept() {
    let source = "!t = !pto.tile<16x16xf32>\n\nfunc.func @f(%a: !t) -> !t {\n  %b = pto.tabs %a : (!t) -> !t\n  \
                  return %b : !t\n}\n";
    assert_eq!(formatted(source, FormatOptions::default()), Ok(source.to_string()));
}

/// Every statement in a form of its own, some operands without a type: formatting leaves such a text alone.
#[test]
fn mixed_forms_stay_mixed() {
    let forms = [None, Some(Form::Level1), Some(Form::Level2), Some(Form::Asm), Some(Form::Generic)];
    let mut failures = Vec::new();
    for (number, path) in corpus().into_iter().enumerate() {
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        let Ok(mut module) = readable(&source) else { continue };
        let mut next = number as u32;
        let mut random = |below: u32| {
            next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (next >> 16) % below
        };
        for id in module.order() {
            let form = forms[random(5) as usize];
            let operands = module.operands(id).len() as u16;
            let mut spelling = module.spelling(id).cloned().unwrap_or_default();
            (spelling.form, spelling.bare, spelling.flat) = (form, form == Some(Form::Asm), false);
            if form != Some(Form::Generic) && random(3) == 0 && operands > 0 && module.op(id).op.row().dialect == "pto"
            {
                spelling.elided.push(random(operands.into()) as u16);
            }
            module.set_spelling(id, spelling);
        }
        let mixed =
            ir::print(&module, ir::Style { source: Some(&source), types: module.type_votes.usual(), form: None });
        // What follows from a type that is left out now is not asked for here.
        let Ok(again) = readable(&mixed) else { continue };
        if !ir::same(&module, &again) {
            continue;
        }
        let kept = formatted(&mixed, FormatOptions::default()).and_then(|kept| must_equal(&mixed, &kept, "changed"));
        let mut styles = FORMS.iter().map(|form| FormatOptions { form: *form, types: None });
        if let Err(e) = kept.and_then(|()| styles.try_for_each(|style| check_style(&mixed, &again, style))) {
            failures.push(format!("{}: {e}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

/// Nothing gives the type of a tile whose address is the tile itself.
#[test]
fn types_that_nothing_gives_keep_their_spelling() {
    let text = "func.func @k(%xs: !pto.tensor_view<1x16xi32>, %zero: index) {\n  %t = pto.alloc_tile addr = %t\n  pto.tload ins(%xs : !pto.tensor_view<1x16xi32>) outs(%t : !pto.tile_buf<vec, 1x16xi32>)\n  %seen = pto.tgetval ins(%t, %zero : !pto.tile_buf<vec, 1x16xi32>, index) outs : i32\n  return\n}\n";
    let once = format(text, Default::default()).expect("a readable program");
    assert_eq!(format(&once, Default::default()).expect("a formatted program"), once);
}

/// A program with a mark wherever a space may stand.
const MARKED: &str = "!t~=~!pto.tile_buf<vec, 16x16xf32>
#m~=~#pto<cmp gt>
func.func~@f~(~%x~:~!pto.ptr<f32>~,~%a~:~!t~,~%s~:~f32~)~{
  %n~=~arith.constant~16~:~index
  %one~=~arith.constant~1~:~index
  %block~=~pto.get_block_idx
  %next~,~%other~=~pto.get_validshape~%a~:~!t
  %v~=~pto.make_tensor_view~%x~,~shape~=~[~%n~,~%n~]~,~strides~=~[~%n~,~%one~]~:~!pto.tensor_view<16x16xf32>
  %b~=~pto.tmax~%a~,~%a~:~(~!t~,~!t~)~->~!pto.tile<16x16xf32>
  pto.tmax~ins~(~%a~,~%a~:~!t~,~!t~)~outs~(~%a~:~!t~)
  pto.tload~ins~(~%v~:~!pto.tensor_view<16x16xf32>~)~outs~(~%a~:~!t~)
  pto.tassign~%a~,~@tile~(~0x1000~)
  pto.cmo.cacheinvalid~all~#pto.address_space<gm>
  pto.trowexpand~ins~(~%a~)~outs~(~%a~)~{~x.y~=~-1~:~i64~,~u~}
  scf.for~%i~=~%one~to~%n~step~%one~{
    \"pto.tabs\"~(~%a~,~%a~)~:~(~!t~,~!t~)~->~(~)
  }
  return
}
";

#[test]
fn comments_stand_between_any_two_words() {
    let parts: Vec<&str> = MARKED.split('~').collect();
    let plain = readable(&parts.join(" ")).expect("a program");
    let commented = |here: &dyn Fn(usize) -> bool, comment: &str| {
        let mut text = String::new();
        for (at, part) in parts.iter().enumerate() {
            text += part;
            text += &if here(at) { format!(" {comment} {at}\n") } else { " ".to_string() };
        }
        text
    };
    let mut texts = vec![commented(&|_| true, "// ü"), commented(&|_| true, "# 1"), commented(&|at| at % 3 == 0, "//")];
    texts.extend((0..parts.len()).map(|one| commented(&|at| at == one, "// >)")));
    for text in texts {
        let module = readable(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert!(ir::same(&plain, &module), "{text}");
        let style = FormatOptions::default();
        check_style(&text, &module, style).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
}

/// A location belongs to a statement, whatever becomes of its results.
#[test]
fn locations_are_kept_in_every_form() {
    let source = format!("{HEAD}  %v = pto.tmax %a, %b loc(\"here\":1:2)\n  return loc(unknown)\n}}\n");
    for form in FORMS {
        let text = formatted(&source, FormatOptions { form, types: None }).expect("a program");
        assert!(text.contains(" loc(\"here\":1:2)\n") && text.contains(" loc(unknown)\n"), "{form:?}:\n{text}");
    }
}

/// Ends of lines of other systems and tabs are layout.
#[test]
fn other_blanks_are_the_same_text() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/files/odd.pto");
    let text = std::fs::read_to_string(path).expect("the file is there");
    let plain = format(&text, FormatOptions::default()).expect("a program");
    let tabs = |text: &str| text.lines().map(|l| l.replace("  ", "\t") + "\n").collect::<String>();
    for other in [text.replace('\n', "\r\n"), tabs(&text), format!("\u{feff}{text}")] {
        let comments = |module: &Module| module.comments.iter().map(|c| c.text.to_string()).collect::<Vec<_>>();
        let formatted = format(&other, FormatOptions::default()).expect("the same program");
        must_equal(&plain, &formatted, "formatted").expect("one layout");
        assert_eq!(comments(&parse(&text).0).len(), comments(&parse(&formatted).0).len());
    }
}

//! Random edits: no text makes a question panic, and an edited document says what a fresh one says.

use super::programs;
use pto::isa::Span;
use pto::{Program, Target};
use pto_ide::{Document, Replacement};
use pto_testkit::random::Random;

/// Pieces that editors insert, whole and broken.
const PIECES: &[&str] = &[
    "%",
    "%t",
    "%t#1",
    ":2",
    "!",
    "!tile",
    "!pto.tile_buf<",
    ">",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "ins(",
    "outs(",
    ",",
    " = ",
    "pto.tmax",
    "pto.tload ins(%a) outs(%b)\n",
    "\n",
    "\r\n",
    "\r",
    "//",
    "# ",
    "\"",
    "@",
    "@f",
    "^bb0:",
    "#pto.pipe<",
    "->",
    "loc(",
    "é",
    "中",
    "𝄞",
    "16x16xf32",
    "?",
    "scf.for ",
    "func.func @f() {\n",
    "module {",
    "0x",
    "-",
    "\\",
    "\t",
    "<PIPE_V>",
];

fn random_edit(text: &str, random: &mut Random) -> Replacement {
    let place = |random: &mut Random| {
        let at = random.below(text.len() + 1);
        (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
    };
    let start = place(random);
    let far = if random.chance(10) { 200 } else { 8 };
    let end = (start + random.below(far)).min(text.len());
    let end = (start..=end).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(start);
    let end = if random.chance(50) { start } else { end };
    let piece = match random.below(4) {
        0 => String::new(),
        1 => {
            let from = place(random);
            let to = (from + random.below(40)).min(text.len());
            let to = (from..=to).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(from);
            text[from..to].to_string()
        }
        _ => (*random.pick(PIECES)).to_string(),
    };
    Replacement::new(Span::new(start as u32, end as u32), piece)
}

/// Asks everything at a byte.
fn ask(document: &Document, at: u32, random: &mut Random) {
    let _ = (document.hover(at), document.definition(at), document.references(at), document.signature(at));
    let _ = (document.renamable(at), document.rename(at, "other"), document.origin(at));
    for completion in document.completions(at) {
        assert!(document.text().get(completion.replaces.start as usize..completion.replaces.end as usize).is_some());
    }
    let span = Span::new(at, at + random.below(50) as u32);
    let _ = (document.hints(Some(span)), document.semantic_tokens(Some(span)));
    // Each fix is tried, which takes as long as many keystrokes.
    if random.chance(20) {
        let _ = document.actions(span, &[]);
    }
    if random.chance(10) {
        let _ = (document.outline(), document.folds(), document.runnables(), document.format());
        let tokens = document.semantic_tokens(None);
        assert!(tokens.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
    }
}

fn compare_with_fresh(document: &Document) {
    let fresh = Program::parse(document.text());
    let target = fresh.stated_target().unwrap_or(Target::A2A3);
    assert_eq!(document.diagnostics(), fresh.inspect(target), "{}", document.text());
}

/// `IDE_EDITS=100000` tries more.
#[test]
fn edits_never_panic_and_give_the_diagnostics_of_a_fresh_text() {
    let edits: usize = std::env::var("IDE_EDITS").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let seed = std::env::var("IDE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut random = Random(seed);
    let texts: Vec<String> = programs().into_iter().filter(|t| t.len() < 20_000).collect();
    let mut document = Document::new(random.pick::<String>(&texts), None);
    for n in 0..edits {
        if n % 25 == 0 {
            document = Document::new(random.pick::<String>(&texts), None);
        }
        let edit = random_edit(document.text(), &mut random);
        document = document.edited(&[edit]);
        compare_with_fresh(&document);
        let at = random.below(document.text().len() + 2) as u32;
        ask(&document, at, &mut random);
    }
}

#[test]
fn odd_texts_are_answered() {
    let mut random = Random(3);
    for text in
        ["", "\n", "%", "é", "\u{feff}", "\0", "{{{{", "func.func", "%a = ", "// x", "\"", "pto.tmax ins(", "}\n}"]
    {
        let document = Document::new(text, None);
        for at in 0..=text.len() as u32 + 1 {
            ask(&document, at, &mut random);
        }
    }
}

//! How long an editor waits after a keystroke, and for its questions.
//!
//! Prints milliseconds on one core for programs of 100 to 100,000 lines: the text with the keystroke is read and checked, then asked
//! about. Machines differ; compare numbers of one run.

use pto::isa::Span;
use pto_ide::{Document, Replacement};
use pto_testkit::timing::best;

/// Softmax over and over, under different names: a realistic mix of views, loads, vector work and loops.
fn program(lines: usize) -> String {
    let example = include_str!("../../../examples/softmax.pto");
    let (head, function) = example.split_at(example.find("func.func").expect("a function"));
    let count = lines.div_ceil(function.lines().count());
    let functions = (0..count).map(|n| function.replace("@softmax", &format!("@softmax_{n}")));
    head.to_string() + &functions.collect::<String>()
}

/// One function without loops.
fn straight_line(lines: usize) -> String {
    let line = "  pto.tadd ins(%a, %b) outs(%a)\n";
    let tile = "!pto.tile_buf<vec, 16x16xf32>";
    format!("func.func @f(%a: {tile}, %b: {tile}) {{\n{}  return\n}}\n", line.repeat(lines))
}

fn measure(name: &str, text: &str) {
    let document = Document::new(text, None);
    let lines = text.lines().count();
    let middle = text.len() / 2 + text[text.len() / 2..].find("%").expect("a value");
    let at = middle as u32;
    let runs = if lines > 50_000 { 3 } else { 10 };
    let ms = |work: &mut dyn FnMut()| best(runs, work).as_secs_f64() * 1e3;
    // A letter more in a name: an error, and its suggestions.
    let typed = Replacement::new(Span::new(at + 1, at + 1), "z");
    let keystroke = ms(&mut || assert!(!document.edited(std::slice::from_ref(&typed)).diagnostics().is_empty()));
    let fresh = || Document::new(text, None);
    let first = |ask: &dyn Fn(&Document)| {
        let asked: Vec<Document> = (0..runs).map(|_| fresh()).collect();
        let mut left = asked.iter();
        best(runs, || left.next().into_iter().for_each(ask)).as_secs_f64() * 1e3
    };
    let screen = Span::new(at, at + 3000);
    println!("{name}, {lines} lines ({:.1} MB)", text.len() as f64 / 1e6);
    println!("  keystroke to diagnostics  {keystroke:8.2} ms");
    println!("  hover                     {:8.2} ms", first(&|d| drop(d.hover(at))));
    println!("  hover, asked again        {:8.2} ms", ms(&mut || drop(document.hover(at))));
    println!("  completion                {:8.2} ms", first(&|d| drop(d.completions(at + 1))));
    println!("  colours of the file       {:8.2} ms", first(&|d| drop(d.semantic_tokens(None))));
    println!("  colours of a screen       {:8.2} ms", first(&|d| drop(d.semantic_tokens(Some(screen)))));
    println!("  hints of a screen         {:8.2} ms", first(&|d| drop(d.hints(Some(screen)))));
    println!("  placing tiles, apart      {:8.2} ms", first(&|d| d.plan_ahead()));
    println!("  references                {:8.2} ms", first(&|d| drop(d.references(at))));
    println!("  outline                   {:8.2} ms", first(&|d| drop(d.outline())));
    println!("  folds                     {:8.2} ms", first(&|d| drop(d.folds())));
    println!("  format                    {:8.2} ms", first(&|d| drop(d.format())));
}

fn main() {
    for lines in [100, 1000, 10_000, 100_000] {
        measure("functions", &program(lines));
        measure("one function", &straight_line(lines));
    }
}

//! Samples and reference pages: every instruction has them, and what they show is legal.

use pto::isa::table::{self, op};
use pto::isa::{Op, Target};
use pto::{Form, Program, doc, ir, sample};
use std::sync::OnceLock;

const FORMS: [Form; 4] = [Form::Level1, Form::Level2, Form::Asm, Form::Generic];

/// What is wrong with a text on a target, or with one of its forms.
fn problems(text: &str, target: Target) -> Vec<String> {
    let program = Program::parse(text);
    let complaints = program.inspect(target);
    let mut found: Vec<String> = complaints.iter().filter(|d| d.is_error()).map(|d| d.message.clone()).collect();
    for form in FORMS {
        let printed = program.to_text(Some(form));
        let again = Program::parse(&printed);
        found.extend(again.problems().iter().map(|d| format!("{form:?}: {}", d.message)));
        if again.problems().is_empty() && !ir::same(program.module(), again.module()) {
            found.push(format!("{form:?} reads back as another program:\n{printed}"));
        }
    }
    found
}

/// The files of the reference, made once.
fn reference() -> &'static [doc::File] {
    static FILES: OnceLock<Vec<doc::File>> = OnceLock::new();
    FILES.get_or_init(doc::reference)
}

/// Fails with every complaint at once.
fn expect_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn every_instruction_has_a_legal_sample_on_every_target_it_exists_on() {
    let mut complaints = Vec::new();
    for op in table::isa() {
        for target in op.row().targets.iter() {
            let name = op.row().name;
            match sample::program(op, target) {
                None => complaints.push(format!("{name} has no sample on {target}")),
                Some(text) => {
                    complaints.extend(problems(&text, target).into_iter().map(|p| format!("{name} on {target}: {p}")));
                }
            }
        }
    }
    expect_none(&complaints);
}

#[test]
fn samples_use_their_instruction() {
    for op in table::isa() {
        let text = sample::first_program(op).expect("a sample").text;
        let program = Program::parse(&text);
        let module = program.module();
        let mut found = false;
        module.walk(module.top, &mut |id| found |= module.op(id).op == op);
        assert!(found, "{}:\n{text}", op.row().name);
    }
}

/// An example in the table that is legal nowhere would be passed over in silence.
#[test]
fn examples_of_the_table_are_legal() {
    let mut complaints = Vec::new();
    for op in table::isa().filter(|op| !op.row().example.is_empty()) {
        let text = op.row().example;
        let program = Program::parse(text);
        let stated = text.strip_prefix("// target ").and_then(|t| Target::parse(t.lines().next()?.trim()));
        let fits = |t: Target| program.inspect(t).iter().all(pto::Diagnostic::is_hazard);
        if !stated.map_or_else(|| op.row().targets.iter().any(fits), fits) {
            complaints.push(op.row().name.to_string());
        }
    }
    expect_none(&complaints);
}

#[test]
fn random_programs_are_legal_and_repeatable() {
    for target in Target::ALL {
        for seed in 0..60 {
            let text = pto_testkit::random_program(seed, target, 24);
            assert_eq!(text, pto_testkit::random_program(seed, target, 24));
            let found = problems(&text, target);
            assert!(found.is_empty(), "seed {seed} on {target}:\n{text}\n{}", found.join("\n"));
        }
    }
}

#[test]
fn random_programs_have_variety() {
    let all: String = (0..60).map(|seed| pto_testkit::random_program(seed, Target::A5, 24)).collect();
    for part in ["scf.for", "iter_args", "scf.if", "else", "arith.constant", "alloc_tile", "outs(", "!pto.tile<"] {
        assert!(all.contains(part), "no {part}");
    }
    let used = table::isa().filter(|op| all.contains(&format!("{} ", op.row().full_name()))).count();
    assert!(used > 80, "{used} instructions");
}

fn unescaped(html: &str) -> String {
    let plain = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    plain.replace("&amp;", "&")
}

#[test]
fn pages_show_their_instruction_and_an_example_that_was_checked() {
    let files = reference();
    for op in table::all() {
        let name = op.row().name;
        let page = files.iter().find(|file| file.name == doc::page_file(op)).expect("a page");
        let page = unescaped(&page.text);
        assert!(page.contains(&op.row().full_name()) && page.contains(&name.to_uppercase()), "{name}");
        let sample::Sample { target, text: example, .. } = doc::example(op).expect("an example");
        assert!(page.contains(example.trim_end()), "{name}: the page shows another example");
        let found = Program::parse(&example).inspect(target);
        let found: Vec<_> = found.iter().filter(|d| !d.is_hazard()).collect();
        assert!(found.is_empty(), "{name}: {}\n{example}", found[0].message);
        assert_same_program(op, &example);
    }
}

/// Laying an example out changes no operation.
fn assert_same_program(op: Op, example: &str) {
    let text = sample::first_program(op).expect("a sample").text;
    let (plain, shown) = (Program::parse(&text), Program::parse(example));
    assert!(ir::same(plain.module(), shown.module()), "{}:\n{example}", op.row().name);
}

/// Links lead to files and places of the reference, and nothing is loaded from elsewhere.
#[test]
fn the_reference_is_closed() {
    let files = reference();
    let has_anchor = |text: &str, anchor: &str| text.contains(&format!("id=\"{anchor}\""));
    for doc::File { name, text, .. } in files.iter().filter(|file| file.name.ends_with(".html")) {
        assert!(!text.contains("://"), "{name} refers to another place");
        let links = text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or(""));
        for link in links.filter(|link| !link.starts_with("data:")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { name } else { file };
            let target = files.iter().find(|other| other.name == file);
            let target = target.unwrap_or_else(|| panic!("{name} links to {link}"));
            assert!(anchor.is_empty() || has_anchor(&target.text, anchor), "{name} links to {link}");
        }
    }
}

#[test]
fn tags_are_balanced() {
    for doc::File { name, text, .. } in reference().iter().filter(|file| file.name.ends_with(".html")) {
        for tag in ["main", "nav", "section", "table", "tbody", "tr", "td", "th", "code", "pre", "p", "ul", "li", "a"] {
            let open = text.matches(&format!("<{tag}>")).count() + text.matches(&format!("<{tag} ")).count();
            assert_eq!(open, text.matches(&format!("</{tag}>")).count(), "{name}: <{tag}>");
        }
    }
}

/// The page of an instruction without styles.
fn page(op: Op, width: usize) -> String {
    let mut plain = String::new();
    for (at, part) in doc::terminal_page(op, width).split('\u{1b}').enumerate() {
        plain += if at == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) };
    }
    plain
}

#[test]
fn terminal_pages_keep_to_their_width() {
    for op in table::all() {
        // A C++ expression has nowhere to break.
        for line in page(op, 100).lines().filter(|l| op.row().family.is_isa() || !l.ends_with(';')) {
            assert!(line.chars().count() <= 100, "{}: {line}", op.row().name);
        }
    }
}

/// Every part is on the page, whatever the spacing.
fn assert_says(op: Op, parts: &[&str]) {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let page = words(&page(op, 100));
    for part in parts {
        assert!(page.contains(&words(part)), "the page of {} lacks `{part}`:\n{page}", op.row().name);
    }
}

#[test]
fn maximum_and_minimum_say_what_their_pages_say() {
    for (op, name) in [(op::tmax, "tmax"), (op::tmin, "tmin")] {
        assert_says(
            op,
            &[
                "a2a3 i16, i32, f16, f32",
                "a5 i8, i16, i32, ui8, ui16, ui32, f16, f32",
                "src0 read tile vec row-major",
                "src0, src1, dst: same valid rows and columns",
                "works on the valid region of dst",
                &format!("%dst = {name} %src0, %src1 : !pto.tile<...>"),
                &format!("%dst = pto.{name} %src0, %src1 : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>"),
                &format!(
                    "pto.{name} ins(%src0, %src1 : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%dst : !pto.tile_buf<...>)"
                ),
                &format!("{}(dst, src0, src1);", name.to_uppercase()),
                "Startup latency 14 14",
                "Completion latency 19 17",
                "Per-repeat throughput 2 2",
                "Pipeline interval 18 18",
            ],
        );
    }
}

#[test]
fn the_partial_maximum_says_what_its_page_says() {
    assert_says(
        op::tpartargmax,
        &[
            "f16 i16; f16 ui16; f32 i32; f32 ui32",
            "%dst_val, %dst_idx = tpartargmax %src0_val, %src1_val, %src0_idx, %src1_idx :",
            "%dst_val, %dst_idx = pto.tpartargmax %src0_val, %src1_val, %src0_idx, %src1_idx : (!pto.tile<...>, \
             !pto.tile<...>, !pto.tile<...>, !pto.tile<...>) -> (!pto.tile<...>, !pto.tile<...>)",
            "outs(%dst_val, %dst_idx : !pto.tile_buf<...>, !pto.tile_buf<...>)",
            "TPARTARGMAX(dst_val, src0_val, src1_val, dst_idx, src0_idx, src1_idx);",
        ],
    );
}

#[test]
fn the_row_maximum_says_what_its_page_says() {
    assert_says(
        op::trowexpandmax,
        &[
            "a2a3 f16, f32",
            "a5 f16, f32",
            "32 bytes per row",
            "%dst = trowexpandmax %src0, %src1 : !pto.tile<...>, !pto.tile<...> -> !pto.tile<...>",
            "pto.trowexpandmax ins(%src0, %src1 : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%dst : !pto.tile_buf<...>)",
            "TROWEXPANDMAX(dst, src0, src1, tmp);",
        ],
    );
}

#[test]
fn the_comparison_says_what_its_page_says() {
    assert_says(
        op::tcmps,
        &[
            "cmpMode eq, ne, lt, le, gt, ge eq",
            "%dst = tcmps %src, %scalar {cmpMode = #pto.cmp<GT>} : !pto.tile<...> -> !pto.tile<...>",
            "%dst = pto.tcmps %src, %scalar {cmpMode = #pto<cmp gt>} : (!pto.tile<...>, f32) -> !pto.tile<...>",
            "pto.tcmps ins(%src, %scalar {cmpMode = #pto<cmp gt>} : !pto.tile_buf<...>, f32) outs(%dst : !pto.tile_buf<...>)",
            "TCMPS(dst, src, scalar, cmpMode);",
        ],
    );
}

/// A scalar result is what the function returns.
#[test]
fn calls_that_return_a_number_are_shown_so() {
    assert!(doc::terminal_page(op::sbitset1, 4000).contains("result = sbitset1(first, second);"));
    assert!(doc::terminal_page(op::get_block_idx, 4000).contains("result = get_block_idx();"));
}

/// Forms name each operand once, by its slot.
#[test]
fn text_forms_name_every_operand_once() {
    let mut complaints = Vec::new();
    for op in table::isa() {
        // Wide enough that no line is broken.
        let page = doc::terminal_page(op, 4000);
        let Some(forms) = page.split("Text forms").nth(1) else { continue };
        let lines =
            forms.lines().take_while(|l| !l.contains("C++") && !l.contains("Example")).filter(|l| l.contains('%'));
        for line in lines {
            let (results, operands) = line.split_once(" = ").unwrap_or(("", line));
            let operands = if results.contains('%') && !results.contains(' ') { operands } else { line };
            let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_string);
            let names: Vec<_> = operands.split('%').skip(1).filter_map(word).collect();
            if (1..names.len()).any(|k| names[..k].contains(&names[k])) {
                complaints.push(format!("{}: {line}", op.row().name));
            }
        }
    }
    expect_none(&complaints);
}

/// The facts of the five pages that the product began with.
#[test]
fn pages_of_the_first_instructions_have_all_facts() {
    let facts: [(Op, &[&str]); 5] = [
        (
            op::tmax,
            &[
                "max(src0[i,j], src1[i,j])",
                "%dst = tmax %src0, %src1 : !pto.tile<...>",
                "%dst = pto.tmax %src0, %src1 : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>",
                "TMAX(dst, src0, src1);",
                "include/pto/common/pto_instr.hpp",
                "template <typename TileDataDst, typename TileDataSrc0, typename TileDataSrc1, typename... WaitEvents>",
                "PTO_INST RecordEvent TMAX(TileDataDst &dst, TileDataSrc0 &src0, TileDataSrc1 &src1, WaitEvents &...events);",
                "NaN: a NaN in either operand gives NaN",
                "a2a3 i16, i32, f16, f32",
                "a5 i8, i16, i32, ui8, ui16, ui32, f16, f32",
                "vec row-major",
                "same valid rows and columns",
                "at most the rows and columns of the tile",
                "works on the valid region of dst",
                "side effects none",
                "Startup latency 14 14",
                "Completion latency 19 17",
                "Per-repeat throughput 2 2",
                "Pipeline interval 18 18",
                "TASSIGN(dst, 8192);",
            ],
        ),
        (
            op::tmin,
            &[
                "min(src0[i,j], src1[i,j])",
                "TMIN(dst, src0, src1);",
                "RecordEvent",
                "Startup latency",
                "TASSIGN(src1, 4096);",
            ],
        ),
        (
            op::tpartargmax,
            &[
                "TPARTARGMAX(dst_val, src0_val, src1_val, dst_idx, src0_idx, src1_idx);",
                "%dst_val, %dst_idx = tpartargmax %src0_val, %src1_val, %src0_idx, %src1_idx",
                "RecordEvent",
                "TASSIGN(dst_val,",
                "Regions: `dst_val` has the valid region of one source",
                "Ties: src1, as in the formula of the page.",
            ],
        ),
        (
            op::trowexpandmax,
            &[
                "TileDataSrc1 &src1, WaitEvents &...events);",
                "TileDataSrc1 &src1, TileDataTmp &tmp, WaitEvents &...events);",
                "TROWEXPANDMAX(dst, src0, src1",
                "%dst = trowexpandmax %src0, %src1",
                "f16, f32",
                "RecordEvent",
                "TASSIGN(",
            ],
        ),
        (
            op::tcmps,
            &[
                "TCMPS(dst, src, scalar, cmpMode);",
                "cmpMode",
                "valid=16x2",
                "TCMPS(m, a, s, CmpMode::GT);",
                "T scalar, CmpMode cmpMode, WaitEvents &...events);",
                "include/pto/common/type.hpp",
                "Mask: the page leaves its encoding to the implementation.",
                "Default: a text without `cmpMode` means eq",
                "`dst`: 16x32xui8 in UB (vec), ND: elements row after row; 16x2 valid",
                "RecordEvent",
                "TASSIGN(m,",
            ],
        ),
    ];
    let mut missing = Vec::new();
    for (op, facts) in facts {
        let page = page(op, 200);
        let words: String = page.split_whitespace().collect::<Vec<_>>().join(" ");
        missing.extend(facts.iter().filter(|f| !words.contains(**f)).map(|f| format!("{}: {f}", op.row().name)));
    }
    expect_none(&missing);
}

#[test]
fn instructions_with_tiles_have_an_example_by_hand() {
    let count = reference().iter().filter(|file| file.text.contains("Example by hand")).count();
    assert!(count > 120, "{count}");
}

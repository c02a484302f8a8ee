//! Rows of the operations beside the instructions: complete, and their examples compute what they say.

use pto::isa::row::Syntax;
use pto::isa::table;
use pto::isa::{Op, Target, Type};
use pto::{Arg, Diagnostic, Program, doc, sample};

fn host() -> impl Iterator<Item = Op> {
    table::all().filter(|op| !op.row().family.is_isa())
}

/// Every row of the table says what the operation means and shows how it is written, in a program that is legal.
#[test]
fn every_row_has_semantics_a_form_and_a_legal_example() {
    let mut missing = Vec::new();
    for op in table::all() {
        let row = op.row();
        let semantics: usize = row.doc.iter().skip(1).map(|line| line.trim().len()).sum();
        if row.summary().is_empty() || semantics == 0 {
            missing.push(format!("{}: semantics", row.name));
        }
        if matches!(row.syntax, Syntax::Custom(_)) == row.forms().is_empty() {
            missing.push(format!("{}: a form", row.name));
        }
        match doc::example(op) {
            None => missing.push(format!("{}: a legal example", row.name)),
            Some(example) => {
                let found = Program::parse(&example.text).inspect(example.target);
                missing.extend(
                    found.iter().filter(|d| !Diagnostic::is_hazard(d)).map(|d| format!("{}: {}", row.name, d.message)),
                );
            }
        }
        if !doc::terminal_page(op, 100).contains("Text forms") {
            missing.push(format!("{}: a page with its form", row.name));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Examples of host operations are legal on every target, and each is the example of its own row.
#[test]
fn examples_of_host_operations_are_legal_everywhere() {
    for op in host() {
        for target in Target::ALL {
            assert!(sample::program(op, target).is_some(), "{} has no example on {target}", op.row().name);
        }
    }
}

/// The values that comments of an example state: the line, the names of the results, and the numbers.
fn stated(example: &str) -> Vec<(usize, Vec<String>, Vec<String>)> {
    let mut all = Vec::new();
    for (at, line) in example.lines().enumerate() {
        let Some((statement, numbers)) = line.split_once("// = ") else { continue };
        let names = statement.trim().split(" = ").next().unwrap_or("").split(", ");
        all.push((at, names.map(str::to_string).collect(), numbers.split(", ").map(str::to_string).collect()));
    }
    all
}

/// The type of the first value of a name.
fn type_of(program: &Program, name: &str) -> Type {
    let module = program.module();
    let mut found = None;
    module.walk(module.top, &mut |id| {
        let named = module.results(id).find(|v| module.value_name(*v) == name.trim_start_matches('%'));
        found = found.take().or(named.map(|v| module.value_type(v).clone()));
    });
    found.unwrap_or_else(|| panic!("there is no {name}"))
}

/// How a scalar is taken out of a program: as f64 or i64, by these statements.
fn taken_out(name: &str, ty: &Type, probe: usize) -> (&'static str, String) {
    let text = ty.to_string();
    let (to, cast) = match text.as_str() {
        "f32" => ("f32", String::new()),
        "f16" | "bf16" => ("f32", format!("arith.extf {name} : {text} to f32")),
        "i64" => ("i64", String::new()),
        "index" => ("i64", format!("arith.index_cast {name} : index to i64")),
        "i1" => ("i64", format!("arith.extui {name} : i1 to i64")),
        int if int.starts_with('u') => ("i64", format!("arith.extui {name} : {int} to i64")),
        int => ("i64", format!("arith.extsi {name} : {int} to i64")),
    };
    let value = if cast.is_empty() { name.to_string() } else { format!("%probed{probe}") };
    let cast = if cast.is_empty() { String::new() } else { format!("{value} = {cast}\n") };
    let store = format!("pto.store_scalar {value}, %probe{probe}[%start{probe}] : !pto.ptr<{to}>, {to}\n");
    (to, format!("%start{probe} = arith.constant 0 : index\n{cast}{store}"))
}

/// The statement on a line ends there, or with the region that it opens: the number of its last line.
fn last_line(lines: &[&str], at: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(lines[at]);
    let more = |line: &&str| {
        let text = line.trim_start();
        indent(line) > own || text.starts_with('}') || text.starts_with("case") || text.starts_with("default")
    };
    let label = |line: &&str| line.trim_start().starts_with('^') && lines[at].contains("{  //");
    let code = |line: &&str| !line.trim_start().starts_with("return");
    let opens = lines[at].contains('{') || lines.get(at + 1).is_some_and(|l| l.trim_start().starts_with("case"));
    if !opens {
        return at;
    }
    at + lines[at + 1..].iter().take_while(|l| code(l) && (more(l) || label(l))).count()
}

/// Runs an example that stores what it states, and compares.
fn check_example(name: &str, example: &str) -> Vec<String> {
    let program = Program::parse(example);
    let lines: Vec<&str> = example.lines().collect();
    let mut inserted = vec![String::new(); lines.len()];
    let mut wanted = Vec::new();
    for (at, names, numbers) in stated(example) {
        assert_eq!(names.len(), numbers.len(), "{name}: {}", lines[at]);
        for (value, number) in names.into_iter().zip(numbers) {
            let (ty, text) = taken_out(&value, &type_of(&program, &value), wanted.len());
            inserted[last_line(&lines, at)] += &text;
            wanted.push((value, ty, number));
        }
    }
    let params: Vec<String> =
        wanted.iter().enumerate().map(|(n, (_, ty, _))| format!("%probe{n}: !pto.ptr<{ty}>")).collect();
    let text: String = lines.iter().zip(&inserted).map(|(line, more)| format!("{line}\n{more}")).collect();
    let text = text.replacen("@example()", &format!("@example({})", params.join(", ")), 1);
    let mut memory: Vec<(i64, f32)> = vec![(99, 99.0); wanted.len()];
    let mut args: Vec<Arg> = memory
        .iter_mut()
        .zip(&wanted)
        .map(|((int, float), (_, ty, _))| match *ty {
            "i64" => Arg::write(std::slice::from_mut(int)),
            _ => Arg::write(std::slice::from_mut(float)),
        })
        .collect();
    if let Err(problem) = Program::parse(&text).run(Target::A2A3, &mut args) {
        return vec![format!("{name}: {problem}\n{text}")];
    }
    let mut wrong = Vec::new();
    for ((int, float), (value, ty, number)) in memory.iter().zip(&wanted) {
        let number = number.replace("true", "1").replace("false", "0");
        let found = if *ty == "i64" { int.to_string() } else { format!("{float:?}").to_lowercase() };
        if found != number {
            wrong.push(format!("{name}: {value} is {found}, {number} expected"));
        }
    }
    wrong
}

/// `// = x` after a statement of an example is what its result is when the program runs.
#[test]
fn examples_compute_what_they_say() {
    let (mut wrong, mut stating) = (Vec::new(), 0);
    for op in host() {
        let example = op.row().example;
        stating += usize::from(example.contains("// = "));
        if example.contains("@example()") {
            wrong.extend(check_example(op.row().name, example));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(stating > 60, "only {stating} examples state a result");
}

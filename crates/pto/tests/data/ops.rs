//! Runs the vectors in `tests/ops/*.toml` (`tests/ops/README.md` documents the format), and checks that no instruction
//! or element type is without vectors.

use libtest_mimic::{Failed, Trial};
use pto::isa::row::{AttrKind, ElemRule};
use pto::isa::rules::Rule;
use pto::isa::{Class, DType, Dim, Dir, Family, Loc, Op, Pad, Row, ScalarType, Target, TileType, table};
use pto::{Arg, Checked, Options, Plan, Program, opt};
use pto_testkit::elements::{ElementTolerance, agrees, bytes, element, float, layout, show, tile_text};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = files()
        .into_iter()
        .map(|path| {
            let name = format!("ops/{}", path.file_stem().unwrap_or_default().display());
            Trial::test(name, move || run_file(&path))
        })
        .collect();
    trials.push(Trial::test("ops: every instruction and element type has vectors", coverage));
    trials
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ops")
}

fn files() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(root()).into_iter().flatten().flatten().map(|e| e.path()).collect();
    all.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    all.sort();
    all
}

/// A file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vectors {
    op: String,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    targets: Vec<String>,
    #[serde(default)]
    attrs: BTreeMap<String, toml::Value>,
    #[serde(default)]
    ulp: u64,
    #[serde(default)]
    exact_nan: bool,
    /// What the error must say that ends the run.
    stops: Option<String>,
    /// Operands that are the same tile as another.
    #[serde(default)]
    same: BTreeMap<String, String>,
    /// Operands that are vectors: their types.
    #[serde(default)]
    vectors: BTreeMap<String, String>,
    #[serde(default)]
    tiles: BTreeMap<String, TileData>,
    #[serde(default)]
    scalars: BTreeMap<String, ScalarData>,
    #[serde(default)]
    views: BTreeMap<String, ViewData>,
    /// Instructions that come before, for the state of the core; `$name` is a tile operand with its type.
    #[serde(default)]
    before: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TileData {
    r#type: String,
    data: String,
    expect: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScalarData {
    r#type: String,
    bits: String,
}

/// A window of global memory, and the buffer it lies in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ViewData {
    r#type: String,
    layout: String,
    shape: Vec<u64>,
    strides: Vec<u64>,
    /// Elements of the buffer before the window.
    #[serde(default)]
    first: u64,
    data: String,
    expect: Option<String>,
}

/// A window operand.
struct View<'a> {
    name: &'a str,
    dtype: DType,
    given: &'a ViewData,
    data: Vec<u8>,
    expect: Vec<u8>,
}

impl View<'_> {
    /// The type of the operand.
    fn text(&self) -> String {
        let dims: Vec<String> = self.given.shape.iter().map(u64::to_string).collect();
        format!("!pto.tensor_view<{}x{}>", dims.join("x"), self.dtype.mlir())
    }

    /// The lines that make it from the parameter with its buffer.
    fn lines(&self) -> String {
        let (name, elem) = (self.name, self.dtype.mlir());
        let mut text = String::new();
        let mut constants = |stem: &str, values: &[u64]| {
            let names: Vec<String> = (0..values.len()).map(|k| format!("%{name}_{stem}{k}")).collect();
            for (constant, value) in names.iter().zip(values) {
                let _ = writeln!(text, "  {constant} = arith.constant {value} : index");
            }
            names.join(", ")
        };
        let (shape, strides) = (constants("d", &self.given.shape), constants("s", &self.given.strides));
        constants("first", &[self.given.first]);
        let _ = writeln!(
            text,
            "  %{name}_start = pto.addptr %{name}_buffer, %{name}_first0 : !pto.ptr<{elem}> -> !pto.ptr<{elem}>\n  \
             %{name} = pto.make_tensor_view %{name}_start, shape = [{shape}], strides = [{strides}] \
             {{layout = #pto.layout<{}>}} : {}",
            self.given.layout,
            self.text()
        );
        text
    }
}

/// A tile operand.
struct Tile<'a> {
    name: &'a str,
    /// As the program states it.
    ty: TileType,
    /// The valid region when it runs.
    valid: (u64, u64),
    data: Vec<u8>,
    expect: Vec<u8>,
}

/// A scalar operand: its type and its bits.
struct Value {
    ty: ScalarType,
    bits: u64,
}

impl Value {
    /// As the engine takes it.
    fn argument(&self) -> Arg<'static> {
        let Some(d) = self.ty.elem() else { return Arg::Int(self.bits as i64) };
        let unused = 64 - d.bits();
        match (float(d, self.bits), d.class()) {
            (Some(x), _) => Arg::Float(x),
            (None, Class::Signed) => Arg::Int((self.bits << unused) as i64 >> unused),
            (None, _) => Arg::Int(self.bits as i64),
        }
    }
}

fn read(path: &Path) -> Result<Vectors, Failed> {
    let text = std::fs::read_to_string(path)?;
    toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()).into())
}

/// One case in so many is also lowered; all of them with `PTO_LOWER_ALL`.
const LOWERED: usize = 5;

fn run_file(path: &Path) -> Result<(), Failed> {
    let vectors = read(path)?;
    let op = table::find(&vectors.op).ok_or("no such instruction")?;
    let mut problems = String::new();
    let mut failed = 0;
    for (at, case) in vectors.case.iter().enumerate() {
        let lowers = at % LOWERED == 0 || std::env::var_os("PTO_LOWER_ALL").is_some();
        if let Err(problem) = run(op, case, lowers) {
            failed += 1;
            if failed <= 5 {
                let _ = writeln!(problems, "case \"{}\"\n{problem}", case.name);
            }
        }
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} of {} cases\n{problems}", vectors.case.len()).into()) }
}

/// Checks a case for each of its targets, runs it, and compares every byte of every tile but the scratch tiles.
fn run(op: Op, case: &Case, lowers: bool) -> Result<(), String> {
    let row = op.row();
    // Parameters in the order of the slots: tiles, then scalars.
    let mut tiles = Vec::new();
    let mut scalars = Vec::new();
    let mut views = Vec::new();
    for slot in row.slots {
        if let Some(tile) = case.tiles.get(slot.name) {
            tiles.push(read_tile(slot.name, tile)?);
        } else if let Some(scalar) = case.scalars.get(slot.name) {
            scalars.push((slot.name, read_scalar(scalar)?));
        } else if let Some(view) = case.views.get(slot.name) {
            views.push(read_view(slot.name, view)?);
        }
    }
    if tiles.len() + scalars.len() + views.len() != case.tiles.len() + case.scalars.len() + case.views.len() {
        return Err("an operand has no slot".into());
    }
    let text = program(row, case, &tiles, &scalars, &views)?;
    let program = Program::parse(&text);
    for target in &case.targets {
        let target = Target::parse(target).ok_or("no such target")?;
        let found: Vec<_> = program.inspect(target).into_iter().filter(|d| !d.is_hazard()).collect();
        let checked = program.check(target).ok().filter(|_| found.is_empty());
        let Some(checked) = checked else {
            let messages: Vec<String> = found.iter().map(|d| format!("{}: {}", d.code, d.message)).collect();
            return Err(format!("not legal on {target}: {}\n{text}", messages.join("; ")));
        };
        let allowed = ElementTolerance { ulp: case.ulp, exact_nan: case.exact_nan };
        // The fast kernels and the plain ones.
        for plain in [false, true] {
            let results = match (run_case(&checked, &tiles, &scalars, &views, plain), &case.stops) {
                (Ok(results), None) => results,
                (Ok(_), Some(text)) => return Err(format!("runs, but should stop: {text}")),
                (Err(message), Some(text)) if message.contains(text) && message.starts_with(STOPPED) => continue,
                (Err(message), _) => return Err(message),
            };
            for (tile, got) in tiles.iter().zip(&results).filter(|(t, _)| t.name != "tmp") {
                compare(tile, got, &tiles, allowed).map_err(|e| {
                    let kernel = if plain { " with plain kernels" } else { "" };
                    format!("on {target}{kernel}: {e}{}", scalar_text(&scalars))
                })?;
            }
            for (view, got) in views.iter().zip(&results[tiles.len()..]) {
                compare_view(view, got, allowed).map_err(|e| format!("on {target}, plain {plain}: {e}"))?;
            }
            if lowers && !plain {
                same_when_lowered(&checked, &tiles, &results, |low| run_case(low, &tiles, &scalars, &views, false))?;
            }
        }
    }
    Ok(())
}

/// Lowering changes no byte of any operand but the scratch tiles.
fn same_when_lowered(
    checked: &Checked,
    tiles: &[Tile],
    results: &[Vec<u8>],
    run: impl Fn(&Checked) -> Result<Vec<Vec<u8>>, String>,
) -> Result<(), String> {
    let low = opt::lower(checked, opt::plan::Options::default(), opt::SyncMode::Minimal);
    let low = low.map_err(|problems| format!("it cannot be lowered: {}", problems.diagnostics()[0].message))?;
    let differs =
        |(at, (a, b)): &(usize, (&Vec<u8>, &Vec<u8>))| a != b && tiles.get(*at).is_none_or(|t| t.name != "tmp");
    match results.iter().zip(&run(&low.program)?).enumerate().find(differs) {
        Some((at, _)) => Err(format!("operand {at} differs after lowering for {}", checked.info().target)),
        None => Ok(()),
    }
}

/// How the message of a run that does not finish starts.
const STOPPED: &str = "stopped";

/// Runs a program; the contents of the tiles and buffers afterwards.
fn run_case(
    program: &Checked,
    tiles: &[Tile],
    scalars: &[(&str, Value)],
    views: &[View],
    plain: bool,
) -> Result<Vec<Vec<u8>>, String> {
    let options = Options::default().plain(plain);
    let plan = Plan::new(program, None, options).map_err(|e| format!("no plan: {}", e.diagnostics()[0].message))?;
    let mut memory: Vec<Vec<u8>> = tiles.iter().map(|t| t.data.clone()).collect();
    let mut args: Vec<Arg> =
        memory.iter_mut().zip(tiles).map(|(data, t)| Arg::write_bytes(data).valid(t.valid.0, t.valid.1)).collect();
    args.extend(scalars.iter().map(|(_, v)| v.argument()));
    let mut buffers: Vec<Vec<u8>> = views.iter().map(|v| v.data.clone()).collect();
    args.extend(buffers.iter_mut().map(|b| Arg::write_bytes(b)));
    plan.launch().threads(1).run(&mut args).map_err(|e| format!("{STOPPED}: {}", e.diagnostics()[0].message))?;
    memory.extend(buffers);
    Ok(memory)
}

/// One instruction on the parameters of a function.
fn program(
    row: &Row,
    case: &Case,
    tiles: &[Tile],
    scalars: &[(&str, Value)],
    views: &[View],
) -> Result<String, String> {
    let mut parameters: Vec<String> = tiles.iter().map(|t| format!("%{}: {}", t.name, tile_text(&t.ty))).collect();
    parameters.extend(scalars.iter().map(|(name, v)| format!("%{name}: {}", v.ty.mlir())));
    parameters.extend(views.iter().map(|v| format!("%{}_buffer: !pto.ptr<{}>", v.name, v.dtype.mlir())));
    let (mut ins, mut outs) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    for slot in row.slots {
        let name = case.same.get(slot.name).map_or(slot.name, String::as_str);
        let ty = if let Some(tile) = tiles.iter().find(|t| t.name == name) {
            tile_text(&tile.ty)
        } else if let Some((_, v)) = scalars.iter().find(|(n, _)| *n == name) {
            v.ty.mlir().to_string()
        } else if let Some(ty) = case.vectors.get(name) {
            ty.clone()
        } else if let Some(view) = views.iter().find(|v| v.name == name) {
            view.text()
        } else {
            continue;
        };
        let side = if slot.dir == Dir::In { &mut ins } else { &mut outs };
        side.0.push(format!("%{name}"));
        side.1.push(ty);
    }
    let mut attrs = Vec::new();
    for (name, value) in &case.attrs {
        let spec = row.attr(name).ok_or_else(|| format!("no attribute {name}"))?;
        let text = match (spec.kind, value) {
            (AttrKind::Enum(def), toml::Value::String(v)) => format!("#pto<{} {v}>", def.name),
            (AttrKind::Str, toml::Value::String(v)) => format!("\"{v}\""),
            (AttrKind::Bool, toml::Value::Boolean(v)) => v.to_string(),
            (AttrKind::OneOf(_) | AttrKind::Int(..), toml::Value::Integer(v)) => format!("{v} : i32"),
            _ => return Err(format!("attribute {name}: {value:?}")),
        };
        attrs.push(format!("{name} = {text}"));
    }
    let attrs = if attrs.is_empty() { String::new() } else { format!(" {{{}}}", attrs.join(", ")) };
    let vectors = case.vectors.iter().map(|(name, ty)| format!("  %{name} = arith.constant dense<0> : {ty}\n"));
    let mut before: String = vectors.chain(views.iter().map(View::lines)).collect();
    for mode in &case.before {
        let operand = |text: String, t: &Tile| {
            text.replace(&format!("${}", t.name), &format!("%{} : {}", t.name, tile_text(&t.ty)))
        };
        let _ = writeln!(before, "  pto.{}", tiles.iter().fold(mode.clone(), operand));
    }
    Ok(format!(
        "func.func @f({}) {{\n{before}  {} ins({}{attrs} : {}) outs({} : {})\n  return\n}}\n",
        parameters.join(", "),
        row.full_name(),
        ins.0.join(", "),
        ins.1.join(", "),
        outs.0.join(", "),
        outs.1.join(", ")
    ))
}

fn read_tile<'a>(name: &'a str, tile: &TileData) -> Result<Tile<'a>, String> {
    let (ty, valid) = read_type(&tile.r#type).ok_or_else(|| format!("type of {name}: {}", tile.r#type))?;
    let data = read_data(&tile.data).ok_or_else(|| format!("data of {name}"))?;
    let expect = match &tile.expect {
        Some(text) => read_data(text).ok_or_else(|| format!("expect of {name}"))?,
        None => data.clone(),
    };
    if data.len() != bytes(&ty) || expect.len() != data.len() {
        return Err(format!("{name}: {} and {} bytes, not {}", data.len(), expect.len(), bytes(&ty)));
    }
    Ok(Tile { name, ty, valid, data, expect })
}

/// `vec 4x8 f32 DN valid 3x5 dynamic`: the type, and the valid region at run time.
fn read_type(text: &str) -> Option<(TileType, (u64, u64))> {
    let shape = |word: &str| {
        let (rows, cols) = word.split_once('x')?;
        Some((rows.parse().ok()?, cols.parse().ok()?))
    };
    let mut words = text.split(' ').peekable();
    let loc = Loc::parse(words.next()?)?;
    let (rows, cols) = shape(words.next()?)?;
    let mut ty = TileType::new(loc, DType::parse(words.next()?)?, rows, cols);
    if let Some((blayout, slayout)) = words.peek().and_then(|w| layout(w)) {
        ty = ty.layout(blayout, slayout, 512);
        words.next();
    }
    if let Some(bytes) = words.peek().and_then(|w| w.strip_prefix("fractal=")) {
        ty.fractal = bytes.parse().ok()?;
        words.next();
    }
    if words.next_if_eq(&"pad").is_some() {
        let name = words.next()?;
        ty.pad = Pad::ALL.into_iter().find(|p| p.name() == name)?;
    }
    let mut valid = (rows, cols);
    if words.next_if_eq(&"valid").is_some() {
        valid = shape(words.next()?)?;
        ty = ty.valid(Dim::Fixed(valid.0), Dim::Fixed(valid.1));
    }
    if words.next_if_eq(&"dynamic").is_some() {
        ty = ty.valid(Dim::Dynamic, Dim::Dynamic);
    }
    words.next().is_none().then_some((ty, valid))
}

fn read_view<'a>(name: &'a str, view: &'a ViewData) -> Result<View<'a>, String> {
    let dtype = DType::parse(&view.r#type).ok_or_else(|| format!("type of {name}: {}", view.r#type))?;
    let data = read_data(&view.data).ok_or_else(|| format!("data of {name}"))?;
    let expect = match &view.expect {
        Some(text) => read_data(text).ok_or_else(|| format!("expect of {name}"))?,
        None => data.clone(),
    };
    if expect.len() != data.len() {
        return Err(format!("{name}: {} and {} bytes", data.len(), expect.len()));
    }
    Ok(View { name, dtype, given: view, data, expect })
}

fn compare_view(view: &View, got: &[u8], allowed: ElementTolerance) -> Result<(), String> {
    let (d, elements) = (view.dtype, view.data.len() * 8 / view.dtype.column_bits() as usize);
    let differs = |at: &usize| !agrees(d, element(d, got, *at), element(d, &view.expect, *at), allowed);
    match (0..elements).find(differs) {
        None => Ok(()),
        Some(at) => {
            let (is, want) = (element(d, got, at), element(d, &view.expect, at));
            Err(format!("{} in global memory: element {at} is {}, want {}", view.name, show(d, is), show(d, want)))
        }
    }
}

/// Hexadecimal words; `word*n` stands for n of them.
fn read_data(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for word in text.split_ascii_whitespace() {
        let (digits, times) = word.split_once('*').unwrap_or((word, "1"));
        let run: Option<Vec<u8>> = (0..digits.len() / 2)
            .map(|i| digits.get(2 * i..2 * i + 2).and_then(|d| u8::from_str_radix(d, 16).ok()))
            .collect();
        out.extend(run?.repeat(times.parse().ok()?));
    }
    Some(out)
}

fn read_scalar(scalar: &ScalarData) -> Result<Value, String> {
    let ty = ScalarType::parse(&scalar.r#type).ok_or_else(|| format!("type {}", scalar.r#type))?;
    let bits = scalar.bits.strip_prefix("0x").and_then(|d| u64::from_str_radix(d, 16).ok());
    Ok(Value { ty, bits: bits.ok_or_else(|| format!("bits {}", scalar.bits))? })
}

/// The first elements that differ, with what stood at the same place in the other tiles.
fn compare(tile: &Tile, got: &[u8], all: &[Tile], allowed: ElementTolerance) -> Result<(), String> {
    if got.len() != tile.expect.len() {
        return Err(format!("{} has {} bytes, not {}", tile.name, got.len(), tile.expect.len()));
    }
    let (d, cols) = (tile.ty.dtype, tile.ty.cols as usize);
    let mut text = String::new();
    let mut wrong = 0;
    // Numbers of four bits are compared in pairs, where pairs are bytes.
    let cells = if d == DType::I4 { 2 * got.len() } else { got.len() / d.unit_bytes() as usize };
    for at in 0..cells {
        let (is, want) = (element(d, got, at), element(d, &tile.expect, at));
        if agrees(d, is, want, allowed) {
            continue;
        }
        wrong += 1;
        if wrong > 4 {
            continue;
        }
        let (row, col) = (at / cols, at % cols);
        let place = if (row as u64) < tile.valid.0 && (col as u64) < tile.valid.1 { "" } else { " (not valid)" };
        let _ = write!(text, "\n  [{row}, {col}]{place}: {}, want {};", show(d, is), show(d, want));
        for other in all.iter().filter(|o| bytes(&o.ty) >= o.ty.elements() as usize) {
            let (rows, cols) = (other.ty.rows as usize, other.ty.cols as usize);
            // A row vector or a column stands for all rows or columns.
            let (r, c) = (row.min(rows - 1), col.min(cols - 1));
            let _ = write!(
                text,
                " {} {},",
                other.name,
                show(other.ty.dtype, element(other.ty.dtype, &other.data, r * cols + c))
            );
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{} of {}: {wrong} elements{text}", tile.name, tile.ty)) }
}

fn scalar_text(scalars: &[(&str, Value)]) -> String {
    let shown = scalars.iter().map(|(name, v)| {
        let value = v.ty.elem().map_or_else(|| v.bits.to_string(), |d| show(d, v.bits));
        format!("\n  {name} = {value}")
    });
    shown.collect()
}

/// Types that only the host takes and that no rule gives arithmetic: what they compute is not said anywhere.
const STORED_ONLY: &[DType] =
    &[DType::I4, DType::F8E4M3, DType::F8E5M2, DType::F8E8M0, DType::Hif8, DType::F4E1M2, DType::F4E2M1];

/// Functions of real numbers: what they give for the integers that the host takes is not said either.
const REAL: &[&str] = &["texp", "tlog"];

/// Instructions on tiles and windows that move data, outside the computing families.
const MOVING: &[&str] = &[
    "tload",
    "tstore",
    "tprefetch",
    "mgather",
    "mscatter",
    "ttrans",
    "tfillpad",
    "tfillpad_inplace",
    "tfillpad_expand",
    "tconcat",
    "tconcatidx",
    "tinterleave",
    "tdeinterleave",
    "tpack",
    "timg2col",
];

/// Every row of the computing families has vectors for every element type and combination, on every target.
fn coverage() -> Result<(), Failed> {
    use Family::{Elementwise, Expand, Irregular, Matrix, Partial, Quant, Reduce, TileScalar};
    let families = [Elementwise, TileScalar, Partial, Reduce, Expand, Matrix, Quant, Irregular];
    let others = ["tmov", "tmov.fp", "textract", "textract_fp", "tinsert", "tinsert_fp"];
    // They print, touch single elements, place a tile, set a state, or are no instruction on tiles: other tests run them.
    let no_results = [
        "tprint",
        "print",
        "tgetval",
        "tsetval",
        "trap",
        "get_vms4_sr",
        "tget_scale_addr",
        "sethf32mode",
        "settf32mode",
    ];
    let mut missing = Vec::new();
    let is_wanted = |row: &Row| {
        let moves = others.contains(&row.name) || MOVING.contains(&row.name);
        families.contains(&row.family) || moves
    };
    for op in table::isa().filter(|op| is_wanted(op.row()) && !no_results.contains(&op.row().name)) {
        let row = op.row();
        let path = root().join(format!("{}.toml", row.name));
        if !path.exists() {
            missing.push(format!("{}: no file", row.name));
            continue;
        }
        let vectors = read(&path)?;
        for target in Target::ALL.into_iter().filter(|t| row.targets.contains(*t)) {
            let types: Vec<BTreeMap<&str, DType>> =
                vectors.case.iter().filter(|c| c.targets.iter().any(|t| t == target.name())).map(types_of).collect();
            let data = |d: DType| {
                types.iter().any(|t| row.slots.iter().any(|s| s.elem == ElemRule::Data && t.get(s.name) == Some(&d)))
            };
            for d in row.data_types(target).iter().filter(|d| !data(*d)) {
                let unsaid = STORED_ONLY.contains(&d) || d.is_int() && REAL.contains(&row.name);
                if target != Target::Cpu || !unsaid {
                    missing.push(format!("{}: {d} on {target}", row.name));
                }
            }
            for rule in row.rules_on(target) {
                let Rule::Elems(slots, list) = rule else { continue };
                let has = |t: &BTreeMap<&str, DType>, want: &[DType]| {
                    slots.iter().zip(want).all(|(s, d)| t.get(s) == Some(d))
                };
                for want in list.iter().filter(|want| !types.iter().any(|t| has(t, want))) {
                    missing.push(format!("{}: {want:?} on {target}", row.name));
                }
            }
            if types.is_empty() {
                missing.push(format!("{}: nothing on {target}", row.name));
            }
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(missing.join("\n").into()) }
}

/// The element types of a case by slot.
fn types_of(case: &Case) -> BTreeMap<&str, DType> {
    let tiles = case.tiles.iter().filter_map(|(name, t)| Some((name.as_str(), read_type(&t.r#type)?.0.dtype)));
    let mut types: BTreeMap<&str, DType> = tiles.collect();
    for (slot, other) in &case.same {
        if let Some(&d) = types.get(other.as_str()) {
            types.insert(slot, d);
        }
    }
    types
}

//! Kernel kinds, reserved buffers and pipes: for every rule a program that breaks it next to one that keeps it.

use pto_isa::{Code, Family, Severity, Target, codes, table};

/// What is wrong with a program: severity, code and message.
fn problems(source: &str, target: Target) -> Vec<(Severity, Code, String)> {
    let (module, read) = pto_syntax::parse(source);
    assert!(read.is_empty(), "{read:?}\n{source}");
    let (_, found) = pto_check::inspect(&module, target);
    found.into_iter().map(|d| (d.severity, d.code, d.message)).collect()
}

#[track_caller]
fn legal(source: &str) {
    assert_eq!(problems(source, Target::A5), [], "{source}");
}

/// The program has an error of this code whose message contains the text.
#[track_caller]
fn wrong(source: &str, code: Code, text: &str) {
    let found = problems(source, Target::A5);
    let hit = found.iter().any(|(s, c, m)| *s == Severity::Error && *c == code && m.contains(text));
    assert!(hit, "{code} with `{text}` expected, found {found:#?}\n{source}");
}

const ACC: &str = "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>";
const VEC: &str = "!pto.tile_buf<vec, 16x16xf32>";

/// The two ends of a pipe from cube to vector, and what else the two kernels do.
struct Pair {
    cube_init: String,
    cube: String,
    vector_init: String,
    vector: String,
}

impl Default for Pair {
    fn default() -> Self {
        Self {
            cube_init: "dir_mask = 1, slot_size = 1024".into(),
            cube: format!("%acc = pto.alloc_tile : {ACC}\npto.tpush_to_aiv(%acc : {ACC}) {{split = 0}}"),
            vector_init: "dir_mask = 1, slot_size = 1024".into(),
            vector: format!("%tile = pto.tpop_from_aic {{split = 0}} -> {VEC}\npto.tfree_from_aic {{split = 0}}"),
        }
    }
}

impl Pair {
    fn text(&self) -> String {
        let Self { cube_init, cube, vector_init, vector } = self;
        format!(
            "module {{
func.func @cube() attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
  %buf = pto.import_reserved_buffer {{name = \"ring\", peer_func = @vector}} -> i32
  pto.aic_initialize_pipe {{{cube_init}}} (c2v_consumer_buf = %buf : i32)
  {cube}
  return
}}
func.func @vector() attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
  %buf = pto.reserve_buffer {{name = \"ring\", size = 8192, location = #pto.address_space<vec>, auto = true}} -> i32
  pto.aiv_initialize_pipe {{{vector_init}}} (c2v_consumer_buf = %buf : i32)
  {vector}
  return
}}
}}"
        )
    }
}

/// A function of one kind.
fn kernel(kind: &str, body: &str) -> String {
    format!("func.func @f(%p: i32) attributes {{pto.kernel_kind = #pto.kernel_kind<{kind}>}} {{\n{body}\nreturn\n}}\n")
}

// ---- cores -------------------------------------------------------------------------------------------------

#[test]
fn pipe_operations_stand_on_their_core() {
    legal(&Pair::default().text());
    let swapped = Pair::default().text().replace("kernel_kind<cube>", "kernel_kind<vector>");
    wrong(&swapped, codes::KERNEL_KIND, "belongs on the cube core, but this is vector code");
    let unstated = Pair::default().text().replace(" attributes {pto.kernel_kind = #pto.kernel_kind<cube>}", "");
    wrong(&unstated, codes::KERNEL_KIND, "does not say which core");
}

#[test]
fn the_kind_may_come_from_a_section_or_a_module() {
    let section = "func.func @f(%p: i32) { pto.section.cube {
        %pipe = pto.initialize_l2l_pipe {dir_mask = 1, slot_size = 1024, slot_num = 8, flag_base = 0} (%p : i32) -> !pto.pipe
        pto.tfree(%pipe : !pto.pipe) {split = 0}
      }
      return }";
    legal(section);
    wrong(
        &section.replace("pto.section.cube {", "scf.execute_region {").replace("{split = 0}", "{split = 0}\nscf.yield"),
        codes::KERNEL_KIND,
        "does not say which core",
    );
    let body = format!("%a = pto.alloc_tile : {VEC}\npto.tneg ins(%a : {VEC}) outs(%a : {VEC})");
    legal(&kernel("vector", &body));
    wrong(&kernel("cube", &body), codes::KERNEL_KIND, "`tneg` on PIPE_V belongs on the vector core");
    let inherited = format!(
        "module attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{ func.func @f() {{\n{body}\nreturn }} }}"
    );
    wrong(&inherited, codes::KERNEL_KIND, "this is cube code");
}

// ---- buffers -----------------------------------------------------------------------------------------------

fn reserve(name: &str, rest: &str) -> String {
    format!(
        "pto.reserve_buffer {{name = \"{name}\", size = 1024, location = #pto.address_space<vec>, {rest}}} -> i32\n"
    )
}

#[test]
fn reserved_names_are_unique_in_a_function() {
    let two = |a, b| kernel("vector", &format!("%x = {}%y = {}", reserve(a, "auto = true"), reserve(b, "auto = true")));
    legal(&two("a", "b"));
    wrong(&two("a", "a"), codes::FIFO_RESERVE, "reserves \"a\" twice");
}

#[test]
fn the_planner_places_everything_or_nothing() {
    let tile = format!("%t = pto.alloc_tile : {VEC}\n");
    let placed = format!("%c = arith.constant 0 : i64\n%t = pto.alloc_tile addr = %c : {VEC}\n");
    let buffer = |rest| format!("%x = {}", reserve("a", rest));
    legal(&kernel("vector", &format!("{tile}{}", buffer("auto = true"))));
    legal(&kernel("vector", &format!("{placed}{}", buffer("auto = false, base = 4096"))));
    let wrong = |body: String, text| wrong(&kernel("vector", &body), codes::FIFO_RESERVE, text);
    wrong(buffer("auto = false"), "without base");
    wrong(buffer("auto = true, base = 0"), "although `auto = true`");
    wrong(format!("{tile}{}", buffer("auto = false, base = 4096")), "whose tiles have no addresses");
    wrong(format!("{placed}{}", buffer("auto = true")), "places its tiles itself");
}

#[test]
fn a_placed_buffer_lies_in_its_memory() {
    let at = |base| kernel("vector", &format!("%x = {}", reserve("a", &format!("auto = false, base = {base}"))));
    legal(&at(256 * 1024 - 1024));
    wrong(&at(256 * 1024 - 512), codes::OUT_OF_MEMORY, "ends outside UB");
    wrong(&at(7), codes::MISALIGNED, "starts at 7");
}

#[test]
fn tiles_in_a_placed_buffer_are_noticed() {
    let at = |tile: u32| {
        let buffer = reserve("a", "auto = false, base = 4096");
        let body = format!("%c = arith.constant {tile} : i64\n%t = pto.alloc_tile addr = %c : {VEC}\n%x = {buffer}");
        problems(&kernel("vector", &body), Target::A5)
    };
    // The buffer and the tile have 1024 bytes each.
    for (tile, is_in) in [(3072, false), (3104, true), (4096, true), (5088, true), (5120, false)] {
        let found = at(tile);
        let noticed = found
            .iter()
            .any(|(s, c, m)| *s == Severity::Warning && *c == codes::FIFO_RESERVE && m.contains("a tile at"));
        assert_eq!((noticed, found.len()), (is_in, usize::from(is_in)), "{tile}: {found:?}");
    }
}

/// An import in one module, and two neighbours with functions that may be meant.
fn neighbours(first: &str, second: &str) -> String {
    let owner = |head: &str| {
        let buffer = reserve("a", "auto = true");
        format!("module {{ func.func {head} {{\n%x = {buffer}return }} }}\n")
    };
    let import = "%x = pto.import_reserved_buffer {name = \"a\", peer_func = @peer} -> i32";
    format!("module {{ module {{ func.func @f() {{\n{import}\nreturn }} }}\n{}{} }}", owner(first), owner(second))
}

#[test]
fn an_import_names_one_function() {
    legal(&neighbours("@peer()", "@other()"));
    legal(&neighbours("public @x() attributes {pto.ptodsl.logical_name = \"peer\"}", "@other()"));
    wrong(&neighbours("@x()", "@other()"), codes::FIFO_RESERVE, "no function `@peer`");
    wrong(&neighbours("private @peer()", "@other()"), codes::FIFO_RESERVE, "no function `@peer`");
    wrong(&neighbours("@peer()", "@peer()"), codes::FIFO_RESERVE, "any of 2 functions");
    let unreserved = Pair::default().text().replacen("\"ring\"", "\"rang\"", 1);
    wrong(&unreserved, codes::FIFO_RESERVE, "reserves no buffer \"rang\"");
}

// ---- pipes -------------------------------------------------------------------------------------------------

#[test]
fn a_user_finds_its_pipe() {
    let push = |attrs| format!("%acc = pto.alloc_tile : {ACC}\npto.tpush_to_aiv(%acc : {ACC}) {{{attrs}}}");
    let with = |attrs| Pair { cube: push(attrs), ..Pair::default() }.text();
    legal(&with("id = 0, split = 0"));
    wrong(&with("id = 3, split = 0"), codes::FIFO_SETUP, "uses pipe 3, which is not open");
    let back = Pair { cube: "pto.tfree_from_aiv {split = 0}".into(), ..Pair::default() }.text();
    wrong(&back, codes::FIFO_SETUP, "needs a pipe from vector to cube");
    let early = with("split = 0").replacen("%buf = pto.import", "pto.tfree_from_aiv {split = 0}\n%buf = pto.import", 1);
    wrong(&early, codes::FIFO_SETUP, "before its pipe is open");
    let twice = Pair::default().text().replacen(
        "%acc = pto",
        "pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024} (c2v_consumer_buf = %buf : i32)\n%acc = pto",
        1,
    );
    wrong(&twice, codes::FIFO_SETUP, "a second pipe with id 0");
}

#[test]
fn both_ends_exist_and_agree() {
    let end = Pair::default().text();
    let start = end.find("pto.aiv_initialize_pipe").expect("in the text");
    let alone = format!("{}return\n}}\n}}", &end[..start]);
    wrong(&alone, codes::FIFO_SETUP, "the other end of this pipe is never opened");
    for (attr, name) in [("slot_size = 2048", "slot_size"), ("slot_size = 1024, slot_num = 4", "slot_num")] {
        let other = Pair { vector_init: format!("dir_mask = 1, {attr}"), ..Pair::default() }.text();
        wrong(&other, codes::FIFO_SETUP, &format!("disagree: {name} is"));
    }
    let opaque = end
        .replace("(c2v_consumer_buf = %buf : i32)", "(c2v_consumer_buf = %c : i32)")
        .replace("  pto.ai", "  %c = arith.constant 0 : i32\n  pto.ai");
    wrong(&opaque, codes::FIFO_SETUP, "the other end of this pipe cannot be found");
    let turned = end.replace("kernel_kind<cube>", "K").replace("kernel_kind<vector>", "kernel_kind<cube>");
    let turned = turned.replace('K', "kernel_kind<vector>").replace("aic_init", "A").replace("aiv_init", "aic_init");
    wrong(&turned.replace('A', "aiv_init"), codes::FIFO_SETUP, "the consumer of this pipe imports its buffer");
}

#[test]
fn a_handle_needs_a_buffer_or_flags() {
    let open = |flag| {
        let attrs = format!("dir_mask = 1, slot_size = 1024, slot_num = 8{flag}");
        format!("%pipe = pto.initialize_l2l_pipe {{{attrs}}} (%p : i32) -> !pto.pipe")
    };
    legal(&kernel("vector", &open(", flag_base = 0")));
    wrong(&kernel("vector", &open("")), codes::FIFO_SETUP, "cannot be found");
    let two = |a, b| kernel("vector", &format!("{}\n{}", open(a), open(b).replace("%pipe", "%other")));
    legal(&two(", flag_base = 0", ", flag_base = 2"));
    wrong(&two(", flag_base = 0", ", flag_base = 1"), codes::FIFO_SETUP, "flag_base = 1 is taken");
}

/// So many pipes between two kernels.
fn pipes(count: usize) -> String {
    let (mut cube, mut vector) = (String::new(), String::new());
    for n in 0..count {
        let init = |core| {
            format!(
                "pto.{core}_initialize_pipe {{id = {n}, dir_mask = 1, slot_size = 64}} (c2v_consumer_buf = %b{n} : i32)\n"
            )
        };
        cube +=
            &format!("%b{n} = pto.import_reserved_buffer {{name = \"b{n}\", peer_func = @v}} -> i32\n{}", init("aic"));
        vector += &format!("%b{n} = {}{}", reserve(&format!("b{n}"), "auto = true"), init("aiv"));
    }
    format!("module {{ {}\n{} }}", kernel("cube", &cube), kernel("vector", &vector).replace("@f", "@v"))
}

#[test]
fn pipes_share_sixteen_signals() {
    legal(&pipes(8));
    wrong(&pipes(9), codes::FIFO_SETUP, "no signal ids are left");
}

#[test]
fn all_users_split_or_none() {
    let with = |nosplit: &str, push: u8, pop: u8| {
        let pair = Pair::default();
        let cube_init = format!("{}{nosplit}", pair.cube_init);
        let cube = pair.cube.replace("split = 0", &format!("split = {push}"));
        let vector = pair.vector.replace("split = 0", &format!("split = {pop}"));
        Pair { cube_init, cube, vector, ..pair }.text()
    };
    legal(&with("", 1, 1));
    legal(&with(", nosplit = true", 0, 0));
    wrong(&with("", 1, 0), codes::FIFO_SETUP, "also used with split = 0");
    wrong(&with(", nosplit = false", 0, 0), codes::FIFO_SETUP, "`nosplit = false`, but a user has split = 0");
    wrong(&with(", nosplit = true", 2, 2), codes::FIFO_SETUP, "`nosplit = true`, but a user has split = 2");
}

#[test]
fn an_odd_split_needs_slots_in_global_memory() {
    let tile = ACC.replace("fractal=1024", "fractal=1024, valid=15x16");
    let body = |open: &str| {
        let open = format!("%pipe = pto.{open} -> !pto.pipe");
        let push = format!("%a = pto.alloc_tile : {tile}\npto.tpush(%a, %pipe : {tile}, !pto.pipe) {{split = 3}}");
        kernel("cube", &format!("{open}\n{push}")).replace("%p: i32", "%p: i32, %g: !pto.ptr<f32>")
    };
    let attrs = "{dir_mask = 1, slot_size = 1024, slot_num = 8, flag_base = 0}";
    legal(&body(&format!("initialize_l2g2l_pipe {attrs} (%g : !pto.ptr<f32>, %p : i32)")));
    let local = body(&format!("initialize_l2l_pipe {attrs} (%p : i32)"));
    wrong(&local, codes::FIFO_SETUP, "cannot cut a tile unevenly");
}

#[test]
fn an_entry_has_the_shape_of_the_slots() {
    let alloc = |cols| {
        let slots = "!pto.tensor_view<16x16xf32>";
        let init = "{dir_mask = 1, slot_size = 1024, slot_num = 8, flag_base = 0}";
        let open = format!("%pipe = pto.initialize_l2g2l_pipe {init} (%s : {slots}) -> !pto.pipe");
        let view = format!("!pto.tensor_view<16x{cols}xf32>");
        let entry =
            format!("%e = pto.declare_global -> {view}\npto.talloc(%e, %pipe : {view}, !pto.pipe) {{split = 0}}");
        kernel("cube", &format!("{open}\n{entry}")).replace("%p: i32", &format!("%s: {slots}"))
    };
    legal(&alloc("16"));
    legal(&alloc("?"));
    wrong(&alloc("32"), codes::FIFO_SETUP, "the entry is 16x32 of f32, the slots are 16x16 of f32");
}

#[test]
fn pipe_operations_have_no_other_attributes() {
    let pair = Pair { cube_init: "dir_mask = 1, slot_size = 1024, stPhase = 1".into(), ..Pair::default() };
    wrong(&pair.text(), codes::UNKNOWN_ATTRIBUTE, "no attribute `stPhase`");
}

// ---- epilogues ---------------------------------------------------------------------------------------------

/// A pipe that turns `i32` accumulators into `f16` tiles with a scalar scale.
fn fixpipe() -> Pair {
    let epilogue = "#pto.acc_push_epilogue<layout = nz2nd, quant = deqf16_scalar, relu = no_relu>";
    let init = format!("dir_mask = 1, slot_size = 512, nosplit = true, acc_push_epilogue = {epilogue}");
    let acc = ACC.replace("f32", "i32");
    let scale = "%s = arith.constant 1.0 : f32\npto.set_quant_scalar(%s : f32) {id = 0}";
    let default = Pair::default();
    Pair {
        cube_init: init.clone(),
        cube: format!("{scale}\n%acc = pto.alloc_tile : {acc}\npto.tpush_to_aiv(%acc : {acc}) {{split = 0}}"),
        vector_init: init,
        vector: default.vector.replace("f32", "f16"),
    }
}

#[test]
fn an_epilogue_is_the_same_at_both_ends() {
    legal(&fixpipe().text());
    for (from, to, text) in [
        ("quant = deqf16_scalar", "quant = deqf16_vec", "quant is deqf16_vec here"),
        ("no_relu", "normal_relu", "relu is normal_relu here"),
        ("nz2nd", "nz2dn", "layout is nz2dn here"),
    ] {
        let pair = fixpipe();
        let vector_init = pair.vector_init.replace(from, to);
        wrong(&Pair { vector_init, ..pair }.text(), codes::FIFO_SETUP, text);
    }
    let bare = Pair { vector_init: "dir_mask = 1, slot_size = 512, nosplit = true".into(), ..fixpipe() };
    wrong(&bare.text(), codes::FIFO_SETUP, "has no acc_push_epilogue");
    let unknown = fixpipe().text().replace("no_relu", "pwl");
    wrong(&unknown, codes::ATTRIBUTE_VALUE, "`pwl` is not a relu");
}

#[test]
fn a_scale_is_set_before_the_push() {
    let text = fixpipe().text();
    let unset = text.replace("pto.set_quant_scalar(%s : f32) {id = 0}", "");
    wrong(&unset, codes::FIFO_SETUP, "without a scale for pipe 0");
    wrong(&text.replace("{id = 0}", "{id = 1}"), codes::FIFO_SETUP, "for pipe 1, which is not open");
    let plain = text.replace("deqf16_scalar", "no_convert").replace("f16", "i32").replace("= 512", "= 1024");
    wrong(&plain, codes::FIFO_SETUP, "which has quant = no_convert");
}

#[test]
fn a_table_of_scales_has_a_word_for_each_column() {
    let table = |words: u32| {
        let ty = format!("!pto.tile_buf<scaling, 1x{words}xf32>");
        let set = format!("%w = pto.alloc_tile : {ty}\npto.set_quant_vector(%w : {ty}) {{id = 0}}");
        let scalar = "%s = arith.constant 1.0 : f32\npto.set_quant_scalar(%s : f32) {id = 0}";
        fixpipe().text().replace("deqf16_scalar", "deqf16_vec").replace(scalar, &set)
    };
    legal(&table(16));
    legal(&table(32));
    wrong(&table(8), codes::FIFO_SETUP, "8 scale words for 16 columns");
}

#[test]
fn element_types_layout_and_slot_fit_the_epilogue() {
    let text = fixpipe().text();
    wrong(&text.replace("16x16xi32", "16x16xf32"), codes::FIFO_SETUP, "an accumulator of f32 pushed");
    wrong(&text.replace("16x16xf16", "16x16xbf16"), codes::FIFO_SETUP, "a tile of bf16 popped");
    wrong(&text.replace("16x16xf16", "16x16xf16, blayout=col_major"), codes::FIFO_SETUP, "with layout DN popped");
    wrong(
        &text.replace("slot_size = 512", "slot_size = 256"),
        codes::FIFO_SETUP,
        "a slot of 256 bytes for tiles of 512",
    );
    wrong(&text.replace("split = 0", "split = 1"), codes::FIFO_SETUP, "splits tiles of a pipe with an epilogue");
    let unread = Pair { vector: String::new(), ..fixpipe() };
    wrong(&unread.text(), codes::FIFO_SETUP, "nothing is popped");
    let kept = text.replace("deqf16_scalar", "no_convert").replace("pto.set_quant_scalar(%s : f32) {id = 0}", "");
    legal(&kept.replace("16x16xf16", "16x16xi32").replace("= 512", "= 1024"));
    wrong(
        &kept.replace("16x16xf16", "16x16xf32").replace("= 512", "= 1024"),
        codes::FIFO_SETUP,
        "without a conversion",
    );
}

#[test]
fn some_modes_are_for_a5() {
    let pair = fixpipe().text().replace("deqf16_scalar", "qs322bf16_pre_scalar").replace("f16>", "bf16>");
    legal(&pair);
    let on_a3 = problems(&pair, Target::A2A3);
    assert!(on_a3.iter().any(|(_, c, m)| *c == codes::ATTRIBUTE_VALUE && m.contains("a2a3 has no")), "{on_a3:?}");
}

// ---- entries -----------------------------------------------------------------------------------------------

#[test]
fn a_freed_entry_is_gone() {
    let neg = format!("pto.tneg ins(%tile : {VEC}) outs(%tile : {VEC})");
    let free = "pto.tfree_from_aic {split = 0}";
    let with = |a: &str, b: &str| {
        let vector = format!("%tile = pto.tpop_from_aic {{split = 0}} -> {VEC}\n{a}\n{b}");
        Pair { vector, ..Pair::default() }.text()
    };
    legal(&with(&neg, free));
    wrong(&with(free, &neg), codes::FIFO_ENTRY, "`tneg` uses a FIFO entry after it was freed");
    let copied = problems(&with(free, &neg), Target::A2A3);
    assert!(copied.iter().any(|(s, c, _)| *s == Severity::Warning && *c == codes::FIFO_ENTRY), "{copied:?}");
}

// ---- the table ---------------------------------------------------------------------------------------------

#[test]
fn examples_of_the_table_are_legal() {
    for op in table::isa().filter(|o| matches!(o.row().family, Family::Fifo | Family::Config)) {
        let example = op.row().example;
        let stated = example.strip_prefix("// target ").and_then(|rest| Target::parse(rest.lines().next()?));
        let found = problems(example, stated.unwrap_or(Target::A2A3));
        let errors: Vec<_> = found.iter().filter(|(s, ..)| *s == Severity::Error).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}\n{example}", op.row().name);
    }
}

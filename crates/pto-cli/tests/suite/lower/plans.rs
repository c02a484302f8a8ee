//! Where tiles may lie: who needs bytes at the same time, and who may write over whom.

use super::{again, lowered, prepared};
use pto::opt::{self, SyncMode, plan};
use pto::{Arg, Program, Target, race};
use std::collections::BTreeMap;

const HEAD: &str = "
  !t = !pto.tile_buf<vec, 16x16xf32>
  !v = !pto.partition_tensor_view<16x16xf32>
  func.func @f(%x: !v, %y: !v, %flag: i1) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %three = arith.constant 3 : index
    %k = arith.constant 2.0 : f32
";

pub fn whole(body: &str) -> String {
    format!("{HEAD}{body}    return\n  }}\n")
}

/// The addresses of tiles, as close together as they can be.
fn places(text: &str, target: Target) -> BTreeMap<String, (u64, u64)> {
    let checked = Program::parse(text).check(target).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let planned = opt::plan_memory(&checked, plan::Options { tight: true, ..Default::default() }).expect("it fits");
    let tiles = planned.spaces.into_iter().flat_map(|s| s.tiles);
    tiles.map(|t| (t.name, (t.address, t.address + t.bytes))).collect()
}

fn share(places: &BTreeMap<String, (u64, u64)>, a: &str, b: &str) -> bool {
    let (a, b) = (places[a], places[b]);
    a.0 < b.1 && b.0 < a.1
}

/// The same numbers before and after, packed, and nothing out of order.
pub fn is_kept(text: &str) {
    for target in [Target::A2A3, Target::A5] {
        let source = Program::parse(text);
        let checked = source.check(target).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let (low_text, low) = again(&lowered(&checked, true, SyncMode::Minimal));
        let (before, after) = (prepared(&source, target, text), prepared(&low, target, &low_text));
        for flag in [0, 1] {
            let x: Vec<f32> = (0..256).map(|n| (n % 13) as f32 - 6.0).collect();
            let (mut one, mut two) = (vec![0f32; 256], vec![0f32; 256]);
            before.launch().run(&mut [Arg::read(&x), Arg::write(&mut one), Arg::Int(flag)]).expect("it runs");
            let mut args = vec![Arg::read(&x), Arg::write(&mut two), Arg::Int(flag)];
            let report = race::Check::new(after.launch()).sync(race::OrderedBy::Manual).run(&mut args);
            assert!(report.findings.is_empty(), "{:?}\n{low_text}", report.findings);
            assert_eq!(one, two, "flag {flag} on {target}\n{low_text}");
        }
    }
}

/// A tile takes over the bytes of another that nobody else reads. Where somebody does, who would have to be waited for, it only does so
/// when there is no room.
#[test]
fn bytes_are_taken_over_where_that_costs_nothing() {
    let one_reader = whole(
        "    %a = pto.alloc_tile : !t
    %b = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%a : !t)
    pto.tmuls ins(%a, %k : !t, f32) outs(%b : !t)
    pto.tstore ins(%b : !t) outs(%y : !v)
",
    );
    let two_readers = whole(
        "    %a = pto.alloc_tile : !t
    %b = pto.alloc_tile : !t
    %c = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%a : !t)
    pto.tmuls ins(%a, %k : !t, f32) outs(%c : !t)
    pto.tadds ins(%a, %k : !t, f32) outs(%b : !t)
    pto.tstore ins(%c : !t) outs(%y : !v)
    pto.tstore ins(%b : !t) outs(%x : !v)
",
    );
    let taken_over = |text: &str, tight: bool| {
        let checked = Program::parse(text).check(Target::A2A3).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let planned = opt::plan_memory(&checked, plan::Options { tight, ..Default::default() }).expect("it fits");
        planned.spaces.iter().flat_map(|s| &s.tiles).any(|t| t.name == "b" && t.takes_over.is_some())
    };
    assert!(taken_over(&one_reader, false) && taken_over(&one_reader, true));
    assert!(!taken_over(&two_readers, false) && taken_over(&two_readers, true));
    let checked = Program::parse(&two_readers).check(Target::A2A3).expect("legal");
    let (low, _) = again(&lowered(&checked, false, SyncMode::Minimal));
    assert!(!low.contains("pto.barrier"), "{low}");
}

/// A tile to which the program gives an address later has a place, and takes none of the memory of others.
#[test]
fn tiles_that_get_an_address_later_are_left_alone() {
    let text = whole(
        "    %a = pto.alloc_tile : !t
    pto.tassign %a, @tile(0x1000)
    pto.tload ins(%x : !v) outs(%a : !t)
    pto.tstore ins(%a : !t) outs(%y : !v)
",
    );
    let checked = Program::parse(&text).check(Target::A2A3).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let planned = opt::plan_memory(&checked, plan::Options::default()).expect("nothing to place");
    assert!(planned.spaces.is_empty(), "{:?}", planned.spaces);
}

/// Open tiles go behind those that the program has placed: by `tassign`, or in a function that is called or calls.
#[test]
fn open_tiles_keep_off_placed_ones() {
    is_kept(&whole(
        "    %a = pto.alloc_tile : !t
    %b = pto.alloc_tile : !t
    pto.tassign %a, @tile(0x0)
    pto.tload ins(%x : !v) outs(%a : !t)
    pto.texpands ins(%k : f32) outs(%b : !t)
    pto.tadd ins(%a, %b : !t, !t) outs(%b : !t)
    pto.tadd ins(%a, %b : !t, !t) outs(%b : !t)
    pto.tstore ins(%b : !t) outs(%y : !v)
",
    ));
    let caller = whole(
        "    %at = arith.constant 0 : i64
    %a = pto.alloc_tile addr = %at : !t
    pto.tload ins(%x : !v) outs(%a : !t)
    func.call @g() : () -> ()
    pto.tstore ins(%a : !t) outs(%y : !v)
",
    )
    .replace("%flag: i1) {", "%flag: i1) attributes {pto.entry} {");
    is_kept(&format!(
        "{caller}
  func.func private @g() {{
    %one = arith.constant 1.0 : f32
    %b = pto.alloc_tile : !t
    pto.texpands ins(%one : f32) outs(%b : !t)
    return
  }}
"
    ));
}

/// Nobody knows what is free where an address is computed.
#[test]
fn open_tiles_next_to_computed_addresses_are_refused() {
    let text = whole(
        "    %wide = arith.extui %flag : i1 to i64
    %a = pto.alloc_tile : !t
    %b = pto.alloc_tile : !t
    pto.tassign ins(%a, %wide : !t, i64)
    pto.tload ins(%x : !v) outs(%a : !t)
    pto.tload ins(%x : !v) outs(%b : !t)
    pto.tadd ins(%a, %b : !t, !t) outs(%b : !t)
    pto.tstore ins(%b : !t) outs(%y : !v)
",
    );
    let checked = Program::parse(&text).check(Target::A2A3).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let problems = opt::plan_memory(&checked, plan::Options::default()).expect_err("it is not known what is free");
    assert_eq!(problems.diagnostics()[0].code.to_string(), "PTO-E0404", "{problems:?}");
}

/// Only one of the tiles that the sides of a branch hand on is ever there, also where a side picks one of two.
#[test]
fn sides_of_a_branch_share_their_bytes() {
    let text = whole(
        "    %m = scf.if %flag -> (!t) {
      %a = pto.alloc_tile : !t
      %b = pto.alloc_tile : !t
      pto.tload ins(%x : !v) outs(%a : !t)
      pto.texpands ins(%k : f32) outs(%b : !t)
      %s = arith.select %flag, %a, %b : !t
      scf.yield %s : !t
    } else {
      %c = pto.alloc_tile : !t
      pto.texpands ins(%k : f32) outs(%c : !t)
      scf.yield %c : !t
    }
    %d = pto.alloc_tile : !t
    pto.texpands ins(%k : f32) outs(%d : !t)
    pto.tadd ins(%m, %d : !t, !t) outs(%d : !t)
    pto.tstore ins(%d : !t) outs(%y : !v)
",
    );
    let places = places(&text, Target::A2A3);
    assert!(share(&places, "a", "c") || share(&places, "b", "c"), "{places:?}");
    assert!(!share(&places, "a", "b"), "{places:?}");
    assert!(["a", "b", "c"].iter().all(|t| !share(&places, t, "d")), "{places:?}");
    is_kept(&text);
}

/// What a region hands out is the tile that was made inside.
#[test]
fn results_of_regions_keep_their_bytes() {
    for (start, end) in [
        ("%m = scf.execute_region -> !t {", "scf.yield %a : !t\n    }"),
        ("%m = pto.fusion_region {", "pto.yield(%a) : (!t) -> ()\n    } : !t"),
    ] {
        let text = whole(&format!(
            "    {start}
      %a = pto.alloc_tile : !t
      pto.tload ins(%x : !v) outs(%a : !t)
      {end}
    %b = pto.alloc_tile : !t
    pto.texpands ins(%k : f32) outs(%b : !t)
    pto.tadd ins(%m, %b : !t, !t) outs(%b : !t)
    pto.tstore ins(%b : !t) outs(%y : !v)
"
        ));
        assert!(!share(&places(&text, Target::A2A3), "a", "b"), "{text}");
        is_kept(&text);
    }
}

/// A mask has other elements in its bytes than the result.
#[test]
fn masks_are_not_written_over() {
    let text = "
      !h = !pto.tile_buf<vec, 16x16xf16>
      !m = !pto.tile_buf<vec, 16x32xi8>
      !w = !pto.tile_buf<vec, 1x16xi32>
      func.func @f() {
        %m = pto.alloc_tile : !m
        %a = pto.alloc_tile : !h
        %b = pto.alloc_tile : !h
        %w = pto.alloc_tile : !w
        %d = pto.alloc_tile : !h
        pto.tsel ins(%m, %a, %b, %w : !m, !h, !h, !w) outs(%d : !h)
        return
      }";
    let places = places(text, Target::A2A3);
    assert!(!share(&places, "m", "d") && !share(&places, "w", "d"), "{places:?}");
    assert!(share(&places, "a", "d") || share(&places, "b", "d"), "{places:?}");
}

/// A scratch tile that a device does not use takes no room beside the others.
#[test]
fn scratch_that_is_not_used_needs_no_room() {
    let text = "
      !s = !pto.tile_buf<vec, 2x16384xf32, valid=2x16381>
      !d = !pto.tile_buf<vec, 2x8xui32, valid=2x1>
      func.func @f(%x: !pto.partition_tensor_view<2x16381xf32>, %y: !pto.partition_tensor_view<2x1xui32>) {
        %s = pto.alloc_tile : !s
        %w = pto.alloc_tile : !s
        %d = pto.alloc_tile : !d
        pto.tload ins(%x : !pto.partition_tensor_view<2x16381xf32>) outs(%s : !s)
        pto.trowargmax ins(%s, %w : !s, !s) outs(%d : !d)
        pto.tstore ins(%d : !d) outs(%y : !pto.partition_tensor_view<2x1xui32>)
        return
      }";
    let places = places(text, Target::A5);
    assert!(share(&places, "s", "w") && !share(&places, "s", "d"), "{places:?}");
}

/// An iteration creates its buffer while it still reads the one it received, and yields both.
#[test]
fn buffers_made_anew_in_every_turn_are_handed_on() {
    for pair in [false, true] {
        let (extra, also, types) = if pair { (", %d = %sum", ", %c", "!t, !t") } else { ("", "", "!t") };
        let results = if pair { "%last:2" } else { "%last" };
        let (last, body) = if pair { ("%last#0", "%d") } else { ("%last", "%c") };
        let text = whole(&format!(
            "    %init = pto.alloc_tile : !t
    %sum = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%init : !t)
    pto.texpands ins(%k : f32) outs(%sum : !t)
    %out = pto.alloc_tile : !t
    pto.texpands ins(%k : f32) outs(%out : !t)
    {results} = scf.for %i = %zero to %three step %one iter_args(%c = %init{extra}) -> ({types}) {{
      %next = pto.alloc_tile : !t
      pto.tadds ins(%c, %k : !t, f32) outs(%next : !t)
      pto.tadd ins(%out, {body} : !t, !t) outs(%out : !t)
      pto.tmul ins(%out, %next : !t, !t) outs(%out : !t)
      scf.yield %next{also} : {types}
    }}
    pto.tadd ins(%out, {last} : !t, !t) outs(%out : !t)
    pto.tstore ins(%out : !t) outs(%y : !v)
"
        ));
        is_kept(&text);
        is_kept(&with_buffers(&text));
    }
}

/// What a loop writes to a buffer that it was handed must not be lost, and is where a copy of it is handed on.
#[test]
fn writes_to_what_is_handed_on_are_not_lost() {
    let text = whole(
        "    %a = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%a : !t)
    %r = scf.for %i = %zero to %three step %one iter_args(%o = %a) -> (!t) {
      %b = pto.alloc_tile : !t
      pto.texpands ins(%k : f32) outs(%b : !t)
      pto.tadd ins(%b, %o : !t, !t) outs(%o : !t)
      pto.tadd ins(%b, %o : !t, !t) outs(%b : !t)
      scf.yield %b : !t
    }
    pto.tadd ins(%a, %r : !t, !t) outs(%r : !t)
    pto.tstore ins(%r : !t) outs(%y : !v)
",
    );
    let renamed = text.replace(
        "pto.tadd ins(%b, %o : !t, !t) outs(%o : !t)",
        "%w = pto.treshape %o : !t -> !pto.tile_buf<vec, 8x32xf32>
      pto.tadds ins(%w, %k : !pto.tile_buf<vec, 8x32xf32>, f32) outs(%w : !pto.tile_buf<vec, 8x32xf32>)",
    );
    assert_ne!(renamed, text);
    // What nobody uses any more may be lost.
    is_kept(&text.replace("ins(%a, %r : !t, !t)", "ins(%r, %r : !t, !t)"));
    for text in [with_buffers(&text), renamed, text] {
        let checked = Program::parse(&text).check(Target::A5).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let problems = opt::lower(&checked, plan::Options::default(), SyncMode::Minimal).expect_err("it would be lost");
        assert!(problems.diagnostics()[0].message.contains("under the other's name"), "{problems:?}");
    }
}

/// A loop that carries copies, and uses the buffer that it started with by its own name, inside or behind.
#[test]
fn copies_and_what_they_were_made_from_are_not_mixed() {
    let with = |inside: &str, behind: &str| {
        whole(&format!(
            "    %a = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%a : !t)
    %r, %s = scf.for %i = %zero to %three step %one iter_args(%o = %a, %p = %a) -> (!t, !t) {{
      %b = pto.alloc_tile : !t
      pto.texpands ins(%k : f32) outs(%b : !t)
      {inside}
      pto.tadd ins(%b, %o : !t, !t) outs(%b : !t)
      %one_of = arith.select %flag, %o, %b : !t
      scf.yield %b, %one_of : !t, !t
    }}
    {behind}
    pto.tadd ins(%r, %s : !t, !t) outs(%r : !t)
    pto.tstore ins(%r : !t) outs(%y : !v)
"
        ))
    };
    let twice = |name: &str| format!("pto.tmuls ins({name}, %k : !t, f32) outs({name} : !t)");
    let stored = "pto.tstore ins(%a : !t) outs(%y : !v)";
    let last = "pto.tstore ins(%r : !t) outs(%y : !v)";
    is_kept(&with("", ""));
    is_kept(&with("", stored));
    // Written where nobody looks any more.
    is_kept(&with("", "").replace(last, &format!("{last}\n    {}", twice("%r"))));
    let mixed = [
        with(&twice("%a"), ""),
        with(&twice("%o"), ""),
        with("", &twice("%a")),
        with("", &twice("%r")),
        with("", &format!("{}\n    {stored}", twice("%s"))),
    ];
    for text in mixed.iter().flat_map(|text| [text.clone(), with_buffers(text)]) {
        assert!(refusal(&text).contains("under the other's name"), "{text}");
    }
}

/// The same in blocks that are jumped between, which carry no copies.
#[test]
fn jumps_that_make_a_buffer_early_are_refused() {
    let with = |behind: &str| {
        whole(&format!(
            "    %a = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%a : !t)
    cf.br ^iteration(%zero, %a : index, !t)
  ^iteration(%i: index, %o: !t):
    %b = pto.alloc_tile : !t
    pto.tadds ins(%o, %k : !t, f32) outs(%b : !t)
    {behind}
    %next = arith.addi %i, %one : index
    %more = arith.cmpi slt, %next, %three : index
    cf.cond_br %more, ^iteration(%next, %b : index, !t), ^done(%b : !t)
  ^done(%r: !t):
    pto.tstore ins(%r : !t) outs(%y : !v)
"
        ))
    };
    is_kept(&with(""));
    let other_type = "%flat = pto.treshape %o : !t -> !s
    %same = pto.treshape %flat : !s -> !t
    pto.tadd ins(%same, %b : !t, !t) outs(%b : !t)";
    for behind in ["pto.tadd ins(%o, %b : !t, !t) outs(%b : !t)", other_type] {
        let used = format!("!s = !pto.tile_buf<vec, 8x32xf32>{}", with(behind));
        assert!(refusal(&used).contains("while the old one is still in use"), "{used}");
    }
}

/// Blocks in a round that hand on what they made or what they were given.
#[test]
fn blocks_in_a_round_may_choose_what_they_hand_on() {
    let round = |first: &str, again: &str| {
        whole(&format!(
            "    %a = pto.alloc_tile : !t
    %sum = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%a : !t)
    pto.tload ins(%x : !v) outs(%sum : !t)
    cf.br ^one(%zero, %a : index, !t)
  ^one(%i: index, %o: !t):
    %b = pto.alloc_tile : !t
    pto.tadds ins(%o, %k : !t, f32) outs(%b : !t)
    {first}
  ^two(%p: !t):
    pto.tadd ins(%sum, %p : !t, !t) outs(%sum : !t)
    %c = pto.alloc_tile : !t
    pto.tmuls ins(%p, %k : !t, f32) outs(%c : !t)
    cf.cond_br %flag, ^three(%c : !t), ^three(%p : !t)
  ^three(%q: !t):
    pto.tadd ins(%sum, %q : !t, !t) outs(%sum : !t)
    %next = arith.addi %i, %one : index
    %more = arith.cmpi slt, %next, %three : index
    cf.cond_br %more, ^one(%next, {again} : index, !t), ^done
  ^done:
    pto.tstore ins(%sum : !t) outs(%y : !v)
"
        ))
    };
    let (own, either) = ("cf.br ^two(%b : !t)", "cf.cond_br %flag, ^two(%b : !t), ^two(%o : !t)");
    // No block meets what it made a round before, or it has read it when it writes its own.
    for (first, again) in [(own, "%a"), (either, "%a")] {
        is_kept(&round(first, again));
    }
    // What `^two` was given may be what it made a round before, and it hands that on.
    for (first, again) in [(either, "%q"), (either, "%p"), (either, "%c")] {
        let text = round(first, again);
        assert!(refusal(&text).contains("while the old one is still in use"), "{text}");
    }
    // Used behind a block that makes it anew.
    let late = round(own, "%q").replace("tadd ins(%sum, %q", "tadd ins(%o, %q");
    assert!(refusal(&late).contains("while the old one is still in use"), "{late}");
}

/// A round of jumps reads a tile again, behind others that stand further down in the text.
#[test]
fn tiles_keep_their_bytes_from_round_to_round() {
    is_kept(&whole(
        "    %a = pto.alloc_tile : !t
    %sum = pto.alloc_tile : !t
    %b = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%a : !t)
    pto.tload ins(%x : !v) outs(%sum : !t)
    cf.br ^iteration(%zero : index)
  ^iteration(%i: index):
    pto.tadd ins(%sum, %a : !t, !t) outs(%sum : !t)
    pto.tadds ins(%sum, %k : !t, f32) outs(%b : !t)
    pto.tadd ins(%sum, %b : !t, !t) outs(%sum : !t)
    %next = arith.addi %i, %one : index
    %more = arith.cmpi slt, %next, %three : index
    cf.cond_br %more, ^iteration(%next : index), ^done
  ^done:
    pto.tstore ins(%sum : !t) outs(%y : !v)
",
    ));
}

fn refusal(text: &str) -> String {
    let checked = Program::parse(text).check(Target::A5).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let lowered = opt::lower(&checked, plan::Options::default(), SyncMode::Minimal);
    lowered.expect_err("a write would be lost").into_diagnostics().swap_remove(0).message
}

/// The same program with lowered buffers.
fn with_buffers(text: &str) -> String {
    text.replace("!pto.tile_buf<vec, 16x16xf32>", "memref<16x16xf32, #pto.address_space<vec>>")
        .replace("pto.alloc_tile", "memref.alloc()")
}

/// The same if it is created under another name: by a branch, with another type, in iterations of a loop.
#[test]
fn buffers_made_anew_under_other_names_are_handed_on() {
    for made in [
        "%next = scf.if %flag -> (!t) {
        %a = pto.alloc_tile : !t
        pto.tadds ins(%c, %k : !t, f32) outs(%a : !t)
        scf.yield %a : !t
      } else {
        %b = pto.alloc_tile : !t
        pto.tmuls ins(%c, %k : !t, f32) outs(%b : !t)
        scf.yield %b : !t
      }",
        "%a = pto.alloc_tile : !s
      %wide = pto.treshape %c : !t -> !s
      pto.tadds ins(%wide, %k : !s, f32) outs(%a : !s)
      %next = pto.treshape %a : !s -> !t",
        "%next = pto.alloc_tile : !t
      scf.for %j = %zero to %three step %one {
        pto.tadds ins(%c, %k : !t, f32) outs(%next : !t)
      }",
    ] {
        let body = format!(
            "    %init = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%init : !t)
    %out = pto.alloc_tile : !t
    pto.texpands ins(%k : f32) outs(%out : !t)
    %last = scf.for %i = %zero to %three step %one iter_args(%c = %init) -> (!t) {{
      {made}
      pto.tmul ins(%out, %next : !t, !t) outs(%out : !t)
      OLD
      scf.yield %next : !t
    }}
    pto.tadd ins(%out, %last : !t, !t) outs(%out : !t)
    pto.tstore ins(%out : !t) outs(%y : !v)
"
        );
        for old in ["", "pto.tadd ins(%out, %c : !t, !t) outs(%out : !t)"] {
            let text = format!("!s = !pto.tile_buf<vec, 8x32xf32>{}", whole(&body.replace("OLD", old)));
            is_kept(&text);
            if !made.contains("treshape") {
                is_kept(&with_buffers(&text));
            }
        }
    }
}

/// What can be written is looked at before it is known to be right.
#[test]
fn loops_without_a_body_hand_nothing_on() {
    let program = Program::parse(
        "func.func @f(%n: index) {\n  \"scf.for\"(%n, %n, %n) : (index, index, index) -> ()\n  return\n}",
    );
    assert!(program.module().ways().is_empty());
}

/// A tile that a function returns is one that it was given.
#[test]
fn returned_tiles_keep_their_bytes() {
    let function = "  func.func private @same(%p: !t) -> !t {
    return %p : !t
  }
";
    let packed = whole(
        "    %a = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%a : !t)
    %r = func.call @same(%a) : (!t) -> !t
    %b = pto.alloc_tile : !t
    pto.texpands ins(%k : f32) outs(%b : !t)
    pto.tadd ins(%r, %b : !t, !t) outs(%b : !t)
    pto.tstore ins(%b : !t) outs(%y : !v)
",
    );
    let ordered = whole(
        "    %a = pto.alloc_tile : !t
    pto.texpands ins(%k : f32) outs(%a : !t)
    %r = func.call @same(%a) : (!t) -> !t
    pto.tload ins(%x : !v) outs(%a : !t)
    pto.tstore ins(%r : !t) outs(%y : !v)
",
    );
    for text in [packed, ordered].map(|text| text + function) {
        is_kept(&text.replace("%flag: i1)", "%flag: i1) attributes {pto.entry}"));
    }
}

/// The first part of a conditional loop is executed once more after the last iteration.
#[test]
fn conditions_leave_what_a_turn_has_made() {
    let text = whole(
        "    %a = pto.alloc_tile : !t
    %b = pto.alloc_tile : !t
    pto.texpands ins(%k : f32) outs(%a : !t)
    %n = scf.while (%i = %zero) : (index) -> index {
      pto.tload ins(%x : !v) outs(%b : !t)
      pto.tadds ins(%b, %k : !t, f32) outs(%b : !t)
      pto.tstore ins(%b : !t) outs(%y : !v)
      %more = arith.cmpi slt, %i, %three : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      pto.texpands ins(%k : f32) outs(%a : !t)
      %next = arith.addi %i, %one : index
      scf.yield %next : index
    }
    pto.tstore ins(%a : !t) outs(%y : !v)
",
    );
    assert!(!share(&places(&text, Target::A2A3), "a", "b"), "{text}");
    is_kept(&text);
}

/// Windows that no address reaches are windows of everything.
#[test]
fn windows_beyond_every_address_are_ordered() {
    let text = "
  !t = !pto.tile_buf<vec, 16x16xf32>
  !v = !pto.tensor_view<32x16xf32>
  !w = !pto.partition_tensor_view<16x16xf32>
  func.func @f(%x: !pto.ptr<f32>) {
    %zero = arith.constant 0 : index
    %wide = arith.constant 4611686018427387904 : index
    %one = arith.constant 1 : index
    %half = arith.constant 16 : index
    %rows = arith.constant 32 : index
    %all = pto.make_tensor_view %x, shape = [%rows, %half], strides = [%wide, %one] : !v
    %upper = pto.partition_view %all, offsets = [%zero, %zero], sizes = [%half, %half] : !v -> !w
    %lower = pto.partition_view %all, offsets = [%half, %zero], sizes = [%half, %half] : !v -> !w
    %a = pto.alloc_tile : !t
    %b = pto.alloc_tile : !t
    pto.tload ins(%upper : !w) outs(%a : !t)
    pto.tstore ins(%b : !t) outs(%lower : !w)
    return
  }";
    let checked = Program::parse(text).check(Target::A2A3).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let (low, _) = again(&lowered(&checked, false, SyncMode::Minimal));
    assert!(low.contains("pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>"), "{low}");
}

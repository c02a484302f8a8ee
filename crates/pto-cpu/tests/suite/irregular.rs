//! Merging counts and printing: what goes neither to tiles nor to global memory.

use pto_cpu::{Arg, Options, Plan};
use pto_isa::{Target, codes};

fn plan(text: &str) -> Plan {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{problems:#?}");
    let checked = pto_check::check(module, Target::A2A3).unwrap_or_else(|p| panic!("{p:#?}"));
    Plan::new(&checked, None, Options::default()).unwrap_or_else(|p| panic!("{p:#?}"))
}

/// Merges two lists of four and three records, and reads the counts.
fn counts(a: [f32; 4], b: [f32; 3], exhausted: bool) -> [i64; 4] {
    let text = format!(
        "func.func @f(%a: !pto.tile_buf<vec, 1x8xf32>, %b: !pto.tile_buf<vec, 1x8xf32, valid=1x6>, %out: !pto.ptr<i64>) {{
          %executed = arith.constant dense<0> : vector<4xi16>
          %tmp = pto.alloc_tile : !pto.tile_buf<vec, 1x16xf32>
          %dst = pto.alloc_tile : !pto.tile_buf<vec, 1x16xf32>
          pto.tmrgsort ins(%a, %b, %tmp {{exhausted = {exhausted}}} : !pto.tile_buf<vec, 1x8xf32>, !pto.tile_buf<vec, 1x8xf32, valid=1x6>, !pto.tile_buf<vec, 1x16xf32>)
            outs(%dst, %executed : !pto.tile_buf<vec, 1x16xf32>, vector<4xi16>)
          %n0, %n1, %n2, %n3 = pto.get_vms4_sr : i16, i16, i16, i16
          {}
          return
        }}",
        (0..4).map(|i| format!(
            "%c{i} = arith.constant {i} : index\n%w{i} = arith.extsi %n{i} : i16 to i64\npto.store_scalar %w{i}, %out[%c{i}] : !pto.ptr<i64>, i64\n"
        )).collect::<String>()
    );
    let records = |values: &[f32]| {
        let mut bytes: Vec<u8> = values.iter().flat_map(|v| [v.to_le_bytes(), [0; 4]].concat()).collect();
        bytes.resize(32, 0);
        bytes
    };
    let (mut a, mut b, mut out) = (records(&a), records(&b), vec![0i64; 4]);
    let args = &mut [Arg::write_bytes(&mut a).valid(1, 8), Arg::write_bytes(&mut b).valid(1, 6), Arg::write(&mut out)];
    plan(&text).launch().run(args).expect("it runs");
    out.try_into().expect("four counts")
}

#[test]
fn merges_say_how_many_records_they_took() {
    assert_eq!(counts([9.0, 7.0, 5.0, 3.0], [8.0, 6.0, 4.0], false), [4, 3, 0, 0]);
    assert_eq!(counts([9.0, 7.0, 5.0, 3.0], [8.0, 6.0, 4.0], true), [3, 3, 0, 0]);
    assert_eq!(counts([9.0, 8.0, 7.0, 6.0], [1.0, 1.0, 1.0], true), [4, 0, 0, 0]);
    // Of equal values that of the first list goes first.
    assert_eq!(counts([1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0], true), [4, 0, 0, 0]);
}

#[test]
fn counts_are_zero_before_any_merge() {
    let text = "func.func @f(%out: !pto.ptr<i64>) {
      %a, %b, %c, %d = pto.get_vms4_sr : i16, i16, i16, i16
      %zero = arith.constant 0 : index
      %w = arith.extsi %d : i16 to i64
      pto.store_scalar %w, %out[%zero] : !pto.ptr<i64>, i64
      return
    }";
    let mut out = vec![7i64];
    plan(text).launch().run(&mut [Arg::write(&mut out)]).expect("it runs");
    assert_eq!(out, [0]);
}

/// A length that is known only when the program runs is checked then.
#[test]
fn a_length_of_blocks_must_be_a_multiple_of_64() {
    let text = "func.func @f(%src: !pto.tile_buf<vec, 1x256xf32>, %dst: !pto.tile_buf<vec, 1x256xf32>, %n: i32) {
      pto.tmrgsort ins(%src, %n : !pto.tile_buf<vec, 1x256xf32>, i32) outs(%dst : !pto.tile_buf<vec, 1x256xf32>)
      return
    }";
    let plan = plan(text);
    let (mut src, mut dst) = (vec![0u8; 1024], vec![0u8; 1024]);
    for (length, legal) in [(64, true), (128, true), (0, false), (-64, false), (65, false)] {
        let args =
            &mut [Arg::write_bytes(&mut src).valid(1, 256), Arg::write_bytes(&mut dst).valid(1, 256), Arg::Int(length)];
        match plan.launch().run(args) {
            Ok(_) => assert!(legal, "{length}"),
            Err(problem) => assert!(!legal && problem.diagnostics()[0].code == codes::SHAPE, "{length}: {problem:?}"),
        }
    }
}

#[test]
fn what_blocks_print_is_in_their_order() {
    let text = "func.func @f() {
      %b = pto.get_block_idx : i64
      pto.print ins(\"block %lld\\n\", %b : i64)
      return
    }";
    for threads in [1, 4] {
        let report = plan(text).launch().blocks(20).threads(threads).run(&mut []).expect("it runs");
        let printed: Vec<(u32, &str)> = report.printed.iter().map(|p| (p.core.block, &*p.text)).collect();
        let texts: Vec<String> = (0..20).map(|block| format!("block {block}\n")).collect();
        assert_eq!(printed, (0..20).zip(texts.iter().map(String::as_str)).collect::<Vec<_>>());
        assert_eq!(report.printed[3].to_string(), "block 3  block 3\n");
    }
}

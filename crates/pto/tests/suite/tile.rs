//! Kernels written in Rust: the examples of the instruction pages, round trips through text, and diagnostics.

use pto::tile::*;
use pto::{Arg, Form, Target};
use pto_testkit::kernels::comes_back;

fn numbers(count: usize, of: impl Fn(usize) -> f32) -> Vec<f32> {
    (0..count).map(of).collect()
}

mod pages {
    //! The examples of the instruction pages, as they stand there.

    use super::*;

    fn example_auto() {
        type TileT = Tile<Vector, f32, 16, 16>;
        let (src0, src1, mut dst) = (TileT::new(), TileT::new(), TileT::new());
        tmax(&mut dst, &src0, &src1);
    }

    fn example_manual() {
        type TileT = Tile<Vector, f32, 16, 16>;
        let (mut src0, mut src1, mut dst) = (TileT::new(), TileT::new(), TileT::new());
        tassign(&mut src0, 0x1000);
        tassign(&mut src1, 0x2000);
        tassign(&mut dst, 0x3000);
        tmax(&mut dst, &src0, &src1);
    }

    fn tmin_manual() {
        type TileT = Tile<Vector, f32, 16, 16>;
        let (mut src0, mut src1, mut dst) = (TileT::new(), TileT::new(), TileT::new());
        tassign(&mut src0, 0x1000);
        tassign(&mut src1, 0x2000);
        tassign(&mut dst, 0x3000);
        tmin(&mut dst, &src0, &src1);
    }

    fn tpartargmax_auto() {
        type ValTileT = Tile<Vector, f32, 16, 16>;
        type IdxTileT = Tile<Vector, i32, 16, 16>;
        let (src0_val, src1_val, mut dst_val) = (ValTileT::new(), ValTileT::new(), ValTileT::new());
        let (src0_idx, src1_idx, mut dst_idx) = (IdxTileT::new(), IdxTileT::new(), IdxTileT::new());
        tpartargmax(&mut dst_val, &src0_val, &src1_val, &mut dst_idx, &src0_idx, &src1_idx);
    }

    fn tpartargmax_manual() {
        type ValTileT = Tile<Vector, f32, 16, 16>;
        type IdxTileT = Tile<Vector, i32, 16, 16>;
        let (mut src0_val, mut src1_val, mut dst_val) = (ValTileT::new(), ValTileT::new(), ValTileT::new());
        let (mut src0_idx, mut src1_idx, mut dst_idx) = (IdxTileT::new(), IdxTileT::new(), IdxTileT::new());
        tassign(&mut src0_val, 0x1000);
        tassign(&mut src1_val, 0x2000);
        tassign(&mut dst_val, 0x3000);
        tassign(&mut src0_idx, 0x4000);
        tassign(&mut src1_idx, 0x5000);
        tassign(&mut dst_idx, 0x6000);
        tpartargmax(&mut dst_val, &src0_val, &src1_val, &mut dst_idx, &src0_idx, &src1_idx);
    }

    fn tcmps_auto() {
        type SrcT = Tile<Vector, f32, 16, 16>;
        type DstT = Tile<Vector, u8, 16, 32, RowMajor, DYN, DYN>;
        let src = SrcT::new();
        let mut dst = DstT::with_valid(16, 2);
        tcmps(&mut dst, &src, 0.0, CmpMode::Gt);
    }

    fn tcmps_manual() {
        type SrcT = Tile<Vector, f32, 16, 16>;
        type DstT = Tile<Vector, u8, 16, 32, RowMajor, DYN, DYN>;
        let mut src = SrcT::new();
        let mut dst = DstT::with_valid(16, 2);
        tassign(&mut src, 0x1000);
        tassign(&mut dst, 0x2000);
        tcmps(&mut dst, &src, 0.0, CmpMode::Gt);
    }

    fn trowexpandmax_both() {
        type TileT = Tile<Vector, f32, 16, 16>;
        type ColumnT = Tile<Vector, f32, 16, 1, ColMajor>;
        type BlocksT = Tile<Vector, f32, 16, 8>;
        let (src0, mut dst, mut tmp) = (TileT::new(), TileT::new(), TileT::new());
        trowexpandmax(&mut dst, &src0, &ColumnT::new());
        trowexpandmax(&mut dst, &src0, &ColumnT::new()).tmp(&mut tmp);
        trowexpandmax(&mut dst, &src0, &BlocksT::new());
    }

    #[test]
    fn are_legal_and_come_back() {
        let everywhere: [(&str, fn()); 6] = [
            ("tmax_auto", example_auto),
            ("tmax_manual", example_manual),
            ("tmin_manual", tmin_manual),
            ("tcmps_auto", tcmps_auto),
            ("tcmps_manual", tcmps_manual),
            ("trowexpandmax", trowexpandmax_both),
        ];
        for (name, example) in everywhere {
            let kernel = Kernel::trace(name, example);
            for target in [Target::A2A3, Target::A5, Target::Cpu] {
                kernel.check(target).unwrap_or_else(|p| panic!("{name} on {target}: {p}"));
            }
            comes_back(&kernel);
        }
        for example in [tpartargmax_auto, tpartargmax_manual] {
            let kernel = Kernel::trace("tpartargmax", example);
            kernel.check(Target::A5).expect("A5 has it");
            comes_back(&kernel);
        }
    }

    #[test]
    fn compute_what_the_pages_say() {
        fn surrounded(x: Gm<f32>, y: Gm<f32>, out: Gm<f32>, bits: Gm<u8>) {
            type TileT = Tile<Vector, f32, 16, 16>;
            type DstT = Tile<Vector, u8, 16, 32, RowMajor, DYN, DYN>;
            let (mut src0, mut src1, mut dst) = (TileT::new(), TileT::new(), TileT::new());
            let mut mask = DstT::with_valid(16, 2);
            tassign(&mut src0, 0x1000);
            tassign(&mut src1, 0x2000);
            tassign(&mut dst, 0x3000);
            tassign(&mut mask, 0x4000);
            let first = tload(&mut src0, &x.view([16, 16]));
            let second = tload(&mut src1, &y.view([16, 16]));
            let largest = tmax(&mut dst, &src0, &src1).after(&first).after(&second);
            let compared = tcmps(&mut mask, &dst, 0.0, CmpMode::Gt).after(&largest);
            tstore(&mut out.view([16, 16]), &dst).after(&largest);
            tstore(&mut bits.view([16, 2]), &mask).after(&compared);
        }
        let kernel = Kernel::trace("surrounded", surrounded);
        comes_back(&kernel);
        let (x, y) = (numbers(256, |i| i as f32 - 200.0), numbers(256, |i| 50.0 - i as f32));
        for target in [Target::A2A3, Target::A5] {
            let (mut out, mut bits) = (vec![0.0f32; 256], vec![0u8; 32]);
            let mut args = [Arg::read(&x), Arg::read(&y), Arg::write(&mut out), Arg::write(&mut bits)];
            kernel.race(target, &mut args).expect("events order the pipes");
            assert_eq!(out, numbers(256, |i| x[i].max(y[i])));
            let expected: Vec<u8> = out
                .chunks(8)
                .map(|eight| eight.iter().rev().fold(0, |byte, v| byte << 1 | u8::from(*v > 0.0)))
                .collect();
            assert_eq!(bits, expected);
        }
    }

    #[test]
    fn tpartargmax_takes_the_second_on_ties() {
        fn body(v0: Gm<f32>, v1: Gm<f32>, i0: Gm<i32>, i1: Gm<i32>, v: Gm<f32>, i: Gm<i32>) {
            type ValTileT = Tile<Vector, f32, 16, 16>;
            type IdxTileT = Tile<Vector, i32, 16, 16>;
            let (mut src0_val, mut src1_val, mut dst_val) = (ValTileT::new(), ValTileT::new(), ValTileT::new());
            let (mut src0_idx, mut src1_idx, mut dst_idx) = (IdxTileT::new(), IdxTileT::new(), IdxTileT::new());
            tload(&mut src0_val, &v0.view([16, 16]));
            tload(&mut src1_val, &v1.view([16, 16]));
            tload(&mut src0_idx, &i0.view([16, 16]));
            tload(&mut src1_idx, &i1.view([16, 16]));
            tpartargmax(&mut dst_val, &src0_val, &src1_val, &mut dst_idx, &src0_idx, &src1_idx);
            tstore(&mut v.view([16, 16]), &dst_val);
            tstore(&mut i.view([16, 16]), &dst_idx);
        }
        let kernel = Kernel::trace("argmax", body);
        let (v0, v1) = (numbers(256, |i| (i % 3) as f32), numbers(256, |_| 1.0));
        let (i0, i1) = (vec![7i32; 256], vec![9i32; 256]);
        let (mut v, mut i) = (vec![0.0f32; 256], vec![0i32; 256]);
        let mut args =
            [Arg::read(&v0), Arg::read(&v1), Arg::read(&i0), Arg::read(&i1), Arg::write(&mut v), Arg::write(&mut i)];
        kernel.run(Target::A5, &mut args).expect("it runs");
        assert_eq!(v, numbers(256, |n| v0[n].max(1.0)));
        assert_eq!(i, (0..256).map(|n| if v0[n] > 1.0 { 7 } else { 9 }).collect::<Vec<_>>());
    }
}

mod verbs {
    //! One kernel runs, is race-checked, lowered, predicted and emitted.

    use super::*;

    #[pto::kernel]
    fn scale<const N: usize>(x: Gm<f32>, y: Gm<f32>, factor: Scalar<f32>) {
        let (xs, ys) = (x.view([N, 64]), y.view([N, 64]));
        for_range(0, N, 16, |row| {
            let mut t = Tile::<Vector, f32, 16, 64>::new();
            tload(&mut t, &xs.part((row, 0), [16, 64]));
            tmuls(&mut t, Same, factor);
            tstore(&mut ys.part((row, 0), [16, 64]), &t);
        });
    }

    #[test]
    fn one_kernel_serves_them_all() {
        let kernel = scale::<64>();
        comes_back(&kernel);
        let text = kernel.to_text(Form::Level2);
        assert!(text.contains("func.func @scale(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %factor: f32)"), "{text}");
        let x = numbers(4096, |i| i as f32);
        for target in [Target::A2A3, Target::A5] {
            let lowered = kernel.lower(target).expect("it fits");
            assert!(lowered.to_text(Form::Level2).contains("pto.wait_flag"));
            for kernel in [&kernel, &lowered] {
                let mut y = vec![0.0f32; 4096];
                kernel.race(target, &mut [Arg::read(&x), Arg::write(&mut y), Arg::Float(0.5)]).expect("ordered");
                assert_eq!(y, numbers(4096, |i| i as f32 * 0.5));
            }
            assert!(lowered.perf(target).expect("it can be followed").cycles > 100.0);
            let cpp = kernel.emit_cpp(target).expect("C++ can express it");
            assert!(cpp.contains("TMULS(") && cpp.contains("tile.rs"), "{cpp}");
            assert_eq!(cpp, lowered.emit_cpp(target).expect("C++ can express it"), "order comes by default");
            let bare = kernel.emit(target, pto::emit::InsertSync::None).expect("C++ can express it");
            let said = kernel.program().error(bare.warnings()).to_string();
            assert!(said.contains("PTO-E0903") && said.contains("tile.rs:"), "{said}");
        }
    }

    #[pto::kernel]
    fn named(x: Gm<f32>) {
        let (mut first, second) = (Tile::<Vector, f32, 16, 64>::new(), Tile::<Vector, f32, 16, 64>::new());
        let mut sums = Vec::new();
        for _ in 0..2 {
            let mut sum: Tile<Vector, f32, 16, 64> = Tile::new();
            tadd(&mut sum, &first, &second);
            sums.push(sum);
        }
        tload(&mut first, &x.view([16, 64]));
    }

    #[test]
    fn tiles_have_the_names_of_their_variables() {
        let text = named().to_text(Form::Level2);
        for name in ["%first", "%second", "%sum", "%sum_1"] {
            assert!(text.contains(&format!("{name} = pto.alloc_tile")), "{text}");
        }
    }

    #[test]
    fn the_same_kernel_gives_the_same_text() {
        assert_eq!(scale::<32>().to_text(Form::Level2), scale::<32>().to_text(Form::Level2));
        assert_ne!(scale::<32>().to_text(Form::Level2), scale::<48>().to_text(Form::Level2));
    }

    #[test]
    fn a_kernel_can_be_traced_inside_another_one() {
        let outer = Kernel::trace("outer", |x: Gm<f32>| {
            let inner = scale::<16>();
            assert!(inner.check(Target::A5).is_ok());
            x.store(0, 1.0);
        });
        assert!(!outer.to_text(Form::Level2).contains("tmuls"));
    }
}

mod problems {
    //! What is wrong only on a target is a diagnostic with the Rust line.

    use super::*;

    fn codes(problems: &pto::Error) -> Vec<String> {
        problems.diagnostics().iter().map(|d| d.code.id()).collect()
    }

    #[test]
    fn an_element_type_that_the_target_lacks() {
        let line = line!() + 3;
        let kernel = Kernel::trace("bytes", || {
            let (a, mut d) = (Tile::<Vector, u8, 16, 32>::new(), Tile::<Vector, u8, 16, 32>::new());
            tmax(&mut d, &a, &a);
        });
        kernel.check(Target::A5).expect("A5 has u8");
        let problems = kernel.check(Target::A2A3).expect_err("A2/A3 has not");
        assert_eq!(codes(&problems), ["PTO-E0214"]);
        let place = problems.location(problems.diagnostics()[0].primary.span).expect("a place");
        assert_eq!((&*place.file, place.line), (file!(), line));
        let shown = problems.to_string();
        assert!(shown.contains("tmax(&mut d, &a, &a);") && shown.contains("i16, i32, f16, f32"), "{shown}");
    }

    #[test]
    fn spans_are_in_the_order_of_the_program() {
        let kernel = Kernel::trace("unrolled", || {
            let mut t = Tile::<Vector, f32, 16, 16>::new();
            for _ in 0..3 {
                tabs(&mut t, Same);
                tneg(&mut t, Same);
            }
        });
        let module = kernel.program().module();
        let mut ops = module.order();
        ops.retain(|id| module.op(*id).op != pto::isa::table::op::func_func);
        assert!(ops.is_sorted_by_key(|id| module.op(*id).span.start), "{}", kernel.to_text(Form::Level2));
    }

    #[test]
    #[should_panic(expected = "`otherwise` must follow its `if_then` at once")]
    fn the_sides_of_a_branch_belong_together() {
        Kernel::trace("apart", |x: Gm<f32>| {
            let branch = if_then(x.load(0).lt(0.0), || x.store(0, 0.0));
            x.store(1, 1.0);
            branch.otherwise(|| x.store(2, 2.0));
        });
    }

    #[test]
    fn a_branch_that_gives_something_needs_both_sides() {
        let kernel = Kernel::trace("one_side", |x: Gm<f32>| {
            if_then(x.load(0).lt(0.0), || x.load(1));
        });
        assert!(kernel.check(Target::A5).is_err());
    }

    #[test]
    fn what_stops_a_run_has_its_line() {
        let kernel = Kernel::trace("too_far", |x: Gm<f32>| {
            let mut t = Tile::<Vector, f32, 16, 16>::new();
            tload(&mut t, &x.view([16, 16]));
        });
        let x = vec![0.0f32; 255];
        let problems = kernel.run(Target::A5, &mut [Arg::read(&x)]).expect_err("one element is missing");
        assert!(problems.to_string().contains("tload(&mut t, &x.view([16, 16]));"), "{problems}");
    }

    #[test]
    fn a_race_has_both_lines() {
        let kernel = Kernel::trace("race", |x: Gm<f32>| {
            let mut t = Tile::<Vector, f32, 16, 16>::new();
            tassign(&mut t, 0);
            tload(&mut t, &x.view([16, 16]));
            tabs(&mut t, Same);
        });
        let x = vec![0.0f32; 256];
        let problems = kernel.race(Target::A2A3, &mut [Arg::read(&x)]).expect_err("nothing orders them");
        let shown = problems.to_string();
        assert!(shown.contains("tload(&mut t") && shown.contains("tabs(&mut t, Same)"), "{shown}");
    }

    #[test]
    fn events_must_be_waited_for_where_they_come_from() {
        let kernel = Kernel::trace("events", |x: Gm<f32>| {
            let mut t = Tile::<Vector, f32, 16, 16>::new();
            let loaded = tload(&mut t, &x.view([16, 16]));
            for_range(0, 4, 1, |_| {
                tabs(&mut t, Same).after(&loaded);
            });
        });
        assert_eq!(codes(&kernel.check(Target::A5).expect_err("the loop would wait four times")), ["PTO-E1001"]);
    }

    #[test]
    fn more_events_than_ids() {
        let kernel = Kernel::trace("events", |x: Gm<f32>| {
            let mut tiles: Vec<_> = (0..9).map(|_| Tile::<Vector, f32, 16, 16>::new()).collect();
            let loaded: Vec<_> = tiles.iter_mut().map(|t| tload(t, &x.view([16, 16]))).collect();
            for (t, event) in tiles.iter_mut().zip(&loaded) {
                tabs(t, Same).after(event);
            }
        });
        assert_eq!(codes(&kernel.check(Target::A5).expect_err("there are eight ids")), ["PTO-E1001"]);
    }

    #[test]
    fn a_type_that_cannot_be_read() {
        let kernel = Kernel::trace("ids", || {
            let _ = declare_eventid_array("!pto.eventid_array<many>");
        });
        assert_eq!(codes(&kernel.check(Target::A5).expect_err("not a type"))[0], "PTO-E0005");
    }

    #[test]
    #[should_panic(expected = "exist while a kernel is traced")]
    fn tiles_outside_a_kernel() {
        let _ = Tile::<Vector, f32, 16, 16>::new();
    }

    #[test]
    #[should_panic(expected = "what belongs to one kernel is used in another")]
    fn a_pointer_of_another_kernel() {
        let mut kept = None;
        let _ = Kernel::trace("first", |x: Gm<f32>| kept = Some(x));
        let _ = Kernel::trace("second", |y: Gm<f32>| {
            y.store(0, kept.expect("the first kernel ran").load(0));
        });
    }

    #[test]
    #[should_panic(expected = "what belongs to one kernel is used in another")]
    fn an_event_of_another_kernel() {
        let mut kept = None;
        let load = |x: Gm<f32>| tload(&mut Tile::<Vector, f32, 16, 16>::new(), &x.view([16, 16]));
        let _ = Kernel::trace("first", |x: Gm<f32>| kept = Some(load(x)));
        let _ = Kernel::trace("second", |x: Gm<f32>| {
            load(x).after(kept.as_ref().expect("the first kernel ran"));
        });
    }

    #[test]
    fn a_kernel_that_panics_leaves_nothing_behind() {
        let outcome = std::panic::catch_unwind(|| Kernel::trace("bad", || panic!("on purpose")));
        assert!(outcome.is_err());
        Kernel::trace("good", || {}).check(Target::A5).expect("a new trace");
    }
}

mod scalars {
    //! Arithmetic on scalars is that of the program.

    use super::*;

    #[test]
    fn all_operators_and_casts() {
        let kernel = Kernel::trace("scalars", |x: Gm<i32>, y: Gm<f32>, n: Index| {
            let a = x.load(0);
            x.store(1, (a + 3) * 2 - a / 2 + a % 4);
            x.store(2, (a & 6) | (a ^ 1));
            x.store(3, (a << 2) >> 1);
            x.store(4, (-a).max(-5).min(100));
            x.store(5, a.gt(10).select(1, 0));
            x.store(6, (a.eq(11) & !a.ne(11)).select(n.cast::<i32>(), 0));
            let f = y.load(0);
            y.store(1, (f + 0.5) * 2.0 - f / 4.0);
            y.store(2, -f);
            y.store(3, a.cast::<f32>() + n.cast::<f32>());
            y.store(4, f.cast::<F16>().cast::<f32>());
            y.store(5, f.cast::<i32>().cast::<u8>().cast::<f32>());
            y.store(6, a.cast::<u32>().cast::<i64>().index().cast::<f32>());
        });
        comes_back(&kernel);
        let (mut x, mut y) = (vec![11i32, 0, 0, 0, 0, 0, 0], vec![2.3f32, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        kernel.run(Target::A5, &mut [Arg::write(&mut x), Arg::write(&mut y), Arg::Int(9)]).expect("it runs");
        assert_eq!(x, [11, 26, 10, 22, -5, 1, 9]);
        assert_eq!(y[..4], [2.3, (2.3 + 0.5) * 2.0 - 2.3 / 4.0, -2.3, 20.0]);
        assert_eq!(y[4..], [2.300_781_2, 2.0, 11.0]);
    }

    #[test]
    fn numbers_that_text_has_no_word_for() {
        let kernel = Kernel::trace("special", |x: Gm<f32>, h: Gm<F16>| {
            x.store(0, f32::INFINITY);
            x.store(1, f32::NEG_INFINITY);
            x.store(2, f32::NAN);
            x.store(3, -0.0);
            h.store(0, f32::NEG_INFINITY);
        });
        comes_back(&kernel);
        let again = pto::Program::parse(&kernel.to_text(Form::Level2));
        let (mut x, mut h) = (vec![0.0f32; 4], vec![0u16; 1]);
        again
            .run(Target::A2A3, &mut [Arg::write(&mut x), Arg::write(&mut h).of(pto::isa::DType::F16)])
            .expect("it runs");
        assert_eq!(x[..2], [f32::INFINITY, f32::NEG_INFINITY]);
        assert!(x[2].is_nan() && x[3] == 0.0 && x[3].is_sign_negative());
        assert_eq!(h[0], 0xfc00, "minus infinity in f16");
    }

    #[test]
    fn known_indices_are_computed_while_tracing() {
        let kernel = Kernel::trace("known", |x: Gm<f32>, n: Index| {
            let a = (Index::from(6) * 7 + 2) / 4;
            assert_eq!(a.known(), Some(11));
            assert_eq!((a + n).known(), None);
            x.store(a, 1.0);
        });
        assert!(!kernel.to_text(Form::Level2).contains("arith.muli"));
    }

    #[test]
    fn carried_tuples() {
        let kernel = Kernel::trace("fibonacci", |x: Gm<i32>| {
            let (a, _) =
                for_carry(0, 10, 1, (0.scalar(), 1.scalar()), |_, (a, b): (Scalar<i32>, Scalar<i32>)| (b, a + b));
            x.store(0, a);
        });
        comes_back(&kernel);
        let mut x = [0i32];
        kernel.run(Target::A2A3, &mut [Arg::write(&mut x)]).expect("it runs");
        assert_eq!(x, [55]);
    }
}

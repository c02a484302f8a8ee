//! What users of the library rely on: errors, arguments, and types that go from thread to thread.

use pto::{Arg, Error, Options, Plan, Program, Target};

/// What users keep can be shared by threads and outlives whatever made it.
#[test]
fn what_users_keep_goes_from_thread_to_thread() {
    const fn shared<T: Send + Sync>() {}
    const fn kept<T: Send + Sync + 'static>() {}
    const {
        kept::<Program>();
        kept::<Plan>();
        kept::<Error>();
        kept::<Options>();
        kept::<pto::Checked>();
        kept::<pto::Module>();
        kept::<pto::Diagnostic>();
        kept::<pto::RunReport>();
        kept::<pto::tile::Kernel>();
        kept::<pto::race::RaceReport>();
        kept::<pto::cost::PerfReport>();
        kept::<pto::cost::Trace>();
        kept::<pto::emit::Emitted>();
        kept::<pto::opt::Lowered>();
        kept::<pto::data::Array>();
        kept::<pto::data::DataError>();
        shared::<Arg<'_>>();
        shared::<pto::Launch<'_>>();
        shared::<pto::race::Check<'_>>();
    }
}

/// Rust's own names mean what they mean everywhere beside `use pto::tile::*`.
mod beside_the_kernels {
    #[expect(unused_imports, reason = "what it hides is what is tested")]
    use pto::tile::*;

    #[test]
    fn a_glob_import_hides_nothing_of_the_standard_library() {
        fn is_std<T: ?Sized>(name: &str) {
            let path = std::any::type_name::<T>();
            assert!(["core::", "alloc::", "str"].iter().any(|part| path.starts_with(part)), "{name} is {path}");
        }
        is_std::<Vec<u8>>("Vec");
        is_std::<String>("String");
        is_std::<Box<u8>>("Box");
        is_std::<Option<u8>>("Option");
        is_std::<Result<u8, u8>>("Result");
        is_std::<str>("str");
        fn traits<T: Send + Sync + Sized + Clone + Copy + Default + PartialEq + Eq + PartialOrd + Ord>() {}
        fn more<T: From<u8> + Into<u32> + ToString + ToOwned + TryFrom<i32> + TryInto<i8>>() {}
        fn lists<T: Iterator + IntoIterator + DoubleEndedIterator + ExactSizeIterator + AsRef<[u8]>>() {}
        fn calls<F: Fn() + FnMut() + FnOnce()>(_: F) {}
        traits::<u8>();
        more::<u32>();
        lists::<std::slice::Iter<'_, u8>>();
        calls(|| {});
        drop((Some(String::new()), None::<u8>, Ok::<u8, u8>(1), Err::<u8, u8>(1)));
    }
}

const TWO: &str = "func.func @two(%x: !pto.ptr<f32>, %t: !pto.tensor_view<4x8xi32>, %n: i32) {\n  return\n}\n";

fn two(args: &mut [Arg<'_>]) -> Result<pto::RunReport, Error> {
    Program::parse_named("two.pto", TWO).run(Target::A2A3, args)
}

#[test]
fn an_error_shows_every_diagnostic_with_its_line() {
    fn check(text: &str) -> Result<(), Box<dyn std::error::Error>> {
        Program::parse_named("bad.pto", text).check(Target::A2A3)?;
        Ok(())
    }
    let text = "func.func @f() {\n  pto.tmux\n  pto.nonsense\n  return\n}\n";
    let error = check(text).expect_err("two of them are unknown");
    let shown = error.to_string();
    assert!(shown.contains("  --> bad.pto:2:3\n    2 |   pto.tmux\n      |   ^^^^^^^^\n"), "{shown}");
    assert!(shown.contains("  --> bad.pto:3:3\n    3 |   pto.nonsense\n"), "{shown}");
    let error = error.downcast::<Error>().expect("the error of the library");
    assert_eq!(error.diagnostics().len(), 2);
    assert_eq!(format!("{error:?}"), format!("\n{shown}"));
    assert!(check("func.func @f() { return }").is_ok());
}

/// A run, the emitter and the passes show the text as well, also where they changed the program first.
#[test]
fn errors_of_later_stages_know_the_source() {
    let text = "func.func @f(%x: !pto.ptr<f32>) {
  %far = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  pto.store_scalar %zero, %x[%far] : !pto.ptr<f32>, f32
  return
}";
    let program = Program::parse_named("far.pto", text);
    let mut x = [0.0f32; 8];
    let lowered = program.lower(Target::A2A3).expect("a legal program");
    for program in [&program, &lowered] {
        let error = program.run(Target::A2A3, &mut [Arg::write(&mut x)]).expect_err("outside");
        assert!(error.to_string().contains("  --> far.pto:4:3"), "{error}");
    }
    let error = program.emit_cpp(Target::Cpu).expect_err("no device");
    assert_eq!(error.diagnostics().len(), 1);
}

#[test]
fn elements_are_never_read_as_others() {
    let ok = [1i32; 32];
    let (x, wrong, bytes) = ([1.0f32; 4], [1i32; 4], [0u8; 16]);
    assert!(two(&mut [Arg::read(&x), Arg::read(&ok), Arg::Int(1)]).is_ok());
    let refused = |arg: Arg<'_>, says: &str, help: &str| {
        let error = two(&mut [arg, Arg::read(&ok), Arg::Int(1)]).expect_err("other elements");
        let d = error.first().expect("a diagnostic");
        assert_eq!((d.code.id(), &*d.message), ("PTO-E0702".to_string(), says));
        assert!(!d.legal.is_empty() && d.help.as_deref().is_some_and(|h| h.contains(help)), "{error}");
    };
    refused(Arg::read(&wrong), "argument `x`: a slice of i32 for a pointer to f32", "convert the numbers to `f32`");
    refused(Arg::read(&bytes), "argument `x`: a slice of ui8 for a pointer to f32", "Arg::of(DType::F32)");
    // Two signs are two types.
    let error = two(&mut [Arg::read(&x), Arg::read(&[1u32; 32]), Arg::Int(1)]).expect_err("unsigned numbers");
    assert!(error.to_string().contains("argument `t`: a slice of ui32 for a tensor of i32"), "{error}");
    // Bits can be given, but not those of numbers of another size.
    assert!(two(&mut [Arg::read(&bytes).of(pto::isa::DType::F32), Arg::read(&ok), Arg::Int(1)]).is_ok());
    assert!(two(&mut [Arg::read_bytes(&bytes), Arg::read(&ok), Arg::Int(1)]).is_ok());
    let halves = [0u16; 8];
    let error = two(&mut [Arg::read(&halves).of(pto::isa::DType::F32), Arg::read(&ok), Arg::Int(1)]);
    assert!(error.expect_err("half a number").to_string().contains("numbers of ui16 as the bits of f32"));
    let error = two(&mut [Arg::read_bytes(&bytes[..7]), Arg::read(&ok), Arg::Int(1)]).expect_err("7 bytes");
    assert!(error.to_string().contains("7 bytes, which are not a whole number of f32"), "{error}");
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let (x, t) = ([1.0f32; 4], [1i32; 32]);
    let said = |args: &mut [Arg<'_>]| two(args).expect_err("they do not fit").to_string();
    let few = said(&mut [Arg::read(&x)]);
    assert!(few.contains("1 argument for `@two`, which takes 3"), "{few}");
    assert!(
        few.contains("parameters: `x`: a pointer to f32, `t`: a tensor of i32, `n`: a number of type i32"),
        "{few}"
    );
    assert!(few.contains("= help: give an argument for every parameter, in order"), "{few}");
    let long = said(&mut [Arg::read(&x), Arg::read(&[1i32; 33]), Arg::Int(1)]);
    assert!(long.contains("argument `t`: 132 bytes for a tensor of 4x8 i32, which has 128"), "{long}");
    assert!(long.contains("= help: give 32 elements"), "{long}");
    let shape = said(&mut [Arg::read(&x), Arg::read(&t).shape(&[8, 4]), Arg::Int(1)]);
    assert!(shape.contains("argument `t`: a tensor of 8x4 where the type says 4x8"), "{shape}");
    let number = said(&mut [Arg::read(&x), Arg::read(&t), Arg::read(&x)]);
    assert!(number.contains("argument `n`: a slice of f32 for a number of type i32"), "{number}");
    let point = said(&mut [Arg::read(&x), Arg::read(&t), Arg::Float(0.5)]);
    assert!(point.contains("argument `n`: 0.5 for a number of type i32"), "{point}");
    let memory = said(&mut [Arg::Int(1), Arg::read(&t), Arg::Int(1)]);
    assert!(memory.contains("argument `x`: the integer 1 for a pointer to f32"), "{memory}");
}

/// Every rank has arguments of its own, one rank after the other.
#[test]
fn ranks_have_their_own_arguments() -> Result<(), Error> {
    let text = "func.func @f(%x: !pto.ptr<i32>, %n: i32) {
  %at = arith.constant 0 : index
  pto.store_scalar %n, %x[%at] : !pto.ptr<i32>, i32
  return
}";
    let plan = Program::parse(text).plan(Target::A2A3, None, Options::default())?;
    let (mut a, mut b) = ([0i32], [0i32]);
    let launch = plan.launch().ranks(2);
    let report = launch.run(&mut [Arg::write(&mut a), Arg::Int(3), Arg::write(&mut b), Arg::Int(4)])?;
    assert_eq!((a, b, report.written), ([3], [4], vec![true, false, true, false]));
    let error = launch.run(&mut [Arg::write(&mut a), Arg::Int(3)]).expect_err("one rank");
    assert!(error.to_string().contains("2 arguments for `@f`, which takes 2 on each of 2 ranks"), "{error}");
    assert_eq!(launch.accepts(&mut []).expect_err("none").diagnostics().len(), 1);
    Ok(())
}

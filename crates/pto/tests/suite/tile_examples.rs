//! The examples in Rust are the twins of those in text: the same bits, and no race.

#[path = "../../../../examples/flash_attention.rs"]
mod flash_attention;
#[path = "../../../../examples/gemm.rs"]
mod gemm;
#[path = "../../../../examples/softmax.rs"]
mod softmax;

use pto::tile::{Bf16, Kernel};
use pto::{Arg, Form, Options, Plan, Program, Target, race};
use std::path::Path;

const TARGET: Target = Target::A2A3;

fn text_twin(name: &str) -> Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).with_extension("pto");
    Program::parse(&std::fs::read_to_string(path).expect("the example is there"))
}

/// Numbers between -1 and 1.
fn numbers(count: usize, step: usize) -> Vec<f32> {
    (0..count).map(|i| (i * step % 10_007) as f32 / 5003.0 - 1.0).collect()
}

fn halves(count: usize, step: usize) -> Vec<Bf16> {
    numbers(count, step).iter().map(|x| Bf16::from_f32(x * 2.0)).collect()
}

/// Both programs give the same bits on these arguments, of which `run` makes a new set each time, and race alike: not at all.
fn are_twins(kernel: &Kernel, name: &str, run: impl Fn(&dyn Fn(Vec<Arg<'_>>)) -> Vec<f32>) {
    pto_testkit::kernels::comes_back(kernel);
    let text = text_twin(name).plan(TARGET, None, Options::default()).expect("a legal program");
    let rust = kernel.plan(TARGET, Options::default()).unwrap_or_else(|p| panic!("{p}"));
    let params = |plan: &Plan| plan.params().iter().map(|p| p.name.clone()).collect::<Vec<_>>();
    assert_eq!(params(&rust), params(&text));
    let bits = |plan: &Plan, blocks: u32| {
        let launch = plan.launch().blocks(blocks);
        let result = run(&|mut args| drop(launch.run(&mut args).unwrap_or_else(|d| panic!("{name}: {d}"))));
        result.into_iter().map(f32::to_bits).collect::<Vec<u32>>()
    };
    let want = bits(&text, 1);
    assert!(want.iter().any(|b| *b != 0));
    for blocks in [1, 3] {
        assert!(bits(&rust, blocks) == want, "{name} on {blocks} blocks");
    }
    for plan in [&text, &rust] {
        run(&|mut args| {
            let report = race::check(plan.launch(), &mut args);
            assert!(report.findings.is_empty(), "{name}: {:?}", report.findings);
        });
    }
}

#[test]
fn softmax_is_its_twin() {
    let x = numbers(4096 * 1024, 7919);
    are_twins(&softmax::softmax::<4096, 1024>(), "softmax", |run| {
        let mut y = vec![0.0f32; x.len()];
        run(vec![Arg::read(&x), Arg::write(&mut y)]);
        y
    });
}

#[test]
fn gemm_is_its_twin() {
    let (a, b) = (numbers(1024 * 1024, 7919), numbers(1024 * 1024, 6577));
    are_twins(&gemm::gemm::<1024>(), "gemm", |run| {
        let mut c = vec![0.0f32; a.len()];
        run(vec![Arg::read(&a), Arg::read(&b), Arg::write(&mut c)]);
        c
    });
}

#[test]
fn flash_attention_is_its_twin() {
    let (q, k, v) = (halves(65536, 7919), halves(65536, 6577), halves(65536, 5281));
    are_twins(&flash_attention::flash_attention::<1024>(), "flash_attention", |run| {
        let mut o = vec![0.0f32; q.len()];
        let (mut s_slots, mut p_slots, mut o_slots) = ([0.0f32; 0], [Bf16(0); 0], [0.0f32; 0]);
        run(vec![
            Arg::read(&q),
            Arg::read(&k),
            Arg::read(&v),
            Arg::write(&mut o),
            Arg::write(&mut s_slots),
            Arg::write(&mut p_slots),
            Arg::write(&mut o_slots),
        ]);
        o
    });
}

#[test]
fn they_lower_and_emit() {
    let twins = [
        ("softmax", softmax::softmax::<4096, 1024>()),
        ("gemm", gemm::gemm::<1024>()),
        ("flash_attention", flash_attention::flash_attention::<1024>()),
    ];
    for (name, kernel) in twins {
        kernel.lower(TARGET).unwrap_or_else(|p| panic!("{name}: {p}"));
        let cpp = kernel.emit_cpp(TARGET).unwrap_or_else(|p| panic!("{name}: {p}"));
        assert!(cpp.contains(&format!("{name}.rs")), "{cpp}");
    }
}

/// The twins in Python print the same text: `bindings/python/tests/test_kernel_twins.py` compares with the same files.
#[test]
fn they_print_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bindings/python/tests/twins");
    let twins = [
        ("softmax", softmax::softmax::<4096, 1024>()),
        ("gemm", gemm::gemm::<1024>()),
        ("flash_attention", flash_attention::flash_attention::<1024>()),
    ];
    for (name, kernel) in twins {
        let path = folder.join(name).with_extension("pto");
        let text = kernel.to_text(Form::Level2);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).expect("it can be written");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == text, "{} is not what {name}.rs prints; BLESS=1 writes it anew", path.display());
    }
}

#[test]
fn the_examples_run() {
    softmax::main();
    gemm::main();
    flash_attention::main();
}

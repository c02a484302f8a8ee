//! What `pto race` costs beside `pto run`: time on the examples, memory beside the memory that is modelled, and how both grow
//! with the work. `cargo bench -p pto --bench race`; names behind `--` select rows.

use pto::cpu::ParamKind;
use pto::{Arg, Options, Plan, Program, Target, race};
use pto_testkit::buffers;
use pto_testkit::timing::best;
use std::path::Path;
use std::time::{Duration, Instant};

/// Programs, and numbers for the parameters that are numbers.
const EXAMPLES: [(&str, i64); 12] = [
    ("softmax", 0),
    ("rms_norm", 0),
    ("layer_norm", 0),
    ("vector_add", 1 << 22),
    ("gemm", 0),
    ("flash_attention", 0),
    ("flash_attention_128", 0),
    ("top_k", 0),
    ("int8_gemm", 1),
    ("mxfp8_gemm", 0),
    ("conv2d", 0),
    ("matmul_bias_relu", 0),
];

fn main() {
    println!(
        "{:<22}{:>12}{:>12}{:>8}{:>16}{:>16}{:>8}",
        "example", "run ms", "race ms", "ratio", "modelled KiB", "history KiB", "ratio"
    );
    for (name, number) in EXAMPLES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).with_extension("pto");
        let text = std::fs::read_to_string(path).expect("an example");
        line(name, &text, number);
    }
    println!("\nhow it grows: iterations of a loop with a load, an addition and a store, all flags in place");
    for iterations in [1_000, 10_000, 100_000] {
        line(&format!("{iterations} iterations"), &iterations_of_a_loop(iterations), 0);
    }
}

fn line(name: &str, text: &str, number: i64) {
    let mut wanted = std::env::args().skip(1).filter(|word| !word.starts_with('-')).peekable();
    if wanted.peek().is_some() && !wanted.any(|word| name.contains(&word)) {
        return;
    }
    let program = Program::parse(text);
    let target = program.stated_target().unwrap_or(Target::A2A3);
    let plan = program.plan(target, None, Options::default()).expect("a legal program");
    let mut memory = buffers(&plan, number);
    let modelled = plan.memory_bytes() + memory.iter().map(|m| m.len() as u64).sum::<u64>();
    let launch = plan.launch().threads(1);
    let (mut run, mut race, mut history) = (Duration::MAX, Duration::MAX, 0);
    // One after the other, so that a slow moment of the machine is not a slow moment of one of them; short ones more often.
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 9 || start.elapsed() < Duration::from_millis(300) {
        rounds += 1;
        let once = best(1, || drop(launch.run(&mut arguments(&plan, &mut memory, number)).expect("it runs")));
        run = run.min(once);
        let once = best(1, || {
            let report = race::Check::new(launch).without_results().run(&mut arguments(&plan, &mut memory, number));
            assert!(report.findings.is_empty(), "{:?}", report.findings);
            history = report.history_bytes;
        });
        race = race.min(once);
    }
    let (run, race) = (run.as_secs_f64() * 1e3, race.as_secs_f64() * 1e3);
    println!(
        "{name:<22}{run:>12.3}{race:>12.3}{:>8.2}{:>16}{:>16}{:>8.2}",
        race / run,
        modelled >> 10,
        history >> 10,
        history as f64 / modelled as f64
    );
}

fn arguments<'a>(plan: &Plan, memory: &'a mut [Vec<u8>], number: i64) -> Vec<Arg<'a>> {
    let each = plan.params().iter().zip(memory);
    each.map(|(p, m)| if matches!(p.kind, ParamKind::Scalar(_)) { Arg::Int(number) } else { Arg::write_bytes(m) })
        .collect()
}

fn iterations_of_a_loop(iterations: u32) -> String {
    format!(
        "func.func @loop(%x: !pto.ptr<f32>) {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %n = arith.constant 16 : index
           %iterations = arith.constant {iterations} : index
           %at = arith.constant 0 : i64
           %v = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
           %t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 16x16xf32>
           scf.for %i = %zero to %iterations step %one {{
             pto.tload ins(%v : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
             pto.set_flag [<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
             pto.wait_flag [<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
             pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
             pto.set_flag [<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
             pto.wait_flag [<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
             pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf32>) outs(%v : !pto.tensor_view<16x16xf32>)
             pto.set_flag [<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
             pto.wait_flag [<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
           }}
           return
         }}"
    )
}

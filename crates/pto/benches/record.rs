//! What recording a run costs beside the run, without a disk, and how long it takes to go back in a long recording.
//! `cargo bench -p pto --bench record`; names behind `--` select rows.

use pto::cpu::ParamKind;
use pto::trace::{Player, RecordOptions, RecordedSource, Recording, RunRecorder};
use pto::{Arg, Plan, Program, Target};
use pto_testkit::buffers;
use pto_testkit::random::Random;
use pto_testkit::timing::best;
use std::path::Path;
use std::time::{Duration, Instant};

/// Programs, and numbers for the parameters that are numbers.
const EXAMPLES: [(&str, i64); 10] = [
    ("softmax", 0),
    ("rms_norm", 0),
    ("layer_norm", 0),
    ("vector_add", 1 << 22),
    ("gemm", 0),
    ("flash_attention", 0),
    ("top_k", 0),
    ("int8_gemm", 1),
    ("mxfp8_gemm", 0),
    ("conv2d", 0),
];

fn main() {
    println!("{:<22}{:>12}{:>12}{:>8}{:>14}{:>14}", "example", "run ms", "record ms", "ratio", "instructions", "KiB");
    for (name, number) in EXAMPLES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).with_extension("pto");
        if is_wanted(name) {
            costs(name, &std::fs::read_to_string(path).expect("an example"), number);
        }
    }
    for iterations in [1_000, 100_000] {
        let name = format!("loop of {iterations}");
        if is_wanted(&name) {
            costs(&name, &loop_text(iterations), 0);
        }
    }
    if is_wanted("back") {
        goes_back();
    }
}

fn is_wanted(name: &str) -> bool {
    let mut wanted = std::env::args().skip(1).filter(|word| !word.starts_with('-')).peekable();
    wanted.peek().is_none() || wanted.any(|word| name.contains(&word))
}

fn source(text: &str) -> (RecordedSource, Plan) {
    let target = Program::parse(text).stated_target().unwrap_or(Target::A2A3);
    let source = RecordedSource::new("bench.pto", text, target);
    let plan = source.plan().expect("a legal program");
    (source, plan)
}

fn costs(name: &str, text: &str, number: i64) {
    let (source, plan) = source(text);
    let mut memory = buffers(&plan, number);
    let written = written(&plan, &mut memory, number);
    memory.iter_mut().zip(&written).filter(|(_, w)| **w).for_each(|(m, _)| m.fill(0));
    let (mut run, mut record, mut instructions, mut bytes) = (Duration::MAX, Duration::MAX, 0, 0);
    let start = Instant::now();
    let mut rounds = 0;
    // One after the other, so that a slow moment of the machine is not a slow moment of one of them.
    while rounds < 7 || start.elapsed() < Duration::from_millis(1500) {
        rounds += 1;
        let mut args = arguments(&plan, &mut memory, &written, number);
        run = run.min(best(1, || drop(plan.launch().threads(1).run(&mut args).expect("it runs"))));
        drop(args);
        memory.iter_mut().zip(&written).filter(|(_, w)| **w).for_each(|(m, _)| m.fill(0));
        let mut args = arguments(&plan, &mut memory, &written, number);
        let mut kept = None;
        record = record.min(best(1, || {
            let mut recorder = RunRecorder::new(&plan, RecordOptions::default().limit(8 << 30));
            recorder.start(&args);
            plan.launch().observe(&mut recorder).run(&mut args).expect("it runs");
            kept = Some(recorder);
        }));
        let recording = kept.take().map(|recorder| recorder.finish(plan.clone(), source.clone(), 1, None));
        let recording = recording.expect("it was recorded");
        (instructions, bytes) = (recording.len(), recording.bytes());
        assert_eq!(recording.left_out(), None);
        drop(args);
        memory.iter_mut().zip(&written).filter(|(_, w)| **w).for_each(|(m, _)| m.fill(0));
    }
    let (run, record) = (run.as_secs_f64() * 1e3, record.as_secs_f64() * 1e3);
    println!("{name:<22}{run:>12.3}{record:>12.3}{:>8.2}{instructions:>14}{:>14}", record / run, bytes >> 10);
}

/// The parameters that the program writes.
fn written(plan: &Plan, memory: &mut [Vec<u8>], number: i64) -> Vec<bool> {
    let all = vec![true; memory.len()];
    plan.launch().threads(1).run(&mut arguments(plan, memory, &all, number)).expect("it runs").written
}

fn arguments<'a>(plan: &Plan, memory: &'a mut [Vec<u8>], written: &[bool], number: i64) -> Vec<Arg<'a>> {
    let argument = |((param, bytes), written): ((&pto::cpu::Param, &'a mut Vec<u8>), &bool)| match param.kind {
        ParamKind::Scalar(_) => Arg::Int(number),
        _ if *written => Arg::write_bytes(bytes),
        _ => Arg::read_bytes(bytes),
    };
    plan.params().iter().zip(memory).zip(written).map(argument).collect()
}

/// A loop with a load, an addition and a store of a small tile.
fn loop_text(iterations: u64) -> String {
    format!(
        "func.func @f(%x: !pto.tensor_view<16x16xf32>) {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %n = arith.constant {iterations} : index
           %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
           %u = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
           pto.tload ins(%x : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
           scf.for %i = %zero to %n step %one {{
             pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) outs(%u : !pto.tile_buf<vec, 16x16xf32>)
             pto.tmax ins(%t, %u : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) outs(%u : !pto.tile_buf<vec, 16x16xf32>)
           }}
           pto.tstore ins(%u : !pto.tile_buf<vec, 16x16xf32>) outs(%x : !pto.tensor_view<16x16xf32>)
           return
         }}"
    )
}

/// How long it takes to see a tile at another moment of a recording of a million instructions.
fn goes_back() {
    let (source, plan) = source(&loop_text(500_000));
    let mut memory = buffers(&plan, 0);
    let mut args = arguments(&plan, &mut memory, &[true], 0);
    let mut recorder = RunRecorder::new(&plan, RecordOptions::default().limit(8 << 30));
    recorder.start(&args);
    plan.launch().observe(&mut recorder).run(&mut args).expect("it runs");
    let recording = recorder.finish(plan.clone(), source, 1, None);
    let mut bytes = Vec::new();
    let saving = best(1, || {
        bytes.clear();
        recording.save(&mut bytes, &mut |_, _| {}).expect("memory is there");
    });
    let mut again = None;
    let loading = best(1, || again = Some(Recording::load(&bytes).expect("what was saved")));
    let recording = again.expect("it was loaded");
    let (mut player, mut numbers) = (Player::new(&recording), Random(5));
    let (core, u) = (recording.cores()[0], recording.find("u").expect("a tile"));
    let first = best(1, || drop(player.value(core, u, Some(recording.len() / 2))));
    let mut look = |at: usize| best(1, || assert!(player.value(core, u, Some(at)).is_some())).as_secs_f64() * 1e3;
    let anywhere: Vec<f64> = (0..200).map(|_| look(2 + numbers.below(recording.len() - 4))).collect();
    let back: Vec<f64> = (0..200).map(|k| look(recording.len() - 4 - k)).collect();
    let worst = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    println!(
        "\n{} instructions, {} MB in a file, saved in {:.0} ms, loaded in {:.0} ms; first look {:.1} ms",
        recording.len(),
        bytes.len() / 1_000_000,
        saving.as_secs_f64() * 1e3,
        loading.as_secs_f64() * 1e3,
        first.as_secs_f64() * 1e3
    );
    println!("going anywhere: {:.2} ms, at most {:.2} ms", mean(&anywhere), worst(&anywhere));
    println!("one step back: {:.2} ms, at most {:.2} ms", mean(&back), worst(&back));
}

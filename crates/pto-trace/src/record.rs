//! Recording a run.

use crate::options::{RecordOptions, RecordedSource};
use crate::recorder::RunRecorder;
use crate::recording::Recording;
use pto_cpu::{Arg, Plan, RunReport};
use pto_isa::Error;

/// Runs a program on borrowed memory, with so many blocks and ranks, and records it. The recording is there also if the run fails.
///
/// # Errors
/// If the program is not legal or cannot be prepared. How the run itself went is part of the result.
pub fn record(
    source: RecordedSource,
    options: RecordOptions,
    blocks: u32,
    ranks: usize,
    args: &mut [Arg<'_>],
) -> Result<(Result<RunReport, Error>, Recording), Error> {
    let plan = source.plan()?;
    let recorder = RunRecorder::new(&plan, options);
    Ok(record_with(plan, source, recorder, blocks, ranks, args))
}

/// As [`record`], with a plan of the source and a recorder that were made before.
pub fn record_with(
    plan: Plan,
    source: RecordedSource,
    mut recorder: RunRecorder<'_>,
    blocks: u32,
    ranks: usize,
    args: &mut [Arg<'_>],
) -> (Result<RunReport, Error>, Recording) {
    recorder.start(args);
    let ran = plan.launch().blocks(blocks).ranks(ranks).observe(&mut recorder).run(args);
    let mut recording = recorder.finish(plan, source, blocks, ran.as_ref().err());
    for buffer in recording.missing_inputs() {
        if let Arg::Memory(memory) = &args[buffer] {
            recording.set_input(buffer, memory.bytes().to_vec());
        }
    }
    (ran, recording)
}

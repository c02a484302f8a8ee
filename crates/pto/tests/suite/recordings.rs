//! Recordings show what the engine did: the bytes of every write, looked at in any order, also after the recording was in a file.

use pto::cpu::{Access, AddressSpace, Arg, CoreId, Event, Observer, ParamKind, Plan, StepDone};
use pto::{Program, Target};
use pto_testkit::random::Random;
use pto_trace::{MemoryId, Player, RecordOptions, RecordedSource, Recording, RunRecorder};
use std::path::Path;

/// A core, and the accesses that wrote with the bytes they left.
type LeftBytes = (CoreId, Vec<(Access, Vec<u8>)>);

/// What every instruction left in memory, read right after it; and a recorder that sees the same run.
pub struct Witness {
    recorder: RunRecorder<'static>,
    pending: Vec<(CoreId, Vec<Access>)>,
    /// Moment by moment: the core, and the accesses that write with the bytes they left.
    pub left: Vec<LeftBytes>,
}

impl Witness {
    pub fn new(plan: &Plan) -> Self {
        Self { recorder: RunRecorder::new(plan, RecordOptions::default()), pending: Vec::new(), left: Vec::new() }
    }

    /// Notes what the arguments hold.
    pub fn start(&mut self, args: &[Arg<'_>]) {
        self.recorder.start(args);
    }

    /// Compares the recording with what was seen, at so many moments. The number of bytes that were compared.
    pub fn compare(self, plan: Plan, source: RecordedSource, blocks: u32, args: &[Arg<'_>], moments: usize) -> usize {
        let mut recording = self.recorder.finish(plan, source, blocks, None);
        for (k, arg) in args.iter().enumerate() {
            if let Arg::Memory(memory) = arg
                && recording.missing_inputs().contains(&k)
            {
                recording.set_input(k, memory.bytes().to_vec());
            }
        }
        let mut bytes = Vec::new();
        recording.save(&mut bytes, &mut |_, _| {}).expect("memory is there");
        let again = Recording::load(&bytes).expect("what was saved");
        compare(&recording, &self.left, moments) + compare(&again, &self.left, moments.div_ceil(8))
    }
}

impl Observer for Witness {
    fn event(&mut self, event: &Event<'_>) {
        self.recorder.event(event);
        if !matches!(event.action, pto::cpu::Action::Then(..)) {
            self.pending.push((event.core, event.accesses.to_vec()));
        }
    }

    fn wants_steps(&self) -> bool {
        true
    }

    fn stepped(&mut self, done: &mut StepDone<'_, '_>) {
        self.recorder.stepped(done);
        if let Some(accesses) = done.silent_write() {
            self.pending.push((done.core(), accesses));
        }
        for (core, accesses) in std::mem::take(&mut self.pending) {
            let is_result = |a: &Access| a.write && a.tile != Some(pto::cpu::DEVICE) && !a.is_work_space();
            let mut left = Vec::new();
            for access in accesses.into_iter().filter(is_result) {
                let mut bytes = Vec::new();
                if done.read(&access, &mut bytes) {
                    left.push((access, bytes));
                }
            }
            self.left.push((core, left));
        }
    }
}

fn compare(recording: &Recording, left: &[LeftBytes], moments: usize) -> usize {
    assert_eq!(recording.len(), left.len(), "other moments");
    let mut player = Player::new(recording);
    let mut numbers = Random(7);
    let mut compared = 0;
    for k in 0..moments.min(left.len()) {
        // Forth, and anywhere.
        let at = if k % 4 == 0 { k } else { numbers.next() as usize % left.len() };
        let (core, writes) = &left[at];
        let params =
            recording.plan().params().len() * recording.cores().iter().map(|c| c.rank + 1).max().unwrap_or(1) as usize;
        for (access, bytes) in writes {
            let memory = match access.place {
                AddressSpace::Core(loc) => MemoryId::Core(*core, loc),
                AddressSpace::Global(buffer) if buffer < params => MemoryId::Global(buffer),
                AddressSpace::Global(_) => continue,
            };
            for (row, expected) in bytes.chunks(access.row_bytes.max(1) as usize).enumerate() {
                let first = access.start + row as i64 * access.stride;
                let found = player.memory(memory, first..first + expected.len() as i64, Some(at));
                assert!(found == expected, "moment {at} of {}: {access:?}, run {row}", left.len());
                compared += found.len();
            }
        }
    }
    compared
}

fn source(text: &str) -> (RecordedSource, Plan) {
    let target = Program::parse(text).stated_target().unwrap_or(Target::A2A3);
    let source = RecordedSource::new("test.pto", text, target);
    let plan = source.plan().expect("a legal program");
    (source, plan)
}

#[test]
fn examples_are_recorded() {
    for (name, blocks, n) in
        [("vector_add", 2, 1 << 14), ("flash_attention", 1, 128), ("matmul_manual", 1, 128), ("mxfp8_gemm", 1, 128)]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).with_extension("pto");
        let (source, plan) = source(&std::fs::read_to_string(path).expect("an example"));
        let mut numbers = Random(3);
        let mut number = || ((numbers.next() % 100) as f32 / 50.0).to_le_bytes();
        let mut memory = vec![Vec::new(); plan.params().len()];
        memory.iter_mut().for_each(|bytes: &mut Vec<u8>| bytes.extend((0..1 << 18).flat_map(|_| number())));
        let mut args = Vec::new();
        for (bytes, param) in memory.iter_mut().zip(plan.params()) {
            let is_scalar = matches!(param.kind, ParamKind::Scalar(_));
            args.push(if is_scalar { Arg::Int(n) } else { Arg::write_bytes(bytes) });
        }
        let mut witness = Witness::new(&plan);
        witness.start(&args);
        plan.launch().blocks(blocks).observe(&mut witness).run(&mut args).unwrap_or_else(|e| panic!("{name}: {e}"));
        let compared = witness.compare(plan, source, blocks, &args, 16);
        assert!(compared > 10_000, "{name}: {compared}");
    }
}

//! The initial content of global memory, so that every run starts with the same.

use pto_cpu::Arg;

/// A copy of the arguments that a run may change.
#[derive(Debug)]
pub(crate) struct Snapshot(Vec<Vec<Option<Vec<u8>>>>);

impl Snapshot {
    pub fn of(ranks: &[Vec<Arg<'_>>]) -> Self {
        let copy = |arg: &Arg<'_>| match arg {
            Arg::Memory(memory) => memory.is_written().then(|| memory.bytes().to_vec()),
            _ => None,
        };
        Self(ranks.iter().map(|args| args.iter().map(copy).collect()).collect())
    }

    pub fn restore(&self, ranks: &mut [Vec<Arg<'_>>]) {
        for (arg, saved) in ranks.iter_mut().flatten().zip(self.0.iter().flatten()) {
            if let (Arg::Memory(memory), Some(saved)) = (arg, saved) {
                memory.bytes_mut().into_iter().for_each(|data| data.copy_from_slice(saved));
            }
        }
    }
}

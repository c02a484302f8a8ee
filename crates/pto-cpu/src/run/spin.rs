//! Loops that read a number in global memory until another core has changed it.

/// Reads in a row that find what they found before, after which a core lets the others go on.
const PATIENCE: u32 = 64;

/// What a core found in memory, and where it stood when it let the others go on.
#[derive(Clone, Default)]
pub(super) struct Spin {
    /// The last place and number of each instruction that reads one.
    found: Vec<Option<(usize, i64, u64)>>,
    /// Reads in a row that brought nothing new.
    repeats: u32,
    at: usize,
    regs: Vec<u64>,
}

impl Spin {
    pub fn new(instructions: usize) -> Self {
        Self { found: vec![None; instructions], ..Self::default() }
    }

    pub fn reset(&mut self) {
        self.found.fill(None);
        (self.repeats, self.at) = (0, 0);
        self.regs.clear();
    }

    /// An instruction reads a number, at a byte of a buffer.
    pub fn read(&mut self, which: usize, (buffer, first): (usize, i64), number: u64) {
        let read = Some((buffer, first, number));
        self.repeats = if self.found[which] == read { self.repeats.saturating_add(1) } else { 0 };
        self.found[which] = read;
    }

    /// True when it is time for the others.
    pub fn is_due(&self) -> bool {
        self.repeats >= PATIENCE
    }

    /// The core lets the others go on. True when its numbers are what they were when it did so last, in the same place: then it goes in circles
    /// until another core does something.
    pub fn goes_in_circles(&mut self, at: usize, regs: &[u64]) -> bool {
        let same = self.at == at && self.regs == regs;
        self.at = at;
        self.regs.clear();
        self.regs.extend_from_slice(regs);
        same
    }
}

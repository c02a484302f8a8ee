//! The least that memory allows: all inputs are read and all outputs written, once each, and nothing is computed.

use super::best;
use super::cases::{Case, Param};
use super::memory::in_large_pages;
use pto_testkit::traffic::{StoreKind, pass_on};

/// As many bytes as a program reads and writes.
pub struct CopiedBytes {
    from: Vec<u8>,
    to: Vec<u8>,
}

impl CopiedBytes {
    pub fn of(case: &Case) -> Self {
        let total = |bytes: fn(Param) -> usize| case.ranks * case.params.iter().copied().map(bytes).sum::<usize>();
        let room = |bytes| in_large_pages(&vec![1; bytes]);
        Self { from: room(total(Param::input_bytes)), to: room(total(Param::output_bytes)) }
    }

    /// The shortest turn, in milliseconds: on all of these threads or on one, because few bytes are not worth a thread, and stored in any way.
    pub fn time(&mut self, threads: u32) -> f64 {
        let ways = [1, threads as usize].into_iter().flat_map(|n| StoreKind::ALL.map(|kind| (n, kind)));
        ways.map(|(n, kind)| best(|| pass_on(&self.from, &mut self.to, n, kind))).fold(f64::INFINITY, f64::min)
    }
}

//! Loops that may wait for another block to write global memory.

use super::{Plan, Step};

impl Plan {
    /// True when a loop without a fixed bound reads global memory into a scalar, directly or through a tile.
    pub(super) fn polls(&self) -> bool {
        self.roles().any(Self::has_polling_loop)
    }

    fn has_polling_loop(&self) -> bool {
        let back = |(at, step): (usize, &Step)| match *step {
            Step::Jump(head) if head as usize <= at => Some((head as usize, at)),
            Step::Branch { yes, no, .. } if (yes.min(no) as usize) <= at => Some((yes.min(no) as usize, at)),
            _ => None,
        };
        let loops: Vec<(usize, usize)> = self.steps.iter().enumerate().filter_map(back).collect();
        if loops.is_empty() {
            return false;
        }
        let scalars = self.counted(|s| matches!(s, Step::LoadScalar(_)));
        let elements = self.counted(|s| matches!(s, Step::TileGet { .. }));
        let loads =
            self.counted(|s| matches!(s, Step::Kernel(k) if self.kernels[*k as usize].views.iter().any(|v| v.reads)));
        let has = |count: &[u32], (head, at): (usize, usize)| count[at + 1] > count[head];
        loops.into_iter().any(|body| has(&scalars, body) || has(&elements, body) && has(&loads, body))
    }

    /// How many steps of a kind come before each step.
    fn counted(&self, is_meant: impl Fn(&Step) -> bool) -> Vec<u32> {
        let mut count = vec![0];
        count.extend(self.steps.iter().scan(0, |sum, step| {
            *sum += u32::from(is_meant(step));
            Some(*sum)
        }));
        count
    }
}

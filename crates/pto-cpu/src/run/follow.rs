//! Follows the execution of a program without computing: for cost models and other analyses.

use super::launch::Launch;
use super::observe::{Observer, Observing, Watch};
use super::team::Team;
use crate::memory::Buffer;
use crate::prepared::{GeometryId, Link, PipeOrder, Plan, Role, Step};
use crate::run::Known;
use pto_isa::{Diagnostic, Error, TileType};

impl Plan {
    /// True when numbers in memory can affect control flow: the program loads elements of memory as scalars, or tests
    /// signal words. Such a program must be run to see what it does.
    pub fn depends_on_data(&self) -> bool {
        let by_link = |l: &Link| matches!(l, Link::Notify { .. } | Link::WaitSignal { .. });
        self.reads_scalars() || self.roles().any(|role| role.calls.links.iter().any(by_link))
    }

    /// The same, if waits for signal words are known to end: [following](Launch::follow) the program passes them.
    pub fn reads_scalars(&self) -> bool {
        let by_step = |s: &Step| matches!(s, Step::LoadScalar(_) | Step::TileGet { .. });
        let by_link = |l: &Link| matches!(l, Link::TestSignal { .. });
        self.roles().any(|role| role.code.steps.iter().any(by_step) || role.calls.links.iter().any(by_link))
    }

    /// True when cores communicate by words in global memory: by notifications, or by numbers that a loop polls.
    pub fn uses_words(&self) -> bool {
        self.cores.asks || self.roles().any(|role| role.calls.links.iter().any(|l| matches!(l, Link::Notify { .. })))
    }

    /// True when the program tests a condition once and continues with either result.
    pub fn asks_once(&self) -> bool {
        let asks = |o: &PipeOrder| matches!(o, PipeOrder::AwaitBackground(wait) if wait.asks);
        let by_link = |l: &Link| matches!(l, Link::TestSignal { .. });
        self.roles().any(|role| role.calls.links.iter().any(by_link) || role.calls.orders.iter().any(asks))
    }
}

impl Launch<'_, &mut dyn Observer> {
    /// Reports to an observer what a run would do, block after block, without memory and without computing: control flow,
    /// addresses and waits are followed; waits for signal words end at once. Meant for programs that do not [depend on data](Plan::depends_on_data); others
    /// read zeros and may take wrong paths.
    ///
    /// ```
    /// use pto_cpu::{Event, Observer, Options, Plan};
    /// use pto_isa::Target;
    ///
    /// struct Count(usize);
    /// impl Observer for Count {
    ///     fn event(&mut self, _: &Event<'_>) {
    ///         self.0 += 1;
    ///     }
    /// }
    /// let (module, _) = pto_syntax::parse("
    ///     func.func @twice(%t: !pto.tile_buf<vec, 16x16xf32>) {
    ///       pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>)
    ///                outs(%t : !pto.tile_buf<vec, 16x16xf32>)
    ///       return
    ///     }");
    /// let checked = pto_check::check(module, Target::A2A3).expect("a legal program");
    /// let plan = Plan::new(&checked, None, Options::default()).expect("one entry");
    /// let mut count = Count(0);
    /// plan.launch().blocks(3).observe(&mut count).follow(&[]).expect("it can be followed");
    /// assert_eq!(count.0, 3);
    /// ```
    ///
    /// # Errors
    /// As [`Launch::run`], except for what only data shows.
    pub fn follow(self, known: &[Known]) -> Result<(), Error> {
        let (plan, blocks) = (self.plan(), self.block_count());
        let watch = &mut Observing { observer: self.observer, skips_repeats: false, computes: false };
        plan.follow(known, blocks, watch).map_err(|problem| plan.module().error(problem))
    }
}

impl Plan {
    fn follow(&self, known: &[Known], blocks: u32, watch: &mut dyn Watch) -> Result<(), Diagnostic> {
        let none = vec![Buffer::NONE; self.source.params.len()];
        if self.cores.joint {
            self.all_fit(u64::from(blocks))?;
            let mut team = Team::empty(self);
            for block in 0..blocks {
                team.add(self, &none, (0, 1), (block, blocks))?;
            }
            self.enter_team(&mut team, known);
            return team.execute(watch);
        }
        let mut team = Team::new(self, &none, None, blocks)?;
        for block in 0..blocks {
            team.reset(block);
            self.enter_team(&mut team, known);
            team.execute(watch)?;
        }
        Ok(())
    }

    fn enter_team(&self, team: &mut Team<'_>, known: &[Known]) {
        for core in &mut team.cores {
            let plan = core.plan;
            plan.enter_known(core, known);
        }
    }

    /// The type of a tile as an [`Access`](super::Access) of a core of this role names it.
    pub fn tile_type(&self, role: Role, geometry: u32) -> Option<&TileType> {
        self.roles().find(|p| p.cores.role == role)?.tiles.geometries.get(GeometryId(geometry))
    }
}

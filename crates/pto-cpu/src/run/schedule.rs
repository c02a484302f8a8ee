//! A round-robin scheduler for cores that communicate: each runs until it must wait. The order is fixed, so a run is
//! reproducible, and a round without progress is a deadlock.

use super::core::Core;
use super::observe::{CoreId, Watched};
use super::peers::{PeerRanks, PeerStop};
use super::progress::State;
use super::shared::Shared;
use super::spin::{Circles, Spin};
use crate::prepared::{Link, Role, Set};
use pto_isa::text;
use pto_isa::{Diagnostic, codes};

/// Rounds in which cores only poll, while local memory may change unseen, after which they are considered to poll for ever.
const IDLE_ROUNDS: u32 = 1000;
/// The same where cores that poll also write global memory: others may count what they write.
const IDLE_STORES: u32 = 100_000;

/// Runs cores until all are done.
pub(super) fn run_together<W: Watched + ?Sized>(
    cores: &mut [Core<'_>],
    shared: &mut Shared,
    peers: Option<&dyn PeerRanks>,
    watch: &mut W,
) -> Result<(), Diagnostic> {
    let mut idle = 0;
    loop {
        let mut round = SchedulerRound::default();
        for core in cores.iter_mut().filter(|c| c.progress.state != State::Done) {
            let before = (core.progress.deeds.instructions, shared.effects);
            match core.resume(shared, watch)? {
                State::Done => round.moved = true,
                State::Polls => round.polls(&core.progress.spin),
                State::Waits | State::Ready => {
                    round.open = true;
                    round.moved |= before != (core.progress.deeds.instructions, shared.effects);
                }
            }
        }
        if !round.open {
            return Ok(());
        }
        idle = if round.moved { 0 } else { idle + 1 };
        if let Some(peers) = peers {
            wait_for_peers(peers, &round, cores, shared)?;
            continue;
        }
        if idle > round.patience {
            // The condition may never hold.
            let asks = |c: &&mut Core<'_>| {
                c.progress.state == State::Waits && matches!(c.waits_at(), Some(Link::TestSignal { .. }))
            };
            let Some(first) = cores.iter_mut().find(asks) else {
                let observes = watch.mode().observes;
                let stuck = cores.iter_mut().filter(|c| observes && c.progress.state != State::Done);
                stuck.for_each(|core| core.say_stuck(watch));
                return Err(deadlock(cores, shared));
            };
            (first.progress.gave_up, idle) = (true, 0);
        }
    }
}

/// Other ranks, in other processes, may change what the cores of this one wait for.
fn wait_for_peers(
    peers: &dyn PeerRanks,
    round: &SchedulerRound,
    cores: &mut [Core<'_>],
    shared: &Shared,
) -> Result<(), Diagnostic> {
    let stop = match round.moved {
        true => peers.moved(),
        false => peers.idle(&mut || deadlock(cores, shared)),
    };
    let text = match stop {
        Ok(()) => return Ok(()),
        Err(PeerStop::Deadlock) => return Err(deadlock(cores, shared)),
        Err(PeerStop::Abandoned) => text!("stopped, because another rank failed").to_string(),
        Err(PeerStop::Lost(why)) => why,
    };
    let span = cores.first().map_or_else(Default::default, |core| core.span());
    Err(Diagnostic::new(codes::RUN_RANK, span, text))
}

/// What happened while each core had a go.
#[derive(Default)]
struct SchedulerRound {
    /// Some core is not done.
    open: bool,
    /// Some core got further.
    moved: bool,
    /// The number of such rounds that are no deadlock yet.
    patience: u32,
}

impl SchedulerRound {
    /// A core polls. As long as it comes back to the same state, only another core can end that.
    fn polls(&mut self, spin: &Spin) {
        self.open = true;
        let full_period = 2 * spin.period() + 2;
        match spin.circles() {
            None => self.moved = true,
            Some(Circles::Scalars) => self.patience = self.patience.max(full_period),
            Some(Circles::Local) => self.patience = self.patience.max(IDLE_ROUNDS + full_period),
            Some(Circles::Global) => self.patience = self.patience.max(IDLE_STORES + full_period),
        }
    }
}

/// The wait chain, with all spans.
fn deadlock(cores: &mut [Core<'_>], shared: &Shared) -> Diagnostic {
    let words: Vec<Option<String>> = cores.iter_mut().map(Core::awaited_word).collect();
    let name = CoreNames::of(cores);
    let say = |core: &Core| {
        let what = words[core.who.index].clone().unwrap_or_else(|| what(core, shared));
        text!("{of_core} waits for {what}", of_core = name.of_core(shared.cores[core.who.index]), what)
    };
    let mut waiting = cores.iter().filter(|c| c.progress.state != State::Done);
    let Some(first) = waiting.next() else {
        return Diagnostic::new(codes::RUN_DEADLOCK, pto_isa::Span::default(), text!("deadlock"));
    };
    let mut d = Diagnostic::new(codes::RUN_DEADLOCK, first.span(), text!("deadlock: {say}", say = say(first)));
    for core in waiting.take(7) {
        d = d.label(core.span(), say(core));
    }
    let done: Vec<String> = cores
        .iter()
        .filter(|c| c.progress.state == State::Done)
        .take(4)
        .map(|c| name.of_core(shared.cores[c.who.index]))
        .collect();
    if !done.is_empty() {
        d = d.legal(text!("already finished: {done}", done = done.join(", ")));
    }
    d.help(text!("every wait needs a signal, an entry or a free slot from a core that is still running"))
}

/// The properties that distinguish the cores of a run.
struct CoreNames {
    blocks: bool,
    ranks: bool,
}

impl CoreNames {
    fn of(cores: &[Core<'_>]) -> Self {
        let among = cores.first().map(|core| core.who.among);
        Self { blocks: among.is_some_and(|a| a.blocks > 1), ranks: among.is_some_and(|a| a.ranks > 1) }
    }

    fn of_core(&self, id: CoreId) -> String {
        let core = match id.role {
            Role::Whole => text!("the core").to_string(),
            Role::Cube => text!("the cube core").to_string(),
            Role::Vector => text!("vector core {sub}", sub = id.sub),
        };
        let block = if self.blocks { text!(" of block {block}", block = id.block) } else { String::new() };
        let rank = if self.ranks { text!(" on rank {rank}", rank = id.rank) } else { String::new() };
        core + &block + &rank
    }
}

/// What a core waits for.
fn what(core: &Core, shared: &Shared) -> String {
    let others = match shared.cores[core.who.index].role {
        Role::Cube => text!("the vector cores"),
        Role::Vector => text!("the cube core"),
        Role::Whole => text!("another core"),
    };
    match core.waits_at() {
        Some(Link::Await { id }) => text!("signal {core} of {others}", core = core.int(*id), others),
        Some(Link::Push(_) | Link::Alloc(_)) => text!("a free slot: {others} must pop and free one", others),
        Some(Link::Pop(_)) => text!("an entry: {others} must push one", others),
        Some(Link::Barrier { set, .. }) => {
            let who = match set {
                Set::Vector => text!("all vector cores"),
                Set::Cube => text!("all cube cores"),
                Set::All => text!("all cores"),
            };
            text!("{who} to arrive at `syncall`", who)
        }
        _ => match core.reads_at() {
            Some(number) => text!("a word in memory that it polls; its value is {number}", number),
            None => text!("others").into(),
        },
    }
}

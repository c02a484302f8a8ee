//! What a recording adds where there are several ranks.

use super::ranks::crossing;
use super::record::ItemRecorder;
use super::{Dep, NONE, Why};
use crate::cost::{Charge, Execution, charge, moved};
use crate::laws::ParamKey;
use crate::network::{LinkCharge, RemoteBytes, charge_of};
use pto_cpu::{Action, AddressSpace, Event};
use pto_isa::Pipe;
use pto_isa::row::CostClass;

impl ItemRecorder<'_> {
    /// Bytes of an event in memory of other ranks.
    fn remote_bytes(&self, event: &Event<'_>) -> Vec<RemoteBytes> {
        let mut list: Vec<RemoteBytes> = Vec::new();
        for a in event.accesses {
            let AddressSpace::Global(buffer) = a.place else { continue };
            let (peer, bytes) = (self.homes.home(buffer).0, a.rows * a.row_bytes);
            if peer == event.core.rank || bytes == 0 {
                continue;
            }
            match list.iter_mut().find(|r| (r.peer, r.write) == (peer, a.write)) {
                Some(part) => part.bytes += bytes,
                None => list.push(RemoteBytes { peer, bytes, write: a.write }),
            }
        }
        list
    }

    pub(super) fn count_between_ranks(&mut self, event: &Event<'_>) {
        if self.options.network.is_none() {
            return;
        }
        for part in self.remote_bytes(event) {
            let sums = self.trace.between_ranks.entry((event.core.rank, part.peer)).or_default();
            *(if part.write { &mut sums.1 } else { &mut sums.0 }) += part.bytes;
        }
    }

    /// The cost of an execution, with what links between ranks take of it.
    pub(super) fn with_links(&self, event: &Event<'_>, instance: &Execution) -> (Charge, Option<LinkCharge>) {
        let Some(network) = &self.options.network else {
            return (charge(instance, self.laws, self.options.model), None);
        };
        // The overhead of a transfer is part of the figures of links.
        let local = match instance.op.row().cost {
            CostClass::Comm => moved(instance, self.laws),
            _ => charge(instance, self.laws, self.options.model),
        };
        let remote = self.remote_bytes(event);
        if remote.is_empty() {
            return (local, None);
        }
        let all = (instance.loaded + instance.stored).max(1);
        let away: u64 = remote.iter().map(|r| r.bytes).sum();
        let share = 1.0 - away as f64 / all as f64;
        let in_background = event.pipe == Some(Pipe::All);
        let mhz = self.laws.machine("machine", ParamKey::Mhz);
        let (charge, link) = charge_of((share, local), &remote, (event.core.rank, in_background), network, mhz);
        (charge, Some(link))
    }

    /// A signal word that cores of several ranks may change.
    pub(super) fn rank_signal(&mut self, core: usize, pipe: usize, event: &Event<'_>) {
        if self.trace.by_data && matches!(event.action, Action::Notify) {
            self.publish(core);
        }
        if self.homes.followed().is_none() {
            self.linked(core, pipe, event, 0);
            return;
        }
        let rank = event.core.rank;
        let word = event.accesses.iter().find_map(|a| match a.place {
            AddressSpace::Global(buffer) => Some((self.homes.home(buffer), a.start)),
            AddressSpace::Core(_) => None,
        });
        let Some((home, offset)) = word else { return };
        if matches!(event.action, Action::Notify) {
            let item = self.ordering(core, pipe, event.op);
            let why = crossing(self.options.network.as_ref(), rank, home.0);
            self.mirrored.notify((rank, core), home, (offset, event.detail), (item, why));
        } else {
            let item = self.trace.items.len() as u32;
            let deps = self.mirrored.wait((rank, core), home.1, (offset, event.detail), item);
            self.deps.extend(deps);
            self.ordering(core, pipe, event.op);
        }
    }

    /// A signal says that data is there: it waits for what the core wrote before.
    fn publish(&mut self, core: usize) {
        let last = self.cores[core].last;
        let writers = [Pipe::Mte3, Pipe::Fix, Pipe::All].map(|p| last[p as usize]);
        self.deps.extend(writers.into_iter().filter(|i| *i != NONE).map(|on| Dep { on, why: Why::Read }));
    }
}

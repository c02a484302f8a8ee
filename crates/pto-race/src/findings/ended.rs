//! Repairs that depend on all that was found.

use super::*;
use pto_isa::text;

impl Findings<'_> {
    /// Adds fixes for conflicts between ranks, when all of their pairs are known.
    pub(super) fn repair_ranks(&mut self) {
        let several = self.found.iter().filter_map(|(key, f)| Some((key, f.ranks.as_ref()?)));
        let repairs: Vec<_> =
            several.map(|(key, (conflict, stamp, pairs))| (*key, self.repair(key.0, conflict, stamp, pairs))).collect();
        let plain = |key: &FindingKey| {
            let found = repairs.iter().find(|(k, _)| k == key).map(|(_, r)| &r.edits)?;
            found.iter().all(|e| e.change != Change::Parameter).then(|| found.clone())
        };
        // A write that may come late also conflicts with the read of its own iteration: both must be ordered.
        let reversed = |key: &FindingKey| (codes::RACE_READ, key.2.unwrap_or(key.1), Some(key.1));
        let also: Vec<_> = repairs.iter().map(|(key, _)| plain(&reversed(key)).unwrap_or_default()).collect();
        for ((key, mut repair), more) in repairs.into_iter().zip(also) {
            if key.0 == codes::RACE_OVERWRITE && !repair.edits.is_empty() {
                let new = more.into_iter().filter(|e| !repair.edits.contains(e));
                let new: Vec<Edit> = new.collect();
                repair.edits.extend(new);
            }
            if let Some(found) = self.found.get_mut(&key) {
                let d = found.diagnostic.clone().edits(repair.edits);
                found.diagnostic = Diagnostic { help: repair.help, ..d };
            }
        }
    }

    /// A write of another core that may come late overwrites what its own iteration reads: what orders it before that read is
    /// needed, too.
    pub(super) fn repair_late_writes(&mut self) {
        let reversed = |key: &FindingKey| (codes::RACE_READ, key.2.unwrap_or(key.1), Some(key.1));
        let is_late = |key: &FindingKey, f: &Finding| {
            key.0 == codes::RACE_OVERWRITE
                && f.ranks.is_none()
                && f.reach != AccessDistance::Core
                && !f.diagnostic.edits.is_empty()
        };
        let late: Vec<FindingKey> = self.found.iter().filter(|(key, f)| is_late(key, f)).map(|(key, _)| *key).collect();
        for key in late {
            let Some(more) = self.found.get(&reversed(&key)).map(|f| f.diagnostic.edits.clone()) else { continue };
            if let Some(found) = self.found.get_mut(&key) {
                let own = found.diagnostic.edits.clone();
                let new = more.into_iter().filter(|e| !own.contains(e)).collect::<Vec<_>>();
                found.diagnostic = found.diagnostic.clone().edits([own, new].concat());
            }
        }
    }

    /// Another `syncall` is no help if cores do not come to those that are there equally often.
    pub(super) fn leave_uneven_barriers(&mut self) {
        let has_barrier = |f: &&mut Finding| f.diagnostic.edits.iter().any(|e| e.text.starts_with("pto.syncall"));
        for found in self.found.values_mut().filter(|_| self.uneven).filter(has_barrier) {
            let help = text!("let all cores come to `syncall` equally often: what it orders may be enough");
            found.diagnostic = Diagnostic { help: Some(help.into()), edits: Vec::new(), ..found.diagnostic.clone() };
        }
    }

    /// If cores already signal each other, a blocked pipe or a surplus signal lets them get out of step; races that follow have the same
    /// cause.
    pub(super) fn repair_talk(&mut self) {
        let removes = |d: &Diagnostic| d.edits.iter().all(|e| e.change == Change::Remove);
        let is_reason = |key: &FindingKey, d: &Diagnostic| match key.0 {
            codes::FLAG_UNSET => true,
            codes::SIGNAL_LEFT => removes(d) && self.is_sent_too_often(key.1),
            _ => false,
        };
        let reason = self.found.iter().find(|(key, f)| !f.diagnostic.edits.is_empty() && is_reason(key, &f.diagnostic));
        let Some(reason) = reason.filter(|_| self.stated().talks).map(|(_, f)| f.diagnostic.clone()) else { return };
        for (key, found) in self.found.iter_mut().filter(|(_, f)| f.reach == AccessDistance::Block) {
            if RACES.contains(&key.0) {
                let d = found.diagnostic.clone().edits(reason.edits.clone());
                found.diagnostic = Diagnostic { help: reason.help.clone(), ..d };
            }
        }
    }
}

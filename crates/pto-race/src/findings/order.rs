//! Flags, tokens, signals and pipes that do not match.

use super::*;

impl Findings<'_> {
    pub fn set_twice(&mut self, flag: Flag, first: Site, second: Site) {
        self.note(codes::FLAG_TWICE, second.op, None, |all| {
            let message = format!("{} is set again before anybody waited for it", flag_name(flag));
            let d = Diagnostic::new(codes::FLAG_TWICE, all.span(second.op), message);
            let d = if first.op == second.op {
                d.remark("set here, and here again the next time")
            } else {
                d.remark("set again here").label(all.span(first.op), "set here")
            };
            let other = all.free_id(flag.src, flag.dst).map_or(String::new(), |id| format!(", {id} for example"));
            d.legal("a flag is one token: between two sets there is a wait")
                .help(format!("wait for it in between, or use another id{other}"))
        });
    }

    pub fn never_set(
        &mut self,
        flag: Flag,
        site: Site,
        reversed: Option<Site>,
        other: Option<(i64, Site)>,
        stuck: &[(usize, &Queued)],
        since: u64,
    ) {
        if !self.stuck {
            self.stuck_since(since);
        }
        self.note(codes::FLAG_UNSET, site.op, None, |all| {
            let message = format!("{} waits for ever: {} is not set before", flag.dst, flag_name(flag));
            let mut d = Diagnostic::new(codes::FLAG_UNSET, all.span(site.op), message)
                .remark(format!("{} stops here", flag.dst));
            for (at, queued) in stuck {
                d = d.label(all.span(queued.site.op), format!("{} is stopped here{}", pipe(*at), waits_for(queued.step)));
            }
            let reversed = reversed.filter(|_| !all.waits_anywhere(Flag { src: flag.dst, dst: flag.src, id: flag.id }));
            let other = other.filter(|(id, _)| !all.waits_anywhere(Flag { id: *id, ..flag }));
            let help = match (reversed, other) {
                (Some(set), _) => {
                    d = d.label(all.span(set.op), format!("this flag goes the other way, from {} to {}", flag.dst, flag.src));
                    format!("the wait names the pipes in the order of the set: [<{}>, <{}>, …]", flag.src, flag.dst)
                }
                (None, Some((id, set))) => {
                    d = d.label(all.span(set.op), format!("this sets id {id}, which nobody waits for"));
                    format!("wait for id {id}, or set id {}", flag.id)
                }
                (None, None) => format!(
                    "set it before: pto.set_flag [<{}>, <{}>, <EVENT_ID{}>]; a flag that a loop waits for first is set once before the loop",
                    flag.src, flag.dst, flag.id
                ),
            };
            let d = d.legal("every wait needs a set that is given to the other pipe before this one has to go on")
                .legal("what comes behind it was not checked");
            match all.missing_set(flag, site.op) {
                Some(edit) if reversed.is_none() && other.is_none() => d.edits(vec![edit]),
                _ => d.help(help),
            }
        });
        self.stuck = true;
    }

    pub fn never_waited(&mut self, flag: Flag, site: Site) {
        self.note(codes::FLAG_LEFT, site.op, None, |all| {
            let message = format!("{} is set, and nobody waits for it", flag_name(flag));
            let d = Diagnostic::new(codes::FLAG_LEFT, all.span(site.op), message)
                .remark("still up when the program ends")
                .legal("every set has one wait");
            match all.missing_wait(flag, site.op) {
                Some(edit) => d.edits(vec![edit]),
                None => d.help(format!(
                    "wait for it before the end: pto.wait_flag [<{}>, <{}>, <EVENT_ID{}>], or leave the set out",
                    flag.src, flag.dst, flag.id
                )),
            }
        });
    }

    pub fn token_taken_twice(&mut self, id: i64, at: Pipe, first: Site, second: Site) {
        self.note(codes::TOKEN, second.op, Some(first.op), |all| {
            Diagnostic::new(codes::TOKEN, all.span(second.op), format!("{at} takes token {id}, which it holds"))
                .label(all.span(first.op), "taken here")
                .help("release it before, with pto.rls_buf")
        });
    }

    pub fn token_not_held(&mut self, id: i64, at: Pipe, holder: Option<(Pipe, Site)>, site: Site) {
        self.note(codes::TOKEN, site.op, holder.map(|(_, s)| s.op), |all| {
            let message = format!("{at} releases token {id}, which it does not hold");
            let d = Diagnostic::new(codes::TOKEN, all.span(site.op), message);
            let d = match holder {
                Some((pipe, taken)) => d.label(all.span(taken.op), format!("{pipe} took it here")),
                None => d,
            };
            d.help("take it before, with pto.get_buf of the same pipe")
        });
    }

    /// A pipe waits for a token that nobody releases, and has done so since then.
    pub fn token_awaited(&mut self, id: i64, at: Pipe, holder: Site, waiter: Site, since: u64) {
        if !self.stuck {
            self.stuck_since(since);
        }
        self.token_never_released(id, at, holder, Some(waiter));
        self.stuck = true;
    }

    pub fn token_never_released(&mut self, id: i64, at: Pipe, holder: Site, waiter: Option<Site>) {
        self.note(codes::TOKEN, holder.op, waiter.map(|w| w.op), |all| {
            let message = format!("{at} takes token {id} and does not give it back");
            let d = Diagnostic::new(codes::TOKEN, all.span(holder.op), message);
            let d = match waiter {
                Some(w) => d.label(all.span(w.op), "waits for it for ever"),
                None => d,
            };
            d.help("release it behind the last use of the buffer, with pto.rls_buf")
        });
    }

    pub fn signal_left(&mut self, id: i64, site: Site) {
        self.note(codes::SIGNAL_LEFT, site.op, None, |all| {
            Diagnostic::new(codes::SIGNAL_LEFT, all.span(site.op), format!("signal {id} is sent, and nobody waits for it"))
                .remark("still pending when the program ends")
                .help("wait for it on the core it goes to, with pto.sync.wait, or leave it out; ids on A5 from 16 on are those of the second vector core")
        });
    }

    pub fn reserved_signal(&mut self, id: i64, what: &str, site: Site) {
        self.note(codes::SIGNAL_RESERVED, site.op, None, |all| {
            let message = format!("signal {id} is also used by {what}");
            Diagnostic::new(codes::SIGNAL_RESERVED, all.span(site.op), message)
                .help("use a signal from 0 to 10 that no pipe uses")
        });
    }

    pub fn entries_left(&mut self, count: usize, site: Site) {
        self.note(codes::PIPE_LEFT, site.op, None, |all| {
            let noun = if count == 1 { "an entry is" } else { "entries are" };
            let message = format!("{noun} pushed that nobody pops: {count} at the end of the program");
            Diagnostic::new(codes::PIPE_LEFT, all.span(site.op), message).help("pop as often as is pushed")
        });
    }

    pub fn never_freed(&mut self, site: Site) {
        self.note(codes::PIPE_LEFT, site.op, Some(site.op), |all| {
            Diagnostic::new(codes::PIPE_LEFT, all.span(site.op), "an entry is popped and its slot never given back")
                .help("free it behind its last use, with tfree")
        });
    }

    /// The set that a wait lacks: before the loop, where the loop sets the flag for its next iteration; before the wait, where nothing sets it.
    fn missing_set(&self, flag: Flag, wait: OpId) -> Option<Edit> {
        let text = format!("pto.set_flag [<{}>, <{}>, <EVENT_ID{}>]", flag.src, flag.dst, flag.id);
        let sets = self.uses_of(flag, op::set_flag)?;
        if sets.is_empty() {
            return Some(Edit::before(self.span(wait), text));
        }
        let around = self.text().loop_around(self.text().block_of(wait)?)?;
        let once = sets.iter().filter(|set| self.text().around(**set).contains(&around)).count();
        (sets.len() == 1 && once == 1).then(|| Edit::before(self.span(around), text))
    }

    /// The wait that a set lacks: behind the loop that waits for the set of the iteration before. A set that nothing waits for is left out.
    fn missing_wait(&self, flag: Flag, set: OpId) -> Option<Edit> {
        let waits = self.uses_of(flag, op::wait_flag)?;
        if waits.is_empty() {
            return Some(Edit::remove(self.span(set))).filter(|_| self.module.op(set).op == op::set_flag);
        }
        let around = self.text().loop_around(self.text().block_of(set)?)?;
        let inside = waits.iter().all(|wait| self.text().around(*wait).contains(&around));
        let text = format!("pto.wait_flag [<{}>, <{}>, <EVENT_ID{}>]", flag.src, flag.dst, flag.id);
        (waits.len() == 1 && inside).then(|| Edit::after(self.span(around), text))
    }

    /// Where the text sets a flag, or waits for it; nothing where ids are computed, or events may stand for it.
    fn uses_of(&self, flag: Flag, code: pto_isa::Op) -> Option<Vec<OpId>> {
        let (stated, kind) = (self.stated(), |id: &OpId| self.module.op(*id).op);
        let others = stated.uses(flag).iter().any(|id| !matches!(kind(id), op::set_flag | op::wait_flag));
        let found = || stated.uses(flag).iter().copied().filter(|id| kind(id) == code).collect();
        (!others && !stated.computes_ids).then(found)
    }

    // ---- flags of the text --------------------------------------------------------------------------------------------

    /// An id that a pair of pipes does not use yet.
    pub(super) fn free_id(&self, from: Pipe, to: Pipe) -> Option<u32> {
        self.stated().free_id(from, to, self.target.profile().event_ids)
    }

    /// True when the text has a wait for a flag, or one whose id is not fixed.
    fn waits_anywhere(&self, wanted: Flag) -> bool {
        let stated = self.stated();
        stated.computes_ids || stated.has(self.module, wanted, &[op::wait_flag, op::wait_event])
    }
}

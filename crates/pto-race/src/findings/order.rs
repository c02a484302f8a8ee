//! Unmatched flags, tokens, signals and FIFO entries.

use super::*;
use pto_isa::row::SyncOp;
use pto_isa::text;

impl Findings<'_> {
    pub fn set_twice(&mut self, flag: Flag, first: InstrSite, second: InstrSite) {
        self.note(codes::FLAG_TWICE, second.op, None, |all| {
            let message = text!("{flag_name} is set again before a wait has cleared it", flag_name = flag_name(flag));
            let d = Diagnostic::new(codes::FLAG_TWICE, all.span(second.op), message);
            let d = if first.op == second.op {
                d.remark(text!("set here, and again here in the next iteration"))
            } else {
                d.remark(text!("set again here")).label(all.span(first.op), text!("set here"))
            };
            let other = all.free_id(flag.src, flag.dst).map_or(String::new(), |id| text!(", {id} for example", id));
            let d = d.legal(text!("a flag is one token: between two sets there is a wait"));
            match all.wait_between(flag, first.op, second.op) {
                Some(repair) => repair.applied(d),
                None => d.help(format!(
                    "wait for it in between, with pto.wait_flag[<{}>, <{}>, <EVENT_ID{}>], or use another id{other}",
                    flag.src, flag.dst, flag.id
                )),
            }
        });
    }

    pub fn never_set(
        &mut self,
        flag: Flag,
        site: InstrSite,
        reversed: Option<InstrSite>,
        other: Option<(i64, InstrSite)>,
        stuck: &[(usize, &Queued)],
        since: u64,
    ) {
        if !self.stuck {
            self.stuck_since(since);
        }
        self.note(codes::FLAG_UNSET, site.op, None, |all| {
            let message = text!("{dst} waits forever: {flag_name} is not set before this wait", dst = flag.dst, flag_name = flag_name(flag));
            let mut d = Diagnostic::new(codes::FLAG_UNSET, all.span(site.op), message)
                .remark(text!("{dst} stops here", dst = flag.dst));
            for (at, queued) in stuck {
                d = d.label(all.span(queued.site.op), text!("{pipe} is stopped here{waits_for}", pipe = pipe(*at), waits_for = waits_for(queued.step)));
            }
            let reversed = reversed.filter(|_| !all.waits_anywhere(Flag { src: flag.dst, dst: flag.src, id: flag.id }));
            let other = other.filter(|(id, _)| !all.waits_anywhere(Flag { id: *id, ..flag }));
            if let Some(set) = reversed {
                d = d.label(all.span(set.op), text!("this flag goes the other way, from {dst} to {src}", dst = flag.dst, src = flag.src));
            } else if let Some((id, set)) = other {
                d = d.label(all.span(set.op), text!("this sets id {id}, which nothing waits for", id));
            }
            let d = d.legal(text!("every wait needs a set that the other pipe can execute before this pipe continues"))
                .legal(text!("instructions after it were not checked"));
            match all.set_missing(flag, site.op) {
                Some(repair) => repair.applied(d),
                None => d.help(format!(
                    "set it before: pto.set_flag[<{}>, <{}>, <EVENT_ID{}>]; a flag that a loop waits for first is set once before the loop",
                    flag.src, flag.dst, flag.id
                )),
            }
        });
        self.stuck = true;
    }

    pub fn never_waited(&mut self, flag: Flag, site: InstrSite) {
        self.note(codes::FLAG_LEFT, site.op, None, |all| {
            let message = text!("{flag_name} is set, but nothing waits for it", flag_name = flag_name(flag));
            let d = Diagnostic::new(codes::FLAG_LEFT, all.span(site.op), message)
                .remark(text!("still set when the program ends"))
                .legal(text!("every set has one wait"));
            match all.wait_missing(flag, site.op) {
                Some(repair) => repair.applied(d),
                None => d.help(format!(
                    "wait for it before the program ends: pto.wait_flag[<{}>, <{}>, <EVENT_ID{}>], or leave the set out",
                    flag.src, flag.dst, flag.id
                )),
            }
        });
    }

    pub fn token_taken_twice(&mut self, id: i64, at: Pipe, first: InstrSite, second: InstrSite) {
        self.note(codes::TOKEN, second.op, Some(first.op), |all| {
            let message = text!("{at} acquires token {id}, which it already holds", at, id);
            let d = Diagnostic::new(codes::TOKEN, all.span(second.op), message)
                .label(all.span(first.op), text!("taken here"));
            match all.taken_once(id, at, first.op, second.op) {
                Some(repair) => repair.applied(d),
                None => d.help(text!("release it before, with pto.rls_buf")),
            }
        });
    }

    pub fn token_not_held(&mut self, id: i64, at: Pipe, holder: Option<(Pipe, InstrSite)>, site: InstrSite) {
        self.note(codes::TOKEN, site.op, holder.map(|(_, s)| s.op), |all| {
            let message = text!("{at} releases token {id}, which it does not hold", at, id);
            let d = Diagnostic::new(codes::TOKEN, all.span(site.op), message);
            let d = match holder {
                Some((pipe, taken)) => d.label(all.span(taken.op), text!("{pipe} took it here", pipe)),
                None => d,
            };
            match all.released_by_holder(id, at, holder.map(|(_, taken)| taken.op), site.op) {
                Some(repair) => repair.applied(d),
                None => d.help(text!("take it before, with pto.get_buf of the same pipe")),
            }
        });
    }

    /// A pipe waits for a token that is never released, since `when`.
    pub fn token_awaited(&mut self, id: i64, at: Pipe, holder: InstrSite, waiter: InstrSite, since: u64) {
        if !self.stuck {
            self.stuck_since(since);
        }
        self.token_never_released(id, at, holder, Some(waiter));
        self.stuck = true;
    }

    pub fn token_never_released(&mut self, id: i64, at: Pipe, holder: InstrSite, waiter: Option<InstrSite>) {
        self.note(codes::TOKEN, holder.op, waiter.map(|w| w.op), |all| {
            let message = text!("{at} acquires token {id} and never releases it", at, id);
            let d = Diagnostic::new(codes::TOKEN, all.span(holder.op), message);
            let d = match waiter {
                Some(w) => d.label(all.span(w.op), text!("waits for it forever")),
                None => d,
            };
            match all.release(id, at, holder.op) {
                Some(repair) => repair.applied(d),
                None => d.help(text!("release it after the last use of the buffer, with pto.rls_buf")),
            }
        });
    }

    pub fn signal_left(&mut self, id: i64, site: InstrSite) {
        self.note(codes::SIGNAL_LEFT, site.op, None, |all| {
            let message = text!("signal {id} is sent, but nothing waits for it", id);
            let d = Diagnostic::new(codes::SIGNAL_LEFT, all.span(site.op), message)
                .remark(text!("still pending when the program ends"));
            match all.signal_awaited(site.op) {
                Some(repair) => repair.applied(d),
                None => d.help(text!("wait for it on the core it goes to, with pto.sync.wait, or leave it out; ids on A5 from 16 on are those of the second vector core")),
            }
        });
    }

    pub fn reserved_signal(&mut self, id: i64, what: &str, site: InstrSite, is_reserved: impl Fn(i64) -> bool) {
        self.note(codes::SIGNAL_RESERVED, site.op, None, |all| {
            let message = text!("signal {id} is also used by {what}", id, what);
            let d = Diagnostic::new(codes::SIGNAL_RESERVED, all.span(site.op), message);
            match all.renumbered(id, is_reserved) {
                Some(repair) => repair.applied(d),
                None => d.help(text!("use a signal from 0 to 10 that no pipe uses")),
            }
        });
    }

    pub fn entries_left(&mut self, count: usize, site: InstrSite) {
        self.note(codes::PIPE_LEFT, site.op, None, |all| {
            let noun = if count == 1 { text!("an entry is") } else { text!("entries are") };
            let message = text!("{noun} pushed but never popped: {count} at the end of the program", noun, count);
            let d = Diagnostic::new(codes::PIPE_LEFT, all.span(site.op), message);
            match all.as_often_as_pushed(site.op) {
                Some(repair) => repair.applied(d),
                None => d.help(text!("pop as often as you push")),
            }
        });
    }

    pub fn never_freed(&mut self, site: InstrSite) {
        self.note(codes::PIPE_LEFT, site.op, Some(site.op), |all| {
            let message = text!("an entry is popped and its slot is never freed");
            let d = Diagnostic::new(codes::PIPE_LEFT, all.span(site.op), message);
            match all.freed(site.op) {
                Some(repair) => repair.applied(d),
                None => d.help(text!("free it after its last use, with tfree")),
            }
        });
    }

    // ---- flags of the text --------------------------------------------------------------------------------------------

    /// An id that a pair of pipes does not use.
    pub(super) fn free_id(&self, from: Pipe, to: Pipe) -> Option<u32> {
        self.stated().free_id(from, to, self.target.profile().event_ids)
    }

    /// True when the text has a wait for a flag, or one with a computed id.
    fn waits_anywhere(&self, wanted: Flag) -> bool {
        let stated = self.stated();
        stated.computed.contains(&(wanted.src, wanted.dst))
            || stated.uses(wanted).iter().any(|id| matches!(self.module.sync(*id), Some(SyncOp::WaitFlag(_))))
    }
}

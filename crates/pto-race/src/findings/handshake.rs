//! Words by which one rank signals another: new memory for them, a notification after the first access, and a wait before the second.
//!
//! Every sender has its own word on each receiver and sets it to the iteration number, counted from one. So a rank that runs ahead is not
//! taken for another, and iterations in which both ranks do nothing do not count.

use super::fixes::{BARRIER_ALL, Repair};
use super::text::StatementPair;
use super::*;
use pto_ir::BlockId;
use pto_isa::row::{CommOp, Control};
use pto_isa::text;
use pto_isa::{ScalarType, Type};
use std::cell::Cell;

/// The sending rank, the receiving rank, and whether the message is for the same iteration or the next.
#[derive(Clone, Copy)]
struct RankMessage {
    from: u32,
    to: u32,
    same_iteration: bool,
}

/// The two statements and the loops around each, outermost first.
struct MessageEnds {
    first: OpId,
    second: OpId,
    first_loops: Vec<OpId>,
    second_loops: Vec<OpId>,
}

/// Names that a fix uses.
struct FixNames<'f, 'm> {
    all: &'f Findings<'m>,
    signals: String,
    rank: String,
    rank_type: String,
    senders: Vec<u32>,
    count: Cell<usize>,
}

const WORD: &str = "!pto.tensor_view<1xi32>";

impl<'m> Findings<'m> {
    /// The edits by which each rank of a pair signals the other, if both execute equally often.
    pub(super) fn tell_ranks(
        &self,
        code: Code,
        conflict: &Conflict,
        pairs: &OrdSet<(u32, u32)>,
        background: bool,
    ) -> Option<Repair> {
        let (a, b) = (conflict.other.op, conflict.site.op);
        let pair = self.text().pair(a, b)?;
        let ends = self.told_ends(&pair)?;
        let messages = self.messages(code, &pair, &ends, pairs);
        let mut edits = Vec::new();
        if background {
            edits.extend(self.await_event(a, None).filter(|_| ends.first == a)?);
        }
        let (words, parameters) = self.words(ends.first, &messages)?;
        edits.push(parameters);
        let first = self.text().written_back(ends.first);
        let (first, second) = (self.text().span(first), self.text().span(ends.second));
        edits.push(Edit::after(first, BARRIER_ALL));
        edits.extend(words.notify(&messages, &ends.first_loops)?.into_iter().map(|text| Edit::after(first, text)));
        edits.extend(words.wait(&messages, &ends.second_loops)?.into_iter().map(|text| Edit::before(second, text)));
        let name = &words.signals;
        let help =
            text!("`%{name}` is zero at the start, a word for each sender; `%{name}_at_1` is that of rank 1", name);
        Some(Repair::new("").help(help).edits(edits))
    }

    /// The innermost statements that both sides execute equally often.
    fn told_ends(&self, pair: &StatementPair) -> Option<MessageEnds> {
        let text = self.text();
        let mut loops = self.counted_loops(pair.block)?;
        loops.reverse();
        let (first_loops, second_loops) = (loops.clone(), loops);
        let (a, b) = pair.ends();
        if a != b || pair.first.len() == 1 {
            return Some(MessageEnds { first: a, second: b, first_loops, second_loops });
        }
        let mut ends = MessageEnds { first: a, second: b, first_loops, second_loops };
        // Two sides of a branch.
        for (a, b) in pair.first.iter().zip(&pair.second).skip(1) {
            (ends.first, ends.second) = (*a, *b);
            if !text.same_loops(*a, *b)
                || [a, b].iter().any(|x| pair.first.last() == Some(x) || pair.second.last() == Some(x))
            {
                return Some(ends);
            }
            ends.first_loops.push(*a);
            ends.second_loops.push(*b);
        }
        None
    }

    /// The loops around a block, innermost first; `None` if one has no counter, or if the function is called by others.
    fn counted_loops(&self, block: BlockId) -> Option<Vec<OpId>> {
        let text = self.text();
        let mut at = text.owner(block);
        let mut loops = Vec::new();
        while let Some(id) = at {
            match self.module.control(id) {
                Some(Control::Function) => return text.is_entry(id).then_some(loops),
                Some(Control::While) => return None,
                Some(Control::For) => loops.push(id),
                _ => {}
            }
            at = text.parent(id);
        }
        None
    }

    fn messages(
        &self,
        code: Code,
        pair: &StatementPair,
        ends: &MessageEnds,
        pairs: &OrdSet<(u32, u32)>,
    ) -> Vec<RankMessage> {
        let looped = !ends.second_loops.is_empty();
        if ends.first == ends.second {
            // In a ring: each waits for the one before, the first for the last.
            let ranks: OrdSet<u32> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
            let ranks: Vec<u32> = ranks.into_iter().collect();
            let chain = ranks.windows(2).map(|w| RankMessage { from: w[0], to: w[1], same_iteration: true });
            let back = RankMessage { from: ranks[ranks.len() - 1], to: ranks[0], same_iteration: false };
            return chain.chain(Some(back).filter(|_| looped)).collect();
        }
        let same_iteration = !looped || self.in_one_iteration(code, pair, ends, pairs);
        pairs.iter().map(|(from, to)| RankMessage { from: *from, to: *to, same_iteration }).collect()
    }

    /// True when the second access comes after the first of the same iteration, not of the previous one.
    fn in_one_iteration(
        &self,
        code: Code,
        pair: &StatementPair,
        ends: &MessageEnds,
        pairs: &OrdSet<(u32, u32)>,
    ) -> bool {
        let text = self.text();
        let (a, b) = pair.ends();
        if a != b {
            let circle = pairs.iter().any(|(x, y)| pairs.contains(&(*y, *x)));
            return text.position(a) < text.position(b) || code == codes::RACE_READ && !circle;
        }
        // A rank that has not been signalled in this iteration reaches its access first.
        let told = self.count_before(ends.second, CommOp::Notify);
        code != codes::RACE_OVERWRITE || told >= self.count_before(ends.first, CommOp::Wait).max(1)
    }

    fn count_before(&self, id: OpId, is: CommOp) -> usize {
        let Some(block) = self.text().block_of(id) else { return 0 };
        let before = &self.module.block(block).ops[..self.text().position(id)];
        before.iter().filter(|at| self.module.comm(**at) == Some(is)).count()
    }

    /// The names that a fix uses, and the parameters that it adds.
    fn words(&self, at: OpId, messages: &[RankMessage]) -> Option<(FixNames<'_, 'm>, Edit)> {
        let function = self.text().function(at)?;
        let body = self.module.region(*self.module.op_regions(function).first()?).blocks.first().copied()?;
        let args = &self.module.block(body).args;
        let first = self.module.value(*args.first()?).span;
        let signals = self.fresh_name("signals");
        let told: OrdSet<u32> = messages.iter().map(|m| m.to).collect();
        let mut text = format!("%{signals}: !pto.ptr<i32>, ");
        text.extend(told.iter().map(|to| format!("%{signals}_at_{to}: !pto.ptr<i32>, ")));
        let rank = args.iter().find(|arg| self.module.value_name(**arg) == "rank");
        let rank_type = match rank.map(|arg| self.module.value_type(*arg)) {
            Some(Type::Scalar(ScalarType::Index)) => "index".to_string(),
            Some(Type::Scalar(ScalarType::Elem(ty))) => ty.to_string(),
            Some(_) => return None,
            None if self.fresh_name("rank") != "rank" => return None,
            None => {
                text.insert_str(0, "%rank: index, ");
                "index".to_string()
            }
        };
        let senders: OrdSet<u32> = messages.iter().map(|m| m.from).collect();
        let senders = senders.into_iter().collect();
        let words = FixNames { all: self, signals, rank: "rank".to_string(), rank_type, senders, count: Cell::new(0) };
        Some((words, Edit::parameter(first, text)))
    }
}

impl FixNames<'_, '_> {
    fn name(&self, wanted: &str) -> String {
        self.count.set(self.count.get() + 1);
        self.all.fresh_name(&format!("{wanted}_{}", self.count.get()))
    }

    fn notify(&self, messages: &[RankMessage], loops: &[OpId]) -> Option<Vec<String>> {
        self.for_each_rank(
            messages,
            loops,
            |m| m.from,
            |lines, message, value| {
                let word = self.word(lines, &format!("{}_at_{}", self.signals, message.to), message.from);
                lines.push(format!(
                    "pto.comm.tnotify(%{word}, %{value} : {WORD}, i32) {{notifyOp = #pto<notify_op set>}}"
                ));
            },
            false,
        )
    }

    fn wait(&self, messages: &[RankMessage], loops: &[OpId]) -> Option<Vec<String>> {
        self.for_each_rank(
            messages,
            loops,
            |m| m.to,
            |lines, message, value| {
                let word = self.word(lines, &self.signals, message.from);
                lines.push(format!("pto.comm.twait(%{word}, %{value} : {WORD}, i32) {{cmp = #pto<wait_cmp ge>}}"));
            },
            true,
        )
    }

    /// The statements of each rank, in its own branch.
    fn for_each_rank(
        &self,
        messages: &[RankMessage],
        loops: &[OpId],
        side: impl Fn(&RankMessage) -> u32,
        each: impl Fn(&mut Vec<String>, &RankMessage, &str),
        waits: bool,
    ) -> Option<Vec<String>> {
        let mut lines = Vec::new();
        let ranks: OrdSet<u32> = messages.iter().map(&side).collect();
        for rank in ranks {
            let [number, here] = ["rank_number", "is_rank"].map(|n| self.name(n));
            let ty = &self.rank_type;
            lines.push(format!("%{number} = arith.constant {rank} : {ty}"));
            lines.push(format!("%{here} = arith.cmpi eq, %{rank}, %{number} : {ty}", rank = self.rank));
            lines.push(format!("scf.if %{here} {{"));
            for message in messages.iter().filter(|m| side(m) == rank) {
                let value = self.iteration(&mut lines, loops, message.same_iteration || !waits)?;
                each(&mut lines, message, &value);
            }
            lines.push("}".to_string());
        }
        Some(lines)
    }

    /// The view of the word of a sender.
    fn word(&self, lines: &mut Vec<String>, pointer: &str, sender: u32) -> String {
        let at = self.senders.iter().position(|s| *s == sender).unwrap_or(0);
        let [one, word] = ["one", "word"].map(|n| self.name(n));
        lines.push(format!("%{one} = arith.constant 1 : index"));
        let mut pointer = pointer.to_string();
        if at > 0 {
            let [offset, moved] = ["word_number", "word_at"].map(|n| self.name(n));
            lines.push(format!("%{offset} = arith.constant {at} : index"));
            lines.push(format!("%{moved} = pto.addptr %{pointer}, %{offset} : !pto.ptr<i32> -> !pto.ptr<i32>"));
            pointer = moved;
        }
        lines.push(format!("%{word} = pto.make_tensor_view %{pointer}, shape = [%{one}], strides = [%{one}] : {WORD}"));
        word
    }

    /// The number of this iteration over all loops, counted from one, or of the previous one.
    fn iteration(&self, lines: &mut Vec<String>, loops: &[OpId], this: bool) -> Option<String> {
        let value = self.name("iteration");
        if loops.is_empty() {
            lines.push(format!("%{value} = arith.constant 1 : i32"));
            return Some(value);
        }
        let mut line = |wanted: &str, text: String| {
            let name = self.name(wanted);
            lines.push(format!("%{name} = {text} : index"));
            name
        };
        let mut all: Option<String> = None;
        for id in loops {
            let [counter, from, to, step] = self.all.loop_names(*id)?;
            let passed = line("passed", format!("arith.subi %{counter}, %{from}"));
            let own = line("iteration", format!("arith.divsi %{passed}, %{step}"));
            all = Some(match all {
                None => own,
                Some(outer) => {
                    let length = line("length", format!("arith.subi %{to}, %{from}"));
                    let iterations = line("iterations", format!("arith.ceildivsi %{length}, %{step}"));
                    let before = line("before", format!("arith.muli %{outer}, %{iterations}"));
                    line("iteration", format!("arith.addi %{before}, %{own}"))
                }
            });
        }
        let mut all = all?;
        if this {
            let one = line("one", "arith.constant 1".to_string());
            all = line("iteration", format!("arith.addi %{all}, %{one}"));
        }
        lines.push(format!("%{value} = arith.index_cast %{all} : index to i32"));
        Some(value)
    }
}

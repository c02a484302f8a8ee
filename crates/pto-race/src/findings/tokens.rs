//! Edits that let the pipe that acquires a buffer token release it once.

use super::fixes::Repair;
use super::*;
use pto_ir::Attr;
use pto_isa::row::{FlagForm, SyncOp};
use pto_isa::text;

/// Tokens with a constant id.
const TAKE: SyncOp = SyncOp::Acquire(FlagForm::Fixed);
const GIVE: SyncOp = SyncOp::Release(FlagForm::Fixed);

impl Findings<'_> {
    /// True for a statement that acquires or releases a token; with a pipe, only for that pipe.
    fn is_token(&self, id: OpId, is: SyncOp, token: i64, pipe: Option<Pipe>) -> bool {
        let own = || pto_check::pipe_of(self.module, id, self.target);
        self.module.sync(id) == Some(is)
            && self.module.attr(id, "buf_id").and_then(Attr::int) == Some(token)
            && pipe.is_none_or(|p| own() == Some(p))
    }

    /// The statements of a block after one.
    pub(super) fn rest_of_block(&self, id: OpId) -> &[OpId] {
        let block = self.text().block_of(id);
        block.map_or(&[], |block| &self.module.block(block).ops[self.text().position(id) + 1..])
    }

    /// The fix for a token that a pipe does not release: release it after its last work before the next acquire.
    pub(super) fn release(&self, token: i64, at: Pipe, taken: OpId) -> Option<Repair> {
        let text = self.token_text(taken, false)?;
        let rest = self.rest_of_block(taken);
        let takes = |id: &OpId| self.is_token(*id, TAKE, token, None);
        let own = &rest[..rest.iter().position(takes).unwrap_or(rest.len())];
        if let Some(other) = own.iter().find(|id| self.is_token(**id, GIVE, token, None)) {
            let help = text!("the pipe that acquires a token must release it");
            return Some(Repair::new("").help(help).edits(self.replaced(*other, text).into()));
        }
        let mut edits = Vec::new();
        let mut last = own.iter().rev().copied().find(|id| self.works_on(*id, at)).unwrap_or(taken);
        // A release moves out of branches and loops.
        for statement in own {
            let mut inner = None;
            self.module.walk_inside(*statement, &mut |id| {
                inner = inner.or(Some(id).filter(|id| self.is_token(*id, GIVE, token, Some(at))));
            });
            if let Some(inner) = inner {
                edits.push(Edit::remove(self.span(inner)));
                last = if self.text().position(last) < self.text().position(*statement) { *statement } else { last };
            }
        }
        edits.push(Edit::after(self.span(last), text));
        Some(Repair::new("").help(text!("after the last use of the buffer")).edits(edits))
    }

    /// The fix for a token that a pipe acquires twice: acquire it once for all the work before the release.
    pub(super) fn taken_once(&self, token: i64, at: Pipe, first: OpId, second: OpId) -> Option<Repair> {
        let same_block = self.text().block_of(first) == self.text().block_of(second);
        if first == second || !same_block {
            let outside = || self.taken_outside(token, at, second).filter(|_| first == second);
            return outside().or_else(|| self.release(token, at, first));
        }
        self.token_text(second, true)?;
        let rest = self.rest_of_block(second);
        let next = rest.iter().position(|id| self.is_token(*id, TAKE, token, None)).unwrap_or(rest.len());
        let releases = rest[..next].iter().filter(|id| self.is_token(**id, GIVE, token, Some(at)));
        let releases: Vec<OpId> = releases.copied().collect();
        let surplus = releases.iter().take(releases.len().saturating_sub(1));
        let edits = std::iter::once(&second).chain(surplus).map(|id| Edit::remove(self.span(*id))).collect();
        Some(
            Repair::new("")
                .help(text!("take it once for both; or release it in between, with pto.rls_buf"))
                .edits(edits),
        )
    }

    /// A loop acquires what is released after it: acquire it once before the loop.
    fn taken_outside(&self, token: i64, at: Pipe, taken: OpId) -> Option<Repair> {
        let is_release = |id: &&OpId| self.is_token(**id, GIVE, token, Some(at));
        if self.rest_of_block(taken).iter().any(|id| is_release(&id)) {
            return None;
        }
        let behind = self.text().behind(taken);
        let release = behind.iter().find(is_release)?;
        let block = self.text().block_of(*release);
        let before = self.text().around(taken).into_iter().find(|id| self.text().block_of(*id) == block)?;
        let edits =
            vec![Edit::before(self.span(before), self.token_text(taken, true)?), Edit::remove(self.span(taken))];
        Some(Repair::new("").help(text!("take it once for all iterations; or release it in each")).edits(edits))
    }

    /// The fix for a release by a pipe that does not hold the token.
    pub(super) fn released_by_holder(&self, token: i64, at: Pipe, holder: Option<OpId>, site: OpId) -> Option<Repair> {
        if let Some(taken) = holder {
            let text = self.token_text(taken, false)?;
            let help = text!(
                "the pipe that acquires a token must release it; or take it for this pipe before, with pto.get_buf"
            );
            return Some(Repair::new("").help(help).edits(self.replaced(site, text).into()));
        }
        let text = self.token_text(site, true)?;
        let taken = self.text().ahead(site).into_iter().find(|id| self.is_token(*id, TAKE, token, Some(at)));
        let outer = taken.map(|id| self.text().block_of(id)).filter(|block| *block != self.text().block_of(site));
        let around =
            outer.and_then(|block| self.text().around(site).into_iter().find(|id| self.text().block_of(*id) == block));
        if let Some(around) = around {
            let text = self.token_text(site, false)?;
            let edits = vec![Edit::remove(self.span(site)), Edit::after(self.span(around), text)];
            return Some(Repair::new("").help(text!("release it once, as it is taken")).edits(edits));
        }
        let block = self.text().block_of(site)?;
        let ahead = &self.module.block(block).ops[..self.text().position(site)];
        let is_use = |id: &OpId| [TAKE, GIVE].iter().any(|k| self.is_token(*id, *k, token, None));
        let since = &ahead[ahead.iter().rposition(is_use).map_or(0, |at| at + 1)..];
        Some(match since.iter().find(|id| self.works_on(**id, at)) {
            Some(first) => Repair::new("")
                .help(text!("before the first use of the buffer"))
                .edits(vec![Edit::before(self.span(*first), text)]),
            None => {
                Repair::new("").help(text!("it has been released before")).edits(vec![Edit::remove(self.span(site))])
            }
        })
    }
}

//! Fixes of a problem: those that it comes with, and those that its kind suggests.

use crate::edits::{Replacement, of_fix};
use crate::scope::visible;
use crate::{ActionKind, Document, OfferedAction};
use pto::ir::print::type_text;
use pto::isa::row::Control;
use pto::isa::{Code, Op, Span, codes, table, text};
use pto::{Diagnostic, Target};

/// Problems that another target may not have.
const OF_THE_TARGET: [Code; 3] = [codes::NOT_ON_TARGET, codes::ELEM_TYPE, codes::NO_SPACE];

impl Document {
    /// Every change that is known to fix a problem, the likeliest first.
    pub(crate) fn fixes(&self, problem: &Diagnostic) -> Vec<OfferedAction> {
        let fix = |title: String, edits| {
            let fixes = Some(problem.clone());
            OfferedAction { title, kind: ActionKind::Fix, fixes, edits, target: None }
        };
        let mut found = Vec::new();
        if !problem.edits.is_empty() {
            let id = problem.code.id();
            let title = problem.help.clone().unwrap_or_else(|| text!("apply the fix of {id}", id));
            found.push(fix(title, of_fix(self.text(), &problem.edits)));
        }
        let replaced = self.meant(problem).into_iter().chain(self.stated_type(problem));
        for (span, name) in replaced {
            found.push(fix(text!("write `{name}`", name), vec![Replacement::new(span, name)]));
        }
        if let Some((name, edit)) = self.terminator(problem) {
            found.push(fix(text!("end the block with `{name}`", name), vec![edit]));
        }
        found.extend(self.type_fixes(problem).into_iter().map(|(title, edits)| fix(title, edits)));
        for target in self.other_targets(problem) {
            let title = text!("check for {target}", target);
            found.push(OfferedAction { target: Some(target), ..fix(title, Vec::new()) });
        }
        found
    }

    /// The names that a misspelled one may stand for.
    fn meant(&self, problem: &Diagnostic) -> Vec<(Span, String)> {
        let span = problem.primary.span;
        let written = self.slice(span);
        let names = match problem.code {
            codes::UNKNOWN_OP => {
                let prefix = if written.starts_with("pto.") { "pto." } else { "" };
                table::similar(written).into_iter().map(|name| format!("{prefix}{name}")).collect()
            }
            codes::UNDEFINED => self.similar_values(written, span.start),
            codes::UNKNOWN_ATTRIBUTE => return self.similar_attribute(problem).into_iter().collect(),
            _ => Vec::new(),
        };
        names.into_iter().map(|name| (span, name)).collect()
    }

    fn similar_values(&self, written: &str, at: u32) -> Vec<String> {
        let module = self.module();
        let name = written.trim_start_matches('%');
        let most = 1 + name.len() / 3;
        let names = visible(self, at).into_iter().map(|v| module.value_name(v)).filter(|n| !n.is_empty());
        let near = names.map(|n| (table::distance(name, n), n)).filter(|(d, _)| (1..=most).contains(d));
        let mut near: Vec<(usize, &str)> = near.collect();
        near.sort_unstable();
        near.dedup();
        near.into_iter().take(3).map(|(_, n)| format!("%{n}")).collect()
    }

    /// The attribute of the row that a name in the statement is close to.
    fn similar_attribute(&self, problem: &Diagnostic) -> Option<(Span, String)> {
        let id = self.index().operation(problem.primary.span.start)?;
        let op = self.module().op(id);
        let known = |name: &str| op.op.row().attr(name).is_some();
        let tokens = self.index().tokens_in(op.span);
        let names = tokens.windows(2).filter(|pair| self.slice(pair[1].span) == "=").map(|pair| pair[0].span);
        let wrong = names.map(|span| (span, self.slice(span))).filter(|(_, name)| !known(name));
        let lower = |text: &str| text.to_ascii_lowercase();
        let near = wrong.flat_map(|(span, name)| op.op.row().attrs.iter().map(move |spec| (span, name, spec.name)));
        let near = near.map(|(span, name, other)| (table::distance(&lower(name), &lower(other)), span, other));
        let (_, span, name) = near.filter(|(distance, ..)| *distance <= 2).min_by_key(|(distance, ..)| *distance)?;
        Some((span, name.to_string()))
    }

    /// The type of the definition, for a use that states another one.
    fn stated_type(&self, problem: &Diagnostic) -> Option<(Span, String)> {
        let definition = problem.labels.first().filter(|_| problem.code == codes::TYPE_DISAGREES)?.span;
        let token = self.index().token_at(definition.start)?;
        let module = self.module();
        let value = self.index().value(module, self.text(), token)?;
        Some((problem.primary.span, type_text(module.value_type(value), module.type_votes.usual())))
    }

    /// What ends a block that has no end, and where.
    fn terminator(&self, problem: &Diagnostic) -> Option<(String, Replacement)> {
        let owner = problem.labels.first().filter(|_| problem.code == codes::NO_TERMINATOR)?.span;
        let module = self.module();
        let owner = module.order().into_iter().find(|id| module.op(*id).span.start == owner.start)?;
        let ending = if module.control(owner) == Some(Control::Function) { Control::Return } else { Control::Yield };
        let name = Op::of(ending).row().forms().into_iter().next()?;
        let end = problem.primary.span.start;
        let before = self.text().get(..end as usize)?;
        let line = &before[before.rfind('\n').map_or(0, |n| n + 1)..];
        let at = Span::new(end - line.len() as u32, end);
        let new = match line.trim().is_empty() {
            true => format!("{line}  {name}\n{line}"),
            false => format!("{} {name} ", line.trim_end()),
        };
        Some((name, Replacement::new(at, new)))
    }

    /// Other targets for which the text does not have the problem.
    fn other_targets(&self, problem: &Diagnostic) -> Vec<Target> {
        if !OF_THE_TARGET.contains(&problem.code) {
            return Vec::new();
        }
        let same = |d: &Diagnostic| d.code == problem.code && d.primary.span == problem.primary.span;
        let others = Target::ALL.into_iter().filter(|t| *t != self.target() && *t != Target::Cpu);
        others.filter(|t| !self.program().inspect(*t).iter().any(same)).collect()
    }
}

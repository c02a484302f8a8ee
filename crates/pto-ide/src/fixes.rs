//! Fixes of a problem: those that it comes with, and those that its kind suggests.
//!
//! A kind of problem has a list of changes that may help, from the likeliest to the last resort: the code that the help names, similar
//! words, types and tiles that are legal. Each is tried, and offered if it leaves fewer problems.

mod copies;
mod extents;
mod faults;
mod focus;
mod numbers;
mod statements;
mod tiles;
mod trial;
mod values;
mod words;

use crate::edits::{Replacement, line_edits, of_fix};
use crate::scope::visible;
use crate::{ActionKind, Document, OfferedAction};
use focus::TrialText;
use pto::ir::print::type_text;
use pto::isa::row::Control;
use pto::isa::sort::SharedSort;
use pto::isa::{Code, Op, Span, codes, table, text};
use pto::{Diagnostic, Target};
use trial::OfferedFix;
pub(crate) use trial::TrialShare;

/// Problems that another target may not have.
const OF_THE_TARGET: [Code; 4] = [codes::NOT_ON_TARGET, codes::ELEM_TYPE, codes::NO_SPACE, codes::DEVICE_FAULT];

impl Document {
    /// Every change that is known to fix a problem, the likeliest first.
    pub(crate) fn fixes(&self, problem: &Diagnostic, share: TrialShare) -> Vec<OfferedAction> {
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
        let trial = TrialText::new(self, problem);
        let tested = trial.document(self);
        let last_resort = || self.without_statement(problem);
        let tried = tested.tried(problem, share.trials(trial.bytes()), self.suggested(problem), last_resort);
        found.extend(tried.into_iter().map(|candidate| fix(candidate.title, candidate.edits)));
        for target in tested.other_targets(problem) {
            let title = text!("check for {target}", target);
            found.push(OfferedAction { target: Some(target), ..fix(title, Vec::new()) });
        }
        found
    }

    /// The changes that may fix a problem, the likeliest first. A list is computed when those before it did not help.
    fn suggested(&self, problem: &Diagnostic) -> impl Iterator<Item = OfferedFix> {
        type Suggest = for<'d> fn(&'d Document, &Diagnostic) -> Vec<OfferedFix>;
        let by_kind: &[Suggest] = match problem.code {
            codes::BAD_CHARACTER => &[Document::without_character, Document::expected],
            codes::UNTERMINATED => &[Document::closed_text],
            codes::SYNTAX => &[Document::expected],
            codes::UNCLOSED => &[Document::closed],
            codes::UNDEFINED => &[Document::completed, Document::defined],
            codes::STEP => &[Document::completed],
            codes::TYPE_DISAGREES => &[Document::all_restated],
            codes::CALL => &[Document::other_call],
            codes::RESULT_TYPES => &[Document::other_values, Document::retyped],
            codes::BRANCH => &[Document::completed, Document::other_values, Document::one_default],
            codes::FIFO_SETUP => &[Document::retyped, Document::other_id],
            codes::PARTS => &[Document::with_regions],
            codes::UNKNOWN_TYPE | codes::NOT_INFERRED => &[Document::completed, Document::other_types],
            codes::BAD_ATTRIBUTE => &[Document::legal_words, Document::completed, Document::attribute_values],
            codes::BAD_TYPE => {
                &[Document::legal_words, Document::numbers, Document::without_element, Document::missing_key]
            }
            codes::REDEFINED | codes::DUPLICATE_SYMBOL => &[Document::renamed],
            codes::RESULT_COUNT => &[Document::named_results],
            codes::DUPLICATE_ATTRIBUTE => &[Document::without_element],
            codes::NUMBER_RANGE => &[
                Document::helped_numbers,
                Document::longer_integer,
                Document::nearest_number,
                Document::smaller_extents,
            ],
            codes::BAD_ALIAS => &[Document::without_line],
            codes::OPERAND_COUNT => &[Document::filled_operands, Document::other_operands],
            codes::OPERAND_KIND => &[Document::other_operation, Document::completed],
            codes::COMBINATION => &[Document::without_named, Document::retyped],
            codes::UNKNOWN_ATTRIBUTE => &[Document::without_attribute],
            codes::MISSING_ATTRIBUTE => &[Document::with_attribute],
            codes::ATTRIBUTE_VALUE | codes::FLAG_PIPES | codes::BARRIER_PIPE => {
                &[Document::legal_words, Document::numbers, Document::completed, Document::constant_value]
            }
            codes::EVENT_ID | codes::BUFFER_ID | codes::SIGNAL => &[Document::numbers],
            codes::STRUCT => &[Document::numbers, Document::other_fields],
            codes::ELEM_TYPE | codes::ELEM_MISMATCH => &[Document::conversions, Document::retyped],
            codes::ELEM_COMBINATION => {
                &[Document::other_operation, Document::operand_for_result, Document::conversions, Document::retyped]
            }
            codes::UNPRINTABLE => &[Document::retyped, Document::without_line],
            codes::SCRATCH => &[Document::with_scratch],
            codes::ALIASING | codes::SCRATCH_OVERLAP | codes::PARTIAL_OVERLAP => {
                &[Document::apart, Document::other_addresses]
            }
            codes::DESTROYED => &[Document::copied_first, Document::with_scratch],
            codes::DEVICE_FAULT => &[
                Document::with_scratch,
                Document::apart,
                Document::same_memory,
                Document::other_window,
                Document::open_columns,
                Document::wider_operands,
                Document::spread_scalar,
                Document::reshaped,
                Document::retyped,
                Document::window_from_start,
            ],
            codes::HIDDEN_MEMORY => &[Document::with_scratch, Document::other_addresses],
            codes::NOT_HERE => &[Document::other_end],
            codes::DOMINANCE | codes::FIFO_ENTRY => &[Document::moved],
            codes::MISALIGNED => &[Document::numbers, Document::other_addresses],
            codes::OUT_OF_MEMORY => &[Document::other_addresses, Document::lower_address, Document::smaller_extents],
            codes::MIXED_ADDRESSES => &[Document::other_addresses],
            codes::VIEW_SHAPE => &[Document::other_entries],
            codes::SHAPE => &[Document::legal_list, Document::retyped],
            codes::LAYOUT => &[Document::retyped, Document::other_strides, Document::other_window],
            codes::VALID_REGION => &[Document::retyped, Document::other_regions],
            codes::BOUNDS => &[Document::retyped, Document::inner_window],
            codes::VALID_OPERANDS => &[Document::without_operands, Document::retyped],
            codes::NO_TERMINATOR => &[Document::with_end],
            _ => &[Document::retyped],
        };
        let first: Suggest = Document::spelled;
        let last: Suggest = Document::helped_code;
        let all = std::iter::once(first).chain(by_kind.iter().copied()).chain([last]);
        all.flat_map(move |suggest| suggest(self, problem))
    }

    /// Similar names, and the type of the definition.
    fn spelled(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let replaced = self.meant(problem).into_iter().chain(self.stated_type(problem));
        replaced.map(|(span, name)| words::written(span, name)).collect()
    }

    /// The types of the definitions at all uses that state others.
    fn all_restated(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let trial = TrialText::new(self, problem);
        let document = trial.document(self);
        let edits = document.with_types_restated(false).map(|restated| line_edits(document.text(), restated.text()));
        let title = text!("write the types of the definitions");
        edits.map(|edits| OfferedFix::new(title, edits)).into_iter().collect()
    }

    fn with_end(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let end = self.terminator(problem).into_iter();
        end.map(|(name, edit)| OfferedFix::new(text!("end the block with `{name}`", name), vec![edit])).collect()
    }

    /// The element of a list that a problem is about, left out.
    fn without_element(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let within = Span::new(span.start, self.line_of(span.start).end);
        let name = self.index().token_at(span.start).map(|token| self.slice(token.span)).unwrap_or_default();
        let before = self.index().first_token(within.start).checked_sub(2);
        let start = before.map_or(within.start, |n| self.index().tokens[n].span.start);
        self.left_out(Span::new(start, within.end), name)
    }

    /// The attributes that a message names, left out.
    fn without_attribute(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let line = self.line_of(problem.primary.span.start);
        words::quoted(&problem.message).skip(1).flat_map(|name| self.left_out(line, name)).collect()
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
        near.shared_sort();
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
        // What the device computes differently, another one may refuse.
        let is_as_bad = |d: &Diagnostic| d.code == problem.code || d.is_error() && !problem.is_error();
        let same = |d: &Diagnostic| is_as_bad(d) && d.primary.span == problem.primary.span;
        let others = Target::ALL.into_iter().filter(|t| *t != self.target() && *t != Target::Cpu);
        others.filter(|t| !self.program().inspect(*t).iter().any(same)).collect()
    }
}

//! Compares a run with arrays that were recorded elsewhere.

use super::compare::{Compared, Comparing, TypedNumber, root_mean_square};
use super::lines::LineErrors;
use super::operands::operands_of;
use super::outputs::FinalNumbers;
use super::report::{DiffCause, DiffReport, Divergence, DivergenceKind, OutputError};
use super::{DiffOptions, SHOWN};
use crate::moment::Deed;
use crate::player::Player;
use crate::recording::Recording;
use crate::writes::is_result;
use pto_cpu::{CoreId, ElementNumber};
use pto_ir::ValueId;
use pto_isa::sort::SharedSort;
use pto_isa::{Class, DType, text};

/// What an array should be equal to: `t`, `t@33` or `t@33[block=1,iteration=2]`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ArrayName {
    /// As it was written.
    pub text: String,
    /// A value or parameter, without `%`.
    pub name: String,
    /// The line whose result it is; otherwise what was written last.
    pub line: Option<u32>,
    /// The block, 0 if none is given.
    pub block: u32,
    /// The iterations of the innermost loops around the line; otherwise the last ones.
    pub iterations: Option<Vec<u32>>,
}

impl ArrayName {
    /// Reads a name.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || text!("`{text}` is not a name such as t, t@33 or t@33[iteration=2]", text);
        let (rest, conditions) = match text.split_once('[') {
            Some((rest, conditions)) => (rest, conditions.strip_suffix(']').ok_or_else(wrong)?),
            None => (text, ""),
        };
        let (name, line) = match rest.split_once('@') {
            Some((name, line)) => (name, Some(line.parse::<u32>().ok().filter(|l| *l > 0).ok_or_else(wrong)?)),
            None => (rest, None),
        };
        let name = name.trim().trim_start_matches('%').to_string();
        let mut found = Self { text: text.to_string(), name, line, block: 0, iterations: None };
        for condition in conditions.split(',').map(str::trim).filter(|c| !c.is_empty()) {
            let (what, number) = condition.split_once('=').ok_or_else(wrong)?;
            match what.trim() {
                "block" => found.block = number.trim().parse().map_err(|_| wrong())?,
                // Nested loops: the outermost first.
                "iteration" => {
                    let each = number.split('.').map(|n| n.trim().parse().map_err(|_| wrong()));
                    found.iterations = Some(each.collect::<Result<_, _>>()?);
                }
                _ => return Err(wrong()),
            }
        }
        if found.name.is_empty() { Err(wrong()) } else { Ok(found) }
    }
}

/// An array, and what should be equal to it.
#[derive(Clone, Debug)]
pub struct NamedArray {
    /// What should be equal to it.
    pub name: ArrayName,
    /// Its extents.
    pub shape: Vec<u64>,
    /// Its numbers, row by row.
    pub numbers: Vec<f64>,
}

/// Compares results of a run with arrays.
///
/// # Errors
/// A name that the run does not have, or an array of another shape, as a sentence.
pub fn against(
    recording: &Recording,
    arrays: &[NamedArray],
    options: &DiffOptions<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<DiffReport, String> {
    let mut against = Against {
        player: Player::new(recording),
        options,
        lines: LineErrors::default(),
        first: None,
        outputs: Vec::new(),
    };
    for (done, array) in arrays.iter().enumerate() {
        progress(done as u64, arrays.len() as u64);
        against.add(array)?;
    }
    progress(arrays.len() as u64, arrays.len() as u64);
    Ok(against.report())
}

struct Against<'x, 'r> {
    player: Player<'r>,
    options: &'x DiffOptions<'x>,
    lines: LineErrors,
    /// The first moment whose result differs.
    first: Option<(usize, Divergence)>,
    outputs: Vec<OutputError>,
}

/// A result of the run.
#[derive(Clone, Copy)]
struct NamedResult {
    core: CoreId,
    at: usize,
    access: usize,
    value: ValueId,
}

impl Against<'_, '_> {
    fn add(&mut self, array: &NamedArray) -> Result<(), String> {
        let recording = self.player.recording();
        let name = &array.name;
        let found = results_of(recording, name);
        if found.is_empty()
            && name.line.is_none()
            && let Some(buffer) = recording.buffer_named(&name.name)
        {
            return self.add_output(array, buffer);
        }
        let Some(last) = found.last() else { return Err(self.not_there(name)) };
        if name.iterations.is_none() && array.shape.len() == 3 && array.shape[0] == found.len() as u64 {
            let size = array.numbers.len() / found.len();
            for (result, numbers) in found.iter().zip(array.numbers.chunks(size.max(1))) {
                self.compare(*result, name, &array.shape[1..], numbers)?;
            }
            return Ok(());
        }
        self.compare(*last, name, &array.shape, &array.numbers)
    }

    /// Why there is no such result.
    fn not_there(&self, name: &ArrayName) -> String {
        let recording = self.player.recording();
        if let Err(unknown) = recording.find(&name.name) {
            let words = unknown.diagnostics().iter().flat_map(|d| [Some(d.message.clone()), d.help_text(|_| 0)]);
            return format!("`{}`: {}", name.text, words.flatten().collect::<Vec<_>>().join("; "));
        }
        let (array, value) = (&name.text, &name.name);
        let writes = results_of(recording, &ArrayName { line: None, iterations: None, ..name.clone() });
        let mut lines: Vec<u32> = writes.iter().map(|r| recording.moment(r.at).line).collect();
        lines.shared_sort();
        lines.dedup();
        if lines.is_empty() {
            return text!("`{array}`: nothing wrote `%{value}`", array, value);
        }
        let lines = lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        text!("`{array}`: there is no such execution; `%{value}` is written in lines {lines}", array, value, lines)
    }

    fn compare(&mut self, result: NamedResult, name: &ArrayName, shape: &[u64], numbers: &[f64]) -> Result<(), String> {
        let Some(held) = self.player.value(result.core, result.value, Some(result.at)) else {
            return Err(text!("`{array}`: what it held was not recorded", array = name.text));
        };
        let (rows, cols) = held.valid;
        let is_shape = match shape {
            [r, c] => (*r, *c) == (rows as u64, cols as u64),
            _ => (rows == 1 || cols == 1) && numbers.len() == rows * cols,
        };
        if !is_shape || numbers.len() != rows * cols {
            let found = shape.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
            return Err(text!(
                "`{array}` is {found}, and the valid region of `%{value}` is {rows}x{cols}",
                array = name.text,
                found,
                value = name.name,
                rows,
                cols
            ));
        }
        let pairs = (0..rows)
            .flat_map(|r| (0..cols).map(move |c| (r, c)))
            .zip(numbers)
            .filter_map(|((r, c), x)| Some(((r, c), expected(held.dtype, *x), TypedNumber::of(&held, r, c)?)));
        let mut compared = self.comparing(held.dtype, numbers).compare(pairs, (held.valid, held.valid));
        self.lines.add_one(self.player.recording(), (result.at, result.value), 0, &compared);
        if compared.errors.beyond > 0 && self.first.as_ref().is_none_or(|(at, _)| result.at < *at) {
            for element in &mut compared.errors.worst {
                let from = operands_of(&mut self.player, result.at, result.access, (element.row, element.col));
                element.operands = from.into_iter().map(|(_, operand)| operand).collect();
            }
            let instruction = self.player.recording().instruction_at(result.at);
            let names = [held.name.clone(), name.text.clone()];
            let divergence = divergence(compared, held.dtype, names, Some(instruction), DivergenceKind::Values);
            self.first = Some((result.at, divergence));
        }
        Ok(())
    }

    fn add_output(&mut self, array: &NamedArray, buffer: usize) -> Result<(), String> {
        let recording = self.player.recording();
        let Some((name, dtype)) = recording.buffer_name(buffer) else { return Err(self.not_there(&array.name)) };
        let held = FinalNumbers::of(&mut self.player, buffer, dtype);
        if held.len() != array.numbers.len() {
            let (count, found) = (held.len(), array.numbers.len());
            return Err(text!("`{name}` has {count} elements, and the array has {found}", name, count, found));
        }
        let pairs = held.iter().zip(&array.numbers).enumerate().map(|(at, (h, x))| ((0, at), expected(dtype, *x), h));
        let all = (1, held.len());
        let compared = self.comparing(dtype, &array.numbers).compare(pairs, (all, all));
        self.outputs.push(OutputError { name, buffers: [buffer, buffer], dtype, errors: compared.errors });
        Ok(())
    }

    fn comparing(&self, dtype: DType, numbers: &[f64]) -> Comparing {
        let size = root_mean_square(numbers.iter().copied());
        Comparing { exact: self.options.exact, allowed: self.options.allowed(dtype, size), shown: SHOWN }
    }

    fn report(self) -> DiffReport {
        let first = self.first.map(|(_, first)| first).or_else(|| {
            let output = self.outputs.iter().find(|o| o.errors.beyond > 0)?;
            let names = [output.name.clone(), output.name.clone()];
            let compared = Compared { errors: output.errors.clone(), valid: ((0, 0), (0, 0)) };
            Some(divergence(compared, output.dtype, names, None, DivergenceKind::Output))
        });
        DiffReport {
            first,
            lines: self.lines.list(),
            results: self.lines.results,
            elements: self.lines.elements,
            differing: self.lines.differing,
            unmatched: [Vec::new(), Vec::new()],
            outputs: self.outputs,
            is_array: true,
        }
    }
}

fn divergence(
    compared: Compared,
    dtype: DType,
    result: [String; 2],
    a: Option<super::InstructionAt>,
    kind: DivergenceKind,
) -> Divergence {
    Divergence { a, b: None, result, kind, dtype, errors: compared.errors, cause: DiffCause::Unknown }
}

/// A number of an array, as one of the type of a result.
fn expected(dtype: DType, x: f64) -> TypedNumber {
    let is_integer = dtype.class() != Class::Float && x.fract() == 0.0;
    let number = if is_integer { ElementNumber::Int(x as i128) } else { ElementNumber::Float(x as f32) };
    let raw = (dtype == DType::F32).then(|| u64::from((x as f32).to_bits()));
    TypedNumber { dtype, raw, number, double: x }
}

/// The results of a name in a run that fulfil its conditions, in order.
fn results_of(recording: &Recording, name: &ArrayName) -> Vec<NamedResult> {
    let module = recording.module();
    let mut found = Vec::new();
    let Some(core) = recording.cores().iter().filter(|c| c.block == name.block).find(|core| {
        let writes = |at: &u32| written(recording, *at as usize).any(|(_, v)| module.value_name(v) == name.name);
        recording.moments_of(**core).iter().any(writes)
    }) else {
        return found;
    };
    for at in recording.moments_of(*core).iter().map(|at| *at as usize) {
        let moment = recording.moment(at);
        let is_iteration = name.iterations.as_ref().is_none_or(|i| moment.iterations.ends_with(i));
        if name.line.is_some_and(|line| line != moment.line) || !is_iteration || moment.deed == Deed::Copy {
            continue;
        }
        let results = written(recording, at).filter(|(_, v)| module.value_name(*v) == name.name);
        found.extend(results.take(1).map(|(access, value)| NamedResult { core: *core, at, access, value }));
    }
    found
}

/// What a moment wrote.
fn written(recording: &Recording, at: usize) -> impl Iterator<Item = (usize, ValueId)> + '_ {
    let accesses = recording.moment(at).accesses.iter().enumerate();
    accesses.filter(|(_, a)| is_result(a)).filter_map(|(access, a)| Some((access, a.value?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_which_result() {
        let name = ArrayName::parse("%t@33[block=1, iteration=2.0]").expect("a name");
        assert_eq!((&*name.name, name.line, name.block, name.iterations), ("t", Some(33), 1, Some(vec![2, 0])));
        assert_eq!(ArrayName::parse("t").map(|n| (n.line, n.iterations)), Ok((None, None)));
        for wrong in ["", "t@", "t@x", "t@0", "t@3[", "t@3[iteration]", "t@3[core=1]", "@3"] {
            assert!(ArrayName::parse(wrong).is_err(), "{wrong}");
        }
    }
}

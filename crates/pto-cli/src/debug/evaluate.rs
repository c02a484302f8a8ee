//! What conditions say about the values of a moment.

use super::condition::{DebugExpr, ExprError, Oddity, PairOperator, ValuePart, ValueReduction};
use pto::isa::text;
use std::ops::Range;

/// Where the numbers come from.
pub(crate) trait ValueReader {
    /// The numbers of the valid region of a value; `None` if nothing is known of it yet.
    fn numbers(&mut self, part: &ValuePart) -> Result<Option<PartNumbers>, ExprError>;

    /// Whether something that the instruction touches has such a number.
    fn any(&mut self, oddity: Oddity) -> bool;
}

/// The numbers of a part of a value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PartNumbers {
    /// The valid region of the whole value.
    pub(crate) valid: (usize, usize),
    pub(crate) numbers: Vec<f64>,
}

/// What an expression gives.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum DebugValue {
    Number(f64),
    Truth(bool),
}

impl std::fmt::Display for DebugValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(x) if x.is_nan() => f.write_str("nan"),
            Self::Number(x) if *x != 0.0 && x.is_finite() && (x.abs() >= 1e15 || x.abs() < 1e-4) => write!(f, "{x:e}"),
            Self::Number(x) => write!(f, "{x}"),
            Self::Truth(truth) => write!(f, "{truth}"),
        }
    }
}

/// Why there is no result.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum EvalStop {
    /// A value has no content yet.
    Unknown(String),
    Wrong(ExprError),
}

impl From<ExprError> for EvalStop {
    fn from(error: ExprError) -> Self {
        Self::Wrong(error)
    }
}

/// Computes an expression.
pub(crate) fn evaluate(expr: &DebugExpr, reader: &mut dyn ValueReader) -> Result<DebugValue, EvalStop> {
    Ok(match expr {
        DebugExpr::Number(number) => DebugValue::Number(*number),
        DebugExpr::Part(part) => DebugValue::Number(single(part, reader)?),
        DebugExpr::Reduced(reduction, part) => reduced(*reduction, part, &known(part, reader)?),
        DebugExpr::Any(oddity) => DebugValue::Truth(reader.any(*oddity)),
        DebugExpr::Not(inner) => DebugValue::Truth(!truth(inner, reader)?),
        DebugExpr::Negated(inner) => DebugValue::Number(-number(inner, reader)?),
        DebugExpr::Absolute(inner) => DebugValue::Number(number(inner, reader)?.abs()),
        DebugExpr::Pair(PairOperator::And, l, r) => DebugValue::Truth(truth(l, reader)? && truth(r, reader)?),
        DebugExpr::Pair(PairOperator::Or, l, r) => DebugValue::Truth(truth(l, reader)? || truth(r, reader)?),
        DebugExpr::Pair(operator, l, r) => pair(*operator, number(l, reader)?, number(r, reader)?),
    })
}

/// Whether a condition holds; one over values that are not known yet does not.
pub(crate) fn holds(expr: &DebugExpr, reader: &mut dyn ValueReader) -> Result<bool, ExprError> {
    match evaluate(expr, reader) {
        Ok(DebugValue::Truth(truth)) => Ok(truth),
        Ok(DebugValue::Number(_)) => Err(ExprError::new(0, text!("this is a number, not a condition"))
            .help(text!("compare it with something: `… > 0`"))),
        Err(EvalStop::Unknown(_)) => Ok(false),
        Err(EvalStop::Wrong(error)) => Err(error),
    }
}

fn number(expr: &DebugExpr, reader: &mut dyn ValueReader) -> Result<f64, EvalStop> {
    Ok(match evaluate(expr, reader)? {
        DebugValue::Number(number) => number,
        DebugValue::Truth(truth) => f64::from(u8::from(truth)),
    })
}

fn truth(expr: &DebugExpr, reader: &mut dyn ValueReader) -> Result<bool, EvalStop> {
    Ok(match evaluate(expr, reader)? {
        DebugValue::Truth(truth) => truth,
        DebugValue::Number(number) => number != 0.0,
    })
}

fn known(part: &ValuePart, reader: &mut dyn ValueReader) -> Result<PartNumbers, EvalStop> {
    reader.numbers(part)?.ok_or_else(|| EvalStop::Unknown(part.name.clone()))
}

fn single(part: &ValuePart, reader: &mut dyn ValueReader) -> Result<f64, EvalStop> {
    let known = known(part, reader)?;
    match known.numbers[..] {
        [one] => Ok(one),
        [] => Err(EvalStop::Unknown(part.name.clone())),
        _ => {
            let (rows, cols) = known.valid;
            let count = known.numbers.len();
            let name = &part.name;
            let message = text!("`%{name}` is {rows}x{cols}: {count} numbers, not one", name, rows, cols, count);
            let help = text!("choose one, `%{name}[0, 0]`, or reduce them: `%{name}.max()`", name);
            Err(ExprError::new(part.at, message).help(help).into())
        }
    }
}

fn pair(operator: PairOperator, l: f64, r: f64) -> DebugValue {
    match operator {
        PairOperator::Add => DebugValue::Number(l + r),
        PairOperator::Subtract => DebugValue::Number(l - r),
        PairOperator::Multiply => DebugValue::Number(l * r),
        PairOperator::Divide => DebugValue::Number(l / r),
        PairOperator::Equal => DebugValue::Truth(l == r),
        PairOperator::Unequal => DebugValue::Truth(l != r),
        PairOperator::Less => DebugValue::Truth(l < r),
        PairOperator::LessEqual => DebugValue::Truth(l <= r),
        PairOperator::Greater => DebugValue::Truth(l > r),
        PairOperator::GreaterEqual => DebugValue::Truth(l >= r),
        PairOperator::And => DebugValue::Truth(l != 0.0 && r != 0.0),
        PairOperator::Or => DebugValue::Truth(l != 0.0 || r != 0.0),
    }
}

/// NaN does not count for the largest and smallest number. Sums and means of NaN are NaN.
fn reduced(reduction: ValueReduction, part: &ValuePart, known: &PartNumbers) -> DebugValue {
    let all = || known.numbers.iter().copied();
    let extent = |part: &Option<Range<usize>>, valid: usize| {
        part.as_ref().map_or(valid, |p| p.end.min(valid).saturating_sub(p.start)) as f64
    };
    let sum = || all().sum::<f64>();
    match reduction {
        ValueReduction::Max => DebugValue::Number(all().fold(f64::NAN, f64::max)),
        ValueReduction::Min => DebugValue::Number(all().fold(f64::NAN, f64::min)),
        ValueReduction::AbsMax => DebugValue::Number(all().map(f64::abs).fold(f64::NAN, f64::max)),
        ValueReduction::Sum => DebugValue::Number(sum()),
        ValueReduction::Mean => DebugValue::Number(sum() / known.numbers.len() as f64),
        ValueReduction::AnyNan => DebugValue::Truth(all().any(|x| Oddity::Nan.is(x))),
        ValueReduction::AnyInf => DebugValue::Truth(all().any(|x| Oddity::Inf.is(x))),
        ValueReduction::Rows => DebugValue::Number(extent(&part.rows, known.valid.0)),
        ValueReduction::Cols => DebugValue::Number(extent(&part.cols, known.valid.1)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::parse;
    use super::*;

    /// `%t` is 2x3; `%i` is a scalar; nothing is known of others.
    struct FixedValues;

    impl ValueReader for FixedValues {
        fn numbers(&mut self, part: &ValuePart) -> Result<Option<PartNumbers>, ExprError> {
            let all = match part.name.as_str() {
                "t" => vec![vec![1.0, -8.0, f64::NAN], vec![2.0, 3.0, f64::INFINITY]],
                "i" => vec![vec![7.0]],
                _ => return Ok(None),
            };
            let valid = (all.len(), all[0].len());
            let inside = |part: &Option<Range<usize>>, at: usize| part.as_ref().is_none_or(|p| p.contains(&at));
            let rows = all.iter().enumerate().filter(|(r, _)| inside(&part.rows, *r));
            let numbers = rows
                .flat_map(|(_, row)| row.iter().enumerate().filter(|(c, _)| inside(&part.cols, *c)).map(|(_, x)| *x))
                .collect();
            Ok(Some(PartNumbers { valid, numbers }))
        }

        fn any(&mut self, oddity: Oddity) -> bool {
            oddity == Oddity::Inf
        }
    }

    fn shown(text: &str) -> String {
        match evaluate(&parse(text).expect(text), &mut FixedValues) {
            Ok(value) => value.to_string(),
            Err(EvalStop::Unknown(name)) => format!("unknown {name}"),
            Err(EvalStop::Wrong(error)) => error.message,
        }
    }

    #[test]
    fn values_are_reduced_and_compared() {
        for (text, expected) in [
            ("%t.max()", "inf"),
            ("%t[:, 0:2].max()", "3"),
            ("%t.min()", "-8"),
            ("%t[:, :2].absmax()", "8"),
            ("%t[:, :2].sum()", "-2"),
            ("%t[:, :2].mean()", "-0.5"),
            ("%t.mean()", "nan"),
            ("%t.any_nan() and not %t[1, :].any_nan()", "true"),
            ("%t[1, 1] == 3", "true"),
            ("%t.rows() * 10 + %t.cols()", "23"),
            ("%i + 1 >= 8 and abs(-%i) == 7", "true"),
            ("any nan", "false"),
            ("any inf or any nan", "true"),
            ("%u > 1", "unknown u"),
            ("1e-9 * 1", "1e-9"),
            ("%t > 1", "`%t` is 2x3: 6 numbers, not one"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_no_conditions() {
        assert!(holds(&parse("%i").expect("legal"), &mut FixedValues).is_err());
        assert_eq!(holds(&parse("%u.max() > 1").expect("legal"), &mut FixedValues), Ok(false));
    }
}

//! Conditions over the values of a program: `%m.max() > 1e4`, `%t[0, 3] == 0 or any nan`.
//!
//! This file reads them. What values hold comes from a [`ValueReader`](super::evaluate::ValueReader), so nothing here knows a recording.

use super::lexer::{DebugLexeme, DebugToken, lexemes};
use pto::isa::table::distance;
use pto::isa::text;
use std::ops::Range;

/// An expression over values.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum DebugExpr {
    Number(f64),
    /// One number: a scalar or an element of a tile.
    Part(ValuePart),
    /// One number that is made of many.
    Reduced(ValueReduction, ValuePart),
    /// Something that the instruction touches has such a number.
    Any(Oddity),
    Not(Box<DebugExpr>),
    Negated(Box<DebugExpr>),
    Absolute(Box<DebugExpr>),
    Pair(PairOperator, Box<DebugExpr>, Box<DebugExpr>),
}

/// A value, or some of its rows and columns.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ValuePart {
    /// The name, without `%`.
    pub(crate) name: String,
    /// Where it stands in the text.
    pub(crate) at: usize,
    /// Rows and columns; `None` for all of them.
    pub(crate) rows: Option<Range<usize>>,
    pub(crate) cols: Option<Range<usize>>,
}

/// What is computed of many numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueReduction {
    Max,
    Min,
    AbsMax,
    Sum,
    Mean,
    AnyNan,
    AnyInf,
    Rows,
    Cols,
}

const REDUCTIONS: [(&str, ValueReduction); 9] = [
    ("max", ValueReduction::Max),
    ("min", ValueReduction::Min),
    ("absmax", ValueReduction::AbsMax),
    ("sum", ValueReduction::Sum),
    ("mean", ValueReduction::Mean),
    ("any_nan", ValueReduction::AnyNan),
    ("any_inf", ValueReduction::AnyInf),
    ("rows", ValueReduction::Rows),
    ("cols", ValueReduction::Cols),
];

/// A number that computations seldom mean to give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Oddity {
    Nan,
    Inf,
}

impl Oddity {
    pub(crate) fn is(self, number: f64) -> bool {
        match self {
            Self::Nan => number.is_nan(),
            Self::Inf => number.is_infinite(),
        }
    }
}

/// What joins two expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PairOperator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl PairOperator {
    /// The operator of a token, and how tightly it binds.
    fn of(token: &DebugToken<'_>) -> Option<(Self, u32)> {
        Some(match token {
            DebugToken::Word("or") | DebugToken::Sign("||") => (Self::Or, 1),
            DebugToken::Word("and") | DebugToken::Sign("&&") => (Self::And, 2),
            DebugToken::Sign("==") => (Self::Equal, COMPARISON),
            DebugToken::Sign("!=") => (Self::Unequal, COMPARISON),
            DebugToken::Sign("<") => (Self::Less, COMPARISON),
            DebugToken::Sign("<=") => (Self::LessEqual, COMPARISON),
            DebugToken::Sign(">") => (Self::Greater, COMPARISON),
            DebugToken::Sign(">=") => (Self::GreaterEqual, COMPARISON),
            DebugToken::Sign("+") => (Self::Add, 5),
            DebugToken::Sign("-") => (Self::Subtract, 5),
            DebugToken::Sign("*") => (Self::Multiply, 6),
            DebugToken::Sign("/") => (Self::Divide, 6),
            _ => return None,
        })
    }

    /// True when the result is true or false.
    pub(crate) fn is_truth(self) -> bool {
        !matches!(self, Self::Add | Self::Subtract | Self::Multiply | Self::Divide)
    }
}

const COMPARISON: u32 = 4;
/// Deeper expressions are refused.
const DEEPEST: usize = 64;

/// What is wrong with an expression, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ExprError {
    /// The first byte of the text that is wrong.
    pub(crate) at: usize,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl ExprError {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), help: None }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The message, the text with a caret below the byte, and what helps.
    pub(crate) fn render(&self, text: &str) -> String {
        let before = text.get(..self.at).unwrap_or(text).chars().count();
        let help = self.help.as_ref().map_or(String::new(), |help| format!("\n  {help}"));
        format!("{}\n  {text}\n  {}^{help}", self.message, " ".repeat(before))
    }
}

/// Reads an expression.
pub(crate) fn parse(text: &str) -> Result<DebugExpr, ExprError> {
    let mut reader = ExprReader { lexemes: lexemes(text)?, at: 0, end: text.len(), depth: 0 };
    let expr = reader.pairs(0)?;
    match reader.peek() {
        None => Ok(expr),
        Some(DebugToken::Sign("=")) => Err(reader.wrong(text!("`=` does not compare")).help(text!("write `==`"))),
        Some(_) => Err(reader
            .wrong(text!("expected an operator, or the end"))
            .help(text!("operators: + - * / == != < <= > >= and or"))),
    }
}

/// Reads a value with an optional part: `%t`, `%t[3, 5]`, `%t[0:4, 8:16]`; `None` if the text is something else.
pub(crate) fn parse_part(text: &str) -> Option<Result<ValuePart, ExprError>> {
    let lexemes = lexemes(text).ok()?;
    let mut reader = ExprReader { lexemes, at: 0, end: text.len(), depth: 0 };
    if !matches!(reader.peek(), Some(DebugToken::Value(_))) {
        return None;
    }
    match reader.part() {
        Ok(part) => reader.peek().is_none().then_some(Ok(part)),
        Err(error) => Some(Err(error)),
    }
}

/// Every value that an expression names.
pub(crate) fn parts(expr: &DebugExpr) -> Vec<&ValuePart> {
    match expr {
        DebugExpr::Number(_) | DebugExpr::Any(_) => Vec::new(),
        DebugExpr::Part(part) | DebugExpr::Reduced(_, part) => vec![part],
        DebugExpr::Not(inner) | DebugExpr::Negated(inner) | DebugExpr::Absolute(inner) => parts(inner),
        DebugExpr::Pair(_, left, right) => [parts(left), parts(right)].concat(),
    }
}

/// True when an expression asks what the instruction touches.
pub(crate) fn asks_any(expr: &DebugExpr) -> bool {
    match expr {
        DebugExpr::Any(_) => true,
        DebugExpr::Number(_) | DebugExpr::Part(_) | DebugExpr::Reduced(..) => false,
        DebugExpr::Not(inner) | DebugExpr::Negated(inner) | DebugExpr::Absolute(inner) => asks_any(inner),
        DebugExpr::Pair(_, left, right) => asks_any(left) || asks_any(right),
    }
}

/// True when the result is true or false, not a number.
pub(crate) fn is_truth(expr: &DebugExpr) -> bool {
    match expr {
        DebugExpr::Any(_)
        | DebugExpr::Not(_)
        | DebugExpr::Reduced(ValueReduction::AnyNan | ValueReduction::AnyInf, _) => true,
        DebugExpr::Pair(operator, ..) => operator.is_truth(),
        _ => false,
    }
}

struct ExprReader<'t> {
    lexemes: Vec<DebugLexeme<'t>>,
    at: usize,
    end: usize,
    depth: usize,
}

impl<'t> ExprReader<'t> {
    fn peek(&self) -> Option<DebugToken<'t>> {
        self.lexemes.get(self.at).map(|l| l.token)
    }

    /// The first byte of the next token.
    fn byte(&self) -> usize {
        self.lexemes.get(self.at).map_or(self.end, |l| l.at)
    }

    fn wrong(&self, message: impl Into<String>) -> ExprError {
        ExprError::new(self.byte(), message)
    }

    fn takes(&mut self, token: DebugToken<'_>) -> bool {
        let is_next = self.peek() == Some(token);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), ExprError> {
        if self.takes(DebugToken::Sign(sign)) { Ok(()) } else { Err(self.wrong(text!("expected `{sign}`", sign))) }
    }

    /// Operands joined by operators that bind at least this tightly.
    fn pairs(&mut self, least: u32) -> Result<DebugExpr, ExprError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong(text!("the expression is nested too deeply")));
        }
        let mut left = self.operand()?;
        while let Some((operator, binding)) = self.peek().and_then(|t| PairOperator::of(&t)).filter(|o| o.1 >= least) {
            let at = self.byte();
            self.at += 1;
            let right = self.pairs(binding + 1)?;
            if binding == COMPARISON
                && self.peek().and_then(|t| PairOperator::of(&t)).is_some_and(|o| o.1 == COMPARISON)
            {
                return Err(self.wrong(text!("comparisons cannot be chained")).help(text!("join them with `and`")));
            }
            let wants_truth = matches!(operator, PairOperator::And | PairOperator::Or);
            if [&left, &right].into_iter().any(|side| is_truth(side) != wants_truth) {
                let message = if wants_truth {
                    text!("a condition is expected on both sides")
                } else {
                    text!("a number is expected on both sides")
                };
                return Err(ExprError::new(at, message));
            }
            left = DebugExpr::Pair(operator, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<DebugExpr, ExprError> {
        let at = self.byte();
        let Some(token) = self.peek() else {
            return Err(self
                .wrong(text!("the expression ends here"))
                .help(text!("a value, as `%t.max()`, or a number is missing")));
        };
        match token {
            DebugToken::Number(number) => {
                self.at += 1;
                Ok(DebugExpr::Number(number))
            }
            DebugToken::Value(_) => self.value(),
            DebugToken::Sign("(") => {
                self.at += 1;
                let inner = self.pairs(0)?;
                self.expect(")")?;
                Ok(inner)
            }
            DebugToken::Sign("-") => {
                self.at += 1;
                Ok(DebugExpr::Negated(Box::new(self.pairs(7)?)))
            }
            DebugToken::Word("not") | DebugToken::Sign("!") => {
                self.at += 1;
                let inner = self.pairs(3)?;
                if !is_truth(&inner) {
                    return Err(ExprError::new(at, text!("`not` needs a condition")));
                }
                Ok(DebugExpr::Not(Box::new(inner)))
            }
            DebugToken::Word("any") => {
                self.at += 1;
                self.any()
            }
            DebugToken::Word("abs") => {
                self.at += 1;
                self.expect("(")?;
                let inner = self.pairs(0)?;
                self.expect(")")?;
                Ok(DebugExpr::Absolute(Box::new(inner)))
            }
            DebugToken::Word(word) => {
                let error = self.wrong(text!("`{word}` is not a value", word));
                Err(error.help(text!("names of values start with `%`: %{word}", word)))
            }
            DebugToken::Sign(_) => Err(self.wrong(text!("expected a value or a number"))),
        }
    }

    fn any(&mut self) -> Result<DebugExpr, ExprError> {
        let oddity = match self.peek() {
            Some(DebugToken::Word("nan")) => Oddity::Nan,
            Some(DebugToken::Word("inf")) => Oddity::Inf,
            Some(DebugToken::Number(number)) if number.is_nan() => Oddity::Nan,
            Some(DebugToken::Number(number)) if number.is_infinite() => Oddity::Inf,
            _ => return Err(self.wrong(text!("expected `nan` or `inf` after `any`"))),
        };
        self.at += 1;
        Ok(DebugExpr::Any(oddity))
    }

    /// `%t`, `%t[3, 5]`, `%t.max()`, `%t[0:4, :].max()`.
    fn value(&mut self) -> Result<DebugExpr, ExprError> {
        let part = self.part()?;
        if !self.takes(DebugToken::Sign(".")) {
            return Ok(DebugExpr::Part(part));
        }
        let Some(DebugToken::Word(word)) = self.peek() else {
            return Err(self.wrong(text!("expected the name of a function")).help(functions()));
        };
        let Some((_, reduction)) = REDUCTIONS.into_iter().find(|(name, _)| *name == word) else {
            return Err(self.unknown_function(word));
        };
        self.at += 1;
        self.expect("(")?;
        self.expect(")")?;
        Ok(DebugExpr::Reduced(reduction, part))
    }

    fn unknown_function(&self, word: &str) -> ExprError {
        let error = self.wrong(text!("there is no function `{word}`", word));
        let near = REDUCTIONS.into_iter().map(|(name, _)| (distance(word, name), name)).min();
        match near.filter(|(far, _)| *far <= 2) {
            Some((_, names)) => error.help(text!("did you mean {names}?", names = format!("`{names}`"))),
            None => error.help(functions()),
        }
    }

    fn part(&mut self) -> Result<ValuePart, ExprError> {
        let at = self.byte();
        let Some(DebugToken::Value(name)) = self.peek() else { return Err(self.wrong(text!("expected a value"))) };
        self.at += 1;
        let mut part = ValuePart { name: name.to_string(), at, rows: None, cols: None };
        if self.takes(DebugToken::Sign("[")) {
            part.rows = self.indices()?;
            self.expect(",")?;
            part.cols = self.indices()?;
            self.expect("]")?;
        }
        Ok(part)
    }

    /// `3`, `0:4`, `:4`, `2:`, `:`.
    fn indices(&mut self) -> Result<Option<Range<usize>>, ExprError> {
        let at = self.byte();
        let first = self.index()?;
        if !self.takes(DebugToken::Sign(":")) {
            return match first {
                Some(one) => Ok(Some(one..one.saturating_add(1))),
                None => Err(self.wrong(text!("expected an index or a range, as `3` or `0:4`"))),
            };
        }
        let last = self.index()?;
        match (first, last) {
            (None, None) => Ok(None),
            (first, last) => {
                let range = first.unwrap_or(0)..last.unwrap_or(usize::MAX);
                if range.is_empty() { Err(ExprError::new(at, text!("the range is empty"))) } else { Ok(Some(range)) }
            }
        }
    }

    fn index(&mut self) -> Result<Option<usize>, ExprError> {
        let Some(DebugToken::Number(number)) = self.peek() else { return Ok(None) };
        if number < 0.0 || number.fract() != 0.0 || number > 1e15 {
            return Err(self.wrong(text!("an index is an integer")));
        }
        self.at += 1;
        Ok(Some(number as usize))
    }
}

fn functions() -> String {
    let names: Vec<String> = REDUCTIONS.iter().map(|(name, _)| format!("{name}()")).collect();
    text!("functions: {names}", names = names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(text: &str) -> String {
        parse(text).expect_err(text).render(text)
    }

    #[test]
    fn conditions_of_the_manual_are_read() {
        let m = ValuePart { name: "m".into(), at: 0, rows: None, cols: None };
        let max = DebugExpr::Reduced(ValueReduction::Max, m);
        let expected = DebugExpr::Pair(PairOperator::Greater, Box::new(max), Box::new(DebugExpr::Number(1e4)));
        assert_eq!(parse("%m.max() > 1e4"), Ok(expected));
        assert_eq!(parse("any nan"), Ok(DebugExpr::Any(Oddity::Nan)));
        assert_eq!(parse("not any inf"), Ok(DebugExpr::Not(Box::new(DebugExpr::Any(Oddity::Inf)))));
        for text in
            ["%t[0, 3] == 0 or any nan", "abs(%t[0:4, :].mean()) < -1 and not (%i + 1 == 0x10)", "%a/2*-3 != %b"]
        {
            assert!(parse(text).is_ok(), "{text}: {:?}", parse(text));
        }
    }

    #[test]
    fn operators_bind_as_usual() {
        let plain = parse("1 + 2 * 3 < 4 and 5 == 6 or any nan").expect("legal");
        assert_eq!(parse("(((1 + (2 * 3)) < 4) and (5 == 6)) or (any nan)"), Ok(plain));
    }

    #[test]
    fn errors_point_at_the_place() {
        assert_eq!(fails("%t.mx() > 3"), "there is no function `mx`\n  %t.mx() > 3\n     ^\n  did you mean `max`?");
        assert_eq!(fails("%t.max() = 3"), "`=` does not compare\n  %t.max() = 3\n           ^\n  write `==`");
        assert!(fails("t.max() > 1").contains("names of values start with `%`: %t"));
        assert!(fails("%t.max() >").contains("the expression ends here\n  %t.max() >\n            ^"));
        assert!(fails("1 < 2 < 3").contains("comparisons cannot be chained"));
        assert!(fails("1 and any nan").contains("a condition is expected on both sides"));
        assert!(fails("%t[4:2, 0] > 1").contains("the range is empty"));
        assert!(fails("%t[4] > 1").contains("expected `,`"));
        assert!(fails(&"(".repeat(1000)).contains("nested too deeply"));
        assert!(fails("%t # 3").contains("`#`"));
    }

    #[test]
    fn parts_are_told_from_expressions() {
        let part = parse_part("%t[0:4, 8:16]").expect("a part").expect("legal");
        assert_eq!((part.rows, part.cols), (Some(0..4), Some(8..16)));
        assert!(parse_part("%t.max()").is_none());
        assert!(parse_part("3").is_none());
        assert!(parse_part("%t[0:4").expect("a part").is_err());
    }
}

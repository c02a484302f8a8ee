//! Values of the command line, and the numbers among them that become smaller.

use crate::program::ProgramArgs;
use crate::program::spec::DataSource;
use pto::cpu::{Param, ParamKind, Plan};
use pto::data::AnyNumber;
use pto::reduce::InputNumber;
use std::path::Path;

/// The number of blocks, among the inputs.
const BLOCKS: &str = "--blocks";

/// A value of the command line.
#[derive(Clone, Debug)]
struct GivenValue {
    /// The parameter; `x@1` for that of a rank.
    name: String,
    kind: ValueKind,
}

#[derive(Clone, Debug)]
enum ValueKind {
    /// An integer.
    Number(i64),
    /// `rand:f32[`, the extents, and `]`.
    Shape(String, Vec<i64>),
    /// Anything else stays as it is.
    Text(String),
}

/// All values, and the number of blocks.
#[derive(Clone, Default, Debug)]
pub(super) struct GivenValues {
    values: Vec<GivenValue>,
    blocks: u32,
}

impl GivenValues {
    pub(super) fn new(args: &ProgramArgs, plan: &Plan) -> Self {
        let given = |(name, text): (String, String)| {
            let param = plan.params().iter().find(|p| p.name == parameter(&name));
            GivenValue { kind: ValueKind::parse(&text, param), name }
        };
        Self { values: args.named_values(plan).into_iter().map(given).collect(), blocks: args.blocks }
    }

    /// The numbers that may become smaller.
    pub(super) fn inputs(&self) -> Vec<InputNumber> {
        let mut all = Vec::new();
        for GivenValue { name, kind } in &self.values {
            match kind {
                ValueKind::Number(n) => all.push(InputNumber::new(name, *n)),
                ValueKind::Shape(_, extents) => {
                    let each = extents.iter().enumerate();
                    all.extend(each.map(|(at, n)| InputNumber::positive(extent_name(name, at), *n)));
                }
                ValueKind::Text(_) => {}
            }
        }
        if self.blocks > 1 {
            all.push(InputNumber::positive(BLOCKS, self.blocks.into()));
        }
        all
    }

    /// The values with these numbers, one for each parameter that is left.
    fn texts(&self, inputs: &[InputNumber], has: &dyn Fn(&str) -> bool) -> Vec<String> {
        let number = |name: &str, old: i64| inputs.iter().find(|i| i.name == name).map_or(old, |i| i.value);
        let text = |GivenValue { name, kind }: &GivenValue| match kind {
            ValueKind::Number(n) => format!("{name}={}", number(name, *n)),
            ValueKind::Shape(before, extents) => {
                let each = extents.iter().enumerate().map(|(at, n)| number(&extent_name(name, at), *n).to_string());
                format!("{name}={before}{}]", each.collect::<Vec<_>>().join("x"))
            }
            ValueKind::Text(text) => format!("{name}={text}"),
        };
        self.values.iter().filter(|v| has(parameter(&v.name))).map(text).collect()
    }

    /// The arguments of a candidate.
    pub(super) fn args(&self, args: &ProgramArgs, inputs: &[InputNumber], params: &[String]) -> ProgramArgs {
        let blocks = inputs.iter().find(|i| i.name == BLOCKS).and_then(|i| u32::try_from(i.value).ok());
        args.with_values(self.texts(inputs, &|name| params.iter().any(|p| p == name)), blocks.unwrap_or(args.blocks))
    }

    /// The value of a parameter that is a file.
    pub(super) fn file(&self, name: &str) -> Option<DataSource> {
        let value = self.values.iter().find(|v| v.name == name)?;
        let ValueKind::Text(text) = &value.kind else { return None };
        DataSource::parse(text).ok().filter(|s| !matches!(s, DataSource::Number(_) | DataSource::Made(..)))
    }

    /// Takes the numbers of a parameter from another file.
    pub(super) fn set_file(&mut self, name: &str, file: &Path) {
        if let Some(value) = self.values.iter_mut().find(|v| v.name == name) {
            value.kind = ValueKind::Text(file.display().to_string());
        }
    }

    /// What to write on the command line of a reduced program with these parameters.
    pub(super) fn text(&self, inputs: &[InputNumber], params: &[String]) -> String {
        let mut all = self.texts(inputs, &|name| params.iter().any(|p| p == name));
        all.extend(inputs.iter().filter(|i| i.name == BLOCKS).map(|i| format!("{BLOCKS} {}", i.value)));
        all.join(" ")
    }
}

/// The parameter of a name that may have a rank.
fn parameter(name: &str) -> &str {
    name.split_once('@').map_or(name, |(name, _)| name)
}

fn extent_name(name: &str, at: usize) -> String {
    format!("{name}[{at}]")
}

impl ValueKind {
    fn parse(text: &str, param: Option<&Param>) -> Self {
        let is_scalar = param.is_some_and(|p| matches!(p.kind, ParamKind::Scalar(_)));
        if is_scalar && let Some(AnyNumber::Int(n)) = AnyNumber::parse(text) {
            return i64::try_from(n).map_or_else(|_| Self::Text(text.into()), Self::Number);
        }
        let shape = text.split_once('[').and_then(|(before, rest)| Some((before, rest.strip_suffix(']')?)));
        let extents = shape.and_then(|(before, shape)| {
            let all = shape.split(['x', ',']).map(|n| n.trim().parse().ok()).collect::<Option<Vec<i64>>>()?;
            Some(Self::Shape(format!("{before}["), all))
        });
        extents.unwrap_or_else(|| Self::Text(text.into()))
    }
}

//! Instructions as functions of a language without types: numbers become constants of the type that an operand wants, and
//! types of results follow from the operands.

use super::{NumberLiteral, Recorder, ViewKind};
use crate::ir::{Attr, OpId, TypeId, ValueId};
use crate::isa::row::{AttrKind, AttrSpec, SlotCount, SlotKind};
use crate::isa::{DType, Op, Row, ScalarType, Type, table};
use pto_isa::call::{self, CallPart, ElementGroups, ElementSource, NumberRule, ResultRule};
use std::sync::OnceLock;

/// What is given for an operand or an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum CallArg {
    /// Nothing: only for what may be left out.
    Nothing,
    /// A value of the program.
    Value(ValueId),
    /// An integer.
    Int(i64),
    /// A number with a point.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// Text, or a word of an enumeration.
    Text(String),
    /// Several of these.
    List(Vec<CallArg>),
    /// The type of a result.
    Type(Type),
}

/// A call that cannot be recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallError {
    /// The argument, by its position in the call.
    pub arg: usize,
    /// What is needed there.
    pub message: String,
}

/// What was recorded.
#[derive(Clone, Debug)]
pub struct RecordedCall {
    /// The operation.
    pub op: OpId,
    /// Its results.
    pub results: Vec<ValueId>,
}

/// What is known about the function of an instruction.
struct CallShape {
    parts: Vec<CallPart>,
    must: usize,
    numbers: Vec<NumberRule>,
    /// Of what must be given, and of everything.
    groups: [ElementGroups; 2],
    results: Vec<ResultRule>,
}

impl CallShape {
    fn new(op: Op) -> Self {
        let row = op.row();
        let (must, may) = call::parts(row);
        let groups = ElementGroups::new(row, &must);
        let results = groups.results(&must);
        let all = must.iter().chain(&may).copied().collect::<Vec<_>>();
        // What may be given has the element type that it has among all of them.
        let every = ElementGroups::new(row, &all);
        let number = |(at, part): (usize, &CallPart)| match part {
            CallPart::Slot(slot) if at < must.len() => groups.number(*slot),
            CallPart::Slot(slot) => every.number(*slot),
            CallPart::Attr(_) => NumberRule::None,
        };
        let numbers = all.iter().enumerate().map(number).collect();
        Self { must: must.len(), parts: all, numbers, groups: [groups, every], results }
    }

    fn of(op: Op) -> &'static Self {
        static SHAPES: OnceLock<Vec<OnceLock<CallShape>>> = OnceLock::new();
        let shapes = SHAPES.get_or_init(|| table::all().map(|_| OnceLock::new()).collect());
        shapes[op.index()].get_or_init(|| Self::new(op))
    }
}

impl Recorder {
    /// Records an instruction: what must be given, what may be given ([`call::parts`]), and then what the types of its results need, in
    /// this order: extents and element type of a view, an element type, a tile type, or the text of a type.
    ///
    /// # Errors
    /// An argument that cannot stand where it does.
    pub fn call(&mut self, op: Op, args: &[CallArg], after: &[OpId]) -> Result<RecordedCall, CallError> {
        let shape = CallShape::of(op);
        let row = op.row();
        let mut operands: Vec<(u8, Option<ValueId>)> = Vec::with_capacity(args.len());
        let mut attrs: Vec<(&'static str, Attr)> = Vec::new();
        let elements = Elements { shape, row, args };
        for (at, part) in shape.parts.iter().enumerate() {
            let given = args.get(at).unwrap_or(&CallArg::Nothing);
            if *given == CallArg::Nothing {
                if at < shape.must {
                    return Err(CallError { arg: at, message: "it must be given".to_string() });
                }
                continue;
            }
            match part {
                CallPart::Attr(spec) => attrs.push((spec.name, self.attribute(at, spec, given)?)),
                CallPart::Slot(slot) => self.operand(at, *slot, given, &elements, &mut operands)?,
            }
        }
        let mut given = args.get(shape.parts.len()..).unwrap_or(&[]).iter().enumerate();
        let mut results = Vec::with_capacity(shape.results.len());
        for rule in &shape.results {
            results.push(self.result_type(rule, shape, &operands, &mut given)?);
        }
        let (op, results) = self.issue(op, operands, attrs, &results);
        after.iter().for_each(|first| self.wait_for(op, *first));
        Ok(RecordedCall { op, results })
    }

    fn operand(
        &mut self,
        at: usize,
        slot: usize,
        given: &CallArg,
        elements: &Elements<'_>,
        operands: &mut Vec<(u8, Option<ValueId>)>,
    ) -> Result<(), CallError> {
        let many = elements.row.slots[slot].count == SlotCount::Many;
        match given {
            CallArg::List(list) if many => {
                for one in list {
                    operands.push((slot as u8, Some(self.value(at, slot, one, elements)?)));
                }
            }
            one => operands.push((slot as u8, Some(self.value(at, slot, one, elements)?))),
        }
        Ok(())
    }

    /// The value of an operand; a number becomes a constant.
    fn value(&mut self, at: usize, slot: usize, given: &CallArg, e: &Elements<'_>) -> Result<ValueId, CallError> {
        let kind = e.row.slots[slot].kind;
        let wrong = |found: String| CallError { arg: at, message: format!("a {} is needed, not {found}", kind.noun()) };
        let literal = match given {
            CallArg::Value(value) => {
                let ty = self.type_of(*value);
                return if kind.accepts(ty) { Ok(*value) } else { Err(wrong(ty.to_string())) };
            }
            CallArg::Int(n) => NumberLiteral::Int(*n),
            CallArg::Float(x) => NumberLiteral::Float(*x),
            CallArg::Bool(b) if kind == SlotKind::Bool => NumberLiteral::Int((*b).into()),
            other => return Err(wrong(other.found())),
        };
        let ty = match e.shape.numbers[at] {
            NumberRule::None => return Err(wrong("a number".to_string())),
            NumberRule::Index => ScalarType::Index,
            NumberRule::Bool => ScalarType::I1,
            NumberRule::Element(one) => ScalarType::Elem(one),
            NumberRule::Like(group) => match e.of(self, at, group) {
                Some(ty) => ty,
                None => return Err(wrong("a number whose type nothing determines; give a scalar".to_string())),
            },
            NumberRule::Any => match literal {
                NumberLiteral::Int(_) => ScalarType::Elem(DType::I32),
                NumberLiteral::Float(_) => ScalarType::Elem(DType::F32),
            },
        };
        self.literal(ty, literal).ok_or_else(|| wrong(format!("{} for {}", given.found(), ty.mlir())))
    }

    /// A constant of a type; none when an integer is needed and the number is none.
    pub fn literal(&mut self, ty: ScalarType, number: NumberLiteral) -> Option<ValueId> {
        let number = match number {
            NumberLiteral::Int(n) if ty.is_float() => NumberLiteral::Float(n as f64),
            NumberLiteral::Float(_) if !ty.is_float() => return None,
            // The program holds the number that Rust's `f32` literals are.
            NumberLiteral::Float(x) if ty != ScalarType::F64 => NumberLiteral::Float(f64::from(x as f32)),
            number => number,
        };
        Some(self.constant(ty, number))
    }

    fn attribute(&mut self, at: usize, spec: &AttrSpec, given: &CallArg) -> Result<Attr, CallError> {
        let wrong =
            || CallError { arg: at, message: format!("{} is needed, not {}", spec.legal_values(), given.found()) };
        let module = &mut self.builder.module;
        let int = |n: i64| Attr::Int(n.into(), TypeId::UNKNOWN);
        if let Some(list) = spec.enumeration() {
            let prefixed = |word: &str| format!("{}_{word}", list.name);
            let found = match given {
                CallArg::Text(word) => list.find(word).or_else(|| list.find(&prefixed(word))),
                CallArg::Int(n) => list.find_number(*n),
                _ => None,
            };
            return found.map(|position| Attr::Enum(list, position as u8)).ok_or_else(wrong);
        }
        Ok(match (spec.kind, given) {
            (AttrKind::Bool, CallArg::Bool(b)) => Attr::Bool(*b),
            (AttrKind::Int(..) | AttrKind::OneOf(_) | AttrKind::Any, CallArg::Int(n)) => int(*n),
            (AttrKind::Symbol, CallArg::Text(text)) => Attr::Symbol(module.names.intern(text)),
            (AttrKind::Any, CallArg::Text(text)) if text.starts_with('#') => Attr::Raw(module.names.intern(text)),
            (AttrKind::Str | AttrKind::Any, CallArg::Text(text)) => Attr::Str(module.names.intern(text)),
            (AttrKind::Any, CallArg::Bool(b)) => Attr::Bool(*b),
            (AttrKind::Unit, CallArg::Bool(true)) => Attr::Unit,
            (AttrKind::Ints | AttrKind::Any, CallArg::List(list)) => {
                let one = |n: &CallArg| if let CallArg::Int(n) = n { Ok(int(*n)) } else { Err(wrong()) };
                Attr::Array(list.iter().map(one).collect::<Result<_, _>>()?)
            }
            _ => return Err(wrong()),
        })
    }

    fn result_type<'a>(
        &mut self,
        rule: &ResultRule,
        shape: &CallShape,
        operands: &[(u8, Option<ValueId>)],
        given: &mut impl Iterator<Item = (usize, &'a CallArg)>,
    ) -> Result<Type, CallError> {
        let first = shape.parts.len();
        let mut next = |needed: &str| match given.next() {
            None | Some((_, CallArg::Nothing)) => {
                Err(CallError { arg: first, message: format!("{needed} must be given") })
            }
            Some((at, arg)) => Ok((first + at, arg)),
        };
        Ok(match rule {
            ResultRule::Type(ty) => ty.clone(),
            ResultRule::Tile => match next("the type of the tile")? {
                (_, CallArg::Type(ty @ (Type::TileBuf(_) | Type::Tile(_)))) => ty.clone(),
                (at, other) => return Err(needs(at, "a tile type", other)),
            },
            ResultRule::Text => match next("the type of the result")? {
                (_, CallArg::Type(ty)) => ty.clone(),
                (at, CallArg::Text(text)) => pto_syntax::read_type(text)
                    .ok_or_else(|| needs(at, "a type as the text writes it", &CallArg::Text(text.clone())))?,
                (at, other) => return Err(needs(at, "a type as the text writes it", other)),
            },
            ResultRule::Scalar(source) => Type::Scalar(self.element(*source, shape, operands, &mut next)?),
            ResultRule::Ptr(source) => {
                Type::Ptr(self.element(*source, shape, operands, &mut next)?, crate::isa::PtrSpace::Default)
            }
            ResultRule::View { extents, is_window, element } => {
                let extents: Vec<ValueId> = match extents {
                    Some(slot) => {
                        operands.iter().filter(|o| usize::from(o.0) == *slot).filter_map(|(_, v)| *v).collect()
                    }
                    None => {
                        let (at, list) = next("the shape")?;
                        self.extents(at, list)?
                    }
                };
                let element = self.element(*element, shape, operands, &mut next)?;
                let kind = if *is_window { ViewKind::Partition } else { ViewKind::Tensor };
                self.view_type(kind, element, &extents)
            }
        })
    }

    fn extents(&mut self, at: usize, list: &CallArg) -> Result<Vec<ValueId>, CallError> {
        let CallArg::List(list) = list else { return Err(needs(at, "a list of extents", list)) };
        list.iter()
            .map(|one| match one {
                CallArg::Int(n) => Ok(self.constant(ScalarType::Index, NumberLiteral::Int(*n))),
                CallArg::Value(v) if *self.type_of(*v) == Type::Scalar(ScalarType::Index) => Ok(*v),
                other => Err(needs(at, "an extent", other)),
            })
            .collect()
    }

    /// The element type of a result.
    fn element<'a>(
        &self,
        source: ElementSource,
        shape: &CallShape,
        operands: &[(u8, Option<ValueId>)],
        next: &mut impl FnMut(&str) -> Result<(usize, &'a CallArg), CallError>,
    ) -> Result<ScalarType, CallError> {
        match source {
            ElementSource::Only(one) => Ok(ScalarType::Elem(one)),
            ElementSource::Group(group) => {
                let of = |(slot, value): &(u8, Option<ValueId>)| {
                    let member = shape.groups[0].of(usize::from(*slot)) == group;
                    value.filter(|_| member).and_then(|v| element_of(self.type_of(v)))
                };
                let message = "its element type is not known".to_string();
                operands.iter().find_map(of).ok_or(CallError { arg: 0, message })
            }
            ElementSource::Given => match next("the element type")? {
                (_, CallArg::Type(Type::Scalar(ty))) => Ok(*ty),
                (at, other) => Err(needs(at, "an element type", other)),
            },
        }
    }
}

/// The arguments of a call, for the types of numbers among them.
struct Elements<'a> {
    shape: &'a CallShape,
    row: &'static Row,
    args: &'a [CallArg],
}

impl Elements<'_> {
    /// The element type of a group: that of the first argument in it which has one.
    fn of(&self, recorder: &Recorder, at: usize, group: usize) -> Option<ScalarType> {
        let groups = &self.shape.groups[usize::from(at >= self.shape.must)];
        let parts = self.shape.parts.iter().zip(self.args);
        let mut values = parts.filter_map(|(part, arg)| match (part, arg) {
            (CallPart::Slot(slot), CallArg::Value(value)) if groups.of(*slot) == group => Some(*value),
            _ => None,
        });
        values.find_map(|value| element_of(recorder.type_of(value)))
    }
}

/// The type of the elements of a tile, a view or a pointer; a scalar is its own.
fn element_of(ty: &Type) -> Option<ScalarType> {
    match ty {
        Type::Tile(t) | Type::TileBuf(t) => Some(ScalarType::Elem(t.dtype)),
        Type::TensorView(v) | Type::PartitionView(v) => Some(v.elem),
        Type::Ptr(elem, _) => Some(*elem),
        Type::Scalar(ty) => Some(*ty),
        _ => None,
    }
}

fn needs(at: usize, what: &str, found: &CallArg) -> CallError {
    CallError { arg: at, message: format!("{what} is needed, not {}", found.found()) }
}

impl CallArg {
    fn found(&self) -> String {
        match self {
            Self::Nothing => "nothing".to_string(),
            Self::Value(_) => "a value of the kernel".to_string(),
            Self::Int(n) => format!("`{n}`"),
            Self::Float(x) => format!("`{x}`"),
            Self::Bool(b) => format!("`{b}`"),
            Self::Text(text) => format!("`{text}`"),
            Self::List(_) => "a list".to_string(),
            Self::Type(ty) => format!("the type {ty}"),
        }
    }
}

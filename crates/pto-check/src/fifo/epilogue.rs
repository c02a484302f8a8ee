//! The attribute `#pto.acc_push_epilogue<layout = …, quant = …, relu = …>`: what the fix pipe does to an
//! accumulator on its way to a vector core.

use pto_ir::{Attr, Module, OpId};
use pto_isa::{DType, DTypes, Order, Targets};

/// The kind of scale of a quantisation mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScaleKind {
    None,
    /// One number, from `set_quant_scalar`.
    Scalar,
    /// A number per column, from `set_quant_vector`.
    Vector,
}

/// A quantisation mode.
#[derive(PartialEq, Debug)]
pub(super) struct QuantMode {
    pub(super) name: &'static str,
    /// Its name in the device headers.
    cpp: &'static str,
    /// Element types of the accumulator.
    pub(super) from: DTypes,
    /// Element types of the popped tile.
    pub(super) to: DTypes,
    pub(super) scale: ScaleKind,
    pub(super) targets: Targets,
}

impl QuantMode {
    /// True when element values are not changed.
    pub(super) fn keeps_type(&self) -> bool {
        self.from == self.to
    }
}

const QUANTS: &[QuantMode] = {
    use DType::{Bf16, F8E4M3, F16, F32, Hif8, I8, I32, U8};
    use ScaleKind::{None, Scalar, Vector};
    const fn mode(
        name: &'static str,
        cpp: &'static str,
        from: &[DType],
        to: &[DType],
        scale: ScaleKind,
        targets: Targets,
    ) -> QuantMode {
        QuantMode { name, cpp, from: DTypes::of(from), to: DTypes::of(to), scale, targets }
    }
    const ALL: Targets = Targets::ALL;
    const A5: Targets = Targets::A5_CPU;
    &[
        mode("no_convert", "NoQuant", &[F32, I32], &[F32, I32], None, ALL),
        mode("f32_f16", "F322F16", &[F32], &[F16], None, ALL),
        mode("f32_bf16", "F322BF16", &[F32], &[Bf16], None, ALL),
        mode("req8_scalar", "REQ8", &[I32], &[I8, U8], Scalar, ALL),
        mode("req8_vec", "VREQ8", &[I32], &[I8], Vector, ALL),
        mode("deqf16_scalar", "DEQF16", &[I32], &[F16], Scalar, ALL),
        mode("deqf16_vec", "VDEQF16", &[I32], &[F16], Vector, ALL),
        mode("qf322b8_pre_scalar", "QF322B8_PRE", &[F32], &[I8, U8], Scalar, ALL),
        mode("qf322b8_pre_vec", "VQF322B8_PRE", &[F32], &[I8], Vector, ALL),
        mode("qf322f16_pre_scalar", "QF322F16_PRE", &[F32], &[F16], Scalar, ALL),
        mode("qf322bf16_pre_scalar", "QF322BF16_PRE", &[F32], &[Bf16], Scalar, ALL),
        mode("qs322bf16_pre_scalar", "QS322BF16_PRE", &[I32], &[Bf16], Scalar, A5),
        mode("qs322bf16_pre_vec", "VQS322BF16_PRE", &[I32], &[Bf16], Vector, A5),
        mode("qf322hif8_pre_scalar", "QF322HIF8_PRE", &[F32], &[Hif8], Scalar, A5),
        mode("qf322fp8_pre_scalar", "QF322FP8_PRE", &[F32], &[F8E4M3], Scalar, A5),
    ]
};

/// Layouts of the popped tile.
const LAYOUTS: &[(&str, Order)] = &[("nz2nd", Order::Nd), ("nz2dn", Order::Dn), ("nz2nz", Order::Nz)];

/// With their names in the device headers.
const RELUS: &[(&str, &str)] = &[("no_relu", "NoRelu"), ("normal_relu", "NormalRelu")];

/// The operation of the fix pipe.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Epilogue {
    pub(super) layout: &'static str,
    pub(super) order: Order,
    pub(super) quant: &'static QuantMode,
    pub(super) relu: &'static str,
    relu_cpp: &'static str,
}

impl Epilogue {
    /// The epilogue of a FIFO pipe, if it has a readable one.
    pub fn of(module: &Module, init: OpId) -> Option<Self> {
        let Attr::Raw(text) = module.attr(init, "acc_push_epilogue")? else { return None };
        parse(module.names.text(*text)).ok()
    }

    /// Layout, quantisation and ReLU, as the device headers spell them.
    pub fn cpp(&self) -> [String; 3] {
        [self.layout.to_ascii_uppercase(), self.quant.cpp.to_string(), self.relu_cpp.to_string()]
    }

    /// Element types of tiles after it.
    pub const fn results(&self) -> DTypes {
        self.quant.to
    }
}

/// A part of the attribute that cannot be read.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Unreadable {
    pub(super) part: &'static str,
    pub(super) found: String,
    pub(super) legal: String,
}

/// Reads the attribute as written.
pub(super) fn parse(text: &str) -> Result<Epilogue, Unreadable> {
    let body = text.split_once('<').and_then(|(_, rest)| rest.rsplit_once('>')).map_or("", |(body, _)| body);
    let part = |name: &str| {
        let fields = body.split(',').filter_map(|field| field.split_once('='));
        fields.map(|(key, value)| (key.trim(), value.trim())).find(|(key, _)| *key == name).map_or("", |(_, v)| v)
    };
    let quants = QUANTS.iter().map(|q| (q.name, q));
    let (layout, order) = one_of("layout", part("layout"), LAYOUTS.iter().copied())?;
    let (_, quant) = one_of("quant", part("quant"), quants)?;
    let (relu, relu_cpp) = one_of("relu", part("relu"), RELUS.iter().copied())?;
    Ok(Epilogue { layout, order, quant, relu, relu_cpp })
}

fn one_of<T>(
    part: &'static str,
    found: &str,
    legal: impl Iterator<Item = (&'static str, T)> + Clone,
) -> Result<(&'static str, T), Unreadable> {
    legal.clone().find(|(name, _)| *name == found).ok_or_else(|| {
        let names: Vec<&str> = legal.map(|(name, _)| name).collect();
        Unreadable { part, found: found.to_string(), legal: names.join(", ") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attribute_is_read_part_by_part() {
        let e = parse("#pto.acc_push_epilogue<layout = nz2dn, quant = req8_vec,\n relu = no_relu>").expect("legal");
        assert_eq!((e.order, e.quant.name, e.quant.scale), (Order::Dn, "req8_vec", ScaleKind::Vector));
        assert!(!e.quant.keeps_type());
        let bad = parse("#pto.acc_push_epilogue<layout = nz2nd, quant = no_convert, relu = pwl>").expect_err("pwl");
        assert_eq!((bad.part, bad.found.as_str()), ("relu", "pwl"));
        assert_eq!(parse("nonsense").expect_err("no parts").part, "layout");
    }
}

//! Instructions on two tiles whose valid regions differ: where only one source is valid, it is copied.
//!
//! Also the helpers with which this family and its neighbours compare extents that may be open until run time.

use crate::text;
use super::hazards;
use crate::DType::*;
use crate::Target::{A2A3, A5};
use crate::row::{Aliasing, CostClass, Domain, From, Infer, Row, region};
use crate::rules::{Broken, Instance, Rule, Verdict};
use crate::shape::{vec_in, vec_out};
use crate::{Dim, Pipe, Targets, TileType, codes};

const VECTOR: Row = Row::EMPTY.pipe(Pipe::V).cost(CostClass::Partial).alias(Aliasing::InPlace);

/// `dst = f(src0, src1)` where both are valid, else the valid one.
const PARTIAL: Row = VECTOR
    .regions(&[region("dst", From::MaxRows("src0", "src1"), From::MaxCols("src0", "src1"))])
    .domain(Domain::Valid("dst"))
    .slots(&[vec_in("src0"), vec_in("src1"), vec_out("dst").infer(Infer::Like("src0"))])
    .shape_rules(&[
        (Targets::ALL, Rule::Named("src0: its valid region lies inside that of dst, unless dst is empty", src0_inside)),
        (Targets::ALL, Rule::Named("src1: its valid region lies inside that of dst, unless dst is empty", src1_inside)),
        (Targets::A2A3, Rule::Named("dst: the valid region of src0 or of src1, or empty", filled)),
    ]);

/// The same for pairs of a value and an index.
const PARTIAL_ARG: Row = VECTOR
    .regions(&[
        region("dst_val", From::MaxRows("src0_val", "src1_val"), From::MaxCols("src0_val", "src1_val")),
        region("dst_idx", From::MaxRows("src0_idx", "src1_idx"), From::MaxCols("src0_idx", "src1_idx")),
    ])
    .domain(Domain::Valid("dst_val"))
    .slots(&[
        vec_in("src0_val"),
        vec_in("src1_val"),
        vec_in("src0_idx").elem(&[I16, U16, I32, U32]),
        vec_in("src1_idx").like("src0_idx"),
        vec_out("dst_val").infer(Infer::Like("src0_val")),
        vec_out("dst_idx").like("src0_idx").infer(Infer::Like("src0_idx")),
    ])
    .shape_rules(&[
        (Targets::ALL, Rule::SameValid(&["src0_val", "src0_idx"])),
        (Targets::ALL, Rule::SameValid(&["src1_val", "src1_idx"])),
        (Targets::ALL, Rule::SameValid(&["dst_val", "dst_idx"])),
        (Targets::ALL, Rule::Named("dst_val: the valid region of src0_val or of src1_val, or empty", values_filled)),
    ])
    .types(A2A3, &[F16, F32])
    .types(A5, &[F16, F32]);

fn src0_inside(i: &Instance) -> Verdict {
    inside_unless_empty(i, "src0")
}

fn src1_inside(i: &Instance) -> Verdict {
    inside_unless_empty(i, "src1")
}

/// An instruction with an empty destination returns before it reads its sources.
fn inside_unless_empty(i: &Instance, src: &'static str) -> Verdict {
    match i.tile("dst") {
        Some(dst) if is_empty(dst) => Verdict::Holds,
        _ => i.inside(src, "dst"),
    }
}

fn filled(i: &Instance) -> Verdict {
    one_source_fills(i, "src0", "src1", "dst")
}

fn values_filled(i: &Instance) -> Verdict {
    one_source_fills(i, "src0_val", "src1_val", "dst_val")
}

/// One source is valid wherever `dst` is.
fn one_source_fills(i: &Instance, src0: &str, src1: &str, dst: &str) -> Verdict {
    let (Some(a), Some(b), Some(d)) = (i.tile(src0), i.tile(src1), i.tile(dst)) else { return Verdict::Holds };
    if is_empty(d) {
        return Verdict::Holds;
    }
    match (same_valid(a, d), same_valid(b, d)) {
        (Some(true), _) | (_, Some(true)) => Verdict::Holds,
        (Some(false), Some(false)) if is_known(d) => {
            let regions = (valid_text(d), valid_text(a), valid_text(b));
            let found =
                text!("`{dst}` has the valid region {regions}, `{src0}` {regions2}, `{src1}` {regions3}", dst, regions = regions.0, src0, regions2 = regions.1, src1, regions3 = regions.2);
            let slots = vec![i.at(dst), i.at(src0), i.at(src1)];
            Verdict::Broken(Broken::new(codes::VALID_REGION, slots, found, text!("that of `{src0}` or `{src1}`", src0, src1)))
        }
        _ => Verdict::Dynamic,
    }
}

/// Whether two extents are equal, when that is known.
pub(super) const fn equal(a: Dim, b: Dim) -> Option<bool> {
    match (a, b) {
        (Dim::Fixed(a), Dim::Fixed(b)) => Some(a == b),
        _ => None,
    }
}

/// Whether two tiles have the same valid region, when that is known.
pub(super) fn same_valid(a: &TileType, b: &TileType) -> Option<bool> {
    match (equal(a.valid_rows, b.valid_rows), equal(a.valid_cols, b.valid_cols)) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// A valid region for messages, `16x8` for example.
pub(super) fn valid_text(t: &TileType) -> String {
    format!("{}x{}", t.valid_rows, t.valid_cols)
}

/// True when the type says that nothing is valid, in either direction; such an instruction does nothing.
pub(super) fn is_nothing(t: &TileType) -> bool {
    t.valid_rows == Dim::Fixed(0) && t.valid_cols == Dim::Fixed(0)
}

/// True when the type says that no row or no column is valid, so that no element is.
pub(super) fn is_empty(t: &TileType) -> bool {
    t.valid_rows == Dim::Fixed(0) || t.valid_cols == Dim::Fixed(0)
}

/// True when the type fixes the valid region.
fn is_known(t: &TileType) -> bool {
    t.valid_rows.fixed().is_some() && t.valid_cols.fixed().is_some()
}

/// An extent has the value it must have; the message is made when it does not.
pub(super) fn require_equal(got: Dim, want: Dim, broken: impl FnOnce() -> Broken) -> Verdict {
    equal(got, want).map_or(Verdict::Dynamic, |ok| Verdict::require(ok, broken))
}

/// The first broken verdict; else whether one must wait for run time.
pub(super) fn all<const N: usize>(verdicts: [Verdict; N]) -> Verdict {
    let mut result = Verdict::Holds;
    for verdict in verdicts {
        match verdict {
            Verdict::Holds => {}
            Verdict::Dynamic => result = Verdict::Dynamic,
            broken => return broken,
        }
    }
    result
}

const NOT_FILLED: &str = "Where neither source is valid, a5 leaves elements without a meaning and a run on the host leaves them as they were; on a2a3 the instruction then does nothing at all, so there dst must have the valid region of one source.";
const ARG_NOT_FILLED: &str = "On a2a3 a combination of valid regions outside the rule makes the instruction do nothing; on a5 only a debug build notices.";

family! { Partial, "pto", partial;
    /// Sum where both tiles are valid, else a copy of the valid one.
    ///
    /// `dst[i,j] = src0[i,j] + src1[i,j]` where both sources are valid at `(i,j)`; where only one is, its element is
    /// copied. Works over the valid region of `dst`, which is that of one source; the region of the other lies inside
    /// it. Nothing happens when the valid region of `dst` is empty. Integers wrap.
    ///
    /// On a2a3 copies move whole 32-byte blocks, so elements of `dst` after its valid columns may change.
    tpartadd: PARTIAL
        .hazards(hazards::PARTIAL)
        .types(A2A3, &[I32, I16, F16, F32])
        .types(A5, &[I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32])
        .cpp("TPARTADD")
        .page("docs/isa/TPARTADD.md")
        .notes(&[NOT_FILLED])
        .bytecode(0x1041, 3);

    /// Product where both tiles are valid, else a copy of the valid one.
    ///
    /// `dst[i,j] = src0[i,j] * src1[i,j]` where both sources are valid at `(i,j)`; where only one is, its element is
    /// copied. Works over the valid region of `dst`, which is that of one source; the region of the other lies inside
    /// it. Nothing happens when the valid region of `dst` is empty. Integers wrap.
    ///
    /// On a2a3 copies move whole 32-byte blocks, so elements of `dst` after its valid columns may change.
    tpartmul: PARTIAL
        .hazards(hazards::PARTIAL)
        .types(A2A3, &[I32, I16, F16, F32])
        .types(A5, &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32])
        .cpp("TPARTMUL")
        .page("docs/isa/TPARTMUL.md")
        .notes(&[NOT_FILLED])
        .bytecode(0x1044, 3);

    /// Maximum where both tiles are valid, else a copy of the valid one.
    ///
    /// `dst[i,j] = max(src0[i,j], src1[i,j])` where both sources are valid at `(i,j)`; where only one is, its element
    /// is copied. Works over the valid region of `dst`, which is that of one source; the region of the other lies inside
    /// it. Nothing happens when the valid region of `dst` is empty. NaN and signed zero as in `tmax`.
    ///
    /// On a2a3 copies move whole 32-byte blocks, so elements of `dst` after its valid columns may change.
    tpartmax: PARTIAL
        .hazards(hazards::PARTIAL)
        .types(A2A3, &[I32, I16, F16, F32])
        .types(A5, &[I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32])
        .cpp("TPARTMAX")
        .page("docs/isa/TPARTMAX.md")
        .notes(&[NOT_FILLED, "The public assembler also wants equal physical shapes; the device headers do not."])
        .bytecode(0x1042, 3);

    /// Minimum where both tiles are valid, else a copy of the valid one.
    ///
    /// `dst[i,j] = min(src0[i,j], src1[i,j])` where both sources are valid at `(i,j)`; where only one is, its element
    /// is copied. Works over the valid region of `dst`, which is that of one source; the region of the other lies inside
    /// it. Nothing happens when the valid region of `dst` is empty. NaN and signed zero as in `tmin`.
    ///
    /// On a2a3 copies move whole 32-byte blocks, so elements of `dst` after its valid columns may change.
    tpartmin: PARTIAL
        .hazards(hazards::PARTIAL)
        .types(A2A3, &[I32, I16, F16, F32])
        .types(A5, &[I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32])
        .cpp("TPARTMIN")
        .page("docs/isa/TPARTMIN.md")
        .notes(&[NOT_FILLED, "The public assembler also wants equal physical shapes; the device headers do not."])
        .bytecode(0x1043, 3);

    /// Elementwise maximum of two value tiles that takes the index of the larger value along.
    ///
    /// Over the valid region of `dst_val`: where both sources are valid, `(dst_val, dst_idx) = (src0_val, src0_idx)`
    /// if `src0_val > src1_val`, else `(src1_val, src1_idx)`; equal values therefore give `src1`. Where only one
    /// source is valid, its value and index are copied.
    ///
    /// Value and index of a pair have the same valid region; that of `dst_val` is the region of `src0_val` or of
    /// `src1_val`, and the other may be smaller or larger. With f16 values indices have 16 bits, with f32 values 32 bits.
    /// Nothing happens when the valid region of `dst_val` is empty. Indices are moved as bits, never computed with.
    tpartargmax: PARTIAL_ARG
        .hazards(hazards::PARTIAL_ARG)
        .rules(&[(
            Targets::ALL,
            Rule::Elems(&["src0_val", "src0_idx"], &[&[F16, I16], &[F16, U16], &[F32, I32], &[F32, U32]]),
        )])
        .cpp("TPARTARGMAX")
        .cpp_args(&["dst_val", "src0_val", "src1_val", "dst_idx", "src0_idx", "src1_idx"])
        .page("docs/isa/TPARTARGMAX.md")
        .decided(&[
            "Regions: `dst_val` has the valid region of one source, so that each of its elements is valid in at least one. The \
             other source may have a smaller or larger region. Patterns that the page leaves to the implementation are errors.",
            "Ties: src1, as in the formula of the page. The A2/A3 and A5 headers take src0; `--numerics a2a3` and \
             `--numerics a5` do as they do.",
            "NaN: never greater, so a NaN in either value gives src1.",
            "An empty valid region of `dst_val` does nothing, whatever the regions of the sources.",
        ])
        .notes(&[
            "Equal values: the page says src1; the a2a3 and a5 headers take src0.",
            "A NaN in either value selects src1 on a2a3 and src0 on a5.",
            "Device headers also take 32-bit indices with f16 values; the page does not.",
            ARG_NOT_FILLED,
        ]);

    /// Elementwise minimum of two value tiles that takes the index of the smaller value along.
    ///
    /// Over the valid region of `dst_val`: where both sources are valid, `(dst_val, dst_idx) = (src0_val, src0_idx)`
    /// if `src0_val < src1_val`, else `(src1_val, src1_idx)`; equal values therefore give `src1`. Where only one
    /// source is valid, its value and index are copied.
    ///
    /// Value and index of a pair have the same valid region; that of `dst_val` is the region of `src0_val` or of
    /// `src1_val`, and the other may be smaller or larger. With f16 values indices have 16 or 32 bits, with f32 values 32.
    /// Nothing happens when the valid region of `dst_val` is empty. Indices are moved as bits, never computed with.
    tpartargmin: PARTIAL_ARG
        .hazards(hazards::PARTIAL_ARG)
        .rules(&[(
            Targets::ALL,
            Rule::Elems(
                &["src0_val", "src0_idx"],
                &[&[F16, I16], &[F16, U16], &[F16, I32], &[F16, U32], &[F32, I32], &[F32, U32]],
            ),
        )])
        .cpp("TPARTARGMIN")
        .cpp_args(&["dst_val", "src0_val", "src1_val", "dst_idx", "src0_idx", "src1_idx"])
        .page("docs/isa/TPARTARGMIN.md")
        .notes(&[
            "Equal values: the page says src1; the a2a3 and a5 headers take src0.",
            "A NaN in either value selects src1 on a2a3 and src0 on a5.",
            ARG_NOT_FILLED,
        ]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleArg;
    use crate::{DType, Loc, Type};

    /// The first diagnostic for `tpartargmax` on tiles of these types and valid regions, in text order.
    fn check(target: crate::Target, tiles: [(DType, u64, u64); 6]) -> Option<codes::Code> {
        let types = tiles
            .map(|(d, r, c)| Type::TileBuf(TileType::new(Loc::Vec, d, 16, 32).valid(Dim::Fixed(r), Dim::Fixed(c))));
        let args: Vec<RuleArg> = (0u8..).zip(&types).map(|(slot, ty)| RuleArg { slot, ty, value: None }).collect();
        let i = Instance { row: op::tpartargmax.row(), target, manual: false, args: &args, attrs: &[] };
        i.check().0.first().map(|b| b.code)
    }

    fn tiles(val: DType, idx: DType) -> [(DType, u64, u64); 6] {
        [val, val, idx, idx, val, idx].map(|d| (d, 16, 32))
    }

    #[test]
    fn indices_are_as_wide_as_the_values() {
        for target in crate::Target::ALL {
            for (val, idx) in [(F16, I16), (F16, U16), (F32, I32), (F32, U32)] {
                assert_eq!(check(target, tiles(val, idx)), None);
            }
            for (val, idx) in [(F16, I32), (F32, I16)] {
                assert_eq!(check(target, tiles(val, idx)), Some(codes::ELEM_COMBINATION));
            }
            assert_eq!(check(target, tiles(I32, I32)), Some(codes::ELEM_TYPE));
            assert_eq!(check(target, tiles(F32, I8)), Some(codes::ELEM_TYPE));
        }
    }

    #[test]
    fn one_source_may_be_smaller_with_its_indices() {
        let with = |changes: &[usize], r: u64, c: u64| {
            let mut all = tiles(F32, U32);
            for &at in changes {
                (all[at].1, all[at].2) = (r, c);
            }
            check(A5, all)
        };
        assert_eq!(with(&[0, 2], 8, 32), None);
        assert_eq!(with(&[1, 3], 16, 8), None);
        assert_eq!(with(&[1, 3], 0, 0), None);
        assert_eq!(with(&[0, 1, 2, 3, 4, 5], 0, 0), None);
        assert_eq!(with(&[1], 16, 8), Some(codes::VALID_REGION));
        assert_eq!(with(&[0, 1, 2, 3], 8, 32), Some(codes::VALID_REGION));
        // The second source is larger than the destination: valid wherever it is read.
        assert_eq!(with(&[0, 2, 4, 5], 8, 32), None);
    }
}

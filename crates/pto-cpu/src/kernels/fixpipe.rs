//! The way out of the accumulator: casts, quantisation and ReLU, into other on-chip memories and into global memory.
//!
//! Numbers are converted a row of a box at a time ([`convert`]); where results go is a matter of the two layouts.

mod convert;

use super::combine::{Combine, Combiner, combiner, exclusive};
use super::moved::{MoveCall, MoveKind};
use super::place::{CopyRegion, ElementMap, pieces};
use super::{blocks, transfer, window};
use convert::{Band, BandFn, CONVERSIONS, ColumnWords, FixpipeConversion, LANES};
use pto_isa::{DType, Loc, Type};
use pto_num::{CpuLevel, F16, Level};
use pto_vector::{Body, Call, Fault, KernelCut, OpKernel, Prepared, Site, TileRef};

/// `tstore` and `tstore_fp` from an accumulator; everything else is [`transfer`]'s.
pub(super) const STORE: OpKernel =
    OpKernel::taking(&["src", "fp"], &["dst"], &["$atomic", "pre_quant"], prepare_store).cut(KernelCut::ELEMENTS);

/// A call of a store.
type StoreCall<'a> = Call<'a, 2, 1, 2>;

/// What is known about a conversion before it runs, as it travels with a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct OutForm {
    relu: bool,
    quant: QuantSource,
    /// 8-bit results are signed where the words do not say.
    signed: bool,
    share: Share,
}

/// Where the parameters of a quantisation come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum QuantSource {
    None,
    /// A word for all.
    Scalar,
    /// A word for each column.
    Words,
    /// A scale for each column.
    F32,
    F16,
}

/// The part of an accumulator that the vector core gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Share {
    All,
    /// Half of the rows: this core is the first of two.
    Rows,
    /// Half of the columns.
    Cols,
}

/// Where the number of the conversion stands among the bits of a form.
const NUMBER: u32 = 24;

impl OutForm {
    fn of(site: &Site) -> Option<Self> {
        let relu = match site.attr("reluPreMode") {
            None | Some("no_relu") => false,
            Some("normal_relu") => true,
            Some(_) => return None,
        };
        let quant = match site.tile("fp").map(|t| t.dtype) {
            None if site.instance.given("pre_quant") => QuantSource::Scalar,
            None => QuantSource::None,
            Some(DType::U64 | DType::I64) => QuantSource::Words,
            Some(DType::F32) => QuantSource::F32,
            Some(DType::F16) => QuantSource::F16,
            Some(_) => return None,
        };
        let mode = site.instance.attr("accToVecMode").and_then(|m| m.enum_name());
        let share = match mode {
            Some("dual_mode_split_m") => Share::Rows,
            Some("dual_mode_split_n") => Share::Cols,
            _ => Share::All,
        };
        let signed = site.instance.ty("dst").and_then(Type::elem) == Some(DType::I8);
        Some(Self { relu, quant, signed, share })
    }

    fn imm(self) -> u64 {
        u64::from(self.relu) | u64::from(self.signed) << 1 | (self.quant as u64) << 8 | (self.share as u64) << 16
    }

    /// What a call was prepared for, and its conversion.
    fn from_imm(imm: u64) -> (Self, &'static FixpipeConversion) {
        const QUANTS: [QuantSource; 5] =
            [QuantSource::None, QuantSource::Scalar, QuantSource::Words, QuantSource::F32, QuantSource::F16];
        const SHARES: [Share; 3] = [Share::All, Share::Rows, Share::Cols];
        let form = Self {
            relu: imm & 1 == 1,
            signed: imm >> 1 & 1 == 1,
            quant: QUANTS[(imm >> 8) as usize & 0xff],
            share: SHARES[(imm >> 16) as usize & 0xff],
        };
        (form, &CONVERSIONS[(imm >> NUMBER) as usize])
    }
}

/// Moves out of the accumulator.
pub(super) fn prepare_move(site: &Site, kind: MoveKind) -> Option<Prepared<3, 0, 3>> {
    let form = OutForm::of(site)?;
    let (from, to) = (site.tile("src")?.dtype, site.tile("dst")?.dtype);
    let number = FixpipeConversion::number(from, to, form.quant != QuantSource::None)?;
    Some(Prepared::new::<MoveOut>(site, true).with([form.imm() | number << NUMBER, kind as u64]))
}

fn prepare_store(site: &Site) -> Option<Prepared<2, 1, 2>> {
    let src = site.tile("src")?;
    if src.loc != Loc::Acc {
        return transfer::prepare_store(site);
    }
    let form = OutForm::of(site)?;
    let to = site.instance.ty("dst").and_then(Type::elem)?;
    let combine = site.attr("atomicType").and_then(Combine::parse);
    if combine.is_some_and(|how| combiner(to, how).is_none()) {
        return None;
    }
    let (code, dtype) = (combine.map_or(0, Combine::code), DType::ALL.iter().position(|d| *d == to)? as u64);
    let number = FixpipeConversion::number(src.dtype, to, form.quant != QuantSource::None)?;
    let imm = [form.imm() | number << NUMBER, window::stated_layout(site)? | code << 8 | dtype << 16];
    Some(Prepared::new::<StoreOut>(site, true).with(imm))
}

/// Into another tile.
struct MoveOut;

impl Body<3, 0, 3> for MoveOut {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &MoveCall) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let ([src, dst, fp], [_, _, word]) = (call.tiles, call.scalars);
            let (form, conversion) = OutForm::from_imm(call.imm[0]);
            let region = moved(call, form);
            scales_reach(fp, form, region.from.1 + region.cols)?;
            let (Some(from), Some(to)) = (ElementMap::of_tile(src), ElementMap::of_tile(dst)) else {
                return Self::plain(call);
            };
            Out { form, conversion, fp, word: *word }.region::<L>(&from, &to, region);
            Ok(())
        }
    }

    unsafe fn plain(call: &MoveCall) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([src, dst, fp], [_, _, word]) = (call.tiles, call.scalars);
            let (form, conversion) = OutForm::from_imm(call.imm[0]);
            let region = moved(call, form);
            scales_reach(fp, form, region.from.1 + region.cols)?;
            let (out, size) = (Out { form, conversion, fp, word: *word }, unit(conversion.to));
            for r in 0..region.rows {
                for c in 0..region.cols {
                    let to = dst.index(region.to.0 + r, region.to.1 + c);
                    out.one(src, (region.from.0 + r, region.from.1 + c), dst.ptr().add(to * size));
                }
            }
            Ok(())
        }
    }
}

/// What a move copies, with the share of the vector core.
fn moved(call: &MoveCall, form: OutForm) -> CopyRegion {
    let mut region = CopyRegion::of(call, MoveKind::of(call));
    let [src, _, _] = call.tiles;
    match form.share {
        Share::All => {}
        Share::Rows => region.rows = region.rows.min(src.rows() / 2),
        Share::Cols => region.cols = region.cols.min(src.cols() / 2),
    }
    region
}

/// Into global memory.
struct StoreOut;

/// How a store combines with what is there: by its attribute, or else by the state of the core.
fn how_to_combine(call: &StoreCall) -> Option<Combiner> {
    let [state, _] = *call.scalars;
    let how = Combine::from_code(call.imm[1] >> 8 & 0xff).or_else(|| Combine::from_code(state))?;
    combiner(DType::ALL[(call.imm[1] >> 16) as usize & 0xff], how)
}

impl Body<2, 1, 2> for StoreOut {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &StoreCall) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let ([src, fp], [view], [_, word]) = (call.tiles, call.views, call.scalars);
            if src.rows() == 0 || src.cols() == 0 {
                return Ok(());
            }
            if how_to_combine(call).is_some() {
                return Self::plain(call);
            }
            let view = window::with_layout(view, call.imm[1] & 0xff);
            let (form, conversion) = OutForm::from_imm(call.imm[0]);
            window::check(src, &view, 8 * unit(conversion.to))?;
            scales_reach(fp, form, src.cols())?;
            let Some(from) = ElementMap::of_tile(src) else { return Self::plain(call) };
            let to = ElementMap::of_view(&view);
            let region = CopyRegion { rows: src.rows(), cols: src.cols(), from: (0, 0), to: (0, 0) };
            Out { form, conversion, fp, word: *word }.region::<L>(&from, &to, region);
            Ok(())
        }
    }

    unsafe fn plain(call: &StoreCall) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([src, fp], [view], [_, word]) = (call.tiles, call.views, call.scalars);
            if src.rows() == 0 || src.cols() == 0 {
                return Ok(());
            }
            let view = window::with_layout(view, call.imm[1] & 0xff);
            let (form, conversion) = OutForm::from_imm(call.imm[0]);
            let size = unit(conversion.to);
            window::check(src, &view, 8 * size)?;
            scales_reach(fp, form, src.cols())?;
            let combine = how_to_combine(call);
            let _lock = combine.map(|_| exclusive());
            let out = Out { form, conversion, fp, word: *word };
            for r in 0..src.rows() {
                for c in 0..src.cols() {
                    let to = view.start().wrapping_offset(window::map(&view, r, c) as isize * size as isize);
                    match combine {
                        Some(combine) => {
                            let mut value = 0_u64;
                            out.one(src, (r, c), (&raw mut value).cast());
                            combine((&raw const value).cast(), to);
                        }
                        None => out.one(src, (r, c), to),
                    }
                }
            }
            Ok(())
        }
    }
}

/// Words belong to columns; they must not be read past the end of their tile. Rules ensure that, except for pushes, whose
/// words are set elsewhere.
fn scales_reach(fp: &TileRef, form: OutForm, columns: usize) -> Result<(), Fault> {
    let words = if fp.rows() == 0 { 0 } else { fp.cols() };
    match form.quant {
        QuantSource::None | QuantSource::Scalar => Ok(()),
        QuantSource::Words | QuantSource::F32 | QuantSource::F16 if columns <= words => Ok(()),
        QuantSource::Words | QuantSource::F32 | QuantSource::F16 => Err(Fault::TooFewScales { columns, words }),
    }
}

/// Bytes of an element.
fn unit(dtype: DType) -> usize {
    dtype.unit_bytes() as usize
}

/// The parameters of a column of the accumulator.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn set_word(words: &mut ColumnWords, lane: usize, form: OutForm, fp: &TileRef, column: usize, word: u64) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        match form.quant {
            QuantSource::None => {}
            QuantSource::Scalar => words.set(lane, f32::from_bits(word as u32), word, word >> 46 & 1 == 1),
            QuantSource::Words => {
                let word = fp.ptr().cast::<u64>().add(fp.index(0, column)).read_unaligned();
                // Scales have ten bits of mantissa.
                words.set(lane, f32::from_bits(word as u32 & !0x1fff), word, word >> 46 & 1 == 1);
            }
            QuantSource::F32 => {
                let scale = fp.ptr().cast::<f32>().add(fp.index(0, column)).read_unaligned();
                words.set(lane, scale, 0, form.signed);
            }
            QuantSource::F16 => {
                let scale = F16(fp.ptr().cast::<u16>().add(fp.index(0, column)).read_unaligned());
                words.set(lane, scale.to_f32(), 0, form.signed);
            }
        }
    }
}

/// Rows that are worked on together: more would leave the cache before the next columns of the same lines are written.
const BAND: usize = 16;

/// How results are made.
struct Out<'a> {
    form: OutForm,
    conversion: &'static FixpipeConversion,
    fp: &'a TileRef<'a>,
    word: u64,
}

impl Out<'_> {
    /// One element of an accumulator, converted.
    ///
    /// # Safety
    /// The element must lie in the tile, and there must be room for a result at `to`.
    unsafe fn one(&self, src: &TileRef, (row, col): (usize, usize), to: *mut u8) {
        // SAFETY: as the caller says; every processor has the baseline.
        unsafe {
            let mut words = ColumnWords::NONE;
            set_word(&mut words, 0, self.form, self.fp, col, self.word);
            let code = self.conversion.band(CpuLevel::Baseline);
            code(&Band {
                src: src.ptr().cast::<u32>().add(src.index(row, col)),
                dst: to,
                rows: 1,
                cols: 1,
                src_strides: (0, 0),
                dst_strides: (0, 0),
                words: &words,
                relu: self.form.relu,
            });
        }
    }

    /// # Safety
    /// The region must lie in both places, which are those of operands of a call; the processor must have the instructions of
    /// this level.
    #[inline(always)]
    unsafe fn region<L: Level>(&self, from: &ElementMap, to: &ElementMap, region: CopyRegion) {
        // SAFETY: as the caller says.
        unsafe {
            if self.conversion.copies && !self.form.relu {
                return blocks::copy_region::<L>(from, to, region, unit(self.conversion.to));
            }
            self.bands(from, to, region, self.conversion.band(L::CPU));
        }
    }

    /// # Safety
    /// As [`Self::region`], for the code of a level that the processor has.
    #[inline(never)]
    unsafe fn bands(&self, from: &ElementMap, to: &ElementMap, region: CopyRegion, code: BandFn) {
        // SAFETY: the region lies in both places, which are those of operands of a call.
        unsafe {
            let size = unit(self.conversion.to);
            pieces(from, to, region, (BAND, LANES), |at| {
                let mut words = ColumnWords::NONE;
                for lane in 0..at.cols {
                    set_word(&mut words, lane, self.form, self.fp, region.from.1 + at.col + lane, self.word);
                }
                code(&Band {
                    src: from.start.cast::<u32>().add(at.src),
                    dst: to.start.add(at.dst * size),
                    rows: at.rows,
                    cols: at.cols,
                    src_strides: (from.rows.stride(), from.cols.stride()),
                    dst_strides: (to.rows.stride(), to.cols.stride()),
                    words: &words,
                    relu: self.form.relu,
                });
            });
        }
    }
}

//! Products of matrices.
//!
//! Every form is one sum per element of `dst`: it starts from zero, an accumulator or a bias, and takes in the products in
//! the order of `k`, or blocks of them in that order; see [`SumOrder`]. [`plain`] says just that. [`blocked`] keeps many sums in
//! registers at a time, [`tiles`] leaves them to the unit for matrices of a processor that has one; since each keeps its
//! order, all give the same bits.

mod blocked;
#[cfg(target_arch = "x86_64")]
mod bytes;
mod columns;
mod factor;
mod kept;
mod pack;
mod plain;
mod portable;
mod strip;
#[cfg(target_arch = "x86_64")]
mod tiles;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use factor::Rounding;
use factor::Scaling;
pub(crate) use kept::{KeptFactor, MOST_CHAINED, NextFactors, chaining, keeping, packing, restore_factor};
use pto_isa::{DType, Loc};
#[cfg(target_arch = "x86_64")]
use pto_num::CpuLevel;
use pto_vector::{Call, FactorUse, KernelFn, OpKernel, Prepared, Site, kernels};

pto_isa::matrix!(kernels);

const KERNELS: Kernels = Kernels {
    tmatmul: PRODUCT,
    tmatmul_acc: PRODUCT,
    tmatmul_bias: PRODUCT,
    tmatmul_mx: PRODUCT,
    tmatmul_mx_acc: PRODUCT,
    tmatmul_mx_bias: PRODUCT,
    tmatmul_mx_hif4: PRODUCT,
    tgemv: PRODUCT,
    tgemv_acc: PRODUCT,
    tgemv_bias: PRODUCT,
    tgemv_mx: PRODUCT,
    tgemv_mx_acc: PRODUCT,
    tgemv_mx_bias: PRODUCT,
    // These place a tile and set a state of the core; the engine does that itself.
    tget_scale_addr: OpKernel::MISSING,
    sethf32mode: OpKernel::MISSING,
    settf32mode: OpKernel::MISSING,
};

/// The state of a core that says how f32 operands are rounded; see [`factor::Rounding`].
pub(crate) const ROUNDING: &str = "$rounding";

/// Operands that a form does not have are absent.
const PRODUCT: OpKernel =
    OpKernel::taking(&["dst", "a", "b", "acc_in", "bias", "a_scale", "b_scale"], &[], &[ROUNDING], prepare)
        .factors(FactorUse::Multiplies);

/// A call of a product, and its code.
type ProductCall<'a> = Call<'a, 7, 0, 1>;
type ProductFn = KernelFn<7, 0, 1>;

/// What is known about a product before it runs, as it travels with a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ProductForm {
    a: DType,
    b: DType,
    a_scaling: Scaling,
    b_scaling: Scaling,
}

impl ProductForm {
    fn of(site: &Site) -> Option<Self> {
        let scaling = |slot: &str| match site.tile(slot).map(|t| t.dtype) {
            None => Some(Scaling::None),
            Some(DType::U8) => Some(Scaling::Cells),
            Some(DType::F8E8M0) => Some(Scaling::Exponents),
            Some(DType::F16) => Some(Scaling::Factors),
            Some(_) => None,
        };
        Some(Self {
            a: site.tile("a")?.dtype,
            b: site.tile("b")?.dtype,
            a_scaling: scaling("a_scale")?,
            b_scaling: scaling("b_scale")?,
        })
    }

    fn imm(self) -> [u64; 2] {
        let scalings = (self.a_scaling as u64) << 16 | (self.b_scaling as u64) << 24;
        [self.a as u64 | (self.b as u64) << 8 | scalings, 0]
    }

    fn from_call(call: &ProductCall) -> Self {
        let byte = |i: u32| (call.imm[0] >> (8 * i)) as usize & 0xff;
        Self {
            a: DType::ALL[byte(0)],
            b: DType::ALL[byte(1)],
            a_scaling: Scaling::ALL[byte(2)],
            b_scaling: Scaling::ALL[byte(3)],
        }
    }

    /// How the sums of this form take in products.
    fn sums(self) -> SumOrder {
        use DType::{F16, F32, I8};
        let has_more_bits = |dtype, scaling| matches!(dtype, F32 | F16) || scaling == Scaling::Factors;
        match self.a {
            I8 => SumOrder::Integers,
            _ if has_more_bits(self.a, self.a_scaling) || has_more_bits(self.b, self.b_scaling) => SumOrder::Steps,
            _ => SumOrder::Blocks,
        }
    }
}

/// How a sum takes in products.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SumOrder {
    /// In i32, where the order does not matter.
    Integers,
    /// In f32, one after the other, each with one rounding.
    Steps,
    /// In f32, in blocks of [`strip::BLOCK`]: the products of a block with even `k` are summed from +0, those with odd `k` too,
    /// the two are added, and the sum takes in that. Units for matrices work so; bf16 holds all factors of these forms.
    Blocks,
}

fn prepare(site: &Site) -> Option<Prepared<7, 0, 1>> {
    let form = ProductForm::of(site)?;
    let dst = site.tile("dst")?;
    let sums = form.sums();
    let result = if sums == SumOrder::Integers { DType::I32 } else { DType::F32 };
    let decodes =
        factor::decodes(form.a) && factor::decodes(form.b) && (sums == SumOrder::Integers) == (form.b == DType::I8);
    if dst.dtype != result || !decodes || !cells_fit(site, form) {
        return None;
    }
    let run = if site.plain { plain::run } else { fastest(sums, site) };
    Some(Prepared::of(run, form.imm()))
}

/// The matrix unit is not part of any level: a site that requests a level does not use it.
fn fastest(sums: SumOrder, site: &Site) -> ProductFn {
    #[cfg(target_arch = "x86_64")]
    if site.level.is_none() && site.cpu_level() == CpuLevel::V4 && tiles::are_there() {
        match sums {
            SumOrder::Integers => return tiles::integers,
            SumOrder::Blocks => return tiles::floats,
            SumOrder::Steps => {}
        }
    }
    blocked::run(sums, site.cpu_level())
}

/// Scale cells stand for 16 rows each, also where the operand has fewer.
fn cells_fit(site: &Site, form: ProductForm) -> bool {
    let fits = |scale: &str, operand: &str, scaling: Scaling| {
        let (Some(s), Some(t)) = (site.tile(scale), site.tile(operand)) else { return true };
        let (width, depth) = if t.loc == Loc::Left { (t.rows, t.cols) } else { (t.cols, t.rows) };
        scaling != Scaling::Cells || s.bytes() >= width.div_ceil(16) * depth.div_ceil(64) * 64
    };
    fits("a_scale", "a", form.a_scaling) && fits("b_scale", "b", form.b_scaling)
}

/// Rows, columns and depth of a product. The rules of the instruction make the operands agree.
fn extents(call: &ProductCall) -> (usize, usize, usize) {
    let [dst, a, b, ..] = call.tiles;
    (dst.rows().min(a.rows()), dst.cols().min(b.cols()), a.cols().min(b.rows()))
}

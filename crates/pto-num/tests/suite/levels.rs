//! Every level computes the same bits.

use pto_num::convert::{int_to_f32, integral, narrow, to_hif8, to_int};
use pto_num::math;
use pto_num::{
    Bf16, CpuLevel, F8E4M3, F8E5M2, F16, Hif8, Level, LevelKernel, ProductUnit, Round, Saturate, cpu_level,
    dispatch_at, most_product_unit,
};

const LANES: usize = 64;

/// A function of three numbers over chunks, as kernels use it.
struct Map<'a, F>(&'a [[f32; 3]], F);

trait Function: Copy {
    fn call<L: Level>(self, a: f32, b: f32, c: f32) -> u32;
}

impl<F: Function> LevelKernel for Map<'_, F> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<L: Level>(self) -> Vec<u32> {
        let mut results = vec![0; self.0.len()];
        for (from, to) in self.0.chunks_exact(LANES).zip(results.chunks_exact_mut(LANES)) {
            for i in 0..LANES {
                to[i] = self.1.call::<L>(from[i][0], from[i][1], from[i][2]);
            }
        }
        results
    }
}

fn levels() -> impl Iterator<Item = CpuLevel> {
    CpuLevel::ALL.into_iter().filter(|&level| level <= cpu_level())
}

/// Any NaN is the same as any other.
fn plain(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { f32::NAN.to_bits() } else { bits }
}

fn agree(name: &str, function: impl Function, inputs: &[[f32; 3]]) {
    let baseline = dispatch_at(CpuLevel::Baseline, Map(inputs, function));
    for level in levels() {
        let found = dispatch_at(level, Map(inputs, function));
        for ((input, a), b) in inputs.iter().zip(&baseline).zip(&found) {
            assert_eq!(plain(*a), plain(*b), "{name}{input:?} at {level:?}");
        }
    }
}

/// Bit patterns, ordinary numbers, and numbers close to each other.
fn inputs() -> Vec<[f32; 3]> {
    let mut random = crate::common::Random(31);
    let mut number = |mild: bool| {
        let bits = random.next() as u32;
        f32::from_bits(if mild { bits & 0x87ff_ffff | 0x3c00_0000 } else { bits })
    };
    let mut inputs: Vec<_> = (0..1 << 18).map(|i| [0; 3].map(|_| number(i % 2 == 0))).collect();
    inputs.extend(crate::common::boundaries().step_by(3).map(|x| [x, -x, x * 0.5]));
    inputs.extend(crate::common::near_integers().map(|x| [x, x, -x * x]));
    inputs.truncate(inputs.len() / LANES * LANES);
    inputs
}

macro_rules! functions {
    ($inputs:expr, $($name:ident = |$l:ident, $a:ident, $b:ident, $c:ident| $body:expr;)+) => { $( {
        #[derive(Clone, Copy)]
        struct Call;
        impl Function for Call {
            #[inline(always)]
            fn call<$l: Level>(self, $a: f32, $b: f32, $c: f32) -> u32 {
                let _ = ($a, $b, $c);
                $body
            }
        }
        agree(stringify!($name), Call, $inputs);
    } )+ };
}

#[test]
fn math_agrees() {
    functions! { &inputs(),
        exp = |L, a, b, c| math::exp::<L>(a).to_bits();
        ln = |L, a, b, c| math::ln(a).to_bits();
        rsqrt = |L, a, b, c| math::rsqrt(a).to_bits();
        recip = |L, a, b, c| math::recip(a).to_bits();
        sqrt = |L, a, b, c| math::sqrt(a).to_bits();
        tanh = |L, a, b, c| math::tanh::<L>(a).to_bits();
        pow = |L, a, b, c| math::pow(a, b).to_bits();
        fma = |L, a, b, c| L::fma(a, b, c).to_bits();
        fma_odd = |L, a, b, c| math::fma_odd(a, b, c).to_bits();
    }
}

/// The exponentials of numbers whose bits have a distance.
struct Exponentials(u32, u32);

impl LevelKernel for Exponentials {
    type Output = [u32; LANES];

    #[inline(always)]
    fn run<L: Level>(self) -> Self::Output {
        std::array::from_fn(|i| {
            let bits = self.0.wrapping_add(self.1.wrapping_mul(i as u32));
            plain(math::exp::<L>(f32::from_bits(bits)).to_bits())
        })
    }
}

/// Sums without a fused instruction are rounded twice, which for some operand could make a difference. `EXP_STEP=1` tries all numbers.
#[test]
fn exponentials_agree_everywhere() {
    let step = std::env::var("EXP_STEP").ok().and_then(|n| n.parse().ok()).unwrap_or(97);
    for start in (0..u32::MAX).step_by(step as usize * LANES) {
        let baseline = dispatch_at(CpuLevel::Baseline, Exponentials(start, step));
        for level in levels() {
            assert_eq!(dispatch_at(level, Exponentials(start, step)), baseline, "from {start:#x} at {level:?}");
        }
    }
}

#[test]
fn conversions_agree() {
    let inputs = inputs();
    macro_rules! modes {
        ($($round:ident)+) => { $( functions! { &inputs,
            integral = |L, a, b, c| integral(a, Round::$round).to_bits();
            f16 = |L, a, b, c| narrow::<F16>(a, Round::$round, Saturate::On).0 as u32;
            bf16 = |L, a, b, c| narrow::<Bf16>(a, Round::$round, Saturate::Off).0 as u32;
            f8e4m3 = |L, a, b, c| narrow::<F8E4M3>(a, Round::$round, Saturate::On).0 as u32;
            f8e5m2 = |L, a, b, c| narrow::<F8E5M2>(a, Round::$round, Saturate::Off).0 as u32;
            i32 = |L, a, b, c| to_int::<i32>(a, Round::$round, Saturate::Off) as u32;
            i8 = |L, a, b, c| to_int::<i8>(a, Round::$round, Saturate::On) as u32;
            u16 = |L, a, b, c| to_int::<u16>(a, Round::$round, Saturate::Off) as u32;
            from_i32 = |L, a, b, c| int_to_f32(a.to_bits() as i32, Round::$round).to_bits();
        } )+ };
    }
    modes!(Rint Round Floor Ceil Trunc Odd);
    functions! { &inputs,
        hif8 = |L, a, b, c| to_hif8(a, Saturate::On).0 as u32;
        from_hif8 = |L, a, b, c| Hif8(a.to_bits() as u8).to_f32().to_bits();
        from_f8e4m3 = |L, a, b, c| F8E4M3(a.to_bits() as u8).to_f32().to_bits();
        from_f8e5m2 = |L, a, b, c| F8E5M2(a.to_bits() as u8).to_f32().to_bits();
    }
}

/// Half precision there and back by the level's own instructions. Here even NaN has the same bits everywhere.
struct Halves<'a, const N: usize>(&'a [f32]);

impl<const N: usize> LevelKernel for Halves<'_, N> {
    type Output = (Vec<u16>, Vec<f32>);

    #[inline(always)]
    fn run<L: Level>(self) -> Self::Output {
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        for chunk in self.0.chunks_exact(N) {
            let (mut halves, mut back) = ([0; N], [0.0; N]);
            L::f32_to_f16(chunk.try_into().expect("a whole chunk"), &mut halves);
            L::f16_to_f32(&halves, &mut back);
            narrow.extend(halves);
            wide.extend(back);
        }
        (narrow, wide)
    }
}

fn halves_agree<const N: usize>(inputs: &[f32]) {
    for level in levels() {
        let (narrow, wide) = dispatch_at(level, Halves::<N>(inputs));
        for ((&x, half), back) in inputs.iter().zip(narrow).zip(wide) {
            assert_eq!(F16::from_f32(x).0, half, "{x:e} ({:#x}) at {level:?}", x.to_bits());
            assert_eq!(F16(half).to_f32().to_bits(), back.to_bits(), "{half:#x} at {level:?}");
        }
    }
}

#[test]
fn half_precision_agrees() {
    let inputs: Vec<f32> = crate::common::boundaries().chain(crate::common::random(32, 1 << 20)).collect();
    halves_agree::<64>(&inputs);
    halves_agree::<16>(&inputs);
    halves_agree::<21>(&inputs[..210_000]);
}

struct Widen<'a>(&'a [u16]);

impl LevelKernel for Widen<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run<L: Level>(self) -> Vec<f32> {
        let mut wide = vec![0.0; self.0.len()];
        for (from, to) in self.0.as_chunks::<64>().0.iter().zip(wide.as_chunks_mut::<64>().0) {
            L::f16_to_f32(from, to);
        }
        wide
    }
}

#[test]
fn every_half_widens_alike() {
    let codes: Vec<u16> = (0..=u16::MAX).collect();
    for level in levels() {
        for (code, wide) in codes.iter().zip(dispatch_at(level, Widen(&codes))) {
            assert_eq!(F16(*code).to_f32().to_bits(), wide.to_bits(), "{code:#x} at {level:?}");
        }
    }
}

/// Run by the test below, in a process of its own.
#[test]
fn level_is_expected() {
    if let Ok(name) = std::env::var("PTO_EXPECTED_LEVEL") {
        assert_eq!(cpu_level().name(), name);
        assert_eq!(Some(most_product_unit().name()), std::env::var("PTO_EXPECTED_UNIT").ok().as_deref());
    }
}

#[test]
fn the_environment_lowers_the_level() {
    let runs = |asked: &str, level: CpuLevel, unit: ProductUnit| {
        let program = std::env::current_exe().expect("a path");
        let mut run = std::process::Command::new(program);
        run.args(["--exact", "levels::level_is_expected"]).env("PTO_CPU_LEVEL", asked);
        run.env("PTO_EXPECTED_LEVEL", level.name()).env("PTO_EXPECTED_UNIT", unit.name());
        let output = run.output().expect("a run");
        assert!(output.status.success(), "{asked}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "the test was not found");
    };
    for asked in CpuLevel::ALL {
        runs(asked.name(), asked.min(cpu_level()), ProductUnit::None);
    }
    for unit in &ProductUnit::ALL[1..] {
        runs(unit.name(), cpu_level(), *unit);
    }
    runs("", cpu_level(), ProductUnit::Matrix);
}

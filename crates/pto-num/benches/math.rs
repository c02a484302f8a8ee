//! Nanoseconds per element on one core: each function at each level the processor has, and a plain loop over the
//! standard library.
//!
//! Each figure is the shortest of many short runs, which are spread over the whole time, since other work on the machine
//! comes and goes. Compare figures of one run only.

use pto_num::convert::{self, narrow, to_int};
use pto_num::{Bf16, CpuLevel, F8E4M3, F16, Float, Level, LevelKernel, Round, Saturate, cpu_level, dispatch_at, math};
use std::hint::black_box;
use std::time::Instant;

const LANES: usize = 64;
/// Small enough for the first cache with source and destination.
const CHUNKS: usize = 32;
const REPEAT: usize = 16;
const ROUNDS: usize = 300;

/// Aligned like a tile: no vector crosses a cache line.
#[repr(align(64))]
struct Chunk([f32; LANES]);

/// One function as kernels use it, and as a program without this crate would write it.
trait Function: Copy {
    const NAME: &'static str;
    fn chunk<L: Level>(src: &[f32; LANES], dst: &mut [f32; LANES]);
    fn plain(x: f32) -> f32;
}

struct Map<'a, F: Function>(&'a [Chunk], &'a mut [Chunk], F);

impl<F: Function> LevelKernel for Map<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self) {
        for (src, dst) in self.0.iter().zip(self.1) {
            F::chunk::<L>(&src.0, &mut dst.0);
        }
    }
}

#[inline(never)]
fn at<F: Function>(level: CpuLevel, src: &[Chunk], dst: &mut [Chunk], f: F) {
    dispatch_at(level, Map(src, dst, f));
}

#[inline(never)]
fn plain<F: Function>(src: &[Chunk], dst: &mut [Chunk], _: F) {
    for (src, dst) in src.iter().zip(dst) {
        for i in 0..LANES {
            dst.0[i] = F::plain(src.0[i]);
        }
    }
}

fn time(best: &mut f64, mut work: impl FnMut()) {
    let start = Instant::now();
    (0..REPEAT).for_each(|_| work());
    *best = best.min(start.elapsed().as_nanos() as f64 / (REPEAT * CHUNKS * LANES) as f64);
}

macro_rules! functions {
    ($($name:ident: $fast:expr, $plain:expr;)+) => {
        $(
            #[allow(non_camel_case_types, reason = "named like the function")]
            #[derive(Clone, Copy)]
            struct $name;

            impl Function for $name {
                const NAME: &'static str = stringify!($name);

                #[inline(always)]
                fn chunk<L: Level>(src: &[f32; LANES], dst: &mut [f32; LANES]) {
                    for i in 0..LANES {
                        dst[i] = $fast(src[i]);
                    }
                }

                #[inline(always)]
                fn plain(x: f32) -> f32 {
                    $plain(x)
                }
            }
        )+

        fn round(src: &[Chunk], dst: &mut [Chunk], best: &mut Vec<(&'static str, [f64; 4])>) {
            let mut index = 0;
            $( measure($name, src, dst, best, &mut index); )+
            measure(half_there_and_back, src, dst, best, &mut index);
            measure(fused, src, dst, best, &mut index);
        }
    };
}

fn measure<F: Function>(
    f: F,
    src: &[Chunk],
    dst: &mut [Chunk],
    best: &mut Vec<(&'static str, [f64; 4])>,
    index: &mut usize,
) {
    if best.len() == *index {
        best.push((F::NAME, [f64::INFINITY; 4]));
    }
    let times = &mut best[*index].1;
    *index += 1;
    for (level, time_at) in CpuLevel::ALL.into_iter().zip(times.iter_mut()) {
        if level <= cpu_level() {
            time(time_at, || at(level, black_box(src), black_box(dst), f));
        }
    }
    time(&mut times[3], || plain(black_box(src), black_box(dst), f));
}

functions! {
    copy: |x: f32| x, |x: f32| x;
    exp: math::exp::<L>, f32::exp;
    ln: math::ln, f32::ln;
    rsqrt: math::rsqrt, |x: f32| 1.0 / x.sqrt();
    recip: math::recip, |x: f32| 1.0 / x;
    sqrt: math::sqrt, f32::sqrt;
    tanh: math::tanh::<L>, f32::tanh;
    pow: |x| math::pow(x, 1.7), |x: f32| x.powf(1.7);
    fmod: |x| math::fmod(x, 1.7), |x: f32| x % 1.7;
    round_away: |x| convert::integral(x, Round::Round), f32::round;
    to_i8: |x| to_int::<i8>(x, Round::Rint, Saturate::On) as f32, |x: f32| x.round_ties_even() as i8 as f32;
    to_i16_wrapping: |x| to_int::<i16>(x, Round::Trunc, Saturate::Off) as f32, |x: f32| x as i64 as i16 as f32;
    to_bf16: |x| Bf16::from_f32(x).to_f32(), |x: f32| exact::<Bf16>(x, Round::Rint);
    to_f16_floor: |x| narrow::<F16>(x, Round::Floor, Saturate::On).to_f32(), |x: f32| exact::<F16>(x, Round::Floor);
    to_f8e4m3: |x| F8E4M3::from_f32(x).to_f32(), |x: f32| exact::<F8E4M3>(x, Round::Rint);
    to_hif8: |x| convert::to_hif8(x, Saturate::On).to_f32(), |x: f32| exact::<pto_num::Hif8>(x, Round::Round);
}

/// The reference conversion, there and back.
fn exact<F: Float>(x: f32, round: Round) -> f32 {
    F::round(x, round, Saturate::On).to_f32()
}

#[allow(non_camel_case_types, reason = "named like the function")]
#[derive(Clone, Copy)]
struct half_there_and_back;

impl Function for half_there_and_back {
    const NAME: &'static str = "to_f16";

    #[inline(always)]
    fn chunk<L: Level>(src: &[f32; LANES], dst: &mut [f32; LANES]) {
        let mut half = [0; LANES];
        L::f32_to_f16(src, &mut half);
        L::f16_to_f32(&half, dst);
    }

    fn plain(x: f32) -> f32 {
        exact::<F16>(x, Round::Rint)
    }
}

#[allow(non_camel_case_types, reason = "named like the function")]
#[derive(Clone, Copy)]
struct fused;

impl Function for fused {
    const NAME: &'static str = "fma";

    #[inline(always)]
    fn chunk<L: Level>(src: &[f32; LANES], dst: &mut [f32; LANES]) {
        for i in 0..LANES {
            dst[i] = L::fma(src[i], src[i], 0.1);
        }
    }

    fn plain(x: f32) -> f32 {
        x.mul_add(x, 0.1)
    }
}

fn main() {
    let src: Vec<Chunk> =
        (0..CHUNKS).map(|c| Chunk(std::array::from_fn(|i| 0.01 + (c * LANES + i) as f32 * 0.02))).collect();
    let mut dst: Vec<Chunk> = (0..CHUNKS).map(|_| Chunk([0.0; LANES])).collect();
    let mut best = Vec::new();
    (0..ROUNDS).for_each(|_| round(&src, &mut dst, &mut best));
    println!("ns per element      baseline        v3        v4   std loop");
    for (name, times) in best {
        println!(
            "{name:18} {}",
            times.map(|t| if t.is_finite() { format!("{t:9.3}") } else { "        -".into() }).join(" ")
        );
    }
    println!("The last column of a conversion is the exact reference.");
}

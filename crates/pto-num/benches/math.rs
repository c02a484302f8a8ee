//! Nanoseconds per element of each function at each level the processor has, next to a loop over the standard library.

use pto_num::math;
use std::hint::black_box;
use std::time::Instant;

const LANES: usize = 64;
const CHUNKS: usize = 64;
type Chunk = [f32; LANES];

#[inline(always)]
fn map(f: impl Fn(f32) -> f32, src: &[Chunk], dst: &mut [Chunk]) {
    for (s, d) in src.iter().zip(dst) {
        for i in 0..LANES {
            d[i] = f(s[i]);
        }
    }
}

/// One function compiled for each level.
macro_rules! levels {
    ($($name:ident: $f:expr;)+) => { $(
        mod $name {
            use super::*;

            #[inline(never)]
            pub fn baseline(src: &[Chunk], dst: &mut [Chunk]) {
                map(#[inline(always)] |x| $f(x), src, dst);
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
            #[inline(never)]
            pub fn v3(src: &[Chunk], dst: &mut [Chunk]) {
                map(#[inline(always)] |x| $f(x), src, dst);
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
            #[inline(never)]
            pub fn v4(src: &[Chunk], dst: &mut [Chunk]) {
                map(#[inline(always)] |x| $f(x), src, dst);
            }
        }
    )+ };
}
levels! {
    exp: math::exp;
    ln: math::ln;
    rsqrt: math::rsqrt;
    recip: math::recip;
    sqrt: math::sqrt;
    copy: core::convert::identity;
}

fn time(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..40 {
        let start = Instant::now();
        for _ in 0..20 {
            work();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / (20 * LANES * CHUNKS) as f64);
    }
    best
}

fn main() {
    let src: Vec<Chunk> = (0..CHUNKS).map(|c| std::array::from_fn(|i| 0.01 + (c * LANES + i) as f32 * 0.01)).collect();
    let mut dst = vec![[0f32; LANES]; CHUNKS];
    macro_rules! bench {
        ($name:ident, $std:expr) => {{
            let base = time(|| $name::baseline(black_box(&src), black_box(&mut dst)));
            // SAFETY: for now this machine.
            let v3 = time(|| unsafe { $name::v3(black_box(&src), black_box(&mut dst)) });
            let v4 = time(|| unsafe { $name::v4(black_box(&src), black_box(&mut dst)) });
            let std = time(|| {
                let f: fn(f32) -> f32 = black_box($std);
                map(f, black_box(&src), black_box(&mut dst))
            });
            println!("{:8} base {base:.3} v3 {v3:.3} v4 {v4:.3} libm {std:.3}", stringify!($name));
        }};
    }
    bench!(copy, |x| x);
    bench!(exp, f32::exp);
    bench!(ln, f32::ln);
    bench!(rsqrt, |x| 1.0 / x.sqrt());
    bench!(recip, |x| 1.0 / x);
    bench!(sqrt, f32::sqrt);
}

//! How far the elementary functions are from the truth.

use crate::common::{boundaries, patterns, random};
use pto_num::math;
use pto_num::{Baseline, Bf16, F16};

/// The distance between a result and the true value, in units of the last place of the true value.
fn ulps(result: f32, truth: f64) -> f64 {
    let nearest = truth as f32;
    if result.to_bits() == nearest.to_bits() || (result.is_nan() && nearest.is_nan()) {
        return 0.0;
    }
    if !result.is_finite() || !nearest.is_finite() || result.is_sign_negative() != nearest.is_sign_negative() {
        return f64::INFINITY;
    }
    let exponent = (nearest.to_bits() >> 23 & 0xff).max(1) as i32;
    (result as f64 - truth).abs() / 2f64.powi(exponent - 150)
}

struct Function {
    name: &'static str,
    fast: fn(f32) -> f32,
    truth: fn(f64) -> f64,
    limit: f64,
}

const FUNCTIONS: [Function; 6] = [
    Function { name: "exp", fast: math::exp::<Baseline>, truth: f64::exp, limit: 0.95 },
    Function { name: "ln", fast: math::ln, truth: f64::ln, limit: 1.0 },
    Function { name: "rsqrt", fast: math::rsqrt, truth: |x| 1.0 / x.sqrt(), limit: 1.0 },
    Function { name: "recip", fast: math::recip, truth: |x| 1.0 / x, limit: 0.5 },
    Function { name: "sqrt", fast: math::sqrt, truth: f64::sqrt, limit: 0.5 },
    Function { name: "tanh", fast: math::tanh::<Baseline>, truth: f64::tanh, limit: 1.5 },
];

impl Function {
    /// The largest error and where it is.
    fn worst(&self, inputs: impl Iterator<Item = f32>) -> (f64, f32) {
        let mut worst = (0.0, 0.0);
        for x in inputs {
            let error = ulps((self.fast)(x), (self.truth)(x as f64));
            if error > worst.0 {
                worst = (error, x);
            }
        }
        worst
    }

    fn check(&self, (error, at): (f64, f32)) {
        println!("{:6} {error:.3} ulp at {at:e} ({:#x})", self.name, at.to_bits());
        assert!(error <= self.limit, "{}({at:e}) = {:e} is {error} ulp off", self.name, (self.fast)(at));
    }
}

/// The surroundings of arguments where a function changes its way to compute, or its result overflows or underflows.
fn seams() -> impl Iterator<Item = f32> {
    let seams =
        [0.0, 88.722_83, -87.336_54, -103.97, -104.0, 2f32.powi(-126), 0.5f32.sqrt(), 2f32.sqrt(), 2f32.powi(-64)];
    let seams = seams.into_iter().chain([0.625, 9.01, 2f32.powi(126), 2f32.powi(-128), f32::INFINITY]);
    seams
        .flat_map(|x| (-2000i32..2000).map(move |d| f32::from_bits(x.to_bits().wrapping_add_signed(d))))
        .flat_map(|x| [x, -x])
}

#[test]
fn sampled() {
    for function in &FUNCTIONS {
        function.check(function.worst(seams().chain(boundaries()).chain(random(5, 1 << 21))));
    }
}

/// Half precision computes in single precision and rounds once; how often is that not the nearest value?
fn halves(name: &str, widen: fn(u16) -> f32, narrow: fn(f32) -> u16, allowed: [usize; 5]) {
    for (function, allowed) in FUNCTIONS.iter().zip(allowed) {
        let mut missed = 0;
        for code in 0..=u16::MAX {
            let x = widen(code);
            let truth = (function.truth)(x as f64);
            // Rounding the oracle twice would be no better: keep what single precision cuts off.
            let nearest = narrow(to_odd(truth));
            let found = narrow((function.fast)(x));
            let both_nan = truth.is_nan() && widen(found).is_nan();
            assert!(both_nan || found.abs_diff(nearest) <= 1, "{} {name} {x:e}", function.name);
            missed += (!both_nan && found != nearest) as usize;
        }
        println!("{name} {:6} {missed} of 65536 not nearest", function.name);
        assert!(missed <= allowed, "{} {name}: {missed}", function.name);
    }
}

/// To single precision, rounding to odd.
fn to_odd(x: f64) -> f32 {
    use pto_num::{Exact, Format, Round, Saturate};
    if x.is_infinite() {
        return x as f32;
    }
    f32::from_bits(Exact::from(x).encode(Format::F32, Round::Odd, Saturate::Off))
}

#[test]
fn sixteen_bits() {
    halves("f16", |c| F16(c).to_f32(), |x| F16::from_f32(x).0, [2, 1, 0, 0, 0]);
    halves("bf16", |c| Bf16(c).to_f32(), |x| Bf16::from_f32(x).0, [0; 5]);
}

/// Powers of values whose results are in range more often than not.
fn pairs(count: usize) -> impl Iterator<Item = (f32, f32)> {
    let mut random = crate::common::Random(11);
    (0..count).map(move |_| {
        let (a, b) = (random.next(), random.next());
        let wild = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let base = f32::from_bits(a as u32 & 0x7fff_ffff);
        let exponent = (b as u32 as f32 / 4_294_967_296.0 * 2.2 - 1.1) * 128.0 / base.log2();
        match b >> 62 {
            0 => wild,
            1 => (base, exponent),
            2 => (wild.0, (b >> 40) as u8 as f32 - 128.0),
            _ => (1.0 + ((a as i16) as f32) * 1e-6, ((b >> 32) as i32) as f32 * 1e-3),
        }
    })
}

#[test]
fn powers() {
    let mut worst = (0.0, (0.0, 0.0));
    for (x, y) in pairs(1 << 21) {
        let error = ulps(math::pow(x, y), (x as f64).powf(y as f64));
        if error > worst.0 {
            worst = (error, (x, y));
        }
    }
    println!("pow    {:.4} ulp at {:?}", worst.0, worst.1);
    assert!(worst.0 < 0.52, "{worst:?}");
}

#[test]
fn powers_of_special_values() {
    let inf = f32::INFINITY;
    let tiny = f32::from_bits(1);
    let values =
        [0.0, tiny, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 2.5, 8_388_607.5, 8_388_609.0, 16_777_215.0, 16_777_216.0, 1e30, inf];
    let values = || values.into_iter().flat_map(|v| [v, -v]).chain([f32::NAN]);
    for x in values() {
        for y in values() {
            // The standard library follows C99.
            let (found, truth) = (math::pow(x, y), (x as f64).powf(y as f64) as f32);
            let same = found.to_bits() == truth.to_bits() || (found.is_nan() && truth.is_nan());
            assert!(same, "pow({x}, {y}) = {found}, not {truth}");
        }
    }
}

#[test]
fn remainders() {
    let special =
        [0.0, f32::from_bits(1), f32::from_bits(0x7f_ffff), 1.0, 3.0, 1e38, f32::MAX, f32::INFINITY, f32::NAN];
    let special = || special.into_iter().flat_map(|v| [v, -v]);
    let edges = special().flat_map(|a| special().map(move |b| (a, b)));
    for (a, b) in edges.chain(pairs(1 << 20)) {
        let (found, truth) = (math::fmod(a, b), a % b);
        let same = found.to_bits() == truth.to_bits() || (found.is_nan() && truth.is_nan());
        assert!(same, "fmod({a:e}, {b:e}) = {found:e}, not {truth:e}");
    }
    assert_eq!([math::rem(-7.0, 3.0), math::rem(7.0, -3.0), math::rem(7.0, 3.0)], [2.0, -2.0, 1.0]);
    assert_eq!(math::rem(-6.0, 3.0).to_bits(), (-0.0f32).to_bits());
    assert!(math::rem(1.0, 0.0).is_nan());
}

#[test]
fn functions_all_over() {
    for function in &FUNCTIONS {
        let halves = std::thread::scope(|scope| {
            let half = |sign: u32| function.worst(patterns(sign));
            let other = scope.spawn(move || half(1));
            [half(0), other.join().expect("a result")]
        });
        function.check(if halves[0].0 > halves[1].0 { halves[0] } else { halves[1] });
    }
}

//! Programs as plain Rust loops.

use super::COLS;

/// From inputs to the result.
pub type ByHand = fn(&[Vec<f32>], &mut [f32]);

pub fn add(inputs: &[Vec<f32>], out: &mut [f32]) {
    for ((z, x), y) in out.iter_mut().zip(&inputs[0]).zip(&inputs[1]) {
        *z = x + y;
    }
}

pub fn softmax(inputs: &[Vec<f32>], out: &mut [f32]) {
    for (y, x) in out.chunks_exact_mut(COLS).zip(inputs[0].chunks_exact(COLS)) {
        let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut total = 0.0;
        for (y, x) in y.iter_mut().zip(x) {
            *y = (x - largest).exp();
            total += *y;
        }
        y.iter_mut().for_each(|y| *y /= total);
    }
}

pub fn rms_norm(inputs: &[Vec<f32>], out: &mut [f32]) {
    for (y, x) in out.chunks_exact_mut(COLS).zip(inputs[0].chunks_exact(COLS)) {
        let mean = x.iter().map(|x| x * x).sum::<f32>() / COLS as f32;
        let scale = 1.0 / (mean + 1e-5).sqrt();
        for ((y, x), w) in y.iter_mut().zip(x).zip(&inputs[1]) {
            *y = x * scale * w;
        }
    }
}

pub fn layer_norm(inputs: &[Vec<f32>], out: &mut [f32]) {
    for (y, x) in out.chunks_exact_mut(COLS).zip(inputs[0].chunks_exact(COLS)) {
        let mean = x.iter().sum::<f32>() / COLS as f32;
        let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / COLS as f32;
        let scale = 1.0 / (variance + 1e-5).sqrt();
        for (((y, x), w), b) in y.iter_mut().zip(x).zip(&inputs[1]).zip(&inputs[2]) {
            *y = (x - mean) * scale * w + b;
        }
    }
}

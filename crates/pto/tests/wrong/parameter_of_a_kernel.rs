// A kernel is given memory and scalars of the program, not Rust numbers.
use pto::tile::*;

#[pto::kernel]
fn scale(x: Gm<f32>, factor: f32) {
    x.store(0, factor);
}

fn main() {
    let _ = scale();
}

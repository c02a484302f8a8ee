// A kernel gives nothing back.
use pto::tile::*;

#[pto::kernel]
fn first(x: Gm<f32>) -> Scalar<f32> {
    x.load(0)
}

fn main() {
    let _ = first();
}

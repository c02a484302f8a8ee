// The parameters of a kernel have names.
use pto::tile::*;

#[pto::kernel]
fn nothing(_: Gm<f32>) {}

fn main() {
    let _ = nothing();
}

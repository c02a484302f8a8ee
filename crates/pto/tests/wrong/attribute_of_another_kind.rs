// A rounding mode is not a comparison.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, b, mut d) = (Tile::<Vector, f32, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new());
        let mut mask = Tile::<Vector, u8, 16, 32>::new();
        tcmps(&mut mask, &a, 0.0, RoundMode::Rint);
    });
}

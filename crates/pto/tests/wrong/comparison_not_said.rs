// Which comparison?
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, b, mut d) = (Tile::<Vec, f32, 16, 16>::new(), Tile::<Vec, f32, 16, 16>::new(), Tile::<Vec, f32, 16, 16>::new());
        let mut mask = Tile::<Vec, u8, 16, 32>::new();
        tcmps(&mut mask, &a, 0.0);
    });
}

// This instruction has no scratch tile.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, b, mut d) = (Tile::<Vector, f32, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new());
        let mut tmp = Tile::<Vector, f32, 16, 16>::new();
        tmax(&mut d, &a, &b).tmp(&mut tmp);
    });
}

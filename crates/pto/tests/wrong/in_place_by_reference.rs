// A tile cannot be borrowed to be read and written; `Same` reads what is written.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (mut t, u) = (Tile::<Vector, f32, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new());
        tadd(&mut t, &t, &u);
    });
}

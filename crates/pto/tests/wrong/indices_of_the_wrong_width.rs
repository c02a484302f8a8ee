// The indices of 32-bit values have 32 bits.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (v, mut dv) = (Tile::<Vector, f32, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new());
        let (i, mut di) = (Tile::<Vector, i16, 16, 16>::new(), Tile::<Vector, i16, 16, 16>::new());
        tpartargmax(&mut dv, &v, &v, &mut di, &i, &i);
    });
}

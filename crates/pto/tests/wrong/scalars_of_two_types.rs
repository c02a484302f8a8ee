// Scalars of two types are added.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, b): (Scalar<f32>, Scalar<i32>) = (1.0f32.scalar(), 2i32.scalar());
        let _sum = a + b;
    });
}

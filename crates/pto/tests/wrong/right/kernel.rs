// A kernel that builds: with it, the wrong ones are built as well, not only type-checked, and break the rules of tile types.
use pto::tile::*;

#[pto::kernel]
fn largest<const N: usize>(x: Gm<f32>, y: Gm<f32>) {
    let mut t = Tile::<Vector, f32, 16, 16>::new();
    for row in (0..N).step_by(16) {
        tload(&mut t, &x.view([N, 16]).part([row, 0], [16, 16]));
        tmaxs(&mut t, Same, 0.0);
        tstore(&mut y.view([N, 16]).part([row, 0], [16, 16]), &t);
    }
}

fn main() {
    let (x, mut y) = (vec![-1.0f32; 512], vec![1.0f32; 512]);
    let mut args = [pto::Arg::read(&x), pto::Arg::write(&mut y)];
    largest::<32>().run(pto::Target::A5, &mut args).expect("it runs");
    assert_eq!(y, vec![0.0; 512]);
}

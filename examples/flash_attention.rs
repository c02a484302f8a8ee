//! Attention with an online softmax, the twin of `flash_attention.pto`: `cargo run --release --example flash_attention`.
//!
//! ```text
//! o = softmax(q·kᵀ / √64) · v     for heads of 64, bf16 in, f32 inside
//! ```
//!
//! A block takes 128 rows of q. Its cube core multiplies, its two vector cores (64 rows each) keep the running maximum, the
//! running sum and the output; three pipes connect them. Neither the scores nor the weights exist as a whole.

use pto::tile::*;
use pto::{Arg, Form, Target};

/// Columns of q, k and v.
const HEAD: usize = 64;
/// Rows of q, and of k and v, that are taken at a time.
const TILE: usize = 128;
/// What a vector core has of them.
const HALF: usize = TILE / 2;

/// From cube to vector: q·kᵀ for 128 rows of k.
const SCORES: i64 = 0;
/// From vector to cube: exp(scores − largest so far).
const WEIGHTS: i64 = 1;
/// From cube to vector: weights·v, to be added to the output.
const PRODUCTS: i64 = 2;

/// Directions of a pipe.
const TO_VECTOR: i64 = 1;
const TO_CUBE: i64 = 2;
/// Bytes of an entry of each pipe.
const SCORES_SIZE: i64 = (TILE * TILE * 4) as i64;
const WEIGHTS_SIZE: i64 = (TILE * TILE * 2) as i64;
const PRODUCTS_SIZE: i64 = (TILE * HEAD * 4) as i64;
/// A tile is split by rows: each vector core has one half.
const BY_ROWS: i64 = 1;

/// Where the entries of each pipe lie in global memory.
type Slots = (Gm<f32>, Gm<Bf16>, Gm<f32>);

/// Attention of N rows.
#[pto::kernel]
pub fn flash_attention<const N: usize>(
    q: Gm<Bf16>,
    k: Gm<Bf16>,
    v: Gm<Bf16>,
    o: Gm<f32>,
    s_slots: Gm<f32>,
    p_slots: Gm<Bf16>,
    o_slots: Gm<f32>,
) {
    let slots = (s_slots, p_slots, o_slots);
    cube_function("cube", (q, k, v, slots), |(q, k, v, slots)| multiply::<N>(q, k, v, slots));
    vector_function("vector", (o, slots), |(o, slots)| soften::<N>(o, slots));
}

/// The cube core: scores, and weights times v.
#[pto::names]
fn multiply<const N: usize>(q: Gm<Bf16>, k: Gm<Bf16>, v: Gm<Bf16>, (s_slots, p_slots, o_slots): Slots) {
    let s_ring = import_reserved_buffer("scores", "vector");
    let p_ring = reserve_buffer("weights", 2 * WEIGHTS_SIZE, AddressSpace::Mat, true).get();
    let o_ring = import_reserved_buffer("products", "vector");
    aic_initialize_pipe(TO_VECTOR, SCORES_SIZE)
        .id(SCORES)
        .slot_num(2)
        .local_slot_num(1)
        .gm_slot_buffer(s_slots)
        .c2v_consumer_buf(s_ring);
    aic_initialize_pipe(TO_CUBE, WEIGHTS_SIZE)
        .id(WEIGHTS)
        .slot_num(2)
        .local_slot_num(2)
        .gm_slot_buffer(p_slots)
        .v2c_consumer_buf(p_ring);
    aic_initialize_pipe(TO_VECTOR, PRODUCTS_SIZE)
        .id(PRODUCTS)
        .slot_num(2)
        .local_slot_num(1)
        .gm_slot_buffer(o_slots)
        .c2v_consumer_buf(o_ring);

    let (qs, vs) = (q.view([N, HEAD]), v.view([N, HEAD]));
    let ks = k.laid_out(Layout::Dn, [HEAD, N], [1, HEAD]);
    my_rows(N, |at| {
        let mut q_l1 = TileMat::<Bf16, TILE, HEAD>::new();
        let mut q_l0 = TileLeft::<Bf16, TILE, HEAD>::new();
        tload(&mut q_l1, &qs.part((at, 0), [TILE, HEAD]));
        tmov(&mut q_l0, &q_l1);
        for_range(0, N, TILE, |j| {
            let mut k_l1 = Tile::<Mat, Bf16, HEAD, TILE, RowMajor, HEAD, TILE, ColMajor>::new();
            let mut k_l0 = TileRight::<Bf16, HEAD, TILE>::new();
            let mut s = TileAcc::<f32, TILE, TILE>::new();
            tload(&mut k_l1, &ks.part((0, j), [HEAD, TILE]));
            tmov(&mut k_l0, &k_l1);
            tmatmul(&mut s, &q_l0, &k_l0);
            tpush_to_aiv(&s, BY_ROWS).id(SCORES);

            let mut v_l1 = TileMat::<Bf16, TILE, HEAD>::new();
            let mut v_l0 = TileRight::<Bf16, TILE, HEAD>::new();
            let mut p_l0 = TileLeft::<Bf16, TILE, TILE>::new();
            let mut pv = TileAcc::<f32, TILE, HEAD>::new();
            tload(&mut v_l1, &vs.part((j, 0), [TILE, HEAD]));
            tmov(&mut v_l0, &v_l1);
            let p: TileMat<Bf16, TILE, TILE> = tpop_from_aiv(BY_ROWS).id(WEIGHTS).get();
            tmov(&mut p_l0, &p);
            tfree_from_aiv(BY_ROWS).id(WEIGHTS);
            tmatmul(&mut pv, &p_l0, &v_l0);
            tpush_to_aiv(&pv, BY_ROWS).id(PRODUCTS);
        });
    });
}

type Scores = Tile<Vector, f32, HALF, TILE>;
type Output = Tile<Vector, f32, HALF, HEAD>;
type Column = Tile<Vector, f32, HALF, 1, ColMajor>;
/// The same bytes as a column: what works on elements takes rows.
type Row = Tile<Vector, f32, 1, HALF>;

/// A vector core: weights, and the output so far.
#[pto::names]
fn soften<const N: usize>(o: Gm<f32>, (s_slots, p_slots, o_slots): Slots) {
    let s_ring = reserve_buffer("scores", SCORES_SIZE, AddressSpace::Vec, true).get();
    let p_ring = import_reserved_buffer("weights", "cube");
    let o_ring = reserve_buffer("products", PRODUCTS_SIZE, AddressSpace::Vec, true).get();
    aiv_initialize_pipe(TO_VECTOR, SCORES_SIZE)
        .id(SCORES)
        .slot_num(2)
        .local_slot_num(1)
        .gm_slot_buffer(s_slots)
        .c2v_consumer_buf(s_ring);
    aiv_initialize_pipe(TO_CUBE, WEIGHTS_SIZE)
        .id(WEIGHTS)
        .slot_num(2)
        .local_slot_num(2)
        .gm_slot_buffer(p_slots)
        .v2c_consumer_buf(p_ring);
    aiv_initialize_pipe(TO_VECTOR, PRODUCTS_SIZE)
        .id(PRODUCTS)
        .slot_num(2)
        .local_slot_num(1)
        .gm_slot_buffer(o_slots)
        .c2v_consumer_buf(o_ring);

    let os = o.view([N, HEAD]);
    let down = get_subblock_idx().index() * HALF;
    my_rows(N, |at| {
        let (mut total, largest, sum) = (Output::new(), Column::new(), Column::new());
        let (mut largest_row, mut sum_row): (Row, Row) = (treshape(&largest), treshape(&sum));
        texpands(&mut total, 0.0);
        texpands(&mut largest_row, -3.0e38);
        texpands(&mut sum_row, 0.0);
        for_range(0, N, TILE, |_| {
            let (mut scratch, mut p) = (Scores::new(), Tile::<Vector, Bf16, HALF, TILE>::new());
            let (mut found, mut added) = (Column::new(), Column::new());
            let (mut found_row, added_row): (Row, Row) = (treshape(&found), treshape(&added));

            let mut s: Scores = tpop_from_aic(BY_ROWS).id(SCORES).get();
            tmuls(&mut s, Same, 0.125);
            trowmax(&mut found, &s).tmp(&mut scratch);
            tmax(&mut found_row, Same, &largest_row);
            trowexpandexpdif(&mut s, Same, &found);
            tcvt(&mut p, &s, RoundMode::CastRint);
            tpush_to_aic(&p, BY_ROWS).id(WEIGHTS);
            trowsum(&mut added, &s).tmp(&mut scratch);
            tfree_from_aic(BY_ROWS).id(SCORES);

            // What was there counts less by exp(old maximum - new maximum).
            tsub(&mut largest_row, Same, &found_row);
            texp(&mut largest_row, Same);
            tmul(&mut sum_row, Same, &largest_row);
            tadd(&mut sum_row, Same, &added_row);
            trowexpandmul(&mut total, Same, &largest);
            tadds(&mut largest_row, &found_row, 0.0);

            let pv: Output = tpop_from_aic(BY_ROWS).id(PRODUCTS).get();
            tadd(&mut total, Same, &pv);
            tfree_from_aic(BY_ROWS).id(PRODUCTS);
        });
        trowexpanddiv(&mut total, Same, &sum);
        tstore(&mut os.part((at + down, 0), [HALF, HEAD]), &total);
    });
}

/// The rows of q that this block takes: every so many tiles.
fn my_rows(rows: usize, body: impl FnOnce(Index)) {
    let (block, blocks) = (get_block_idx().index(), get_block_num().index());
    for_range(block * TILE, rows, blocks * TILE, body);
}

/// A row of the output in plain Rust.
fn reference(q: &[Bf16], k: &[Bf16], v: &[Bf16]) -> Vec<f64> {
    let dot = |a: &[Bf16], b: &[Bf16]| {
        a.iter().zip(b).map(|(a, b)| f64::from(a.to_f32()) * f64::from(b.to_f32())).sum::<f64>()
    };
    let scores: Vec<f64> = k.chunks(HEAD).map(|k| dot(q, k) / 8.0).collect();
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|s| (s - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    let column = |c: usize| weights.iter().zip(v.chunks(HEAD)).map(|(w, v)| w * f64::from(v[c].to_f32())).sum::<f64>();
    (0..HEAD).map(|c| column(c) / total).collect()
}

/// Traces the kernel, checks it, runs it and compares.
pub fn main() {
    const N: usize = 1024;
    let kernel = flash_attention::<N>();
    kernel.check(Target::A2A3).expect("legal on A2/A3");
    println!("attention {N}x{HEAD}: {} lines of PTO text", kernel.to_text(Form::Level2).lines().count());

    let half = |step: usize| {
        (0..N * HEAD).map(|i| Bf16::from_f32((i * step % 4093) as f32 / 1000.0 - 2.0)).collect::<Vec<Bf16>>()
    };
    let (q, k, v, mut o) = (half(7919), half(6577), half(5281), vec![0.0f32; N * HEAD]);
    // On a device, entries of the pipes lie in global memory; here the pipes have their own.
    let (mut s_slots, mut p_slots, mut o_slots) = ([0.0f32; 0], [Bf16(0); 0], [0.0f32; 0]);
    let mut args = [
        Arg::read(&q),
        Arg::read(&k),
        Arg::read(&v),
        Arg::write(&mut o),
        Arg::write(&mut s_slots),
        Arg::write(&mut p_slots),
        Arg::write(&mut o_slots),
    ];
    let report = kernel.run(Target::A2A3, &mut args).expect("it runs");
    println!("ran {} instructions here, on a cube core and two vector cores", report.instructions);

    let mut error = 0.0f64;
    for row in (0..N).step_by(61) {
        let want = reference(&q[row * HEAD..][..HEAD], &k, &v);
        error = o[row * HEAD..].iter().zip(want).fold(error, |e, (o, want)| e.max((f64::from(*o) - want).abs()));
    }
    println!("largest error against plain Rust: {error:.1e}");
    assert!(error < 5e-4);

    let lowered = kernel.lower(Target::A2A3).expect("it fits");
    let cycles = lowered.perf(Target::A2A3).expect("it can be followed").cycles;
    println!("predicted for one block of an A2/A3: {cycles:.0} cycles");
}

//! `trandom`: numbers that follow from a key and a counter.

use pto_isa::rules::AttrValue;
use pto_vector::{Call, Fault, OpKernel, Prepared, Site, write};

pub(super) const RANDOM: OpKernel =
    OpKernel::taking(&["dst"], &[], &["key0", "key1", "counter0", "counter1", "counter2", "counter3"], prepare);

/// Blocks of four words that a device makes at a time.
const LANES: usize = 64;

fn prepare(site: &Site) -> Option<Prepared<1, 0, 6>> {
    let rounds = match site.instance.attr("rounds") {
        Some(AttrValue::Int(n)) => n as u64,
        _ => 10,
    };
    Some(Prepared::of(RandomKernel::run, [rounds, 0]))
}

/// Philox 4x32: four random words for a counter.
fn philox(counter: u128, key: [u32; 2], rounds: u64) -> [u32; 4] {
    let mut x = [0, 32, 64, 96].map(|shift| (counter >> shift) as u32);
    let mut key = key;
    for _ in 0..rounds {
        let (a, b) = (u64::from(x[0]) * 0xD251_1F53, u64::from(x[2]) * 0xCD9E_8D57);
        x = [(b >> 32) as u32 ^ x[1] ^ key[0], b as u32, (a >> 32) as u32 ^ x[3] ^ key[1], a as u32];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    x
}

struct RandomKernel;

impl RandomKernel {
    /// # Safety
    /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
    unsafe fn run(call: &Call<1, 0, 6>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([dst], &[key0, key1, c0, c1, c2, c3]) = (call.tiles, call.scalars);
            let word = |bits: u64| u128::from(bits as u32);
            let mut counter = word(c0) | word(c1) << 32 | word(c2) << 64 | word(c3) << 96;
            for r in 0..dst.rows() {
                for start in (0..dst.cols()).step_by(4) {
                    let words =
                        philox(counter.wrapping_add(start as u128 / 4), [key0 as u32, key1 as u32], call.imm[0]);
                    for (c, word) in (start..dst.cols()).zip(words) {
                        write(dst, r, c, word);
                    }
                }
                counter = counter.wrapping_add(advance(dst.cols()) as u128);
            }
            Ok(())
        }
    }
}

/// How far a row moves the counter: 64 for every 256 columns, and for the last of them what a device adds there.
fn advance(cols: usize) -> usize {
    match cols.div_ceil(4 * LANES) {
        0 => 0,
        groups => (groups - 1) * LANES + (cols - 1) % LANES + 1,
    }
}

//! Which level a kernel is being compiled for.
//!
//! In `if const { … }` these leave nothing of the other branch to compile.

use pto_num::Level;

/// The level with AVX-512.
#[cfg(target_arch = "x86_64")]
pub const fn is_v4<L: Level>() -> bool {
    is(L::NAME, "v4")
}

/// The level with AVX2.
#[cfg(target_arch = "x86_64")]
pub const fn is_v3<L: Level>() -> bool {
    is(L::NAME, "v3")
}

/// x86-64 without AVX2. Such processors are rare, and code for them is long: kernels with many versions leave them the
/// plain one.
pub const fn is_old<L: Level>() -> bool {
    cfg!(target_arch = "x86_64") && is(L::NAME, "baseline")
}

const fn is(name: &str, other: &str) -> bool {
    let (a, b) = (name.as_bytes(), other.as_bytes());
    let mut same = a.len() == b.len();
    let mut i = 0;
    while same && i < a.len() {
        same = a[i] == b[i];
        i += 1;
    }
    same
}

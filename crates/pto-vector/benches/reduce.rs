//! Reductions, masks and conversions against loops written by hand, in the same run.
//!
//! `cargo bench -p pto-vector --bench reduce [filter]`. The ratio is the time of the kernel over that of the hand-written
//! loop: for reductions a loop that only loads the tile and adds lanes, for masks, selections and conversions one that
//! does the same work. Reductions are also compared with a loop that does the least they must do with every register.

#![expect(unsafe_code, reason = "kernels and intrinsics")]

#[cfg(target_arch = "x86_64")]
#[path = "reduce/cases.rs"]
mod cases;
#[cfg(target_arch = "x86_64")]
#[path = "reduce/hand.rs"]
mod hand;
#[cfg(target_arch = "x86_64")]
#[path = "reduce/work.rs"]
mod work;

#[cfg(not(target_arch = "x86_64"))]
fn main() {
    println!("the loops to compare with are written for x86-64");
}

#[cfg(target_arch = "x86_64")]
fn main() {
    if pto_num::cpu_level() != pto_num::CpuLevel::V4 {
        println!("the loops to compare with need AVX-512");
        return;
    }
    cases::run(&std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default());
}

//! What MPI takes here, with each launcher that is installed: sums over four ranks, and accesses between two.
//!
//! `cargo bench -p pto-mpi`. The program starts itself with `mpirun`. Times are the median and the least of several rounds; of
//! sums, those of the slowest rank. Ranks that share processors, with each other or with other programs, wait for each other: compare
//! figures of an idle machine only.

#[path = "../tests/mpi/launchers.rs"]
mod launchers;

use pto_mpi::{Launcher, Mpi, MpiError, MpiWindow, MpiWindowKind};
use std::time::{Duration, Instant};

const ROLE: &str = "PTO_MPI_BENCH";
const LARGE: usize = 64 << 20;

/// A round ends after that time, on a machine that is busy.
const LONGEST: Duration = Duration::from_millis(200);

fn main() {
    if std::env::var(ROLE).is_ok() {
        launchers::end_after(Duration::from_secs(120));
        return measure().expect("MPI works");
    }
    println!("{} processors", std::thread::available_parallelism().map_or(1, usize::from));
    for launcher in [Launcher::Mpich, Launcher::OpenMpi] {
        let Some(installed) = launchers::find(launcher) else {
            println!("{launcher:?} is not installed (tests/install-mpi)");
            continue;
        };
        for ranks in [4, 2] {
            let out = installed.command(ranks).env(ROLE, "1").output().expect("it was found");
            print!("{}", launchers::said(&out));
        }
    }
}

fn measure() -> Result<(), MpiError> {
    let mpi = Mpi::start()?;
    if mpi.rank() == 0 {
        println!("{}, {} ranks", mpi.version(), mpi.ranks());
    }
    match mpi.ranks() {
        2 => [MpiWindowKind::Shared, MpiWindowKind::Allocated].into_iter().try_for_each(|kind| accesses(&mpi, kind)),
        _ => sums(&mpi),
    }
}

fn sums(mpi: &Mpi) -> Result<(), MpiError> {
    let mut data = vec![1.0_f32; LARGE / 4];
    let mut times = Vec::new();
    for _ in 0..7 {
        mpi.barrier()?;
        let start = Instant::now();
        mpi.all_reduce_f32(&mut data)?;
        let own = start.elapsed().as_nanos() as u64;
        let all = mpi.all_gather(&own.to_ne_bytes())?;
        let slowest = all.iter().filter_map(|bytes| Some(u64::from_ne_bytes(*bytes.first_chunk()?))).max();
        times.push(Duration::from_nanos(slowest.unwrap_or(own)));
    }
    show(mpi, "MPI_Allreduce of 64 MiB f32", &mut times, LARGE);
    Ok(())
}

/// Rank 0 accesses the part of rank 1, which drives progress meanwhile; then both answer each other.
fn accesses(mpi: &Mpi, kind: MpiWindowKind) -> Result<(), MpiError> {
    let window = mpi.window_of(kind, LARGE + 64)?;
    let one_sided = |name: &str, bytes: usize, count: u32, access: &mut dyn FnMut() -> Result<(), MpiError>| {
        let mut times = Vec::new();
        for _ in 0..7 {
            mpi.barrier()?;
            if mpi.rank() == 0 {
                let (start, mut done) = (Instant::now(), 0);
                // The clock takes longer than an access to shared memory.
                while done < count && (done % 16 != 0 || start.elapsed() < LONGEST) {
                    access()?;
                    done += 1;
                }
                times.push(start.elapsed() / done);
            }
            // Those who wait at a barrier drive progress.
            mpi.barrier()?;
        }
        show(mpi, &format!("{kind:?}: {name}"), &mut times, bytes);
        Ok(())
    };
    let mut large = vec![1; LARGE];
    one_sided("put of 4 bytes and flush", 0, 1000, &mut || window.put(1, 0, &[1; 4]).and_then(|()| window.flush(1)))?;
    one_sided("add_word", 0, 1000, &mut || window.add_word(1, 0, 1).map(drop))?;
    one_sided("put of 64 MiB and flush", LARGE, 1, &mut || window.put(1, 64, &large).and_then(|()| window.flush(1)))?;
    one_sided("get of 64 MiB", LARGE, 1, &mut || window.get(1, 64, &mut large))?;
    round_trips(mpi, &window, kind)
}

/// Each puts 4 bytes and sets a word that the other waits for: a round trip has two of these.
fn round_trips(mpi: &Mpi, window: &MpiWindow<'_>, kind: MpiWindowKind) -> Result<(), MpiError> {
    const TRIPS: i32 = 100;
    window.set_word(mpi.rank(), 8, 0)?;
    let (own, peer) = (mpi.rank(), 1 - mpi.rank());
    let mut times = Vec::new();
    for round in 0..7 {
        mpi.barrier()?;
        let start = Instant::now();
        for trip in round * TRIPS + 1..=(round + 1) * TRIPS {
            // Rank 0 asks, rank 1 answers.
            for asks in [0, 1] {
                if own == asks {
                    window.put(peer, 16, &trip.to_ne_bytes())?;
                    window.flush(peer)?;
                    window.set_word(peer, 8, trip)?;
                } else {
                    while window.read_word(own, 8)? < trip {
                        mpi.poke();
                        std::thread::yield_now();
                    }
                }
            }
        }
        times.push(start.elapsed() / (2 * TRIPS as u32));
    }
    show(mpi, &format!("{kind:?}: put of 4 bytes, flush, set_word, seen by the other"), &mut times, 0);
    Ok(())
}

fn show(mpi: &Mpi, name: &str, times: &mut [Duration], bytes: usize) {
    if mpi.rank() != 0 {
        return;
    }
    times.sort();
    let (median, least) = (times[times.len() / 2], times[0]);
    let rate =
        if bytes == 0 { String::new() } else { format!("  {:.2} GB/s", bytes as f64 / median.as_secs_f64() / 1e9) };
    println!("  {name:64} {median:10.2?}  least {least:10.2?}{rate}");
}

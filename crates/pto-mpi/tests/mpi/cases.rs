//! What every rank does: ranks, collectives, messages, threads.

use crate::{start, windows};
use pto_mpi::{Mpi, MpiError, MpiWindowKind, launched_rank};
use std::time::Duration;

/// Runs the cases of a role. A panic ends all ranks.
pub(crate) fn run(role: &str) {
    if !matches!(role, "all" | "network" | "large") {
        return start::run(role);
    }
    let mut mpi = Mpi::start().expect("MPI starts");
    if role == "large" {
        windows::large(&mpi);
    } else {
        case(&mpi, "ranks", ranks);
        // Four ranks share few processors: what two show is not repeated.
        let pieces: &[usize] = if mpi.ranks() == 2 { &[1 << 30, 64] } else { &[1 << 30] };
        for piece in pieces.iter().copied() {
            mpi.set_piece(piece);
            case(&mpi, "collectives", collectives);
            case(&mpi, "messages", messages);
            let kinds: &[MpiWindowKind] = if role == "all" {
                &[MpiWindowKind::Shared, MpiWindowKind::Allocated]
            } else {
                &[MpiWindowKind::Allocated]
            };
            for kind in kinds {
                windows::run(&mpi, *kind, piece == 64);
            }
        }
        case(&mpi, "errors", errors);
        if mpi.any_thread() {
            case(&mpi, "threads", threads);
        }
        truncated(&mut mpi);
    }
    drop(mpi);
    println!("all well");
}

/// Runs a case, and names it if it takes part in a failure.
pub(crate) fn case(mpi: &Mpi, name: &str, run: impl FnOnce(&Mpi)) {
    let time = std::time::Instant::now();
    run(mpi);
    mpi.barrier().expect("a barrier");
    if mpi.rank() == 0 {
        println!("{name}: {:.1} ms", time.elapsed().as_secs_f64() * 1e3);
    }
}

/// Bytes that differ from rank to rank.
pub(crate) fn pattern(rank: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + rank * 31 + 1) as u8).collect()
}

fn ranks(mpi: &Mpi) {
    let launched = launched_rank().expect("a launcher started this");
    assert_eq!((mpi.rank(), mpi.ranks()), (launched.rank, launched.ranks));
    let name = if launched.launcher == pto_mpi::Launcher::OpenMpi { "Open MPI" } else { "MPICH" };
    assert!(mpi.version().contains(name) && !mpi.version().contains('\n'), "{}", mpi.version());
}

fn collectives(mpi: &Mpi) {
    mpi.barrier().expect("a barrier");
    for root in 0..mpi.ranks() {
        let expected = pattern(root, 500 * root);
        // Of another length elsewhere.
        let mut bytes = if mpi.rank() == root { expected.clone() } else { vec![9; 77] };
        mpi.broadcast(&mut bytes, root).expect("a broadcast");
        assert_eq!(bytes, expected);
        let gathered = mpi.gather(&pattern(mpi.rank(), 300 * mpi.rank()), root).expect("a gathering");
        assert_eq!(gathered.is_some(), mpi.rank() == root);
        for (rank, bytes) in gathered.into_iter().flatten().enumerate() {
            assert_eq!(bytes, pattern(rank, 300 * rank));
        }
    }
    let all = mpi.all_gather(&pattern(mpi.rank(), 10 + mpi.rank())).expect("a gathering");
    assert_eq!(all, (0..mpi.ranks()).map(|rank| pattern(rank, 10 + rank)).collect::<Vec<_>>());
    let mut numbers: Vec<f32> = (0..1000).map(|i| (i + mpi.rank()) as f32).collect();
    mpi.all_reduce_f32(&mut numbers).expect("sums");
    let others: usize = (0..mpi.ranks()).sum();
    assert!(numbers.iter().enumerate().all(|(i, sum)| *sum == (i * mpi.ranks() + others) as f32));
}

fn messages(mpi: &Mpi) {
    let (next, previous) = ((mpi.rank() + 1) % mpi.ranks(), (mpi.rank() + mpi.ranks() - 1) % mpi.ranks());
    for (tag, bytes) in [(0, 0), (5, 13), (32766, 100_000)] {
        // Not all at once: a message may wait until it is received.
        if mpi.rank().is_multiple_of(2) {
            mpi.send(&pattern(mpi.rank(), bytes), next, tag).expect("a message");
        }
        assert_eq!(mpi.receive(previous, tag).expect("a message"), pattern(previous, bytes));
        if mpi.rank() % 2 == 1 {
            mpi.send(&pattern(mpi.rank(), bytes), next, tag).expect("a message");
        }
    }
}

fn errors(mpi: &Mpi) {
    let ranks = mpi.ranks();
    let no_rank = MpiError::NoRank { rank: ranks, ranks };
    assert_eq!(mpi.broadcast(&mut vec![1], ranks), Err(no_rank.clone()));
    assert_eq!(mpi.gather(&[1], ranks), Err(no_rank.clone()));
    assert_eq!(mpi.receive(ranks, 0), Err(no_rank));
    assert_eq!(mpi.send(&[1], 0, -1), Err(MpiError::BadTag { tag: -1 }));
    assert_eq!(mpi.receive(0, 32767), Err(MpiError::BadTag { tag: 32767 }));
    if !mpi.all_on_one_machine() {
        assert_eq!(mpi.window_of(MpiWindowKind::Shared, 64).err(), Some(MpiError::SeveralMachines));
    }
    // More than the machines have: refused, not tried.
    let error = mpi.window(1 << 60).err();
    assert!(matches!(error, Some(MpiError::NoMemory { .. })) || !cfg!(target_os = "linux"), "{error:?}");
}

/// What MPI says of a failure, as a value: here of a message that is longer than the piece it is received as.
fn truncated(mpi: &mut Mpi) {
    mpi.set_piece(if mpi.rank() == 0 { 1 << 20 } else { 64 });
    match mpi.rank() {
        0 => mpi.send(&[0; 128], 1, 0).expect("a message"),
        1 => {
            let error = mpi.receive(0, 0).err();
            let Some(MpiError::Call { function, code, message }) = error else { panic!("{error:?}") };
            assert!(function == "MPI_Irecv" && code != 0 && message.contains("runcated"), "{message}");
        }
        _ => {}
    }
    mpi.set_piece(1 << 30);
}

/// A thread that waits lets others make calls.
fn threads(mpi: &Mpi) {
    let (next, previous) = ((mpi.rank() + 1) % mpi.ranks(), (mpi.rank() + mpi.ranks() - 1) % mpi.ranks());
    std::thread::scope(|scope| {
        let receiver = scope.spawn(|| mpi.receive(previous, 1).expect("a message"));
        std::thread::sleep(Duration::from_millis(20));
        mpi.send(&[mpi.rank() as u8], next, 1).expect("a message");
        assert_eq!(receiver.join().expect("no panic"), [previous as u8]);
    });
}

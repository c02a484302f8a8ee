//! What every rank does with windows.

#![expect(unsafe_code, reason = "the owner looks at its memory")]

use crate::cases::{case, pattern};
use pto_mpi::{Mpi, MpiElement, MpiError, MpiOp, MpiWindow, MpiWindowKind};
use std::sync::atomic::{AtomicI32, Ordering};

/// What is done with a window.
type Case = fn(&Mpi, &MpiWindow<'_>);

pub(crate) fn run(mpi: &Mpi, kind: MpiWindowKind, in_pieces: bool) {
    let cut: &[(&str, Case)] = &[("put and get", put_and_get), ("rows", rows), ("accumulate", accumulate)];
    let whole: &[(&str, Case)] = &[("counter", counter), ("token", token), ("poke", poke), ("outside", outside)];
    // Words are never cut.
    let cases = if in_pieces { [cut, &[]] } else { [cut, whole] };
    let window = mpi.window_of(kind, SIZE + mpi.rank()).expect("a window");
    assert_eq!(window.kind(), kind);
    for (name, run) in cases.into_iter().flatten() {
        case(mpi, &format!("{kind:?}: {name}"), |mpi| {
            run(mpi, &window);
            wait(mpi);
            window.put(mpi.rank(), 0, &vec![0; SIZE + mpi.rank()]).expect("the own part");
            window.flush(mpi.rank()).expect("a flush");
        });
    }
}

/// Of the part of rank 0; that of the next is a byte larger, and so on.
const SIZE: usize = 4096;

fn wait(mpi: &Mpi) {
    mpi.barrier().expect("a barrier");
}

/// The own part.
fn own(window: &MpiWindow<'_>) -> Vec<u8> {
    window.sync().expect("memory in order");
    let rank = (0..).find(|rank| window.size(*rank) == Ok(window.memory().1)).expect("a rank");
    let mut bytes = vec![0; window.memory().1];
    window.get(rank, 0, &mut bytes).expect("the own part");
    bytes
}

fn put_and_get(mpi: &Mpi, window: &MpiWindow<'_>) {
    let (rank, ranks) = (mpi.rank(), mpi.ranks());
    assert!(!window.memory().0.is_null() && window.memory().0.addr().is_multiple_of(64));
    assert_eq!(own(window), vec![0; SIZE + rank]);
    assert_eq!(window.peer_memory(0).map(|(_, size)| size), (window.kind() == MpiWindowKind::Shared).then_some(SIZE));
    wait(mpi);
    // Rank r writes the r-th piece of every part.
    for to in 0..ranks {
        window.put(to, 1 + rank * 1000, &pattern(rank + to, 999)).expect("room");
        window.flush_local(to).expect("a flush");
        window.flush(to).expect("a flush");
    }
    wait(mpi);
    let bytes = own(window);
    for from in 0..ranks {
        assert_eq!(bytes[1 + from * 1000..][..999], pattern(from + rank, 999), "from {from}");
        for of in 0..ranks {
            let mut piece = vec![0; 999];
            window.get(of, 1 + from * 1000, &mut piece).expect("room");
            assert_eq!(piece, pattern(from + of, 999), "from {from}, at {of}");
        }
    }
}

fn rows(mpi: &Mpi, window: &MpiWindow<'_>) {
    let next = (mpi.rank() + 1) % mpi.ranks();
    let rows = pattern(mpi.rank(), 10 * 24);
    window.put_rows(next, 16, 24, 100, 10, &rows).expect("room");
    window.put_rows(next, 2000, 24, 24, 10, &rows).expect("room");
    window.put_rows(next, 0, 8, 3, 0, &[]).expect("no rows");
    window.flush(next).expect("a flush");
    wait(mpi);
    let mut back = vec![0; 10 * 24];
    window.get_rows(next, 16, 24, 100, 10, &mut back).expect("room");
    assert_eq!(back, rows);
    let mut all = vec![0; SIZE];
    window.get(next, 0, &mut all).expect("room");
    let row =
        |at: usize| (16..16 + 9 * 100 + 24).contains(&at).then(|| (at - 16) / 100).filter(|r| at - 16 - r * 100 < 24);
    let dense = |at: usize| at.checked_sub(2000).filter(|i| *i < 240);
    for (at, byte) in all.into_iter().enumerate() {
        let index = row(at).map(|r| r * 24 + at - 16 - r * 100).or_else(|| dense(at));
        assert_eq!(byte, index.map_or(0, |i| rows[i]), "at {at}");
    }
}

fn accumulate(mpi: &Mpi, window: &MpiWindow<'_>) {
    // 20 elements of each type and operation at rank 0: rank r brings r + i - 2 (unsigned: r + i).
    let bytes_of = |element: MpiElement, number: i64| -> Vec<u8> {
        match element {
            MpiElement::F32 => (number as f32).to_ne_bytes().to_vec(),
            MpiElement::F64 => (number as f64).to_ne_bytes().to_vec(),
            _ if cfg!(target_endian = "little") => number.to_ne_bytes()[..element.size()].to_vec(),
            _ => number.to_ne_bytes()[8 - element.size()..].to_vec(),
        }
    };
    let is_unsigned = |element| matches!(element, MpiElement::U8 | MpiElement::U16 | MpiElement::U32 | MpiElement::U64);
    let brought = |element, rank: usize, i: i64| rank as i64 + i - if is_unsigned(element) { 0 } else { 2 };
    let array = |element, of: &dyn Fn(i64) -> i64| (0..20).flat_map(|i| bytes_of(element, of(i))).collect::<Vec<u8>>();
    let ops = [MpiOp::Sum, MpiOp::Max, MpiOp::Min, MpiOp::Replace];
    for op in ops {
        let mut offset = 0;
        for element in MpiElement::ALL {
            offset = usize::next_multiple_of(offset, 8);
            let own = array(element, &|i| brought(element, mpi.rank(), i));
            // A rank alone replaces: nobody else says what is there at the end.
            if op != MpiOp::Replace || mpi.rank() == 1 {
                window.accumulate(0, offset, &own, element, op).expect("room");
            }
            offset += own.len();
        }
        window.flush(0).expect("a flush");
        wait(mpi);
        let mut offset = 0;
        for element in MpiElement::ALL {
            offset = usize::next_multiple_of(offset, 8);
            // The memory is zero at first.
            let all = |i| (0..mpi.ranks()).map(move |rank| brought(element, rank, i));
            let expected = array(element, &|i| match op {
                MpiOp::Sum => all(i).sum(),
                MpiOp::Max => all(i).max().unwrap_or(0).max(0),
                MpiOp::Min => all(i).min().unwrap_or(0).min(0),
                MpiOp::Replace => brought(element, 1, i),
            });
            let mut found = vec![0; expected.len()];
            window.get(0, offset, &mut found).expect("room");
            assert_eq!(found, expected, "{element:?} {op:?}");
            offset += expected.len();
        }
        wait(mpi);
        if mpi.rank() == 0 {
            window.put(0, 0, &[0; SIZE]).expect("room");
            window.flush(0).expect("a flush");
        }
        wait(mpi);
    }
}

fn counter(mpi: &Mpi, window: &MpiWindow<'_>) {
    let rounds = 50;
    let mut last = -1;
    for _ in 0..rounds {
        let old = window.add_word(0, 8, 1).expect("a word");
        assert!(old > last, "{old} after {last}");
        last = old;
        window.accumulate(0, 12, &1_i32.to_ne_bytes(), MpiElement::I32, MpiOp::Sum).expect("a word");
    }
    window.flush(0).expect("a flush");
    wait(mpi);
    let all = rounds * mpi.ranks() as i32;
    assert_eq!(window.read_word(0, 8), Ok(all));
    assert_eq!(window.read_word(0, 12), Ok(all));
    wait(mpi);
    assert_eq!(window.set_word(mpi.rank(), 8, -5), Ok(()));
    assert_eq!(window.add_word(mpi.rank(), 8, 2), Ok(-5));
    assert_eq!(window.read_word(mpi.rank(), 8), Ok(-3));
}

/// Data go around; a word says that they are there.
fn token(mpi: &Mpi, window: &MpiWindow<'_>) {
    let (rank, ranks) = (mpi.rank(), mpi.ranks());
    let next = (rank + 1) % ranks;
    for round in 0..10_i32 {
        let is_first = rank == 0 && round == 0;
        while !is_first && window.read_word(rank, 0).expect("a word") < round + i32::from(rank != 0) {
            mpi.poke();
            std::thread::yield_now();
        }
        if !is_first {
            let mut bytes = vec![0; 1000];
            window.get(rank, 64, &mut bytes).expect("room");
            let from = (rank + ranks - 1) % ranks;
            let sent = if rank == 0 { round - 1 } else { round };
            assert_eq!(bytes, pattern(from + sent as usize, 1000), "rank {rank}, round {round}");
        }
        window.put(next, 64, &pattern(rank + round as usize, 1000)).expect("room");
        window.flush(next).expect("a flush");
        window.set_word(next, 0, round + 1).expect("a word");
    }
}

/// The owner only pokes and looks at its memory; accesses of the others complete.
fn poke(mpi: &Mpi, window: &MpiWindow<'_>) {
    let others = mpi.ranks() as i32 - 1;
    if mpi.rank() == 0 {
        let at: *mut i32 = window.memory().0.cast();
        // SAFETY: the part starts at a page, and is larger than a word.
        let done = unsafe { AtomicI32::from_ptr(at) };
        while done.load(Ordering::SeqCst) < others {
            mpi.poke();
            window.sync().expect("memory in order");
            std::thread::yield_now();
        }
        return;
    }
    let bytes = pattern(mpi.rank(), 500);
    let mut back = vec![0; 500];
    window.put(0, 500 * mpi.rank(), &bytes).expect("room");
    window.flush(0).expect("a flush");
    window.get(0, 500 * mpi.rank(), &mut back).expect("room");
    assert_eq!(back, bytes);
    window.add_word(0, 0, 1).expect("a word");
}

fn outside(mpi: &Mpi, window: &MpiWindow<'_>) {
    let outside = |offset, bytes| Err(MpiError::OutsideWindow { rank: 0, offset, bytes, window: SIZE });
    assert_eq!(window.put(0, SIZE, &[]), Ok(()));
    assert_eq!(window.put(0, SIZE, &[1]), outside(SIZE, 1));
    assert_eq!(window.get(0, usize::MAX, &mut [0, 0]), outside(usize::MAX, 2));
    assert_eq!(window.put_rows(0, 8, 8, 1000, 6, &[0; 48]), outside(8, 5008));
    assert_eq!(window.put_rows(0, 0, 8, 8, 6, &[0; 47]), Err(MpiError::LocalSize { rows: 48, local: 47 }));
    assert_eq!(window.put_rows(0, 0, 8, usize::MAX, 2, &[0; 16]), outside(0, usize::MAX));
    assert_eq!(
        window.read_word(0, SIZE - 2),
        Err(MpiError::OutsideWindow { rank: 0, offset: SIZE - 2, bytes: 4, window: SIZE })
    );
    assert_eq!(window.read_word(0, 2), Err(MpiError::Misaligned { offset: 2, bytes: 4, element: 4 }));
    let three = window.accumulate(0, 8, &[0; 3], MpiElement::I16, MpiOp::Sum);
    assert_eq!(three, Err(MpiError::Misaligned { offset: 8, bytes: 3, element: 2 }));
    let ranks = mpi.ranks();
    assert_eq!(window.flush(ranks), Err(MpiError::NoRank { rank: ranks, ranks }));
    assert_eq!(window.get(ranks, 0, &mut [0]), Err(MpiError::NoRank { rank: ranks, ranks }));
    assert_eq!(window.peer_memory(ranks), None);
}

/// More than counts of MPI express.
pub(crate) fn large(mpi: &Mpi) {
    let bytes = (1 << 31) + (1 << 20);
    let pattern = |rank| pattern(rank, 1 << 20).repeat(bytes >> 20);
    for kind in [MpiWindowKind::Shared, MpiWindowKind::Allocated] {
        case(mpi, &format!("{kind:?}: large"), |mpi| {
            let window = mpi.window_of(kind, if mpi.rank() == 1 { bytes } else { 8 }).expect("a window");
            if mpi.rank() == 0 {
                let sent = pattern(3);
                window.put(1, 0, &sent).expect("room");
                window.flush(1).expect("a flush");
                let mut back = vec![0; bytes];
                window.get(1, 0, &mut back).expect("room");
                assert!(back == sent);
            }
            wait(mpi);
        });
    }
    case(mpi, "large message", |mpi| match mpi.rank() {
        0 => mpi.send(&pattern(0), 1, 0).expect("a message"),
        _ => assert!(mpi.receive(0, 0).expect("a message") == pattern(0)),
    });
}

//! What a move takes and which part of a tile it moves: common to the moves of every memory.

use super::place::CopyRegion;
use pto_vector::Call;

/// A call of a move.
pub(super) type MoveCall<'a> = Call<'a, 3, 0, 3>;

/// Which part of which tile is moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum MoveKind {
    /// The valid region that both have.
    Whole,
    /// The valid region of the destination, from a window of the source.
    Extract,
    /// The valid region of the source, into a window of the destination.
    Insert,
}

impl MoveKind {
    const ALL: [Self; 3] = [Self::Whole, Self::Extract, Self::Insert];

    /// The kind that a call was prepared for.
    pub fn of(call: &MoveCall) -> Self {
        Self::ALL[call.imm[1] as usize]
    }
}

impl CopyRegion {
    /// What a call moves. The rules of the instruction keep windows inside tiles.
    pub fn of(call: &MoveCall, kind: MoveKind) -> Self {
        let ([src, dst, _], [row, col, _]) = (call.tiles, call.scalars);
        let at = (*row as usize, *col as usize);
        match kind {
            MoveKind::Whole => {
                Self { rows: src.rows().min(dst.rows()), cols: src.cols().min(dst.cols()), from: (0, 0), to: (0, 0) }
            }
            MoveKind::Extract => Self { rows: dst.rows(), cols: dst.cols(), from: at, to: (0, 0) },
            MoveKind::Insert => Self { rows: src.rows(), cols: src.cols(), from: (0, 0), to: at },
        }
    }
}

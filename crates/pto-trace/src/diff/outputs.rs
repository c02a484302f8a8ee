//! What parameters hold at the end.

use super::align::Alignment;
use super::compare::{Comparing, TypedNumber, root_mean_square};
use super::report::OutputError;
use super::{DiffOptions, SHOWN};
use crate::player::Player;
use crate::recording::Recording;
use crate::streams::FirstBytes;
use crate::writes::MemoryId;
use pto_isa::DType;

/// Bytes that are read at once.
const CHUNK: u64 = 1 << 18;

impl Recording {
    /// The number of buffers of global memory that arguments have.
    fn buffer_count(&self) -> usize {
        self.streams.buffers.len()
    }

    pub(super) fn buffer_bytes(&self, buffer: usize) -> u64 {
        match self.streams.buffers.get(buffer) {
            Some(FirstBytes::Zero(n) | FirstBytes::Unknown(n)) => *n,
            Some(FirstBytes::Bytes(bytes)) => bytes.len() as u64,
            None => 0,
        }
    }

    /// True when something stored to a buffer.
    fn stores_to(&self, buffer: usize) -> bool {
        let all = 0..self.buffer_bytes(buffer) as i64;
        self.last_write(usize::MAX, MemoryId::Global(buffer), all).is_some()
    }

    /// The name and element type of the parameter of a buffer; with several ranks, the name has the rank.
    pub(super) fn buffer_name(&self, buffer: usize) -> Option<(String, DType)> {
        let params = self.plan().params();
        let param = params.get(buffer % params.len().max(1))?;
        let rank = buffer / params.len();
        let is_one = self.buffer_count() <= params.len();
        let name = if is_one { param.name.clone() } else { format!("{}@{rank}", param.name) };
        Some((name, param.kind.elem()?))
    }

    /// The buffer of a parameter of the first rank.
    pub(super) fn buffer_named(&self, name: &str) -> Option<usize> {
        (0..self.buffer_count()).find(|b| self.buffer_name(*b).is_some_and(|(n, _)| n == name))
    }
}

/// The parameters that a run wrote, compared.
pub(super) fn differing_outputs(
    pa: &mut Player<'_>,
    pb: &mut Player<'_>,
    alignment: &Alignment,
    options: &DiffOptions<'_>,
) -> Vec<OutputError> {
    let (a, b) = (pa.recording(), pb.recording());
    let mut found = Vec::new();
    for buffer in 0..a.buffer_count() {
        let (Some((name, dtype)), Some(other)) = (a.buffer_name(buffer), alignment.params.in_second(buffer)) else {
            continue;
        };
        let same_type = b.buffer_name(other).is_some_and(|(_, d)| d == dtype);
        if !same_type || !(a.stores_to(buffer) || b.stores_to(other)) {
            continue;
        }
        let (in_a, in_b) = (FinalNumbers::of(pa, buffer, dtype), FinalNumbers::of(pb, other, dtype));
        let size = root_mean_square(in_a.iter().map(|n| n.double));
        let comparing = Comparing { exact: options.exact, allowed: options.allowed(dtype, size), shown: SHOWN };
        let numbers = in_a.iter().zip(in_b.iter()).enumerate().map(|(at, (a, b))| ((0, at), a, b));
        let all = (1, in_a.len());
        let compared = comparing.compare(numbers, (all, all));
        found.push(OutputError { name, buffers: [buffer, other], dtype, errors: compared.errors });
    }
    found
}

/// The numbers of a buffer at the end, one after the other. Of packed numbers, the first of each byte.
pub(super) struct FinalNumbers {
    dtype: DType,
    bytes: Vec<u8>,
}

impl FinalNumbers {
    pub fn of(player: &mut Player<'_>, buffer: usize, dtype: DType) -> Self {
        let recording = player.recording();
        let (end, last) = (recording.buffer_bytes(buffer), recording.len().checked_sub(1));
        let mut bytes = Vec::with_capacity(end as usize);
        for first in (0..end).step_by(CHUNK as usize) {
            let part = first as i64..(first + CHUNK).min(end) as i64;
            bytes.extend(player.memory(MemoryId::Global(buffer), part, last));
        }
        Self { dtype, bytes }
    }

    fn size(&self) -> usize {
        (self.dtype.column_bits().div_ceil(8) as usize).max(1)
    }

    pub fn len(&self) -> usize {
        self.bytes.len() / self.size()
    }

    pub fn iter(&self) -> impl Iterator<Item = TypedNumber> + '_ {
        let raw = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |n, byte| n << 8 | u64::from(*byte));
        self.bytes.chunks_exact(self.size()).filter_map(move |bytes| TypedNumber::of_bits(self.dtype, raw(bytes)))
    }
}

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

/// Elements that are compared at once.
const CHUNK: u64 = 1 << 16;

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
        let (in_a, in_b) = (final_numbers(pa, buffer, dtype), final_numbers(pb, other, dtype));
        let size = root_mean_square(in_a.iter().map(|n| n.double));
        let comparing = Comparing { exact: options.exact, allowed: options.allowed(dtype, size), shown: SHOWN };
        let numbers = in_a.iter().zip(&in_b).enumerate().map(|(at, (a, b))| ((0, at), *a, *b));
        let all = (1, in_a.len());
        let compared = comparing.compare(numbers, (all, all));
        found.push(OutputError {
            name,
            buffers: [buffer, other],
            dtype,
            elements: compared.elements,
            beyond: compared.beyond,
            max_abs: compared.max_abs,
            max_rel: compared.max_rel,
            allowed: compared.allowed,
            worst: compared.worst,
        });
    }
    found
}

/// The numbers of a buffer at the end, one after the other. Of packed numbers, the first of each byte.
pub(super) fn final_numbers(player: &mut Player<'_>, buffer: usize, dtype: DType) -> Vec<TypedNumber> {
    let recording = player.recording();
    let size = u64::from(dtype.column_bits().div_ceil(8)).max(1);
    let (end, last) = (recording.buffer_bytes(buffer) / size, recording.len().checked_sub(1));
    let mut numbers = Vec::new();
    for first in (0..end).step_by(CHUNK as usize) {
        let part = (first * size) as i64..((first + CHUNK).min(end) * size) as i64;
        let bytes = player.memory(MemoryId::Global(buffer), part, last);
        let raw = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |n, byte| n << 8 | u64::from(*byte));
        numbers.extend(bytes.chunks(size as usize).filter_map(|bytes| TypedNumber::of_bits(dtype, raw(bytes))));
    }
    numbers
}

//! Large arrays in parts of a fixed size, on all cores: results do not depend on how many there are.

use std::ops::Range;
use std::sync::Mutex;

/// Bytes of a part; a multiple of every element size.
pub(super) const PART: usize = 1 << 22;

/// Does something with each part of the bytes, which starts at this byte.
pub(super) fn fill(bytes: &mut [u8], each: impl Fn(usize, &mut [u8]) + Sync) {
    let parts = bytes.chunks_mut(PART).enumerate().map(|(k, part)| (k * PART, part));
    on_all_cores(parts, &|(first, part)| each(first, part));
}

/// What each part of the bytes comes to, in order.
pub(super) fn map<T: Send>(bytes: &[u8], each: impl Fn(&[u8]) -> T + Sync) -> Vec<T> {
    collected(bytes.chunks(PART), &each)
}

/// The same for a few parts at a time, but not so few that a core has nothing to do.
pub(super) fn map_together<T: Send>(bytes: &[u8], most: usize, each: impl Fn(&[&[u8]]) -> Vec<T> + Sync) -> Vec<T> {
    let parts: Vec<&[u8]> = bytes.chunks(PART).collect();
    let together = (parts.len() / cores()).clamp(1, most);
    collected(parts.chunks(together), &each).into_iter().flatten().collect()
}

/// What each of these ranges comes to, in order; together they are all indices.
pub(super) fn map_indices<T: Send>(count: usize, each: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    const INDICES: usize = 1 << 20;
    let range = |k: usize| k * INDICES..((k + 1) * INDICES).min(count);
    collected((0..count.div_ceil(INDICES)).map(range), &each)
}

fn collected<I: Send, T: Send>(
    items: impl ExactSizeIterator<Item = I> + Send,
    each: &(impl Fn(I) -> T + Sync),
) -> Vec<T> {
    let mut results: Vec<Option<T>> = (0..items.len()).map(|_| None).collect();
    on_all_cores(items.zip(&mut results), &|(item, result)| *result = Some(each(item)));
    results.into_iter().flatten().collect()
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

fn on_all_cores<I: Send>(items: impl ExactSizeIterator<Item = I> + Send, each: &(impl Fn(I) + Sync)) {
    let cores = cores().min(items.len());
    if cores <= 1 {
        return items.for_each(each);
    }
    let items = Mutex::new(items);
    // The lock is released before the work starts.
    let next = || items.lock().ok()?.next();
    let work = || {
        while let Some(item) = next() {
            each(item);
        }
    };
    std::thread::scope(|scope| {
        // A thread that cannot be started leaves its work to the others.
        for _ in 1..cores {
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_visited_once_and_in_order() {
        let mut bytes = vec![0u8; 3 * PART + 5];
        fill(&mut bytes, |first, part| part.fill((first / PART) as u8 + 1));
        let found = map(&bytes, |part| (part[0], part.len()));
        assert_eq!(found, [(1, PART), (2, PART), (3, PART), (4, 5)]);
        assert_eq!(map_together(&bytes, 3, |parts| parts.iter().map(|part| (part[0], part.len())).collect()), found);
        assert!(map(&[], |part| part.len()).is_empty());
    }

    #[test]
    fn ranges_cover_all_indices() {
        let found = map_indices(3_000_000, |range| range);
        assert_eq!((found[0].start, found.iter().map(|range| range.len()).sum::<usize>()), (0, 3_000_000));
        assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(map_indices(0, |range| range).is_empty());
    }
}

//! Large arrays in parts of a fixed size, on all cores: results do not depend on how many there are.

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
    let mut results: Vec<Option<T>> = bytes.chunks(PART).map(|_| None).collect();
    on_all_cores(bytes.chunks(PART).zip(&mut results), &|(part, result)| *result = Some(each(part)));
    results.into_iter().flatten().collect()
}

fn on_all_cores<I: Send>(items: impl ExactSizeIterator<Item = I> + Send, each: &(impl Fn(I) + Sync)) {
    let cores = std::thread::available_parallelism().map_or(1, Into::into).min(items.len());
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
        assert!(map(&[], |part| part.len()).is_empty());
    }
}

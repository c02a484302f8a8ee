//! Factors that stay packed as long as a core runs.
//!
//! Blocks load the same windows of global memory again and again. Where nothing writes that memory, a factor that was loaded from there and
//! packed once need neither be loaded nor packed again.

use super::product_chain::ProductChain;
use crate::kernels::KeptFactor;
use crate::prepared::{GeometryId, ViewState};
use pto_isa::GlobalLayout;
use pto_isa::hash::FastMap;
use std::sync::Arc;

/// Bytes that may be kept before one of them was used again, and most bytes.
const FIRST: usize = 4 << 20;
const MOST: usize = 32 << 20;

/// What has not been used while this many times the bytes that may be kept were asked for gives way.
const PATIENCE: usize = 4;

/// Most windows that are told apart.
const MOST_WINDOWS: usize = 1 << 16;

/// How many are looked at for one that gives way.
const GLANCE: usize = 8;

/// A window of global memory, and the tile it is loaded into.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct LoadedWindow {
    address: u64,
    shape: [u64; 5],
    strides: [i64; 5],
    layout: GlobalLayout,
    geometry: GeometryId,
    region: (usize, usize),
}

impl LoadedWindow {
    pub fn new(view: &ViewState, geometry: GeometryId, region: (usize, usize)) -> Self {
        let ViewState { address, shape, strides, layout, .. } = *view;
        Self { address, shape, strides, layout, geometry, region }
    }
}

/// A part of a loaded tile that is moved to where a factor is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct LoadedPart {
    /// The number of its window.
    pub window: u32,
    pub start: (u64, u64),
    pub size: (usize, usize),
    pub is_left: bool,
}

/// Where a factor comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum FactorOrigin {
    /// It is not known, or may change.
    Unknown,
    /// It is in the store for the first time.
    New(LoadedPart),
    /// It was taken from there.
    Taken(usize),
}

/// The store of a core.
#[derive(Default)]
pub(super) struct FactorStore {
    windows: FastMap<LoadedWindow, u32>,
    /// How many factors of each window are stored.
    counts: Vec<u32>,
    places: FastMap<LoadedPart, usize>,
    stored: Vec<StoredFactor>,
    /// Places without a factor.
    free: Vec<usize>,
    /// Memory for others.
    spare: Vec<KeptFactor>,
    bytes: usize,
    /// Bytes that were asked for so far, and those of them that were there.
    asked: usize,
    found: usize,
    /// Where to look for one that gives way.
    hand: usize,
}

struct StoredFactor {
    part: LoadedPart,
    /// `None` while it is used.
    kept: Option<Arc<KeptFactor>>,
    bytes: usize,
    /// What had been asked for when it was used last.
    used_at: usize,
}

impl FactorStore {
    pub fn with_spare(spare: Vec<KeptFactor>) -> Self {
        Self { spare, ..Self::default() }
    }

    /// All memory, for another core.
    pub fn into_spare(self) -> Vec<KeptFactor> {
        let Self { mut spare, stored, .. } = self;
        spare.extend(stored.into_iter().filter_map(|factor| factor.kept.and_then(Arc::into_inner)));
        spare.iter_mut().for_each(KeptFactor::clear);
        spare
    }

    /// The number of a window, and whether factors from it are stored. `None` if there are too many.
    pub fn window(&mut self, window: LoadedWindow) -> Option<(u32, bool)> {
        if let Some(number) = self.windows.get(&window) {
            return Some((*number, self.counts[*number as usize] > 0));
        }
        let number = self.counts.len();
        (number < MOST_WINDOWS).then(|| {
            self.windows.insert(window, number as u32);
            self.counts.push(0);
            (number as u32, false)
        })
    }

    /// A factor that was packed before.
    pub fn take(&mut self, part: &LoadedPart) -> Option<(Arc<KeptFactor>, FactorOrigin)> {
        let at = *self.places.get(part)?;
        let stored = &mut self.stored[at];
        let kept = stored.kept.take()?;
        self.asked += stored.bytes;
        self.found += stored.bytes;
        stored.used_at = self.asked;
        Some((kept, FactorOrigin::Taken(at)))
    }

    /// Memory for a factor.
    pub fn spare(&mut self) -> Arc<KeptFactor> {
        Arc::new(self.spare.pop().unwrap_or_default())
    }

    /// Takes memory for others, unless a chain needs what it holds.
    fn recycle(&mut self, kept: Arc<KeptFactor>) {
        if let Some(mut kept) = Arc::into_inner(kept) {
            kept.clear();
            self.spare.push(kept);
        }
    }

    /// Takes back the factors of a chain that is not needed any more.
    pub fn recycle_chain(&mut self, chain: ProductChain<'_>) {
        for factor in chain.into_factors() {
            self.recycle(factor);
        }
    }

    /// Takes back a factor, and stores it if all of it is packed.
    pub fn put(&mut self, origin: FactorOrigin, kept: Arc<KeptFactor>, is_packed: bool) {
        match origin {
            FactorOrigin::Taken(at) if is_packed => {
                kept.find();
                self.stored[at].kept = Some(kept);
                return;
            }
            FactorOrigin::Taken(at) => self.forget(at),
            FactorOrigin::New(part) if is_packed && !self.places.contains_key(&part) => {
                kept.find();
                let bytes = kept.bytes();
                self.asked += bytes;
                if self.has_room(bytes) {
                    return self.add(StoredFactor { part, kept: Some(kept), bytes, used_at: self.asked });
                }
            }
            _ => {}
        }
        self.recycle(kept);
    }

    /// Whether there is room, if necessary that of a factor that has not been used for long.
    fn has_room(&mut self, bytes: usize) -> bool {
        let most = MOST.min(FIRST + PATIENCE * self.found);
        if self.bytes + bytes <= most {
            return true;
        }
        for _ in 0..GLANCE.min(self.stored.len()) {
            self.hand = (self.hand + 1) % self.stored.len();
            let factor = &mut self.stored[self.hand];
            let is_old = self.asked - factor.used_at > PATIENCE * most;
            if let Some(kept) = factor.kept.take_if(|_| is_old) {
                self.recycle(kept);
                self.forget(self.hand);
            }
        }
        self.bytes + bytes <= most
    }

    fn add(&mut self, factor: StoredFactor) {
        self.counts[factor.part.window as usize] += 1;
        self.bytes += factor.bytes;
        let at = self.free.pop().unwrap_or(self.stored.len());
        self.places.insert(factor.part, at);
        if at == self.stored.len() {
            self.stored.push(factor);
        } else {
            self.stored[at] = factor;
        }
    }

    /// A place whose factor has been taken for good.
    fn forget(&mut self, at: usize) {
        let StoredFactor { part, bytes, .. } = self.stored[at];
        self.counts[part.window as usize] -= 1;
        self.bytes -= bytes;
        self.places.remove(&part);
        self.free.push(at);
    }
}

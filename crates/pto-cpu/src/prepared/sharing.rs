//! Loops whose iterations threads can share, so that one block runs on several of them.

use super::ids::{LoopId, Reg, StepId};
use std::sync::{Arc, Mutex, TryLockError};

/// A loop around which there is no other, and which counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedLoop {
    pub id: LoopId,
    /// The step that tests the counter.
    pub test: StepId,
    pub counter: Reg,
    pub lower: Reg,
    pub step: Reg,
}

/// What is known about sharing the loops of a block.
#[derive(Clone, Default, Debug)]
pub(crate) struct LoopSharing {
    /// Empty if the program has steps that must be executed once, and in order.
    pub loops: Vec<SharedLoop>,
    pub latest: LatestProof,
}

/// What following a program with certain arguments has shown: no iteration needs anything of another.
#[derive(Clone, Debug)]
pub(crate) struct SharingProof {
    /// How many iterations each of the loops has.
    pub iterations: Vec<u64>,
    /// Bytes that are accessed in those iterations, and elsewhere.
    pub inside: u64,
    pub outside: u64,
    pub instructions: u64,
}

/// The proof for the latest arguments; `None` if iterations depend on each other.
#[derive(Default, Debug)]
pub(crate) struct LatestProof(Mutex<Option<KnownProof>>);

#[derive(Debug)]
struct KnownProof {
    arguments: Vec<u64>,
    proof: Option<Arc<SharingProof>>,
}

impl Clone for LatestProof {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl LatestProof {
    /// The proof for these arguments, which is made if it is not known.
    pub fn get(&self, arguments: Vec<u64>, make: impl FnOnce() -> Option<SharingProof>) -> Option<Arc<SharingProof>> {
        // After a fork, a thread that the child does not have may hold the lock.
        let mut known = match self.0.try_lock() {
            Ok(known) => known,
            Err(TryLockError::Poisoned(known)) => known.into_inner(),
            Err(TryLockError::WouldBlock) => return make().map(Arc::new),
        };
        if let Some(known) = known.as_ref().filter(|known| known.arguments == arguments) {
            return known.proof.clone();
        }
        let proof = make().map(Arc::new);
        *known = Some(KnownProof { arguments, proof: proof.clone() });
        proof
    }
}

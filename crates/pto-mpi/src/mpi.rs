//! The library in use: ranks, collectives, messages.

#![expect(unsafe_code, reason = "calls of MPI")]

use crate::calls::{MpiCalls, MpiHandle};
use crate::constants::{MpiConstants, MpiElement, MpiOp};
use crate::error::MpiError;
use crate::launch::launched_rank;
use crate::library::{self, LONGEST_TEXT, MpiLibrary, text_of};
use std::ffi::{c_int, c_void};
use std::ptr::{null_mut, without_provenance, without_provenance_mut};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Levels of support for threads, the same in every library.
const FUNNELED: c_int = 1;
const SERIALIZED: c_int = 2;

/// The largest number of bytes in a call: counts are `c_int`.
const PIECE: usize = 1 << 30;

/// Tags below are for callers.
const OWN_TAG: c_int = 32767;

/// MPI, from [`Mpi::start`] until it is dropped.
///
/// Every rank makes the same collective calls in the same order: [`barrier`](Mpi::barrier),
/// [`broadcast`](Mpi::broadcast), [`gather`](Mpi::gather), [`all_gather`](Mpi::all_gather),
/// [`all_reduce_f32`](Mpi::all_reduce_f32), [`window`](Mpi::window), and dropping a window and this. Those must be made by one
/// thread at a time.
pub struct Mpi {
    calls: Box<dyn MpiCalls>,
    pub(crate) constants: MpiConstants,
    /// Only ours, so that messages of other libraries are not received here.
    comm: MpiHandle,
    rank: usize,
    ranks: usize,
    version: String,
    provided: c_int,
    all_on_one_machine: bool,
    piece: usize,
    /// Held during every call.
    turn: Mutex<()>,
}

impl Mpi {
    /// Loads and initialises MPI: the library that the variable `PTO_MPI` names, or the one of the launcher that started this
    /// process, or any if none did.
    pub fn start() -> Result<Self, MpiError> {
        let launched = launched_rank();
        let MpiLibrary { path, version, calls, constants } = library::load(launched.map(|of| of.launcher))?;
        let mut was_started = 0;
        // SAFETY: this may be asked at any time.
        unsafe { calls.initialized(&raw mut was_started) };
        if was_started != 0 {
            return Err(MpiError::StartedBefore);
        }
        let mut provided = 0;
        // SAFETY: it was not initialised yet; arguments of the program are optional.
        let code = unsafe { calls.init_thread(null_mut(), null_mut(), SERIALIZED, &raw mut provided) };
        let mut mpi = Self {
            comm: constants.world,
            calls,
            constants,
            rank: 0,
            ranks: 1,
            version,
            provided,
            all_on_one_machine: false,
            piece: PIECE,
            turn: Mutex::new(()),
        };
        if code != 0 {
            let error = mpi.error("MPI_Init_thread", code);
            // It was not initialised, so it must not be finalised.
            std::mem::forget(mpi);
            return Err(error);
        }
        mpi.set_up(&path)?;
        match launched {
            Some(launched) if launched.ranks != mpi.ranks => {
                let version = mpi.version.clone();
                Err(MpiError::OtherLauncher { path, version, launched, ranks: mpi.ranks })
            }
            _ if provided < FUNNELED => Err(MpiError::NoThreads { provided }),
            _ => Ok(mpi),
        }
    }

    fn set_up(&mut self, path: &str) -> Result<(), MpiError> {
        let (world, constants) = (self.constants.world, &self.constants);
        // SAFETY: the communicator is that of the library.
        self.call("MPI_Comm_set_errhandler", |c| unsafe { c.comm_set_errhandler(world, constants.errors_return) })?;
        self.check_constants(path)?;
        let mut comm = MpiHandle::EMPTY;
        // SAFETY: the communicator is that of the library; the new one has room.
        self.call("MPI_Comm_dup", |c| unsafe { c.comm_dup(world, &raw mut comm) })?;
        self.comm = comm;
        let (mut rank, mut machine) = (0, MpiHandle::EMPTY);
        // SAFETY: the communicator was made above.
        self.call("MPI_Comm_rank", |c| unsafe { c.comm_rank(comm, &raw mut rank) })?;
        self.rank = usize::try_from(rank).unwrap_or(0);
        self.ranks = self.size_of(comm)?;
        let (kind, info) = (self.constants.type_shared, self.constants.info_null);
        // SAFETY: as above.
        self.call("MPI_Comm_split_type", |c| unsafe { c.comm_split_type(comm, kind, 0, info, &raw mut machine) })?;
        self.all_on_one_machine = self.size_of(machine)? == self.ranks;
        // SAFETY: it was made above, and is not used any more.
        self.call("MPI_Comm_free", |c| unsafe { c.comm_free(&raw mut machine) })
    }

    /// Handles of types are numbers in MPICH: those of another library with the same name would have other sizes.
    fn check_constants(&self, path: &str) -> Result<(), MpiError> {
        for element in MpiElement::ALL {
            let (of, mut size) = (self.constants.element(element), 0);
            // SAFETY: what is no type is an error.
            let known = self.call("MPI_Type_size", |c| unsafe { c.type_size(of, &raw mut size) });
            if known.is_err() || usize::try_from(size) != Ok(element.size()) {
                let version = self.version.clone();
                return Err(MpiError::UnknownInterface { path: path.to_string(), version });
            }
        }
        Ok(())
    }

    fn size_of(&self, comm: MpiHandle) -> Result<usize, MpiError> {
        let mut size = 0;
        // SAFETY: the communicator is one of the library.
        self.call("MPI_Comm_size", |c| unsafe { c.comm_size(comm, &raw mut size) })?;
        Ok(usize::try_from(size).unwrap_or(0))
    }

    /// The number of this process.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of processes.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// What the library says it is, in one line.
    pub fn version(&self) -> String {
        self.version.clone()
    }

    /// True if all threads may call, false if only the one that called [`Mpi::start`] may.
    pub fn any_thread(&self) -> bool {
        self.provided >= SERIALIZED
    }

    /// True if all ranks share the memory of one machine.
    pub fn all_on_one_machine(&self) -> bool {
        self.all_on_one_machine
    }

    /// Returns when all ranks have called it.
    pub fn barrier(&self) -> Result<(), MpiError> {
        // SAFETY: the communicator is ours.
        self.complete("MPI_Ibarrier", |c, request| unsafe { c.ibarrier(self.comm, request) })
    }

    /// The bytes of rank `root` become those of every rank.
    pub fn broadcast(&self, bytes: &mut Vec<u8>, root: usize) -> Result<(), MpiError> {
        self.known(root)?;
        let mut length = (bytes.len() as u64).to_le_bytes();
        self.broadcast_slice(&mut length, root)?;
        bytes.resize(size_from(length), 0);
        self.broadcast_slice(bytes, root)
    }

    fn broadcast_slice(&self, bytes: &mut [u8], root: usize) -> Result<(), MpiError> {
        for piece in bytes.chunks_mut(self.piece) {
            let (data, count) = (piece.as_mut_ptr().cast(), int(piece.len()));
            // SAFETY: the piece has `count` bytes, and is borrowed until the request is complete.
            self.complete("MPI_Ibcast", |c, request| unsafe {
                c.ibcast(data, count, self.constants.byte, int(root), self.comm, request)
            })?;
        }
        Ok(())
    }

    /// The bytes of all ranks, in their order, at rank `root`; `None` elsewhere. Their numbers may differ.
    pub fn gather(&self, bytes: &[u8], root: usize) -> Result<Option<Vec<Vec<u8>>>, MpiError> {
        self.known(root)?;
        if self.rank != root {
            self.send_with(bytes, root, OWN_TAG)?;
            return Ok(None);
        }
        let of = |rank| if rank == root { Ok(bytes.to_vec()) } else { self.receive_with(rank, OWN_TAG) };
        (0..self.ranks).map(of).collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// The bytes of all ranks, in their order, at every rank. Their numbers may differ.
    pub fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, MpiError> {
        let mut all = Vec::with_capacity(self.ranks);
        for (rank, length) in self.all_gather_sizes(bytes.len())?.into_iter().enumerate() {
            let mut of_rank = if rank == self.rank { bytes.to_vec() } else { vec![0; length] };
            self.broadcast_slice(&mut of_rank, rank)?;
            all.push(of_rank);
        }
        Ok(all)
    }

    pub(crate) fn all_gather_sizes(&self, size: usize) -> Result<Vec<usize>, MpiError> {
        let own = (size as u64).to_le_bytes();
        let mut all = vec![[0_u8; 8]; self.ranks];
        let (from, to, byte) = (own.as_ptr().cast(), all.as_mut_ptr().cast(), self.constants.byte);
        // SAFETY: 8 bytes go from every rank to every rank; both sides live until the request is complete.
        self.complete("MPI_Iallgather", |c, request| unsafe {
            c.iallgather(from, 8, byte, to, 8, byte, self.comm, request)
        })?;
        Ok(all.into_iter().map(size_from).collect())
    }

    /// Sends bytes to a rank that receives them with the same tag, in `0..32767`. May wait until it does.
    pub fn send(&self, bytes: &[u8], peer: usize, tag: i32) -> Result<(), MpiError> {
        self.known(peer)?;
        check_tag(tag)?;
        self.send_with(bytes, peer, tag)
    }

    fn send_with(&self, bytes: &[u8], peer: usize, tag: c_int) -> Result<(), MpiError> {
        let length = (bytes.len() as u64).to_le_bytes();
        for piece in std::iter::once(&length[..]).chain(bytes.chunks(self.piece)) {
            let (from, count) = (piece.as_ptr().cast(), int(piece.len()));
            // SAFETY: the piece has `count` bytes, and is borrowed until the request is complete.
            self.complete("MPI_Isend", |c, request| unsafe {
                c.isend(from, count, self.constants.byte, int(peer), tag, self.comm, request)
            })?;
        }
        Ok(())
    }

    /// Receives the bytes that a rank sends with a tag.
    pub fn receive(&self, peer: usize, tag: i32) -> Result<Vec<u8>, MpiError> {
        self.known(peer)?;
        check_tag(tag)?;
        self.receive_with(peer, tag)
    }

    fn receive_with(&self, peer: usize, tag: c_int) -> Result<Vec<u8>, MpiError> {
        let mut length = [0; 8];
        self.receive_slice(&mut length, peer, tag)?;
        let mut bytes = vec![0; size_from(length)];
        self.receive_slice(&mut bytes, peer, tag)?;
        Ok(bytes)
    }

    fn receive_slice(&self, bytes: &mut [u8], peer: usize, tag: c_int) -> Result<(), MpiError> {
        for piece in bytes.chunks_mut(self.piece) {
            let (to, count) = (piece.as_mut_ptr().cast(), int(piece.len()));
            // SAFETY: the piece has `count` bytes, and is borrowed until the request is complete.
            self.complete("MPI_Irecv", |c, request| unsafe {
                c.irecv(to, count, self.constants.byte, int(peer), tag, self.comm, request)
            })?;
        }
        Ok(())
    }

    /// The sums over all ranks, element by element: `MPI_Allreduce`, which no other thread can call beside.
    pub fn all_reduce_f32(&self, data: &mut [f32]) -> Result<(), MpiError> {
        let (of, op) = (self.constants.element(MpiElement::F32), self.constants.op(MpiOp::Sum));
        for piece in data.chunks_mut(self.piece.div_ceil(4)) {
            let (to, count) = (piece.as_mut_ptr().cast(), int(piece.len()));
            let in_place: *const c_void = without_provenance(self.constants.in_place);
            // SAFETY: the piece has `count` numbers, and the call returns when it is done.
            self.call("MPI_Allreduce", |c| unsafe { c.allreduce(in_place, to, count, of, op, self.comm) })?;
        }
        Ok(())
    }

    /// Drives transfers of other ranks to and from this one, where the network does not by itself. Cheap; returns at once if
    /// another thread is inside MPI, which has the same effect.
    pub fn poke(&self) {
        let _turn = match self.turn.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let (mut flag, constants) = (0, &self.constants);
        let status = without_provenance_mut(constants.status_ignore);
        // SAFETY: the communicator is ours. A message that is there is left there.
        unsafe { self.calls.iprobe(constants.any_source, constants.any_tag, self.comm, &raw mut flag, status) };
    }

    /// Ends all ranks. Their launcher exits with the code, as far as it passes one on.
    pub fn abort(&self, code: i32) -> ! {
        // No turn is taken: a thread that waits in a call would keep it.
        // SAFETY: the communicator is ours.
        unsafe { self.calls.abort(self.comm, code) };
        std::process::exit(code)
    }

    /// For tests: transfers are cut into pieces of at most so many bytes, a multiple of 8. The same at every rank.
    #[doc(hidden)]
    pub fn set_piece(&mut self, bytes: usize) {
        self.piece = bytes.clamp(8, PIECE) / 8 * 8;
    }

    pub(crate) fn piece(&self) -> usize {
        self.piece
    }

    pub(crate) fn comm(&self) -> MpiHandle {
        self.comm
    }

    /// An error if there is no such rank.
    pub(crate) fn known(&self, rank: usize) -> Result<(), MpiError> {
        if rank < self.ranks { Ok(()) } else { Err(MpiError::NoRank { rank, ranks: self.ranks }) }
    }

    fn take_turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call, or several whose first failure is returned.
    pub(crate) fn call(
        &self,
        function: &'static str,
        make: impl FnOnce(&dyn MpiCalls) -> c_int,
    ) -> Result<(), MpiError> {
        let _turn = self.take_turn();
        let code = make(&*self.calls);
        if code == 0 { Ok(()) } else { Err(self.error(function, code)) }
    }

    /// Starts something and waits until it is done. Other threads make calls meanwhile, and other processes run: there may be
    /// more ranks than processors.
    fn complete(
        &self,
        function: &'static str,
        start: impl FnOnce(&dyn MpiCalls, *mut MpiHandle) -> c_int,
    ) -> Result<(), MpiError> {
        let mut request = MpiHandle::EMPTY;
        self.call(function, |calls| start(calls, &raw mut request))?;
        let status = without_provenance_mut(self.constants.status_ignore);
        for round in 0_u64.. {
            let mut is_done = 0;
            // SAFETY: the request is the one that was started.
            self.call(function, |calls| unsafe { calls.test(&raw mut request, &raw mut is_done, status) })?;
            if is_done != 0 {
                break;
            }
            if round < 64 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        Ok(())
    }

    /// What a code means. The turn is held.
    fn error(&self, function: &'static str, code: c_int) -> MpiError {
        let mut text = vec![0_u8; LONGEST_TEXT];
        let mut length = 0;
        // SAFETY: no library writes a longer text.
        unsafe { self.calls.error_string(code, text.as_mut_ptr().cast(), &raw mut length) };
        MpiError::Call { function, code, message: text_of(&text, length) }
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The others would wait for this rank.
            self.abort(101);
        }
        // SAFETY: windows borrow this, so none is left. Nothing is called afterwards.
        unsafe { self.calls.finalize() };
    }
}

/// A count or a rank as MPI has it; both were checked to be small.
pub(crate) fn int(number: usize) -> c_int {
    c_int::try_from(number).unwrap_or(c_int::MAX)
}

fn check_tag(tag: i32) -> Result<(), MpiError> {
    if (0..OWN_TAG).contains(&tag) { Ok(()) } else { Err(MpiError::BadTag { tag }) }
}

fn size_from(bytes: [u8; 8]) -> usize {
    usize::try_from(u64::from_le_bytes(bytes)).unwrap_or(usize::MAX)
}

//! A rank whose memory all ranks of the machine share.

#![expect(unsafe_code, reason = "shared memory as an argument")]

use crate::area::SharedArea;
use crate::control::RankControl;
use crate::processes::RankPlace;
use crate::waiting::Patience;
use crate::{BufferSizes, RankConnection, RankError};
use pto_cpu::{Arg, PeerRanks, PeerRows, PeerStop, PeerWordChange, lock_words};
use pto_isa::{DType, Diagnostic, Span, text};
use pto_mpi::{Mpi, MpiWindowKind};
use std::fs::File;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Buffers start at multiples of this: a page.
const ALIGN: usize = 4096;
/// How often a rank says that it is alive.
const BEAT: Duration = Duration::from_millis(100);

/// One rank of several that run on one machine and share memory.
pub struct SharedRank<'m> {
    control: Arc<RankControl<'m>>,
    rank: usize,
    ranks: usize,
    windows: Option<Windows<'m>>,
    waits: Mutex<Waits>,
    /// Where memory comes from, if the ranks were started by a launcher of MPI.
    mpi: Option<&'m Mpi>,
}

/// The memory of all ranks.
struct Windows<'m> {
    area: SharedArea<'m>,
    /// First byte and size of each buffer: by rank, then by parameter.
    buffers: Vec<Vec<(usize, usize)>>,
    /// First byte and number of the words of locks.
    locks: (usize, usize),
}

/// Memory that rank 0 has and all reach.
fn mpi_area(mpi: &Mpi, bytes: usize) -> Result<SharedArea<'_>, RankError> {
    let window = mpi.window_of(MpiWindowKind::Shared, if mpi.rank() == 0 { bytes } else { 0 })?;
    SharedArea::of_window(window).ok_or(RankError::Abandoned)
}

/// How long the rank has waited.
struct Waits {
    patience: Patience,
    /// How much had happened when it last looked.
    seen: Option<u64>,
}

impl SharedRank<'static> {
    /// Connects with the other ranks, if this process was started by [`RankProcesses`](crate::RankProcesses).
    ///
    /// # Errors
    /// When the memory cannot be reached.
    pub fn connect() -> Option<Result<Self, RankError>> {
        Some(RankPlace::of_environment()?.and_then(Self::at))
    }

    fn at(place: RankPlace) -> Result<Self, RankError> {
        place.end_with_parent()?;
        let path = format!("/dev/fd/{}", place.file);
        let file = File::options().read(true).write(true).open(path);
        let area = file.and_then(SharedArea::of).map_err(|e| {
            RankError::System(text!("the memory that the ranks share cannot be reached: {reason}", reason = e))
        })?;
        let control = Arc::new(RankControl { area, ranks: place.ranks });
        let (beats, rank) = (Arc::clone(&control), place.rank);
        // Ends with the process.
        std::thread::spawn(move || {
            while place.has_parent() {
                beats.beat(rank);
                std::thread::sleep(BEAT);
            }
            std::process::exit(2);
        });
        Ok(Self::new(control, rank, None))
    }
}

impl<'m> SharedRank<'m> {
    /// Connects with the other ranks, all on this machine, that a launcher of MPI started.
    ///
    /// # Errors
    /// When there is no memory that all of them reach.
    pub fn of_mpi(mpi: &'m Mpi) -> Result<Self, RankError> {
        let area = mpi_area(mpi, RankControl::bytes(mpi.ranks()))?;
        Ok(Self::new(Arc::new(RankControl { area, ranks: mpi.ranks() }), mpi.rank(), Some(mpi)))
    }

    fn new(control: Arc<RankControl<'m>>, rank: usize, mpi: Option<&'m Mpi>) -> Self {
        let ranks = control.ranks;
        let waits = Mutex::new(Waits { patience: Patience::new(ranks), seen: None });
        Self { control, rank, ranks, windows: None, waits, mpi }
    }

    /// Memory for what the ranks have, after that of the control words.
    fn area(&self, bytes: usize) -> Result<SharedArea<'m>, RankError> {
        if let Some(mpi) = self.mpi {
            return mpi_area(mpi, bytes);
        }
        let refused = |e: std::io::Error| {
            RankError::System(text!("no memory of {bytes} bytes that ranks share: {reason}", bytes, reason = e))
        };
        let Some(file) = self.control.area.file() else { return Err(RankError::Abandoned) };
        if self.rank == 0 {
            file.set_len(bytes as u64).map_err(refused)?;
        }
        self.control.meet()?;
        file.try_clone().and_then(SharedArea::of).map_err(refused)
    }

    fn opened(&self) -> &Windows<'m> {
        self.windows.as_ref().expect("`open` was called")
    }
}

impl RankConnection for SharedRank<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn exchange(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, RankError> {
        self.control.exchange(self.rank, bytes)
    }

    fn open(&mut self, sizes: BufferSizes) -> Result<(), RankError> {
        let first = RankControl::bytes(self.ranks);
        let words = lock_words(sizes.iter().flatten().copied());
        let mut end = first + (words * 4).next_multiple_of(ALIGN);
        let mut place = |bytes: usize| {
            let start = end;
            end = start + bytes.next_multiple_of(ALIGN);
            (start, bytes)
        };
        let buffers = sizes.into_iter().map(|list| list.into_iter().map(&mut place).collect()).collect();
        let area = self.area(end)?;
        self.windows = Some(Windows { area, buffers, locks: (first, words) });
        Ok(())
    }

    fn fill(&mut self, param: usize, bytes: &[u8]) {
        let Windows { area, buffers, .. } = self.opened();
        let (first, size) = buffers[self.rank][param];
        area.write(first, &bytes[..size.min(bytes.len())]);
    }

    fn read(&self, rank: usize, param: usize, to: &mut [u8]) -> Result<(), RankError> {
        let Windows { area, buffers, .. } = self.opened();
        let (first, size) = buffers[rank][param];
        let end = size.min(to.len());
        area.read(first, &mut to[..end]);
        Ok(())
    }

    fn argument(&self, rank: usize, param: usize, dtype: Option<DType>) -> Arg<'_> {
        let Windows { area, buffers, .. } = self.opened();
        let (first, size) = buffers[rank][param];
        // SAFETY: the mapping lives as long as `self`, and no reference to these bytes exists in this process. Other processes
        // touch them while they hold the locks, which all of them have in shared memory.
        let arg = unsafe { Arg::held(area.address(first, size), size, true) };
        match dtype {
            Some(dtype) => arg.of(dtype),
            None => arg,
        }
    }

    fn peers(&self) -> &dyn PeerRanks {
        self
    }

    fn finished(&self, failed: bool) {
        if failed {
            self.control.abandon_run();
        }
        self.control.note_done(self.rank);
    }

    fn end(&self) {
        self.control.set_finished(self.rank);
    }
}

impl PeerRanks for SharedRank<'_> {
    fn locks(&self) -> Option<&[AtomicU32]> {
        let Windows { area, locks, .. } = self.opened();
        Some(area.words(locks.0, locks.1))
    }

    fn fetch(&self, _: PeerRows) -> Result<(), String> {
        Ok(())
    }

    fn deliver(&self, _: PeerRows) -> Result<(), String> {
        Ok(())
    }

    fn change_word(&self, _: PeerWordChange) -> Result<(), String> {
        Ok(())
    }

    fn lock(&self, _: usize) -> Result<(), String> {
        Ok(())
    }

    fn unlock(&self, _: usize) -> Result<(), String> {
        Ok(())
    }

    fn reached(&self, span: Span) {
        self.control.reached(self.rank, span);
    }

    fn moved(&self) -> Result<(), PeerStop> {
        self.control.note_effect(self.rank);
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        waits.patience.reset();
        waits.seen = None;
        self.goes_on()
    }

    fn idle(&self, sentence: &mut dyn FnMut() -> Diagnostic) -> Result<(), PeerStop> {
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        if waits.patience.is_long() {
            let happened = self.control.happened();
            let nothing_happened = waits.seen.replace(happened) == Some(happened);
            // In this order: a rank that finds a deadlock says so before it gives up.
            let goes_on = self.goes_on();
            if self.control.found_deadlock() {
                return Err(PeerStop::Deadlock);
            }
            goes_on?;
            if nothing_happened {
                // Cores have looked since the last call, and what they looked at has not changed since.
                self.control.note_waiting(self.rank, happened, &sentence().message);
                if self.control.is_deadlock() {
                    return Err(PeerStop::Deadlock);
                }
            }
        }
        waits.patience.wait();
        Ok(())
    }
}

impl SharedRank<'_> {
    fn goes_on(&self) -> Result<(), PeerStop> {
        if self.control.is_abandoned() || self.control.is_run_abandoned() {
            return Err(PeerStop::Abandoned);
        }
        Ok(())
    }
}

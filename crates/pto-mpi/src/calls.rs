//! The functions of MPI, with either binary interface.
//!
//! Callers pass an [`MpiHandle`], which has room for a handle of both; [`MpiFunctions`] passes what the library expects.

#![expect(unsafe_code, reason = "functions of another language")]

use std::ffi::{c_char, c_int, c_void};

/// A communicator, type, operation, window, request, … of MPI, as it is in memory.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) union MpiHandle {
    word: c_int,
    address: usize,
}

impl MpiHandle {
    /// Room for a handle that a function fills in.
    pub(crate) const EMPTY: Self = Self { address: 0 };

    /// A handle of MPICH.
    pub(crate) const fn of_word(word: u32) -> Self {
        let mut handle = Self::EMPTY;
        handle.word = word.cast_signed();
        handle
    }

    /// A handle of Open MPI.
    pub(crate) const fn of_address(address: usize) -> Self {
        Self { address }
    }
}

/// A binary interface: what a handle is.
pub(crate) trait MpiInterface: Send + Sync + 'static {
    type Handle;
    fn handle(handle: MpiHandle) -> Self::Handle;
}

/// Handles are integers.
pub(crate) struct MpichInterface;

impl MpiInterface for MpichInterface {
    type Handle = c_int;
    fn handle(handle: MpiHandle) -> c_int {
        // SAFETY: every bit pattern is an integer, and all bytes are initialised (`EMPTY`).
        unsafe { handle.word }
    }
}

/// Handles are addresses.
pub(crate) struct OpenMpiInterface;

impl MpiInterface for OpenMpiInterface {
    type Handle = usize;
    fn handle(handle: MpiHandle) -> usize {
        // SAFETY: every bit pattern is an integer, and all bytes are initialised (`EMPTY`).
        unsafe { handle.address }
    }
}

/// How an argument is passed.
pub(crate) trait MpiArgument<I: MpiInterface> {
    type Passed;
    fn passed(self) -> Self::Passed;
}

impl<I: MpiInterface> MpiArgument<I> for MpiHandle {
    type Passed = I::Handle;
    fn passed(self) -> I::Handle {
        I::handle(self)
    }
}

macro_rules! same_in_both {
    ($($type:ty),*) => {$(
        impl<I: MpiInterface> MpiArgument<I> for $type {
            type Passed = $type;
            fn passed(self) -> $type {
                self
            }
        }
    )*};
}
same_in_both!(c_int, isize, *mut c_int, *mut isize, *mut c_char, *mut c_void, *const c_void, *mut MpiHandle);

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($argument:ident: $type:ty),*);)*) => {
        /// The functions of a library with one of the interfaces.
        pub(crate) struct MpiFunctions<I: MpiInterface> {
            $($name: unsafe extern "C" fn($(<$type as MpiArgument<I>>::Passed),*) -> c_int,)*
        }

        impl<I: MpiInterface> MpiFunctions<I> {
            /// The functions by their names, or the name of one that is absent.
            ///
            /// # Safety
            /// `find` gives addresses of functions of an MPI library with this interface, which stays loaded.
            pub(crate) unsafe fn load(find: &dyn Fn(&str) -> Option<*mut c_void>) -> Result<Self, &'static str> {
                Ok(Self {
                    $($name: {
                        let address = find($symbol).ok_or($symbol)?;
                        // SAFETY: the address is that of the function, whose type the standard states.
                        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($(<$type as MpiArgument<I>>::Passed),*) -> c_int>(address) }
                    },)*
                })
            }
        }

        #[expect(clippy::too_many_arguments, reason = "the standard has them")]
        /// The functions of a library with any interface. All return an error code, 0 for success.
        pub(crate) trait MpiCalls: Send + Sync {
            $(
                /// The function of the standard.
                ///
                /// # Safety
                /// The arguments are what the standard asks for, and the library was initialised if it asks for that.
                unsafe fn $name(&self, $($argument: $type),*) -> c_int;
            )*
        }

        impl<I: MpiInterface> MpiCalls for MpiFunctions<I> {
            $(
                unsafe fn $name(&self, $($argument: $type),*) -> c_int {
                    // SAFETY: as the caller states.
                    unsafe { (self.$name)($(MpiArgument::<I>::passed($argument)),*) }
                }
            )*
        }
    };
}

functions! {
    init_thread = "MPI_Init_thread" (argc: *mut c_int, argv: *mut c_void, required: c_int, provided: *mut c_int);
    initialized = "MPI_Initialized" (flag: *mut c_int);
    finalize = "MPI_Finalize" ();
    abort = "MPI_Abort" (comm: MpiHandle, code: c_int);
    error_string = "MPI_Error_string" (code: c_int, text: *mut c_char, length: *mut c_int);
    type_size = "MPI_Type_size" (of: MpiHandle, size: *mut c_int);
    comm_rank = "MPI_Comm_rank" (comm: MpiHandle, rank: *mut c_int);
    comm_size = "MPI_Comm_size" (comm: MpiHandle, size: *mut c_int);
    comm_dup = "MPI_Comm_dup" (comm: MpiHandle, new: *mut MpiHandle);
    comm_free = "MPI_Comm_free" (comm: *mut MpiHandle);
    comm_split_type = "MPI_Comm_split_type" (comm: MpiHandle, kind: c_int, key: c_int, info: MpiHandle, new: *mut MpiHandle);
    comm_set_errhandler = "MPI_Comm_set_errhandler" (comm: MpiHandle, handler: MpiHandle);
    iprobe = "MPI_Iprobe" (source: c_int, tag: c_int, comm: MpiHandle, flag: *mut c_int, status: *mut c_void);
    test = "MPI_Test" (request: *mut MpiHandle, flag: *mut c_int, status: *mut c_void);
    isend = "MPI_Isend" (from: *const c_void, count: c_int, of: MpiHandle, peer: c_int, tag: c_int, comm: MpiHandle, request: *mut MpiHandle);
    irecv = "MPI_Irecv" (to: *mut c_void, count: c_int, of: MpiHandle, peer: c_int, tag: c_int, comm: MpiHandle, request: *mut MpiHandle);
    ibarrier = "MPI_Ibarrier" (comm: MpiHandle, request: *mut MpiHandle);
    ibcast = "MPI_Ibcast" (data: *mut c_void, count: c_int, of: MpiHandle, root: c_int, comm: MpiHandle, request: *mut MpiHandle);
    iallgather = "MPI_Iallgather" (from: *const c_void, count: c_int, of: MpiHandle, to: *mut c_void, count_to: c_int, of_to: MpiHandle, comm: MpiHandle, request: *mut MpiHandle);
    allreduce = "MPI_Allreduce" (from: *const c_void, to: *mut c_void, count: c_int, of: MpiHandle, op: MpiHandle, comm: MpiHandle);
    win_allocate = "MPI_Win_allocate" (size: isize, unit: c_int, info: MpiHandle, comm: MpiHandle, base: *mut c_void, win: *mut MpiHandle);
    win_allocate_shared = "MPI_Win_allocate_shared" (size: isize, unit: c_int, info: MpiHandle, comm: MpiHandle, base: *mut c_void, win: *mut MpiHandle);
    win_shared_query = "MPI_Win_shared_query" (win: MpiHandle, rank: c_int, size: *mut isize, unit: *mut c_int, base: *mut c_void);
    win_set_errhandler = "MPI_Win_set_errhandler" (win: MpiHandle, handler: MpiHandle);
    win_lock_all = "MPI_Win_lock_all" (assertions: c_int, win: MpiHandle);
    win_unlock_all = "MPI_Win_unlock_all" (win: MpiHandle);
    win_free = "MPI_Win_free" (win: *mut MpiHandle);
    win_flush = "MPI_Win_flush" (rank: c_int, win: MpiHandle);
    win_flush_local = "MPI_Win_flush_local" (rank: c_int, win: MpiHandle);
    win_sync = "MPI_Win_sync" (win: MpiHandle);
    put = "MPI_Put" (from: *const c_void, count: c_int, of: MpiHandle, rank: c_int, at: isize, count_at: c_int, of_at: MpiHandle, win: MpiHandle);
    get = "MPI_Get" (to: *mut c_void, count: c_int, of: MpiHandle, rank: c_int, at: isize, count_at: c_int, of_at: MpiHandle, win: MpiHandle);
    accumulate = "MPI_Accumulate" (from: *const c_void, count: c_int, of: MpiHandle, rank: c_int, at: isize, count_at: c_int, of_at: MpiHandle, op: MpiHandle, win: MpiHandle);
    fetch_and_op = "MPI_Fetch_and_op" (from: *const c_void, to: *mut c_void, of: MpiHandle, rank: c_int, at: isize, op: MpiHandle, win: MpiHandle);
}

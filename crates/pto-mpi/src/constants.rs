//! The constants of `mpi.h`, which differ between the interfaces.

use crate::calls::MpiHandle;
use std::ffi::c_int;

/// The type of elements that [`MpiWindow::accumulate`](crate::MpiWindow::accumulate) combines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum MpiElement {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl MpiElement {
    /// All of them, in the order of the enumeration.
    pub const ALL: [Self; 10] =
        [Self::I8, Self::I16, Self::I32, Self::I64, Self::U8, Self::U16, Self::U32, Self::U64, Self::F32, Self::F64];

    /// Bytes of an element.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// How [`MpiWindow::accumulate`](crate::MpiWindow::accumulate) combines elements. Sums of integers wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum MpiOp {
    Sum,
    Max,
    Min,
    Replace,
}

/// The constants of a library.
pub(crate) struct MpiConstants {
    pub(crate) world: MpiHandle,
    pub(crate) byte: MpiHandle,
    /// In the order of [`MpiElement`].
    elements: [MpiHandle; 10],
    /// In the order of [`MpiOp`].
    ops: [MpiHandle; 4],
    pub(crate) no_op: MpiHandle,
    pub(crate) info_null: MpiHandle,
    pub(crate) errors_return: MpiHandle,
    /// Addresses that stand for something else.
    pub(crate) status_ignore: usize,
    pub(crate) in_place: usize,
    pub(crate) any_source: c_int,
    pub(crate) any_tag: c_int,
    pub(crate) no_check: c_int,
    pub(crate) type_shared: c_int,
}

impl MpiConstants {
    /// Those of MPICH and of what is compatible with it (ABI of 2013).
    pub(crate) fn mpich() -> Self {
        // i8, i16, i32, i64, u8, u16, u32, u64 are consecutive; the third byte is the size.
        let elements = [
            0x4c00_0137,
            0x4c00_0238,
            0x4c00_0439,
            0x4c00_083a,
            0x4c00_013b,
            0x4c00_023c,
            0x4c00_043d,
            0x4c00_083e,
            0x4c00_040a,
            0x4c00_080b,
        ];
        Self {
            world: MpiHandle::of_word(0x4400_0000),
            byte: MpiHandle::of_word(0x4c00_010d),
            elements: elements.map(MpiHandle::of_word),
            ops: [0x5800_0003, 0x5800_0001, 0x5800_0002, 0x5800_000d].map(MpiHandle::of_word),
            no_op: MpiHandle::of_word(0x5800_000e),
            info_null: MpiHandle::of_word(0x1c00_0000),
            errors_return: MpiHandle::of_word(0x5400_0001),
            status_ignore: 1,
            in_place: usize::MAX,
            any_source: -2,
            any_tag: -1,
            no_check: 1024,
            type_shared: 1,
        }
    }

    /// Those of Open MPI, or the name of a symbol that is absent.
    pub(crate) fn open_mpi(find: &dyn Fn(&str) -> Option<usize>) -> Result<Self, String> {
        let symbol = |name: &str| {
            let name = format!("ompi_mpi_{name}");
            find(&name).map(MpiHandle::of_address).ok_or(name)
        };
        let names = ["int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"];
        let mut elements = [MpiHandle::EMPTY; 10];
        for (element, name) in elements.iter_mut().zip(names.into_iter().chain(["float", "double"])) {
            *element = symbol(name)?;
        }
        Ok(Self {
            world: symbol("comm_world")?,
            byte: symbol("byte")?,
            elements,
            ops: [symbol("op_sum")?, symbol("op_max")?, symbol("op_min")?, symbol("op_replace")?],
            no_op: symbol("op_no_op")?,
            info_null: symbol("info_null")?,
            errors_return: symbol("errors_return")?,
            status_ignore: 0,
            in_place: 1,
            any_source: -1,
            any_tag: -1,
            no_check: 1,
            type_shared: 0,
        })
    }

    pub(crate) fn element(&self, element: MpiElement) -> MpiHandle {
        self.elements[element as usize]
    }

    pub(crate) fn op(&self, op: MpiOp) -> MpiHandle {
        self.ops[op as usize]
    }
}

//! Gathers from and scatters into a table in global memory.
//!
//! The table is the matrix in a window: an index selects a row or an element, counted along the rows. Indices are unsigned
//! 32-bit numbers, so that negative ones lie far beyond the end.

use super::blocks;
use super::combine::{Combine, combiner, exclusive};
use super::place::ElementMap;
use super::stream::Cache;
use super::window::{check_bytes, size};
use pto_isa::{DType, Type};
use pto_num::Baseline;
use pto_vector::{Call, Fault, KernelFn, OpKernel, Prepared, Site, TileRef, ViewRef, WrittenPart};

/// From a table into a tile; the indices are a tile, or a window of global memory.
pub(super) const GATHER: OpKernel =
    OpKernel::taking(&["dst", "idx"], &["mem", "idx"], &[], prepare_gather).writing(WrittenPart::Some);

/// From a tile into a table.
pub(super) const SCATTER: OpKernel = OpKernel::taking(&["src", "idx"], &["mem"], &[], prepare_scatter);

/// What an index outside the table does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OutOfRange {
    /// The run stops: nothing is promised, and nothing sensible could be done.
    Fault,
    Clamp,
    Wrap,
    /// Zero is read, nothing is written.
    Nothing,
}

impl OutOfRange {
    fn parse(name: &str) -> Self {
        match name {
            "clamp" => Self::Clamp,
            "wrap" => Self::Wrap,
            "zero" | "skip" => Self::Nothing,
            _ => Self::Fault,
        }
    }
}

/// What an index names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IndexedUnit {
    Row,
    Element,
    /// As the shape of the indices says.
    ByShape,
}

/// The options of an instruction, as they travel in its immediates.
#[derive(Clone, Copy)]
struct How {
    unit: IndexedUnit,
    outside: OutOfRange,
    combine: Option<Combine>,
    dtype: DType,
}

impl How {
    fn of(site: &Site, outside: &str, dtype: DType) -> Self {
        let unit = match site.attr("coalesce") {
            Some("row") => IndexedUnit::Row,
            Some("elem") => IndexedUnit::Element,
            _ => IndexedUnit::ByShape,
        };
        let outside = site.attr(outside).map_or(OutOfRange::Fault, OutOfRange::parse);
        Self { unit, outside, combine: site.attr("scatterAtomicOp").and_then(Combine::parse), dtype }
    }

    fn packed(&self) -> Option<[u64; 2]> {
        let dtype = DType::ALL.iter().position(|d| *d == self.dtype)? as u64;
        let combine = self.combine.map_or(0, Combine::code);
        Some([self.unit as u64 | (self.outside as u64) << 8, dtype | combine << 8])
    }

    fn unpacked([first, second]: [u64; 2]) -> Self {
        let unit = [IndexedUnit::Row, IndexedUnit::Element, IndexedUnit::ByShape][(first & 0xff) as usize];
        let outside =
            [OutOfRange::Fault, OutOfRange::Clamp, OutOfRange::Wrap, OutOfRange::Nothing][(first >> 8) as usize];
        let dtype = DType::ALL[(second & 0xff) as usize];
        Self { unit, outside, combine: Combine::from_code(second >> 8), dtype }
    }
}

fn prepare_gather(site: &Site) -> Option<Prepared<2, 2>> {
    let dst = site.tile("dst")?;
    let run: KernelFn<2, 2> = match dst.dtype.column_bits() {
        8 => gather::<u8>,
        16 => gather::<u16>,
        32 => gather::<u32>,
        64 => gather::<u64>,
        _ => return None,
    };
    prepared(site, run, How::of(site, "gatherOob", dst.dtype))
}

fn prepare_scatter(site: &Site) -> Option<Prepared<2, 1>> {
    let src = site.tile("src")?;
    let run: KernelFn<2, 1> = match src.dtype.column_bits() {
        8 => scatter::<u8>,
        16 => scatter::<u16>,
        32 => scatter::<u32>,
        64 => scatter::<u64>,
        _ => return None,
    };
    let how = How::of(site, "scatterOob", src.dtype);
    match how.combine {
        Some(combine) if combiner(how.dtype, combine).is_none() => None,
        _ => prepared(site, run, how),
    }
}

fn prepared<const V: usize>(site: &Site, run: KernelFn<2, V>, how: How) -> Option<Prepared<2, V>> {
    let mem = site.instance.ty("mem").and_then(Type::elem)?;
    let idx = site.instance.ty("idx").and_then(Type::elem)?;
    let fits = mem.column_bits() == how.dtype.column_bits() && idx.bits() == 32;
    Some(Prepared::of(run, how.packed().filter(|_| fits)?))
}

/// The table: where it lies, and its rows and columns.
struct IndexedTable {
    place: ElementMap,
    rows: u64,
    cols: u64,
}

impl IndexedTable {
    fn new(view: &ViewRef, bits: usize) -> Result<Self, Fault> {
        let (rows, cols) = size(view);
        if rows > 0 && cols > 0 {
            check_bytes(view, rows as usize, cols as usize, bits)?;
        }
        Ok(Self { place: ElementMap::of_view(view), rows, cols })
    }

    /// An element, counted along the rows.
    fn element(&self, index: u64, size: usize) -> *mut u8 {
        let (row, col) = ((index / self.cols) as usize, (index % self.cols) as usize);
        self.place.start.wrapping_add((self.place.rows.at(row) + self.place.cols.at(col)) * size)
    }
}

/// Indices, of a tile without boxes or in global memory.
struct Indices {
    place: ElementMap,
    rows: usize,
    cols: usize,
}

impl Indices {
    fn new(tile: &TileRef, view: Option<&ViewRef>) -> Result<Self, Fault> {
        if let Some(place) = Some(tile).filter(|t| t.is_present()).and_then(ElementMap::of_tile) {
            return Ok(Self { place, rows: tile.rows(), cols: tile.cols() });
        }
        let Some(view) = view else { return Err(Fault::WindowMismatch { tile: (0, 0), window: (0, 0) }) };
        let (rows, cols) = size(view);
        if rows > 0 && cols > 0 {
            check_bytes(view, rows as usize, cols as usize, 32)?;
        }
        Ok(Self { place: ElementMap::of_view(view), rows: rows as usize, cols: cols as usize })
    }

    /// # Safety
    /// The row and column lie inside of the indices.
    unsafe fn get(&self, row: usize, col: usize) -> u64 {
        // SAFETY: the row and column lie inside of the indices, which `Indices::new` found in memory.
        unsafe {
            let at = self.place.rows.at(row) + self.place.cols.at(col);
            u64::from(self.place.start.cast::<u32>().wrapping_add(at).read_unaligned())
        }
    }

    /// The index of a row: indices are one row or one column.
    ///
    /// # Safety
    /// The indices reach that row.
    unsafe fn of_row(&self, row: usize) -> u64 {
        // SAFETY: the indices reach that row, as the caller says.
        unsafe { if self.rows == 1 { self.get(0, row) } else { self.get(row, 0) } }
    }

    /// Enough for every row of a tile.
    fn reach_rows(&self, rows: usize) -> bool {
        (self.rows == 1 && self.cols >= rows) || (self.cols >= 1 && self.rows >= rows)
    }

    fn reach_elements(&self, tile: &TileRef) -> bool {
        self.rows >= tile.rows() && self.cols >= tile.cols()
    }
}

/// An instruction on a tile with data, a table and indices.
struct Indexed<'a> {
    data: &'a TileRef<'a>,
    table: IndexedTable,
    indices: Indices,
    how: How,
}

impl<'a> Indexed<'a> {
    /// `imm` are the immediates of the call, `view` the indices in global memory, if any.
    fn new(
        [data, idx]: &'a [TileRef<'a>; 2],
        mem: &ViewRef,
        view: Option<&ViewRef>,
        imm: [u64; 2],
        bits: usize,
    ) -> Result<Self, Fault> {
        let mut how = How::unpacked(imm);
        let indices = Indices::new(idx, view)?;
        if how.unit == IndexedUnit::ByShape {
            how.unit = if indices.reach_elements(data) { IndexedUnit::Element } else { IndexedUnit::Row };
        }
        let table = IndexedTable::new(mem, bits)?;
        let (reached, wide) = match how.unit {
            IndexedUnit::Row => (indices.reach_rows(data.rows()), data.cols() as u64 <= table.cols),
            _ => (indices.reach_elements(data), true),
        };
        if !reached {
            let window = (indices.rows as u64, indices.cols as u64);
            return Err(Fault::WindowMismatch { tile: (data.rows(), data.cols()), window });
        }
        if !wide {
            return Err(Fault::WindowMismatch { tile: (data.rows(), data.cols()), window: (table.rows, table.cols) });
        }
        Ok(Self { data, table, indices, how })
    }

    /// What the index for this place names in the table; `None` where it names nothing and that is allowed.
    ///
    /// # Safety
    /// The row and column lie inside of the tile.
    unsafe fn named(&self, row: usize, col: usize) -> Result<Option<u64>, Fault> {
        // SAFETY: `Indexed::new` checked that the indices reach every row and column of the tile.
        unsafe {
            let (index, limit) = match self.how.unit {
                IndexedUnit::Row => (self.indices.of_row(row), self.table.rows),
                _ => (self.indices.get(row, col), self.table.rows.saturating_mul(self.table.cols)),
            };
            Ok(match self.how.outside {
                _ if index < limit => Some(index),
                OutOfRange::Clamp if limit > 0 => Some(limit - 1),
                OutOfRange::Wrap if limit > 0 => Some(index % limit),
                OutOfRange::Nothing => None,
                _ => return Err(Fault::IndexOutOfRange { row, col, index: index as i64, limit }),
            })
        }
    }

    /// Row `row` of the tile, if it lies regularly.
    fn tile_row(&self, row: usize, size: usize) -> Option<ElementMap> {
        let tile = ElementMap::of_tile(self.data)?;
        Some(ElementMap { start: tile.start.wrapping_add(tile.rows.at(row) * size), ..tile })
    }

    /// A row of the table.
    fn table_row(&self, named: u64, size: usize) -> ElementMap {
        let table = self.table.place;
        ElementMap { start: table.start.wrapping_add(table.rows.at(named as usize) * size), ..table }
    }

    fn element(&self, row: usize, col: usize, size: usize) -> *mut u8 {
        self.data.ptr().wrapping_add(self.data.index(row, col) * size)
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn gather<T: Copy + Default>(call: &Call<2, 2>) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let size = size_of::<T>();
        let [mem, idx] = call.views;
        let this = Indexed::new(call.tiles, mem, Some(idx).filter(|v| v.is_present()), call.imm, 8 * size)?;
        let put = |row, col, value: T| this.element(row, col, size).cast::<T>().write_unaligned(value);
        for row in 0..this.data.rows() {
            if this.how.unit == IndexedUnit::Row {
                match this.named(row, 0)? {
                    Some(named) => {
                        let from = this.table_row(named, size);
                        if let Some(to) = this.tile_row(row, size) {
                            // One row is one run, or a few; no level has more for it.
                            blocks::copy::<Baseline>(&from, &to, 1, this.data.cols(), size, Cache::Ordinary);
                        } else {
                            let get =
                                |col| from.start.wrapping_add(from.cols.at(col) * size).cast::<T>().read_unaligned();
                            (0..this.data.cols()).for_each(|col| put(row, col, get(col)));
                        }
                    }
                    None => (0..this.data.cols()).for_each(|col| put(row, col, T::default())),
                }
                continue;
            }
            for col in 0..this.data.cols() {
                let named = this.named(row, col)?;
                let value = named.map(|n| this.table.element(n, size).cast::<T>().read_unaligned());
                put(row, col, value.unwrap_or_default());
            }
        }
        Ok(())
    }
}

/// Writes in row-major order of the tile, so the last of several writes to one place stays.
///
/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn scatter<T: Copy>(call: &Call<2, 1>) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let size = size_of::<T>();
        let this = Indexed::new(call.tiles, &call.views[0], None, call.imm, 8 * size)?;
        let combine = this.how.combine.and_then(|how| combiner(this.how.dtype, how));
        let _lock = combine.map(|_| exclusive());
        let write = |from: *mut u8, to: *mut u8| match combine {
            Some(run) => run(from, to),
            None => to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()),
        };
        for row in 0..this.data.rows() {
            if this.how.unit == IndexedUnit::Row {
                let Some(named) = this.named(row, 0)? else { continue };
                let to = this.table_row(named, size);
                for col in 0..this.data.cols() {
                    write(this.element(row, col, size), to.start.wrapping_add(to.cols.at(col) * size));
                }
                continue;
            }
            for col in 0..this.data.cols() {
                if let Some(named) = this.named(row, col)? {
                    write(this.element(row, col, size), this.table.element(named, size));
                }
            }
        }
        Ok(())
    }
}

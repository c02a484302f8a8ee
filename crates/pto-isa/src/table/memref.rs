//! Buffers of lowered programs: the part of the `memref` dialect that the public assembler's output has.

use crate::row::{AttrKind, Custom, Effect, SlotKind, Movement, Row, Slot, Storage, attr, opt_attr};
use crate::shape::{result, value_in};
use crate::Pipe;

const SCALAR: Row = Row::EMPTY.pipe(Pipe::S).effect(Effect::Operands);
const RESULT: &[Slot] = &[result("result", SlotKind::Any)];

const BUFFER: &str = "\
func.func @example() {
  %rows = arith.constant 2 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %x = arith.constant 7 : i32
  %buffer = memref.alloc(%rows) : memref<?x4xi32>
  memref.store %x, %buffer[%one, %three] : memref<?x4xi32>
  %y = memref.load %buffer[%one, %three] : memref<?x4xi32>  // = 7
  %columns = memref.dim %buffer, %one : memref<?x4xi32>  // = 4
  memref.dealloc %buffer : memref<?x4xi32>
  return
}
";

const WINDOWS: &str = "\
func.func @example() {
  %zero = arith.constant 0 : index
  %six = arith.constant 6 : index
  %x = arith.constant 7 : i32
  %buffer = memref.alloc() : memref<2x4xi32>
  %window = memref.subview %buffer[1, 2] [1, 2] [1, 1] : memref<2x4xi32> to memref<1x2xi32, strided<[4, 1], offset: 6>>
  memref.store %x, %window[%zero, %zero] : memref<1x2xi32, strided<[4, 1], offset: 6>>
  %flat = memref.reinterpret_cast %buffer to offset: [0], sizes: [8], strides: [1] : memref<2x4xi32> to memref<8xi32>
  %y = memref.load %flat[%six] : memref<8xi32>  // = 7
  %open = memref.cast %flat : memref<8xi32> to memref<?xi32>
  %length = memref.dim %open, %zero : memref<?xi32>  // = 8
  return
}
";

family! { Arith, "", memref;
    /// A buffer of the lowered dialect.
    ///
    /// An extent `?` takes the next operand. Without a memory space the buffer lies in global memory and starts as zeros; each execution makes it anew. With
    /// `#pto.address_space<vec>` and the like it is a tile of a lowered program: planned, placed and ordered like one that `pto.alloc_tile` makes.
    memref_alloc = "memref.alloc": SCALAR.storage(Storage::Buffer)
        .slots(&[value_in("sizes", SlotKind::Index).many()])
        .results(RESULT)
        .attrs(&[opt_attr("alignment", AttrKind::Int(0, i64::MAX), "", "alignment in bytes")])
        .custom(Custom::MemrefAlloc)
        .effect(Effect::View)
        .example(BUFFER);
    /// Ends the life of a buffer.
    ///
    /// Says that nothing uses the buffer afterwards. It has no effect on a run; planning finds lifetimes by itself.
    memref_dealloc = "memref.dealloc": SCALAR.storage(Storage::Free)
        .slots(&[value_in("memref", SlotKind::Any)])
        .pattern("$memref {} : :memref")
        .effect(Effect::View)
        .example(BUFFER);
    /// Reads an element of a buffer.
    ///
    /// One index for each dimension. A run stops with PTO-E0705 if an index is outside its dimension.
    memref_load = "memref.load": SCALAR.movement(Movement::LoadElement)
        .slots(&[value_in("memref", SlotKind::Any), value_in("indices", SlotKind::Index).many()])
        .results(RESULT)
        .custom(Custom::MemrefLoad)
        .example(BUFFER);
    /// Writes an element of a buffer.
    ///
    /// One index for each dimension. A run stops with PTO-E0705 if an index is outside its dimension.
    memref_store = "memref.store": SCALAR.movement(Movement::StoreElement)
        .slots(&[value_in("value", SlotKind::Any), value_in("memref", SlotKind::Any), value_in("indices", SlotKind::Index).many()])
        .custom(Custom::MemrefStore)
        .example(BUFFER);
    /// An extent of a buffer.
    ///
    /// The extent of the dimension that `index` names, counted from 0. A run stops with PTO-E0705 if there is no such dimension.
    memref_dim = "memref.dim": SCALAR.storage(Storage::BufferExtent)
        .slots(&[value_in("memref", SlotKind::Any), value_in("index", SlotKind::Index)])
        .results(&[result("result", SlotKind::Index)])
        .custom(Custom::MemrefDim)
        .example(BUFFER);
    /// The same buffer under a more or less precise type.
    ///
    /// Changes only what the type says: an extent may become `?`, and back. Both names are of the same memory.
    memref_cast = "memref.cast": SCALAR.storage(Storage::BufferCast)
        .slots(&[value_in("in", SlotKind::Any)])
        .results(RESULT)
        .custom(Custom::MemrefCast)
        .effect(Effect::View)
        .example(WINDOWS);
    /// A window of a buffer: offsets, sizes, strides.
    ///
    /// Names elements of `source`: index `i` of a dimension is index `offset + i * stride` there. No data is copied. Each list has an entry for each dimension, a number or a value.
    /// The window must lie inside `source`.
    memref_subview = "memref.subview": SCALAR.storage(Storage::BufferWindow)
        .slots(&[value_in("source", SlotKind::Any), value_in("offsets", SlotKind::Index).many(), value_in("sizes", SlotKind::Index).many(), value_in("strides", SlotKind::Index).many()])
        .results(RESULT)
        .attrs(&[attr("static_offsets", AttrKind::Any, "offsets"), attr("static_sizes", AttrKind::Any, "sizes"), attr("static_strides", AttrKind::Any, "strides")])
        .custom(Custom::MemrefView)
        .effect(Effect::View)
        .example(WINDOWS);
    /// The same memory with another shape: offset, sizes, strides.
    ///
    /// Offset, sizes and strides count elements from the start of `source`; its own shape and strides are ignored. No data is copied. Accesses
    /// must lie in the memory of `source`.
    memref_reinterpret_cast = "memref.reinterpret_cast": SCALAR.storage(Storage::BufferRecast)
        .slots(&[value_in("source", SlotKind::Any), value_in("offsets", SlotKind::Index).many(), value_in("sizes", SlotKind::Index).many(), value_in("strides", SlotKind::Index).many()])
        .results(RESULT)
        .attrs(&[attr("static_offsets", AttrKind::Any, "offset"), attr("static_sizes", AttrKind::Any, "sizes"), attr("static_strides", AttrKind::Any, "strides")])
        .custom(Custom::MemrefRecast)
        .effect(Effect::View)
        .example(WINDOWS);
}

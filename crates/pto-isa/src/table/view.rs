//! Buffers, views, pointers and queries: operations that name memory, and the scalar accesses around them.

use crate::text;
use super::hazards;
use crate::DType::I64;
use crate::codes;
use crate::enums;
use crate::row::{Arith, AttrKind, CoreQuery, CostClass, Dir, FixedType, From, Infer, SlotKind, LocalOp, Movement, Row, Slot, Storage, Twin, attr, form, opt_attr, region};
use crate::rules::{AttrValue, Broken, Instance, Rule, Verdict};
use crate::shape::{VIEW_OP, index_in, result, tile_in, tile_out, value_in, view_in};
use crate::{Dim, Pipe, PtrSpace, Targets, TileType, Type};

const LAYOUT: AttrKind = AttrKind::Enum(&enums::LAYOUT);

const INDEX: Infer = Infer::Fixed(FixedType::Index);
const VALID_ROW: Slot = index_in("valid_row").optional();
const VALID_COL: Slot = index_in("valid_col").optional();

/// A new buffer.
const ALLOC: Row = VIEW_OP
    .slots(&[value_in("addr", SlotKind::Int).elem(&[I64]).optional(), VALID_ROW, VALID_COL])
    .pattern("(addr = $addr )?(valid_row = $valid_row )?(valid_col = $valid_col )?{} : :result")
    .shape_rules(&[(
        Targets::ALL,
        Rule::Named("valid_row and valid_col are given exactly for the extents the type leaves open", open_extents),
    )]);

/// Another type for the same bytes.
const RETYPE: Row =
    VIEW_OP.slots(&[tile_in("src")]).results(&[result("result", SlotKind::Tile)]).pattern("$src {} : :src -> :result");

const WINDOW_RULES: &[(Targets, Rule)] = &[
    (Targets::ALL, Rule::Named("result has the memory, element type and layout of source", window_kind)),
    (Targets::ALL, Rule::Named("sizes are the rows and columns of result", window_sizes)),
    (Targets::ALL, Rule::Named("two offsets, and the window lies inside source", window_inside)),
    (Targets::ALL, Rule::Named("in a boxed tile offsets and sizes are multiples of a box", window_boxes)),
    (
        Targets::ALL,
        Rule::Named("the valid region is that of the type, or the operands', and fits into the window", window_valid),
    ),
];

/// A question about a tile or a view that is answered with an index.
const QUERY: Row = VIEW_OP.results(&[result("result", SlotKind::Index).infer(INDEX)]);

const VIEW_QUERY: Row = QUERY
    .slots(&[view_in("tensor_view"), index_in("dim_index")])
    .pattern("$tensor_view, $dim_index : :tensor_view -> :result {}")
    .shape_rules(&[(Targets::ALL, Rule::Named("dim_index is a dimension of the view", dimension_exists))])
    .example(
        "func.func @f(%p: !pto.ptr<f32>, %n: index) {\n  \
         %one = arith.constant 1 : index\n  \
         %view = pto.make_tensor_view %p, shape = [%n], strides = [%one] : !pto.tensor_view<?xf32>\n  \
         %zero = arith.constant 0 : index\n  \
         %dim = pto.get_tensor_view_dim %view, %zero : !pto.tensor_view<?xf32> -> index\n  \
         %stride = pto.get_tensor_view_stride %view, %zero : !pto.tensor_view<?xf32> -> index\n  \
         return\n}\n",
    );

const TILE_QUERY: Row = QUERY.slots(&[tile_in("src")]).pattern("$src {} : :src -> :result").example(VALID_EXAMPLE);

/// A property of the core.
const CORE_QUERY: Row = Row::EMPTY
    .cost(CostClass::Scalar)
    .results(&[result("result", SlotKind::Int).infer(Infer::Fixed(FixedType::I64))])
    .pattern("{}")
    .example(
        "func.func @f() {\n  \
         %block = pto.get_block_idx\n  \
         %blocks = pto.get_block_num\n  \
         %core = pto.get_subblock_idx\n  \
         %cores = pto.get_subblock_num\n  \
         return\n}\n",
    );

/// An access of the scalar unit.
const SCALAR_ACCESS: Row = Row::EMPTY
    .cost(CostClass::Scalar)
    .pipe(Pipe::S)
    .shape_rules(&[(Targets::ALL, Rule::SameElem(&["ptr", "value"]))])
    .example(
        "func.func @f(%p: !pto.ptr<i32>, %i: index) {\n  \
         %x = pto.load_scalar %p[%i] : !pto.ptr<i32> -> i32\n  \
         pto.store_scalar %x, %p[%i] : !pto.ptr<i32>, i32\n  \
         return\n}\n",
    );

/// Scalars that belong to one core.
const LOCAL: Row = Row::EMPTY.cost(CostClass::Scalar).pipe(Pipe::S);

const BIT: Row = LOCAL
    .slots(&[value_in("first", SlotKind::Int).elem(&[I64]), value_in("second", SlotKind::Int).elem(&[I64])])
    .results(&[result("result", SlotKind::Int).infer(Infer::Like("first"))])
    .pattern("$first, $second {} : :first, :second -> :result")
    .example(
        "func.func @f(%x: i64, %bit: i64) {\n  \
         %on = pto.sbitset1 %x, %bit : i64, i64 -> i64\n  \
         %off = pto.sbitset0 %on, %bit : i64, i64 -> i64\n  \
         return\n}\n",
    );

const MULTI_EXAMPLE: &str = "func.func @f(%i: index) {\n  \
     %both = pto.alloc_multi_tile : !pto.multi_tile_buf<vec, 16x16xf32, count=2>\n  \
     %tile = pto.multi_tile_get %both[%i] : !pto.multi_tile_buf<vec, 16x16xf32, count=2> -> !pto.tile_buf<vec, 16x16xf32>\n  \
     return\n}\n";

const VALID_EXAMPLE: &str = "func.func @f(%r: index, %c: index) {\n  \
     %tile = pto.alloc_tile valid_row = %r valid_col = %c : !pto.tile_buf<vec, 16x16xf32, valid=?x?>\n  \
     pto.set_validshape %tile, %r, %c : !pto.tile_buf<vec, 16x16xf32, valid=?x?>\n  \
     %rows, %cols = pto.get_validshape %tile : !pto.tile_buf<vec, 16x16xf32, valid=?x?>\n  \
     %rows2 = pto.tile_valid_rows %tile : !pto.tile_buf<vec, 16x16xf32, valid=?x?> -> index\n  \
     %cols2 = pto.tile_valid_cols %tile : !pto.tile_buf<vec, 16x16xf32, valid=?x?> -> index\n  \
     return\n}\n";

const VIEWS_EXAMPLE: &str = "func.func @f(%p: !pto.ptr<f32>) {\n  \
     %zero = arith.constant 0 : index\n  \
     %one = arith.constant 1 : index\n  \
     %n = arith.constant 64 : index\n  \
     %k = arith.constant 16 : index\n  \
     %all = pto.make_tensor_view %p, shape = [%n, %n], strides = [%n, %one] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>\n  \
     %part = pto.partition_view %all, offsets = [%k, %zero], sizes = [%k, %k] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x16xf32>\n  \
     %tile = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n  \
     pto.tload ins(%part : !pto.partition_tensor_view<16x16xf32>) outs(%tile : !pto.tile_buf<vec, 16x16xf32>)\n  \
     return\n}\n";

const LOCAL_ARRAY_EXAMPLE: &str = "func.func @f(%i: index, %x: i32) {\n  \
     %array = pto.declare_local_array -> !pto.local_array<16xi32>\n  \
     pto.local_array_set %array[%i], %x : !pto.local_array<16xi32>, i32\n  \
     %y = pto.local_array_get %array[%i] : !pto.local_array<16xi32> -> i32\n  \
     return\n}\n";

const STRUCT_EXAMPLE: &str = "func.func @f(%x: f32) {\n  \
     %s = pto.declare_struct -> !pto.struct<f32, i8>\n  \
     pto.struct_set %s[0], %x : !pto.struct<f32, i8>, f32\n  \
     %y = pto.struct_get %s[0] : !pto.struct<f32, i8> -> f32\n  \
     return\n}\n";

const POINTER_EXAMPLE: &str = "func.func @f(%addr: i64, %i: index) {\n  \
     %p = pto.inttoptr %addr : i64 -> !pto.ptr<i32>\n  \
     %x = pto.load_scalar %p[%i] : !pto.ptr<i32> -> i32\n  \
     %back = pto.ptrtoint %p : !pto.ptr<i32> -> i64\n  \
     return\n}\n";

family! { View, "pto", view;
    /// A new tile buffer.
    ///
    /// The type says in which memory it lies, its shape, layout and valid region. `valid_row` and `valid_col` give
    /// the extents of the valid region that the type leaves open. Programs that place their tiles themselves
    /// give every one an `addr`, in bytes from the start of its memory; in all others no tile has one and the
    /// planner chooses.
    ///
    /// The contents are undefined until something writes them.
    alloc_tile: ALLOC.storage(Storage::Tile)
        .results(&[result("result", SlotKind::Tile)])
        .cpp("TASSIGN")
        .page("docs/isa/TASSIGN.md")
        .example("func.func @f() {\n  %a = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n  return\n}\n")
        .bytecode_counted(0x1001);

    /// Several equal tile buffers behind one name.
    ///
    /// For double buffering: `count` buffers of 2 to 16, one after the other in memory, of which `multi_tile_get`
    /// takes one. With `addr` the first one lies there.
    alloc_multi_tile: ALLOC.storage(Storage::Tiles)
        .results(&[result("result", SlotKind::MultiTile)])
        .rules(&[(Targets::ALL, Rule::Named("count is 2 to 16", multi_count))])
        .example(MULTI_EXAMPLE);

    /// One buffer of a multi-buffered tile.
    ///
    /// Buffer `slot`, counted from 0; in a loop usually the trip number modulo the count.
    multi_tile_get: VIEW_OP.storage(Storage::Pick)
        .slots(&[value_in("source", SlotKind::MultiTile), index_in("slot")])
        .results(&[result("result", SlotKind::Tile).infer(Infer::SlotOf("source"))])
        .pattern("$source[$slot] {} : :source -> :result")
        .rules(&[
            (Targets::ALL, Rule::Named("result is the tile type of source", multi_type)),
            (Targets::ALL, Rule::Named("slot is one of the buffers", multi_slot)),
        ])
        .example(MULTI_EXAMPLE);

    /// Bind a tile to an address.
    ///
    /// From here on the tile means the bytes at `address` of its memory. The address must be a multiple of 32 and
    /// the tile must fit into the memory. Nothing checks overlap with other tiles: two tiles at one address share
    /// their data, and the program must order their uses.
    ///
    /// The assembler returns the bound tile as a new value; the pages write the address as `@tile(0x1000)`.
    /// Programs that leave placement to the planner have no use for it.
    tassign: VIEW_OP.storage(Storage::Assign)
        .slots(&[tile_in("tile"), value_in("address", SlotKind::Int).optional()])
        .results(&[result("result", SlotKind::Tile).optional().infer(Infer::Like("tile"))])
        .attrs(&[opt_attr("addr", AttrKind::Int(0, i64::MAX), "", "the address as part of the text")])
        .pattern("$tile, ($address)?(@tile(#addr))? {} : :tile( -> :result)?")
        .call(&["mut tile", "address"])
        .rules(&[
            (Targets::ALL, Rule::OneOf(&["address", "addr"])),
            (Targets::ALL, Rule::NotBoth("address", "addr")),
            (Targets::ALL, Rule::Named("result has the type of tile", rebound_type)),
        ])
        .cpp("TASSIGN")
        .cpp_args(&["tile", "address"])
        .page("docs/isa/TASSIGN.md")
        .notes(&["In the C++ headers a 4-bit tile is charged twice its packed size."])
        .example(
            "func.func @f() {\n  \
             %base = arith.constant 0 : i64\n  \
             %next = arith.constant 1024 : i64\n  \
             %a = pto.alloc_tile addr = %base : !pto.tile_buf<vec, 16x16xf32>\n  \
             %b = pto.tassign %a, %next : !pto.tile_buf<vec, 16x16xf32> -> !pto.tile_buf<vec, 16x16xf32>\n  \
             return\n}\n",
        );

    /// Look at the bytes of a tile with another shape, element type or layout.
    ///
    /// `result` starts where `src` starts and has as many bytes; element `k` of the one is not converted to element
    /// `k` of the other. Both are boxed or both are not. No data moves: writing one changes the other.
    treshape: RETYPE.storage(Storage::Retype)
        .rules(&[(Targets::ALL, Rule::Named("same memory, same bytes, and both boxed or both not", reshape))])
        .cpp("TRESHAPE")
        .cpp_args(&["result", "src"])
        .page("docs/isa/TRESHAPE.md")
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>) {\n  \
             %b = pto.treshape %a : !pto.tile_buf<vec, 16x16xf32> -> !pto.tile_buf<vec, 8x32xf32>\n  \
             return\n}\n",
        )
        .cpp_forms(&[form("TRESHAPE($result, $src)")])
        .bytecode(0x104C, 1);

    /// Look at the bits of a tile as another element type.
    ///
    /// Shape, valid region and layout stay; only the element type changes, to one that is not larger. No data
    /// moves. Elements of another size read other bytes than the same coordinates of `src`.
    ///
    /// Of a scalar it is the same as `arith.bitcast`.
    bitcast: RETYPE.storage(Storage::Retype).twin(Twin::Scalars(Arith::Bitcast))
        .rules(&[(Targets::ALL, Rule::Named("same memory, shape, valid region and layout; another element type; result needs no more bytes", bitcast_fits))])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>) {\n  \
             %b = pto.bitcast %a : !pto.tile_buf<vec, 16x16xf32> -> !pto.tile_buf<vec, 16x16xi32>\n  \
             return\n}\n",
        )
        .cpp_forms(&[form("TASSIGN($result, (uint64_t)$src.data())")]);

    /// A window of a tile.
    ///
    /// `result[i,j]` is `source[offset₀ + i, offset₁ + j]`, for a window of `sizes` rows and columns. No data moves.
    /// The valid region is `valid_row` by `valid_col` where given, else what the result type says, else the whole
    /// window. In a boxed tile the window consists of whole boxes.
    subview: VIEW_OP.storage(Storage::Window)
        .slots(&[tile_in("source"), index_in("offsets").many(), VALID_ROW, VALID_COL])
        .results(&[result("result", SlotKind::Tile).infer(Infer::Window("source"))])
        .attrs(&[attr("sizes", AttrKind::Ints, "rows and columns of the window")])
        .pattern("$source[$offsets] sizes #sizes( valid [$valid_row, $valid_col])? {} : :source -> :result")
        .shape_rules(WINDOW_RULES)
        .rules(&[(Targets::ALL, Rule::Together("valid_row", "valid_col"))])
        .cpp("TSUBVIEW")
        .cpp_args(&["result", "source", "offsets"])
        .page("docs/isa/tile/ops/sync-and-config/subview.md")
        .notes(&["The C++ function computes a wrong address for boxed tiles when the row offset is not zero."])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 32x32xf32>) {\n  \
             %zero = arith.constant 0 : index\n  \
             %half = arith.constant 16 : index\n  \
             %b = pto.subview %a[%half, %zero] sizes [16, 32] : !pto.tile_buf<vec, 32x32xf32> -> !pto.tile_buf<vec, 16x32xf32>\n  \
             return\n}\n",
        );

    /// A window of a tile, in the older spelling.
    ///
    /// As `subview`, without operands for the valid region: it is the part of the source's valid region that lies in
    /// the window. Assembler 0.27 knows only this name, 0.60 only `subview`.
    subset: VIEW_OP.storage(Storage::ClippedWindow)
        .slots(&[tile_in("source"), index_in("offsets").many()])
        .results(&[result("result", SlotKind::Tile).infer(Infer::Subset("source"))])
        .attrs(&[attr("sizes", AttrKind::Ints, "rows and columns of the window")])
        .pattern("$source[$offsets] sizes #sizes {} : :source")
        .shape_rules(WINDOW_RULES)
        .cpp("TSUBVIEW")
        .cpp_args(&["result", "source", "offsets"])
        .page("docs/isa/TSUBVIEW.md")
        .notes(&["In boxed tiles assembler 0.27 takes only windows of full rows of boxes (row-major) or full columns (column-major)."])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 32x32xf32>) {\n  \
             %zero = arith.constant 0 : index\n  \
             %b = pto.subset %a[%zero, %zero] sizes [16, 32] : !pto.tile_buf<vec, 32x32xf32>\n  \
             return\n}\n",
        )
        .bytecode_counted(0x1072);

    /// Bind a tile to a window of another tile, in the spelling of the specification.
    ///
    /// `dst` from here on starts at element (`row_idx`, `col_idx`) of `src`. No data moves. Write `subview` in
    /// programs for the assembler.
    tsubview: VIEW_OP.storage(Storage::BindWindow)
        .regions(&[region("dst", From::RowsAfter("src", "row_idx"), From::ColsAfter("src", "col_idx"))])
        .slots(&[tile_in("src"), value_in("row_idx", SlotKind::Int), value_in("col_idx", SlotKind::Int), tile_out("dst")])
        .rules(&[
            (Targets::ALL, Rule::SameElem(&["src", "dst"])),
            (Targets::ALL, Rule::Inside("dst", "src")),
            (Targets::ALL, Rule::Named("src and dst are in the same memory", same_memory)),
        ])
        .cpp("TSUBVIEW")
        .cpp_args(&["dst", "src", "row_idx", "col_idx"])
        .hazards(hazards::TSUBVIEW)
        .page("docs/isa/TSUBVIEW.md")
        .notes(&["On a device `dst` keeps its own strides: give it the rows and columns of `src` and a smaller valid region."]);

    /// Another name for a tile.
    ///
    /// `dst` shares the memory of `src`. Documented, but in no header and no assembler, so it exists only on the
    /// permissive host; use `treshape` or `subview`.
    talias: VIEW_OP.storage(Storage::BindAlias)
        .slots(&[tile_in("src"), tile_out("dst").infer(Infer::Like("src"))])
        .only(Targets::CPU)
        .rules(&[(Targets::ALL, Rule::Named("src and dst are in the same memory", same_memory))])
        .page("docs/isa/tile/ops/sync-and-config/talias.md")
        .cpp_missing("it belongs to the host simulator");

    /// Give a lowered buffer the properties of a tile.
    ///
    /// Appears in lowered programs of assembler 0.27: the memref gets a tile configuration and a valid region.
    bind_tile: VIEW_OP.storage(Storage::BindTile)
        .slots(&[value_in("source", SlotKind::Any), VALID_ROW, VALID_COL])
        .results(&[result("result", SlotKind::Any)])
        .attrs(&[attr("config", AttrKind::Any, "layout, fractal and padding of the tile")])
        .pattern("$source(, $valid_row, $valid_col)? {} : :source -> :result")
        .rules(&[(Targets::ALL, Rule::Together("valid_row", "valid_col"))])
        .example(
            "func.func @f(%m: memref<16x16xf32, #pto.address_space<vec>>) {\n  \
             %t = pto.bind_tile %m {config = #pto.tile_buf_config<blayout=row_major, slayout=none_box, s_fractal_size=512, pad=null>} : memref<16x16xf32, #pto.address_space<vec>> -> memref<16x16xf32, #pto.address_space<vec>>\n  \
             return\n}\n",
        );

    /// A lowered buffer at one or more addresses.
    ///
    /// Appears in lowered programs of assembler 0.27, where the planner has chosen addresses.
    pointer_cast: VIEW_OP.storage(Storage::BufferAt)
        .slots(&[value_in("addrs", SlotKind::Int).many(), VALID_ROW, VALID_COL])
        .results(&[result("result", SlotKind::Any)])
        .attrs(&[opt_attr("config", AttrKind::Any, "", "layout, fractal and padding of the tile")])
        .pattern("($addrs)( $valid_row, $valid_col)? {} : :result")
        .rules(&[(Targets::ALL, Rule::Together("valid_row", "valid_col"))])
        .example(
            "func.func @f() {\n  \
             %addr = arith.constant 0 : i64\n  \
             %m = pto.pointer_cast(%addr) : memref<16x16xf32, #pto.address_space<vec>>\n  \
             return\n}\n",
        );

    /// A lowered tile without memory of its own.
    ///
    /// What `declare_tile` becomes in lowered programs of assembler 0.27.
    declare_tile_memref: VIEW_OP.storage(Storage::OpenBuffer)
        .results(&[result("result", SlotKind::Any)])
        .pattern("{} -> :result")
        .example(
            "func.func @f() {\n  \
             %m = pto.declare_tile_memref -> memref<16x16xf32, #pto.address_space<vec>>\n  \
             return\n}\n",
        );

    /// Set the valid region of a tile.
    ///
    /// The tile's type leaves both extents open; from here on they are `valid_row` and `valid_col`, at most the
    /// rows and columns of the tile. Data does not change. The tile must have been allocated or popped in this
    /// function.
    set_validshape: VIEW_OP.storage(Storage::SetValid)
        .slots(&[tile_in("source"), index_in("valid_row"), index_in("valid_col")])
        .pattern("$source, $valid_row, $valid_col {} : :source")
        .call(&["mut source", "valid_row", "valid_col"])
        .pipe(Pipe::S)
        .rules(&[
            (Targets::ALL, Rule::Named("the type of source leaves both extents open", both_open)),
            (Targets::ALL, Rule::Named("valid_row and valid_col lie between 0 and the extents of source", new_extents)),
        ])
        .cpp("SetValidShape")
        .page("docs/isa/TASSIGN.md")
        .example(VALID_EXAMPLE)
        .cpp_forms(&[form("$source.SetValidShape($valid_row, $valid_col)")]);

    /// The valid region of a tile.
    ///
    /// Both extents, whether they are part of the type or were set at run time.
    get_validshape: VIEW_OP.storage(Storage::GetValid)
        .slots(&[tile_in("source")])
        .results(&[result("valid_row", SlotKind::Index).infer(INDEX), result("valid_col", SlotKind::Index).infer(INDEX)])
        .pattern("$source {} : :source")
        .pipe(Pipe::S)
        .example(VALID_EXAMPLE)
        .cpp_forms(&[form("$valid_row = $source.GetValidRow();\n$valid_col = $source.GetValidCol()")]);

    /// A view of a tensor in global memory.
    ///
    /// Element `[i₀, i₁, …]` of the view is `ptr[Σ iₖ · strideₖ]`; strides count elements. There are up to five
    /// dimensions, outermost first. `layout` says how a matrix lies in them: row-major, column-major or in boxes;
    /// without it the compiler derives it from the strides where they are constant.
    make_tensor_view: VIEW_OP.storage(Storage::View)
        .slots(&[value_in("ptr", SlotKind::Ptr), index_in("shape").many(), index_in("strides").many()])
        .results(&[result("result", SlotKind::View)])
        .attrs(&[opt_attr("layout", LAYOUT, "", "how a matrix lies in the tensor")])
        .pattern("$ptr, shape = [$shape], strides = [$strides] {} : :result")
        .rules(&[
            (Targets::ALL, Rule::SameElem(&["ptr", "result"])),
            (Targets::ALL, Rule::Named("one extent and one stride per dimension of result, constants equal to the type's", tensor_shape)),
        ])
        .page("docs/isa/TLOAD.md")
        .example(VIEWS_EXAMPLE)
        .bytecode_counted(0x0004);

    /// A window of a tensor.
    ///
    /// Element `[i₀, …]` of the window is element `[offset₀ + i₀, …]` of the tensor. Loads and stores take windows;
    /// extents known at compile time belong in the result type.
    partition_view: VIEW_OP.storage(Storage::Partition)
        .slots(&[view_in("source"), index_in("offsets").many(), index_in("sizes").many()])
        .results(&[result("result", SlotKind::View).infer(Infer::Partition("source"))])
        .pattern("$source, offsets = [$offsets], sizes = [$sizes] {} : :source -> :result")
        .rules(&[
            (Targets::ALL, Rule::SameElem(&["source", "result"])),
            (Targets::ALL, Rule::Named("one offset and one size per dimension, and the window lies inside source", partition_shape)),
        ])
        .page("docs/isa/TLOAD.md")
        .example(VIEWS_EXAMPLE)
        .bytecode_counted(0x0005);

    /// An extent of a view.
    ///
    /// `result = shape[dim_index]`, with dimension 0 the outermost.
    get_tensor_view_dim: VIEW_QUERY.storage(Storage::ViewExtent);

    /// A stride of a view.
    ///
    /// `result = strides[dim_index]`, in elements, with dimension 0 the outermost.
    get_tensor_view_stride: VIEW_QUERY.storage(Storage::ViewStride);

    /// The address of the first element of a view.
    ///
    /// A pointer into global memory, for scalar accesses.
    tensor_view_addr: VIEW_OP.storage(Storage::ViewAddress)
        .slots(&[view_in("src")])
        .results(&[result("dst", SlotKind::Ptr)])
        .pattern("$src {} : :src -> :dst")
        .example(
            "func.func @f(%p: !pto.ptr<f32>, %n: index) {\n  \
             %one = arith.constant 1 : index\n  \
             %view = pto.make_tensor_view %p, shape = [%n], strides = [%one] : !pto.tensor_view<?xf32>\n  \
             %q = pto.tensor_view_addr %view : !pto.tensor_view<?xf32> -> !pto.ptr<f32, gm>\n  \
             return\n}\n",
        );

    /// The address of a tile.
    ///
    /// A pointer into the tile's memory, for scalar accesses and lower-level code.
    tile_buf_addr: VIEW_OP.storage(Storage::TileAddress)
        .slots(&[tile_in("src")])
        .results(&[result("dst", SlotKind::Ptr)])
        .pattern("$src {} : :src -> :dst")
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>) {\n  \
             %p = pto.tile_buf_addr %a : !pto.tile_buf<vec, 16x16xf32> -> !pto.ptr<f32, ub>\n  \
             return\n}\n",
        )
        .cpp_forms(&[form("(:dst)$src.data()")]);

    /// The valid rows of a tile.
    ///
    /// As the first result of `get_validshape`.
    tile_valid_rows: TILE_QUERY.storage(Storage::ValidRows)
        .cpp_forms(&[form("$src.GetValidRow()")]);

    /// The valid columns of a tile.
    ///
    /// As the second result of `get_validshape`.
    tile_valid_cols: TILE_QUERY.storage(Storage::ValidCols)
        .cpp_forms(&[form("$src.GetValidCol()")]);

    /// Move a pointer.
    ///
    /// `result = ptr + offset`, with the offset in elements.
    addptr: VIEW_OP.storage(Storage::Offset)
        .slots(&[value_in("ptr", SlotKind::Ptr), index_in("offset")])
        .results(&[result("result", SlotKind::Ptr).infer(Infer::Like("ptr"))])
        .pattern("$ptr, $offset {} : :ptr -> :result")
        .rules(&[(Targets::ALL, Rule::Named("result has the type of ptr", moved_pointer))])
        .page("docs/isa/scalar/ops/micro-instruction/pointer-operations.md")
        .example(
            "func.func @f(%p: !pto.ptr<f32>, %i: index) {\n  \
             %q = pto.addptr %p, %i : !pto.ptr<f32> -> !pto.ptr<f32>\n  \
             return\n}\n",
        )
        .cpp_forms(&[form("$ptr + $offset")])
        .bytecode(0x1000, 2);

    /// Change the type of a pointer, or turn an integer into a pointer and back.
    ///
    /// The address stays; a pointer keeps its memory. From an integer, the result type says which memory is meant.
    castptr: VIEW_OP.storage(Storage::CastPointer)
        .slots(&[value_in("input", SlotKind::Any)])
        .results(&[result("result", SlotKind::Any)])
        .pattern("$input {} : :input -> :result")
        .rules(&[(Targets::ALL, Rule::Named("pointer to pointer of the same memory, integer to pointer, or pointer to integer", pointer_cast_kinds))])
        .page("docs/isa/scalar/ops/micro-instruction/pointer-operations.md")
        .example(
            "func.func @f(%addr: i64) {\n  \
             %p = pto.castptr %addr : i64 -> !pto.ptr<f32, ub>\n  \
             return\n}\n",
        )
        .cpp_forms(&[form("(:result)$input")]);

    /// A pointer from an address in global memory.
    ///
    /// The address is an `i64` in bytes. The result serves `load_scalar` and `store_scalar` only.
    inttoptr: VIEW_OP.storage(Storage::ToPointer)
        .slots(&[value_in("addr", SlotKind::Int).elem(&[I64])])
        .results(&[result("result", SlotKind::Ptr)])
        .pattern("$addr {} : :addr -> :result")
        .rules(&[(Targets::ALL, Rule::Named("result points to elements of a data type", pointer_element))])
        .example(POINTER_EXAMPLE)
        .cpp_forms(&[form("(:result)$addr")]);

    /// The address a pointer holds.
    ///
    /// In bytes, as an `i64`.
    ptrtoint: VIEW_OP.storage(Storage::FromPointer)
        .slots(&[value_in("ptr", SlotKind::Ptr)])
        .results(&[result("result", SlotKind::Int).elem(&[I64]).infer(Infer::Fixed(FixedType::I64))])
        .pattern("$ptr {} : :ptr -> :result")
        .example(POINTER_EXAMPLE)
        .cpp_forms(&[form("(:result)$ptr")]);

    /// Read one element through a pointer.
    ///
    /// `value = ptr[offset]`, with the offset in elements. Runs on the scalar unit, which has a cache of its own:
    /// after another core or a tile store has written the place, invalidate first (`cmo.cacheinvalid`).
    load_scalar: SCALAR_ACCESS.movement(Movement::LoadScalar)
        .alias_names(&["load"])
        .slots(&[value_in("ptr", SlotKind::Ptr), index_in("offset")])
        .results(&[result("value", SlotKind::Scalar)])
        .pattern("$ptr[$offset] {} : :ptr -> :value")
        .notes(&["Assembler 0.27 takes pointers into global memory only."])
        .cpp_forms(&[form("$ptr[$offset]")]);

    /// Write one element through a pointer.
    ///
    /// `ptr[offset] = value`, with the offset in elements. Runs on the scalar unit; the store may stay in its cache
    /// until it is cleaned.
    store_scalar: SCALAR_ACCESS.movement(Movement::StoreScalar)
        .alias_names(&["store"])
        .generic_order(&["ptr", "offset", "value"])
        .slots(&[value_in("value", SlotKind::Scalar), Slot::new("ptr", Dir::Out, SlotKind::Ptr), index_in("offset")])
        .pattern("$value, $ptr[$offset] {} : :ptr, :value")
        .notes(&["Assembler 0.27 takes pointers into global memory only."])
        .cpp_forms(&[form("$ptr[$offset] = $value")]);

    /// The number of this block.
    ///
    /// A block is a cube core with its vector cores, or a single core in kernels that use one kind; all its cores
    /// read the same number, from 0 up to `get_block_num` − 1.
    get_block_idx: CORE_QUERY.query(CoreQuery::BlockIndex)
        .cpp("get_block_idx")
        .page("docs/isa/scalar/ops/micro-instruction/block-dim-query.md")
        .bytecode(0x0000, 0);

    /// How many blocks were launched.
    ///
    /// Use with `get_block_idx` to share work between blocks.
    get_block_num: CORE_QUERY.query(CoreQuery::BlockCount)
        .cpp("get_block_num")
        .page("docs/isa/scalar/ops/micro-instruction/block-dim-query.md")
        .notes(&["The public CPU simulator returns its number of cores instead."])
        .bytecode(0x0001, 0);

    /// The number of this vector core in its block.
    ///
    /// 0 or 1 where a block has two vector cores.
    get_subblock_idx: CORE_QUERY.query(CoreQuery::SubblockIndex)
        .cpp("get_subblockid")
        .page("docs/isa/scalar/ops/micro-instruction/block-dim-query.md")
        .bytecode(0x0002, 0);

    /// How many vector cores a block has.
    ///
    /// Use with `get_subblock_idx` to share work inside a block.
    get_subblock_num: CORE_QUERY.query(CoreQuery::SubblockCount)
        .cpp("get_subblockdim")
        .page("docs/isa/scalar/ops/micro-instruction/block-dim-query.md")
        .bytecode(0x0003, 0);

    /// An array of scalars in the core's own memory.
    ///
    /// The type gives extents and element type: `!pto.local_array<8x8xf32>`. The contents are undefined at first.
    declare_local_array: LOCAL.local(LocalOp::DeclareArray)
        .results(&[result("array", SlotKind::Any)])
        .pattern("{} -> :array")
        .example(LOCAL_ARRAY_EXAMPLE);

    /// Read an element of a local array.
    ///
    /// `result = array[indices]`, one index per dimension.
    local_array_get: LOCAL.local(LocalOp::GetElement)
        .slots(&[value_in("array", SlotKind::Any), index_in("indices").many()])
        .results(&[result("result", SlotKind::Scalar)])
        .pattern("$array[$indices] {} : :array -> :result")
        .rules(&[
            (Targets::ALL, Rule::Named("one index per dimension, inside the array", array_indices)),
            (Targets::ALL, Rule::Named("result has the array's element type", array_result)),
        ])
        .example(LOCAL_ARRAY_EXAMPLE)
        .cpp_forms(&[form("$array[*indices]")]);

    /// Write an element of a local array.
    ///
    /// `array[indices] = value`, one index per dimension.
    local_array_set: LOCAL.local(LocalOp::SetElement)
        .slots(&[value_in("array", SlotKind::Any), index_in("indices").many(), value_in("value", SlotKind::Scalar)])
        .pattern("$array[$indices], $value {} : :array, :value")
        .rules(&[
            (Targets::ALL, Rule::Named("one index per dimension, inside the array", array_indices)),
            (Targets::ALL, Rule::Named("value has the array's element type", array_value)),
        ])
        .example(LOCAL_ARRAY_EXAMPLE)
        .cpp_forms(&[form("$array[*indices] = $value")]);

    /// A record of scalars in the core's own memory.
    ///
    /// The type lists the fields: `!pto.struct<f32, i8>`; fields may be records. It belongs to the function that
    /// declares it and cannot be passed on.
    declare_struct: LOCAL.local(LocalOp::DeclareStruct)
        .results(&[result("s", SlotKind::Any)])
        .pattern("{} -> :s")
        .example(STRUCT_EXAMPLE);

    /// Read a field of a record.
    ///
    /// The path is a list of field numbers from the outside in; it must end at a scalar.
    struct_get: LOCAL.local(LocalOp::GetField)
        .slots(&[value_in("s", SlotKind::Any)])
        .results(&[result("value", SlotKind::Scalar)])
        .attrs(&[attr("path", AttrKind::Ints, "field numbers from the outside in")])
        .pattern("$s#path {} : :s -> :value")
        .rules(&[(Targets::ALL, Rule::Named("s is a record", is_struct))])
        .example(STRUCT_EXAMPLE);

    /// Write a field of a record.
    ///
    /// The path is a list of field numbers from the outside in; it must end at a scalar.
    struct_set: LOCAL.local(LocalOp::SetField)
        .slots(&[value_in("s", SlotKind::Any), value_in("value", SlotKind::Scalar)])
        .attrs(&[attr("path", AttrKind::Ints, "field numbers from the outside in")])
        .pattern("$s#path, $value {} : :s, :value")
        .rules(&[(Targets::ALL, Rule::Named("s is a record", is_struct))])
        .example(STRUCT_EXAMPLE);

    /// Clear one bit of a 64-bit number.
    ///
    /// `result = first & ~(1 << second)`
    sbitset0: BIT.arith(Arith::ClearBit)
        .cpp("sbitset0");

    /// Set one bit of a 64-bit number.
    ///
    /// `result = first | (1 << second)`
    sbitset1: BIT.arith(Arith::SetBit)
        .cpp("sbitset1");
}

/// Rows and columns, each with its name.
fn pairs<T>(rows: T, cols: T) -> [(&'static str, T); 2] {
    [(text!("rows"), rows), (text!("columns"), cols)]
}

/// The constants of a slot's operands, in order; `None` where the value is known at run time only.
fn constants(i: &Instance, slot: &str) -> Vec<Option<i64>> {
    let at = i.at(slot);
    i.args.iter().filter(|a| usize::from(a.slot) == at).map(|a| a.value).collect()
}

fn open_extents(i: &Instance) -> Verdict {
    let tile = match i.ty("result") {
        Some(Type::Tile(t) | Type::TileBuf(t) | Type::MultiTile(t, _)) => t,
        _ => return Verdict::Holds,
    };
    for (slot, extent) in [("valid_row", tile.valid_rows), ("valid_col", tile.valid_cols)] {
        let open = extent == Dim::Dynamic;
        if open != i.given(slot) {
            let (found, legal) = if open {
                (text!("no `{slot}` although the type leaves it open", slot), text!("{slot} = the extent", slot))
            } else {
                (text!("`{slot}` although the type says {extent}", slot, extent), text!("no `{slot}`, or `?` in the type", slot))
            };
            return Verdict::Broken(Broken::new(codes::VALID_OPERANDS, vec![i.at(slot)], found, legal));
        }
    }
    Verdict::Holds
}

fn multi(i: &Instance, slot: &str) -> Option<(TileType, u64)> {
    match i.ty(slot) {
        Some(Type::MultiTile(tile, count)) => Some((*tile, *count)),
        _ => None,
    }
}

fn multi_count(i: &Instance) -> Verdict {
    let Some((_, count)) = multi(i, "result") else { return Verdict::Holds };
    Verdict::require((2..=16).contains(&count), || {
        Broken::new(codes::BAD_TYPE, vec![i.at("result")], text!("{count} buffers", count), "2 to 16")
    })
}

fn multi_type(i: &Instance) -> Verdict {
    let (Some((slot, _)), Some(tile)) = (multi(i, "source"), i.tile("result")) else { return Verdict::Holds };
    Verdict::require(tile.same_object(&slot), || {
        let found = text!("`result` is {tile}", tile);
        Broken::new(codes::TYPE_DISAGREES, vec![i.at("result"), i.at("source")], found, slot.to_string())
    })
}

fn multi_slot(i: &Instance) -> Verdict {
    let (Some((_, count)), Some(slot)) = (multi(i, "source"), i.value("slot")) else { return Verdict::Holds };
    Verdict::require(u64::try_from(slot).is_ok_and(|s| s < count), || {
        Broken::new(
            codes::BOUNDS,
            vec![i.at("slot")],
            text!("buffer {slot}", slot),
            text!("0 or more, less than {count}", count),
        )
    })
}

fn same_type(i: &Instance, result: &str, operand: &str) -> Verdict {
    let (Some(a), Some(b)) = (i.ty(result), i.ty(operand)) else { return Verdict::Holds };
    Verdict::require(a.same_object(b), || {
        let found = text!("`{result}` is a {a}, `{operand}` a {b}", result, a, operand, b);
        Broken::new(codes::TYPE_DISAGREES, vec![i.at(result), i.at(operand)], found, text!("the same type"))
    })
}

fn rebound_type(i: &Instance) -> Verdict {
    same_type(i, "result", "tile")
}

fn moved_pointer(i: &Instance) -> Verdict {
    same_type(i, "result", "ptr")
}

fn different_memory(i: &Instance, a: &str, b: &str) -> Option<Broken> {
    let (x, y) = (i.tile(a)?.loc, i.tile(b)?.loc);
    let found = text!("`{a}` is in `{x}`, `{b}` in `{y}`", a, x, b, y);
    (x != y).then(|| Broken::new(codes::LOCATION, vec![i.at(a), i.at(b)], found, text!("the same memory")))
}

fn same_memory(i: &Instance) -> Verdict {
    different_memory(i, "dst", "src").map_or(Verdict::Holds, Verdict::Broken)
}

fn reshape(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("result")) else { return Verdict::Holds };
    if let Some(broken) = different_memory(i, "result", "src") {
        return Verdict::Broken(broken);
    }
    let at = vec![i.at("result"), i.at("src")];
    if src.bytes() != dst.bytes() {
        let found = text!("`result` has {dst} bytes, `src` {src}", dst = dst.bytes(), src = src.bytes());
        return Verdict::Broken(Broken::new(codes::SHAPE, at, found, text!("the same number of bytes")));
    }
    Verdict::require(src.is_boxed() == dst.is_boxed(), || {
        Broken::new(
            codes::LAYOUT,
            at,
            text!("`result` is {dst}, `src` {src}", dst = dst.order(), src = src.order()),
            text!("both boxed or both not"),
        )
    })
}

/// `tile` with the element type, shape and valid region of `like`: only memory and layout remain to compare.
fn with_contents_of(tile: &TileType, like: &TileType) -> TileType {
    let (valid_rows, valid_cols) = (like.valid_rows, like.valid_cols);
    TileType { dtype: like.dtype, rows: like.rows, cols: like.cols, valid_rows, valid_cols, ..*tile }
}

fn bitcast_fits(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("result")) else { return Verdict::Holds };
    let retyped = TileType { dtype: src.dtype, ..*dst };
    let at = vec![i.at("result"), i.at("src")];
    if !retyped.same_object(src) {
        let found = text!("`result` is {dst}, `src` is {src}", dst, src);
        let help = text!("for another shape or layout write `pto.treshape`");
        return Verdict::Broken(Broken::new(codes::SHAPE, at, found, text!("only the element type differs")).help(help));
    }
    if dst.dtype == src.dtype {
        let found = text!("`result` and `src` have the same element type");
        let broken = Broken::new(codes::ELEM_COMBINATION, at, found, text!("another element type"));
        return Verdict::Broken(broken.help(text!("use `src` itself")));
    }
    Verdict::require(dst.bytes() <= src.bytes(), || {
        let found = text!("`result` needs {dst} bytes, `src` has {src}", dst = dst.bytes(), src = src.bytes());
        Broken::new(codes::SHAPE, at, found, text!("elements that are not larger"))
    })
}

fn window_kind(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("source"), i.tile("result")) else { return Verdict::Holds };
    let at = vec![i.at("result"), i.at("source")];
    if src.dtype != dst.dtype {
        let found = text!("`result` is {dtype}, `source` is {dtype2}", dtype = dst.dtype, dtype2 = src.dtype);
        return Verdict::Broken(Broken::new(codes::ELEM_MISMATCH, at, found, src.dtype.name()));
    }
    Verdict::require(with_contents_of(dst, src).same_object(src), || {
        let found = text!("`result` is {dst} in `{loc}`, `source` {src} in `{loc2}`", dst = dst.order(), loc = dst.loc, src = src.order(), loc2 = src.loc);
        Broken::new(codes::LAYOUT, at, found, text!("the memory, layout, fractal and padding of source"))
    })
}

fn window_sizes(i: &Instance) -> Verdict {
    let (Some(dst), Some(sizes)) = (i.tile("result"), i.attr("sizes")) else { return Verdict::Holds };
    let legal = [dst.rows, dst.cols];
    let found = match sizes {
        AttrValue::Pair(sizes) if sizes.map(u64::try_from) == legal.map(Ok) => return Verdict::Holds,
        AttrValue::Pair([rows, cols]) => text!("sizes [{rows}, {cols}], but `result` is {rows2}x{cols2}", rows, cols, rows2 = legal[0], cols2 = legal[1]),
        _ => text!("sizes that are not a number of rows and one of columns").into(),
    };
    let legal = text!("`sizes [{rows}, {cols}]`", rows = legal[0], cols = legal[1]);
    let help = text!("correct the sizes, or the type of `result`");
    Verdict::Broken(Broken::new(codes::SHAPE, vec![i.at("result")], found, legal).help(help))
}

fn window_inside(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("source"), i.tile("result")) else { return Verdict::Holds };
    let offsets = constants(i, "offsets");
    let at = i.at("offsets");
    let [row, col] = offsets[..] else {
        let found = text!("{offsets} offsets", offsets = offsets.len());
        return Verdict::Broken(Broken::new(codes::OPERAND_COUNT, vec![at], found, text!("a row and a column")));
    };
    for ((what, offset), (size, extent)) in
        pairs(row, col).into_iter().zip([(dst.rows, src.rows), (dst.cols, src.cols)])
    {
        let Some(start) = offset.map_or(Some(0), |o| u64::try_from(o).ok()) else {
            return Verdict::Broken(Broken::new(codes::BOUNDS, vec![at], text!("a negative offset"), text!("0 or more")));
        };
        if start.saturating_add(size) > extent {
            let found = text!("{what} {start} to {start2} of a tile with {extent} {what}", what, start, start2 = start.saturating_add(size), extent);
            return Verdict::Broken(Broken::new(codes::BOUNDS, vec![at], found, text!("a window inside the tile")));
        }
    }
    if row.is_some() && col.is_some() { Verdict::Holds } else { Verdict::Dynamic }
}

fn window_boxes(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("source"), i.tile("result")) else { return Verdict::Holds };
    let (rows, cols) = src.box_shape();
    let whole = |n: i64, unit: u64| n % unit as i64 == 0;
    let offsets = constants(i, "offsets").into_iter().zip([rows, cols]);
    let aligned = offsets.into_iter().all(|(o, unit)| o.is_none_or(|o| whole(o, unit)));
    Verdict::require(aligned && dst.rows % rows == 0 && dst.cols % cols == 0, || {
        let found = text!("a window of {rows}x{cols} in a tile with boxes", rows = dst.rows, cols = dst.cols);
        Broken::new(
            codes::LAYOUT,
            vec![i.at("offsets")],
            found,
            text!("offsets and sizes in multiples of {rows}x{cols}", rows, cols),
        )
    })
}

fn window_valid(i: &Instance) -> Verdict {
    let Some(dst) = i.tile("result").filter(|_| i.row.slot("valid_row").is_some()) else { return Verdict::Holds };
    for (slot, extent, size) in [("valid_row", dst.valid_rows, dst.rows), ("valid_col", dst.valid_cols, dst.cols)] {
        let broken = |found: String, legal: String| {
            Verdict::Broken(Broken::new(codes::VALID_OPERANDS, vec![i.at(slot)], found, legal))
        };
        match (extent.fixed(), i.value(slot)) {
            (None, None) if !i.given(slot) => {
                return broken(text!("no `{slot}` although the type leaves it open", slot), text!("valid [rows, columns]").into());
            }
            (_, Some(n)) if !(0..=size as i64).contains(&n) => {
                return broken(text!("`{slot}` is {n}", slot, n), text!("0 to {size}", size));
            }
            (Some(fixed), Some(n)) if fixed != n as u64 => {
                return broken(text!("`{slot}` is {n}, the type says {fixed}", slot, n, fixed), fixed.to_string());
            }
            (Some(fixed), None) if i.given(slot) => {
                return broken(
                    text!("`{slot}` is known at run time, the type says {fixed}", slot, fixed),
                    text!("`?` in the type").into(),
                );
            }
            _ => {}
        }
    }
    Verdict::Holds
}

fn both_open(i: &Instance) -> Verdict {
    let Some(tile) = i.tile("source") else { return Verdict::Holds };
    let open = tile.valid_rows == Dim::Dynamic && tile.valid_cols == Dim::Dynamic;
    Verdict::require(open, || {
        let found = text!("`source` has valid {valid_rows}x{valid_cols}", valid_rows = tile.valid_rows, valid_cols = tile.valid_cols);
        Broken::new(codes::VALID_OPERANDS, vec![i.at("source")], found, text!("a type with `valid=?x?`"))
    })
}

fn new_extents(i: &Instance) -> Verdict {
    let Some(tile) = i.tile("source") else { return Verdict::Holds };
    let mut known = true;
    for (slot, extent) in [("valid_row", tile.rows), ("valid_col", tile.cols)] {
        let Some(n) = i.value(slot) else {
            known = false;
            continue;
        };
        if u64::try_from(n).is_err() || n as u64 > extent {
            let found = text!("`{slot}` is {n}", slot, n);
            return Verdict::Broken(Broken::new(
                codes::VALID_EXCEEDS,
                vec![i.at(slot)],
                found,
                text!("0 to {extent}", extent),
            ));
        }
    }
    if known { Verdict::Holds } else { Verdict::Dynamic }
}

fn view_broken(i: &Instance, slot: &str, found: String, legal: String) -> Verdict {
    Verdict::Broken(Broken::new(codes::VIEW_SHAPE, vec![i.at(slot)], found, legal))
}

/// Breaks when a list operand has not one entry per dimension.
fn wrong_count(i: &Instance, slot: &str, rank: usize) -> Option<Verdict> {
    let count = constants(i, slot).len();
    if count == rank {
        return None;
    }
    let found = text!("`{slot}` has {count} entries", slot, count);
    let mut broken = Broken::new(codes::VIEW_SHAPE, vec![i.at(slot)], found, text!("{rank}, one per dimension", rank));
    if let Some(view) = number_of_dimensions(i, count) {
        broken.help = Some(view);
    }
    Some(Verdict::Broken(broken))
}

/// Earlier texts gave a tensor's number of dimensions where its extents stand now: `2xf32`.
fn number_of_dimensions(i: &Instance, count: usize) -> Option<String> {
    let view = ["result", "source"].iter().filter_map(|slot| i.ty(slot)).find_map(|ty| match ty {
        Type::TensorView(view) => Some(view),
        _ => None,
    })?;
    let one = view.dims.len() == 1 && view.dims[0].fixed() == u64::try_from(count).ok();
    one.then(|| {
        let (extents, elem) = ("?x".repeat(count), view.elem.mlir());
        text!("`{count}x{elem}` is one dimension; write `!pto.tensor_view<{extents}{elem}>` for {count}", count, elem, extents)
    })
}

fn tensor_shape(i: &Instance) -> Verdict {
    let Some(view) = i.ty("result").and_then(Type::view) else { return Verdict::Holds };
    if let Some(broken) = ["shape", "strides"].iter().find_map(|s| wrong_count(i, s, view.dims.len())) {
        return broken;
    }
    for (k, (dim, value)) in view.dims.iter().zip(constants(i, "shape")).enumerate() {
        if let (Some(fixed), Some(n)) = (dim.fixed(), value)
            && u64::try_from(n) != Ok(fixed)
        {
            return view_broken(i, "shape", text!("extent {k} is {n}, the type says {fixed}", k, n, fixed), fixed.to_string());
        }
    }
    Verdict::Holds
}

fn partition_shape(i: &Instance) -> Verdict {
    let Some(Type::TensorView(source)) = i.ty("source") else { return Verdict::Holds };
    let rank = source.dims.len();
    if let Some(broken) = ["offsets", "sizes"].iter().find_map(|s| wrong_count(i, s, rank)) {
        return broken;
    }
    let result = i.ty("result").and_then(Type::view).map(|v| &v.dims).filter(|d| d.len() == rank);
    let (offsets, sizes) = (constants(i, "offsets"), constants(i, "sizes"));
    let mut dynamic = false;
    for k in 0..rank {
        if offsets[k].is_some_and(|o| o < 0) {
            return view_broken(i, "offsets", text!("offset {k} is {offsets}", k, offsets = offsets[k].unwrap_or(0)), text!("0 or more").into());
        }
        let Some(size) = sizes[k] else {
            dynamic = true;
            continue;
        };
        if size <= 0 {
            return view_broken(i, "sizes", text!("size {k} is {size}", k, size), text!("1 or more").into());
        }
        if let Some(fixed) = result.and_then(|d| d[k].fixed())
            && fixed != size as u64
        {
            return view_broken(i, "sizes", text!("size {k} is {size}, the type says {fixed}", k, size, fixed), fixed.to_string());
        }
        let end = offsets[k].unwrap_or(0).saturating_add(size);
        match source.dims[k].fixed() {
            Some(extent) if end as u64 > extent => {
                let found = text!("dimension {k} of the window ends at {end}", k, end);
                return view_broken(i, "sizes", found, text!("at most {extent}, the extent of source", extent));
            }
            Some(_) => dynamic |= offsets[k].is_none(),
            None => dynamic = true,
        }
    }
    if dynamic { Verdict::Dynamic } else { Verdict::Holds }
}

fn dimension_exists(i: &Instance) -> Verdict {
    let (Some(view), Some(k)) = (i.ty("tensor_view").and_then(Type::view), i.value("dim_index")) else {
        return Verdict::Holds;
    };
    let rank = view.dims.len();
    Verdict::require(usize::try_from(k).is_ok_and(|k| k < rank), || {
        Broken::new(
            codes::BOUNDS,
            vec![i.at("dim_index")],
            text!("dimension {k}", k),
            text!("0 or more, less than {rank}", rank),
        )
    })
}

fn pointer_cast_kinds(i: &Instance) -> Verdict {
    let (Some(from), Some(to)) = (i.ty("input"), i.ty("result")) else { return Verdict::Holds };
    let gm = |s: &PtrSpace| matches!(s, PtrSpace::Default | PtrSpace::Gm);
    let integer = |t: &Type| t.scalar().is_some_and(crate::ScalarType::is_int);
    let ok = match (from, to) {
        (Type::Unknown, _) | (_, Type::Unknown) => true,
        (Type::Ptr(_, a), Type::Ptr(_, b)) => a == b || gm(a) && gm(b),
        (Type::Memref(_), Type::Ptr(..)) => true,
        (Type::Ptr(..), _) => integer(to),
        (_, Type::Ptr(..)) => integer(from),
        _ => false,
    };
    Verdict::require(ok, || {
        let legal = text!("pointers into the same memory, or one pointer and one integer");
        Broken::new(codes::OPERAND_KIND, vec![i.at("result")], text!("a {from} becomes a {to}", from, to), legal)
    })
}

fn pointer_element(i: &Instance) -> Verdict {
    let Some(ty @ Type::Ptr(..)) = i.ty("result") else { return Verdict::Holds };
    Verdict::require(ty.elem().is_some(), || {
        Broken::new(codes::ELEM_TYPE, vec![i.at("result")], text!("`result` is a {ty}", ty), text!("elements of a data type"))
    })
}

fn array_indices(i: &Instance) -> Verdict {
    let array = match i.ty("array") {
        Some(Type::LocalArray(view)) => view,
        None | Some(Type::Unknown) => return Verdict::Holds,
        Some(other) => {
            let found = text!("`array` is a {other}", other = other.noun());
            return Verdict::Broken(Broken::new(codes::OPERAND_KIND, vec![i.at("array")], found, text!("a local array")));
        }
    };
    if let Some(broken) = wrong_count(i, "indices", array.dims.len()) {
        return broken;
    }
    for (index, dim) in constants(i, "indices").into_iter().zip(&array.dims) {
        if let (Some(n), Some(extent)) = (index, dim.fixed())
            && u64::try_from(n).map_or(true, |n| n >= extent)
        {
            let legal = text!("0 or more, less than {extent}", extent);
            return Verdict::Broken(Broken::new(codes::BOUNDS, vec![i.at("indices")], text!("index {n}", n), legal));
        }
    }
    Verdict::Holds
}

fn array_element(i: &Instance, slot: &str) -> Verdict {
    let (Some(Type::LocalArray(array)), Some(Type::Scalar(s))) = (i.ty("array"), i.ty(slot)) else {
        return Verdict::Holds;
    };
    Verdict::require(*s == array.elem, || {
        let found = text!("`{slot}` is {s}, the array holds {elem}", slot, s, elem = array.elem);
        Broken::new(codes::ELEM_MISMATCH, vec![i.at(slot), i.at("array")], found, array.elem.to_string())
    })
}

fn array_result(i: &Instance) -> Verdict {
    array_element(i, "result")
}

fn array_value(i: &Instance) -> Verdict {
    array_element(i, "value")
}

fn is_struct(i: &Instance) -> Verdict {
    let Some(ty) = i.ty("s") else { return Verdict::Holds };
    Verdict::require(matches!(ty, Type::Struct(_) | Type::Unknown), || {
        Broken::new(codes::OPERAND_KIND, vec![i.at("s")], text!("`s` is a {ty}", ty = ty.noun()), text!("a record"))
    })
}

#[cfg(test)]
mod tests {
    use super::op;
    use crate::rules::{RuleArg, Instance};
    use crate::{BLayout, DType, Dim, Loc, Op, SLayout, ScalarType, Target, TileType, Type, ViewType};

    const INDEX: Type = Type::Scalar(ScalarType::Index);

    /// The codes of the rules an operation breaks with these operands, given by slot, type and constant.
    fn broken(op: Op, args: &[(&str, &Type, Option<i64>)]) -> Vec<String> {
        let row = op.row();
        let slot = |name| u8::try_from(row.slot(name).expect("slot")).expect("few slots");
        let args: Vec<_> = args.iter().map(|(name, ty, value)| RuleArg { slot: slot(name), ty, value: *value }).collect();
        let instance = Instance { row, target: Target::A2A3, manual: false, args: &args, attrs: &[] };
        instance.check().0.iter().map(|b| b.code.id()).collect()
    }

    fn tile(rows: u64, cols: u64) -> TileType {
        TileType::new(Loc::Vec, DType::F32, rows, cols)
    }

    fn view(dims: &[u64]) -> ViewType {
        let dims = dims.iter().map(|d| Dim::Fixed(*d)).collect();
        ViewType { dims, elem: ScalarType::Elem(DType::F32) }
    }

    #[test]
    fn valid_operands_match_open_extents() {
        let open = Type::TileBuf(tile(16, 16).valid(Dim::Dynamic, Dim::Fixed(16)));
        let fixed = Type::TileBuf(tile(16, 16));
        assert!(broken(op::alloc_tile, &[("valid_row", &INDEX, None), ("result", &open, None)]).is_empty());
        assert_eq!(broken(op::alloc_tile, &[("result", &open, None)]).len(), 1);
        assert_eq!(broken(op::alloc_tile, &[("valid_row", &INDEX, None), ("result", &fixed, None)]).len(), 1);
    }

    #[test]
    fn windows_lie_inside_and_on_boxes() {
        let whole = Type::TileBuf(tile(32, 32));
        let half = Type::TileBuf(tile(16, 32));
        let at = |row| {
            broken(
                op::subview,
                &[
                    ("source", &whole, None),
                    ("offsets", &INDEX, Some(row)),
                    ("offsets", &INDEX, Some(0)),
                    ("result", &half, None),
                ],
            )
        };
        assert!(at(16).is_empty());
        assert_eq!(at(17).len(), 1);
        assert_eq!(at(-1).len(), 1);
        let boxed = |rows| Type::TileBuf(tile(rows, 32).layout(BLayout::ColMajor, SLayout::RowMajor, 512));
        let at = |row| {
            broken(
                op::subview,
                &[
                    ("source", &boxed(64), None),
                    ("offsets", &INDEX, Some(row)),
                    ("offsets", &INDEX, Some(0)),
                    ("result", &boxed(16), None),
                ],
            )
        };
        assert!(at(16).is_empty());
        assert_eq!(at(8).len(), 1);
    }

    #[test]
    fn reshapes_keep_the_bytes() {
        let src = Type::TileBuf(tile(16, 16));
        let reshaped = |t: TileType| broken(op::treshape, &[("src", &src, None), ("result", &Type::TileBuf(t), None)]);
        assert!(reshaped(tile(8, 32)).is_empty());
        assert_eq!(reshaped(tile(8, 16)).len(), 1);
        assert_eq!(reshaped(TileType { loc: Loc::Mat, ..tile(8, 32) }).len(), 1);
    }

    #[test]
    fn partitions_lie_inside_the_tensor() {
        let source = Type::TensorView(view(&[64, 64]));
        let result = Type::PartitionView(view(&[16, 16]));
        let part = |offset, size| {
            broken(
                op::partition_view,
                &[
                    ("source", &source, None),
                    ("offsets", &INDEX, Some(offset)),
                    ("offsets", &INDEX, None),
                    ("sizes", &INDEX, Some(size)),
                    ("sizes", &INDEX, Some(16)),
                    ("result", &result, None),
                ],
            )
        };
        assert!(part(48, 16).is_empty());
        assert_eq!(part(49, 16).len(), 1);
        assert_eq!(part(0, 8).len(), 1);
        let short = broken(op::partition_view, &[("source", &source, None), ("result", &result, None)]);
        assert_eq!(short.len(), 1);
    }
}

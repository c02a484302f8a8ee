codes! {
    BAD_CHARACTER = 1, "a character that starts no token",
        "These bytes cannot start a token of a PTO program, or are not UTF-8. Remove them. Value names start with `%`, function names with `@`, types with `!` or a letter, attributes with `#`.";
    UNTERMINATED = 2, "an unterminated string",
        "A string must end on the line it starts on. Write the closing `\"`, or `\\\"` for a quote inside the string.";
    SYNTAX = 3, "a syntax error",
        "The text does not match the grammar of the operation. The message says what was found and what was expected. `pto doc NAME` shows the forms of an instruction.",
        "func.func @f(%n: index) {\n  scf.for %i = %n to %n {\n  }\n  return\n}\n";
    UNKNOWN_OP = 4, "an unknown operation",
        "No instruction of the table and no operation of the host dialects (`arith`, `scf`, `func`, `cf`, `memref`) has this name. `pto isa` lists all instructions. Vector-register operations (`pto.v…`) are below the tile level, which this tool does not cover.",
        "func.func @f() {\n  pto.tmux\n  return\n}\n";
    UNKNOWN_TYPE = 5, "an unknown type",
        "Types are scalars (`f32`, `i32`, `index`, …), tiles (`!pto.tile_buf<…>`, `!pto.tile<…>`), views, pointers, and a few handles. Define a type alias with `!name = type` before its first use.";
    BAD_TYPE = 6, "an invalid type parameter",
        "The parameters inside `<…>` do not describe a type: a key is unknown, missing or duplicate, a number is missing or out of range, or a name is not one of the legal ones.",
        "func.func @f(%a: !pto.tile_buf<loc=ub, dtype=f32, rows=8, cols=8, v_row=8, v_col=8, blayout=row_major, slayout=none_box, fractal=512, pad=0>) {\n  return\n}\n";
    BAD_ATTRIBUTE = 7, "an invalid attribute",
        "Attributes are numbers, strings, `true`/`false`, `@symbols`, lists, or a value of an enumeration such as `#pto<cmp gt>` or `#pto.pipe<PIPE_V>`.";
    UNDEFINED = 8, "an undefined value",
        "No definition of this name is in scope here: the name is misspelled, defined later, or defined inside a block that has ended.",
        "func.func @f() {\n  %b = arith.addi %a, %a : index\n  return\n}\n";
    REDEFINED = 9, "a name defined twice",
        "A value name may be defined once per scope. The only exception is a tile buffer: an instruction with a tile result may write to it again by name.",
        "func.func @f() {\n  %a = arith.constant 1 : index\n  %a = arith.constant 2 : index\n  return\n}\n";
    TOO_DEEP = 10, "nesting too deep",
        "Regions, types and attributes may be nested at most 200 deep. Real programs stay far below this limit; deeper nesting is most likely a bug in a generator.";
    UNCLOSED = 11, "an unclosed bracket",
        "The file ends, or a block ends, while a bracket is still open. The message points at the opening bracket.";
    RESULT_COUNT = 12, "wrong number of results",
        "The left side of `=` names more or fewer results than the operation has.",
        "func.func @f() {\n  %a, %b = arith.constant 1 : index\n  return\n}\n";
    TYPE_DISAGREES = 13, "the type at a use differs from the type at the definition",
        "The type written at a use must match the type of the value. Change one of the two, or omit the type at the use.",
        "func.func @f(%a: i32) {\n  %b = arith.addi %a, %a : i64\n  return\n}\n";
    DUPLICATE_ATTRIBUTE = 14, "a duplicate attribute",
        "An attribute may be given once. Remove one of the two.";
    NOT_INFERRED = 15, "a missing type that cannot be inferred",
        "A type may be omitted (or written `!pto.tile<...>`) if the operands determine it. Here they do not. Write the full type.";
    NUMBER_RANGE = 16, "a number out of range",
        "An integer must fit in 64 bits, and in its type if it has one. Extents of tiles must be below 2^24, extents of views below 2^63, and a view must have fewer than 2^63 bytes. An unsigned number that needs all bits of a signed type, such as 255 in `i8`, is read as the assembler reads it: as the negative number with the same bits. That is a warning.",
        "func.func @f() {\n  %a = arith.constant 300 : i8\n  return\n}\n";
    BAD_ALIAS = 17, "an invalid alias",
        "`!name = type` and `#name = attribute` define an alias. Each alias is defined once, before its first use, and not in terms of itself.";
    TOO_LARGE = 18, "a file that is too large",
        "Source positions are 32-bit numbers, so a file may have at most 4 GiB.";
    ALIASES_TOO_LARGE = 23, "aliases that expand to too much",
        "An alias may use other aliases. If each uses the previous one twice, forty lines expand to 10^12 parts. With all aliases expanded, a file may have at most one million parts plus two per byte of the file.";

    EMPTY_TILE = 101, "a tile without rows or columns",
        "Rows and columns of a tile must be positive. For an empty valid region, use v_row or v_col.";
    VALID_EXCEEDS = 102, "a valid region larger than the tile",
        "The valid region is the part of the tile that holds data, so it cannot have more rows or columns than the tile.";
    FRACTAL = 103, "an invalid box size",
        "A box has 512 bytes (operands of the cube), 1024 (accumulators) or 32 (block scales).";
    BOX_COLS = 104, "columns that are not a multiple of the box",
        "The columns of a boxed tile must be a multiple of the columns of a box.";
    BOX_ROWS = 105, "rows that are not a multiple of the box",
        "The rows of a boxed tile must be a multiple of the rows of a box, unless the tile has one row or lies in vector memory.";
    ROW_BYTES = 107, "a row that is not a multiple of 32 bytes",
        "The device accesses tiles without boxes in blocks of 32 bytes, so a row (a column, if column-major) must be a multiple of 32 bytes. Make the tile wider and set its valid columns to the columns you use.",
        "func.func @f() {\n  %a = pto.alloc_tile : !pto.tile_buf<vec, 16x6xf32>\n  return\n}\n";
    NO_SPACE = 108, "a memory that the target does not have",
        "The location names a memory that does not exist on the target, for example block scales on a2a3.";

    OPERAND_COUNT = 201, "wrong number of operands",
        "Apart from optional operands, an instruction takes a fixed list of operands. `pto doc NAME` shows it.",
        "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>) {\n  pto.tmax ins(%a : !pto.tile_buf<vec, 16x16xf32>) outs(%a : !pto.tile_buf<vec, 16x16xf32>)\n  return\n}\n";
    OPERAND_KIND = 202, "an operand of the wrong kind",
        "For example, a tile was given for a scalar operand, or a pointer for a view operand.";
    UNKNOWN_ATTRIBUTE = 203, "an unknown attribute of an instruction",
        "The instruction has no attribute of this name. Attributes with a dialect prefix (`x.y`) are kept and ignored.";
    MISSING_ATTRIBUTE = 204, "a missing attribute",
        "The instruction requires this attribute, and the attribute has no default.";
    ATTRIBUTE_VALUE = 205, "an illegal attribute value",
        "The value is outside the legal range, or not in the list of legal values.",
        "func.func @f() {\n  pto.set_flag [<PIPE_V>, <PIPE_MTE9>, <EVENT_ID0>]\n  return\n}\n";
    NOT_ON_TARGET = 213, "an instruction the target does not have",
        "The instruction exists, but not on this target.";
    ELEM_TYPE = 214, "an element type the instruction does not take on this target",
        "Each instruction takes a list of element types per target. Convert first with tcvt, or build for a target that takes the type.",
        "func.func @f(%a: !pto.tile_buf<vec, 32x32xui8>) {\n  pto.tmax ins(%a, %a : !pto.tile_buf<vec, 32x32xui8>, !pto.tile_buf<vec, 32x32xui8>) outs(%a : !pto.tile_buf<vec, 32x32xui8>)\n  return\n}\n";
    ELEM_MISMATCH = 215, "element types differ but must be equal",
        "Instructions do not convert implicitly. Convert one operand with tcvt.";
    LOCATION = 216, "a tile in the wrong memory",
        "The unit that executes the instruction cannot access this memory. Move the tile with tmov, textract or tinsert first.";
    LAYOUT = 217, "a tile with the wrong layout",
        "The instruction expects a fixed layout. With another layout the device reports no error; it computes with the wrong elements.";
    VALID_REGION = 218, "incompatible valid regions",
        "The instruction computes over the valid region of one operand and reads the others at the same rows and columns. The page of the instruction says how the regions must relate. On a device, a mismatch reads stale data or does nothing.";
    SHAPE = 219, "incompatible physical shapes",
        "The page of the instruction says how the physical rows and columns of these operands must relate.";
    SCRATCH = 220, "a scratch tile that is missing, too small, or not allowed",
        "Some instructions need a scratch tile for intermediate results. If tiles have no addresses (levels 1 and 2), it is added for you. If they have (level 3), the program must pass one that is large enough.";
    ALIASING = 221, "a destination that shares memory with a source",
        "On this target the instruction writes to its destination before it has read all of its sources, so they must not share memory.";
    BOUNDS = 222, "an index outside the tile",
        "The window given by the indices and the smaller tile must lie inside the larger tile.";
    ELEM_COMBINATION = 223, "an unsupported combination of element types",
        "Each type may be legal on its own, but the instruction does not support this combination on this target.";
    COMBINATION = 224, "operands or attributes that exclude or require each other",
        "Some operands and attributes require each other; others exclude each other.";

    SCRATCH_OVERLAP = 225, "a scratch tile that shares memory with another operand",
        "The device writes intermediate results to the scratch tile while it still reads the sources and writes the destination. The scratch tile must not overlap any of them, not even in part.",
        "func.func @f(%a: !pto.tile_buf<vec, 8x64xi32>, %b: !pto.tile_buf<vec, 8x64xi32>, %d: !pto.tile_buf<vec, 8x64xi32>) {\n  txor ins(%a, %b, %b) outs(%d)\n  return\n}\n";
    DESTROYED = 226, "a read of a source that the device has overwritten",
        "On a device, some instructions use a source as scratch memory and destroy its content. `pto run` keeps the source intact. Copy the tile first, pass a scratch tile if the instruction takes one, or write the tile again before reading it.",
        "func.func @f(%a: !pto.tile_buf<vec, 8x64xf32>, %s: !pto.tile_buf<vec, 8x1xf32, blayout=col_major>, %q: !pto.tile_buf<vec, 8x64xi8>, %d: !pto.tile_buf<vec, 8x64xf32>) {\n  tquant ins(%a, %s) outs(%q) {quant_type = #pto<quant_type INT8_SYM>}\n  tadd ins(%a, %a) outs(%d)\n  return\n}\n";
    HIDDEN_MEMORY = 227, "a tile in memory that an instruction uses implicitly",
        "Some implementations use vector memory that no operand names: on a2a3, an instruction that broadcasts one value per row and has no scratch tile uses the last 8 KiB (184 to 192 KiB). It destroys the content of a tile placed there. Choose another address for the tile, or pass a scratch tile. If tiles have no addresses, a scratch tile is added for you.",
        "func.func @f() {\n  %p0 = arith.constant 0 : i64\n  %p1 = arith.constant 8192 : i64\n  %p2 = arith.constant 188416 : i64\n  %a = pto.alloc_tile addr = %p0 : !pto.tile_buf<vec, 16x64xf32>\n  %v = pto.alloc_tile addr = %p1 : !pto.tile_buf<vec, 16x1xf32, blayout=col_major>\n  %d = pto.alloc_tile addr = %p2 : !pto.tile_buf<vec, 16x64xf32>\n  trowexpandadd ins(%a, %v) outs(%d)\n  return\n}\n";
    DEVICE_FAULT = 228, "an instruction that the device computes differently",
        "For these operands, the published implementation for this device is known to deviate from the definition of the instruction. `pto run` follows the definition. `--numerics a2a3` and `--numerics a5` follow the device, if its result is known to the bit.",
        "func.func @f(%a: !pto.tile_buf<vec, 16x64xi32>, %s: i32, %m: !pto.tile_buf<vec, 16x32xui8, valid=16x8>) {\n  tcmps ins(%a, %s {cmpMode = #pto<cmp gt>}) outs(%m)\n  return\n}\n";
    UNPRINTABLE = 229, "a tile that the device cannot print",
        "A device prints tiles in vector memory; with `tmp`, also accumulators and, on a2a3, tiles in matrix memory. It prints integers, f16 and f32. `pto run` prints every tile. `pto emit` refuses such a program: move or convert the tile first, or leave the instruction out.",
        "func.func @f(%a: !pto.tile_buf<mat, 32x32xf16>) {\n  pto.tprint ins(%a)\n  return\n}\n";

    NOT_HERE = 301, "an operation in the wrong place",
        "A terminator must be the last operation of its block and must match the enclosing operation. Functions and modules cannot be nested in code. Sections cannot be nested.";
    NO_TERMINATOR = 302, "a block without a terminator",
        "A function body ends with `return`; a region that yields values ends with `scf.yield`.";
    RESULT_TYPES = 303, "yielded or returned values that do not match",
        "The number and types of the values must be those that the enclosing operation or function declares.";
    CALL = 304, "a call that does not match the function",
        "The function must exist, and the arguments and results must be those it declares.",
        "func.func @f() {\n  func.call @g() : () -> ()\n  return\n}\n";
    ENTRY_RETURNS = 305, "an entry function that returns a value",
        "The runtime starts a kernel entry and takes no result. Write results to global memory.";
    RECURSION = 306, "a function that calls itself",
        "Devices have no call stack, so recursion, direct or indirect, is not possible.";
    DOMINANCE = 307, "a value used where its definition may not have run",
        "The definition must dominate its uses: every path to a use must pass it. Move the definition up, or pass the value as a block argument.";
    DUPLICATE_SYMBOL = 308, "two functions with one name",
        "Function names must be unique in a module.";
    KERNEL_KIND = 309, "an operation on the wrong kind of core",
        "Cube operations run on the cube core, vector operations on the vector core. `pto.kernel_kind` of the function or the enclosing section determines the core.";
    STEP = 310, "a loop step that is not positive",
        "`scf.for` counts upwards. With a step of zero the loop would never end; with a negative step it would never start.";
    BRANCH = 311, "a branch to a block that does not exist or with the wrong arguments",
        "The target block must be in the same region, and the arguments must match its parameters. A `cf.switch` has exactly one default block.";
    PARTS = 312, "an operation with the wrong number of parts",
        "The generic form allows any number of operands, results, regions and branch targets. This operation has a fixed number of them.",
        "func.func @f(%c: i1) {\n  \"scf.if\"(%c) : (i1) -> ()\n  return\n}\n";
    STRUCT = 313, "an illegal struct type or use",
        "A struct is a record of scalars on the stack of the function that declares it. Only `pto.declare_struct` creates one. A struct cannot be passed, selected, yielded or returned. Its fields are scalars of whole bytes, or structs of those.",
        "func.func @f(%s: !pto.struct<f32, i8>) {\n  return\n}\n";

    MISALIGNED = 401, "an address that is not aligned",
        "A tile must start at a multiple of its memory's alignment.";
    OUT_OF_MEMORY = 402, "a tile outside its memory",
        "The tile, placed at its address, does not fit into the memory of this target.";
    PARTIAL_OVERLAP = 403, "operands that overlap partially",
        "Two operands of one instruction share some bytes but start at different addresses. The result would depend on the order in which the device processes the elements.";
    MIXED_ADDRESSES = 404, "tiles with and without addresses in one function",
        "The program gives either every tile an address (level 3) or none (levels 1 and 2). The planner does not support a mix.";
    VALID_OPERANDS = 405, "valid-region operands that do not match the type",
        "Give `valid_row` and `valid_col` exactly for the extents that are dynamic (`?`) in the type.",
        "func.func @f(%n: index) {\n  %a = pto.alloc_tile valid_row = %n : !pto.tile_buf<vec, 16x16xf32>\n  return\n}\n";
    VIEW_SHAPE = 406, "an inconsistent view",
        "Shape, strides, offsets and sizes need one entry per dimension, and the window must lie inside the tensor.";

    EVENT_ID = 501, "an event id that does not exist",
        "There are 8 event ids per ordered pair of pipes.";
    FLAG_PIPES = 502, "a flag between pipes that flags cannot order",
        "A flag orders two different pipes. Inside one pipe use a barrier; PIPE_ALL is for barriers only.";
    BUFFER_ID = 503, "a buffer token that does not exist",
        "There are 32 buffer tokens, shared by all pipes.";
    BARRIER_PIPE = 504, "a barrier on a pipe that has none",
        "The target has no barrier instruction for this pipe.";
    SIGNAL = 505, "a cross-core signal that the target cannot send",
        "The cross-core hardware of the target does not support this signal id or pipe.";

    FIFO_SETUP = 601, "an invalid FIFO pipe setup",
        "The direction mask is 1, 2 or 3, slots have a positive size, and a split is 0 (none), 1 (rows) or 2 (columns); both ends must agree.";
    FIFO_RESERVE = 602, "a reserved buffer that does not match",
        "An imported buffer must be reserved under the same name in the peer function; names are unique within a function.";
    FIFO_ENTRY = 603, "a use of a FIFO entry after its free",
        "A popped tile lies in a slot of the FIFO pipe. `tfree` returns the slot, and the producer may refill it immediately. Finish using the tile first, and free each entry once.";

    RUN_ENTRY = 701, "no entry function, or several",
        "A run starts at the function marked `attributes {pto.entry}`, or at the only function with a body. Mark one, or name it with `--func`.";
    RUN_ARGUMENT = 702, "an argument that does not match its parameter",
        "Pointers take memory, numbers take numbers, tiles take data of their size. The message says what was given and what the parameter takes.";
    RUN_OUTSIDE = 703, "an access outside a buffer",
        "The instruction would access bytes outside the argument. Either the argument is too small, or a shape, stride or offset of the view is wrong.";
    RUN_DIVISION = 704, "an integer division by zero",
        "Integer division by zero has no result. The message names the element. Floating-point division by zero is not an error.";
    RUN_BOUNDS = 705, "an index or window that is out of range",
        "At run time, an index, a dimension or a window is outside the tile, view or tensor it refers to.";
    RUN_UNSUPPORTED = 706, "an operation that the engine does not support",
        "The program is legal, but the engine has no code for this operation with these operands. `pto isa --coverage` shows what runs.";
    RUN_ADDRESS = 707, "a tile outside its memory",
        "The address that the program computed for a tile, plus its size, lies outside the memory of the target.";
    RUN_LIMIT = 708, "a limit of the engine",
        "The program needs more memory or more steps than the engine allows, or a loop of scalar code never ends: it returns to the same scalars without accessing memory, or runs for many millions of iterations without an instruction on tiles.";
    RUN_TRAP = 709, "the program stopped itself",
        "The program executed `trap`, which ends it with an error. The message points at it.";
    RUN_VALUE = 710, "an invalid value",
        "A loop step that is not positive, a negative extent or stride, or an address inside a byte.";
    RUN_VALID = 711, "an invalid valid region",
        "The valid region that the program computed is larger than the tile, or differs from the window that the tile is loaded from or stored to.";
    RUN_DEADLOCK = 712, "a deadlock",
        "Every remaining core waits for a signal, a slot or an entry that another core would have to send. The message shows the wait chain with its lines.";
    RUN_PIPE = 713, "an invalid use of a FIFO pipe or signal",
        "A slot was freed without a pop, pushed without an allocation, or popped with another element type; or an entry is larger than its slot or than the reserved memory; or a signal was sent too often without a wait.";
    RUN_UNWRITTEN = 714, "a read of an uninitialised tile",
        "The memory of a core is uninitialised when a program starts; on a device it holds what the previous program left there. A load, a fill or a computation must write every element before an instruction reads it.";
    RUN_MEMORY = 715, "more memory than the machine has",
        "The arguments, tiles or allocations of the program need more memory than this machine has available, or than the control group of the process allows.";
    RECORDING_DAMAGED = 716, "a recording that cannot be read",
        "The file is not a recording of a run, or it was cut off or changed after it was written. Record the program again with `pto trace`.";
    RECORDING_VERSION = 717, "a recording of another version",
        "The recording was made by another version of `pto`, which wrote another format or prepared the program differently, so that its contents cannot be found again. Record the program again with this version.";
    VALUE_UNKNOWN = 718, "a value that the program does not have",
        "A value is named by its name in the program, such as `%t`. The message names similar ones.";
    RUN_RANK = 719, "a rank that was lost or does not match the others",
        "The ranks of a run are processes, and one of them ended or stopped, has another program or other options than the others, or cannot be reached. The message names the rank and the instruction it executed last.";

    RACE_READ = 801, "a read that may run before the write it depends on",
        "An instruction reads bytes that an earlier instruction on another pipe writes, and the two accesses are unordered. On a device the read may start first and see stale data. A flag from the writing pipe to the reading pipe orders them.";
    RACE_OVERWRITE = 802, "a write that may run before an earlier read has finished",
        "An instruction reads bytes that a later instruction on another pipe overwrites, and the two accesses are unordered. In a loop, the flag back is missing: the reading pipe must tell the writing pipe that the buffer is free.";
    RACE_WRITE = 803, "two unordered writes",
        "Two instructions write the same bytes, and nothing determines which write comes last.";
    RACE_UNWRITTEN = 804, "a read of uninitialised memory",
        "The memory of a core is uninitialised when a program starts, so the value read differs from run to run.";
    RACE_FOREIGN = 805, "a read of a tile that another tile has overwritten",
        "Two tiles share bytes. The second was written while the first still held data, and then the first was read. Move one of them to another address, or finish reading the first before writing the second.";
    FLAG_UNSET = 806, "a wait for a flag that is never set",
        "The pipe blocks at the wait, and nothing after it runs. Each wait needs one set with the same source pipe, destination pipe and id that can execute before the wait.";
    FLAG_LEFT = 807, "a flag that is never waited for",
        "The flag is still set when the program ends, so the first wait of the next program on this core would not block. Each set needs one wait.";
    FLAG_TWICE = 808, "a flag set again before a wait has cleared it",
        "A flag is a token: a set adds one, a wait takes one. Sources disagree on whether a device counts two sets without a wait between them, so a portable program never does that: if the device does not count, one set is lost and a later wait blocks forever. `pto race` counts them, so that it can check the rest of the program. Either the flag back is missing, or two uses share an id.";
    TOKEN = 809, "an invalid use of a buffer token",
        "A pipe may release only a token it holds, may not acquire a token it already holds, and must release every token before the program ends.";
    SIGNAL_LEFT = 810, "a signal that no core waits for",
        "A signal was sent to another core, and no wait consumed it. The first wait of the next program would not block.";
    SIGNAL_RESERVED = 811, "a reserved signal id",
        "`syncall` uses signals 11 to 14. Every FIFO pipe uses two signals, or four if data flows in both directions. A program must not send these signals itself.";
    PIPE_FREED = 812, "a popped tile used after its slot was freed",
        "`tfree` returns the slot, and the producer may refill it immediately. Use the tile before the `tfree`, or copy it.";
    PIPE_LEFT = 813, "a FIFO pipe that is not empty at the end",
        "Entries were pushed and never popped, or popped and never freed. Pushes, pops and frees must match, or the next program finds the remaining entries.";
    GLOBAL_MISALIGNED = 814, "a misaligned address in global memory",
        "The start address of a view is not a multiple of its element size. What a device does then is undefined.";

    CACHE_SHARED = 815, "a cache line that a scalar store shares with another write",
        "The scalar unit of each core stores to global memory through a private data cache, which writes back whole lines of 64 bytes. If two cores store to different bytes of one line, the later write-back overwrites the bytes of the other core (false sharing). Keep the stores of different cores 64 bytes apart. Or write the line back on the first core (`cmo.cacheinvalid` of the address, then `fence.barrier_all`) before it signals the second, and invalidate the copy of the second core (`cmo.cacheinvalid`) before it stores. A tile store into the line counts, too, also one of the same core.";
    CACHE_HELD = 816, "a scalar store that is still in the data cache",
        "A `store_scalar` to global memory stays in the data cache of its core until the line is written back. Tile loads, transfers and other cores read memory, not this cache, so they see the old value. Flags, barriers and `syncall` order instructions but do not write the cache back. After the store, write the line back with `cmo.cacheinvalid` of the address or of the whole cache, then wait with `fence.barrier_all`, before the flag or the signal. The cache is also written back at the end of a kernel.";
    CACHE_STALE = 817, "a scalar load of a stale cache line",
        "A line of global memory that the scalar unit has read stays in its data cache. If another core or a tile store has written the bytes since then, `load_scalar` returns the old value. Invalidate the line with `cmo.cacheinvalid` of the address before the load.";
    CACHE_POLL = 818, "a loop that polls a cached word",
        "A loop polls a word that another core stores. After its first load the loop reads its own data cache, and the store may stay in the cache of the other core. The order is correct, but the loop may never end. In the loop, invalidate the line before each load (`cmo.cacheinvalid` of the address). After the store, write the line back (`cmo.cacheinvalid`, then `fence.barrier_all`). `comm.tnotify` and `comm.twait` do both.";

    EMIT_UNSUPPORTED = 901, "an operation without a C++ equivalent",
        "The program is legal, but the device headers have no function for this operation with these operands and attributes on this target. `pto isa --coverage` shows what can be emitted.";
    EMIT_LEVEL = 902, "a program that does not match the stated level",
        "At level 3 every tile has an address; at levels 1 and 2 none has. State the level of the program, or leave `--level` out.";
    EMIT_UNORDERED = 903, "C++ with unordered accesses",
        "The pipes of a core run concurrently. If one instruction reads what another writes, or overwrites what another still reads, a flag or a barrier must order them; otherwise the device computes wrong results intermittently. `pto emit` inserts flags and barriers into a kernel that has none. A kernel with its own flags is emitted unchanged, and `--sync none` inserts nothing. In these cases the warning names the first unordered pair.";
    EMIT_SCRATCH = 904, "no room for a scratch tile",
        "Some instructions become two calls in C++: `taddc` becomes `TADD` and `TADD`. If the destination is also an operand of the second call, the first call would overwrite it, so the result goes through a scratch tile. The scratch tile is added if tiles have no addresses, or constant addresses with free memory after them. Otherwise the program must provide it.";
    NO_FAULT = 905, "a fault that the program does not have",
        "`pto reduce` makes a program smaller as long as it has a fault, so the program must have the fault to start with. It runs the command of `--while`, or what the condition of `--keeps` demands: the checks, the program, or the race check, with the same inputs, blocks and seed. Give the values with which the fault occurs, as for `pto run`. If the program needs another target, name it with `--target`.";
    BYTECODE = 911, "invalid bytecode",
        "The file starts like bytecode (`PTOBC`), but the rest is truncated, out of range, or of an unknown version.";
    BYTECODE_HOLD = 912, "an operation that bytecode cannot represent",
        "Version 0 of the container has opcodes for most operations, for loops without carried values, and for branches without results. Other operations are stored by name, unless `--numbers-only` of `pto emit bytecode` forbids it. The container cannot represent jumps between blocks, nor operations outside functions or next to a module.";

    EVENT_USE = 1001, "an event that cannot be waited for",
        "In a kernel written in Rust, `.after(&event)` makes one instruction wait for another. It becomes a flag between their two pipes. Both instructions must therefore be in the same loop body, branch or function, and each must use the same pipe on every target. At most eight events between two pipes may be open. In other cases, order the pipes with `set_flag` and `wait_flag`.";
}

Instructions, values, aliases, functions and attributes have cards.

> write a.pto
| !tile = !pto.tile_buf<vec, 16x64xf32>
| func.func @scale(%x: !pto.tensor_view<16x64xf32>) {
|   %two = arith.constant 2.0 : f32
|   %t = pto.alloc_tile : !tile
|   pto.tload ins(%x) outs(%t)
|   pto.tmuls ins(%t, %two) outs(%t)
|   pto.tstore ins(%t) outs(%x)
|   return
| }
> open a.pto
> request textDocument/hover a.pto@"pto.tmuls"
< {
<   "contents": {
<     "kind": "markdown",
<     "value": "**TMULS**: Product of a tile and a scalar.\n\noperation: `pto.tmuls` · targets: a2a3, a5, cpu\n\n`dst[i,j] = src[i,j] * scalar`. Integers keep the low half of the product; floating point rounds to nearest even. There is no 8-bit product on a device.\n\n**Operands**\n\n| name | access | kind | memory | layout | elements |\n| --- | --- | --- | --- | --- | --- |\n| `src` | read | tile | vec | row-major | data type |\n| `scalar` | read | scalar | – | – | data type |\n| `dst` | written | tile | vec | row-major | data type |\n\n**Element types**\n\n| target | data types |\n| --- | --- |\n| a2a3 | i16, i32, f16, f32 |\n| a5 | i16, i32, i64, ui16, ui32, ui64, f16, bf16, f32 |\n| cpu | i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 |\n\n**Execution**\n\n- works on: the valid region of `dst`\n- pipe: PIPE_V\n- overlap: a destination may be the same tile as a source\n- side effects: see Hazards; orders no other instruction\n- bytecode: 0x103c\n\n**Hazards**\n\n| target | what the implementation does | respected by |\n| --- | --- | --- |\n| a5 | 64-bit elements, more than 64 columns: computes only the first 64 columns of 64-bit elements | check and run (E0228) |\n\n**Cost model**\n\nCost class: vector scalar.\n\n| target | law, in cycles | grade | source |\n| --- | --- | --- | --- |\n| a2a3 | fixed 26, slope 1, mask 17 | calibrated | published lines of profiling data, those marked fit |\n| a5 | start 52.52, row 4.5, issue 1.08, drain 31.17, rate 2.12, nested 0 | derived | TMINS |\n\n**Here**: 42 cycles on PIPE_V (calibrated)\n"
<   },
<   "range": {
<     "end": {
<       "character": 11,
<       "line": 5
<     },
<     "start": {
<       "character": 2,
<       "line": 5
<     }
<   }
< }
> request textDocument/hover a.pto@"%t = "
< {
<   "contents": {
<     "kind": "markdown",
<     "value": "```mlir\n%t: !pto.tile_buf<vec, 16x64xf32>\n```\n\n- tile of 16 × 64 f32 in UB (vec), ND, 4096 bytes\n- address 0x0 in UB (vec) after planning, 4096 bytes, live in lines 5 to 7\n- used 4 times, lines 5 to 7\n"
<   },
<   "range": {
<     "end": {
<       "character": 4,
<       "line": 3
<     },
<     "start": {
<       "character": 2,
<       "line": 3
<     }
<   }
< }
> request textDocument/hover a.pto@"!tile\n"
< {
<   "contents": {
<     "kind": "markdown",
<     "value": "```mlir\n!tile: !pto.tile_buf<vec, 16x64xf32>\n```\n\n- tile of 16 × 64 f32 in UB (vec), ND, 4096 bytes"
<   },
<   "range": {
<     "end": {
<       "character": 29,
<       "line": 3
<     },
<     "start": {
<       "character": 24,
<       "line": 3
<     }
<   }
< }
> request textDocument/hover a.pto@"@scale"
< {
<   "contents": {
<     "kind": "markdown",
<     "value": "```mlir\nfunc.func @scale(%x: !pto.tensor_view<16x64xf32>)\n```"
<   },
<   "range": {
<     "end": {
<       "character": 16,
<       "line": 1
<     },
<     "start": {
<       "character": 10,
<       "line": 1
<     }
<   }
< }
> request textDocument/hover a.pto@"return"  show value
< [
<   "**FUNC.RETURN**: Leaves a function.\n\noperation: `func.return` · targets: a2a3, a5, cpu\n\n**Text forms**\n\n```mlir\nreturn\nreturn %operand, … : T, …\n```\n\nEnds the last block of a path through a function and gives its results, as many and of the types that the function states.\n\n**Operands**\n\n| name | access | kind | memory | layout | elements |\n| --- | --- | --- | --- | --- | --- |\n| `operands` | read, any number | value | – | – | any |\n\n**Execution**\n\n- effect: steers the program\n- bytecode: 0x6001\n"
< ]
> request textDocument/hover a.pto@") {"
< null

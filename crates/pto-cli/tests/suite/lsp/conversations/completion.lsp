What is offered depends on the place: operations, values that fit, attributes, types.

> write a.pto
| !tile = !pto.tile_buf<vec, 16x64xf32>
| func.func @f(%x: !pto.tensor_view<16x64xf32>, %s: f32) {
|   %t = pto.alloc_tile : !tile
|   pto.tload ins(%x) outs(%t)
|   pto.tmuls ins(%t, %s) outs(%t)
|   pto.tcmps ins(%t, %s {}) outs(%t)
|   pto.set_flag[<]
|   
|   return
| }
> open a.pto
> request textDocument/completion a.pto>"pto.tload ins("
< {
<   "isIncomplete": false,
<   "items": [
<     {
<       "detail": "!pto.tensor_view<16x64xf32>",
<       "kind": 6,
<       "label": "%x",
<       "sortText": "00000",
<       "textEdit": {
<         "newText": "%x",
<         "range": {
<           "end": {
<             "character": 16,
<             "line": 3
<           },
<           "start": {
<             "character": 16,
<             "line": 3
<           }
<         }
<       }
<     }
<   ]
< }
> request textDocument/completion a.pto>"ins(%t, " show label
< [
<   "%s"
< ]
> request textDocument/completion a.pto>"%s {" show label
< [
<   "cmpMode"
< ]
> request textDocument/completion a.pto>"set_flag[<" show label
< [
<   "PIPE_ALL",
<   "PIPE_FIX",
<   "PIPE_M",
<   "PIPE_MTE1",
<   "PIPE_MTE2",
<   "PIPE_MTE3",
<   "PIPE_MTE4",
<   "PIPE_MTE5",
<   "PIPE_NUM",
<   "PIPE_S",
<   "PIPE_UNASSIGNED",
<   "PIPE_V",
<   "PIPE_V2",
<   "VIRTUAL_PIPE_MTE2_L1A",
<   "VIRTUAL_PIPE_MTE2_L1B"
< ]
> request textDocument/completion a.pto>"alloc_tile : !" show label
< [
<   "!tile",
<   "!pto.tensor_view<16x64xf32>",
<   "!pto.tile_buf<vec, 16x64xf32>",
<   "!pto.partition_tensor_view<16x64xf32>",
<   "!pto.ptr<f32>",
<   "!pto.tensor_view<16x64xf32>",
<   "!pto.tile<16x64xf32>",
<   "!pto.tile_buf<vec, 16x64xf32>",
<   "!pto.async_event",
<   "!pto.async_session",
<   "!pto.event",
<   "!pto.fmatrix_config",
<   "!pto.group",
<   "!pto.pipe",
<   "!pto.prefetch_async_context",
<   "!pto.record_event"
< ]
> request textDocument/completion a.pto>"[<]\n  " show label
< [
<   "pto.addptr",
<   "pto.aic_initialize_pipe",
<   "pto.aiv_initialize_pipe",
<   "pto.alloc_multi_tile",
<   "pto.alloc_tile",
<   "pto.barrier",
<   "pto.barrier_sync",
<   "pto.bind_tile",
<   "pto.castptr",
<   "pto.cmo.cacheinvalid",
<   "pto.comm.build_async_session",
<   "pto.comm.tbroadcast",
<   "pto.comm.test_async_event",
<   "pto.comm.tgather",
<   "pto.comm.tget",
<   "pto.comm.tget_async",
<   "pto.comm.tnotify",
<   "pto.comm.tput",
<   "pto.comm.tput_async",
<   "pto.comm.treduce",
<   "pto.comm.tscatter",
<   "pto.comm.ttest",
<   "pto.comm.twait",
<   "pto.comm.wait_async_event",
<   "pto.declare_eventid_array",
<   "pto.declare_global",
<   "pto.declare_local_array",
<   "pto.declare_struct",
<   "pto.declare_tile",
<   "pto.declare_tile_memref",
<   "… and 321 more"
< ]
> request completionItem/resolve {"label": "pto.tneg", "kind": 3}
< {
<   "documentation": {
<     "kind": "markdown",
<     "value": "**TNEG**: Negation of each element.\n\noperation: `pto.tneg` · targets: a2a3, a5, cpu\n\n`dst[i,j] = -src[i,j]`; integers wrap, so the most negative one stays. Devices multiply by -1, so the sign of a NaN is not defined.\n\n**Operands**\n\n| name | access | kind | memory | layout | elements |\n| --- | --- | --- | --- | --- | --- |\n| `src` | read | tile | vec | row-major | data type |\n| `dst` | written | tile | vec | row-major | data type |\n\n**Element types**\n\n| target | data types |\n| --- | --- |\n| a2a3 | i16, i32, f16, f32 |\n| a5 | i16, i32, i64, ui16, ui32, ui64, f16, bf16, f32 |\n| cpu | i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 |\n\n**Execution**\n\n- works on: the valid region of `dst`\n- pipe: PIPE_V\n- overlap: a destination may be the same tile as a source\n- side effects: see Hazards; orders no other instruction\n- bytecode: 0x103d\n\n**Hazards**\n\n| target | what the implementation does | respected by |\n| --- | --- | --- |\n| a5 | 64-bit elements, more than 64 columns: computes only the first 64 columns of 64-bit elements | check and run (E0228) |\n\n**Cost model**\n\nCost class: vector unary.\n\n| target | law, in cycles | grade | source |\n| --- | --- | --- | --- |\n| a2a3 | fixed 24, slope 1, mask 17 | derived | TRELU, TLRELU and TRSQRT |\n| a5 | start 54.55, row 4.52, issue 1.08, drain 30.08, rate 1.7, nested 0 | calibrated | profiling points of A5 vector functions, those marked fit |\n"
<   },
<   "kind": 3,
<   "label": "pto.tneg"
< }
> request textDocument/signatureHelp a.pto>"ins(%t, "
< {
<   "activeParameter": 1,
<   "activeSignature": 0,
<   "signatures": [
<     {
<       "activeParameter": 1,
<       "documentation": {
<         "kind": "markdown",
<         "value": "Product of a tile and a scalar."
<       },
<       "label": "pto.tmuls ins(%src, %scalar) outs(%dst)",
<       "parameters": [
<         {
<           "documentation": "tile of i16, i32, f16, f32",
<           "label": [
<             14,
<             18
<           ]
<         },
<         {
<           "documentation": "scalar of i16, i32, f16, f32",
<           "label": [
<             20,
<             27
<           ]
<         },
<         {
<           "documentation": "tile of i16, i32, f16, f32",
<           "label": [
<             34,
<             38
<           ]
<         }
<       ]
<     }
<   ]
< }
> request textDocument/signatureHelp a.pto>"func.func"
< null

Problems come after each change, with what is legal, related places and the id to look up. They go when the file is closed.

> write a.pto
| func.func @f(%a: !pto.tile_buf<vec, 16x16xi8>) {
|   %é = arith.constant 0 : index
|   pto.tmax ins(%a, %b) outs(%a)
|   return
> open a.pto
> wait textDocument/publishDiagnostics
< {
<   "diagnostics": [
<     {
<       "code": "PTO-E0011",
<       "message": "this `{` is never closed",
<       "range": {
<         "end": {
<           "character": 48,
<           "line": 0
<         },
<         "start": {
<           "character": 47,
<           "line": 0
<         }
<       },
<       "severity": 1,
<       "source": "pto"
<     },
<     {
<       "code": "PTO-E0001",
<       "message": "expected an operation, found `%`",
<       "range": {
<         "end": {
<           "character": 3,
<           "line": 1
<         },
<         "start": {
<           "character": 2,
<           "line": 1
<         }
<       },
<       "severity": 1,
<       "source": "pto"
<     },
<     {
<       "code": "PTO-E0008",
<       "message": "`%b` is not defined\nhelp: define it before this use, or check the spelling",
<       "range": {
<         "end": {
<           "character": 21,
<           "line": 2
<         },
<         "start": {
<           "character": 19,
<           "line": 2
<         }
<       },
<       "severity": 1,
<       "source": "pto"
<     }
<   ],
<   "uri": "file://$DIR/a.pto",
<   "version": 1
< }
> change a.pto "%b" "%a"
> wait textDocument/publishDiagnostics show message
< [
<   "this `{` is never closed",
<   "expected an operation, found `%`"
< ]
> change a.pto "return" "return\n}"
> wait textDocument/publishDiagnostics
< {
<   "diagnostics": [
<     {
<       "code": "PTO-E0107",
<       "message": "row of 16 bytes: `%a` needs rows that are a multiple of 32 bytes\na multiple of 32 elements of i8 per row\nhelp: make the rows longer and keep the valid region: valid=16x16",
<       "range": {
<         "end": {
<           "character": 15,
<           "line": 0
<         },
<         "start": {
<           "character": 13,
<           "line": 0
<         }
<       },
<       "severity": 2,
<       "source": "pto"
<     },
<     {
<       "code": "PTO-E0001",
<       "message": "expected an operation, found `%`",
<       "range": {
<         "end": {
<           "character": 3,
<           "line": 1
<         },
<         "start": {
<           "character": 2,
<           "line": 1
<         }
<       },
<       "severity": 1,
<       "source": "pto"
<     },
<     {
<       "code": "PTO-E0214",
<       "message": "`tmax` does not take this element type on a2a3: `src0` is i8\nlegal on a2a3: i16, i32, f16, f32\nlegal on a5: i8, i16, i32, ui8, ui16, ui32, f16, f32\nhelp: convert the tile first, or build for --target a5",
<       "range": {
<         "end": {
<           "character": 10,
<           "line": 2
<         },
<         "start": {
<           "character": 2,
<           "line": 2
<         }
<       },
<       "relatedInformation": [
<         {
<           "location": {
<             "range": {
<               "end": {
<                 "character": 17,
<                 "line": 2
<               },
<               "start": {
<                 "character": 15,
<                 "line": 2
<               }
<             },
<             "uri": "file://$DIR/a.pto"
<           },
<           "message": "`src0`"
<         }
<       ],
<       "severity": 1,
<       "source": "pto"
<     }
<   ],
<   "uri": "file://$DIR/a.pto",
<   "version": 3
< }
> change a.pto "16x16xi8" "16x16xf32"
> wait textDocument/publishDiagnostics show message
< [
<   "expected an operation, found `%`"
< ]
> change a.pto "%é" "%e"
> wait textDocument/publishDiagnostics show message
< []
> close a.pto
> wait textDocument/publishDiagnostics
< {
<   "diagnostics": [],
<   "uri": "file://$DIR/a.pto"
< }

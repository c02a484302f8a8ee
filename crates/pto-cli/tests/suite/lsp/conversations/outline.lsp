Symbols of a file and of the workspace, folds and lenses.

> write other.pto
| func.func @elsewhere() {
|   return
| }
> write a.pto
| // One.
| // Two.
| !t = !pto.tile_buf<vec, 16x16xf32>
| func.func @f(%n: index) attributes {pto.entry} {
|   scf.for %i = %n to %n step %n {
|     %a = pto.alloc_tile : !t
|   }
|   return
| }
> open a.pto
> request textDocument/documentSymbol a.pto
< [
<   {
<     "detail": "!pto.tile_buf<vec, 16x16xf32>",
<     "kind": 23,
<     "name": "!t",
<     "range": {
<       "end": {
<         "character": 34,
<         "line": 2
<       },
<       "start": {
<         "character": 0,
<         "line": 2
<       }
<     },
<     "selectionRange": {
<       "end": {
<         "character": 2,
<         "line": 2
<       },
<       "start": {
<         "character": 0,
<         "line": 2
<       }
<     }
<   },
<   {
<     "children": [
<       {
<         "children": [
<           {
<             "detail": "!pto.tile_buf<vec, 16x16xf32>",
<             "kind": 13,
<             "name": "%a",
<             "range": {
<               "end": {
<                 "character": 28,
<                 "line": 5
<               },
<               "start": {
<                 "character": 4,
<                 "line": 5
<               }
<             },
<             "selectionRange": {
<               "end": {
<                 "character": 6,
<                 "line": 5
<               },
<               "start": {
<                 "character": 4,
<                 "line": 5
<               }
<             }
<           }
<         ],
<         "detail": "scf.for %i = %n to %n step %n",
<         "kind": 3,
<         "name": "scf.for",
<         "range": {
<           "end": {
<             "character": 3,
<             "line": 6
<           },
<           "start": {
<             "character": 2,
<             "line": 4
<           }
<         },
<         "selectionRange": {
<           "end": {
<             "character": 9,
<             "line": 4
<           },
<           "start": {
<             "character": 2,
<             "line": 4
<           }
<         }
<       }
<     ],
<     "detail": "func.func @f(%n: index)",
<     "kind": 12,
<     "name": "@f",
<     "range": {
<       "end": {
<         "character": 1,
<         "line": 8
<       },
<       "start": {
<         "character": 0,
<         "line": 3
<       }
<     },
<     "selectionRange": {
<       "end": {
<         "character": 12,
<         "line": 3
<       },
<       "start": {
<         "character": 10,
<         "line": 3
<       }
<     }
<   }
< ]
> request workspace/symbol {"query": "else"}
< [
<   {
<     "kind": 12,
<     "location": {
<       "range": {
<         "end": {
<           "character": 20,
<           "line": 0
<         },
<         "start": {
<           "character": 10,
<           "line": 0
<         }
<       },
<       "uri": "file://$DIR/other.pto"
<     },
<     "name": "@elsewhere"
<   }
< ]
> request workspace/symbol {"query": ""} show name
< [
<   "!t",
<   "@f",
<   "@elsewhere"
< ]
> request textDocument/foldingRange a.pto
< [
<   {
<     "endLine": 1,
<     "kind": "comment",
<     "startLine": 0
<   },
<   {
<     "endLine": 7,
<     "kind": "region",
<     "startLine": 3
<   },
<   {
<     "endLine": 5,
<     "kind": "region",
<     "startLine": 4
<   }
< ]
> request textDocument/codeLens a.pto
< [
<   {
<     "command": {
<       "arguments": [
<         "file://$DIR/a.pto",
<         "f"
<       ],
<       "command": "pto.run",
<       "title": "run"
<     },
<     "range": {
<       "end": {
<         "character": 9,
<         "line": 3
<       },
<       "start": {
<         "character": 0,
<         "line": 3
<       }
<     }
<   },
<   {
<     "command": {
<       "arguments": [
<         "file://$DIR/a.pto",
<         "f"
<       ],
<       "command": "pto.race",
<       "title": "race"
<     },
<     "range": {
<       "end": {
<         "character": 9,
<         "line": 3
<       },
<       "start": {
<         "character": 0,
<         "line": 3
<       }
<     }
<   },
<   {
<     "command": {
<       "arguments": [
<         "file://$DIR/a.pto",
<         "f"
<       ],
<       "command": "pto.perf",
<       "title": "perf"
<     },
<     "range": {
<       "end": {
<         "character": 9,
<         "line": 3
<       },
<       "start": {
<         "character": 0,
<         "line": 3
<       }
<     }
<   }
< ]

Definitions, references and new names of values, functions and aliases.

> write a.pto
| !t = !pto.tile_buf<vec, 16x16xf32>
| func.func @g(%a: !t) {
|   return
| }
| func.func @f(%n: index, %b: !t) {
|   %m = arith.addi %n, %n : index
|   func.call @g(%b) : (!t) -> ()
|   return
| }
> open a.pto
> request textDocument/definition a.pto@"%n, %n"
< {
<   "range": {
<     "end": {
<       "character": 15,
<       "line": 4
<     },
<     "start": {
<       "character": 13,
<       "line": 4
<     }
<   },
<   "uri": "file://$DIR/a.pto"
< }
> request textDocument/definition a.pto@"@g(%b)"
< {
<   "range": {
<     "end": {
<       "character": 12,
<       "line": 1
<     },
<     "start": {
<       "character": 10,
<       "line": 1
<     }
<   },
<   "uri": "file://$DIR/a.pto"
< }
> request textDocument/references a.pto@"!t)" {"context": {"includeDeclaration": true}} show start
< [
<   {
<     "character": 0,
<     "line": 0
<   },
<   {
<     "character": 17,
<     "line": 1
<   },
<   {
<     "character": 28,
<     "line": 4
<   },
<   {
<     "character": 22,
<     "line": 6
<   }
< ]
> request textDocument/documentHighlight a.pto@"%n" show start
< [
<   {
<     "character": 13,
<     "line": 4
<   },
<   {
<     "character": 18,
<     "line": 5
<   },
<   {
<     "character": 22,
<     "line": 5
<   }
< ]
> request textDocument/prepareRename a.pto@"%n"
< {
<   "end": {
<     "character": 15,
<     "line": 4
<   },
<   "start": {
<     "character": 14,
<     "line": 4
<   }
< }
> request textDocument/rename a.pto@"%n" {"newName": "count"}
< {
<   "changes": {
<     "file://$DIR/a.pto": [
<       {
<         "newText": "count",
<         "range": {
<           "end": {
<             "character": 15,
<             "line": 4
<           },
<           "start": {
<             "character": 14,
<             "line": 4
<           }
<         }
<       },
<       {
<         "newText": "count",
<         "range": {
<           "end": {
<             "character": 20,
<             "line": 5
<           },
<           "start": {
<             "character": 19,
<             "line": 5
<           }
<         }
<       },
<       {
<         "newText": "count",
<         "range": {
<           "end": {
<             "character": 24,
<             "line": 5
<           },
<           "start": {
<             "character": 23,
<             "line": 5
<           }
<         }
<       }
<     ]
<   }
< }
> request textDocument/rename a.pto@"%n" {"newName": "m"}
< {
<   "code": -32803,
<   "message": "`%m` is already defined"
< }
> request textDocument/rename a.pto@"@g(%b)" {"newName": "@h"} show newText
< [
<   "h",
<   "h"
< ]
> request textDocument/prepareRename a.pto@"return"
< null

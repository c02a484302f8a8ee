A definition leads through `loc(…)` to the file that a statement was made from.

> write kernel.py
| import pto
| t = pto.tile(16, 64)
> write a.pto
| func.func @f() {
|   %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32> loc("kernel.py":2:1)
|   return loc("gone.py":1:1)
| }
> open a.pto
> request textDocument/definition a.pto@"pto.alloc_tile"
< {
<   "range": {
<     "end": {
<       "character": 0,
<       "line": 1
<     },
<     "start": {
<       "character": 0,
<       "line": 1
<     }
<   },
<   "uri": "file://$DIR/kernel.py"
< }
> request textDocument/definition a.pto@"return"
< null

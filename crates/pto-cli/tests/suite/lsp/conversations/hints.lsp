Types that are left out, addresses after planning, pipes and cycles; the settings choose.

> write a.pto
| func.func @f(%a: !pto.tile_buf<vec, 16x64xf32>) {
|   %m = tmax %a, %a : !pto.tile<...>
|   %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
|   pto.tadd ins(%a, %a) outs(%t)
|   return
| }
> open a.pto
> request textDocument/inlayHint a.pto {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}}
< [
<   {
<     "kind": 1,
<     "label": ": !pto.tile<16x64xf32>",
<     "paddingLeft": false,
<     "position": {
<       "character": 4,
<       "line": 1
<     }
<   },
<   {
<     "label": "PIPE_V · 55 cycles",
<     "paddingLeft": true,
<     "position": {
<       "character": 35,
<       "line": 1
<     }
<   },
<   {
<     "label": "0x1000",
<     "paddingLeft": true,
<     "position": {
<       "character": 53,
<       "line": 2
<     }
<   },
<   {
<     "label": "PIPE_V · 58 cycles",
<     "paddingLeft": true,
<     "position": {
<       "character": 31,
<       "line": 3
<     }
<   }
< ]
> notify workspace/didChangeConfiguration {"settings": {"pto": {"hints": ["addresses"]}}}
> request textDocument/inlayHint a.pto {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}} show label
< [
<   "0x1000"
< ]

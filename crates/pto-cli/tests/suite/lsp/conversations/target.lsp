The target is a setting, or switched by a command; problems follow.

> write a.pto
| func.func @f(%a: !pto.tile_buf<vec, 16x64xui8>) {
|   pto.tmax ins(%a, %a) outs(%a)
|   return
| }
> open a.pto
> wait textDocument/publishDiagnostics show message
< [
<   "`tmax` does not take this element type on a2a3: `src0` is ui8\nlegal on a2a3: i16, i32, f16, f32\nlegal on a5: i8, i16, i32, ui8, ui16, ui32, f16, f32\nhelp: convert the tile first, or build for --target a5",
<   "`src0`"
< ]
> request textDocument/codeAction a.pto@"pto.tmax" {"context": {"diagnostics": []}} show command
< [
<   {
<     "arguments": [
<       "a5"
<     ],
<     "command": "pto.target",
<     "title": "check for a5"
<   },
<   {
<     "arguments": [
<       "PTO-E0214"
<     ],
<     "command": "pto.explain",
<     "title": "explain PTO-E0214"
<   }
< ]
> request workspace/executeCommand {"command": "pto.target", "arguments": ["a5"]}
< "a5"
> wait textDocument/publishDiagnostics show message
< []
> request workspace/executeCommand {"command": "pto.target", "arguments": ["a9"]}
< {
<   "code": -32602,
<   "message": "no such target: a9; there are a2a3, a5, cpu"
< }
> notify workspace/didChangeConfiguration {"settings": {"pto": {"target": "a2a3"}}}
> wait textDocument/publishDiagnostics show code
< [
<   "PTO-E0214"
< ]
> request workspace/executeCommand {"command": "pto.target"}
< "auto"

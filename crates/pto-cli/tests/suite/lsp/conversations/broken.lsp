Broken texts are answered like others.

> write a.pto
| func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>) {
|   %x = pto.tmax ins(%a, 
|   scf.for %i = {
|   "
|   }}}
> open a.pto
> wait textDocument/publishDiagnostics show message
< [
<   "expected `)`, found `scf.for`",
<   "opened here",
<   "expected a value, found `{`",
<   "expected an operation, found `\"`",
<   "found `}` without an opening `{`"
< ]
> request textDocument/hover a.pto@"pto.tmax" show range
< [
<   {
<     "end": {
<       "character": 15,
<       "line": 1
<     },
<     "start": {
<       "character": 7,
<       "line": 1
<     }
<   }
< ]
> request textDocument/completion a.pto>"ins(%a, " show label
< [
<   "%a"
< ]
> request textDocument/documentSymbol a.pto show name
< [
<   "@f"
< ]
> request textDocument/foldingRange a.pto
< [
<   {
<     "endLine": 3,
<     "kind": "region",
<     "startLine": 0
<   }
< ]
> request textDocument/semanticTokens/full a.pto show data
< [
<   "0 0 9 0 0",
<   "0 10 2 4 1",
<   "0 3 2 3 1",
<   "0 4 13 5 0",
<   "0 14 3 7 0",
<   "0 5 9 5 0",
<   "1 2 2 2 0",
<   "0 5 8 0 0",
<   "0 9 3 1 0",
<   "0 4 2 3 0",
<   "1 2 7 0 0",
<   "0 8 2 2 0"
< ]
> request textDocument/inlayHint a.pto {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}}
< []
> request textDocument/formatting a.pto {"options": {"tabSize": 2, "insertSpaces": true}}
< null
> request textDocument/rename a.pto@"%a:" {"newName": "b"} show newText
< [
<   "b",
<   "b"
< ]

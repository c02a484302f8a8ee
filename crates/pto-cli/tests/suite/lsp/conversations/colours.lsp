Tokens as differences: lines, columns, length, meaning, and whether it is a definition or not on the target.

> write a.pto
| // é 𝄞
| func.func @f(%n: index) {
|   %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32> // 𝄞
|   return
| }
> open a.pto
> request textDocument/semanticTokens/full a.pto show data
< [
<   "0 0 7 11 0",
<   "1 0 9 0 0",
<   "0 10 2 4 1",
<   "0 3 2 3 1",
<   "0 4 5 5 0",
<   "1 2 2 2 1",
<   "0 5 14 0 0",
<   "0 17 13 5 0",
<   "0 14 3 7 0",
<   "0 5 9 5 0",
<   "0 11 5 11 0",
<   "1 2 6 0 0"
< ]
> request textDocument/semanticTokens/range a.pto@"return" show data
< [
<   "3 2 6 0 0"
< ]

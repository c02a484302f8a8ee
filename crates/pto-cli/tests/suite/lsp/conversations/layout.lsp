Only lines that change are edited; a text with errors stays.

> write a.pto
| func.func @f(%n: index) {
|   %a = arith.addi %n,%n : index
|   %b = arith.addi %a, %a : index
|      %c = arith.addi %b, %b : index
|   return
| }
> open a.pto
> request textDocument/formatting a.pto {"options": {"tabSize": 2, "insertSpaces": true}}
< [
<   {
<     "newText": "  %a = arith.addi %n, %n : index\n",
<     "range": {
<       "end": {
<         "character": 0,
<         "line": 2
<       },
<       "start": {
<         "character": 0,
<         "line": 1
<       }
<     }
<   },
<   {
<     "newText": "  %c = arith.addi %b, %b : index\n",
<     "range": {
<       "end": {
<         "character": 0,
<         "line": 4
<       },
<       "start": {
<         "character": 0,
<         "line": 3
<       }
<     }
<   }
< ]
> request textDocument/rangeFormatting a.pto@"%c" {"options": {"tabSize": 2, "insertSpaces": true}}
< [
<   {
<     "newText": "  %c = arith.addi %b, %b : index\n",
<     "range": {
<       "end": {
<         "character": 0,
<         "line": 4
<       },
<       "start": {
<         "character": 0,
<         "line": 3
<       }
<     }
<   }
< ]
> change a.pto "%n,%n" "%n,%"
> request textDocument/formatting a.pto {"options": {"tabSize": 2, "insertSpaces": true}}
< null

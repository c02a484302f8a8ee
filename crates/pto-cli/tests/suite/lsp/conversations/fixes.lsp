Fixes of misspelled names, and of races that were found when the file was saved; other forms on request.

> copy scale.pto docs/guide/scale.pto
> open scale.pto
> wait textDocument/publishDiagnostics show message
< []
> notify workspace/didChangeConfiguration {"settings": {"pto": {"onSave": ["race"]}}}
> save scale.pto
> wait textDocument/publishDiagnostics show message
< []
> wait textDocument/publishDiagnostics
< {
<   "diagnostics": [
<     {
<       "code": "PTO-E0802",
<       "message": "PIPE_MTE2 may overwrite `%t` before PIPE_MTE3 has read it (PIPE_MTE2 writes 4096 bytes of vec at 0x0..0x1000)\na flag from PIPE_MTE3 to PIPE_MTE2 orders them\nthis happened 15 times in this run\nhelp: the next iteration has to wait for this one: before line 13: pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]; before line 16: pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]; after line 22: pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]; after line 23: pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]",
<       "range": {
<         "end": {
<           "character": 31,
<           "line": 15
<         },
<         "start": {
<           "character": 4,
<           "line": 15
<         }
<       },
<       "relatedInformation": [
<         {
<           "location": {
<             "range": {
<               "end": {
<                 "character": 33,
<                 "line": 21
<               },
<               "start": {
<                 "character": 4,
<                 "line": 21
<               }
<             },
<             "uri": "file://$DIR/scale.pto"
<           },
<           "message": "PIPE_MTE3 reads them here"
<         }
<       ],
<       "severity": 1,
<       "source": "pto race"
<     }
<   ],
<   "uri": "file://$DIR/scale.pto",
<   "version": 1
< }
> request textDocument/codeAction scale.pto@"pto.tload" {"context": {"diagnostics": []}}
< [
<   {
<     "diagnostics": [
<       {
<         "code": "PTO-E0802",
<         "message": "PIPE_MTE2 may overwrite `%t` before PIPE_MTE3 has read it (PIPE_MTE2 writes 4096 bytes of vec at 0x0..0x1000)\na flag from PIPE_MTE3 to PIPE_MTE2 orders them\nthis happened 15 times in this run\nhelp: the next iteration has to wait for this one: before line 13: pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]; before line 16: pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]; after line 22: pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]; after line 23: pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]",
<         "range": {
<           "end": {
<             "character": 31,
<             "line": 15
<           },
<           "start": {
<             "character": 4,
<             "line": 15
<           }
<         },
<         "relatedInformation": [
<           {
<             "location": {
<               "range": {
<                 "end": {
<                   "character": 33,
<                   "line": 21
<                 },
<                 "start": {
<                   "character": 4,
<                   "line": 21
<                 }
<               },
<               "uri": "file://$DIR/scale.pto"
<             },
<             "message": "PIPE_MTE3 reads them here"
<           }
<         ],
<         "severity": 1,
<         "source": "pto race"
<       }
<     ],
<     "edit": {
<       "changes": {
<         "file://$DIR/scale.pto": [
<           {
<             "newText": "  pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]\n",
<             "range": {
<               "end": {
<                 "character": 0,
<                 "line": 12
<               },
<               "start": {
<                 "character": 0,
<                 "line": 12
<               }
<             }
<           },
<           {
<             "newText": "    pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]\n",
<             "range": {
<               "end": {
<                 "character": 0,
<                 "line": 15
<               },
<               "start": {
<                 "character": 0,
<                 "line": 15
<               }
<             }
<           },
<           {
<             "newText": "    pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]\n",
<             "range": {
<               "end": {
<                 "character": 0,
<                 "line": 22
<               },
<               "start": {
<                 "character": 0,
<                 "line": 22
<               }
<             }
<           },
<           {
<             "newText": "  pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]\n",
<             "range": {
<               "end": {
<                 "character": 0,
<                 "line": 23
<               },
<               "start": {
<                 "character": 0,
<                 "line": 23
<               }
<             }
<           }
<         ]
<       }
<     },
<     "kind": "quickfix",
<     "title": "the next iteration has to wait for this one"
<   },
<   {
<     "command": {
<       "arguments": [
<         "PTO-E0802"
<       ],
<       "command": "pto.explain",
<       "title": "explain PTO-E0802"
<     },
<     "kind": "quickfix",
<     "title": "explain PTO-E0802"
<   }
< ]
> request textDocument/codeAction scale.pto@"pto.tload" {"context": {"diagnostics": [], "only": ["refactor"]}} show title
< [
<   "write the program in the form `level1`",
<   "write the program in the form `asm`",
<   "write the program in the form `generic`",
<   "give tiles addresses and add flags (pto lower)"
< ]
> change scale.pto "pto.tmuls" "pto.tmulss"
> wait textDocument/publishDiagnostics show message
< [
<   "there is no operation `pto.tmulss`\n`pto isa` lists every instruction\nhelp: did you mean `tmuls`, `tmul`?"
< ]
> request textDocument/codeAction scale.pto@"pto.tmulss" {"context": {"diagnostics": []}}
< [
<   {
<     "diagnostics": [
<       {
<         "code": "PTO-E0004",
<         "message": "there is no operation `pto.tmulss`\n`pto isa` lists every instruction\nhelp: did you mean `tmuls`, `tmul`?",
<         "range": {
<           "end": {
<             "character": 14,
<             "line": 18
<           },
<           "start": {
<             "character": 4,
<             "line": 18
<           }
<         },
<         "severity": 1,
<         "source": "pto"
<       }
<     ],
<     "edit": {
<       "changes": {
<         "file://$DIR/scale.pto": [
<           {
<             "newText": "pto.tmuls",
<             "range": {
<               "end": {
<                 "character": 14,
<                 "line": 18
<               },
<               "start": {
<                 "character": 4,
<                 "line": 18
<               }
<             }
<           }
<         ]
<       }
<     },
<     "kind": "quickfix",
<     "title": "write `pto.tmuls`"
<   },
<   {
<     "diagnostics": [
<       {
<         "code": "PTO-E0004",
<         "message": "there is no operation `pto.tmulss`\n`pto isa` lists every instruction\nhelp: did you mean `tmuls`, `tmul`?",
<         "range": {
<           "end": {
<             "character": 14,
<             "line": 18
<           },
<           "start": {
<             "character": 4,
<             "line": 18
<           }
<         },
<         "severity": 1,
<         "source": "pto"
<       }
<     ],
<     "edit": {
<       "changes": {
<         "file://$DIR/scale.pto": [
<           {
<             "newText": "pto.tmul",
<             "range": {
<               "end": {
<                 "character": 14,
<                 "line": 18
<               },
<               "start": {
<                 "character": 4,
<                 "line": 18
<               }
<             }
<           }
<         ]
<       }
<     },
<     "kind": "quickfix",
<     "title": "write `pto.tmul`"
<   },
<   {
<     "command": {
<       "arguments": [
<         "PTO-E0004"
<       ],
<       "command": "pto.explain",
<       "title": "explain PTO-E0004"
<     },
<     "kind": "quickfix",
<     "title": "explain PTO-E0004"
<   }
< ]

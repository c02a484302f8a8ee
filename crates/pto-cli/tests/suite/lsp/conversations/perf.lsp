Where the cycles go, as remarks after a save.

> initialize {"capabilities": {}, "initializationOptions": {"onSave": ["perf"]}} show name
< [
<   "pto"
< ]
> copy softmax.pto examples/softmax.pto
> open softmax.pto
> wait textDocument/publishDiagnostics show message
< []
> save softmax.pto
> wait textDocument/publishDiagnostics show message
< []
> wait textDocument/publishDiagnostics
< {
<   "diagnostics": [
<     {
<       "message": "414208 cycles on the critical path (31 %), 256 times on MTE2\nvector, busy 51 % of the time. The `trowmax` at <stdin>:34 waits for its data from the `tload` at <stdin>:33 (256 times, 643 453 cycles on a core).\ntry: launch 48 blocks (--blocks 48) → 53268 cycles\ntry: double-buffer what the `tload` at <stdin>:33 fills (+64 KiB of UB, does not fit as it is) → 674805 cycles\ntry: if the `tload` at <stdin>:33 took half as long → 1181696 cycles\ntry: larger tiles, so that starting vector instructions counts less (at most) → 1285888 cycles",
<       "range": {
<         "end": {
<           "character": 31,
<           "line": 32
<         },
<         "start": {
<           "character": 4,
<           "line": 32
<         }
<       },
<       "severity": 3,
<       "source": "pto perf"
<     },
<     {
<       "message": "230144 cycles on the critical path (17 %), 256 times on MTE3",
<       "range": {
<         "end": {
<           "character": 33,
<           "line": 37
<         },
<         "start": {
<           "character": 4,
<           "line": 37
<         }
<       },
<       "severity": 4,
<       "source": "pto perf"
<     },
<     {
<       "message": "195072 cycles on the critical path (15 %), 256 times on vector",
<       "range": {
<         "end": {
<           "character": 48,
<           "line": 33
<         },
<         "start": {
<           "character": 4,
<           "line": 33
<         }
<       },
<       "severity": 4,
<       "source": "pto perf"
<     },
<     {
<       "message": "190976 cycles on the critical path (14 %), 256 times on vector",
<       "range": {
<         "end": {
<           "character": 46,
<           "line": 35
<         },
<         "start": {
<           "character": 4,
<           "line": 35
<         }
<       },
<       "severity": 4,
<       "source": "pto perf"
<     },
<     {
<       "message": "147200 cycles on the critical path (11 %), 256 times on vector",
<       "range": {
<         "end": {
<           "character": 51,
<           "line": 34
<         },
<         "start": {
<           "character": 4,
<           "line": 34
<         }
<       },
<       "severity": 4,
<       "source": "pto perf"
<     },
<     {
<       "message": "147200 cycles on the critical path (11 %), 256 times on vector",
<       "range": {
<         "end": {
<           "character": 46,
<           "line": 36
<         },
<         "start": {
<           "character": 4,
<           "line": 36
<         }
<       },
<       "severity": 4,
<       "source": "pto perf"
<     }
<   ],
<   "uri": "file://$DIR/softmax.pto",
<   "version": 1
< }

Lenses run commands; the answer is the report.

> copy scale.pto docs/guide/scale.pto
> open scale.pto
> request workspace/executeCommand {"command": "pto.race", "arguments": ["file://$DIR/scale.pto", "scale"]}
< "error[PTO-E0802]: PIPE_MTE2 may overwrite `%t` before PIPE_MTE3 has read it\n  --> scale.pto:16:5\n   |\n16 |     pto.tload ins(%in) outs(%t)\n   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^ PIPE_MTE2 writes 4096 bytes of vec at 0x0..0x1000\n...\n22 |     pto.tstore ins(%t) outs(%out)\n   |     ----------------------------- PIPE_MTE3 reads them here\n   |\n   = a flag from PIPE_MTE3 to PIPE_MTE2 orders them\n   = this happened 15 times in this run\n   = help: the next iteration has to wait for this one:\n           before line 13: pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]\n           before line 16: pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]\n           after line 22: pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]\n           after line 23: pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]\n\nscale.pto: 1 finding in 48 instructions for a2a3\n"
> request workspace/executeCommand {"command": "pto.perf", "arguments": ["file://$DIR/scale.pto", "scale"]}
< "scale on a2a3: 1 999 cycles  1.1 µs at 1.85 GHz  (48 instructions; a launch takes 10 905 more)\nconfidence: 18 % of busy cycles from calibrated parameters, 82 % derived, 0 % assumed\n\n  MTE2    ████████████████░░░░  81 %\n  MTE3    ██████████████░░░░░░  69 %   waits 612 for a flag\n  vector  ███████░░░░░░░░░░░░░  34 %   waits 990 for a flag\n\nbottleneck: MTE2, busy 81 % of the time.\ncritical path:\n   69 %         1 387    (16x)  line 22: pto.tstore ins(%t) outs(%out)\n   29 %           570           line 16: pto.tload ins(%in) outs(%t)\n    2 %            42           line 19: pto.tmuls ins(%t, %two) outs(%t)\nroofline: 0.12 operations per byte moved; 8 per cycle reached of 15 that memory allows (56 %)\nmemory at most: UB 2 %\ntry: larger tiles, so that starting vector instructions counts less (at most)  → 1 973 cycles  (−1 %)\n"
> request workspace/executeCommand {"command": "pto.plan", "arguments": ["file://$DIR/scale.pto"]}
< "every tile has an address already\n"
> request workspace/executeCommand {"command": "pto.run", "arguments": ["file://$DIR/missing.pto", "scale"]}
< {
<   "code": -32602,
<   "message": "file://$DIR/missing.pto is not open"
< }
> request workspace/executeCommand {"command": "pto.explain", "arguments": ["PTO-E0306"]}
< "PTO-E0306: a function that calls itself\n\nDevices have no call stack, so recursion, direct or indirect, is not possible.\n"
> request workspace/executeCommand {"command": "pto.explain", "arguments": ["PTO-E9999"]}
< {
<   "code": -32602,
<   "message": "there is no diagnostic `PTO-E9999`; `pto explain --list` lists all"
< }

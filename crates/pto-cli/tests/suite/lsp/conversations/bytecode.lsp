Bytecode is shown as text; what is damaged is an error, and a text is no bytecode.

> write empty.pto
| func.func @f() {
|   return
| }
> bytecode kernel.ptobc empty.pto
> request pto/textOf kernel.ptobc
< {
<   "text": "func.func @f() {\n  return\n}\n"
< }
> copy broken.ptobc tests/cli/data/broken.ptobc
> request pto/textOf broken.ptobc
< {
<   "code": -32803,
<   "message": "error[PTO-E0911]: this bytecode cannot be read: 2 bytes are announced, 0 are left (byte 8)\n   = a file of version 0, whole\n"
< }
> request pto/textOf missing.ptobc show code
< [
<   -32803
< ]

error[PTO-E0214]: `tload` does not take this element type on a2a3: `dst` is f8e4m3
error[PTO-E0214]: `tload` does not take this element type on a2a3: `dst` is f8e4m3
error[PTO-E0214]: `tload` does not take this element type on a2a3: `dst` is f8e8m0
error[PTO-E0214]: `tload` does not take this element type on a2a3: `dst` is f8e8m0
error[PTO-E0214]: `tmov` does not take this element type on a2a3: `src` is f8e4m3
error[PTO-E0214]: `tmov` does not take this element type on a2a3: `src` is f8e4m3
error[PTO-E0213]: a2a3 has no `tmatmul.mx`
error[PTO-E0213]: a2a3 has no `tmatmul.mx.acc`

error[PTO-E0902]: tiles in UB need 214016 bytes side by side, a2a3 has 196608

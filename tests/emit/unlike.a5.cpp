error[PTO-E0901]: `pto.tdequant` has no C++ for a5: its function takes `scale` and `offset` as tiles of one type, with the same rows, columns and valid region
error[PTO-E0901]: `pto.tdequant` has no C++ for a5: its function takes `scale` and `offset` as tiles of one type, with the same rows, columns and valid region

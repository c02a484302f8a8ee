error[PTO-E0901]: `pto.setfmatrix` has no C++ for a5: a convolution tile is a type of its own in C++, and a program does not say all of its parameters
error[PTO-E0901]: `pto.timg2col` has no C++ for a5: a convolution tile is a type of its own in C++, and a program does not say all of its parameters

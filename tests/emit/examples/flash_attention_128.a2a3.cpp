error[PTO-E0402]: tiles of `vec` need 214016 bytes, 17408 more than a2a3 has

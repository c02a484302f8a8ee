def kernel():
    big = tile(16, 32)
    small = tile(8, 32)
    big = add(small, big)

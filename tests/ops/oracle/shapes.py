"""The shapes that every instruction is tried in."""

import dataclasses
import math
import numpy as np
from .formats import STORAGE, block

PERIOD = 7
"""Wide rows repeat after this many elements: short to write, and prime to every vector length."""


@dataclasses.dataclass
class Shape:
    name: str
    shape: tuple
    valid: tuple
    dynamic: bool = False
    in_place: bool = False
    periodic: bool = False

    def count(self):
        """How many numbers an operand needs."""
        return PERIOD if self.periodic else self.valid[0] * self.valid[1]

    def spread(self, numbers):
        """The numbers as a valid region."""
        if self.periodic:
            numbers = np.tile(numbers, -(-self.valid[1] // PERIOD))[: self.valid[1]]
        return numbers.reshape(self.valid)


def elementwise(d, host_only=False):
    """Where only the host takes a type, fewer shapes do."""
    b = block(d)
    rows, cols = {4: (6, 8), 8: (3, 16), 16: (3, 16), 32: (2, 32)}[b]
    wide = math.ceil(133 / b) * b
    all = [
        Shape("full", (rows, cols), (rows, cols)),
        Shape("wide", (1, wide), (1, 133), periodic=True),
        Shape("tail", (2, cols), (2, cols - b + 3 if cols > b else b // 2 + 3)),
    ]
    if host_only:
        return all
    return all + [
        Shape("one row", (1, b), (1, b)),
        Shape("one column", (3, b), (3, 1)),
        Shape("dynamic", (2, b), (1, b - 1), dynamic=True),
        Shape("in place", (2, b), (2, b // 2 + 1), in_place=True),
    ]

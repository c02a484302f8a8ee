"""An independent reading of docs/numerics.md: what every vector instruction must compute."""

import numpy as np

# Overflow, NaN and division by zero are what the cases are about.
np.seterr(all="ignore")

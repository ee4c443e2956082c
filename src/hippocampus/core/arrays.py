"""Names of arrays by what is in them, one for each type of number."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.int64]
"""Rows of a bank."""
Rows32: TypeAlias = NDArray[np.uint32]
"""The same in half the room, as postings have them."""
Codes: TypeAlias = NDArray[np.int64]
"""A number for each row that says to which group it belongs."""
Floats: TypeAlias = NDArray[np.float32]
"""Vectors, and scores of candidates."""
Doubles: TypeAlias = NDArray[np.float64]
"""Sums and statistics, for which 24 bits are not enough."""
Flags: TypeAlias = NDArray[np.bool_]
"""A mask of rows."""

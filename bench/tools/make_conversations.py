"""
Write the conversations that ship for calibration, ``hippocampus/calibrate/conversations.json.xz``.

Run again when the generator or its texts change, and calibrate the default embedder anew then.
"""

from __future__ import annotations

from pathlib import Path

import hippocampus.calibrate
from hippocampus.calibrate.calibration import BUILT_IN, MOST_CONVERSATIONS
from hippocampus.calibrate.conversations import pack_synthetic
from hippocampus_bench.synthetic import calibration_data

if __name__ == "__main__":
    path = Path(hippocampus.calibrate.__file__).parent / "conversations.json.xz"
    path.write_bytes(pack_synthetic(calibration_data(BUILT_IN.seed, MOST_CONVERSATIONS)))
    print(f"{path}: {path.stat().st_size:,} bytes")

"""
Write the conversations that ship for calibration, ``hippocampus/calibrate/conversations.json.xz``.

Run again when the generator or its texts change, and calibrate the default embedder anew then.
"""

from __future__ import annotations

import lzma
from pathlib import Path

from msgspec import json

import hippocampus.calibrate
from hippocampus.calibrate.calibration import BUILT_IN, MOST_CONVERSATIONS
from hippocampus_bench.synthetic import calibration_data

if __name__ == "__main__":
    data = json.encode(calibration_data(BUILT_IN.seed, MOST_CONVERSATIONS))
    path = Path(hippocampus.calibrate.__file__).parent / "conversations.json.xz"
    path.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
    print(f"{path}: {len(data):,} bytes in {path.stat().st_size:,}")

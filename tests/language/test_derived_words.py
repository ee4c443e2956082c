"""Lists that are worked out from others are what would be worked out now."""

import subprocess
import sys
from pathlib import Path


def test_the_derived_words_are_what_the_other_lists_say():
    tool = Path(__file__).parents[2] / "bench" / "tools" / "derive_words.py"
    done = subprocess.run([sys.executable, tool, "--check"], capture_output=True, check=False)

    assert (0, b"") == (done.returncode, done.stderr), done.stderr.decode()

"""What the kernel tests share."""

import pytest

from hippocampus.kernel import build_info, set_simd_path

PATHS = ("scalar", "avx2", "avx512")


@pytest.fixture(scope="session")
def paths():
    """Return every SIMD path this processor has."""
    return PATHS[: PATHS.index(build_info()["simd_best"]) + 1]


@pytest.fixture(scope="session")
def on_every_path(paths):
    """Return a function that calls another on every path and gives each path and result."""

    def answers(ask):
        for path in paths:
            set_simd_path(path)
            try:
                yield path, ask()
            finally:
                set_simd_path("auto")

    return answers

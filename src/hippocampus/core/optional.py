"""The one door through which optional dependencies come in."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from hippocampus.errors import MissingExtra

if TYPE_CHECKING:
    from types import ModuleType


def require(package: str, *, extra: str, feature: str) -> ModuleType:
    """Import ``package``, or say which extra would have brought it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as exc:
        if exc.name is not None and exc.name.partition(".")[0] != package.partition(".")[0]:
            raise  # the package is there and broken: do not hide that
        raise MissingExtra(feature, package=package, extra=extra) from exc

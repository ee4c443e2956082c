"""A proxy that gives any client of the OpenAI protocol a memory, without the client's knowing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hippocampus.proxy.app import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as in ``hippocampus.server``
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hippocampus.proxy import app  # noqa: PLC0415 - Starlette comes with what uses it

    return getattr(app, name)

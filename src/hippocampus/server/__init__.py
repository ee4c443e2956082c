"""The verbs over HTTP: a FastAPI application around one ``Memory``, and what runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hippocampus.server.app import create_app
    from hippocampus.server.run import make_server, serve
    from hippocampus.server.settings import Limits

__all__ = ["Limits", "create_app", "make_server", "serve"]

_FROM = {"create_app": "app", "make_server": "run", "serve": "run", "Limits": "settings"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whichever of them is asked for
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - FastAPI comes with what uses it

    return getattr(import_module(f"{__name__}.{_FROM[name]}"), name)

"""Long-term memory for LLM agents, in one file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from hippocampus._moved import find_by_old_names

if TYPE_CHECKING:
    from hippocampus.aio import AsyncBank, AsyncMemory
    from hippocampus.bank import Bank
    from hippocampus.client import AsyncClient, Client
    from hippocampus.core.budget import Budget
    from hippocampus.core.config import (
        Compact,
        Concepts,
        Config,
        Flood,
        Fusion,
        Ingest,
        Maturation,
        Policy,
        Secrets,
        Signatures,
        Vectors,
    )
    from hippocampus.core.records import (
        AnchorInfo,
        Change,
        Compacted,
        CompactedSession,
        Context,
        CountedEvent,
        CuratedAnchors,
        Embedded,
        Embedder,
        Entity,
        Episode,
        EventCount,
        Explanation,
        Fact,
        Fingerprint,
        Gist,
        Hit,
        Imported,
        Included,
        Interval,
        Passage,
        Period,
        Person,
        Profile,
        Recall,
        Related,
        Reranker,
        SessionInfo,
        Slept,
        SourceInfo,
        Stats,
        Summary,
        TopicInfo,
        Turn,
        Usage,
    )
    from hippocampus.errors import HippocampusError
    from hippocampus.language.extractive_compression import condense
    from hippocampus.llm.cassette import Cassette
    from hippocampus.llm.client import LanguageModel
    from hippocampus.memory import Memory
    from hippocampus.sleep.schedule import Schedule
    from hippocampus.sleep.topic_plot import plot_topics

    __version__: str

__all__ = [
    "AnchorInfo",
    "AsyncBank",
    "AsyncClient",
    "AsyncMemory",
    "Bank",
    "Budget",
    "Cassette",
    "Change",
    "Client",
    "Compact",
    "Compacted",
    "CompactedSession",
    "Concepts",
    "Config",
    "Context",
    "CountedEvent",
    "CuratedAnchors",
    "Embedded",
    "Embedder",
    "Entity",
    "Episode",
    "EventCount",
    "Explanation",
    "Fact",
    "Fingerprint",
    "Flood",
    "Fusion",
    "Gist",
    "HippocampusError",
    "Hit",
    "Imported",
    "Included",
    "Ingest",
    "Interval",
    "LanguageModel",
    "Maturation",
    "Memory",
    "Passage",
    "Period",
    "Person",
    "Policy",
    "Profile",
    "Recall",
    "Related",
    "Reranker",
    "Schedule",
    "Secrets",
    "SessionInfo",
    "Signatures",
    "Slept",
    "SourceInfo",
    "Stats",
    "Summary",
    "TopicInfo",
    "Turn",
    "Usage",
    "Vectors",
    "__version__",
    "condense",
    "plot_topics",
]

# Names are looked up when first used: importing the package reads no NumPy and no engine, so
# that `hippocampus --help` and programs that may never remember anything start at once.
_HOME = {
    "AsyncBank": "aio",
    "AsyncClient": "client",
    "AsyncMemory": "aio",
    "Bank": "bank",
    "Budget": "core.budget",
    "Cassette": "llm.cassette",
    "Client": "client",
    "Compact": "core.config",
    "Concepts": "core.config",
    "Config": "core.config",
    "Flood": "core.config",
    "Fusion": "core.config",
    "HippocampusError": "errors",
    "Ingest": "core.config",
    "LanguageModel": "llm.client",
    "Maturation": "core.config",
    "Memory": "memory",
    "Policy": "core.config",
    "Secrets": "core.config",
    "Schedule": "sleep.schedule",
    "Signatures": "core.config",
    "Vectors": "core.config",
    "__version__": "errors",
    "condense": "language.extractive_compression",
    "plot_topics": "sleep.topic_plot",
}
_CALLED_THERE = {"__version__": "VERSION"}
"""Public name -> its name where it is, if that is another."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        msg = f"module 'hippocampus' has no attribute {name!r}"
        raise AttributeError(msg)
    home = import_module(f"hippocampus.{_HOME.get(name, 'core.records')}")
    value: object = getattr(home, _CALLED_THERE.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


find_by_old_names()

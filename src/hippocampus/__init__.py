"""Long-term memory for LLM agents, in one file."""

from hippocampus.aio import AsyncBank, AsyncMemory
from hippocampus.config import Config, Fusion, Ingest
from hippocampus.errors import HippocampusError
from hippocampus.memory import Bank, Memory
from hippocampus.model import (
    Change,
    Context,
    Embedder,
    Episode,
    Hit,
    Imported,
    Recall,
    Stats,
    Turn,
)

__all__ = [
    "AsyncBank",
    "AsyncMemory",
    "Bank",
    "Change",
    "Config",
    "Context",
    "Embedder",
    "Episode",
    "Fusion",
    "HippocampusError",
    "Hit",
    "Imported",
    "Ingest",
    "Memory",
    "Recall",
    "Stats",
    "Turn",
]

"""The limits of a server: each with its unit and its default."""

from __future__ import annotations

from dataclasses import dataclass

from hippocampus.errors import InputError

PORT = 8765


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a server takes at once; what is beyond is refused, and told when to try again."""

    body_bytes: int = 32 * 1024 * 1024
    """Most bytes of a request's JSON."""
    import_bytes: int = 1024 * 1024 * 1024
    """Most bytes of an import, which goes to a file and not into memory."""
    body_s: float = 30.0
    """For how long a request may send nothing of its body."""
    requests_per_s: float | None = None
    """Requests a second that one key, or one address without keys, may make; None: any number."""
    burst: int = 100
    """Requests that may come at once before that counts."""
    readers: int = 8
    """Threads for what reads."""
    writers: int = 16
    """Threads for what changes something."""
    upkeep: int = 2
    """Threads for what takes long: sleep, compaction, imports, exports, backups."""
    waiting: int = 512
    """Requests that may wait for a thread of one kind."""
    answers_bytes: int = 32 * 1024 * 1024
    """Memory for answers that are given again while their bank has not changed; 0: none."""
    drain_s: float = 30.0
    """How long a server that is told to stop waits for requests that are under way."""

    def __post_init__(self) -> None:
        least = {"body_bytes": 1024, "import_bytes": 1024, "answers_bytes": 0}
        for name in ("body_bytes", "import_bytes", "burst", "readers", "writers", "upkeep",
                     "waiting", "answers_bytes"):  # fmt: skip
            given = getattr(self, name)
            whole = isinstance(given, int) and not isinstance(given, bool)
            if not whole or given < least.get(name, 1):
                msg = f"Limits.{name}={given!r}: must be a whole number from {least.get(name, 1)}"
                raise InputError(msg)
        for name in ("body_s", "drain_s", "requests_per_s"):
            given = getattr(self, name)
            if given is not None and not given > 0:
                msg = f"Limits.{name}={given!r}: must be above 0"
                raise InputError(msg)

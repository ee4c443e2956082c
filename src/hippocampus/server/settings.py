"""The limits of a server: each with its unit and its default."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from hippocampus.core.constraints import check
from hippocampus.core.lazy_dataclass import immutable

PORT = 8765
"""Port of ``serve``, chosen by hand: above 1023, where no rights are needed, and beside those of
the proxy (8766), the dashboard (8767) and MCP (8768)."""


_Seconds: TypeAlias = Annotated[float, Meta(gt=0, le=1e9)]


@immutable
class Limits:
    """
    Limits of a server's load; a request beyond is refused, and told when to try again.

    Where nothing else is said a default was chosen by hand.
    """

    body_bytes: Annotated[int, Meta(ge=1024)] = 32 * 1024 * 1024
    """Most bytes of a request's JSON."""
    import_bytes: Annotated[int, Meta(ge=1024)] = 1024 * 1024 * 1024
    """Most bytes of an import, which goes to a file and not into memory."""
    body_s: _Seconds = 30.0
    """Most seconds in which a request may send nothing of its body."""
    requests_per_s: Annotated[float, Meta(gt=0, le=1e9)] | None = None
    """Requests a second that one key, or one address without keys, may make; None: any number."""
    burst: Annotated[int, Meta(ge=1)] = 100
    """Requests that may come at once before that counts."""
    readers: Annotated[int, Meta(ge=1)] = 8
    """Threads for what reads. With two or three a request took a tenth longer, for fewer questions
    were embedded together (docs/adr/0074)."""
    writers: Annotated[int, Meta(ge=1)] = 16
    """Threads for what changes something."""
    upkeep: Annotated[int, Meta(ge=1)] = 2
    """Threads for sleep, compaction and others that take long; as many for imports, exports and
    backups, which so never wait for them."""
    waiting: Annotated[int, Meta(ge=1)] = 512
    """Requests that may wait for a thread of one kind."""
    answers_bytes: Annotated[int, Meta(ge=0)] = 32 * 1024 * 1024
    """Memory for answers that are given again while their bank has not changed; 0: none."""
    request_s: _Seconds = 60.0
    """Most seconds that a verb may take; not sleep, compaction, imports, exports and backups."""
    upkeep_s: _Seconds = 6 * 3600.0
    """Most seconds that each of those may take."""
    written_bytes: Annotated[int, Meta(ge=1024)] = 256 * 1024 * 1024
    """Most bytes that one such verb may write."""
    results: Annotated[int, Meta(ge=1)] = 1000
    """Most hits that a request may ask for."""
    drain_s: _Seconds = 30.0
    """Most seconds that a server that is told to stop waits for requests that are under way."""

    def __post_init__(self) -> None:
        check(self)

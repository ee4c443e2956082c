"""The answer of ``hippocampus recall``, with Typer and without."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Final

from hippocampus.cli.options import BankScope
from hippocampus.cli.plain_options import SCOPE, read_plain, whole
from hippocampus.cli.render import EXCERPT, Answer, recall_view, show
from hippocampus.errors import HippocampusError

if TYPE_CHECKING:
    from hippocampus.core.records import Recall

HITS: Final = 5
"""Hits that people are shown, half of what the verb returns: a screen has room for five excerpts.
Chosen by hand."""
_FLAGS: Final = ("--json", "--ids", "--full")


def told(
    found: Recall, zone: tzinfo, *, full: bool = False, ids: bool = False, explain: bool = False
) -> Answer:
    """Return the answer of a recall."""
    shown = recall_view(found, zone, ids=ids, limit=None if full else EXCERPT)
    return Answer(found, found.explain() if explain else shown, success=found.found)


def recalled(args: Sequence[str]) -> bool | None:
    """
    Recall and print what is found, if the options are plain; return whether anything was.

    None if Typer is to read them, or is to tell what went wrong.
    """
    plain = read_plain(args, {"-k": "k"}, flags=_FLAGS, words=1)
    k = whole((plain or {}).pop("k", str(HITS)))
    if plain is None or k is None:
        return None
    scope = BankScope(**{name: plain[name] for name in SCOPE.values() if name in plain})  # type: ignore[arg-type]  # all are text
    try:
        with scope.open_bank(embed=True) as bank:
            found = bank.recall(plain["0"], k)
            answer = told(found, scope.zone, full="--full" in plain, ids="--ids" in plain)
    except (HippocampusError, OSError):  # it happens again where all errors are told alike
        return None
    show(answer, as_json="--json" in plain)
    return answer.success

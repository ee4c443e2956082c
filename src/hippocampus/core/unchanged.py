"""Why a change of episodes changed nothing of some, for whoever asked for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from hippocampus.errors import HippocampusError

Asked: TypeAlias = Literal["forget", "restore", "pin", "unpin"]
_AS_IT_IS: Final = {
    ("forget", "forgotten"): "is forgotten already",
    ("restore", "active"): "is in force, so that there is nothing to restore",
    ("pin", "active"): "is pinned already",
    ("pin", "forgotten"): "is forgotten; restore it first",
    ("unpin", "active"): "is not pinned",
    ("unpin", "forgotten"): "is forgotten; restore it first",
}
"""Why nothing changed, by what was asked for and the state of the episode."""
_OF_THE_LAST: Final = {
    ("restore", "active"): "correct that one to have these words back",
    ("forget", "forgotten"): "it is forgotten already",
    ("pin", "forgotten"): "restore that one first",
    ("unpin", "forgotten"): "restore that one first",
}
"""Ways to what was meant, by what was asked for and the state of the last version."""

if TYPE_CHECKING:
    from hippocampus.core.records import Episode


def why_unchanged(
    get: Callable[[str], Episode],
    ids: Iterable[str],
    asked: Asked,
    changed: int,
    *,
    shown: Callable[[str], str] = str,
) -> Iterator[str]:
    """
    Yield a line for each episode that is as it was: of some that changed, for earlier wordings.

    Args:
        get: returns an episode by id.
        ids: the episodes that were named.
        asked: what was to be done with them.
        changed: how many did change.
        shown: returns an id as people see it.

    """
    for one in ids:
        with suppress(HippocampusError):  # damaged, or erased meanwhile
            episode = get(one)
            name = shown(episode.id)
            if episode.state == "superseded":
                last = _last(get, episode)
                fix = _OF_THE_LAST.get((asked, last.state), "name that one")
                yield f"{name} was superseded; its last version is {shown(last.id)}: {fix}"
            elif not changed and (asked, episode.state) in _AS_IT_IS:
                yield f"{name} {_AS_IT_IS[asked, episode.state]}"


def _last(get: Callable[[str], Episode], episode: Episode) -> Episode:
    passed: set[str] = set()
    while episode.superseded_by is not None and episode.id not in passed:
        passed.add(episode.id)
        episode = get(episode.superseded_by)
    return episode

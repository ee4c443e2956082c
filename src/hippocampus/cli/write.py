"""The commands that change a bank: remember, import, correct, forget."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from rich.text import Text

from hippocampus.cli.command import ByProject, confirm_erasure, names_bank, verb
from hippocampus.cli.options import BankScope, WhoseOptions, Words, given_path, json_object
from hippocampus.cli.render import (
    Answer,
    episode_table,
    head_line,
    moment_text,
    one_line,
    progress,
    short_id,
    table,
)
from hippocampus.core.clock import in_zone
from hippocampus.core.unchanged import Asked, why_unchanged
from hippocampus.errors import InputError, InvalidText, StoreError

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.cli.import_places import ImportPlace
    from hippocampus.cli.session_banks import SessionBanks
    from hippocampus.core.records import Episode, Imported


_ANEW: Final = "--again keeps it anew"


@verb("remember", create=True, embed=True)
def remember(
    bank: Bank,
    text: Words,
    *,
    messages: bool = False,
    at: str | None = None,
    speaker: str | None = None,
    role: str | None = None,
    session: str | None = None,
    source: str | None = None,
    metadata: Annotated[Mapping[str, Any] | None, json_object] = None,
    origin: str | None = None,
    again: bool = False,
    zone: tzinfo,
) -> Answer:
    """Keep one thing that happened, or the messages of a chat."""
    said = {
        "at": at, "speaker": speaker, "role": role, "session": session, "source": source,
        "metadata": metadata, "origin": origin,
    }  # fmt: skip
    if not messages:
        kept = bank.remember(text, **said, again=again)  # type: ignore[arg-type]  # it is looked at there
        return _remembered(bank, kept, zone, dated=at is not None)
    from hippocampus.write.messages import turns_of_all  # noqa: PLC0415 - the engine is there by now

    many = bank.remember_many(turns_of_all(_read_messages(text), **said), again=again)
    view = (f"remembered {len(many):,}", episode_table(many, zone))
    hidden = sum(one.state != "active" for one in many)
    told = f"{hidden:,} of them were forgotten or corrected before, and stay so; {_ANEW}"
    return Answer(many, view, note=told if hidden else ())


def _remembered(bank: Bank, episode: Episode, zone: tzinfo, *, dated: bool) -> Answer:
    """Return the answer for what was kept, or is hidden as it was; ``dated``: by the user."""
    if episode.state == "active":
        kept = _kept("remembered", episode, zone)
        when = moment_text(episode.occurred_at, zone)
        ahead = dated and episode.occurred_at > episode.recorded_at
        return kept._replace(note=f"{when} lies in the future; it is kept so") if ahead else kept
    name = short_id(episode.id)
    if episode.superseded_by is not None:
        why = f"was corrected before, by {short_id(episode.superseded_by)}"
    else:
        hid = [c.at for c in bank.history(episode.id) if (c.episode, c.kind) in
               {(episode.id, "forget"), (episode.id, "lapse")}]  # fmt: skip
        day = f" on {in_zone(hid[-1], zone):%Y-%m-%d}" if hid else ""
        why = f"was forgotten{day}; 'hippocampus restore {name}' brings it back"
    return _kept("not remembered", episode, zone)._replace(note=f"it {why}; {_ANEW}")


def _read_messages(text: str) -> list[Mapping[str, Any]]:
    """Return the messages of one JSON document, a list or one of them, or of a line each."""
    text = text.removeprefix("\ufeff")
    if not text.strip():  # as after a program that failed, which nobody is to take for done
        raise InvalidText("the messages are blank; there is nothing to remember")
    try:
        # As one document first: the lines of one that is indented are no messages.
        whole = json.loads(text)
    except (ValueError, RecursionError):
        # Not splitlines(), which also breaks at characters that JSON may have in a text.
        lines = enumerate(text.split("\n"), 1)
        whole = [_read_line(n, line) for n, line in lines if line.strip()]
    if isinstance(whole, dict) and isinstance(whole.get("messages"), list):  # a request
        whole = whole["messages"]
    return whole if isinstance(whole, list) else [whole]


def _read_line(number: int, line: str) -> Mapping[str, Any]:
    try:
        read: Mapping[str, Any] = json.loads(line)
    except (ValueError, RecursionError) as exc:
        msg = (
            f"line {number} is not JSON ({exc}): {line!r:.80}; give a message a line, such as"
            ' {"role": "user", "content": "Hello."}'
        )
        raise InputError(msg) from exc
    return read


@verb("import", opens=None, cls=ByProject)
def import_(
    path: Annotated[Path | None, given_path] = None,
    *,
    from_: str | None = None,
    format: str | None = None,  # noqa: A002
    as_: str | None = None,
    sync: bool | None = None,
    everything: bool = False,
    dry_run: bool = False,
    scope: BankScope,
) -> Answer:
    """Remember a file or a folder: notes, chats, mail, agents' sessions, our own export."""
    from hippocampus.cli.import_places import chosen  # noqa: PLC0415 - brings the readers

    places = chosen(path, from_, format)
    dealt: SessionBanks | None = None
    if from_ is not None:
        from hippocampus.cli.session_banks import Routing, SessionBanks  # noqa: PLC0415

        by_project, as_it_is = not names_bank(), scope.secrets != "keep"
        routing = Routing(scope.bank, by_project, everything, as_it_is, notes=not dry_run)
        dealt = SessionBanks(routing)
    if dry_run:
        from hippocampus.cli.import_places import dry_run as look  # noqa: PLC0415

        return look(places, scope.zone, dealt)
    if dealt is not None:
        return _import_sessions(places, dealt, scope, as_=as_, sync=sync)
    done: Imported | None = None
    with scope.open_bank(create=True, embed=True) as bank:
        for place, read_as in places:
            with progress(f"remembering {place.name or place}") as step:
                one = bank.import_(place, format=read_as, as_=as_, sync=sync, progress=step)
            done = one if done is None else done + one
    assert done is not None, "chosen() returns one place at least"
    return _told(done)


def _import_sessions(
    places: Sequence[ImportPlace],
    dealt: SessionBanks,
    scope: BankScope,
    *,
    as_: str | None,
    sync: bool | None,
) -> Answer:
    """Bring an agent's sessions and files into the banks that they are dealt out to."""
    from hippocampus.cli.import_places import banks_told, named_apart, survey  # noqa: PLC0415
    from hippocampus.core.records import Imported  # noqa: PLC0415
    from hippocampus.core.turn_choice import choosing  # noqa: PLC0415

    with suppress(StoreError):  # there may be none yet
        scope.check()
        with scope.open() as memory:
            dealt.learn(memory, places)
    survey(places, dealt)
    done = Imported(added=0, unchanged=0, removed=0)
    for name in _banks_of(places, dealt, scope):
        with replace(scope, bank=name).open_bank(create=True, embed=True) as bank:
            for place, called in zip(places, named_apart(places, as_), strict=True):
                dealt.enter(place)
                choice = partial(dealt.of_bank, name)
                what = f"remembering {place.path.name or place.path} in {name}"
                with progress(what) as step, choosing(choice):
                    one = bank.import_(
                        place.path, format=place.read_as, as_=called, sync=sync, progress=step
                    )
                done += one
    # Every bank's import reads the same files, so each tells of those that it cannot read.
    unreadable, doubtful = (
        tuple(dict.fromkeys(done.unreadable)),
        tuple(dict.fromkeys(done.doubtful)),
    )
    done = replace(done, unreadable=unreadable, doubtful=doubtful)
    found = {field.name: getattr(done, field.name) for field in fields(done)}
    answer = _told(done)
    beside = {"banks": dict(dealt.counts), "left_out": dict(dealt.left_out)}
    view = (_imported(done), *banks_told(dealt.counts, dealt.left_out))
    return answer._replace(found=found | beside, view=view)


def _banks_of(
    places: Sequence[ImportPlace], dealt: SessionBanks, scope: BankScope
) -> Iterator[str]:
    """Yield the banks that get something, and then others that had something from the places."""
    names = dealt.banks() or [scope.bank]
    yield from names
    # Only now, for by now there is a store.
    with scope.open() as memory:
        others = dealt.known_in(memory, places)
    yield from (name for name in others if name not in names)


def _told(done: Imported) -> Answer:
    note: list[Any] = []
    if done.unreadable:
        note += [f"{len(done.unreadable):,} not read:", table(done.unreadable)]
    if done.doubtful:
        note += [f"{len(done.doubtful):,} with a doubtful time:", table(done.doubtful)]
    if done.missing:
        note.append(
            f"{len(done.missing):,} no longer there, but still remembered: --sync forgets what"
            f" their files said, or 'hippocampus forget --source {done.missing[0]}'"
        )
    return Answer(
        done,
        _imported(done),
        note=tuple(note),
        success=bool(done.added or done.unchanged or done.removed),
    )


def _imported(done: Imported) -> str:
    """Return the result of an import in a line: each memory counts once, a renamed file once."""
    counts = (
        (done.changed, "changed"),
        (done.renamed, "renamed"),
        (done.removed - done.changed, "hidden"),
        (done.unchanged, "unchanged"),
    )
    told = [f"{number:,} {what}" for number, what in counts if number]
    return ", ".join([f"{done.added - done.changed:,} added", *told])


@verb("correct", embed=True)
def correct(bank: Bank, id: str, text: Words, *, zone: tzinfo) -> Answer:  # noqa: A002
    """Replace the text of an episode; the old words stay in its history."""
    return _kept("corrected", bank.correct(id, text), zone)


@verb("forget", opens=None)
def forget(
    ids: list[str] | None = None,
    *,
    source: list[str] | None = None,
    by: WhoseOptions,
    erase: bool = False,
    undo: bool = False,
    dry_run: bool = False,
    yes: bool = False,
    scope: BankScope,
) -> Answer:
    """Hide episodes from every read; --undo brings them back, --erase leaves nothing to restore."""
    if erase and undo:
        msg = "--erase and --undo exclude each other; what is erased cannot come back"
        raise InputError(msg)
    chosen = _chosen(ids, source, by)
    from hippocampus.bank.forgetting import Forgetting  # noqa: PLC0415 - the engine is there by now

    with scope.open_bank() as bank:
        if dry_run:
            there = Forgetting(bank.state).meant(**chosen, erase=erase, undo=undo)
            told = f"{len(there):,} meant; nothing was changed"
            return Answer(there, episode_table(there, scope.zone), note=told)
        if erase and not yes:
            confirm_erasure(len(Forgetting(bank.state).meant(**chosen, erase=True)))
        with progress("erasing" if erase else "forgetting") as step:
            changed = (
                bank.restore(**chosen)
                if undo
                else bank.forget(**chosen, erase=erase, progress=step)
            )
        note = [] if erase else unchanged(bank, ids, "restore" if undo else "forget", changed)
    verb = "restored" if undo else "erased" if erase else "forgotten"
    return Answer({verb: changed}, f"{changed:,} {verb}", note=note)


@verb("restore")
def restore(
    bank: Bank,
    ids: list[str] | None = None,
    *,
    source: list[str] | None = None,
    by: WhoseOptions,
) -> Answer:
    """Bring forgotten episodes back."""
    changed = bank.restore(**_chosen(ids, source, by))
    note = unchanged(bank, ids, "restore", changed)
    return Answer({"restored": changed}, f"{changed:,} restored", note=note)


def unchanged(bank: Bank, ids: Sequence[str] | None, asked: Asked, changed: int) -> list[str]:
    """Return why some of the named memories are as they were, a line each; none for a source."""
    if changed >= len(ids or ()):
        return []
    return list(why_unchanged(bank.get, ids or (), asked, changed, shown=short_id))


def _chosen(ids: list[str] | None, source: list[str] | None, by: WhoseOptions) -> dict[str, Any]:
    """Return the options of a choice as arguments of the engine."""
    filters = {name: value for name, value in by.given().items() if value is not None}
    if bool(ids) + bool(source) + bool(filters) != 1:
        msg = "name episodes by id, or a source with --source; one of the two, or in place of both"
        raise InputError(f"{msg} --session, --speaker or --where")
    return filters or ({"id": ids} if ids else {"source": source})


def _kept(verb: str, episode: Episode, zone: tzinfo) -> Answer:
    told = (
        f"{verb} {short_id(episode.id)}",
        head_line(episode, zone, named=False),
        Text(one_line(episode.text)),
    )
    return Answer(episode, told)

"""The commands that connect other programs to this memory, and take that back."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import typer
from rich.text import Text

from hippocampus.cli.command import EXIT_NOTHING, EXIT_USAGE, verb
from hippocampus.cli.options import DEFAULT_BANK, default_store
from hippocampus.cli.project import find_project
from hippocampus.cli.render import Answer, clean, complain, print_json, stdout, table
from hippocampus.connect import (
    CLIENTS,
    PROJECT_CALLS,
    Calls,
    ClientProgram,
    ConfigChange,
    Invocation,
    Places,
    Planned,
    Receipts,
    Refusal,
    client_named,
    detected,
    find_invocation,
    plan_connect,
    plan_disconnect,
)
from hippocampus.connect.clients import NAME
from hippocampus.connect.receipts import Receipt, hash_of
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.store_address import holds_password, is_url
from hippocampus.errors import InputError, MissingExtra, OutputError

State: TypeAlias = Literal["written", "unchanged", "planned", "declined", "unasked", "refused"]
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


class Outcome(NamedTuple):
    """Outcome for one file."""

    client: str
    path: str
    state: State
    told: str = ""


@immutable
class ConnectScope:
    """The store and bank that programs are given."""

    store: str | None = None
    bank: str = DEFAULT_BANK
    secrets: Literal["keep", "redact", "refuse"] = "redact"


@verb("connect", opens=None)
def connect(
    clients: list[str] | None = None,
    *,
    yes: bool = False,
    dry_run: bool = False,
    no_hooks: bool = False,
    project: bool = False,
    scope: ConnectScope,
    as_json: bool = False,
) -> Answer | None:
    """Give this memory to other programs, by their configurations."""
    places = Places(project=_project_folder()) if project else Places()
    receipts = known_receipts(places.project if project else None)
    if not clients:
        return _listed(receipts, project=project)
    named = [client_named(name) for name in dict.fromkeys(clients)]
    calls = (
        _calls_in_project(scope) if project else calls_for(scope.store, scope.bank, scope.secrets)
    )
    planned = [
        part
        for client in named
        for part in plan_connect(
            client, places, calls, receipts, hooks=not no_hooks, project=project
        )
    ]
    finish(offer(planned, receipts, yes=yes, dry_run=dry_run, quiet=as_json), as_json=as_json)
    return None


@verb("disconnect", opens=None)
def disconnect(
    clients: list[str] | None = None,
    *,
    yes: bool = False,
    dry_run: bool = False,
    project: bool = False,
    as_json: bool = False,
) -> None:
    """Take out of the configurations of other programs what 'connect' put there."""
    receipts = known_receipts(_project_folder() if project else None)
    named = _connected(receipts) if not clients else list(map(client_named, dict.fromkeys(clients)))
    planned = [part for client in named for part in plan_disconnect(client, receipts)]
    if not planned and not as_json:
        print("nothing is connected")
    finish(offer(planned, receipts, yes=yes, dry_run=dry_run, quiet=as_json), as_json=as_json)


def _connected(receipts: Receipts) -> list[ClientProgram]:
    """Return the clients of which there are receipts, but for those that this version lacks."""
    known = {client.name: client for client in CLIENTS}
    names = receipts.names()
    for name in names:
        if name not in known:
            complain(f"{name}: was connected by another version, and is left as it is")
    return [known[name] for name in names if name in known]


# ---------------------------------------------------------------- for init, too


def known_receipts(project: Path | None = None) -> Receipts:
    """Return the receipts of this user's own files, or of those of a project."""
    folder = default_store().parent
    if project is None:
        return Receipts(folder / "connections")
    return Receipts(folder / "connections-of-projects" / hash_of(os.fsencode(project))[:16])


def _project_folder() -> Path:
    """Return the topmost folder of the project that we are in."""
    found = find_project(".")
    if found is None:
        msg = f"{Path.cwd()}: is no project; call this in a folder of one"
        raise InputError(msg)
    return found.folder


def _calls_in_project(scope: ConnectScope) -> Calls:
    """Return the command by which clients call any installation, for a file that is shared."""
    env = os.environ.get  # which is this person's, and is not written
    for option, given, own in (
        ("--store", scope.store, (None, env("HIPPOCAMPUS_STORE"))),
        ("--bank", scope.bank, (DEFAULT_BANK, env("HIPPOCAMPUS_BANK"))),
    ):
        if given not in own:
            msg = (
                f"{option} is of one machine or person, and a project's files are shared; leave it"
                " out, or say in .hippocampus.toml where the project is remembered"
            )
            raise InputError(msg)
    _refuse_without_server(find_invocation())
    if shutil.which(NAME) is None:
        complain(f"{NAME!r} is not on the PATH here; programs find it by that name")
    gate = _gate(scope.secrets)
    server = PROJECT_CALLS.server.with_args(*gate)
    return replace(PROJECT_CALLS, server=server, in_project=server)


def _gate(secrets: str) -> list[str]:
    """Return the arguments of a server by which secrets do not get in; hooks leave them out."""
    return [] if secrets == "keep" else ["--secrets", secrets]


def _refuse_without_server(call: Invocation) -> None:
    # A call of uvx brings the extra with it.
    if find_spec("mcp") is None and call.args[:1] != ("--from",):
        raise MissingExtra("the MCP server", package="mcp", extra="mcp")


def calls_for(store: str | None, bank: str, secrets: str = "redact") -> Calls:
    """
    Return the command by which clients call this installation.

    Args:
        store: where the memory is; the usual place for None.
        bank: the bank that is meant where none is named.
        secrets: what its server does with secrets that it is given.

    Raises:
        MissingExtra: what the server needs is not installed.
        InputError: the address of the store holds a password.

    """
    where = store or str(default_store())
    refuse_password(where)
    if not is_url(where):
        # A client starts us in a folder of its own choice.
        where = str(Path(where).expanduser().absolute())
    scope = ["--store", where] + ([] if bank == DEFAULT_BANK else ["--bank", bank])
    call = find_invocation()
    _refuse_without_server(call)
    named, gate = bank != DEFAULT_BANK, _gate(secrets)
    return Calls(
        server=call.with_args("mcp", *gate, *scope),
        hook=call.with_args("hook", *scope),
        # Who names a bank means it in every project.
        in_project=None if named else call.with_args("mcp", "--project", *gate, *scope),
    )


def refuse_password(where: str) -> None:
    """
    Refuse an address that must not be shown, nor be written for other programs.

    Raises:
        InputError: it holds a password, or is no address.

    """
    if holds_password(where):
        raise InputError(
            "the address of the store holds a password, which would stand in configurations of"
            " other programs; leave it out and put it into ~/.pgpass"
        )


def offer(
    planned: Sequence[Planned], receipts: Receipts, *, yes: bool, dry_run: bool, quiet: bool
) -> list[Outcome]:
    """Show each client's changes, and make them once somebody has agreed."""
    outcomes = list[Outcome]()
    for client in dict.fromkeys(part.client.name for part in planned):
        own = [part for part in planned if part.client.name == client]
        outcomes += _offer_one(own, receipts, yes=yes, dry_run=dry_run, quiet=quiet)
    return outcomes


def _offer_one(
    planned: Sequence[Planned], receipts: Receipts, *, yes: bool, dry_run: bool, quiet: bool
) -> Iterator[Outcome]:
    client = planned[0].client
    changes = [part for part in planned if isinstance(part, ConfigChange)]
    if not quiet:
        _show(planned)
    pending = any(one.changes for one in changes)
    # A program that reads JSON cannot answer a question.
    agreed, asked = yes, not quiet and sys.stdin.isatty()
    if pending and not dry_run and not yes and asked:
        agreed = typer.confirm(f"Write this for {client.title}?", default=False, err=True)
    for part in planned:
        if isinstance(part, Refusal):
            yield Outcome(client.name, str(part.path), "refused", part.why)
        elif not part.changes and not part.left:
            # Nothing of ours is left in it, so its receipt goes, too.
            if not dry_run and part.receipt is None:
                part.apply(receipts)
            yield Outcome(client.name, str(part.path), "unchanged")
        elif dry_run or not agreed:
            kept: State = "planned" if dry_run else "declined" if asked else "unasked"
            yield Outcome(client.name, str(part.path), kept)
        else:
            yield _apply(part, receipts)
    if agreed and not dry_run and pending and not quiet:
        # What is to be done next is about what was put in, not about what was taken out.
        then = f" {client.then}" if any(one.receipt is not None for one in changes) else ""
        stdout().print(Text(f"Written.{then}", "bold"), soft_wrap=True)


def _apply(change: ConfigChange, receipts: Receipts) -> Outcome:
    name, path = change.client.name, str(change.path)
    try:
        change.apply(receipts)
    except OutputError as exc:
        complain(str(exc))
        return Outcome(name, path, "refused", str(exc))
    if change.left:
        return Outcome(name, path, "refused", "; ".join(change.left))
    return Outcome(name, path, "written")


def _show(planned: Sequence[Planned]) -> None:
    console = stdout()
    console.print()
    console.print(Text(planned[0].client.title, "bold"))
    for part in planned:
        if isinstance(part, Refusal):
            complain(f"{part.client.title}: {part.path}: {part.why}")
            continue
        for line in part.diff():
            style = "dim" if line[:3] in {"---", "+++"} else _STYLES.get(line[:1], "")
            console.print(Text(clean(_without_secrets(line)), style), soft_wrap=True)
        if not part.changes and not part.left:
            console.print(f"{part.path}: nothing to do", soft_wrap=True)
        for left in part.left:
            complain(f"{part.client.title}: {part.path}, {left}, and is left as it is")


def _without_secrets(line: str) -> str:
    """Return a line of a configuration as it may be seen on a screen, or in the log of a script."""
    from hippocampus.language.secrets import find_secrets  # noqa: PLC0415 - brings NumPy

    for span in reversed(find_secrets(line)):
        line = f"{line[: span.start]}[{span.kind}]{line[span.end :]}"
    return line


def finish(outcomes: Sequence[Outcome], *, as_json: bool) -> None:
    """Print the outcomes for a program, and exit with what they amount to."""
    if as_json:
        print_json([one._asdict() for one in outcomes])
    states = {one.state for one in outcomes}
    if "unasked" in states and not as_json:
        complain("nothing was written: there is no terminal to ask; add --yes to write it")
    if "refused" in states:
        raise typer.Exit(EXIT_NOTHING)
    if "unasked" in states:
        raise typer.Exit(EXIT_USAGE)


def _listed(receipts: Receipts, *, project: bool) -> Answer:
    here = {client.name for client in detected(Places())}
    known = [client for client in CLIENTS if client.project_files or not project]
    rows = [_row(client, here, receipts.of(client.name), project=project) for client in known]
    shown = table(
        [(one["client"], one["title"], one["state"]) for one in rows], "client", "program", "state"
    )
    how = "hippocampus connect claude-code" + (" --project" if project else "")
    return Answer(rows, [shown], f"connect one by its name: {how}")


def _row(
    client: ClientProgram, here: Iterable[str], files: Mapping[str, Receipt], *, project: bool
) -> dict[str, Any]:
    state = "found" if client.name in here else "not found"
    if files:
        takes_hooks = not project and any(one.hooks(PROJECT_CALLS) for one in client.files)
        state = "server only" if takes_hooks and not _has_hooks(files.values()) else "connected"
    return {
        "client": client.name,
        "title": client.title,
        "state": state,
        "files": list(files),
    }


def _has_hooks(receipts: Iterable[Receipt]) -> bool:
    """Return whether hooks were written, and not the server alone."""
    return any("hooks" in one.entry.path for receipt in receipts for one in receipt.placed)

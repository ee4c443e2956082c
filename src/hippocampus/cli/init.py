"""The command for the first minute: it finds what can be guessed, and offers the rest."""

from __future__ import annotations

import getpass
import os
import re
import shlex
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import typer

from hippocampus.cli.command import EXIT_USAGE, verb
from hippocampus.cli.connect import calls_for, finish, known_receipts, offer, refuse_password
from hippocampus.cli.options import DEFAULT_BANK, default_store
from hippocampus.cli.render import complain, one_line, pairs, progress, stdout
from hippocampus.connect import Places, client_named, detected, plan_connect
from hippocampus.core.store_address import is_url
from hippocampus.core.system import full_name
from hippocampus.errors import EncoderError, MissingExtra

_PATIENCE_S = 2.0
"""Seconds for a name that somebody may type as well: git answers in some milliseconds, unless its
configuration lies on a disk that does not answer. Chosen by hand."""
_NOT_A_NAME = re.compile(r"[^a-z0-9]+")


@verb("init", opens=None)
def init(
    *,
    yes: bool = False,
    no_model: bool = False,
    clients: list[str] | None = None,
    store: str | None = None,
    bank: str | None = None,
) -> None:
    """Set it up: install the embedding model, and connect the agents that are on this machine."""
    console = stdout()
    if store is not None:
        refuse_password(store)
    who = person()
    bank = bank or bank_for(store, who)
    where = store or str(default_store())
    there = "" if is_url(where) or Path(where).exists() else " (made by the first memory)"
    rows = [("memory", f"{where}{there}"), ("bank", f"{bank}{f', of {who}' if who else ''}")]
    console.print(pairs(rows))
    asked = yes or sys.stdin.isatty()
    waiting = False if no_model else _model(yes=yes)
    wanted = detected(Places()) if clients is None else [client_named(name) for name in clients]
    titles = ", ".join(client.title for client in wanted) or "none of those that it knows"
    console.print(pairs([("agents", titles)]))
    try:
        calls = calls_for(store, bank) if wanted else None
    except MissingExtra as exc:
        complain(f"{exc}; then: hippocampus connect {' '.join(one.name for one in wanted)}")
        calls = None
    receipts = known_receipts()
    planned = [
        part
        for client in wanted
        if calls is not None
        for part in plan_connect(client, Places(), calls, receipts)
    ]
    outcomes = offer(planned, receipts, yes=yes, dry_run=False, quiet=False)
    states = {one.state for one in outcomes}
    if not asked and (waiting or "unasked" in states):
        complain("nothing was done: there is no terminal to ask; add --yes to do all of this")
        raise typer.Exit(EXIT_USAGE)
    _go_on(store, bank, connected="written" in states)
    finish(outcomes, as_json=False)


def _model(*, yes: bool) -> bool:
    """See to the embedding model; return whether it waits for somebody to agree."""
    from hippocampus.encode import model_files  # noqa: PLC0415 - only when used

    name = model_files.DEFAULT_MODEL
    folder = model_files.installed()
    if folder is not None:
        stdout().print(pairs([("model", f"{name}, installed")]))
        return False
    size = model_files.MODELS[name].download_mb
    told = f"{name} is not installed: a download of {size} MB, for search by meaning as well"
    stdout().print(pairs([("model", told)]))
    if not yes:
        if not sys.stdin.isatty():
            return True
        if not typer.confirm("Download it?", default=True, err=True):
            return False
    os.environ.setdefault("PIP_RETRIES", "1")  # a proxy that answers nothing is asked twice
    try:
        with progress(f"installing {name}", nbytes=True) as step:
            model_files.install(name, progress=step)
    except EncoderError as exc:
        complain(f"{exc}. All else works: search goes by words and time until the model is there")
    return False


def _go_on(store: str | None, bank: str, *, connected: bool) -> None:
    """Print the next steps."""
    # As words of a shell, since it is to be pasted.
    scope = "" if store is None else f" --store {shlex.quote(store)}"
    scope += "" if bank == DEFAULT_BANK else f" --bank {shlex.quote(bank)}"
    rows = [
        ("next", f'hippocampus remember "I am allergic to peanuts."{scope}'),
        ("", f'hippocampus recall "what must I not eat?"{scope}'),
    ]
    if connected:
        rows.append(("undo", "hippocampus disconnect"))
    stdout().print()
    stdout().print(pairs(rows))


# ---------------------------------------------------------------- what can be guessed


def bank_for(store: str | None, who: str) -> str:
    """
    Return the bank to begin with.

    In a file of one's own that is the one that every command means. In a database that others use
    as well it is named after the person.
    """
    if store is None or not is_url(store):
        return DEFAULT_BANK
    plain = unicodedata.normalize("NFKD", who).encode("ascii", "ignore").decode().lower()
    return _NOT_A_NAME.sub("-", plain).strip("-") or DEFAULT_BANK


def person() -> str:
    """Return the name of whoever sits here: as git has it, else the system, else nothing."""
    for name in (_of_git(), _of_system()):
        if name:
            return one_line(name)
    return ""


def _of_git() -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    return _said_by([git, "config", "--get", "user.name"])


def _said_by(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - found on the path, with no words of others
            command, capture_output=True, encoding="utf-8", timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return done.stdout.strip()


def _of_system() -> str:
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
    return full_name(user) or user

"""The command that says which project a folder is, where it is remembered, and consents to that."""

from __future__ import annotations

import os
from pathlib import Path

from hippocampus.cli.checkouts import KnownCheckouts
from hippocampus.cli.command import verb
from hippocampus.cli.project import Project, find_project
from hippocampus.cli.render import Answer, pairs
from hippocampus.errors import InputError


@verb("project", opens=None)
def project(folder: str = ".", *, allow: bool = False, deny: bool = False) -> Answer:
    """Say in which bank coding agents remember the project of a folder, and consent to it."""
    if allow and deny:
        raise InputError("--allow and --deny exclude each other; choose one")
    if not Path(folder).is_dir():
        raise InputError(f"{folder}: is no folder; name one, or leave it out for the present one")
    found = find_project(folder)
    if found is None:
        told = "No project: what is remembered here is the user's own, in the bank 'me'."
        return Answer(None, told, success=not (allow or deny))
    if allow or deny:
        _decide(found, allow=allow)
        found = find_project(folder) or found
    return Answer(_told(found), pairs(_lines(found)), note=found.warning)


def _decide(found: Project, *, allow: bool) -> None:
    """Allow a folder what it asks for and claims to be, or take that back."""
    # A claim can be allowed; taken back is what it is known for.
    checkout = found.claims if allow else found.known_as
    if found.consent is None and not checkout:
        msg = f"{found.folder}: asks for nothing that needs consent"
        raise InputError(msg)
    if found.consent is not None and allow:
        found.consent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        found.consent.touch(mode=0o600)
    elif found.consent is not None:
        found.consent.unlink(missing_ok=True)
    if checkout:
        known = KnownCheckouts(found.known_as)
        (known.allow if allow else known.deny)(found.place)


def _told(found: Project) -> dict[str, object]:
    return {
        "folder": os.fspath(found.folder), "bank": found.shared_bank, "store": found.shared_store,
        "told_by": found.told_by, "remembered": found.remembered, "asks": dict(found.asks),
        "allowed": found.allowed, "claims": found.claims or None,
        "known_in": found.known_in,
    }  # fmt: skip


def _lines(found: Project) -> list[tuple[str, str]]:
    lines = [
        ("project", os.fspath(found.folder)),
        ("bank", found.shared_bank if found.remembered else "none: its settings say so"),
        ("store", found.shared_store or "the user's own"),
        ("named by", {"remote": "its remote", "repository": "where its repository is",
                      "folder": "where it is"}[found.told_by]),
    ]  # fmt: skip
    if found.asks:
        wants = ", ".join(f"{name} {value}" for name, value in found.asks.items())
        lines.append(("asks for", f"{wants} ({'allowed' if found.allowed else 'not allowed'})"))
    if found.claims:
        known = ", ".join(found.known_in) or "no folder here"
        lines.append(("claims", f"{found.claims} (not allowed; known for it: {known})"))
    return lines

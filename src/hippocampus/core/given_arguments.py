"""Arguments of several verbs: looked at in one place, so that each refusal says the same."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from hippocampus.errors import InputError

_SHOWN: Final = 100
"""Characters of a value that a message shows. Chosen by hand."""


def check_texts(*, optional: bool = False, **given: object) -> None:
    """
    Refuse arguments, passed by their names, that are no text.

    ``optional``: None is allowed.
    """
    for name, value in given.items():
        if not isinstance(value, str) and not (value is None and optional):
            told = f"{name}={value!r:.{_SHOWN}}: must be text, not {type(value).__name__}"
            raise InputError(f"{told}; leave it out for none")


def check_flags(**given: object) -> None:
    """Refuse arguments, passed by their names, that are neither True nor False: "no" is true."""
    for name, value in given.items():
        if not isinstance(value, bool):
            raise InputError(f"{name}={value!r:.{_SHOWN}}: must be True or False")


def check_several(name: str, given: object, *, of: str) -> None:
    """
    Refuse an argument that is no collection of texts; one text alone is none.

    Args:
        name: of the argument.
        given: its value.
        of: what its texts are, for the message.

    """
    several = isinstance(given, Collection) and not isinstance(given, str | bytes | Mapping)
    if not several or not all(isinstance(one, str) for one in given):  # type: ignore[attr-defined]
        msg = (
            f"{name}={given!r:.{_SHOWN}}: give the {of} in a list, each as text, even if it is one"
        )
        raise InputError(msg)


def as_path(name: str, given: object) -> Path:
    """
    Return the path that an argument means.

    Raises:
        InputError: no file can be called so, or it is an empty text.

    """
    if not isinstance(given, str | os.PathLike) or isinstance(given, bytes):
        kind = type(given).__name__
        msg = f"{name}={given!r:.{_SHOWN}}: must be the path of a file, as text or Path, not {kind}"
        raise InputError(msg)
    if given == "":  # not the folder that the program runs in, of which nobody thought
        raise InputError(f"{name}='': is no path; name a file or a folder, '.' for this one")
    try:
        path = Path(given)
        if b"\0" not in os.fsencode(path):
            return path
    except (TypeError, UnicodeEncodeError):  # half an emoji; a path-like object of bytes
        pass
    msg = f"{name}={given!r:.{_SHOWN}}: no file can be called so; it has NULs or half characters"
    raise InputError(msg)

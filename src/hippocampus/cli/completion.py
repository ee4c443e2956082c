"""The command that has a shell complete commands and options, and what the shell then asks."""

from __future__ import annotations

import os
from typing import Final

from hippocampus.cli.command import verb
from hippocampus.cli.render import Answer
from hippocampus.errors import InputError

PROGRAM: Final = "hippocampus"
ASKED: Final = f"_{PROGRAM.upper()}_COMPLETE"
"""The variable by which a shell asks what a line may go on with."""
SHELLS: Final = ("bash", "zsh", "fish", "powershell")


@verb("completion", opens=None)
def completion(shell: str) -> Answer:
    """Print what has a shell complete commands and options, for its start file."""
    from typer import completion as typers  # noqa: PLC0415 - only when asked

    if shell not in SHELLS:
        raise InputError(f"shell={shell!r}: must be one of {', '.join(SHELLS)}")
    script = typers.get_completion_script(  # type: ignore[attr-defined]
        prog_name=PROGRAM, complete_var=ASKED, shell=shell
    )
    return Answer({"shell": shell, "script": script}, script)


def prepare() -> None:
    """Have Typer know shells, if one of them asks; all other commands need not wait for that."""
    if ASKED in os.environ:
        from typer import completion as typers  # noqa: PLC0415 - only when asked

        typers.completion_init()  # type: ignore[attr-defined]

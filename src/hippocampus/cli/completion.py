"""The command that has a shell complete commands and options, and what the shell then asks."""

from __future__ import annotations

import os
from typing import Any, Final, Literal, get_args, get_origin

from hippocampus.cli.command import verb
from hippocampus.cli.completing import ASKED, PROGRAM, Table
from hippocampus.cli.render import Answer
from hippocampus.errors import InputError

BASH: Final = f"""
_{PROGRAM}_completion() {{
    local IFS=$'\\n'
    COMPREPLY=( $({ASKED}=words "$1" "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null) )
}}
complete -o default -F _{PROGRAM}_completion {PROGRAM}
"""
ZSH: Final = f"""#compdef {PROGRAM}
_{PROGRAM}_completion() {{
    local -a found
    found=("${{(@f)$({ASKED}=described "${{words[1]}}" "${{(@)words[2,$CURRENT]}}" 2>/dev/null)}}")
    if [[ -n "$found[1]" ]]; then _describe {PROGRAM} found; else _files; fi
}}
compdef _{PROGRAM}_completion {PROGRAM}
"""
FISH: Final = f"""
function __{PROGRAM}_completion
    set -l words (commandline -opc) (commandline -ct)
    env {ASKED}=tabbed $words[1] $words[2..-1] 2>/dev/null
end
complete -c {PROGRAM} -f -n 'test (count (commandline -opc)) -eq 1'
complete -c {PROGRAM} -a '(__{PROGRAM}_completion)'
"""
SCRIPTS: Final = {"bash": BASH, "zsh": ZSH, "fish": FISH}
SHELLS: Final = (*SCRIPTS, "powershell")


@verb("completion", opens=None)
def completion(shell: str) -> Answer:
    """Print the lines for a shell's start file that complete commands and options."""
    if shell not in SHELLS:
        raise InputError(f"shell={shell!r}: must be one of {', '.join(SHELLS)}")
    script = SCRIPTS.get(shell) or _of_typer(shell)
    return Answer({"shell": shell, "script": script}, script.strip())


def _of_typer(shell: str) -> str:
    from typer import completion as typers  # noqa: PLC0415 - only when asked

    return typers.get_completion_script(  # type: ignore[attr-defined]
        prog_name=PROGRAM, complete_var=ASKED, shell=shell
    )


def prepare() -> None:
    """Have Typer know shells, if one of them asks; all other commands need not wait for that."""
    if ASKED in os.environ:
        from typer import completion as typers  # noqa: PLC0415 - only when asked

        typers.completion_init()  # type: ignore[attr-defined]


# ---------------------------------------------------------------- the table


def make_table() -> Table:
    """Return all commands with their options, as Typer has them."""
    from typer.main import get_command  # noqa: PLC0415 - only when the table is made

    from hippocampus.cli.commands import app  # noqa: PLC0415 - brings all commands
    from hippocampus.connect import CLIENTS  # noqa: PLC0415

    table = _node(get_command(app))
    clients = {one.name: one.title for one in CLIENTS}
    for name in ("connect", "disconnect"):
        table["commands"][name]["words"] = clients
    table["commands"]["completion"]["words"] = dict.fromkeys(SHELLS, "")
    table["commands"]["init"]["options"]["--client"]["values"] = list(clients)
    return table


def _node(command: Any) -> dict[str, Any]:  # noqa: ANN401 - Click's or Typer's own
    node: dict[str, Any] = {"help": _first_line(command.help), "options": {}, "commands": {}}
    for one in command.params:
        if one.param_type_name != "option" or getattr(one, "hidden", False):
            continue
        for flag in (*one.opts, *one.secondary_opts):
            node["options"][flag] = {
                "help": _first_line(one.help),
                "takes": not one.is_flag,
                "values": _values(one),
            }
    node["options"]["--help"] = {"help": "Show what it does.", "takes": False, "values": []}
    if hasattr(command, "list_commands"):
        for name in command.list_commands(None):
            node["commands"][name] = _node(command.get_command(None, name))
    return node


def _values(option: Any) -> list[str]:  # noqa: ANN401 - Click's or Typer's own
    """Return the values of an option, where they are a few words: of either kind of Typer."""
    wanted = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    if get_origin(wanted) is Literal:
        return [str(value) for value in get_args(wanted)]
    return [str(value) for value in getattr(getattr(option, "type", None), "choices", ())]


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0].replace("\\[", "[")

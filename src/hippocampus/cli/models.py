"""The commands for models: install, list, verify, check. Nothing is downloaded unless asked."""

from __future__ import annotations

import time
from pathlib import Path

from hippocampus.cli.command import verb
from hippocampus.cli.render import Answer, pairs, progress
from hippocampus.errors import EncoderError, InputError

_SAMPLE = "Lena took her daughter Mia to a violin lesson in Porto, and they cooked fish afterwards."


@verb("models install", opens=None)
def install(
    name: str | None = None,
    *,
    source: Path | None = None,
    force: bool = False,
    quiet: bool = False,
) -> Answer:
    """Put a model on this machine, every byte checked against its pinned hash."""
    from hippocampus.encode import model_files  # noqa: PLC0415 - only when used

    name = name or model_files.DEFAULT_MODEL
    with progress(f"installing {name}", quiet=quiet, nbytes=True) as step:
        folder = model_files.install(name, source=source, force=force, progress=step)
    told = [] if quiet else [f"{name} is in {folder}"]
    if name == model_files.DEFAULT_MODEL and not quiet:
        told.append(
            "what was stored without it gets its vectors in the next sleep, or now by"
            " 'hippocampus sleep --steps vectors'"
        )
    missing = model_files.lacking(name)
    told += [] if missing is None else [missing]
    return Answer({"model": name, "folder": folder, "lacking": missing}, told)


@verb("models list", opens=None)
def list_() -> Answer:
    """List the models that can be installed, and which are."""
    from hippocampus.encode import model_files  # noqa: PLC0415 - only when used

    rows, shown = [], []
    for model in model_files.MODELS.values():
        folder = model_files.installed(model.name)
        row = {"model": model.name, "package": model.requirement, "licence": model.licence}
        size = f"{model.nbytes / 1e6:.0f} MB, a download of {model.download_mb} MB"
        state = f"installed in {folder}" if folder else "not installed"
        shown.append(pairs([*row.items(), ("size", size), ("state", state)]))
        sizes = {"nbytes": model.nbytes, "download_mb": model.download_mb}
        rows.append(row | sizes | {"folder": folder})
    return Answer(rows, shown)


@verb("models verify", opens=None)
def verify(name: str | None = None) -> Answer:
    """Read an installed model byte by byte."""
    from hippocampus.encode import model_files  # noqa: PLC0415 - only when used

    name = name or model_files.DEFAULT_MODEL
    problems = model_files.verify(name)
    return Answer(
        {"model": name, "problems": problems},
        () if problems else f"{name}: sound",
        problems=problems,
        success=not problems,
    )


@verb("models check", opens=None)
def check(spec: str) -> Answer:
    """Check a language model: ask it for the tags of one sentence."""
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
    shown = spec.partition("?")[0]
    return Answer(
        {"model": shown, "tags": answer.tags, "usage": usage, "elapsed_s": elapsed_s},
        f"it answers in {elapsed_s:.1f} s: {', '.join(answer.tags)} ({usage})",
    )

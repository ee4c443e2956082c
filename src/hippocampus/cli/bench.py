"""The command that measures recall on public benchmarks, or on anyone's own questions."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from hippocampus.cli.command import command
from hippocampus.cli.options import Cues, Json, cue_names
from hippocampus.cli.render import clean, print_json, progress, stderr, stdout


def register(app: typer.Typer) -> None:
    """Add the command to an app."""
    command(
        app,
        "bench",
        "hippocampus bench locomo --data locomo10.json --report locomo.json",
        "hippocampus bench longmemeval --data longmemeval_s.json --protocol pooled --limit 50",
        "hippocampus bench retrieval --data mine.json --cues lexical,time",
        panel="Measure",
    )(bench)


def bench(
    name: Annotated[
        str,
        typer.Argument(help="locomo, longmemeval, realmem, or retrieval for a set of your own."),
    ],
    *,
    data: Annotated[Path, typer.Option(help="The data set: a file, for realmem also a folder.")],
    report: Annotated[
        Path | None,
        typer.Option(help="Where to write the report; receipts per question go beside it."),
    ] = None,
    cues: Cues = None,
    protocol: Annotated[
        str | None, typer.Option(help="longmemeval: all-turns, official or pooled.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Only so many questions, taken in turn from each kind.")
    ] = None,
    k: Annotated[int, typer.Option("-k", help="Deepest rank measured.")] = 50,
    baselines: Annotated[
        bool, typer.Option(help="Run BM25, vectors and their fusion on the same questions.")
    ] = True,
    seed: Annotated[int, typer.Option(help="Of opaque labels and intervals.")] = 0,
    keep_store: Annotated[
        Path | None, typer.Option(help="A folder to keep the store in, and to ask it again.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="A file to keep embeddings in, for the next run.")
    ] = None,
    embedder: Annotated[
        str, typer.Option(envvar="HIPPOCAMPUS_EMBEDDER", metavar="SPEC", help="As for recall.")
    ] = "default",
    as_json: Json = False,
) -> None:
    """
    Measure how well recall finds what it should, with baselines and intervals.

    'retrieval' takes your own set in one JSON file:
    {"banks": [{"id", "episodes": [{"id", "text", "speaker", "at", "session"}],
    "questions": [{"id", "text", "at", "gold": [episode ids], "kind"}]}]}.
    """
    from hippocampus.encode.embed import CachedEmbedder, load_embedder  # noqa: PLC0415 - heavy
    from hippocampus.evaluation import Options, run  # noqa: PLC0415
    from hippocampus.evaluation.options import BASELINES  # noqa: PLC0415

    if report is not None and not report.absolute().parent.is_dir():
        raise FileNotFoundError(2, "no such folder to write the report in", str(report.parent))
    with ExitStack() as stack:
        model = load_embedder(
            embedder
        )  # here, so that a missing model is an error, not a worse run
        if model is not None and cache is not None:
            model = stack.enter_context(CachedEmbedder(model, cache))
        step = stack.enter_context(progress(f"running {name}"))
        options = Options(
            protocol=protocol,
            limit=limit,
            cues=cue_names(cues),
            k=k,
            seed=seed,
            keep_store=keep_store,
            embedder=model or "none",
            progress=step,
            baselines=BASELINES if baselines else (),
        )
        made = run(name, data, options=options)
    if report is not None:
        receipts = made.write(report)
        stderr().print(clean(f"wrote {report} and {receipts.name}"), style="dim", soft_wrap=True)
    if as_json:
        print_json(made.as_dict())
    else:
        stdout().print(clean(str(made)), soft_wrap=True)

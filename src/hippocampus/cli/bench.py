"""The command that measures: recall on benchmarks or anyone's questions, and the token stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hippocampus.cli.command import command
from hippocampus.cli.options import Cues, Json, cue_names
from hippocampus.cli.render import clean, print_json, progress, stderr, stdout
from hippocampus.errors import InputError

if TYPE_CHECKING:  # they bring NumPy, and help need not wait for that
    from hippocampus.evaluation import Report
    from hippocampus.evaluation.dialogue import Dialogues
    from hippocampus.evaluation.dwm import Measured
    from hippocampus.model import Embedder, Progress


def register(app: typer.Typer) -> None:
    """Add the command to an app."""
    command(
        app,
        "bench",
        "hippocampus bench locomo --data locomo10.json --report locomo.json",
        "hippocampus bench longmemeval --data longmemeval_s.json --protocol pooled --limit 50",
        "hippocampus bench retrieval --data mine.json --cues lexical,time",
        "hippocampus bench corf --size 3000 --cache embedded.db --report corf.json",
        "hippocampus bench dialogue --turns 50,500 --dialogues 3 --report dialogue.json",
        "hippocampus bench topics --data locomo10.json --report topics.json --plots plots/",
        "hippocampus bench dwm --report dwm.json --plots plots/",
        "hippocampus bench dwm --data locomo10.json --report dwm-signatures.json --plots plots/",
        panel="Measure",
    )(bench)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Where to write what was measured."""

    report: Annotated[
        Path | None,
        typer.Option(help="Where to write the report; receipts per question go beside it."),
    ] = None
    plots: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="dwm, topics, dialogue: a folder to draw plots in."),
    ] = None

    def check(self) -> None:
        """Refuse a report without a folder, before anything was measured for it."""
        if self.report is not None and not self.report.absolute().parent.is_dir():
            folder = str(self.report.parent)
            raise FileNotFoundError(2, "no such folder to write the report in", folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the next run need not make again."""

    keep_store: Annotated[
        Path | None, typer.Option(help="A folder to keep the store in, and to ask it again.")
    ] = None
    cache: Annotated[
        Path | None, typer.Option(help="A file to keep embeddings in, for the next run.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What the system under test is compared with, and whether banks sleep."""

    baselines: Annotated[
        bool, typer.Option(help="Run BM25, vectors and their fusion on the same questions.")
    ] = True
    cue_table: Annotated[
        bool,
        typer.Option("--cue-table", help="Compare with each cue alone and all but each instead."),
    ] = False
    sleep: Annotated[
        bool, typer.Option(help="Let banks sleep before they are asked, as a user's do.")
    ] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeUp:
    """How large what is made up is, and whom to compare with."""

    size: Annotated[
        int | None,
        typer.Option(
            help="corf: chunks of the life, up to 47392; 6000 by default.", show_default=False
        ),
    ] = None
    systems: Annotated[
        str | None,
        typer.Option(help="corf: compare with only these, separated by commas."),
    ] = None
    turns: Annotated[
        str | None,
        typer.Option(
            help="dialogue: lengths, separated by commas; 50,100,500,1000 by default.",
            show_default=False,
        ),
    ] = None
    dialogues: Annotated[int, typer.Option(help="dialogue: how many of each length.")] = 6
    long: Annotated[
        int | None,
        typer.Option(
            metavar="TURNS", help="dialogue: also live one so long, with and without forgetting."
        ),
    ] = None


def bench(
    name: Annotated[
        str,
        typer.Argument(
            help="locomo, longmemeval, realmem, retrieval for a set of your own, corf for a made-up"
            " life in four sources, dialogue for long dialogues, topics for topics and time, or dwm"
            " for the token stream."
        ),
    ],
    *,
    data: Annotated[
        Path | None,
        typer.Option(
            help="The data set: a file, for realmem also a folder. For dwm, which makes text up"
            " without: a text a line, or LoCoMo's JSON."
        ),
    ] = None,
    output: Output,
    made_up: MadeUp,
    cues: Cues = None,
    protocol: Annotated[
        str | None, typer.Option(help="longmemeval: all-turns, official or pooled.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            help="Only so many questions, taken in turn from each kind; dwm: so many tokens."
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", help="Deepest rank measured.")] = 50,
    compared: Compared,
    seed: Annotated[int, typer.Option(help="Of opaque labels and intervals.")] = 0,
    kept: Kept,
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

    'corf' makes up eighteen months of notes, chats, mail and the rest, and asks what agents have
    and do not find: by a pronoun, over two steps, in another source, by a word for the whole.

    'dialogue' makes up dialogues of 50 to 1 000 turns and asks for facts 150 turns later: what is
    found, and what is inside a prompt of 3 500 tokens.

    'topics' measures what topics and hints of time bring: on LoCoMo's file as conversations come
    together in one bank, on LongMemEval's with a hint for part of the questions.

    'dwm' measures what the stream of token ids takes to make, to keep and to ask, on made-up text
    or on a file's; with LoCoMo's, what signatures of any size find within any radius.
    """
    output.check()
    if name in ("corf", "dialogue", "topics", "dwm") and (compared.cue_table or not compared.sleep):
        what = "--cue-table" if compared.cue_table else "--no-sleep"
        msg = f"{what}: {name} has no such choice; it is for locomo, longmemeval and realmem"
        raise InputError(msg)
    if name == "dwm":
        _dwm(data, output, limit=limit, seed=seed, as_json=as_json)
        return
    if name == "topics":
        if data is None:
            msg = "bench topics needs --data: LoCoMo's file or LongMemEval's"
            raise InputError(msg)
        with _embedder(embedder, kept.cache) as model, progress("running topics") as step:
            _plain(_topics(data, limit, seed, model, step), output, as_json=as_json)
        return
    if name in ("corf", "dialogue") and data is not None:
        msg = f"--data {data}: {name} makes its own up, from its size and --seed; leave it out"
        raise InputError(msg)
    if name == "dialogue":
        with _embedder(embedder, kept.cache) as model, progress("running dialogue") as step:
            _show_dialogues(_dialogue(made_up, seed, model, step), output, as_json=as_json)
        return
    if name == "corf":
        with _embedder(embedder, kept.cache) as model, progress("running corf") as step:
            systems = cue_names(made_up.systems) if compared.baselines else ()
            made = _corf(made_up.size, systems, limit, seed, cue_names(cues), model, step)
        _show(made, output, as_json=as_json)
        return
    from hippocampus.evaluation import Options, run  # noqa: PLC0415 - heavy
    from hippocampus.evaluation.options import BASELINES, cue_table  # noqa: PLC0415
    from hippocampus.memory import CUES  # noqa: PLC0415

    if data is None:
        msg = f"bench {name} needs --data: the file of the data set"
        raise InputError(msg)
    asked = cue_names(cues)
    systems = BASELINES if compared.baselines else ()
    if compared.cue_table:
        asked = asked or tuple(cue for cue in CUES if cue != "signature")
        systems = cue_table(asked)
    with _embedder(embedder, kept.cache) as model, progress(f"running {name}") as step:
        options = Options(
            protocol=protocol,
            limit=limit,
            cues=asked,
            sleep=compared.sleep,
            k=k,
            seed=seed,
            keep_store=kept.keep_store,
            embedder=model or "none",
            progress=step,
            baselines=systems,
            brief=compared.cue_table,
        )
        made = run(name, data, options=options)
    _show(made, output, as_json=as_json)


@contextmanager
def _embedder(spec: str, cache: Path | None) -> Iterator[Embedder | None]:
    """Load an embedder now, so that a missing model is an error, not a worse run."""
    from hippocampus.encode.embed import CachedEmbedder, load_embedder  # noqa: PLC0415 - heavy

    model = load_embedder(spec)
    with ExitStack() as stack:
        if model is not None and cache is not None:
            model = stack.enter_context(CachedEmbedder(model, cache))
        yield model


def _show(made: Report, output: Output, *, as_json: bool) -> None:
    if output.report is not None:
        receipts = made.write(output.report)
        stderr().print(
            clean(f"wrote {output.report} and {receipts.name}"), style="dim", soft_wrap=True
        )
    if as_json:
        print_json(made.as_dict())
    else:
        stdout().print(clean(str(made)), soft_wrap=True)


def _show_dialogues(made: Dialogues, output: Output, *, as_json: bool) -> None:
    _show(made, output, as_json=as_json)
    for file in () if output.plots is None else made.plot(output.plots):
        stderr().print(clean(f"wrote {file}"), style="dim", soft_wrap=True)


def _corf(
    size: int | None,
    systems: tuple[str, ...] | None,
    limit: int | None,
    seed: int,
    cues: tuple[str, ...] | None,
    embedder: Embedder | None,
    step: Progress,
) -> Report:
    from hippocampus.evaluation import corf  # noqa: PLC0415 - heavy

    return corf.run(
        size=corf.SIZE if size is None else size,
        limit=limit,
        seed=seed,
        systems=systems,
        cues=cues,
        embedder=embedder or "none",
        progress=step,
    )


def _dialogue(made_up: MadeUp, seed: int, embedder: Embedder | None, step: Progress) -> Dialogues:
    from hippocampus.evaluation import dialogue  # noqa: PLC0415 - heavy

    lengths: tuple[int, ...] = dialogue.LENGTHS
    if made_up.turns is not None:
        try:
            lengths = tuple(map(int, made_up.turns.split(",")))
        except ValueError as exc:
            msg = f"--turns {made_up.turns}: give whole numbers, separated by commas"
            raise InputError(msg) from exc
    return dialogue.run(
        lengths=lengths,
        dialogues=made_up.dialogues,
        long=made_up.long,
        seed=seed,
        embedder=embedder or "none",
        progress=step,
    )


def _topics(
    data: Path, limit: int | None, seed: int, embedder: Embedder | None, step: Progress
) -> Measured:
    from hippocampus.evaluation import swift  # noqa: PLC0415 - heavy

    return swift.run(data, limit=limit, seed=seed, embedder=embedder, progress=step)


def _dwm(data: Path | None, output: Output, *, limit: int | None, seed: int, as_json: bool) -> None:
    from hippocampus.evaluation import dwm, sensitivity  # noqa: PLC0415 - heavy

    made: Measured
    if data is not None and {".json", ".gz"} & {data.suffix}:
        with progress("trying signatures") as step:
            made = sensitivity.run(data, limit=limit, progress=step)
    else:
        with progress("measuring the token stream") as step:
            made = dwm.run(data, limit=limit, seed=seed, progress=step)
    _plain(made, output, as_json=as_json)


def _plain(made: Measured, output: Output, *, as_json: bool) -> None:
    """Write and show what was measured row by row."""
    written = [] if output.report is None else [made.write(output.report)]
    if output.plots is not None:
        written += made.plot(output.plots)
    for file in written:
        stderr().print(clean(f"wrote {file}"), style="dim", soft_wrap=True)
    if as_json:
        print_json(made.as_dict())
    else:
        stdout().print(clean(str(made)), soft_wrap=True)

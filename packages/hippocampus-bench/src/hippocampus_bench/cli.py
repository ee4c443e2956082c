"""The command that measures: recall on benchmarks or anyone's questions, and the token stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from hippocampus.cli.command import command
from hippocampus.cli.options import Cues, cue_names
from hippocampus.cli.render import clean, print_json, progress, stderr, stdout
from hippocampus.core.files import check_output
from hippocampus.errors import InputError

if TYPE_CHECKING:  # they bring NumPy, and help need not wait for that
    from hippocampus.core.records import Embedder, Progress
    from hippocampus_bench import Options, Report
    from hippocampus_bench.answers import Models
    from hippocampus_bench.beside import Comparison
    from hippocampus_bench.dwm import MeasuredRun


_CALM: Final = {"temperature": 0}
"""Options for models that answer and judge, as the benchmarks' own scripts have them."""


def register(app: typer.Typer) -> None:
    """Add the command to an app."""
    command(
        app,
        "bench",
        "hippocampus bench locomo --data locomo10.json --report locomo.json",
        "hippocampus bench longmemeval --data longmemeval_s.json --protocol pooled --limit 50",
        "hippocampus bench locomo --data locomo10.json --answers --report locomo-answers.json",
        "hippocampus bench retrieval --data mine.json --cues lexical,time",
        "hippocampus bench passages --seed 7",
        "hippocampus bench corf --size 3000 --cache embedded.db --report corf.json",
        "hippocampus bench corf --write-wording mine.toml",
        "hippocampus bench corf --wording tuned --wording mine.toml --seeds 3 --report corf.json",
        "hippocampus bench topics --data locomo10.json --report topics.json --plots plots/",
        "hippocampus bench dialogue --turns 50,500 --dialogues 3 --report dialogue.json",
        "hippocampus bench streaming --source realmem --data realmem/ --plots plots/",
        "hippocampus bench events --report events.json --plots plots/",
        "hippocampus bench events --data stream.jsonl --reduction 0.7 --report events.json",
        "hippocampus bench dwm --report dwm.json --plots plots/",
        "hippocampus bench dwm --data locomo10.json --report dwm-signatures.json --plots plots/",
        panel="Measure",
    )(bench)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Files to write the measurements to."""

    report: Annotated[
        Path | None,
        typer.Option(help="Where to write the report; receipts per question go beside it."),
    ] = None
    plots: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="dwm, topics, dialogue, streaming, events: a folder."),
    ] = None

    def check(self) -> None:
        """Refuse a report without a folder, before anything was measured for it."""
        if self.report is not None and not self.report.absolute().parent.is_dir():
            folder = str(self.report.parent)
            raise FileNotFoundError(2, "no such folder to write the report in", folder)
        if self.report is not None:
            check_output(self.report, overwrite=True)  # a report made again, but never a store


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBetweenRuns:
    """Results that the next run need not make again."""

    keep_store: Annotated[
        Path | None, typer.Option(help="A folder to keep the store in, and to ask it again.")
    ] = None
    cache: Annotated[
        Path | None, typer.Option(help="A file to keep embeddings in, for the next run.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Systems to compare the one under test with, and the choice of sleep."""

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
    """Size of made-up data, rivals to compare with, streams, and what is kept of it."""

    size: Annotated[
        int | None,
        typer.Option(
            help="corf: chunks of the life, up to 47392; 6000 by default. passages: people of the"
            " encyclopaedia; 240 by default, which makes 484 passages. events: 120000 by default;"
            " of a file, the first so many.",
            show_default=False,
        ),
    ] = None
    systems: Annotated[
        str | None,
        typer.Option(help="corf, streaming, events: compare with only these, separated by commas."),
    ] = None
    source: Annotated[
        str | None,
        typer.Option(
            help="streaming: longmemeval or realmem. events: realmem, or git for a repository, if"
            " --data are that.",
            show_default=False,
        ),
    ] = None
    every: Annotated[
        int, typer.Option(help="streaming: sessions between two sleeps of a bank.")
    ] = 10
    once: Annotated[
        bool,
        typer.Option(
            "--once",
            help="streaming: let a bank live once for all targets, and meet each on its last night"
            " in a copy; where questions are asked at the end.",
        ),
    ] = False
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="streaming: note what was measured in it, and go on from there if it is cut off.",
            show_default=False,
        ),
    ] = None
    repeats: Annotated[
        float, typer.Option(help="streaming: the share of turns that are told twice.")
    ] = 0.0
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
    wording: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="corf, dialogue, passages, events: what it is told in: a TOML file, or 'tuned' or"
            " 'second' of this package. Several, each after a --wording of its own, are set side by"
            " side; the report is of the first.",
            show_default=False,
        ),
    ] = None
    seeds: Annotated[
        int,
        typer.Option(
            help="corf, dialogue, passages, events: run each wording from so many seeds, --seed the"
            " first, and report their means beside."
        ),
    ] = 1
    write_wording: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="corf, dialogue, passages, events: measure nothing, but write the wording out, to"
            " begin another from.",
            show_default=False,
        ),
    ] = None
    every_days: Annotated[float, typer.Option(help="events: how often the bank sleeps.")] = 7.0
    reduction: Annotated[
        float, typer.Option(help="events: the share of the stream that is not to be kept.")
    ] = 0.6
    truth: Annotated[
        str,
        typer.Option(
            help="events: what makes an event referred to later: a 'reference' from elsewhere, or"
            " any 'activity' in its issue as well."
        ),
    ] = "reference"

    def check(self, name: str, data: Path | None) -> None:
        """Refuse wordings of what is not made up."""
        if (self.wording or self.seeds != 1) and (name not in _WORDED or data is not None):
            what = "--wording" if self.wording else "--seeds"
            msg = f"{what}: only what is made up has it: {', '.join(_WORDED)}, without --data"
            raise InputError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Choice of answering questions, and of the model that does it."""

    answers: Annotated[
        bool,
        typer.Option(
            "--answers", help="locomo, longmemeval: answer the questions, and compare and judge."
        ),
    ] = False
    model: str = "none"
    judge: Annotated[
        str | None,
        typer.Option(metavar="SPEC", help="Another model to judge answers.", show_default=False),
    ] = None

    def check(self, name: str) -> None:
        """Refuse a judge of what nobody answers."""
        answers = self.answers or name == "streaming"
        if self.judge is not None and not (answers and self.model != "none"):
            msg = f"--judge {self.judge}: give --answers and a --model whose answers it judges"
            raise InputError(msg)
        if self.answers and name in ("passages", *_OWN_WAY):
            msg = f"--answers: {name} tells no answers to compare with"
            raise InputError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOptions:
    """Data sets and questions to ask, their limits, and the embedder."""

    protocol: Annotated[
        str | None, typer.Option(help="longmemeval: all-turns, official or pooled.")
    ] = None
    limit: Annotated[
        int | None,
        typer.Option(
            help="Only so many questions, taken in turn from each kind; dwm: so many tokens."
        ),
    ] = None
    k: Annotated[int, typer.Option("-k", help="Deepest rank measured.")] = 50
    cues: Cues = None
    seed: Annotated[int, typer.Option(help="Of opaque labels, intervals, what is made up.")] = 0
    embedder: Annotated[
        str | None,
        typer.Option(
            envvar="HIPPOCAMPUS_EMBEDDER",
            metavar="SPEC",
            help="As for recall; the default one, and for events none.",
            show_default=False,
        ),
    ] = None


_WORDED: Final = ("corf", "dialogue", "passages", "events")
"""Benchmarks that are made up of words that are data."""

_OWN_WAY: Final = ("corf", "topics", "dialogue", "streaming", "events", "dwm")
"""Benchmarks that do not ask a data set's questions one by one."""


class _BenchCall(NamedTuple):
    """Arguments of the command."""

    name: str
    data: Path | None
    asking: QuestionOptions
    made_up: MadeUp
    compared: Compared
    answers: Answers
    kept: KeptBetweenRuns
    output: Output
    as_json: bool

    def need_data(self, what: str) -> Path:
        """Return the data set's file, which must be given."""
        if self.data is None:
            msg = f"bench {self.name} needs --data: {what}"
            raise InputError(msg)
        return self.data

    def need_no_data(self, what: str) -> None:
        """Refuse a file that nobody would read."""
        if self.data is not None:
            msg = f"--data {self.data}: {what} made up, from --size and --seed; leave it out"
            raise InputError(msg)


def bench(
    name: Annotated[
        str,
        typer.Argument(
            help="locomo, longmemeval, realmem, retrieval for a set of your own, passages for"
            " questions over several of them, corf for a made-up life in four sources, topics for"
            " topics and time, dialogue for long dialogues, streaming for what is still found under"
            " policies, events for what is kept of an issue tracker's life, or dwm for the token"
            " stream."
        ),
    ],
    *,
    data: Annotated[
        Path | None,
        typer.Option(
            help="The data set: a file, for realmem also a folder. For dwm, which makes text up"
            " without: a text a line, or LoCoMo's JSON. For events, which does so too: JSONL."
        ),
    ] = None,
    output: Output,
    asking: QuestionOptions,
    made_up: MadeUp,
    compared: Compared,
    qa: Answers,
    kept: KeptBetweenRuns,
    as_json: bool = False,
) -> None:
    """
    Measure the quality of recall, with baselines and intervals.

    'retrieval' takes your own set in one JSON file:
    {"banks": [{"id", "episodes": [{"id", "text", "speaker", "at", "session"}],
    "questions": [{"id", "text", "at", "gold": [episode ids], "kind"}]}]}.

    'corf' makes up eighteen months of notes, chats, mail and the rest, and asks what agents have
    and do not find: by a pronoun, over two steps, in another source, by a word for the whole.

    'topics' measures what topics and hints of time bring: on LoCoMo's file as conversations come
    together in one bank, on LongMemEval's with a hint for part of the questions.

    'passages' makes an encyclopaedia up, and asks what several of its passages tell together.

    With --answers, a language model answers the questions of locomo, longmemeval or your own set
    from what recall composed, and is judged; without a --model, it is measured how often the words
    of the right answer are in contexts of 500 to 3500 tokens.

    'streaming' lets banks live through the sessions of --source, sleep, and forget by policies, and
    asks what they still find.

    'dialogue' makes up dialogues of 50 to 1 000 turns and asks for facts 150 turns later: what is
    found, what is in the prompt of 3 500 tokens, and what forgetting and summaries change.

    'events' streams an issue tracker's life, made up or a file's, through a bank that sleeps and
    keeps what was of use, and asks how much of that is referred to later.

    'dwm' measures what the stream of token ids takes to make, to keep and to ask, on made-up text
    or on a file's; with LoCoMo's, what signatures of any size find within any radius.
    """
    output.check()
    qa.check(name)
    if name in _OWN_WAY and (compared.cue_table or not compared.sleep):
        what = "--cue-table" if compared.cue_table else "--no-sleep"
        msg = f"{what}: {name} has no such choice; it is for locomo, longmemeval and realmem"
        raise InputError(msg)
    call = _BenchCall(name, data, asking, made_up, compared, qa, kept, output, as_json)
    if made_up.write_wording is not None:
        _write_wording(call, made_up.write_wording)
        return
    made_up.check(name, data)
    _BENCHMARKS.get(name, _recall)(call)


def _compared(given: MadeUp) -> Comparison:
    from hippocampus_bench.beside import Comparison  # noqa: PLC0415 - heavy
    from hippocampus_bench.wording import TUNED  # noqa: PLC0415 - heavy

    return Comparison(wordings=tuple(given.wording or (TUNED,)), seeds=given.seeds)


def _side_by_side(made: Report, call: _BenchCall, run: Callable[[str, int], Report]) -> Report:
    """Run other wordings and seeds without baselines, and put them into a report."""

    def measured(wording: str, seed: int) -> tuple[Any, Any]:
        other = run(wording, seed)
        return other.settings["wording"], other.metrics

    first: tuple[Any, Any] = made.settings["wording"], made.metrics
    rows = _compared(call.made_up).beside(first, call.asking.seed, measured)
    return replace(made, extra={**made.extra, "wordings": rows}) if rows else made


def _write_wording(call: _BenchCall, to: Path) -> None:
    from hippocampus_bench.wording import write  # noqa: PLC0415 - heavy

    file = write(call.name, _compared(call.made_up).wordings[0], to)
    stderr().print(clean(f"wrote {file}"), style="dim", soft_wrap=True)


def _systems(given: MadeUp) -> tuple[str, ...] | None:
    return None if given.systems is None else cue_names(given.systems)


def _recall(call: _BenchCall) -> None:
    """Run a benchmark whose questions name what answers them."""
    from hippocampus.core.cue_names import CUES  # noqa: PLC0415
    from hippocampus_bench import Options, passages, run  # noqa: PLC0415 - heavy
    from hippocampus_bench.options import BASELINES, cue_table  # noqa: PLC0415

    if call.name == "passages":
        call.need_no_data("passages are")
    else:
        call.need_data("the file of the data set")
    asking, compared = call.asking, call.compared
    asked = asking.cues
    systems: tuple[str, ...] = BASELINES if compared.baselines else ()
    if compared.cue_table:
        asked = asked or tuple(cue for cue in CUES if cue != "signature")
        systems = cue_table(asked)
    with _running(call) as (model, step):
        options = Options(
            protocol=asking.protocol,
            limit=asking.limit,
            cues=asked,
            sleep=compared.sleep,
            k=asking.k,
            seed=asking.seed,
            keep_store=call.kept.keep_store,
            embedder=model or "none",
            progress=step,
            baselines=systems,
            brief=compared.cue_table,
        )
        if call.data is None:
            first = _compared(call.made_up).wordings[0]
            size = call.made_up.size
            made = passages.run(size=size, wording=first, options=options)
            alone = replace(options, baselines=(), keep_store=None)
            made = _side_by_side(
                made,
                call,
                lambda wording, seed: passages.run(
                    size=size, wording=wording, options=replace(alone, seed=seed)
                ),
            )
        elif call.answers.answers:
            made = _answered(call.name, call.data, options, call.answers)
        else:
            made = run(call.name, call.data, options=options)
    _show(made, call)


def _answered(name: str, data: Path, options: Options, given: Answers) -> Report:
    from hippocampus_bench import answers  # noqa: PLC0415 - heavy

    models = _models(given)
    if models is None:
        told = "no --model: measuring how often the words of answers are in the context instead"
        stderr().print(clean(told), style="dim", soft_wrap=True)
    if options.baselines:
        options = replace(options, baselines=answers.BASELINES)
    return answers.run(name, data, options=options, models=models)


def _models(given: Answers) -> Models | None:
    """Return the models that answer and judge; None for nobody."""
    from hippocampus.llm.client import load_model  # noqa: PLC0415
    from hippocampus_bench.answers import Models  # noqa: PLC0415 - heavy

    model = load_model(given.model, options=_CALM)
    judge = model if given.judge is None else load_model(given.judge, options=_CALM)
    return None if model is None else Models(model, judge or model)


@contextmanager
def _running(call: _BenchCall) -> Iterator[tuple[Embedder | None, Progress]]:
    """Load an embedder now, so that a missing model is an error, not a worse run; show progress."""
    from hippocampus.encode.embed import load_embedder  # noqa: PLC0415 - heavy
    from hippocampus_bench.cached_embedder import CachedEmbedder  # noqa: PLC0415 - heavy

    usual = "none" if call.name == "events" else "default"
    model = load_embedder(call.asking.embedder or usual)
    with ExitStack() as stack:
        if model is not None and call.kept.cache is not None:
            model = stack.enter_context(CachedEmbedder(model, call.kept.cache))
        yield model, stack.enter_context(progress(f"running {call.name}"))


def _corf(call: _BenchCall) -> None:
    from hippocampus_bench import corf  # noqa: PLC0415 - heavy

    call.need_no_data("corf's life is")
    with _running(call) as (model, step):
        run = partial(
            corf.run,
            size=corf.SIZE if call.made_up.size is None else call.made_up.size,
            limit=call.asking.limit,
            cues=call.asking.cues,
            embedder=model or "none",
            progress=step,
        )
        made = run(
            wording=_compared(call.made_up).wordings[0],
            seed=call.asking.seed,
            systems=_systems(call.made_up) if call.compared.baselines else (),
        )
        made = _side_by_side(
            made, call, lambda wording, seed: run(wording=wording, seed=seed, systems=())
        )
    _show(made, call)


def _topics(call: _BenchCall) -> None:
    from hippocampus_bench import swift  # noqa: PLC0415 - heavy

    data = call.need_data("LoCoMo's file or LongMemEval's")
    with _running(call) as (model, step):
        asking = call.asking
        made = swift.run(data, limit=asking.limit, seed=asking.seed, embedder=model, progress=step)
    _plain(made, call)


def _dwm(call: _BenchCall) -> None:
    from hippocampus_bench import dwm, sensitivity  # noqa: PLC0415 - heavy

    made: MeasuredRun
    data, limit = call.data, call.asking.limit
    if data is not None and {".json", ".gz"} & {data.suffix}:
        with progress("trying signatures") as step:
            made = sensitivity.run(data, limit=limit, progress=step)
    else:
        with progress("measuring the token stream") as step:
            made = dwm.run(data, limit=limit, seed=call.asking.seed, progress=step)
    _plain(made, call)


def _streaming(call: _BenchCall) -> None:
    from hippocampus_bench import streaming  # noqa: PLC0415 - heavy

    given = call.made_up
    if given.source is None:
        msg = f"bench streaming needs --source: {' or '.join(streaming.SOURCES)}"
        raise InputError(msg)
    data = call.need_data("the file of the data set")
    models = _models(call.answers)
    with _running(call) as (model, step):
        made = streaming.run(
            data,
            given.source,
            every=given.every,
            once=given.once,
            resume=given.resume,
            repeats=given.repeats,
            systems=_systems(given),
            limit=call.asking.limit,
            seed=call.asking.seed,
            embedder=model,
            models=models,
            progress=step,
        )
    _plain(made, call)


def _events(call: _BenchCall) -> None:
    from hippocampus_bench import events  # noqa: PLC0415 - heavy

    given, compared = call.made_up, _compared(call.made_up)
    with _running(call) as (model, step):
        run = partial(
            events.run,
            call.data,
            source=given.source,
            size=given.size,
            reduction=given.reduction,
            every_days=given.every_days,
            truth=events.check_truth(given.truth),
            embedder=model or "none",
            progress=step,
        )
        seed = call.asking.seed
        made = run(
            seed=seed,
            wording=compared.wordings[0],
            systems=_systems(given) if call.compared.baselines else (),
        )

        def measured(wording: str, seed: int) -> tuple[Any, Any]:
            other = run(seed=seed, wording=wording, systems=events.RIVALS)
            return other.settings["wording"], other.with_rivals()

        first: tuple[Any, Any] = made.settings["wording"], made.with_rivals()
        made = replace(made, beside=compared.beside(first, seed, measured))
    _plain(made, call)


def _dialogue(call: _BenchCall) -> None:
    from hippocampus_bench import dialogue  # noqa: PLC0415 - heavy

    given = call.made_up
    call.need_no_data("dialogues are")
    lengths: tuple[int, ...] = dialogue.LENGTHS
    if given.turns is not None:
        try:
            lengths = tuple(map(int, given.turns.split(",")))
        except ValueError as exc:
            msg = f"--turns {given.turns}: give whole numbers, separated by commas"
            raise InputError(msg) from exc
    with _running(call) as (model, step):
        run = partial(
            dialogue.run,
            lengths=lengths,
            dialogues=given.dialogues,
            embedder=model or "none",
            progress=step,
        )
        seed, wording = call.asking.seed, _compared(given).wordings[0]
        made = run(long=given.long, seed=seed, wording=wording)
        made = replace(
            made,
            extra=_side_by_side(
                made, call, lambda wording, seed: run(wording=wording, seed=seed)
            ).extra,
        )
    _show(made, call)
    for file in () if call.output.plots is None else made.plot(call.output.plots):
        stderr().print(clean(f"wrote {file}"), style="dim", soft_wrap=True)


_BENCHMARKS: Final[dict[str, Callable[[_BenchCall], None]]] = {
    "corf": _corf,
    "topics": _topics,
    "streaming": _streaming,
    "events": _events,
    "dialogue": _dialogue,
    "dwm": _dwm,
}


def _show(made: Report, call: _BenchCall) -> None:
    """Write and show a report and its receipts."""
    to = call.output.report
    if to is not None:
        receipts = made.write(to)
        stderr().print(clean(f"wrote {to} and {receipts.name}"), style="dim", soft_wrap=True)
    _print(made, as_json=call.as_json)


def _plain(made: MeasuredRun, call: _BenchCall) -> None:
    """Write and show what was measured row by row."""
    output = call.output
    written = [] if output.report is None else [made.write(output.report)]
    if output.plots is not None:
        written += made.plot(output.plots)
    for file in written:
        stderr().print(clean(f"wrote {file}"), style="dim", soft_wrap=True)
    _print(made, as_json=call.as_json)


def _print(made: Report | MeasuredRun, *, as_json: bool) -> None:
    if as_json:
        print_json(made.as_dict())
    else:
        stdout().print(clean(str(made)), soft_wrap=True)

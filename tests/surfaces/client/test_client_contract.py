"""The same scenarios here, awaited here, on a server, and awaited on a server: the same answers."""

import asyncio
import inspect
import json
import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import (
    AsyncBank,
    AsyncClient,
    AsyncMemory,
    Bank,
    Client,
    HippocampusError,
    Memory,
    Schedule,
    Turn,
)
from hippocampus.client import AsyncRemoteBank, RemoteBank
from hippocampus.core.clock import ManualClock
from hippocampus.core.records import Context, Explanation, Recall, SleepStep, Slept
from hippocampus.errors import (
    AccessError,
    InputError,
    InvalidFilter,
    Unauthorized,
    UnknownBank,
)
from hippocampus.server.keys import Keys
from hippocampus.verbs import BANK_VERBS, listed, to_json, to_query

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
NAME = "acme/Łena"
OF_A_STORE = {"banks", "delete_bank", "backup", "rebuild", "calibrate", "sleep_if_due"}
TOLD = [
    Turn(
        text=f"{who} spoke of the {what} on day {n}.", speaker=who, session=f"s{n // 4}",
        at=NOON - timedelta(days=40 - n), metadata={"n": n, "about": [what]},
    )
    for n, (who, what) in enumerate(
        [("Ada", "garden"), ("Tom", "boat"), ("Ada", "piano"), ("Lena", "garden")] * 6
    )
]  # fmt: skip


# ---------------------------------------------------------------- the same names


def test_every_verb_of_a_bank_is_asked_of_the_server_with_the_same_signature():
    public = {name for name in dir(Bank) if not name.startswith("_")} - {"position"}

    assert public <= set(vars(RemoteBank))
    assert public <= set(dir(AsyncRemoteBank))
    for name in public:
        here, there, awaited = (getattr(c, name) for c in (Bank, RemoteBank, AsyncRemoteBank))
        if isinstance(here, property):
            here, there, awaited = here.fget, there.fget, awaited.fget
        assert inspect.signature(here) == inspect.signature(there), name
        assert inspect.signature(here) == inspect.signature(awaited), name
        assert inspect.iscoroutinefunction(awaited), name
        assert here.__doc__ == there.__doc__ == awaited.__doc__, name


def test_every_verb_of_a_memory_is_asked_of_the_server_with_the_same_signature():
    public = {name for name in vars(AsyncMemory) if not name.startswith("_")}

    assert OF_A_STORE == public - {"sync", "bank", "close"}
    for name in OF_A_STORE:
        assert name in vars(Client)
        here = inspect.signature(getattr(Memory, name))
        assert here == inspect.signature(getattr(Client, name)), name
        assert here == inspect.signature(getattr(AsyncClient, name)), name
        assert inspect.iscoroutinefunction(getattr(AsyncClient, name)), name


def test_who_takes_a_memory_or_a_bank_takes_a_clients():
    assert issubclass(Client, Memory)
    assert issubclass(RemoteBank, Bank)
    assert issubclass(AsyncClient, AsyncMemory)
    assert issubclass(AsyncRemoteBank, AsyncBank)


# ---------------------------------------------------------------- the same answers


class Now:
    """An asynchronous memory or bank of which nothing has to be awaited."""

    def __init__(self, runner, behind):
        self._runner, self._behind = runner, behind

    def __getattr__(self, name):
        found = getattr(self._behind, name)
        if inspect.iscoroutine(found):
            return self._runner.run(found)
        if not callable(found):
            return found

        def call(*args, **kwargs):
            made = found(*args, **kwargs)
            if inspect.iscoroutine(made):
                return self._runner.run(made)
            return Now(self._runner, made)

        return call


def plain(value):
    """Return an answer without what differs from one time to the next."""
    if isinstance(value, Context):
        return replace(value, recall=plain(value.recall))
    if isinstance(value, Recall):
        return replace(value, cost=None)
    if isinstance(value, Explanation):
        return replace(value, recall=plain(value.recall), steps_s={})
    if isinstance(value, Slept):
        return replace(value, steps=tuple(map(plain, value.steps)))
    if isinstance(value, SleepStep):
        return replace(value, elapsed_s=0.0)
    return [plain(one) for one in value] if isinstance(value, list) else value


def as_before(verb, *args):
    """Call a verb of the last version, which warns in a bank."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return verb(*args)


def scenario(memory, folder, clock):  # noqa: PLR0915 - each verb once, at least
    """Yield every verb with what it answers, or how it fails."""
    bank, ids = memory.bank(NAME), []
    steps = []

    def told(done, total):
        steps.append((done, total))

    yield "name", lambda: bank.name
    yield "remember", lambda: bank.remember(
        "Łódź is where the boat is.", at="2025-03-01", speaker="Ada", role="user", session="s9",
        source="notes", address="notes#1", metadata={"n": 10**30, "deep": {"a": [1, None, True]}},
    )  # fmt: skip
    yield (
        "remember again",
        lambda: bank.remember("Łódź is where the boat is.", at="2025-03-01", speaker="Ada"),
    )
    yield "remember at once", lambda: bank.remember("It is noon.", at=datetime(2025, 5, 1, 12))  # noqa: DTZ001
    yield (
        "remember a mapping",
        lambda: bank.remember("A map.", at="2025-05-02", metadata=MappingProxyType({"of": "it"})),
    )
    message = {"role": "user", "content": [{"type": "text", "text": "A message."}]}
    yield "remember a message", lambda: bank.remember(message, at=date(2025, 5, 3))
    yield "remember messages", lambda: bank.remember_many([message], session="chat")
    yield "remember_many", lambda: bank.remember_many(iter(TOLD), progress=told)
    yield "progress", lambda: steps[-1]
    ids += [episode.id for episode in bank.episodes(limit=8)]
    yield "recall", lambda: bank.recall("What did Ada say of the garden?", 5)
    yield "recall with filters", lambda: bank.recall(
        "the garden", k=3, since="2025-04-25", until=NOON, session=("s1", "s2", "s3"),
        where={"n": {"$gte": 2}}, cues=["lexical", "time"], now=NOON,
    )  # fmt: skip
    yield (
        "recall within stretches",
        lambda: bank.recall(
            "boat", during=[("2025-04-25", NOON - timedelta(days=20)), (NOON, None)]
        ),
    )
    yield (
        "recall in the time of an event",
        lambda: bank.recall("boat", during="the week when Ada spoke of the piano"),
    )
    yield (
        "episodes in the time of an event",
        lambda: bank.episodes(
            during=["the day after Lena spoke of the garden on day 3", ("2025-05-20", None)]
        ),
    )
    yield "communities", bank.communities
    yield "explain", lambda: bank.explain("What did Ada say of the garden?", 5, ids=ids[:1])
    yield (
        "explain what is not shown",
        lambda: bank.explain("the garden", 2, ids=ids[:3], speaker="Tom", since="2025-04-25"),
    )
    yield "an event that nothing tells of", lambda: bank.episodes(during="while zebras danced")
    yield "as of a date", lambda: bank.recall("boat yesterday", now=date(2025, 5, 1))
    yield "from a date to seconds", lambda: bank.episodes(since=date(2025, 5, 1), until=1748e6)
    yield "nothing recalled", lambda: bank.recall("zyzzyva", 2)
    yield (
        "context",
        lambda: bank.context(
            "When was the boat spoken of?",
            300,
            recent=2,
            pointers=2,
            system="Be kind.",
            user="Well?",
        ),
    )
    yield "a budget too small", lambda: bank.context("boat", 3, system="Be very kind to people.")
    yield "get", lambda: bank.get(ids[0])
    yield "get by the beginning of an id", lambda: bank.get(ids[0][:12])
    yield "expand", lambda: bank.expand("notes#1")
    yield "episodes", bank.episodes
    yield (
        "some episodes",
        lambda: bank.episodes(
            limit=3,
            offset=2,
            newest=True,
            speaker=["ada", "TOM"],
            where={"about": {"$contains": "boat"}},
        ),
    )
    yield "no episodes", lambda: bank.episodes(limit=0)
    yield "episodes within stretches", lambda: bank.episodes(during=[(None, "2025-05-01")])
    yield "find", lambda: bank.find("spoke", "boat", limit=4)
    yield "count", lambda: bank.count("garden", speaker="Ada")
    yield "trend", lambda: bank.trend("garden", by="month")
    yield "count_events", lambda: bank.count_events("how often did Ada speak?", now=NOON)
    clock.advance(timedelta(hours=1))
    yield "correct", lambda: bank.correct(ids[1], "Ada never spoke of it.")
    yield "history", lambda: bank.history(ids[1])
    yield "forget", lambda: bank.forget({ids[2]})
    yield "restore", lambda: bank.restore((ids[2],))
    yield "pin", lambda: bank.pin(ids[2:4])
    yield "unpin", lambda: bank.unpin(ids[2])
    yield "hold", lambda: bank.hold(ids[4], reason="for the court")
    whose = {"speaker": {"Ada"}, "where": {"place": {"$exists": False}}}
    yield "sessions", bank.sessions
    yield "forget whose", lambda: bank.forget(**whose)
    yield "restore whose", lambda: bank.restore(**whose)
    yield "forget nobody's", lambda: bank.forget(session="nowhere", erase=True)
    yield "forget what no condition is", lambda: bank.forget(where={})
    yield "forget what is held", lambda: bank.forget(ids[4])
    yield "release", lambda: bank.release(ids[4])
    yield "feedback", lambda: bank.feedback(ids[5], helpful=True)
    yield "note_recalls", bank.note_recalls
    yield "erase", lambda: bank.forget(ids[6], erase=True)
    yield "get what is erased", lambda: bank.get(ids[6])
    yield "as it was", lambda: bank.episodes(as_of=NOON)
    yield "journal", bank.journal
    yield "a page of the journal", lambda: bank.journal(after=3, limit=4)
    yield "policy", lambda: bank.policy
    yield "set_policy", lambda: bank.set_policy("adaptive:2500")
    yield "policy chosen", lambda: bank.policy
    yield "set_policy back", lambda: bank.set_policy(None)
    yield "set_profile", lambda: bank.set_profile(persona="You are kind.")
    yield "profile", bank.profile
    yield "no profile", lambda: bank.set_profile(persona=" ")
    yield "include", lambda: bank.include("team", "nowhere")
    yield "included", bank.included
    yield "exclude", lambda: bank.exclude("nowhere")
    yield "exclude what is not included", lambda: bank.exclude("nowhere")
    yield "include itself", lambda: bank.include(bank.name)
    yield "promote", lambda: bank.promote(ids[3], to="team")
    yield "recall along", lambda: bank.recall("garden", 3, now=NOON)
    yield "recall alone", lambda: bank.recall("garden", 3, now=NOON, include=())
    yield "recall along with another", lambda: bank.recall("garden", 3, now=NOON, include={"no"})
    yield "find along", lambda: bank.find("garden", limit=2, include="team")
    yield "count along with none", lambda: bank.count("garden", include=["no"])
    yield "demote", lambda: bank.demote(ids[3], to="team")
    yield "what was demoted", lambda: bank.restore(ids[3])
    yield "exclude team", lambda: bank.exclude("team")
    yield "compact_session", lambda: bank.compact_session("s1", 300)
    yield "too small for a session", lambda: bank.compact_session("s1", 1)
    yield "curate", lambda: bank.curate(add=["garden"], deny=("day",), sources=["mail"])
    yield "dry sleep", lambda: bank.sleep(dry_run=True)
    yield "sleep_if_due", lambda: bank.sleep_if_due(Schedule(idle=timedelta(minutes=90)))
    yield "sleep", lambda: bank.sleep(progress=told)
    yield "progress of sleep", lambda: steps[-1]
    yield "sleeps", bank.sleeps
    yield "sleep_if_due later", lambda: bank.sleep_if_due(Schedule(every=timedelta(days=9)))
    yield "accept", lambda: bank.accept(bank.review()[0].id if bank.review() else ids[0])
    yield "reveal", lambda: bank.reveal(ids[0])
    for verb in ("quarantine", "review", "gists", "anchors", "topics", "topic_outline", "facts",
                 "entities", "people", "summary", "stats", "curated"):  # fmt: skip
        yield verb, lambda verb=verb: getattr(bank, verb)()
    yield "facts of one", lambda: bank.facts("Ada", as_of=NOON)
    yield "summary of one", lambda: bank.summary("s1")
    yield "related", lambda: bank.related(ids[0])
    yield "uses", lambda: bank.uses(ids[0])
    yield "export_concepts", lambda: bank.export_concepts(folder / "concepts.json")
    yield "concepts", lambda: json.loads((folder / "concepts.json").read_text())
    yield "import_concepts", lambda: bank.import_concepts(folder / "concepts.json")
    yield "plot_topics", lambda: as_before(bank.plot_topics, folder / "topics.png")
    yield "a picture", lambda: (folder / "topics.png").read_bytes()[:4]
    yield "plot_topics as .svg", lambda: as_before(bank.plot_topics, folder / "topics.svg")
    yield "a drawing", lambda: (folder / "topics.svg").read_bytes()[:5]
    yield "plot_topics as .txt", lambda: as_before(bank.plot_topics, folder / "topics.txt")
    yield "no picture", (folder / "topics.txt").exists
    yield "undo", lambda: bank.undo(1)
    yield "undo nothing", lambda: bank.undo(7)
    yield "compact, dry", lambda: bank.compact(superseded=True, dry_run=True)
    yield "compact", lambda: bank.compact(superseded=True, faded=True)
    yield "export", lambda: bank.export(folder / "out.jsonl")
    yield "what was exported", (folder / "out.jsonl").read_bytes
    yield "import_", lambda: memory.bank("copy").import_(folder / "out.jsonl", progress=told)
    yield "progress of an import", lambda: steps[-1]
    yield "what was imported", lambda: memory.bank("copy").episodes()
    notes = folder / "notes"
    (notes / "trips").mkdir(parents=True)
    (notes / "trips" / "lisbon.md").write_text("Lisbon is full of hills. " * 30)
    (notes / "b.md").write_text("The leak was mended.")
    (notes / "c.xyz").write_text("?")
    (notes / "link.md").symlink_to(notes / "b.md")
    for file in notes.rglob("*"):
        os.utime(file, (1.7e9, 1.7e9))
    yield "import a folder", lambda: memory.bank("notes").import_(notes)
    yield "what it held", lambda: memory.bank("notes").episodes()
    (notes / "b.md").write_text("The leak is back.")
    os.utime(notes / "b.md", (1.7e9, 1.7e9))
    yield "import it again", lambda: memory.bank("notes").import_(notes, progress=told)
    yield "what it holds", lambda: [e.text for e in memory.bank("notes").episodes()]
    kept = folder / "projects"
    (kept / "-shop" / "5f0c" / "tool-results").mkdir(parents=True)
    (kept / "-shop" / "5f0c" / "tool-results" / "1.txt").write_text("The output of a tool.")
    (kept / "-shop" / "memory").mkdir()
    (kept / "-shop" / "memory" / "MEMORY.md").write_text("- Deploys go out on Tuesdays.")
    line = {"type": "user", "sessionId": "5f0c", "uuid": "u", "timestamp": NOON.isoformat(),
            "message": {"content": "We use pnpm here, never npm."}}  # fmt: skip
    (kept / "-shop" / "5f0c.jsonl").write_text(json.dumps(line) + "\n{")
    for file in kept.rglob("*"):
        os.utime(file, (1.7e9, 1.7e9))
    agents = memory.bank("agents")
    yield "import an agent's", lambda: agents.import_(kept, format="claude-code")
    yield "what of an agent's came in", agents.episodes
    yield "import it once more", lambda: told_of(agents.import_(kept, format="claude-code"))
    noted = memory.bank("notes")
    (notes / "b.md").rename(notes / "leak.md")
    yield "import a renamed file", lambda: told_of(noted.import_(notes))
    yield "what it is called", lambda: [e.address for e in noted.episodes()][-1]
    (notes / "leak.md").unlink()
    yield "import what is gone", lambda: told_of(noted.import_(notes))
    yield "import it synced", lambda: told_of(noted.import_(notes, sync=True))
    (notes / "trips" / "lisbon.md").unlink()
    yield "import it synced again", lambda: told_of(noted.import_(notes))
    yield "sources", lambda: [replace(s, place=None) for s in noted.sources()]
    yield "forgotten", lambda: noted.episodes(forgotten=True)
    yield "restore a source", lambda: noted.restore(source="leak.md")
    yield "forget a source", lambda: noted.forget(source=["leak.md"])
    yield "erase a source", lambda: noted.forget(source="leak.md", erase=True, progress=told)
    yield "withdraw", lambda: noted.withdraw("trips/lisbon.md")
    yield "no source", lambda: noted.forget(source="nowhere")
    (notes / "b.md").write_text("The leak is back again.")
    os.utime(notes / "b.md", (1.7e9, 1.7e9))
    yield "import under a name", lambda: told_of(noted.import_(notes, as_="house"))
    yield "import a file under a name", lambda: noted.import_(notes / "b.md", as_="house/b.md")
    yield "named sources", lambda: [s.name for s in noted.sources()]
    yield "import a file", lambda: memory.bank("b").import_(notes / "b.md", format="document")
    yield "import of no format", lambda: memory.bank("b").import_(notes / "b.md", format="?")
    yield "import nothing", lambda: memory.bank("b").import_(folder / "none.md")
    yield "banks", memory.banks
    yield "some banks", lambda: memory.banks(prefix="", after="b", limit=1)
    yield "delete_bank", lambda: memory.delete_bank("b")
    yield "banks left", lambda: memory.banks(prefix="b")
    yield "rebuild", lambda: memory.rebuild(banks=["copy"], progress=told)
    yield "memory sleeps", lambda: memory.sleep_if_due(Schedule(idle=timedelta(minutes=1)))
    yield "memory slept", memory.sleep_if_due
    yield "backup", lambda: memory.backup(folder / "copy.db", progress=told)
    yield "backup over it", lambda: memory.backup(folder / "copy.db")
    yield "backup to nowhere", lambda: memory.backup(folder / "no" / "copy.db")
    yield "what was backed up", lambda: backed_up(folder / "copy.db", clock)
    # what goes wrong
    yield "no text", lambda: bank.remember(" ")
    yield "no bank", lambda: memory.bank("nobody").stats()
    yield "no name", lambda: memory.bank("")
    yield "no id", lambda: bank.get("nothing")
    yield "no time", lambda: bank.remember("x y z", at="tomorrowish")
    yield "no such filter", lambda: bank.recall("x", speakr="Ada")
    yield "no meaning", lambda: bank.recall("x", session=[])
    yield "no number", lambda: bank.recall("x", -1)
    yield "no period", lambda: bank.trend("garden", by="fortnight")
    yield "no cue", lambda: bank.recall("x", cues=["smell"])
    yield "no JSON", lambda: bank.remember("x y z", metadata={"a": float("nan")})
    yield "no key", lambda: bank.remember("x y z", metadata={1: "a"})
    yield "half a character", lambda: bank.remember("x \ud800")
    yield "no step", lambda: bank.sleep(steps=["dance"])
    yield "no policy", lambda: bank.set_policy("kindly")
    yield "no term", bank.find
    yield "no limit", lambda: memory.banks(limit=-1)
    yield "no whole limit", lambda: bank.episodes(limit=2.0)
    yield "no number of a limit", lambda: bank.find("garden", limit="2")


def told_of(done):
    """Return all that an import tells, also what two of them may differ in and be equal."""
    return {field.name: getattr(done, field.name) for field in fields(done)}


def backed_up(path, clock):
    with Memory(path, embedder="hash", clock=clock) as memory:
        return {name: memory.bank(name).episodes() for name in memory.banks()}


def play(memory, folder, clock):
    """Return every step of the scenario with its outcome."""
    outcomes = {}
    for step, call in scenario(memory, folder, clock):
        try:
            outcomes[step] = plain(call())
        except (HippocampusError, OSError) as exc:
            outcomes[step] = exc
    return outcomes


@pytest.fixture(scope="module")
def played(tmp_path_factory, served):
    """Return the outcomes of all steps in each of the four ways."""
    folder = tmp_path_factory.mktemp("contract")
    with Memory(folder / "empty.db", embedder="hash") as empty:
        for way in ("here", "awaited", "served", "served_awaited"):
            (folder / way).mkdir()
            empty.backup(folder / way / "memory.db")  # of one salt, so that ids are the same
    outcomes = {}

    def clock_of():
        return ManualClock(NOON)

    def path_of(way):
        return folder / way / "memory.db"

    clock = clock_of()
    with Memory(path_of("here"), embedder="hash", clock=clock) as memory:
        outcomes["here"] = play(memory, folder / "here", clock)
    clock = clock_of()
    with asyncio.Runner() as runner:
        memory = AsyncMemory(path_of("awaited"), embedder="hash", clock=clock)
        outcomes["awaited"] = play(Now(runner, memory), folder / "awaited", clock)
        runner.run(memory.close())
    for way, kind in (("served", Client), ("served_awaited", AsyncClient)):
        clock = clock_of()
        with (
            Memory(path_of(way), embedder="hash", clock=clock) as memory,
            served(memory) as url,
            asyncio.Runner() as runner,
        ):
            client = kind(url)
            asked = client if kind is Client else Now(runner, client)
            outcomes[way] = play(asked, folder / way, clock)
            asked.close()
    return outcomes


OTHER_WORDS = {"no bank", "no period", "half a character", "reveal", "count along with none"}
"""Steps that fail alike and say so otherwise: of other banks a server tells nothing, nor where its
store is, and what cannot be read is not looked at by a verb."""


def told(outcome):
    """Return what an outcome is; of an error, what it says, without the folder of the test."""
    if not isinstance(outcome, Exception):
        return outcome
    said = re.sub(r"/\S*/(?=\w+\.\w+:)", "", str(outcome))
    return type(outcome), re.sub(r"; in turn \d.*", "", said)  # a note, which stands apart here


@pytest.mark.slow
@pytest.mark.parametrize("way", ["awaited", "served", "served_awaited"])
def test_every_verb_has_the_same_answer_or_failure_as_here(played, way):
    here, there = played["here"], played[way]

    assert set(here) == set(there)
    for step, outcome in here.items():
        if step in OTHER_WORDS:
            assert type(outcome) is type(there[step]), step
        else:
            assert told(outcome) == told(there[step]), step


@pytest.mark.slow
def test_the_scenario_has_every_verb_with_most_of_it_going_well(played):
    written = inspect.getsource(scenario)
    public = {name for name in dir(Bank) if not name.startswith("_")} - {"position", "policy"}
    wrong = [step for step, outcome in played["here"].items() if isinstance(outcome, Exception)]

    assert {
        verb
        for verb in public | OF_A_STORE - {"calibrate"}
        if not re.search(rf'[."]{verb}\b', written)
    } == set()
    assert len(wrong) < 38


# ---------------------------------------------------------------- what is given


TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
MOMENTS = st.none() | st.datetimes(min_value=datetime(1970, 1, 2), timezones=st.just(UTC))  # noqa: DTZ001
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "since": MOMENTS,
        "until": TEXTS,
        "session": TEXTS | st.lists(TEXTS, min_size=1, max_size=3),
        "speaker": st.tuples(TEXTS, TEXTS) | st.sets(TEXTS, min_size=1, max_size=1),
        "where": st.dictionaries(TEXTS, JSON, min_size=1, max_size=2),
        "during": TEXTS | st.lists(TEXTS | st.tuples(MOMENTS, TEXTS), min_size=1, max_size=2),
        "limit": st.none() | st.integers(0, 10**9),
        "newest": st.booleans(),
    },
)


def seen(value):
    """Return a value as a server should see it: moments as text, collections as lists."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: seen(one) for key, one in value.items()}
    return list(map(seen, value)) if isinstance(value, list | tuple | set) else value


def of_one(value):
    """Return the one text of a list of one: a query does not tell the two apart, nor do filters."""
    one = isinstance(value, list) and len(value) == 1 and isinstance(value[0], str)
    return value[0] if one else value


@given(given=FILTERS)
def test_what_is_given_to_a_verb_is_what_the_server_reads(given):
    takes = BANK_VERBS["episodes"]
    sent = {name: listed(value) for name, value in given.items()}
    asked = takes.from_query(parse_qsl(urlencode(to_query(sent)), keep_blank_values=True)).named
    told = takes.from_json(to_json(sent)).named

    for name, value in given.items():
        assert seen(value) == seen(told[name])
        assert of_one(seen(value)) == of_one(seen(asked[name]))


def test_a_list_of_none_is_not_the_list_that_holds_where_nothing_is_said(served, memory):
    memory.bank("all").remember("I live in Porto.", speaker="Lena")
    memory.bank("ada").remember("I live in Rome.", speaker="Ada")
    memory.bank("ada").include("all")
    with served(memory) as url, Client(url) as client:
        for bank in (memory.bank("ada"), client.bank("ada")):
            assert ["Ada", "Lena"] == sorted(fact.subject for fact in bank.facts())
            assert ["Ada"] == [fact.subject for fact in bank.facts(include=[])]
            with pytest.raises(InvalidFilter):
                bank.facts(trust=[])


@pytest.mark.parametrize("path", [5, "", "a\0"])
@pytest.mark.parametrize("verb", ["import_", "export", "import_concepts", "backup", "plot_topics"])
def test_a_path_that_is_none_is_refused_without_asking_a_server(verb, path):
    with Client("http://127.0.0.1:9", attempts=1) as client:
        owner = client if verb == "backup" else client.bank("ada")
        with pytest.raises(InputError, match=r"path=|target=") as there:
            getattr(owner, verb)(path)
    with Memory(":memory:", embedder="none") as memory, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        memory.bank("ada").remember("The boat is blue.")
        owner = memory if verb == "backup" else memory.bank("ada")
        with pytest.raises(InputError) as here:
            getattr(owner, verb)(path)
    assert told(here.value) == told(there.value)


class Shouted(str):
    """A text of a kind of its own, as libraries have for pages, that shows itself otherwise."""

    __slots__ = ()

    def __str__(self):
        return self.upper()


class Percent(float):
    """A number of a kind of its own."""


class Score(int):
    """A whole number of a kind of its own."""


def test_texts_and_numbers_of_a_kind_of_their_own_are_texts_and_numbers(served, memory):
    def ask(bank):
        bank.remember(
            Shouted("The boat is blue."), speaker=np.str_("Ada"), metadata={"n": Score(1)}
        )
        bank.remember_many([Turn(text=Shouted("The shed is green."), session=Shouted("s1"))])
        found = bank.recall(
            Shouted("boat"), Score(2), min_score=np.float64(0), speaker=np.str_("Ada")
        )
        yield [(hit.text, hit.episode.metadata) for hit in found]
        yield [one.text for one in bank.find(np.str_("green"))]
        yield bank.count(Shouted("boat")), bank.recall("boat", min_score=Percent(0.99)).found
        yield [one.text for one in bank.episodes(session=Shouted("s1"))]

    here = list(ask(memory.bank("here")))
    with served(memory) as url, Client(url) as client:
        assert here == list(ask(client.bank("there")))
    assert ["The shed is green."] == here[1]


# ---------------------------------------------------------------- keys


def test_a_key_opens_only_its_own_banks_for_what_its_role_may_do(served, memory):
    memory.bank("acme/ada").remember("The key is here.")
    memory.bank("other/tom").remember("It is there.")
    keys = Keys(memory)
    reads = keys.create(name="reads", role="read", banks=["acme/*"]).token
    with served(memory) as url:
        with Client(url, key=reads) as client:
            assert ["acme/ada"] == client.banks()
            assert 1 == len(client.bank("acme/ada").recall("key"))
            with pytest.raises(AccessError, match="read"):
                client.bank("acme/ada").remember("No.")
            with pytest.raises(UnknownBank):
                client.bank("other/tom").stats()
        for key in (None, reads[:-1] + "_"):
            with Client(url, key=key) as client, pytest.raises(Unauthorized):
                client.banks()

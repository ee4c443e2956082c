"""
What ordinary people type, by authors who saw no code: how much of it is read, found and told apart.

The bounds are what was reached when the authors' texts came in, less what chance takes: a rule that
reads one more phrase and loses three others falls below them.
"""

import json
from datetime import UTC, datetime, timedelta
from importlib.resources import files

import pytest

from hippocampus import Memory
from hippocampus.encode.model_files import installed
from hippocampus.language.parsed.pipeline import can_parse
from hippocampus.language.statements import find_statements
from hippocampus.language.time import find_intervals, find_told

TEXTS = files("hippocampus_bench") / "data" / "everyday"
NEAR = timedelta(hours=6)


def lines_of(name):
    return [json.loads(line) for line in (TEXTS / name).read_text("utf-8").splitlines()]


def moment(written):
    return datetime.fromisoformat(written).replace(tzinfo=UTC)


def times_in(line):
    at = moment(line["said_at"])
    if line["role"] == "question":
        return find_intervals(line["text"], at)
    return find_told(line["text"], at, UTC)


def test_times_are_read_as_their_authors_meant_them():
    right, named, alarms, idle = 0, 0, 0, 0
    for line in lines_of("times.jsonl"):
        found = times_in(line)
        if line["none"]:
            idle, alarms = idle + 1, alarms + bool(found)
            continue
        edges = moment(line["start"]), moment(line["end"])
        named += 1
        right += any(
            one.start and one.end
            and abs(one.start - edges[0]) <= NEAR and abs(one.end - edges[1]) <= NEAR
            for one in found
        )  # fmt: skip

    assert right >= 0.8 * named, f"{right} of {named}"
    assert alarms <= 0.08 * idle, f"{alarms} of {idle}"


def said_by(fact):
    return tuple(one.casefold() for one in (fact["subject"], fact["relation"], fact["object"]))


@pytest.mark.slow
@pytest.mark.skipif(not can_parse(), reason="needs 'hippocampus models install english'")
def test_statements_are_read_as_their_authors_meant_them():
    told, met, alarms, idle = 0, 0, 0, 0
    for line in lines_of("statements.jsonl"):
        found = find_statements(
            line["text"], speaker=line["speaker"], occurred_at=moment(line["at"]), reader="parse"
        )
        read = {(s.subject.casefold(), s.relation, s.object.casefold()) for s in found}
        wanted = {said_by(fact) for fact in line["facts"]}
        idle, alarms = idle + (not wanted), alarms + (bool(read) and not wanted)
        told += len(wanted)
        met += sum(
            any(who == one[0] and what == one[1] and (of in one[2] or one[2] in of) for one in read)
            for who, what, of in wanted
        )

    assert met >= 0.62 * told, f"{met} of {told}"
    assert alarms <= 0.1 * idle, f"{alarms} of {idle}"


class Clock:
    now_is = datetime(2020, 1, 1, tzinfo=UTC)

    def now(self):
        return self.now_is


def answers(history):
    """Yield each question with its hits, asked at its moment, of a bank that sleeps as it grows."""
    clock, ids = Clock(), {}
    (bank,) = json.loads((TEXTS / history).read_text("utf-8"))["banks"]
    todo = [(moment(one["at"]), one) for one in bank["episodes"]]
    with Memory(":memory:", embedder="default", clock=clock) as memory:
        kept = memory.bank(bank["id"])
        for asked in sorted(bank["questions"], key=lambda one: one["at"]):
            now = moment(asked["at"])
            while todo and todo[0][0] <= now:
                clock.now_is, said = todo.pop(0)
                turn = {key: said[key] for key in ("speaker", "role", "session")}
                ids[kept.remember(said["text"], at=clock.now_is, **turn).id] = said["id"]
                if len(ids) % 20 == 0:
                    kept.sleep()
            clock.now_is = now
            yield asked, [ids[hit.id] for hit in kept.recall(asked["text"], k=10, now=now).hits]


@pytest.mark.slow
@pytest.mark.skipif(installed() is None, reason="needs 'hippocampus models install'")
def test_what_is_asked_of_histories_is_found():
    first, near, wanted, asked = 0, 0, 0, 0
    for history in ("nurse", "manager", "journalist", "plumber", "student", "widow"):
        for question, hits in answers(f"{history}.json"):
            needed = set(question["gold"])
            asked, wanted = asked + bool(needed), wanted + len(needed)
            first += hits[:1] != [] and hits[0] in needed
            near += len(needed.intersection(hits))

    assert first >= 0.48 * asked, f"{first} of {asked}"
    assert near >= 0.74 * wanted, f"{near} of {wanted}"

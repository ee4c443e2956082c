"""A request that names itself by a key is done once, whoever sends it again, and when."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import served

from hippocampus import Memory
from hippocampus.core.clock import ManualClock
from hippocampus.core.idempotency import KEPT_S, Request, doing
from hippocampus.server.keys import Keys
from hippocampus.store import kept_time
from hippocampus.upkeep import verify

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
ADA = "/v1/banks/ada"


@pytest.fixture
def ask(http):
    """Send a request with a key; return the answer."""

    def send(verb, key, body=None, **headers):
        made = http.post(
            f"{ADA}/{verb}", json=body or {}, headers={"Idempotency-Key": key, **headers}
        )
        made.raise_for_status()
        return made.json()

    return send


@pytest.fixture
def bank(memory):
    return memory.bank("ada")


def journal(bank):
    return [(change.kind, change.episode) for change in bank.journal()]


def test_a_text_that_is_sent_again_is_the_same_episode_though_time_has_passed(ask, bank, clock):
    first = ask("remember", "k1", {"text": "It rains."})
    clock.advance(timedelta(minutes=5))

    assert first == ask("remember", "k1", {"text": "It rains."})
    assert 1 == len(bank.episodes())
    assert first["id"] != ask("remember", "k2", {"text": "It rains."})["id"]


def test_what_others_did_meanwhile_is_not_undone_when_a_request_comes_again(ask, bank):
    kept = bank.remember("The key is under the pot.").id
    for verb, back in (("forget", bank.restore), ("pin", bank.unpin)):
        assert 1 == ask(verb, verb, {"id": kept})
        assert 1 == back(kept)
        assert 1 == ask(verb, verb, {"id": kept}), "it says what came of it then"
    assert ["active"] == [episode.state for episode in bank.episodes()]


def test_a_correction_that_comes_again_answers_with_the_new_wording(ask, bank):
    old = bank.remember("The meeting is on Monday.")
    body = {"id": old.id, "text": "The meeting is on Tuesday."}

    new = ask("correct", "c", body)

    assert new == ask("correct", "c", body)
    assert new["id"] != old.id


def test_what_is_noted_is_noted_once(ask, bank):
    kept = bank.remember("Tea helps.").id
    for verb, body in (
        ("feedback", {"id": kept, "helpful": True}),
        ("set_profile", {"persona": "Be brief."}),
        ("curate", {"add": ["tea"]}),
        ("set_policy", {"policy": "adaptive:25000"}),
        ("hold", {"id": kept, "reason": "asked for"}),
        ("release", {"id": kept}),
    ):
        ask(verb, verb, body)
        before = journal(bank)
        ask(verb, verb, body)
        assert before == journal(bank), verb


def test_a_sleep_is_undone_once(ask, bank):
    for _ in range(3):
        bank.remember("The ferry leaves at nine.", again=True)
    bank.sleep()

    done = ask("undo", "u", {"sleep": 1})

    assert done == ask("undo", "u", {"sleep": 1})


def test_an_upload_in_several_batches_goes_on_where_it_broke_off(tmp_path):
    with Memory(tmp_path / "m.db", embedder=None) as memory:
        bank = memory.bank("ada")
        turns = [{"role": "user", "content": f"Thing {n}."} for n in range(700)]
        told = []

        def break_off(done, total):
            told.append((done, total))
            if done:
                raise KeyboardInterrupt

        request = Request.named("k", caller="", asked=b"", salt=b"")
        with pytest.raises(KeyboardInterrupt), doing(request):
            bank.remember_many(turns, progress=break_off)
        some = len(bank.episodes())
        with doing(request):
            kept = bank.remember_many(turns)

        assert 0 < some < 700
        assert [f"Thing {n}." for n in range(700)] == [episode.text for episode in kept]
        assert 700 == len(bank.episodes())


def test_all_of_a_source_is_forgotten_once(ask, bank):
    for n in range(3):
        bank.remember(f"Page {n}.", source="notes.md")

    assert 3 == ask("forget", "s", {"source": "notes.md"})
    assert 3 == bank.restore(source="notes.md")
    assert 3 == ask("forget", "s", {"source": "notes.md"})
    assert {"active"} == {episode.state for episode in bank.episodes()}


@pytest.mark.parametrize("erase", [False, True])
def test_all_of_a_session_is_forgotten_once(ask, bank, erase):
    for n in range(3):
        bank.remember(f"Turn {n}.", session="s1")

    for _ in range(2):
        assert 3 == ask("forget", "s", {"session": "s1", "erase": erase})
    assert 0 == ask("forget", "t", {"session": "s1", "erase": erase})
    assert [] == bank.episodes()


def test_a_bank_is_deleted_once_though_another_of_its_name_is_there(http, memory):
    key = {"Idempotency-Key": "d"}
    memory.bank("eve").remember("One.")
    assert 200 == http.delete("/v1/banks/eve", headers=key).status_code
    memory.bank("eve").remember("Two.")

    assert 200 == http.delete("/v1/banks/eve", headers=key).status_code
    assert ["Two."] == [episode.text for episode in memory.bank("eve").episodes()]


def test_a_key_that_was_sent_with_another_request_is_refused(http, ask):
    ask("remember", "k", {"text": "One."})

    made = http.post(f"{ADA}/remember", json={"text": "Two."}, headers={"Idempotency-Key": "k"})

    assert 422 == made.status_code
    assert "key of its own" in made.json()["error"]["message"]


@pytest.mark.parametrize("key", ["", "x" * 201])
def test_a_key_that_is_none_is_refused(http, key):
    made = http.post(f"{ADA}/remember", json={"text": "One."}, headers={"Idempotency-Key": key})

    assert 422 == made.status_code
    assert "Idempotency-Key" in made.json()["error"]["message"]


def test_callers_do_not_share_keys(tmp_path):
    with Memory(tmp_path / "m.db", embedder=None) as memory, served(memory) as url:
        keys = Keys(memory)
        tokens = [keys.create(name, "write", ["*"]).token for name in ("ada", "bob")]
        for token in tokens:
            headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "1"}
            body = {"text": f"Said with {token[-4:]}."}
            httpx.post(f"{url}{ADA}/remember", json=body, headers=headers).raise_for_status()

        assert 2 == len(memory.bank("ada").episodes())


@pytest.mark.slow
def test_a_request_is_known_after_the_server_was_started_anew(tmp_path):
    clock, key = ManualClock(NOON), {"Idempotency-Key": "k"}
    found = []
    for _ in range(2):
        with Memory(tmp_path / "m.db", embedder=None, clock=clock) as memory:
            with served(memory) as url:
                made = httpx.post(f"{url}{ADA}/remember", json={"text": "It rains."}, headers=key)
                found.append(made.json())
            assert verify(memory).sound
        clock.advance(timedelta(hours=1))

    assert found[0] == found[1]


def test_a_request_that_two_servers_get_at_once_is_done_once(tmp_path):
    file = tmp_path / "m.db"
    with Memory(file, embedder=None) as one, Memory(file, embedder=None) as two:
        one.bank("ada").remember("The first.")
        for number in range(20):
            request = Request.named(str(number), caller="", asked=b"", salt=b"")
            start = threading.Barrier(2)

            def keep(memory, request=request, number=number, start=start):
                start.wait()
                with doing(request):
                    return memory.bank("ada").remember(f"Number {number}.").id

            with ThreadPoolExecutor(2) as threads:
                ids = set(threads.map(keep, (one, two)))
            assert 1 == len(ids)
        assert 21 == len(one.bank("ada").episodes())


def test_of_what_was_erased_a_request_that_comes_again_says_that_it_is_gone(ask, bank):
    kept = ask("remember", "k", {"text": "Erase me."})["id"]
    bank.forget(kept, erase=True)

    again = ask("remember", "k", {"text": "Erase me."})

    assert (kept, "erased", "") == (again["id"], again["state"], again["text"])
    assert [] == bank.episodes()


@pytest.mark.slow
def test_what_is_known_of_requests_goes_after_a_day(tmp_path, monkeypatch):
    wall = ManualClock(NOON)
    monkeypatch.setattr(kept_time, "time_ns", lambda: int(wall.now().timestamp()) * 10**9)
    with Memory(tmp_path / "m.db", embedder=None, clock=wall) as memory:
        store, asked = memory.engine.store, {}
        for name, calls in (("ada", 200), ("quiet", 3)):
            asked[name] = feed_back(memory, name, [f"{name} {n}" for n in range(calls)])
        for _ in range(25):  # of a pause no more than an hour counts
            wall.advance(timedelta(seconds=KEPT_S / 24))
            feed_back(memory, "ada", [f"at {wall.now()}"])
        feed_back(memory, "ada", [f"later {n}" for n in range(200)])

        for name, requests in asked.items():
            number = store.banks.number(name)
            assert not any(store.requests.find(number, one.key) for one in requests), name


def feed_back(memory, name, keys):
    """Note help in a bank under each of some keys; return the requests."""
    bank = memory.bank(name)
    kept = bank.remember("Tea.").id
    requests = [Request.named(key, caller="", asked=b"", salt=b"") for key in keys]
    for request in requests:
        with doing(request):
            bank.feedback(kept, helpful=True)
    return requests


@pytest.mark.parametrize("wrong", [timedelta(days=3), timedelta(days=-400)])
def test_a_server_whose_clock_is_wrong_loses_no_key(tmp_path, wrong):
    file = tmp_path / "m.db"
    with (
        Memory(file, embedder=None, clock=ManualClock(NOON)) as right,
        Memory(file, embedder=None, clock=ManualClock(NOON + wrong)) as other,
    ):
        fresh = [
            *feed_back(right, "ada", ["a", "b"]),
            *feed_back(other, "ada", [f"wrong {n}" for n in range(100)]),
            *feed_back(right, "ada", [f"right {n}" for n in range(100)]),
        ]
        number = right.engine.store.banks.number("ada")
        assert all(right.engine.store.requests.find(number, one.key) for one in fresh)


CALLS = st.lists(
    st.tuples(st.sampled_from(["remember", "forget", "restore", "pin", "correct"]),
              st.integers(0, 3), st.integers(0, 2)),
    max_size=12,
)  # fmt: skip


def do(bank, ids, verb, which, number):
    """Do one call; what cannot be done is an answer, too."""
    try:
        if verb == "remember":
            ids.append(bank.remember(f"Thing {which}.", again=True).id)
            return ids[-1]
        kept = ids[which % len(ids)]
        if verb == "correct":
            return bank.correct(kept, f"Thing {which}, mended {number}.").id
        return getattr(bank, verb)(kept)
    except (ValueError, ZeroDivisionError) as exc:
        return type(exc).__name__


@given(calls=CALLS)
def test_calls_that_arrive_several_times_do_what_they_do_once(calls):
    told = []
    for repeated in (False, True):
        clock = ManualClock(NOON)
        with Memory(":memory:", embedder=None, clock=clock) as memory:
            bank, ids, answers, done = memory.bank("ada"), [], [], []
            for number, (verb, which, again) in enumerate(calls):
                request = Request.named(str(number), caller="", asked=verb.encode(), salt=b"")
                with doing(request):
                    answers.append(do(bank, ids, verb, which, number))
                clock.advance(timedelta(seconds=1))
                done.append((request, verb, which, number, answers[-1]))
                for late in done[-1 - again :] if repeated else ():
                    if late[4] in ("ValueError", "ZeroDivisionError") or late[1] == "correct":
                        continue  # what was refused is not done, so it may be later
                    with doing(late[0]):
                        assert late[4] == do(bank, list(ids), *late[1:4])
            told.append((answers, journal(bank), [e.state for e in bank.episodes()]))
    assert told[0] == told[1]


def test_two_servers_that_forget_a_source_at_once_forget_it_once(tmp_path):
    file = tmp_path / "m.db"
    with Memory(file, embedder=None) as one, Memory(file, embedder=None) as two:
        for number in range(6):
            source = f"notes-{number}.md"
            for page in range(3):
                one.bank("ada").remember(f"Page {page} of {number}.", source=source)
            request = Request.named(str(number), caller="", asked=b"", salt=b"")
            start = threading.Barrier(2)

            def forget(memory, request=request, source=source, start=start):
                start.wait()
                with doing(request):
                    return memory.bank("ada").forget(source=source)

            with ThreadPoolExecutor(2) as threads:
                assert [3, 3] == list(threads.map(forget, (one, two)))


def test_what_is_kept_of_a_request_cannot_be_tried_with_words():
    kept = Request.named("b7c1", caller="ada", asked=b"The locker is 14.", salt=b"salt")
    for key, salt in (("b7c1", b"other"), ("b7c2", b"salt")):
        tried = Request.named(key, caller="ada", asked=b"The locker is 14.", salt=salt)
        assert kept.asked != tried.asked

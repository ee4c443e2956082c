"""One bank never meets another; what is written is read at once, in any script, from anywhere."""

import asyncio
import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import AsyncBank, AsyncMemory, Bank, Memory, Turn
from hippocampus.errors import InputError, StoreClosed, UnknownEpisode
from hippocampus.journal.payloads import READ_BY_LANGUAGE
from hippocampus.upkeep import doctor, misdated, reindex, scan, verify

NAMES = ("ada", "Ada", "tom", " ada")
WORDS = ("kettle", "violin", "garden", "ticket")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(["remember", "forget", "restore", "correct", "erase", "delete", "reindex"]),
        st.sampled_from(WORDS),
    ),
    max_size=25,
)


def everything(memory, name):
    """Return all that can be read of a bank."""
    bank = memory.bank(name)
    return (
        bank.episodes(),
        bank.journal(),
        [(hit.id, hit.score, hit.shares) for hit in bank.recall(" ".join(WORDS), k=99)],
        bank.stats() if name in memory.banks() else None,
        {
            change.episode: bank.history(change.episode)
            for change in bank.journal()
            if change.episode
        },
    )


def take(memory, name, verb, word):
    bank = memory.bank(name)
    ids = [c.episode for c in bank.journal() if c.kind == "remember"]
    try:
        if verb == "remember":
            bank.remember(f"The {word} is here.", speaker=word, session=word, at="2025-03-02")
        elif verb == "delete":
            memory.delete_bank(name)
        elif verb == "reindex":
            memory.rebuild(banks=[name])
        elif not ids:
            return
        elif verb == "correct":
            bank.correct(ids[-1], f"The {word} was moved.")
        elif verb == "erase":
            bank.forget(ids[0], erase=True)
        else:
            getattr(bank, verb)(ids)
    except InputError:
        pass


@pytest.mark.slow
@given(STEPS)
def test_nothing_done_to_one_bank_changes_what_another_answers(steps):
    with Memory(":memory:", embedder="hash") as memory:
        seen = {name: everything(memory, name) for name in NAMES}
        for name, verb, word in steps:
            take(memory, name, verb, word)
            seen[name] = everything(memory, name)
            assert seen == {other: everything(memory, other) for other in NAMES}
        assert () == verify(memory).problems


@given(STEPS)
def test_a_bank_among_others_answers_as_it_would_alone(steps):
    with Memory(":memory:", embedder="hash") as among, Memory(":memory:", embedder="hash") as alone:
        for name, verb, word in steps:
            take(among, name, verb, word)
            if name == "ada":
                take(alone, name, verb, word)
        for one, other in zip(
            among.bank("ada").episodes(), alone.bank("ada").episodes(), strict=True
        ):
            assert (one.id, one.text, one.turn, one.state) == (
                other.id,
                other.text,
                other.turn,
                other.state,
            )
        kinds = [
            [(c.seq, c.kind, c.episode) for c in m.bank("ada").journal()] for m in (among, alone)
        ]
        assert kinds[0] == kinds[1]


def test_an_id_of_another_bank_is_unknown(memory):
    kept = memory.bank("ada").remember("The key is here.")
    other = memory.bank("tom")
    other.remember("Something else.")
    for verb in (other.get, other.forget, other.restore, other.history):
        with pytest.raises(UnknownEpisode):
            verb(kept.id)
    with pytest.raises(UnknownEpisode):
        other.correct(kept.id, "The key is gone.")
    with pytest.raises(UnknownEpisode):
        other.forget(kept.id, erase=True)

    assert kept == memory.bank("ada").get(kept.id)


def test_text_recalled_from_one_bank_is_news_to_another(memory):
    first = memory.bank("ada").remember("The key is under the blue pot.", at="2025-03-02")
    hit = memory.bank("ada").recall("key")[0]
    second = memory.bank("tom").remember(hit.text)

    assert first.id != second.id
    assert "tom" == second.bank


# ---------------------------------------------------------------- read your writes


def test_asking_an_empty_bank_finds_nothing_without_making_it(memory, bank):
    recall = bank.recall("Where is the key?")

    assert not recall.found
    assert not recall
    assert () == recall.hits
    assert 0 == recall.confidence == len(recall)
    assert [] == bank.episodes() == bank.journal() == memory.banks()
    assert "nothing relevant" in recall.explain()


def test_an_empty_bank_says_that_it_is_empty_for_its_name_may_be_misspelt(memory, bank):
    bank.remember("The key is under the pot.")

    assert "Bank 'aad' holds nothing yet." == memory.bank("aad").recall("Where is the key?").note
    assert "" == bank.recall("Where is the key?").note


def test_what_was_asked_for_in_vain_is_found_once_it_is_remembered(bank):
    assert not bank.recall("Where is the key?")
    kept = bank.remember("The key is under the blue pot.")

    assert kept.id == bank.recall("Where is the key?")[0].id
    assert [kept] == bank.episodes()


def test_each_memory_on_a_file_reads_what_another_wrote(open_memory):
    banks = [open_memory().bank("ada") for _ in range(3)]
    for n in range(12):
        kept = banks[n % 3].remember(f"Fact number {n} of the file.", session="s", at="2025-03-02")
        assert n == kept.turn
        for bank in banks:
            assert n + 1 == len(bank.episodes())
            assert kept.id in {hit.id for hit in bank.recall(f"fact number {n}", k=20)}
        if n % 4 == 3:
            banks[(n + 1) % 3].forget(kept.id)
            assert all(
                kept.id not in {e.id for e in bank.episodes(limit=99)} - {kept.id} for bank in banks
            )
            assert all("forgotten" == bank.get(kept.id).state for bank in banks)
            banks[(n + 2) % 3].restore(kept.id)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("我明天去上海看望我的妹妹。", "上海"),
        ("明日は京都で友達に会います。", "京都"),
        ("พรุ่งนี้ฉันจะไปเชียงใหม่", "เชียงใหม่"),
        ("내일 부산에 갑니다", "부산에"),
        ("אני גר בחיפה ליד הים", "בחיפה"),
        ("سأسافر إلى القاهرة غدا", "القاهرة"),
        ("Das Café an der Straße heißt Zum Löwen.", "STRASSE"),
        ("Cafe\u0301 in composed letters", "café"),
        ("Ich wohne in MÜNCHEN.", "münchen"),
        ("The ＦＵＬＬＷＩＤＴＨ sign", "fullwidth"),
        ("We met at the 🎻 shop", "🎻 shop"),
        ("naïve façade coöperation", "façade"),
    ],
)
def test_text_of_any_script_is_recalled_by_its_words(open_memory, text, question):
    bank = open_memory(":memory:", embedder="none").bank("ada")
    bank.remember_many(
        Turn(text=other, at="2025-03-02")
        for other in (
            "Something else.",
            "和别的事情",
            "Ganz was anderes",
            "другое дело",
            "🚗 parked",
        )
    )
    kept = bank.remember(text, at="2025-03-01")
    recall = bank.recall(question)

    assert kept.id == recall[0].id
    assert text == recall[0].text


# ---------------------------------------------------------------- closed, counted, copied


def test_a_closed_memory_says_so(memory, bank):
    bank.remember("The key is here.")
    memory.close()
    memory.close()
    for call in (
        lambda: bank.recall("key"),
        lambda: bank.remember("No."),
        bank.episodes,
        bank.stats,
        memory.banks,
    ):
        with pytest.raises(StoreClosed):
            call()


def test_stats_count_what_is_there(bank):
    assert [] == bank.episodes()
    kept = bank.remember_many(
        Turn(
            text=f"Fact {n}.",
            speaker="Ada",
            session=f"s{n % 2}",
            source="a.md",
            at=f"2025-03-0{n + 1}",
        )
        for n in range(5)
    )
    bank.forget(kept[0].id)
    bank.correct(kept[4].id, "Another fact.")
    stats = bank.stats()

    assert (4, 1, 1, 2) == (stats.episodes, stats.superseded, stats.forgotten, stats.sessions)
    assert (("Ada",), ("a.md",)) == (stats.speakers, stats.sources)
    assert (kept[1].occurred_at, kept[4].occurred_at) == (stats.first, stats.last)
    assert stats.stored_bytes["content"] > 0
    assert "hash" in stats.embedder


def test_pages_and_order_of_episodes(bank):
    days = (3, 1, 2, 5, 4)
    bank.remember_many(Turn(text=f"On day {day}.", at=f"2025-03-0{day}") for day in days)

    def said(**options):
        return [episode.occurred_at.day for episode in bank.episodes(**options)]

    assert [1, 2, 3, 4, 5] == said()
    assert [5, 4, 3, 2, 1] == said(newest=True)
    assert [2, 3] == said(offset=1, limit=2)
    assert [4, 3] == said(offset=1, limit=2, newest=True)
    assert [] == said(limit=0) == said(offset=9)
    assert [3, 4] == said(since="2025-03-03", until="2025-03-04")


def test_a_backup_answers_the_same(open_memory, tmp_path):
    memory = open_memory()
    memory.bank("ada").remember_many(Turn(text=f"Fact {n}.", at="2025-03-02") for n in range(30))
    memory.backup(tmp_path / "copy.db")
    copy = open_memory("copy.db")

    assert everything(memory, "ada") == everything(copy, "ada")


# ---------------------------------------------------------------- asynchronous twins


@pytest.mark.parametrize("look", [verify, scan, doctor, misdated], ids=lambda one: one.__name__)
def test_a_bank_that_is_deleted_while_all_are_looked_at_is_passed_over(memory, monkeypatch, look):
    for name in ("ada", "bob", "eve"):
        memory.bank(name).remember("The kettle is on.")
    listed = memory.banks

    def deleted_since():
        names = listed()
        if "bob" in names:
            memory.delete_bank("bob")
        return names

    monkeypatch.setattr(memory, "banks", deleted_since)
    found = look(memory)
    if look is verify:
        assert found.sound
        assert {"banks": 2, "episodes": 2, "changes": 2} == found.checked
        assert 2 == len(found.heads)
    elif look is not doctor:
        assert [] == [*found]


def test_every_verb_has_an_awaitable_twin_with_the_same_arguments():
    for twin, sync in ((AsyncBank, Bank), (AsyncMemory, Memory)):
        for name, member in vars(twin).items():
            if name.startswith("_") or name in {"name", "bank", "sync"}:
                continue
            if isinstance(member, property):
                assert isinstance(getattr(sync, name), property)
                member = member.fget  # noqa: PLW2901 - what is awaited
                assert inspect.iscoroutinefunction(member), name
                continue
            assert inspect.iscoroutinefunction(member), name
            assert inspect.signature(getattr(sync, name)) == inspect.signature(member), name
    verbs = {
        "remember", "remember_many", "recall", "context", "get", "episodes", "correct", "forget",
        "restore", "history", "journal", "stats", "export", "import_",
    }  # fmt: skip
    assert verbs <= set(vars(AsyncBank))


def test_the_twins_answer_as_the_verbs_do(tmp_path, clock):
    async def talk():
        async with AsyncMemory(tmp_path / "memory.db", embedder="hash", clock=clock) as memory:
            bank = memory.bank("ada")
            kept = await bank.remember("The key is under the blue pot.", speaker="Ada")
            await asyncio.gather(
                *(bank.remember(f"Fact number {n}.", session="s") for n in range(8))
            )
            assert kept.id == (await bank.recall("blue pot"))[0].id
            assert 9 == len(await bank.episodes())
            assert list(range(8)) == sorted(e.turn for e in await bank.episodes(session="s"))
            new = await bank.correct(kept.id, "The key is with Tom.")
            assert 1 == await bank.forget(new.id)
            assert 1 == await bank.restore(new.id)
            assert new.id in {hit.id for hit in (await bank.context("key", 500)).items}
            assert 5 == len(await bank.history(kept.id))
            assert ["ada"] == await memory.banks()
            assert bank.sync.get(new.id) == await bank.get(new.id)
            with pytest.raises(InputError):
                await bank.recall("key", k=-1)
            await bank.export(tmp_path / "out.jsonl")
            assert 10 == (await bank.import_(tmp_path / "out.jsonl")).unchanged
            assert {"ada": 9} == await memory.rebuild()
            await memory.delete_bank("ada")
            assert [] == await memory.banks()

    asyncio.run(talk())


def test_closing_what_was_never_opened_makes_no_store(tmp_path):
    asyncio.run(AsyncMemory(tmp_path / "memory.db", embedder="none").close())

    assert [] == list(tmp_path.iterdir())


def test_words_indexed_before_texts_were_marked_are_named_with_the_fix(bank, memory):
    kept = bank.remember_many([Turn(text="I live in Porto."), Turn(text="Who lives there?")])
    ledger = memory.engine.ledger("ada")
    (payload,) = ledger.store.payloads.read(ledger.bank, "lexical", [0]).values()
    with ledger.store.write():
        without = payload.removesuffix(READ_BY_LANGUAGE)[:-4] + READ_BY_LANGUAGE
        ledger.store.payloads.put(ledger.bank, "lexical", [(0, without)])

    (problem,) = verify(memory).problems
    assert "1 texts were indexed by an earlier version" in problem
    assert "run 'hippocampus reindex'" in problem
    reindex(memory)
    assert verify(memory).sound
    assert len(kept) == 2

"""A memory goes from one bank to another: once, with where it is from, and is erased in both."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hippocampus import Memory
from hippocampus.bank.commit import Committer
from hippocampus.bank.copies import Copies
from hippocampus.bank.forgetting import Forgetting
from hippocampus.core.idempotency import Request, doing
from hippocampus.core.rights import Rights, holding
from hippocampus.errors import AccessError, InputError, StoreFull, StoreLocked, UnknownEpisode

DAY = datetime(2025, 6, 1, 12, tzinfo=UTC)
SAID = "The deploy fails when the cache is full; clear it first."


@pytest.fixture
def agent(memory):
    agent = memory.bank("agent")
    agent.remember("Ada likes tea.", speaker="Ada", at=DAY)
    agent.include("project")
    return agent


@pytest.fixture
def project(memory):
    return memory.bank("project")


@pytest.fixture
def lesson(agent):
    return agent.remember(
        SAID, speaker="Ada", at=DAY, session="monday", source="chat", origin="tool",
        metadata={"kind": "lesson"},
    )  # fmt: skip


def changes(bank, id_):
    return [(one.kind, dict(one.detail)) for one in bank.history(id_)][1:]


def test_a_copy_has_all_that_its_original_has_with_each_saying_where_the_other_is(
    agent, project, lesson
):
    (copy,) = agent.promote(lesson.id, to="project")

    for name in ("text", "speaker", "occurred_at", "session", "source", "address", "origin",
                 "metadata"):  # fmt: skip
        assert getattr(lesson, name) == getattr(copy, name), name
    assert ("project", "active") == (copy.bank, copy.state)
    assert [("promote", {"bank": "project", "id": copy.id})] == changes(agent, lesson.id)
    assert [("came", {"bank": "agent", "id": lesson.id})] == changes(project, copy.id)
    hit = agent.recall("Why does the deploy fail?").hits[0]
    assert ("agent", ("project",)) == (hit.bank, hit.also_in)


def test_promoting_again_changes_nothing(agent, project, lesson):
    first = agent.promote(lesson.id, to="project")
    before = agent.journal() + project.journal()

    assert first == agent.promote([lesson.id, lesson], to="project")
    assert before == agent.journal() + project.journal()


def test_what_is_there_already_is_not_copied(agent, project, lesson):
    known = project.remember(SAID, speaker="Ada", at=DAY)

    (copy,) = agent.promote(lesson.id, to="project")

    assert known.id == copy.id
    assert 1 == len(project.episodes())


@pytest.mark.slow
def test_a_long_text_goes_whole_whichever_part_is_named(agent, project):
    text = " ".join(f"Step {n} of the guide has its own words, and turns left." for n in range(900))
    agent.remember(text, source="guide.md", address="guide.md#all", at=DAY)
    parts = agent.find("guide")
    assert parts[0].parts > 3

    (copy,) = agent.promote(parts[2].id, to="project")

    there = project.episodes()
    assert [copy.id, *(one.id for one in there[1:])] == [one.id for one in there]
    assert text == "".join(one.text for one in there)
    assert [one.address for one in parts] == [one.address for one in there]


def test_demoting_takes_it_back_until_it_is_promoted_again(agent, project, lesson):
    (copy,) = agent.promote(lesson.id, to="project")

    (back,) = project.demote(copy.id, to="agent")

    assert lesson == back
    assert [] == project.episodes()
    assert 2 == len(agent.episodes())
    assert [copy] == agent.promote(lesson.id, to="project")
    assert [copy] == project.episodes()


def test_what_is_demoted_to_a_bank_that_has_it_not_is_moved(agent, project):
    note = project.remember("The key of the shed is Ada's.", at=DAY)

    (moved,) = project.demote(note.id, to="agent")

    assert ("agent", note.text, DAY) == (moved.bank, moved.text, moved.occurred_at)
    assert [] == project.find("shed")
    assert [moved] == agent.find("shed")
    assert 1 == project.restore(note.id)


@pytest.mark.parametrize("by", ["id", "source"])
def test_erasing_the_original_erases_its_copies_wherever_they_went_on_to(
    memory, agent, project, lesson, by
):
    (copy,) = agent.promote(lesson.id, to="project")
    (far,) = project.promote(copy.id, to="team")
    assert [far] == memory.bank("team").episodes()

    assert 1 == agent.forget(**{by: getattr(lesson, by)}, erase=True)

    for bank, one in ((project, copy), (memory.bank("team"), far)):
        assert "erase" == bank.history(one.id)[-1].kind
        assert [] == bank.episodes()
    memory.engine.store.upkeep.scrub()
    assert b"cache is full" not in open_bytes(memory)


def open_bytes(memory):
    folder = Path(memory.engine.store.path).parent
    return b"".join(one.read_bytes() for one in folder.iterdir() if one.is_file())


def test_erasing_what_was_moved_erases_what_is_hidden_where_it_was(agent, project):
    note = project.remember("The key of the shed is Ada's.", at=DAY)
    (moved,) = project.demote(note.id, to="agent")

    agent.forget(moved.id, erase=True)

    with pytest.raises(UnknownEpisode):
        project.get(note.id)


def test_erasing_a_copy_leaves_an_original_that_cannot_be_promoted_there_again(
    agent, project, lesson
):
    (copy,) = agent.promote(lesson.id, to="project")

    project.forget(copy.id, erase=True)

    assert lesson.id == agent.get(lesson.id).id
    with pytest.raises(InputError, match="was erased in bank 'project'"):
        agent.promote(lesson.id, to="project")
    agent.forget(lesson.id, erase=True)


def test_two_banks_that_promoted_to_each_other_are_erased_together(agent, project, lesson):
    (copy,) = agent.promote(lesson.id, to="project")
    project.promote(copy.id, to="agent")

    agent.forget(lesson.id, erase=True)

    assert [] == project.episodes() + agent.find("cache")


def test_a_held_copy_keeps_its_original(agent, project, lesson):
    (copy,) = agent.promote(lesson.id, to="project")
    project.hold(copy.id, reason="for the court")

    with pytest.raises(InputError, match="held"):
        agent.forget(lesson.id, erase=True)

    assert [lesson.id, copy.id] == [agent.get(lesson.id).id, project.get(copy.id).id]


def test_what_is_not_in_force_or_is_here_already_is_refused(agent, project, lesson):
    with pytest.raises(InputError, match="in this bank already"):
        agent.promote(lesson.id, to="agent")
    with pytest.raises(UnknownEpisode):
        agent.promote([lesson.id, "0" * 24], to="project")
    agent.hold(lesson.id, reason="for the court")
    with pytest.raises(InputError, match="held"):
        agent.demote(lesson.id, to="project")
    agent.release(lesson.id)
    agent.forget(lesson.id)
    with pytest.raises(InputError, match="is forgotten"):
        agent.promote(lesson.id, to="project")

    assert not project.state.is_there()


def test_who_may_not_write_there_neither_promotes_nor_erases(agent, project, lesson):
    (copy,) = agent.promote(lesson.id, to="project")
    with holding(Rights({"agent", "project"}.__contains__, {"agent"}.__contains__)):
        for verb in (agent.promote, agent.demote):
            for name in ("project", "nobody"):
                with pytest.raises(AccessError, match=f"to='{name}': whoever asks may not write"):
                    verb(lesson.id, to=name)
        with pytest.raises(AccessError, match="a copy of it was promoted"):
            agent.forget(lesson.id, erase=True)
        assert 1 == agent.forget(lesson.id)
    assert "active" == project.get(copy.id).state


def test_deleting_a_bank_leaves_what_it_promoted(memory, agent, project, lesson):
    agent.promote(lesson.id, to="project")

    memory.delete_bank("agent")

    assert SAID == project.episodes()[0].text


@pytest.mark.parametrize("stop", range(6))
def test_whatever_stops_it_is_done_once_when_done_again(memory, agent, project, lesson, stop):
    store, commits = memory.engine.store, iter(range(99))
    write = store.transactions.write

    def failing(*args):
        if next(commits) == stop:
            raise StoreFull("the disk is full", path=store.path)
        return write(*args)

    store.transactions.write = failing
    with suppress(StoreFull):
        agent.promote(lesson.id, to="project")
    store.transactions.write = write
    there = len(project.episodes())

    (copy,) = agent.promote(lesson.id, to="project")

    assert there in (0, 1)
    assert [copy] == project.episodes()
    assert [("promote", {"bank": "project", "id": copy.id})] == changes(agent, lesson.id)
    assert [("came", {"bank": "agent", "id": lesson.id})] == changes(project, copy.id)


def test_where_one_copy_may_not_be_erased_none_is(memory, agent, project, lesson):
    (copy,) = agent.promote(lesson.id, to="project")
    (other,) = agent.promote(lesson.id, to="aside")
    project.promote(copy.id, to="team")
    with (
        holding(Rights(str, {"agent", "project", "aside"}.__contains__)),
        pytest.raises(AccessError, match="a copy of it was promoted"),
    ):
        agent.forget(lesson.id, erase=True)

    assert ["active"] * 3 == [
        bank.get(one).state
        for bank, one in ((agent, lesson.id), (project, copy.id), (memory.bank("aside"), other.id))
    ]


def test_an_erasure_that_names_itself_may_come_twice(memory, agent, lesson):
    agent.promote(lesson.id, to="project")
    salt = memory.engine.salt
    request = Request.named("k1", caller="ada", asked=b"erase", salt=salt)

    for _ in range(2):
        with doing(request):
            assert 1 == agent.forget(lesson.id, erase=True)


def test_an_imported_journal_directs_no_erasure(agent, lesson, tmp_path):
    agent.promote(lesson.id, to="victim")
    agent.export(tmp_path / "agent.jsonl")
    with Memory(tmp_path / "other.db", embedder="hash") as other:
        own = other.bank("victim").remember(SAID, speaker="Ada", at=DAY)
        other.bank("agent").import_(tmp_path / "agent.jsonl")

        other.bank("agent").forget(lesson.id, erase=True)

        assert [own] == other.bank("victim").episodes()


def test_copies_of_banks_that_were_imported_together_are_erased_together(
    agent, project, lesson, tmp_path
):
    agent.promote(lesson.id, to="project")
    for bank in (agent, project):
        bank.export(tmp_path / f"{bank.name}.jsonl")
    with Memory(tmp_path / "other.db", embedder="hash") as other:
        for bank in (agent, project):
            other.bank(bank.name).import_(tmp_path / f"{bank.name}.jsonl")

        other.bank("agent").forget(lesson.id, erase=True)

        assert [] == other.bank("project").episodes()


def test_what_has_no_copy_is_erased_by_who_may_not_write_where_its_link_leads(
    agent, project, lesson
):
    own = project.remember(SAID, speaker="Ada", at=DAY)
    agent.promote(lesson.id, to="project")
    with holding(Rights({"agent", "project"}.__contains__, {"agent"}.__contains__)):
        assert 1 == agent.forget(lesson.id, erase=True)

    assert [own] == project.episodes()


def test_erasing_a_copy_that_was_demoted_back_leaves_the_original(agent, project, lesson):
    (copy,) = agent.promote(lesson.id, to="project")
    project.demote(copy.id, to="agent")

    assert 1 == project.forget(copy.id, erase=True)

    assert lesson == agent.get(lesson.id)


@pytest.mark.parametrize("hidden", [False, True])
def test_what_a_bank_had_of_its_own_outlives_what_was_promoted_to_it(
    agent, project, lesson, hidden
):
    own = project.remember(SAID, speaker="Ada", at=DAY)
    if hidden:
        project.forget(own.id)

    assert [own] == agent.promote(lesson.id, to="project")
    agent.forget(lesson.id, erase=True)

    assert [own] == project.episodes()
    assert "came" not in {change.kind for change in project.history(own.id)}


@pytest.fixture
def meanwhile(monkeypatch):
    """Have something done once, between finding the copies and erasing what they are of."""
    erase = Forgetting.erase_here

    def set_to(do, times=1):
        left = iter([do] * times)

        def between(self, *args, **kwargs):
            next(left, lambda: None)()
            return erase(self, *args, **kwargs)

        monkeypatch.setattr(Forgetting, "erase_here", between)

    return set_to


@pytest.mark.parametrize("by", ["id", "source"])
def test_what_is_promoted_while_it_is_erased_is_erased_there_too(
    agent, project, lesson, meanwhile, by
):
    meanwhile(lambda: agent.promote(lesson.id, to="project"))

    assert 1 == agent.forget(**{by: getattr(lesson, by)}, erase=True)

    assert [] == project.episodes() + agent.find("cache")


def test_a_copy_that_is_promoted_on_while_its_original_is_erased_is_erased_there_too(
    memory, agent, project, lesson, meanwhile
):
    (copy,) = agent.promote(lesson.id, to="project")
    meanwhile(lambda: project.promote(copy.id, to="team"))

    agent.forget(lesson.id, erase=True)

    assert [] == memory.bank("team").episodes() + project.episodes() + agent.find("cache")


def test_a_promotion_that_had_begun_before_the_erasure_leaves_no_copy(
    memory, agent, project, lesson, meanwhile
):
    store, commits = memory.engine.store, iter(range(99))
    write = store.transactions.write

    def failing(*args):
        if next(commits) == 1:
            raise StoreFull("the disk is full", path=store.path)
        return write(*args)

    store.transactions.write = failing
    with suppress(StoreFull):
        agent.promote(lesson.id, to="project")
    store.transactions.write = write
    assert [("promote", "project")] == [(k, d["bank"]) for k, d in changes(agent, lesson.id)]
    meanwhile(lambda: agent.promote(lesson.id, to="project"))

    agent.forget(lesson.id, erase=True)

    assert [] == project.episodes() + agent.find("cache")


@pytest.fixture
def left_behind(agent, lesson, monkeypatch):
    """Have a copy of what was erased meanwhile: the promotion is killed before it looks back."""
    keep = Committer.keep

    def killed(self, *args, **kwargs):
        monkeypatch.setattr(Committer, "keep", keep)
        agent.forget(lesson.id, erase=True)
        keep(self, *args, **kwargs)
        raise KeyboardInterrupt

    monkeypatch.setattr(Committer, "keep", killed)
    with pytest.raises(KeyboardInterrupt):
        agent.promote(lesson.id, to="project")


@pytest.mark.usefixtures("left_behind")
def test_a_sleep_erases_the_copy_of_what_was_erased_under_a_killed_promotion(project):
    assert 1 == len(project.episodes())

    project.sleep(dry_run=True)
    assert 1 == len(project.episodes())
    assert not [note for note in project.sleep().notes if "copy" in note]

    assert [] == project.episodes() + project.find("cache")
    assert [] == Copies(project.state).left_behind()


@pytest.mark.usefixtures("left_behind")
def test_each_sleep_tells_of_a_held_copy_that_has_to_stay(project):
    (copy,) = project.episodes()
    project.hold(copy.id, reason="a lawsuit")

    for _ in range(2):
        (note,) = [note for note in project.sleep().notes if copy.id in note]
        assert "still here" in note
    assert [copy.id] == [one.id for one in project.episodes()]


def test_a_sleep_leaves_copies_of_what_is_there_forgotten_or_another_banks(
    memory, agent, project, lesson
):
    (copy,) = agent.promote(lesson.id, to="project")
    agent.forget(lesson.id)
    project.sleep()
    memory.delete_bank("agent")
    project.sleep()

    assert [copy.id] == [one.id for one in project.episodes()]


@pytest.mark.parametrize("how", ["forgotten", "corrected", "corrected and compacted twice"])
def test_a_sleep_leaves_copies_of_what_was_compacted(agent, project, lesson, how):
    (copy,) = agent.promote(lesson.id, to="project")
    if how == "forgotten":
        agent.forget(lesson.id)
    else:
        agent.correct(lesson.id, f"{SAID} Then wait.")
    for _ in range(2 if how.endswith("twice") else 1):
        agent.compact(superseded=True)

    project.sleep()

    assert [copy.id] == [one.id for one in project.episodes()]


@pytest.mark.slow
def test_what_is_promoted_over_and_over_while_it_is_erased_is_not_erased(agent, lesson, meanwhile):
    names = iter(range(99))
    meanwhile(lambda: agent.promote(lesson.id, to=f"b{next(names)}"), times=99)

    with pytest.raises(StoreLocked, match="promoted again and again"):
        agent.forget(lesson.id, erase=True)

    assert lesson == agent.get(lesson.id)


def test_what_came_back_in_another_wording_is_erased_as_well(agent, project, lesson):
    (copy,) = agent.promote(lesson.id, to="project")
    better = project.correct(copy.id, f"{SAID} Then wait.")
    (back,) = project.promote(better.id, to="agent")
    assert back.id != lesson.id

    agent.forget(lesson.id, erase=True)

    assert [] == project.episodes() + agent.find("cache")


def test_what_came_back_is_erased_with_the_source_of_its_original(agent, project, lesson):
    (copy,) = agent.promote(lesson.id, to="project")
    project.promote(project.correct(copy.id, f"{SAID} Then wait.").id, to="agent")

    agent.forget(source="chat", erase=True)

    assert [] == project.episodes() + agent.find("cache")


@pytest.mark.parametrize("rounds", [1, 2])
def test_copies_are_found_after_earlier_wordings_were_compacted(agent, project, lesson, rounds):
    (copy,) = agent.promote(lesson.id, to="project")
    ids = {agent: lesson.id, project: copy.id}
    for n in range(rounds):
        for bank, id_ in ids.items():
            other = bank.correct(id_, f"The deploy of {bank.name} fails, cache or not: {n}.")
            ids[bank] = other.id
            bank.compact(superseded=True)

    agent.forget(ids[agent], erase=True)

    assert [] == project.episodes() + agent.find("cache")


def test_copies_are_found_after_two_wordings_were_compacted_together(agent, project, lesson):
    agent.promote(lesson.id, to="project")
    last = lesson.id
    for n in range(3):
        last = agent.correct(last, f"The deploy fails, cache or not: {n}.").id
    agent.compact(superseded=True)

    agent.forget(last, erase=True)

    assert [] == project.episodes()


def test_compacting_what_is_forgotten_leaves_its_copies(agent, project, lesson):
    (copy,) = agent.promote(lesson.id, to="project")
    agent.forget(lesson.id)

    agent.compact()

    assert [copy] == project.episodes()


def test_a_promotion_under_a_request_that_names_itself_is_whole(memory, agent, project, lesson):
    other = agent.remember("The VPN is at vpn.example.com.", at=DAY)
    request = Request.named("k2", caller="ada", asked=b"promote", salt=memory.engine.salt)
    with doing(request):
        copies = agent.promote([lesson.id, other.id], to="project")
        assert copies == agent.promote([lesson.id, other.id], to="project")
    assert [SAID, other.text] == [one.text for one in copies]
    assert ["remember", "promote"] == [change.kind for change in agent.history(other.id)]

    with doing(Request.named("k3", caller="ada", asked=b"demote", salt=memory.engine.salt)):
        project.demote([one.id for one in copies], to="agent")

    assert [] == project.episodes()


@pytest.mark.parametrize("verb", ["promote", "demote"])
def test_a_move_that_comes_again_undoes_nothing_that_was_done_meanwhile(
    memory, agent, project, lesson, verb
):
    other = agent.remember("The VPN is at vpn.example.com.", at=DAY)
    request = Request.named("k4", caller="ada", asked=b"both", salt=memory.engine.salt)
    both = [lesson.id, other.id]
    with doing(request):
        first = getattr(agent, verb)(both, to="project")
    project.forget(first[0].id)
    before = [one.kind for one in project.journal()]

    with doing(request):
        again = getattr(agent, verb)(both, to="project")

    assert [(e.id, e.text) for e in first] == [(e.id, e.text) for e in again]
    assert ["forgotten", "active"] == [e.state for e in again]
    assert before == [one.kind for one in project.journal()]
    other_request = request._replace(asked=b"something else")
    with doing(other_request), pytest.raises(InputError, match="key of its own"):
        getattr(agent, verb)(lesson.id, to="project")


def test_a_demotion_that_was_cut_off_goes_on_under_its_key(memory, agent, lesson):
    other = agent.remember("The VPN is at vpn.example.com.", at=DAY)
    request = Request.named("k5", caller="ada", asked=b"", salt=memory.engine.salt)
    with doing(request):
        (first,) = agent.demote(lesson.id, to="project")
        moved = agent.demote([lesson.id, other.id], to="project")

    assert first == moved[0]
    assert [SAID, other.text] == [one.text for one in moved]
    assert {"forgotten"} == {agent.get(id_).state for id_ in (lesson.id, other.id)}


def test_copies_are_found_after_a_faded_text_was_compacted(memory, agent, project, lesson):
    agent.promote(lesson.id, to="project")
    store = memory.engine.store
    with store.write():
        ledger = memory.engine.ledger("agent")
        row = ledger.reader.find(lesson.id)
        ledger.store.episodes.set_level(ledger.bank, [row.row], 2)
    assert 1 == agent.compact(faded=True).faded
    (less,) = agent.find("deploy", include=())
    assert less.id != lesson.id

    agent.forget(less.id, erase=True)

    assert [] == project.episodes()

"""What says the same is kept under anchors once, and nothing of it is lost."""

import json
from dataclasses import replace

import numpy as np
import pytest

from hippocampus import Config, Ingest, Turn
from hippocampus.core.config import Concepts
from hippocampus.core.records import Block, Payloads
from hippocampus.errors import InputError, StoreCorrupt, UnknownEpisode
from hippocampus.index.anchors import Anchors
from hippocampus.sleep.artifacts import ANCHORS
from hippocampus.upkeep import verify

SMALL = Config(ingest=Ingest(seal_rows=16, batch=32), concepts=Concepts(theta=0.1, related=0.5))
SUBJECTS = ("the greenhouse", "Lisbon", "the tax report", "our boat", "a cello", "the roof")


def talk(count=40):
    return [
        Turn(text=f"Item {n}: something on {SUBJECTS[n % 6]}.", at=f"2025-01-{1 + n % 28:02}")
        for n in range(count)
    ]


def same(day):
    return Turn(text="The violin needs a new bow.", at=f"2025-03-0{day}")


@pytest.fixture(params=["before", "after"])
def bank(open_memory, request):
    """A bank in which the violin is spoken of three times, before or after its sleep."""
    bank = open_memory(config=SMALL).bank("ada")
    bank.remember_many(talk())
    bank.curate(add=["violin"])
    if request.param == "after":
        bank.sleep()
    bank.remember_many([same(1), same(2)])
    bank.remember("The violin does not need a new bow.", at="2025-03-03")
    if request.param == "before":
        bank.sleep()
    return bank


def violin(bank, **filters):
    hits = bank.recall("violin", k=2, cues=["concept"], **filters).hits
    return [hit.episode for hit in hits if "violin" in hit.text]


def test_one_stands_for_those_that_say_the_same_but_not_for_a_negation(bank):
    shown = violin(bank)

    assert {episode.text for episode in shown} == {
        "The violin needs a new bow.", "The violin does not need a new bow.",
    }  # fmt: skip
    (canonical,) = (e for e in shown if "not" not in e.text)
    assert (canonical.occurred_at.month, canonical.occurred_at.day) == (3, 2)
    (alias,) = (one for one in bank.related(canonical.id) if one.how == "alias")
    assert alias.episode.occurred_at.day == 1
    assert alias.cosine == pytest.approx(1, abs=0.02)
    assert bank.get(alias.episode.id).state == "active"
    back = bank.related(alias.episode.id)
    assert canonical.id in {one.episode.id for one in back if one.how == "canonical"}
    assert any("not" in one.episode.text for one in bank.related(canonical.id))


def test_when_the_one_that_stands_for_others_is_hidden_they_show(bank):
    (canonical,) = (e for e in violin(bank) if "not" not in e.text)
    bank.forget(canonical.id)

    (shown,) = (e for e in violin(bank) if "not" not in e.text)
    assert shown.occurred_at.day == 1
    assert not [one for one in bank.related(shown.id) if one.how == "canonical"]
    bank.restore(canonical.id)
    assert canonical.id in {e.id for e in violin(bank)}
    early = violin(bank, until="2025-03-01")
    assert [shown.id] == [e.id for e in early], "a filter hides the newer one, as well"


@pytest.mark.slow
def test_aliases_live_on_from_sleep_to_sleep_until_their_memory_is_erased(open_memory, bank):
    bank.sleep()
    (canonical,) = (e for e in violin(bank) if "not" not in e.text)
    bank.sleep()
    assert "alias" in {one.how for one in bank.related(canonical.id)}
    bank.forget(canonical.id, erase=True)

    assert not bank._knowledge._read_anchors()
    with pytest.raises(UnknownEpisode):
        bank.related(canonical.id)
    bank.sleep()
    assert violin(bank)
    assert verify(open_memory()).sound


def test_a_bank_that_never_slept_knows_nothing_related_to_a_memory(open_memory):
    bank = open_memory(config=SMALL).bank("ada")
    kept = bank.remember("The violin needs a new bow.")

    assert bank.related(kept.id) == []
    with pytest.raises(UnknownEpisode):
        bank.related("nobody")


def test_the_document_carries_aliases_and_edges_there_and_back(open_memory, tmp_path):
    bank = open_memory(config=SMALL).bank("ada")
    bank.remember_many([*talk(), same(1), same(2)])
    bank.curate(add=["violin"])
    bank.sleep()
    bank.export_concepts(tmp_path / "a.json")
    document = json.loads((tmp_path / "a.json").read_text())
    bank.import_concepts(tmp_path / "a.json")
    bank.export_concepts(tmp_path / "b.json")
    again = json.loads((tmp_path / "b.json").read_text())

    assert document["aliases"]
    assert document["related"]
    for part in ("entries", "aliases", "related"):
        assert document[part] == again[part]
    assert verify(open_memory()).sound


def swap(document):
    (one, other), *_ = document["aliases"].items()
    document["aliases"][other] = one


def edge(document, **changes):
    for place, value in changes.items():
        document["related"][0]["abc".index(place)] = value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (swap, "stands for itself"),
        (
            lambda d: d["aliases"].update({next(iter(d["aliases"])): 7}),
            "aliases: must be an object",
        ),
        (lambda d: d.update(aliases=[]), "aliases: must be an object"),
        (lambda d: d["aliases"].update(nobody=next(iter(d["aliases"]))), "no episode 'nobody'"),
        (lambda d: d.update(related={}), "related: must be a list"),
        (lambda d: edge(d, c=float("nan")), "related: must be a list"),
        (lambda d: edge(d, c=1.5), "related: must be a list"),
        (lambda d: edge(d, a="nobody"), "no episode 'nobody'"),
        (lambda d: edge(d, a=d["related"][0][1]), "related: must be a list"),
        (lambda d: d["related"].append([]), "related: must be a list"),
    ],
)
def test_wrong_aliases_and_edges_edited_by_hand_are_refused_without_any_change(
    open_memory, tmp_path, change, message
):
    bank = open_memory(config=SMALL).bank("ada")
    bank.remember_many([*talk(), same(1), same(2)])
    bank.curate(add=["violin"])
    bank.sleep()
    path = tmp_path / "a.json"
    bank.export_concepts(path)
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    before = bank.anchors(), bank.journal()
    with pytest.raises(InputError, match=message):
        bank.import_concepts(path)

    assert (bank.anchors(), bank.journal()) == before


def test_a_name_that_is_twice_in_the_document_is_refused(open_memory, tmp_path):
    bank = open_memory(config=SMALL).bank("ada")
    bank.remember_many(talk())
    path = tmp_path / "a.json"
    path.write_text('{"entries": {"violin": {}, "violin": {}}}')

    with pytest.raises(InputError, match="'violin' is there twice"):
        bank.import_concepts(path)


@pytest.mark.slow
def test_an_anchor_that_matches_everything_is_cut_to_the_best(open_memory):
    how = replace(SMALL, concepts=Concepts(theta=-1.0, k=5, k_max=7))
    bank = open_memory(config=how).bank("ada")
    bank.remember_many([*talk(90)])
    bank.curate(add=["something", "item"])
    bank.sleep()
    bank.remember_many([Turn(text=f"Something new, item {n}.", at="2025-04-01") for n in range(50)])

    anchors = {anchor.name: anchor for anchor in bank.anchors()}
    assert anchors["item"].episodes <= 7
    cue = bank.state.take().index.cues.concept
    assert all(len(cue.under.of(place)[0]) <= 7 for place in range(len(cue.anchors)))
    assert bank.recall("something on the item", cues=["concept"]).hits
    bank.sleep()
    assert verify(open_memory()).sound


def test_a_bank_without_any_anchor_finds_the_new_memory_it_takes_in(open_memory):
    how = replace(SMALL, concepts=Concepts(words=0, phrases=0, named=0))
    memory = open_memory(config=how)
    bank = memory.bank("ada")
    bank.remember_many(talk())
    bank.sleep()
    kept = bank.remember("We took up falconry.")

    assert bank.anchors() == []
    assert bank.recall("falconry", cues=["concept"]).hits[0].id == kept.id
    assert not bank.recall("the greenhouse", cues=["concept"]).found
    assert bank.recall("the greenhouse").hits
    assert verify(memory).sound


def put_anchors(bank, anchors):
    store, ledger = bank.state.engine.store, bank.state.engine.ledger("ada")
    with store.write():
        store.payloads.drop(ledger.bank, "concept")
        store.payloads.put_block(
            ledger.bank, "concept", Block(0, anchors.rows_built, anchors.to_bytes())
        )


def spoilt(anchors):
    """Yield anchors of which one part does not fit the others."""
    first = anchors.rows.copy()
    first[0] = anchors.rows_built
    several = int(anchors.ends[:-1][np.diff(anchors.ends) > 1][0])
    twice = anchors.rows.copy()
    twice[several + 1] = twice[several]
    nan = anchors.scores.copy()
    nan[0] = np.nan
    rising = anchors.scores.copy()
    rising[several] -= 5
    row, other = anchors.aliases[0].tolist()
    circle = np.array(sorted([(row, other), (other, row)]), np.int32)
    yield {"rows": first}, "not there"
    yield {"rows": twice}, "twice under an anchor"
    yield {"scores": nan}, "no number"
    yield {"scores": rising}, "do not fall"
    yield {"scores": anchors.scores[:-1]}, "different lengths"
    yield {"keys": anchors.keys * 0}, "there twice"
    yield {"kinds": anchors.kinds + 9}, "unknown kind"
    yield {"ends": anchors.ends[::-1].copy()}, "do not end"
    yield {"kin": anchors.kin + 999}, "no anchor"
    yield {"vectors": anchors.vectors[:, :-8], "centres": anchors.centres}, "other dimensions"
    yield {"aliases": circle}, "stand for each other"
    yield {"names": anchors.names[:-1]}, "other anchors"


@pytest.mark.slow
def test_sleep_mends_the_damage_of_anchors_that_do_not_fit_together(open_memory):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    bank.remember_many([*talk(), same(1), same(2)])
    bank.curate(add=["violin"])
    bank.sleep()
    sound = ANCHORS.read(memory.engine.ledger("ada"))
    for change, message in spoilt(sound):
        put_anchors(bank, replace(sound, **change))
        with pytest.raises(StoreCorrupt, match=message):
            ANCHORS.read(memory.engine.ledger("ada"))
        assert not verify(memory).sound
    bank.sleep()
    assert verify(memory).sound
    assert violin(bank)


def test_anchors_that_do_not_fit_the_bank_are_left_out_with_a_reason(
    open_memory,
):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    bank.remember_many([*talk(), same(1)])
    bank.sleep()
    sound = ANCHORS.read(memory.engine.ledger("ada"))
    for change, message in (
        ({"rows_built": 99, "basis": None}, "sleep saw 99 episodes"),
        ({"vectors": sound.vectors[:, :8], "centres": sound.centres[:, :8]}, "8 dimensions"),
    ):
        put_anchors(bank, replace(sound, **change))
        other = open_memory(config=SMALL).bank("ada")
        (degraded,) = other.recall("greenhouse").degraded
        assert degraded.part == "sleep"
        assert message in degraded.reason
    other.sleep()
    assert not other.recall("greenhouse").degraded


def test_damaged_phrases_are_reported_until_reindexing_mends_them(open_memory):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    bank.remember_many(talk())
    bank.sleep()
    store, ledger = memory.engine.store, memory.engine.ledger("ada")
    (first, _), *_ = store.payloads.block_spans(ledger.bank, "phrase")
    block = store.payloads.block(ledger.bank, "phrase", first)
    whole = list(Payloads.from_block(block))
    for wrong in (whole[3][:-1], whole[4], whole[3] + b"\0" * 4):
        spoilt = Payloads.of([*whole[:3], wrong, *whole[4:]])
        with store.write():
            store.payloads.put_block(
                ledger.bank, "phrase", replace(block, payload=spoilt.to_bytes())
            )
        again = open_memory(config=SMALL)
        assert any("phrases are noted wrongly" in problem for problem in verify(again).problems)
        assert again.bank("ada").recall("greenhouse").hits
        again.close()
    memory.rebuild()
    assert verify(memory).sound


def test_gists_that_are_not_the_episodes_are_told(open_memory):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    bank.remember_many(talk())
    bank.sleep()
    sound = ANCHORS.read(memory.engine.ledger("ada"))
    put_anchors(bank, replace(sound, gists=sound.gists + np.uint32(1)))

    assert isinstance(ANCHORS.read(memory.engine.ledger("ada")), Anchors)
    assert any("otherwise than they are" in problem for problem in verify(memory).problems)

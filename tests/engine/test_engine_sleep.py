"""Sleep makes anchors that recall hears; it changes no episode, and erasure reaches into it."""

import json
import signal
import subprocess
import sys
import textwrap
import threading
from dataclasses import replace
from datetime import UTC, datetime
from shutil import copyfile

import pytest

from hippocampus import Config, Ingest, Memory, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.core.config import Concepts
from hippocampus.core.records import Block, CuratedAnchors
from hippocampus.encode.embed import HashEmbedder
from hippocampus.errors import EncoderError, InputError, UnknownBank
from hippocampus.upkeep import verify

SMALL = Config(ingest=Ingest(seal_rows=16, batch=32), concepts=Concepts(theta=0.15))
SUBJECTS = ("the greenhouse", "a violin", "Lisbon", "the tax report", "our sailing boat")


def talk(count=80):
    return [
        Turn(
            text=f"Item {n}: something on {SUBJECTS[n % 5]}, and more of it.",
            at=f"2025-0{1 + n // 28}-{1 + n % 28:02}", speaker="Ada", role="user",
        )
        for n in range(count)
    ]  # fmt: skip


@pytest.fixture(scope="session")
def night(tmp_path_factory):
    """Return the store of a bank that has slept, made once."""
    store = tmp_path_factory.mktemp("night") / "memory.db"
    clock = ManualClock(datetime(2025, 6, 1, 12, tzinfo=UTC))
    with Memory(store, embedder="hash", config=SMALL, clock=clock) as memory:
        memory.bank("ada").remember_many(talk())
        memory.bank("ada").sleep()
    return store


@pytest.fixture
def slept(open_memory, path, night):
    copyfile(night, path)
    memory = open_memory(config=SMALL)
    return memory, memory.bank("ada")


@pytest.mark.slow
def test_recall_hears_the_anchors_of_a_bank_that_has_slept(slept):
    _, bank = slept
    anchors = {anchor.name: anchor for anchor in bank.anchors()}
    found = bank.recall("the violin?", k=8, cues=["concept"])

    assert {"greenhouse", "violin", "lisbon", "tax report"} <= set(anchors)
    assert anchors["lisbon"].kind == "named"
    assert anchors["violin"].episodes > 0
    assert "ada" not in anchors
    assert all("violin" in hit.text for hit in found.hits)
    assert len(found.hits) == 8


@pytest.mark.slow
def test_sleeping_again_changes_nothing(slept):
    memory, bank = slept
    episodes, anchors = bank.episodes(), bank.anchors()
    again = bank.sleep()

    assert again["phrases"].counts == {"episodes": 0}
    assert again["concepts"].counts["found"] == again["concepts"].counts["pruned"] == 0
    assert [a.name for a in bank.anchors()] == [a.name for a in anchors]
    assert bank.episodes() == episodes
    assert verify(memory).sound
    assert "concepts (" in str(again)


@pytest.mark.slow
def test_what_is_remembered_after_a_sleep_is_under_its_anchor_at_once(slept):
    memory, bank = slept
    new = bank.remember("A luthier mended the violin.", at="2025-05-30", speaker="Ada")
    novel = bank.remember("We took up falconry.", at="2025-05-30", speaker="Ada")

    assert new.id in {hit.id for hit in bank.recall("violin", k=50, cues=["concept"])}
    assert bank.recall("falconry", cues=["concept"]).hits[0].id == novel.id
    assert verify(memory).sound


def test_another_process_hears_what_this_one_slept_on(slept, open_memory):
    _, bank = slept
    other = open_memory(config=SMALL, embedder="hash").bank("ada")
    assert other.recall("violin", cues=["concept"]).hits
    bank.curate(add=["item"])
    bank.sleep()

    assert "item" in {anchor.name for anchor in other.anchors()}
    assert other.recall("item", cues=["concept"]).hits


def test_who_curates_is_heeded_even_after_a_change_of_mind(slept):
    _, bank = slept
    bank.curate(add=["Hedgehogs"], deny=["violin"])
    bank.sleep()
    names = {anchor.name: anchor.kind for anchor in bank.anchors()}
    bank.curate(remove=["hedgehog", "violins"])
    bank.sleep()
    later = {anchor.name for anchor in bank.anchors()}

    assert names["hedgehogs"] == "curated"
    assert "violin" not in names
    assert "hedgehogs" not in later
    assert "violin" in later


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"add": ["  "]}, "1 to 100 characters"),
        ({"add": ["x" * 101]}, "1 to 100 characters"),
        ({"add": [7]}, "1 to 100 characters"),
        ({"add": "violin"}, "give a collection"),
        ({"add": ["violin"], "deny": ["Violins"]}, "say one of them"),
        ({"add": ["\ud800"]}, "surrogate"),
        ({"sources": "notes"}, "give a collection"),
        ({"sources": [" "]}, "a source has 1 to 1000 characters"),
    ],
)
def test_what_is_no_anchor_is_refused_without_changing_anything(slept, said, message):
    _, bank = slept
    before = bank.journal()
    with pytest.raises(InputError, match=message):
        bank.curate(**said)

    assert bank.journal() == before


@pytest.mark.slow
def test_erasing_takes_the_words_out_of_anchors_too(slept):
    memory, bank = slept
    secret = bank.remember("My Zanzibarian passport is under the bed.", at="2025-05-30")
    bank.sleep()
    assert "zanzibarian" in {anchor.name.split()[0] for anchor in bank.anchors()}
    assert {place.where for place in verify(memory, residue="zanzibarian").residue} >= {
        "bank 'ada', an anchor"
    }
    bank.forget(secret.id, erase=True)

    assert verify(memory, residue="anzibarian").sound
    assert not bank.anchors()
    assert bank.recall("violin").hits
    bank.sleep()
    assert not any("zanzibar" in anchor.name for anchor in bank.anchors())
    assert verify(memory, residue="anzibarian").sound


def test_what_is_forgotten_lies_under_no_anchor(slept):
    _, bank = slept
    gone = bank.recall("violin", k=3, cues=["concept"]).hits
    bank.forget([hit.id for hit in gone])

    assert not {h.id for h in gone} & {h.id for h in bank.recall("violin", k=50, cues=["concept"])}


def test_a_bank_without_episodes_or_an_embedder_says_why_it_has_no_concepts(open_memory):
    bank = open_memory(config=SMALL, embedder="none").bank("ada")
    with pytest.raises(UnknownBank):
        bank.sleep()
    bank.remember("The violin is new.")

    assert "no embedder" in bank.sleep()["concepts"].skipped
    assert not bank.anchors()
    assert not bank.recall("violin", cues=["concept"]).found


@pytest.mark.slow
def test_reading_and_writing_go_on_while_a_bank_sleeps(slept):
    memory, bank = slept
    wrong, stop = [], threading.Event()

    def live():
        count = 0
        while not stop.is_set():
            count += 1
            kept = bank.remember(f"While asleep, a violin played {count}.", at="2025-05-30")
            if kept.id not in {h.id for h in bank.recall("violin played asleep", k=200)}:
                wrong.append(kept)

    thread = threading.Thread(target=live)
    thread.start()
    for _ in range(5):
        bank.sleep()
    stop.set()
    thread.join()

    assert not wrong
    assert verify(memory).sound


KILLED = """
import sys
from hippocampus import Memory, Config, Ingest
from hippocampus.core.config import Concepts
memory = Memory(sys.argv[1], embedder="hash", config=Config(
    ingest=Ingest(seal_rows=16, batch=32), concepts=Concepts(theta=0.15)))
bank = memory.bank("ada")
print("ready", flush=True)
while True:
    bank.curate(add=["item"]); bank.sleep(); bank.curate(remove=["item"]); bank.sleep()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "delay", [0.2, *(pytest.param(delay, marks=pytest.mark.slow) for delay in (0.05, 0.4))]
)
def test_a_sleep_that_is_killed_leaves_a_bank_that_is_sound(slept, path, open_memory, delay):
    memory, bank = slept
    before = bank.episodes()
    memory.close()
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), path], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    threading.Event().wait(delay)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    again = open_memory(config=SMALL)
    assert again.bank("ada").episodes() == before
    assert verify(again).sound
    assert again.bank("ada").recall("violin", cues=["concept"]).hits


@pytest.mark.slow
def test_topics_are_a_whole_graph_even_with_a_model_that_fails(open_memory):
    def broken(prompt):
        if "violin" in prompt:
            raise EncoderError("out of time")
        return "tags: none, sorry"

    memory = open_memory(config=SMALL, model=broken)
    bank = memory.bank("ada")
    bank.remember_many(talk())
    slept = bank.sleep()
    topics = {topic.name: topic for topic in bank.topics()}

    assert {"violin", "greenhouse"} <= set(topics)
    assert slept["topics"].names["fallbacks"]
    assert all(topics[parent] for topic in topics.values() for parent in topic.parents)
    assert any("violin" in line for line in bank.topic_outline())
    assert bank.recall("violin", k=3, cues=["topic"]).hits[0].text.count("violin")


def test_recall_finds_by_either_synonym_what_was_said_of_their_one_topic(open_memory):
    bank = open_memory(config=SMALL).bank("ada")
    said = ["My car broke again.", "Grandpa had an automobile.", "The car costs too much.", "Tea?"]
    bank.remember_many([Turn(text=said[n % 4] + f" {n}", session="s") for n in range(24)])
    bank.sleep()
    bank.remember("She sold her automobile.")
    topics = {topic.name: topic for topic in bank.topics()}

    assert ("automobile",) == topics["car"].aliases
    assert 18 == topics["car"].episodes
    assert "automobile" not in topics
    assert not any("automobile" in line for line in bank.topic_outline())
    for word in ("car", "automobile", "motorcar"):
        hits = bank.recall(word, k=19, cues=["topic"]).hits
        assert 19 == sum("car" in hit.text or "automobile" in hit.text for hit in hits)


def test_a_relation_that_closes_a_circle_over_answers_counts_as_refused(open_memory):
    def model(prompt):
        way = ("violin", "garden") if "Item 0:" in prompt else ("garden", "violin")
        relations = [dict(zip(("parent", "child"), way, strict=True))]
        return json.dumps({"tags": ["violin", "garden", "roof"], "relations": relations})

    bank = open_memory(config=SMALL, model=model).bank("ada")
    bank.remember_many(talk())
    slept = bank.sleep(steps=["topics"])
    topics = {topic.name: topic for topic in bank.topics()}

    assert slept["topics"].counts["refused"] == 1
    assert "violin" in topics["garden"].parents or "garden" in topics["violin"].parents
    assert "1 link refused" in str(slept)


@pytest.mark.slow
def test_a_model_is_asked_once_about_the_same_talk(open_memory):
    asked = []

    def model(prompt):
        asked.append(prompt)
        if "into ONE line" in prompt:
            return json.dumps(dict.fromkeys(("summary", "gist"), "Of violins and gardens."))
        if "extract facts" in prompt:
            return '{"facts": []}'
        relations = [{"parent": "music", "child": "violin"}]
        return json.dumps({"tags": ["violin", "music", "garden"], "relations": relations})

    bank = open_memory(config=SMALL, model=model).bank("ada")
    bank.remember_many(talk())
    bank.sleep()
    before = len(asked)
    bank.sleep()

    assert before == len(asked) > 0
    assert "music" in {topic.name for topic in bank.topics()}


@pytest.mark.slow
def test_a_model_is_not_asked_again_because_somebody_erased_meanwhile(open_memory):
    asked = []

    def model(prompt):
        if "into ONE line" in prompt:
            return json.dumps(dict.fromkeys(("summary", "gist"), "Of violins and gardens."))
        if "extract facts" in prompt:
            return '{"facts": []}'
        if not asked:
            bank.forget(gone.id, erase=True)
        asked.append(prompt)
        return json.dumps({"tags": ["violin", "music", "garden"]})

    bank = open_memory(config=SMALL, model=model).bank("ada")
    bank.remember_many([replace(turn, session=f"s{n % 5}") for n, turn in enumerate(talk())])
    gone = bank.remember("My passport is under the bed.", at="2025-05-30", session="s0")
    slept = bank.sleep()

    assert 6 == len(asked) == slept["topics"].usage.calls, "five sessions, and one of them changed"
    assert 5 == slept["topics"].counts["by a model"]
    assert not any("passport" in prompt for prompt in asked[5:])


@pytest.mark.slow
def test_another_embedder_leaves_no_anchors_of_the_first(slept):
    memory, bank = slept
    memory.rebuild(embedder=HashEmbedder(64))

    assert not bank.anchors()
    assert bank.recall("violin").hits
    bank.sleep()
    assert bank.recall("violin", k=5, cues=["concept"]).hits
    assert verify(memory).sound


def damage(memory, kind):
    """Cut the block of a kind short, checksum and all."""
    ledger = memory.engine.ledger("ada")
    ((first, _),) = memory.engine.store.payloads.block_spans(ledger.bank, kind)
    block = memory.engine.store.payloads.block(ledger.bank, kind, first)
    with memory.engine.store.write():
        memory.engine.store.payloads.put_block(
            ledger.bank, kind, replace(block, payload=block.payload[:-7])
        )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gist", "concept", "topic", "summary", "graph"])
def test_sleep_makes_anew_what_was_damaged_of_its_work(slept, open_memory, kind):
    memory, _ = slept
    damage(memory, kind)
    again = open_memory(config=SMALL)
    bank = again.bank("ada")

    assert "violin" in bank.recall("violin").hits[0].text
    assert "sleep" in {one.part for one in bank.recall("violin").degraded}
    assert not verify(again).sound
    bank.sleep()
    assert not bank.recall("violin").degraded
    assert verify(again).sound


@pytest.mark.slow
def test_phrases_that_were_never_read_are_read_once_by_the_next_sleep(slept):
    memory, bank = slept
    gone = bank.remember("Something else.", at="2025-05-01")
    bank.forget(gone.id, erase=True)  # and so the bank has no anchors: phrases are not read
    bank.remember_many([Turn(text=f"A cello, number {n}.", at="2025-05-02") for n in range(40)])

    assert bank.sleep()["phrases"].counts["episodes"] == 40
    assert bank.sleep()["phrases"].counts["episodes"] == 0
    assert verify(memory).sound


def test_an_anchor_that_was_given_up_is_told_of_while_anything_in_force_names_it(slept):
    memory, bank = slept
    bank.remember("The garden is green.", at="2025-12-01")
    assert bank.anchors(pruned=True) == []
    for _ in range(3):
        bank.sleep()
    told = {anchor.name: anchor for anchor in bank.anchors(pruned=True)}

    assert told["violin"].kind == "discovered"
    assert told["lisbon"].kind == "named"
    assert "violin" not in {anchor.name for anchor in bank.anchors()}
    for episode in bank.find("violin"):
        bank.forget(episode.id)
    assert {anchor.name for anchor in bank.anchors(pruned=True)} == set(told) - {"violin"}
    assert verify(memory).sound


def test_what_is_forgotten_is_spelled_by_no_list(slept):
    _, bank = slept
    bank.forget([episode.id for episode in bank.find("violin")])

    assert "violin" not in {topic.name for topic in bank.topics()}
    assert not any("violin" in line for line in bank.topic_outline())
    assert any("greenhouse" in line for line in bank.topic_outline())
    bank.sleep()
    assert "violin" not in {anchor.name for anchor in bank.anchors()}


@pytest.mark.slow
def test_an_earlier_present_hears_what_was_active_then(slept):
    _, bank = slept
    days = [f"2025-0{3 + n // 28}-{1 + n % 28:02}" for n in range(80)]
    bank.remember_many([Turn(text=f"We saw Kestrel, {n}.", at=day) for n, day in enumerate(days)])
    bank.sleep()
    then = datetime(2025, 3, 20, tzinfo=UTC)
    found = bank.recall("Where did we leave off with ours?", now=then, cues=["concept"])

    assert found.hits[0].shares["concept"] > 0


def travels(memory, *, sources=("notes", "chats")):
    """A bank in which Lisbon is named in some sessions, by one of two sources, and has slept."""
    bank = memory.bank("travels")
    for n in range(12):
        named, source = ("in Lisbon", sources[0]) if n % 3 == 0 else ("somewhere", sources[1])
        bank.remember_many(
            [
                Turn(text=f"We rode tram {n} {named}.", session=f"s{n}", source=source),
                Turn(text=f"It rained a lot that day, {n} times.", session=f"s{n}", source="chats"),
            ]
        )
    bank.sleep()
    return bank


def test_who_curates_a_name_does_not_lose_what_it_calls_up(open_memory):
    bank = travels(open_memory(config=SMALL))
    before = [hit.activation for hit in bank.recall("What about Lisbon?", 3)]
    bank.curate(add=["Lisbon"])
    bank.sleep()

    assert before == [hit.activation for hit in bank.recall("What about Lisbon?", 3)]
    assert before[0] == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("go to market", "What about Go-to-Market?"),
        ("state of the art", "How is the state of the arts?"),
        ("long range laser tunneling effect", "the long range laser tunneling effects, how far?"),
    ],
)
def test_what_is_curated_need_be_no_noun_phrase_to_be_called_up(open_memory, name, asked):
    bank = travels(open_memory(config=SMALL))
    said = {bank.remember(f"We looked into the {name} {n}.", session=f"t{n}").id for n in (1, 2)}
    bank.curate(add=[name])
    bank.sleep()

    assert said == {hit.id for hit in bank.recall(asked, 40) if hit.activation > 0.9}
    others = bank.recall(name.replace(" ", " and "), 40)
    assert not [hit for hit in others if hit.id in said and hit.activation > 0.9]


def curate_by_hand(bank, names, _path):
    bank.curate(add=names)
    bank.sleep()


def curate_by_document(bank, names, path):
    bank.sleep()
    bank.export_concepts(path)
    document = json.loads(path.read_text())
    document["entries"] |= {name: {"ids": [], "scores": []} for name in names}
    path.write_text(json.dumps(document))
    bank.import_concepts(path)


SPELLED = [
    ("C++", "C"),
    ("C#", "C"),
    (".NET", "net"),
    ("R&D", "R"),
    ("A/B test", "B test"),
    ("node.js", "node"),
    ("break even on paper", "even break on paper"),
    ("over the moon", "moon over"),
]


@pytest.mark.parametrize(
    ("curate", "name", "other"),
    [
        *((curate_by_hand, *names) for names in SPELLED),
        (curate_by_document, *SPELLED[0]),
        *(pytest.param(curate_by_document, *n, marks=pytest.mark.slow) for n in SPELLED[1:]),
    ],
)
def test_what_is_curated_is_matched_only_as_it_is_spelled(
    open_memory, tmp_path, curate, name, other
):
    bank = travels(open_memory(config=SMALL))

    def remember(what, *sessions):
        return {bank.remember(f"We looked into {what} {n}.", session=n).id for n in sessions}

    def called_up(what):
        return {hit.id for hit in bank.recall(f"What about {what}?", 60) if hit.activation > 0.9}

    own, others = remember(name, "t1", "t2"), remember(other, "u1", "u2")
    curate(bank, [name, other], tmp_path / "concepts.json")
    assert called_up(name) == own, "said before the anchor was"
    assert called_up(other) == others

    own |= remember(name, "t3")
    others |= remember(other, "u3")
    assert called_up(name) == own, "said since"
    assert called_up(other) == others


def test_a_word_is_not_found_where_it_is_only_part_of_a_curated_name(open_memory):
    bank = travels(open_memory(config=SMALL))
    for n in range(3):
        bank.remember(f"We moved to .NET at last, {n}.", session=f"t{n}")
        bank.remember(f"The net was torn, {n}.", session=f"u{n}")
    bank.curate(add=[".NET"])
    bank.sleep()
    bank.remember("We are on .NET 9 now.", session="t3")
    bank.remember("They mended the net.", session="u3")

    for asked in ("the net?", ".NET?"):
        under = bank.recall(asked, 60, cues=["concept"])
        assert len(under) >= 4
        assert all((".NET" in hit.text) == (".NET" in asked) for hit in under.hits[:4])


def test_texts_that_cannot_be_read_for_curated_names_are_told_of(slept, open_memory):
    memory, bank = slept
    bank.curate(add=["over the moon"])
    bank.sleep()
    bank.remember_many([Turn(text=f"Over the moon, {n} times.") for n in range(16)])
    with memory.engine.store.write():
        number = memory.engine.store.banks.number("ada")
        first, count = memory.engine.store.payloads.block_spans(number, "content")[-1]
        memory.engine.store.payloads.put_block(number, "content", Block(first, count, b"damaged"))
    memory.close()

    found = open_memory(config=SMALL).bank("ada").recall("the violin?", k=1, cues=["concept"])
    assert "violin" in found.hits[0].text
    assert "store" in {one.part for one in found.degraded}


def test_what_is_denied_calls_nothing_up_from_then_on_not_even_what_is_new(open_memory):
    bank = travels(open_memory(config=SMALL))
    other = open_memory(config=SMALL).bank("travels")

    def about(which=bank):
        return max(hit.activation for hit in which.recall("What about Lisbon?", 40))

    assert about() == about(other) == pytest.approx(1)
    bank.curate(deny=["Lisbon"])
    assert about() == about(other) == 0, "an anchor that there is"
    bank.sleep()
    new = bank.remember("I flew to Lisbon, to Lisbon at last.", session="new")
    assert about() == about(other) == 0, "none that there is"
    assert not bank.recall("What about Lisbon?", 40, cues=["concept"])[0].activation
    bank.curate(remove=["Lisbon"])
    assert about() == about(other) == pytest.approx(1)
    assert {new.id} == {hit.id for hit in bank.recall("What about Lisbon?", 40) if hit.activation}


def test_sources_closed_to_anchors_are_not_called_up_by_their_sessions_either(
    open_memory,
):
    concepts = replace(SMALL.concepts, sources=("notes",))
    bank = travels(open_memory(config=replace(SMALL, concepts=concepts)))

    about = {hit.episode.source: hit.activation for hit in bank.recall("What about Lisbon?", 24)}
    assert about["notes"] > 0
    assert about["chats"] == 0


def test_a_person_may_choose_anew_which_sources_anchors_lead_to(open_memory):
    bank = travels(open_memory(config=SMALL))
    other = open_memory(config=SMALL).bank("travels")

    def led_to():
        found = [[h for h in b.recall("What about Lisbon?", 24) if h.activation] for b in both]
        here, there = ({hit.episode.source for hit in hits} for hits in found)
        assert here == there, "another process heeds it too"
        return here

    both = (bank, other)
    assert led_to() == {"notes", "chats"}
    bank.curate(sources=["notes"])
    bank.sleep()
    assert led_to() == {"notes"}
    assert bank.curated().sources == ("notes",)
    bank.curate(add=["tram"])
    assert bank.curated().sources == ("notes",), "said of names is nothing said of sources"
    bank.curate(sources=[])
    assert led_to() == {"notes", "chats"}
    assert bank.curated() == CuratedAnchors(wanted=("tram",), denied=(), sources=None)


def test_what_a_bank_is_told_of_sources_goes_before_the_configuration(open_memory):
    concepts = replace(SMALL.concepts, sources=("mail",))
    bank = travels(open_memory(config=replace(SMALL, concepts=concepts)))
    nowhere = [hit for hit in bank.recall("What about Lisbon?", 24) if hit.activation]
    bank.curate(sources=["notes"])

    found = bank.recall("What about Lisbon?", 24)

    assert nowhere == []
    assert {hit.episode.source for hit in found if hit.activation} == {"notes"}


def test_what_a_read_may_not_see_activates_nothing(open_memory):
    bank = travels(open_memory(config=SMALL))
    for episode in bank.episodes():
        if "Lisbon" in episode.text:
            bank.forget(episode.id)

    assert all(hit.activation == 0 for hit in bank.recall("What about Lisbon?", 24))


def test_words_that_call_something_up_may_weigh_nothing(open_memory):
    fusion = replace(SMALL.fusion, explained_weight=0.0)
    bank = travels(open_memory(config=replace(SMALL, fusion=fusion)))

    found = bank.recall("What about the Lisbon tram tickets?", 5, cues=["lexical", "concept"])
    assert "Lisbon" in found[0].text


@pytest.mark.slow
def test_a_question_as_long_as_a_chapter_is_read_in_no_time(open_memory):
    bank = travels(open_memory(config=SMALL))
    long = "Tell me of the glacier paper, our boat trip and Maria in Lisbon. " * 150

    assert bank.recall(long, 3).cost.steps_s["understand"] < 5

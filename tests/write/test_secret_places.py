"""Secrets in every place that keeps words: none gets past the gate, none is shown, a scan tells."""

import inspect
import json
import re
from contextlib import suppress
from dataclasses import fields

import pytest

from hippocampus import Bank, Config, Memory, Secrets, Turn
from hippocampus.core.key import Key
from hippocampus.core.records import LABELS, FileLocation
from hippocampus.encryption import encrypt
from hippocampus.errors import SecretRefused, UnknownSource
from hippocampus.language.secrets import SecretFinder
from hippocampus.moving import move
from hippocampus.upkeep import scan, verify
from hippocampus.verbs import BANK_VERBS

CARD = "4111 1111 1111 1111"
NAMED = f"the card {CARD}"
MAIL = "lena@example.com"
OTHER_MAIL = "paul@example.com"
KEY = Key.phrase("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH")
WAYS = ("redact", "vault", "refuse")


@pytest.fixture
def opened(tmp_path):
    """Return a way to open a store that treats secrets in some way."""
    memories = []

    def open_(name="agent.db", **how):
        vault = {"vault": KEY} if how.get("write") == "vault" else {}
        config = Config(secrets=Secrets(**how))
        memory = Memory(tmp_path / name, embedder="hash", config=config, **vault)
        memories.append(memory)
        return memory

    yield open_
    for memory in memories:
        memory.close()


def left(memory, words=CARD):
    """Return where words are in a store, in its raw bytes and in all that it decodes to."""
    return [place.where for place in verify(memory, residue=words).residue]


# ---------------------------------------------------------------- every argument of every verb

TALK = ("The violin has a new string.", "The violin is in its case.", "I oiled the violin bow.")


def said(bank):
    return bank.remember("We met at noon.", source="a").id


def file_of(folder, text="The heron nests.", name="notes.md"):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def export_of(folder, change):
    """Write an export in which something is otherwise; return where it is."""
    with Memory(folder / "other.db", embedder="hash") as memory:
        bank = memory.bank("ada")
        bank.hold(said(bank), reason="of the court")
        bank.set_profile(persona="a friend")
        bank.export(folder / "whole.jsonl")
    lines = [json.loads(line) for line in (folder / "whole.jsonl").read_text("utf-8").splitlines()]
    for line in lines:
        change(line)
    return file_of(folder, "\n".join(map(json.dumps, lines)) + "\n", "changed.jsonl")


def in_journal(field):
    def change(line):
        if field in line.get("change", {}).get("detail", {}):
            line["change"]["detail"][field] = NAMED

    return change


def of_a_later_version(line):
    if line.get("change", {}).get("kind") == "profile":
        line["change"] |= {"kind": "mood", "detail": {"mood": NAMED}}


def in_episode(field):
    def change(line):
        if "episode" in line:
            line["episode"][field] = {"of": NAMED} if field == "metadata" else NAMED

    return change


def import_anchors(bank, folder):
    bank.remember_many([Turn(text=text) for text in TALK])
    bank.curate(add=["violin", "string"])
    bank.sleep()
    bank.export_concepts(folder / "anchors.json")
    document = json.loads((folder / "anchors.json").read_text("utf-8"))
    document["entries"][NAMED] = document["entries"].pop("string")
    bank.import_concepts(file_of(folder, json.dumps(document), "changed.json"))


KEEPS = {
    "correct(text)": lambda bank, _: bank.correct(said(bank), f"We met. {NAMED}"),
    "correct(metadata)": lambda bank, _: bank.correct(said(bank), metadata={"of": NAMED}),
    "curate(add)": lambda bank, _: bank.curate(add=[said(bank), NAMED]),
    "curate(deny)": lambda bank, _: bank.curate(deny=[said(bank), NAMED]),
    "curate(remove)": lambda bank, _: bank.curate(remove=[said(bank), NAMED]),
    "curate(sources)": lambda bank, _: bank.curate(sources=[said(bank), NAMED]),
    "hold(reason)": lambda bank, _: bank.hold(said(bank), reason=NAMED),
    "import_(path)": lambda bank, folder: bank.import_(file_of(folder, NAMED)),
    "import_(as_)": lambda bank, folder: bank.import_(file_of(folder), as_=NAMED),
    "import_(location)": lambda bank, folder: bank.import_(
        file_of(folder), location=FileLocation(place=f"/home/{NAMED}/notes.md", host="h")
    ),
    "import_concepts(path)": import_anchors,
    "remember(text)": lambda bank, _: bank.remember(NAMED),
    "remember(metadata)": lambda bank, _: bank.remember("Yes.", metadata={"of": NAMED}),
    "remember_many(turns)": lambda bank, _: bank.remember_many(
        [{"role": "user", "content": NAMED}]
    ),
    "remember_many(session)": lambda bank, _: bank.remember_many([Turn(text="A.")], session=NAMED),
    "set_profile(persona)": lambda bank, _: bank.set_profile(persona=NAMED),
    "set_profile(projects)": lambda bank, _: bank.set_profile(projects=NAMED),
} | {
    f"remember({label})": lambda bank, _, label=label: bank.remember("Yes.", **{label: NAMED})
    for label in LABELS
}
"""A call for each argument that holds words which are kept, with a secret in it."""
NO_WORDS = {
    "id": "of an episode that is there, or refused",
    "to": "the name of a bank that is there, and is who owns it to choose",
    "banks": "likewise",
    "at": "is read as a time",
    "origin": "one of a list",
    "format": "one of a list",
    "steps": "of a list",
    "policy": "numbers, or one of a list",
    "schedule": "numbers",
}
"""Arguments of any verb of which no words are kept, and why."""
NOT_HERE = {
    "forget(source)": "what is there is called so, or it is refused",
    "restore(source)": "likewise",
    "withdraw(source)": "likewise",
    **dict.fromkeys(
        (
            f"{verb}({of})"
            for verb in ("forget", "restore")
            for of in ("session", "speaker", "where")
        ),
        "what is there is asked for, as it was redacted; nothing of it is kept",
    ),
    "export(path)": "where a file is made",
    "export_concepts(path)": "likewise",
    "plot_topics(path)": "likewise",
}
MORE = {
    "a file's name": lambda bank, folder: bank.import_(file_of(folder, name=f"{NAMED}.md")),
    "a folder's name": lambda bank, folder: bank.import_(a_folder(folder)),
    "another version": lambda bank, folder: bank.import_(export_of(folder, of_a_later_version)),
} | {
    f"an export's {name}": lambda bank, folder, how=how: bank.import_(export_of(folder, how))
    for name, how in {
        **{field: in_episode(field) for field in ("text", "metadata", *LABELS)},
        **{field: in_journal(field) for field in ("why", "persona")},
    }.items()
}
"""Other ways in."""


def a_folder(folder):
    (folder / NAMED).mkdir()
    return file_of(folder / NAMED).parent


def test_every_argument_with_words_passes_the_gate_or_says_why_it_need_not():
    verbs = [name for name in dir(Bank) if callable(getattr(Bank, name)) and name[0] != "_"]
    writes = [name for name in verbs if name not in BANK_VERBS or not BANK_VERBS[name].reads]
    found = {
        f"{name}({argument.name})": argument.name
        for name in writes
        for argument in list(inspect.signature(getattr(Bank, name)).parameters.values())[1:]
        if argument.annotation not in {"bool", "int", "Progress | None", "bool | None"}
    }
    told = KEEPS.keys() | NOT_HERE.keys()

    assert not told - found.keys(), "there is no such argument any more"
    assert {} == {call: name for call, name in found.items() if call not in told | NO_WORDS.keys()
                  and name not in NO_WORDS}, "say what it does with a secret"  # fmt: skip


def test_every_field_of_a_turn_is_looked_at_or_holds_no_words():
    words = {one.name for one in fields(Turn)} - {"at", "origin"}

    assert {"text", "metadata", *LABELS} == words


@pytest.mark.parametrize("call", [*KEEPS, *MORE])
def test_unless_asked_a_secret_in_any_argument_is_kept(opened, tmp_path, call):
    memory = opened()
    (KEEPS | MORE)[call](memory.bank("ada"), tmp_path)

    assert left(memory)
    assert scan(memory)


@pytest.mark.parametrize("write", WAYS)
@pytest.mark.parametrize("call", [*KEEPS, *MORE])
def test_a_secret_in_any_argument_is_in_no_byte_of_the_store(opened, tmp_path, call, write):
    memory = opened(write=write)
    refused = pytest.raises(SecretRefused) if write == "refuse" else suppress(SecretRefused)
    with refused as caught:
        (KEEPS | MORE)[call](memory.bank("ada"), tmp_path)

    assert [] == left(memory)
    assert [] == scan(memory)
    assert caught is None or CARD not in str(caught.value)


def test_words_to_be_found_in_texts_are_refused_where_texts_have_no_secrets(opened):
    for write in WAYS:
        bank = opened(f"{write}.db", write=write).bank("ada")
        said(bank)
        with pytest.raises(SecretRefused, match=f"add holds .*card number.*{write!r}"):
            bank.curate(add=[NAMED])


def test_what_was_said_before_the_gate_can_be_taken_back(opened):
    with opened() as memory:
        bank = memory.bank("ada")
        said(bank)
        bank.curate(add=[NAMED])
    bank = opened(write="refuse").bank("ada")
    bank.curate(remove=[NAMED])

    assert () == bank.curated().wanted


def test_an_episode_from_before_the_gate_can_be_worded_anew(opened):
    with opened() as memory:
        kept = memory.bank("ada").remember("We met at noon.", session=MAIL)
    bank = opened(write="refuse").bank("ada")

    assert MAIL == bank.correct(kept.id, "We met at one.").session
    with pytest.raises(SecretRefused, match="the text"):
        bank.correct(bank.episodes()[0].id, NAMED)


# ---------------------------------------------------------------- keys stay keys


@pytest.mark.parametrize("write", ["redact", "vault"])
@pytest.mark.parametrize("label", ["session", "speaker", "source"])
def test_two_people_with_hidden_names_stay_two_when_asked_for_by_name(opened, label, write):
    bank = opened(write=write).bank("ada")
    first = bank.remember("I like tea.", **{label: MAIL})
    bank.remember("I like coffee.", **{label: OTHER_MAIL})
    again = bank.remember("I like cake.", **{label: MAIL})

    assert getattr(first, label).startswith("[e-mail address ")
    assert [first.id, again.id] == [e.id for e in bank.episodes(**{label: MAIL})]
    assert [first.id, again.id] == [e.id for e in bank.episodes(**{label: getattr(first, label)})]
    assert 3 == len(bank.episodes(**{label: [MAIL, OTHER_MAIL]}))
    assert [] == bank.episodes(**{label: "nobody@example.com"})


@pytest.mark.parametrize("write", ["redact", "vault"])
def test_an_address_and_a_session_are_asked_for_as_they_were_given(opened, write):
    bank = opened(write=write).bank("ada")
    kept = bank.remember("I like tea.", session=MAIL, address=f"{MAIL}#1")

    assert MAIL not in kept.address
    assert [kept] == bank.expand(f"{MAIL}#1") == bank.expand(kept.address)
    assert "I like tea." in bank.compact_session(MAIL).text
    assert 1 == bank.summary(MAIL).turns


def test_keys_from_before_the_gate_are_found_beside_new_ones(opened):
    with opened() as memory:
        before = memory.bank("ada").remember("I like tea.", session=MAIL, source=MAIL)
    bank = opened(write="redact").bank("ada")
    after = bank.remember("I like cake.", session=MAIL)

    assert [before.id, after.id] == [e.id for e in bank.episodes(session=MAIL)]
    assert 1 == bank.forget(source=MAIL)
    assert (1, 2) == (bank.forget(session=MAIL), bank.restore(session=MAIL))


def test_an_encrypted_copy_and_an_empty_store_keep_the_letters(opened, tmp_path):
    with opened(write="redact") as memory:
        before = memory.bank("ada").remember("I like tea.", speaker=MAIL)
    encrypt(tmp_path / "agent.db", tmp_path / "safe.db", key=KEY)
    move(tmp_path / "agent.db", tmp_path / "moved.db")
    config = Config(secrets=Secrets(write="redact"))
    for name, key in (("safe.db", KEY), ("moved.db", None)):
        with Memory(tmp_path / name, embedder="hash", config=config, key=key) as memory:
            bank = memory.bank("ada")
            assert before.speaker == bank.remember("I like cake.", speaker=MAIL).speaker
            assert 2 == len(bank.episodes(speaker=MAIL))


def test_another_password_in_an_address_leads_to_the_same_source(opened):
    bank = opened(write="redact").bank("ada")
    one, two = (
        bank.remember("A page.", source=f"https://ada:{word}@example.org/x", again=True)
        for word in ("Sommer!2024", "Winter!2025")
    )

    assert one.source == two.source == "https://ada:[password]@example.org/x"


@pytest.mark.parametrize("write", ["redact", "vault"])
def test_a_file_that_is_imported_again_is_the_same_source(opened, tmp_path, write):
    bank = opened(write=write).bank("ada")
    name = "WhatsApp Chat with +49 170 1234567.md"
    folder = tmp_path / "of lena@example.com"
    folder.mkdir()
    file = file_of(folder, "The heron nests.", name)
    first = bank.import_(file)
    again = bank.import_(file)
    file.write_text("The heron has flown.", encoding="utf-8")
    changed = bank.import_(file)

    assert (1, 0) == (first.added, again.added)
    assert (1, 1) == (again.unchanged, changed.removed)
    (source,) = bank.sources()
    assert "[phone number " in source.name
    assert "+49" not in str(source)
    assert MAIL not in str(source)
    assert ["The heron has flown."] == [e.text for e in bank.episodes(source=name)]
    assert 1 == bank.forget(source=name)
    assert 1 == bank.restore(source=source.name)
    with pytest.raises(UnknownSource):
        bank.forget(source="+49 170 7654321")


def test_files_of_one_name_in_folders_of_two_people_stay_two_sources(opened, tmp_path):
    bank = opened(write="redact").bank("ada")
    for mail, text in ((MAIL, "The heron nests."), (OTHER_MAIL, "The owl hoots.")):
        (tmp_path / mail).mkdir()
        bank.import_(file_of(tmp_path / mail, text))

    assert 2 == len(bank.episodes()) == len(bank.sources())


def test_a_source_that_was_named_before_secrets_were_redacted_is_forgotten_whole(opened):
    name = f"letters of {MAIL}"
    with opened(write="keep") as memory:
        memory.bank("ada").remember("The heron nests.", source=name)
    with opened(write="redact") as memory:
        bank = memory.bank("ada")
        bank.remember("The owl hoots.", source=name)

        assert 2 == bank.forget(source=name)
        assert 2 == bank.restore(source=name)
        assert 2 == bank.forget(source=name, erase=True)


def test_two_files_whose_places_differ_in_a_token_alone_stay_two_sources(opened, tmp_path):
    bank = opened(write="redact").bank("ada")
    for token, text in (
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "The heron nests by the lake."),
        ("ghp_92Ab71F0c6912E7710c838347Ae178B4a5Zq", "An owl hoots in the barn."),
    ):
        bank.import_(file_of(tmp_path, text, f"notes-{token}.md"))
        assert "ghp_" not in str(bank.sources())

    assert 2 == len(bank.episodes()) == len(bank.sources())


def test_a_place_that_was_redacted_is_never_taken_for_gone(opened, tmp_path):
    bank = opened(write="redact").bank("ada")
    (tmp_path / MAIL).mkdir()
    bank.import_(file_of(tmp_path / MAIL, "The heron nests by the lake."))
    copy = file_of(tmp_path, "The heron nests by the lake.", "copy.md")
    bank.import_(copy)

    assert 2 == len(bank.sources())  # a file that is there still was not renamed


def test_a_folder_that_is_called_like_a_kind_is_looked_for(opened, tmp_path):
    bank = opened(write="redact").bank("ada")
    (tmp_path / "[token]").mkdir()
    file = file_of(tmp_path / "[token]", "The heron nests by the lake.")
    bank.import_(file)
    file.rename(tmp_path / "moved.md")
    bank.import_(tmp_path / "moved.md")

    assert ["moved.md"] == [source.name for source in bank.sources()]


def test_a_folder_with_secrets_is_brought_up_to_date_as_any_other(opened, tmp_path):
    bank = opened(write="redact").bank("ada")
    folder = tmp_path / MAIL
    folder.mkdir()
    gone = file_of(folder, "The heron nests.", "one.md")
    kept = file_of(folder, "The owl hoots.", "two.md")
    assert 2 == bank.import_(folder, sync=True).added
    gone.unlink()
    kept.write_text("The owl sleeps.", encoding="utf-8")
    done = bank.import_(folder)

    assert (1, 1) == (done.added, done.removed)
    assert {"The heron nests.", "The owl sleeps."} == {e.text for e in bank.episodes()}
    assert 1 == bank.withdraw("one.md")  # which is said by hand


def test_what_stands_for_a_secret_in_a_label_stays_as_it_is():
    finder = SecretFinder(salt=b"salt")
    for secret in (CARD, MAIL, "+49 170 1234567", "my IBAN is DE89370400440532013000"):
        label = finder.redact_label(secret)
        assert "[" in label
        assert label == finder.redact_label(label) == finder.redact(label)
    assert finder.redact_label(MAIL) != SecretFinder(salt=b"pepper").redact_label(MAIL)


# ---------------------------------------------------------------- shown


def test_a_vault_gives_labels_back(opened):
    bank = opened(write="vault").bank("ada")
    given = {label: f"{label} of {MAIL}" for label in LABELS}
    kept = bank.remember(f"Write to {MAIL}.", **given)
    shown = bank.reveal(kept.id)

    assert not [label for label in LABELS if MAIL in getattr(kept, label)]
    assert given == {label: getattr(shown, label) for label in LABELS}
    assert f"Write to {MAIL}." == shown.text


@pytest.fixture
def full(opened, tmp_path):
    """Return a bank that was filled without a gate, with a card in every place, and hides them."""
    with opened() as memory:
        bank = memory.bank("ada")
        for label in LABELS:
            bank.remember(f"The violin of {label}.", **{label: NAMED})
        bank.set_profile(persona=NAMED, projects=NAMED)
        bank.hold(bank.episodes()[0].id, reason=NAMED)
        bank.curate(add=[NAMED], sources=[NAMED])
        bank.import_(file_of(tmp_path, "The violin of a file.", f"{NAMED}.md"))
    return opened(show="redact").bank("ada")


def test_a_context_hides_the_secrets_in_all_that_it_shows(full):
    made = full.context("violin", recent=9, pointers=9)

    assert CARD not in made.text
    assert CARD not in repr(made)
    assert "[card number" in made.text
    for budget in range(200, 400, 20):
        assert CARD not in repr(full.context("violin", budget, recent=9, pointers=9))


def test_a_pointer_that_was_redacted_leads_to_what_it_points_to(full):
    pointers = [
        pointer
        for budget in range(150, 500, 10)
        for pointer in full.context("violin", budget, pointers=9, persona="").left_out
    ]
    hidden = [pointer for pointer in pointers if "[card number" in pointer.address]

    assert hidden
    assert all(one.id in {e.id for e in full.expand(one.address)} for one in hidden)


def test_a_compacted_session_hides_what_it_is_called(full):
    made = full.compact_session(NAMED, 60)

    assert CARD not in repr(made)
    assert "violin" in made.text


def test_an_export_that_hides_the_secrets_in_every_field_comes_in_again(full, opened, tmp_path):
    full.export(tmp_path / "hidden.jsonl")
    written = (tmp_path / "hidden.jsonl").read_text("utf-8")
    assert CARD not in written
    bank = opened("new.db").bank("ada")

    assert 6 == bank.import_(tmp_path / "hidden.jsonl").added
    assert "the card [card number]" == bank.profile().persona
    sources = {e.source for e in bank.episodes() if e.source}
    assert {"the card [card number]"} == {
        re.sub(r" [a-z]{4}\]", "]", source).removesuffix(".md") for source in sources
    }
    assert 1 == len({source.removesuffix(".md") for source in sources})


def test_an_exported_concept_index_hides_the_secrets_of_names_and_sources(opened, tmp_path):
    with opened() as memory:
        bank = memory.bank("ada")
        texts = (*TALK, f"The violin costs {NAMED}.")
        bank.remember_many([Turn(text=text, source=f"{NAMED}.md") for text in texts])
        bank.curate(add=[CARD, "violin"])
        bank.sleep()
        bank.export_concepts(tmp_path / "whole.json")
    bank = opened(show="redact").bank("ada")
    count = bank.export_concepts(tmp_path / "hidden.json")
    whole, hidden = ((tmp_path / name).read_text("utf-8") for name in ("whole.json", "hidden.json"))

    assert {CARD, "violin"} <= json.loads(whole)["entries"].keys()
    assert CARD not in hidden
    assert count == len(json.loads(hidden)["entries"]) == len(json.loads(whole)["entries"])
    assert count == bank.import_concepts(tmp_path / "hidden.json")


# ---------------------------------------------------------------- a scan


@pytest.mark.slow
@pytest.mark.usefixtures("full")
def test_a_scan_finds_secrets_in_every_place_and_state(opened):
    bank = opened().bank("ada")
    hidden = bank.remember(f"Forgotten: {NAMED}.")
    bank.forget(hidden.id)
    worded = bank.remember(f"Worded anew: {NAMED}.")
    bank.correct(worded.id, "Worded anew: no card.")
    opened().bank(f"bank of {MAIL}").remember("Yes.")
    found = scan(opened())
    places = {(one.where, one.state) for one in found}

    for label in LABELS:
        assert (label, "active") in places
    assert {("text", "forgotten"), ("text", "superseded")} <= places
    assert {hidden.id, worded.id} == {one.id for one in found if one.where == "text"}
    of_bank = {one.where for one in found if one.id is None}
    assert {"persona", "projects", "add", "sources"} == {
        where.split()[0] for where in of_bank if "change" in where
    }
    assert any(one.where.startswith("why of change") and one.id for one in found)
    assert any(one.where.startswith("file of change") and one.id for one in found)
    assert "the name of the bank" in of_bank
    assert CARD not in repr([one._replace(bank="") for one in found])


@pytest.mark.slow
def test_a_scan_tells_what_sleep_has_made_of_a_secret(opened):
    memory = opened()
    bank = memory.bank("ada")
    bank.remember_many([Turn(text=text) for text in (*TALK, f"The violin costs {NAMED}.")])
    bank.curate(add=[NAMED])
    bank.sleep()

    assert any(one.where.endswith("made by sleep") for one in scan(memory))

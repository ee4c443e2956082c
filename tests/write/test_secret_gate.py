"""What becomes of secrets that are written, shown and found later."""

import base64
import json
import random
import time

import pytest

from hippocampus import Config, Memory, Secrets, Turn
from hippocampus.core.key import Key
from hippocampus.errors import InputError, SecretRefused, StoreCorrupt, WrongKey
from hippocampus.language.payload_texts import spelled
from hippocampus.language.secrets import SecretFinder
from hippocampus.upkeep import scan

SAID = "The wifi password is Sommer!2024, and my card is 4111 1111 1111 1111."


def opened(path, **how):
    return Memory(path, embedder="none", config=Config(secrets=Secrets(**how)))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.db"


def test_unless_asked_everything_is_shown_as_it_was_said(path):
    with opened(path) as memory:
        bank = memory.bank("ada")
        assert SAID == bank.remember(SAID).text
        assert "Sommer!2024" in bank.context("wifi password").text


def test_what_is_to_be_redacted_is_in_no_byte_of_the_file(path):
    with opened(path, write="redact") as memory:
        kept = memory.bank("ada").remember(SAID, metadata={"note": {"by": ["pin is 4711"]}})
        assert "The wifi password is [password], and my card is [card number]." == kept.text
        assert {"note": {"by": ["pin is [code]"]}} == kept.metadata
    assert b"4111 1111" not in path.read_bytes()
    assert b"4711" not in path.read_bytes()


@pytest.mark.parametrize(
    "turn", [Turn(text=SAID), Turn(text="Hello.", metadata={"password": "Sommer!2024"})]
)
def test_what_is_to_be_refused_is_kept_neither_in_the_bank_nor_in_the_error(path, turn):
    with opened(path, write="refuse") as memory:
        bank = memory.bank("ada")
        with pytest.raises(SecretRefused, match="password") as caught:
            bank.remember_many([turn])
        assert "Sommer" not in str(caught.value)
        assert [] == bank.episodes()
        assert "I like tea." == bank.remember("I like tea.").text


@pytest.mark.parametrize("write", ["redact", "refuse", "vault"])
def test_a_label_of_another_kind_is_refused_before_secrets_are_looked_for(path, write):
    config = Config(secrets=Secrets(write=write))
    with Memory(path, embedder="none", config=config, vault=KEY) as memory:
        bank = memory.bank("ada")
        for label in ("speaker", "role", "session", "source", "address"):
            for wrong in (5, True, b"Ada", ["Ada"], {"of": "Ada"}, "", "x" * 5000):
                with pytest.raises(InputError, match=f"^{label}"):
                    bank.remember_many([Turn(text="Hello.", **{label: wrong})])
        assert [] == bank.episodes()


def test_contexts_can_hide_what_was_kept(path):
    with opened(path, show="redact") as memory:
        bank = memory.bank("ada")
        bank.remember(SAID, session="s")
        shown = bank.context("wifi password", recent=3)
        assert "Sommer" not in shown.text
        assert "[password]" in shown.text
        assert SAID == bank.episodes()[0].text
        assert shown.tokens <= 3500


def test_a_scan_names_episodes_with_kinds_without_ever_naming_the_secret(path):
    with opened(path) as memory:
        kept = memory.bank("ada").remember(SAID)
        memory.bank("bob").remember("I like tea.")
        memory.bank("bob").remember("Her.", metadata={"mail": "lena@example.com"})
        found = scan(memory)

    assert [("ada", kept.id, ("card number", "password"), "text", "active")] == found[:1]
    assert [("bob", ("e-mail address",), "metadata")] == [
        (one.bank, one.kinds, one.where) for one in found[1:]
    ]
    assert "Sommer" not in repr(found)


@pytest.mark.parametrize("how", [{"write": "maybe"}, {"show": "refuse"}, {"write": None}])
def test_ways_that_there_are_not_are_refused(how):
    with pytest.raises(InputError, match="Secrets"):
        Secrets(**how)


# ---------------------------------------------------------------- the vault

KEY = Key.phrase("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH")
OTHER = Key.phrase("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHH2")


def with_vault(path, key=KEY, **how):
    config = Config(secrets=Secrets(write="vault", **how))
    return Memory(path, embedder="none", config=config, vault=key)


def test_what_is_sealed_comes_back_with_the_key_though_no_byte_on_disk_tells_it(path):
    with with_vault(path) as memory:
        bank = memory.bank("ada")
        kept = bank.remember(SAID, metadata={"note": {"by": ["pin is 4711"]}})
        assert "The wifi password is [password 1], and my card is [card number 2]." == kept.text
        assert {"by": ["pin is [code 3]"]} == kept.metadata["note"]
        shown = bank.reveal(kept.id)
        assert (SAID, {"note": {"by": ["pin is 4711"]}}) == (shown.text, shown.metadata)
        assert kept.id == bank.remember(SAID, at=kept.occurred_at,
                                        metadata={"note": {"by": ["pin is 4711"]}}).id  # fmt: skip
    written = path.read_bytes()
    for secret in (b"4111 1111", b"4711", b"Sommer!2024"):
        assert secret not in written


def test_who_has_not_the_key_reads_the_rest(path):
    with with_vault(path) as memory:
        kept = memory.bank("ada").remember(SAID)
    with Memory(path, embedder="none") as memory:
        bank = memory.bank("ada")
        assert "wifi password" in bank.recall("wifi").hits[0].text
        with pytest.raises(WrongKey, match="vault is shut"):
            bank.reveal(kept.id)
    with pytest.raises(WrongKey, match="vault stays shut"):
        with_vault(path, OTHER)
    with pytest.raises(InputError, match="no key to one"):
        opened(path, write="vault")


def test_numbers_come_back_as_numbers_and_texts_as_texts(path):
    given = {"pin": 8306, "more": {"pin": "8306", "said": '{"pin": 8306, "cups": 2}'}}
    with with_vault(path) as memory:
        bank = memory.bank("ada")
        kept = bank.remember("The PIN is 8306.", metadata=given)
        assert "8306" not in str(kept)
        shown = bank.reveal(kept.id)
        assert "8306" not in repr(vars(vars(memory.engine.vault)["_cipher"]))
    assert ("The PIN is 8306.", given) == (shown.text, shown.metadata)


@pytest.mark.parametrize("note", ["", "\ue0001.10\ue000"])
def test_a_fraction_in_json_that_is_a_text_keeps_its_digits(path, note):
    said = json.dumps({"pin": 8306, "note": note, "price": 2.5}, ensure_ascii=False)
    said = said.replace("2.5", "2.5" if note else "[2.50, -1.0E+3]")
    with with_vault(path) as memory:
        bank = memory.bank("ada")
        kept = bank.remember("Hello.", metadata={"args": said})
        assert said.replace("8306", '"[code 1]"') == kept.metadata["args"]
        assert {"args": said} == bank.reveal(kept.id).metadata


def test_a_name_that_somebody_wrote_never_stands_for_a_secret(path):
    given = {"tool_call_id": "[password 1]", "note": "as [password 2] says"}
    with with_vault(path) as memory:
        bank = memory.bank("ada")
        kept = bank.remember("The wifi password is Herbst!55q.", metadata=given)
        assert "The wifi password is [password 3]." == kept.text
        shown = bank.reveal(kept.id)
    assert ("The wifi password is Herbst!55q.", given) == (shown.text, shown.metadata)


def test_another_wording_keeps_what_still_has_its_place(path):
    with with_vault(path) as memory:
        bank = memory.bank("ada")
        kept = bank.remember(SAID)
        new = bank.correct(kept.id, "My card is [card number 2], my PIN 4711.")
        assert {"card number 2", "code 3"} == set(new.metadata["vault"])
        assert "My card is 4111 1111 1111 1111, my PIN 4711." == bank.reveal(new.id).text


def test_a_new_secret_never_takes_the_name_of_an_older_one(path):
    with with_vault(path) as memory:
        bank = memory.bank("ada")
        kept = bank.remember(
            "The wifi password is Sommer!2024, the router's password is Winter!99x."
        )
        one = bank.correct(kept.id, "The router's password is [password 2].")
        two = bank.correct(one.id, "The router's password is [password 2], mine is Autumn!77z.")
        told = bank.reveal(two.id).text
    assert "The router's password is Winter!99x, mine is Autumn!77z." == told


@pytest.mark.parametrize("write", ["redact", "vault"])
def test_the_name_of_a_field_may_tell_that_it_is_a_secret(path, write):
    how = with_vault if write == "vault" else opened
    given = {"password": "Sommer!2024", "vault": {}, "place": {"pin": ["4711"]}}
    with how(path, **({} if write == "vault" else {"write": write})) as memory:
        kept = memory.bank("ada").remember("Hello.", metadata=given)
    assert "Sommer!2024" not in str(kept.metadata)
    assert "4711" not in str(kept.metadata)


def test_metadata_that_is_called_like_the_vault_is_kept_where_there_is_none(path):
    with opened(path, write="redact") as memory:
        kept = memory.bank("ada").remember("Hello.", metadata={"vault": "of the bank"})
    assert {"vault": "of the bank"} == kept.metadata


def test_a_sealed_secret_that_was_changed_is_told(path):
    with with_vault(path) as memory:
        bank = memory.bank("ada")
        kept = bank.remember(
            "My PIN is [code 1].", metadata={"vault": {"code 1": "bm90IHNlYWxlZA=="}}
        )
        with pytest.raises(StoreCorrupt, match="does not open"):
            bank.reveal(kept.id)
        with pytest.raises(InputError, match="name it otherwise"):
            bank.remember("Hello.", metadata={"vault": "of the bank"})
        made_up = {f"password {'9' * 5000}": "", "password": "", "": "x"}
        assert bank.remember(SAID, metadata={"vault": made_up}).metadata["vault"]


def test_erasing_an_episode_erases_its_secrets(path):
    with with_vault(path) as memory:
        bank = memory.bank("ada")
        kept = bank.remember(SAID)
        sealed = kept.metadata["vault"]["password 1"].encode()
        assert 1 == bank.forget(kept.id, erase=True)
    assert sealed not in path.read_bytes()


# ---------------------------------------------------------------- in and out


def test_an_export_hides_what_is_not_to_be_shown(path, tmp_path):
    with with_vault(path, show="redact") as memory:
        memory.bank("ada").remember(SAID)
        memory.bank("ada").export(tmp_path / "hidden.jsonl")
    with opened(path) as memory:
        memory.bank("ada").export(tmp_path / "whole.jsonl")
    assert "sealed" not in (tmp_path / "hidden.jsonl").read_text("utf-8")
    assert '"metadata":{}' in (tmp_path / "hidden.jsonl").read_text("utf-8")
    assert '"vault":{' in (tmp_path / "whole.jsonl").read_text("utf-8")


def test_an_export_of_ours_comes_in_by_the_same_gate(path, tmp_path):
    export = tmp_path / "all.jsonl"
    with opened(path) as memory:
        memory.bank("ada").remember(SAID, metadata={"mail": "lena@example.com"})
        memory.bank("ada").export(export)
    with opened(tmp_path / "redacted.db", write="redact") as memory:
        for bank in (memory.bank("new"), memory.bank("old")):
            if bank.name == "old":
                bank.remember("I like tea.")
            assert 1 == bank.import_(export).added
            (kept,) = [one for one in bank.episodes() if "wifi" in one.text]
            assert "The wifi password is [password], and my card is [card number]." == kept.text
            assert {"mail": "[e-mail address]"} == kept.metadata
    with opened(tmp_path / "refused.db", write="refuse") as memory:
        with pytest.raises(SecretRefused):
            memory.bank("new").import_(export)
        assert [] == memory.bank("new").episodes()


# ---------------------------------------------------------------- JSON and what is no text

ARGUMENTS = '{"user": "ada", "password": "Sommer!2024", "n": 1}'
PICTURE = base64.b64encode(random.Random(1).randbytes(90_000)).decode()  # noqa: S311 - any bytes


@pytest.mark.parametrize("write", ["redact", "vault"])
def test_json_that_is_kept_as_a_text_is_json_afterwards(path, write):
    said = json.dumps({"said": 'She said "my password: hunter2!X"\nnext', "of": [ARGUMENTS]})
    how = with_vault if write == "vault" else opened
    with how(path, **({} if write == "vault" else {"write": write})) as memory:
        bank = memory.bank("ada")
        kept = bank.remember("Hello.", metadata={"value": said})
        value = json.loads(kept.metadata["value"])
        again = bank.reveal(kept.id).metadata["value"] if write == "vault" else said
    assert value["said"].startswith('She said "my password: [password')
    assert value["said"].endswith(']"\nnext')
    assert {"user": "ada", "n": 1} == {
        k: v for k, v in json.loads(value["of"][0]).items() if k != "password"
    }
    assert "Sommer" not in str(kept.metadata)
    assert json.loads(said) == json.loads(again)


@pytest.mark.parametrize(
    "text",
    [f"login({ARGUMENTS})", json.dumps({"arguments": ARGUMENTS}), "{'dbPassword': 'Sommer!2024'}",
     '{"apiKey":"Sommer-2024-Sommer"}', '{"new_password" : "Sommer!2024"}'],
)  # fmt: skip
def test_a_secret_in_a_call_that_is_told_as_a_text_is_found(path, text):
    with opened(path, write="redact") as memory:
        assert "Sommer" not in memory.bank("ada").remember(text).text


@pytest.mark.parametrize("write", ["redact", "refuse"])
@pytest.mark.parametrize(
    "value",
    [f"data:image/png;base64,{PICTURE}", PICTURE, {"data": PICTURE}, "call_4111111111111111",
     {"call_id": "4111111111111111"}, '{"id": 4915112345678, "ts": 1735689600}'],
    ids=["address of a picture", "picture", "field", "call", "id of a call", "id in JSON"],
)  # fmt: skip
def test_pictures_and_ids_are_no_texts(path, write, value):
    with opened(path, write=write) as memory:
        kept = memory.bank("ada").remember("Hello.", metadata={"value": value})
        spoken = value if isinstance(value, str) else json.dumps(value)
        assert spoken == memory.bank("bob").remember(spoken[:60_000]).text or len(spoken) > 60_000
    assert {"value": value} == kept.metadata


ISSUED = "ghs_16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.mark.parametrize("field", ["id", "call_id", "tool_call_id"])
def test_a_key_is_none_of_the_ids_that_are_left_alone(path, tmp_path, field):
    given = {"calls": [{field: ISSUED}, {field: "5500005555555559"}, {field: "login:Sommer2024"}]}
    with opened(tmp_path / "kept.db") as memory:
        memory.bank("ada").remember("Hello.", metadata=given)
        assert [("key",)] == [one.kinds for one in scan(memory)]
    with opened(tmp_path / "refused.db", write="refuse") as memory:
        with pytest.raises(SecretRefused, match="key"):
            memory.bank("ada").remember("Hello.", metadata=given)
        memory.bank("ada").remember("Hello.", metadata={"calls": given["calls"][1:]})
    with with_vault(path) as memory:
        bank = memory.bank("ada")
        kept = bank.remember("Hello.", metadata=given)
        assert [{field: "[key 1]"}, *given["calls"][1:]] == kept.metadata["calls"]
        assert given == bank.reveal(kept.id).metadata
    assert "[key]" in str(SecretFinder().redact_all(given))


def test_the_names_of_owners_stay_as_they_were_given(path, tmp_path):
    owner = {"user_id": "lena@example.com", "langgraph": {"key": "4111111111111111"}}
    with opened(path, write="redact", show="redact") as memory:
        bank = memory.bank("ada")
        kept = bank.remember("Hello.", metadata=owner)
        bank.export(tmp_path / "ada.jsonl")
        (found,) = scan(memory)
    assert owner == kept.metadata
    assert ("card number", "e-mail address") == found.kinds
    assert "lena@example.com" not in (tmp_path / "ada.jsonl").read_text()


def test_half_a_character_in_a_call_stays_an_escape():
    given = {"call": '{"to":"ol\\ud83c","password":"marmot77x"}'}
    made = SecretFinder().redact_fields(given)["call"]

    assert {"to": "ol\ud83c", "password": "[password]"} == json.loads(made.encode())


@pytest.mark.parametrize(
    "call",
    [
        '{"size":1e999,"password":"%s"}',
        '{"sizes":[NaN,-Infinity],"password":"%s"}',
        '{"to":"Ole","to":"Kim","password":"%s"}',
    ],
)
def test_a_call_that_is_no_plain_json_is_changed_in_its_secrets_alone(call):
    made = SecretFinder().redact_fields({"call": call % "marmot77x"})

    assert {"call": call % "[password]"} == made


def test_a_code_may_be_a_number_where_its_field_says_so(path):
    with opened(path, write="redact") as memory:
        kept = memory.bank("ada").remember("Hello.", metadata={"pin": 4711, "cups": 4711})
    assert {"pin": "[code]", "cups": 4711} == kept.metadata


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape", ['{"a": ', "[", '"', "\\", '"a": ', '\\"', ";base64,A", "x" * 600 + " ", "'"]
)
def test_json_is_looked_through_in_linear_time(shape):
    finder = SecretFinder()

    def seconds(size):
        text = (shape * size)[:size]
        value = {"a": [text, json.dumps(json.dumps(text)), f'"{text}"']}
        begun = time.process_time()
        finder.redact_fields(value)
        spelled(value)
        return time.process_time() - begun

    seconds(1000)
    short = min(seconds(8_000) for _ in range(3))
    assert min(seconds(64_000) for _ in range(2)) < 24 * max(short, 0.004)

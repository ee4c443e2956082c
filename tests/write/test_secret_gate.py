"""What becomes of secrets that are written, shown and found later."""

import pytest

from hippocampus import Config, Memory, Secrets, Turn
from hippocampus.errors import InputError, SecretRefused
from hippocampus.upkeep import scan

SAID = "The wifi password is Sommer!2024, and my card is 4111 1111 1111 1111."


def opened(path, **how):
    return Memory(path, embedder="none", config=Config(secrets=Secrets(**how)))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.db"


def test_unless_asked_everything_is_kept_and_shown(path):
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
def test_what_is_to_be_refused_is_not_kept_and_the_error_does_not_tell_it(path, turn):
    with opened(path, write="refuse") as memory:
        bank = memory.bank("ada")
        with pytest.raises(SecretRefused, match="password") as caught:
            bank.remember_many([turn])
        assert "Sommer" not in str(caught.value)
        assert [] == bank.episodes()
        assert "I like tea." == bank.remember("I like tea.").text


def test_contexts_can_hide_what_was_kept(path):
    with opened(path, show="redact") as memory:
        bank = memory.bank("ada")
        bank.remember(SAID, session="s")
        shown = bank.context("wifi password", recent=3)
        assert "Sommer" not in shown.text
        assert "[password]" in shown.text
        assert SAID == bank.episodes()[0].text
        assert shown.tokens <= 3500


def test_a_scan_names_episodes_and_kinds_and_never_the_secret(path):
    with opened(path) as memory:
        kept = memory.bank("ada").remember(SAID)
        memory.bank("bob").remember("I like tea.")
        memory.bank("bob").remember("Her.", metadata={"mail": "lena@example.com"})
        found = scan(memory)

    assert [("ada", kept.id, ("card number", "password"))] == found[:1]
    assert [("bob", ("e-mail address",))] == [(one.bank, one.kinds) for one in found[1:]]
    assert "Sommer" not in repr(found)


@pytest.mark.parametrize("how", [{"write": "maybe"}, {"show": "refuse"}, {"write": None}])
def test_ways_that_there_are_not_are_refused(how):
    with pytest.raises(InputError, match="Secrets"):
        Secrets(**how)

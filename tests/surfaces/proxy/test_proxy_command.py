"""The command; what serves is a process of its own."""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import httpx
import pytest
from in_process import invoke


@contextmanager
def spawned(upstream, path, *options):
    """Run the command, and give the process and the address it says it listens at."""
    environment = {
        **os.environ, "HIPPOCAMPUS_STORE": str(path), "HIPPOCAMPUS_EMBEDDER": "hash",
        "HIPPOCAMPUS_BANK": "", "HIPPOCAMPUS_UPSTREAM": "",
    }  # fmt: skip
    command = [sys.executable, "-m", "hippocampus", "proxy", "--port", "0", *options]
    with subprocess.Popen(
        [*command, "--upstream", upstream], env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        said = []
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"http://\S+:\d+/v1(?= passes on)", line):
                yield process, found[0], said
                break
        process.kill()


def say(url, text):
    body = {"model": "small", "messages": [{"role": "user", "content": text}]}
    return httpx.post(f"{url}/chat/completions", json=body, timeout=20)


@pytest.mark.slow
def test_it_ends_when_told_with_nothing_lost_of_what_it_served(upstream, path, remembered):
    with spawned(upstream.url, path) as (process, url, _):
        answer = say(url, "I moved to Lisbon in March.")
        process.send_signal(signal.SIGTERM)
        log = process.stderr.read()
        assert process.wait(20) == 0

    assert answer.headers["x-memory"].startswith("bank=me; memories=0")
    assert "POST '/v1/chat/completions' 200" in log
    assert "Lisbon" not in log
    assert remembered() == [("user", "I moved to Lisbon in March."), ("assistant", "Noted.")]


@pytest.mark.slow
def test_where_others_can_reach_it_there_is_no_default_bank(upstream, path):
    with spawned(upstream.url, path, "--host", "0.0.0.0") as (_, url, said):  # noqa: S104
        answer = say(url.replace("0.0.0.0", "127.0.0.1"), "I moved to Lisbon.")  # noqa: S104

    assert "whoever is named" in said[-1]
    assert answer.headers["x-memory"].startswith("without=no-bank")


@pytest.mark.slow
def test_chats_openly_go_on_without_a_store_that_cannot_be_opened(upstream, path):
    path.write_bytes(b"this is no store " * 1000)
    with spawned(upstream.url, path) as (_, url, said):
        answer = say(url, "Hi there.")

    assert "chats go on without memory" in said[0]
    assert (answer.status_code, "without=store" in answer.headers["x-memory"]) == (200, True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--upstream", "nowhere"), "such as http://localhost:11434/v1"),
        (("--upstream", "http://x/v1", "--deadline", "0"), "--deadline 0.0: must be above 0"),
        (("--upstream", "http://x/v1", "--host", "192.0.2.1"), "--host '192.0.2.1', --port 8766: "),
        (("--upstream", "http://x/v1", "--host", "x" * 64), "choose others, such as port 0"),
        ((), "--upstream"),
    ],
)
def test_a_wrong_call_is_refused_with_code_2(options, said):
    environment = {"HIPPOCAMPUS_UPSTREAM": "", "COLUMNS": "200"}
    done = invoke("proxy", *options, env=environment)

    assert done.exit_code == 2
    assert said in done.stderr


def test_without_its_packages_it_says_what_to_install():
    code = """
import sys
sys.modules["httpx"] = None
sys.argv = ["hippocampus", "proxy", "--upstream", "http://x/v1"]
from hippocampus.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 5
    assert "pip install 'hippocampus-memory[proxy]'" in " ".join(done.stderr.split())

"""``hippocampus ui`` serves the dashboard to this machine and opens a browser at it."""

import os
import signal
import stat
import subprocess
import sys

import httpx
import pytest


@pytest.fixture
def ui(path):
    """Return a way to run the command: its address, then the process."""
    running = []

    def start(*options, **env):
        process = subprocess.Popen(
            [sys.executable, "-m", "hippocampus", "ui", "--store", str(path), "--embedder", "none",
             "--port", "0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | env,
        )  # fmt: skip
        running.append(process)
        return process.stdout.readline().strip(), process

    yield start
    for process in running:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


@pytest.mark.slow
def test_it_answers_this_machine_with_a_store_made_where_there_is_none(ui, path):
    address, process = ui("--no-open")

    assert address.startswith("http://127.0.0.1:")
    assert address.endswith("/ui/")
    assert "Hippocampus" in httpx.get(address).text
    assert path.exists()
    process.send_signal(signal.SIGTERM)
    assert 0 == process.wait(20)


@pytest.mark.slow
def test_it_opens_the_browser_at_its_address(ui, tmp_path):
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    os.mkfifo(seen)
    browser.write_text(f'#!/bin/sh\necho "$1" > "{seen}"\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    address, _ = ui(BROWSER=f"{browser} %s")

    assert address == seen.read_text().strip()

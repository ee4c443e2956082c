"""A server in a process of its own, as a user starts it."""

import os
import re
import signal
import subprocess
import sys


class Process:
    """``hippocampus serve`` in a process of its own."""

    def __init__(self, path, *options, env=None):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hippocampus", "serve", "--store", str(path), "--port", "0",
             "--embedder", "hash", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=os.environ | (env or {}),
        )  # fmt: skip
        self.log = []
        while not (found := re.search(r"answers at (\S+)", self._line())):
            pass
        self.url = found[1]

    def _line(self):
        line = self.process.stderr.readline()
        assert line, "".join(self.log)
        self.log.append(line)
        return line

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=30)
        self.log.append(err)
        return self.process.returncode, out

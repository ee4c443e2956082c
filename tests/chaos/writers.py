"""Writers that go on whatever happens, and remember what was acknowledged."""

import threading
import time

from hippocampus.client import Client
from hippocampus.errors import HippocampusError

SAID_AT = "2025-03-02"
"""With one time of its own a text is the same episode, however often it is sent."""
PATIENCE_S = 12
"""For one answer."""
PAUSE_S = 0.2


class Writer:
    """
    One client that writes into a bank, each text until it is acknowledged.

    Attributes:
        acknowledged: texts of which the server has said that they are kept, with their moments.
        failed: how often there was no such answer.

    """

    def __init__(self, url, key, bank, name):
        self.bank, self._name = bank, name
        self.acknowledged, self.failed, self.problems = {}, 0, []
        self._over = threading.Event()
        self._client = Client(url, key=key, timeout_s=PATIENCE_S, attempts=2)
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def _write(self):
        bank, number = self._client.bank(self.bank), 0
        while not self._over.is_set():
            text = f"Item {number} of {self._name} was put on the shelf."
            try:
                bank.remember(text, at=SAID_AT)
            except HippocampusError:
                self.failed += 1
                self._over.wait(PAUSE_S)
            except Exception as exc:  # noqa: BLE001 - of any kind, for the report
                self.problems.append(f"{type(exc).__name__}: {exc}")
                self._over.wait(PAUSE_S)
            else:
                self.acknowledged[text] = time.monotonic()
                number += 1

    def last(self):
        """Return when something was acknowledged last."""
        return max(list(self.acknowledged.values())[-1:], default=0.0)

    def stop(self):
        """End after the answer it waits for."""
        self._over.set()
        self._thread.join()
        self._client.close()


def missing_from(url, key, writers):
    """
    Yield what is wrong with what a server has of banks: acknowledged and not there, or twice.

    Raises:
        HippocampusError: it does not answer.

    """
    client = Client(url, key=key, timeout_s=PATIENCE_S, attempts=3)
    try:
        for bank in sorted({writer.bank for writer in writers}):
            wanted = [text for w in writers if w.bank == bank for text in list(w.acknowledged)]
            found = [episode.text for episode in client.bank(bank).episodes()]
            there = set(found)
            yield from (f"{bank}: lost: {text}" for text in wanted if text not in there)
            if len(found) != len(there):
                yield f"{bank}: {len(found) - len(there)} texts are there twice"
    finally:
        client.close()

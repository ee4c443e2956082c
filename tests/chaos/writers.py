"""Writers that go on whatever happens, and remember what was acknowledged."""

import threading
import time
from collections import Counter

from hippocampus.client import Client
from hippocampus.errors import HippocampusError

PATIENCE_S = 12
"""For one answer."""
PAUSE_S = 0.2


class Writer:
    """
    One client that writes into a bank, a text after the other.

    Each is said to be said again, so that nothing but the key of its request keeps it from being
    there twice: the client may send it as often as it likes. One that was not acknowledged may be
    there or not, and the next one is another.

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
            number += 1
            try:
                bank.remember(text, again=True)
            except HippocampusError:
                self.failed += 1
                self._over.wait(PAUSE_S)
            except Exception as exc:  # noqa: BLE001 - of any kind, for the report
                self.problems.append(f"{type(exc).__name__}: {exc}")
                self._over.wait(PAUSE_S)
            else:
                self.acknowledged[text] = time.monotonic()

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
    Yield what is wrong with what a server has of banks: what was acknowledged and is not there,
    and whatever is there more than once.

    Raises:
        HippocampusError: it does not answer.

    """
    client = Client(url, key=key, timeout_s=PATIENCE_S, attempts=3)
    try:
        for bank in sorted({writer.bank for writer in writers}):
            wanted = [text for w in writers if w.bank == bank for text in list(w.acknowledged)]
            there = Counter(episode.text for episode in client.bank(bank).episodes())
            yield from (f"{bank}: lost: {text}" for text in wanted if text not in there)
            yield from (f"{bank}: {n} times: {text}" for text, n in there.items() if n > 1)
    finally:
        client.close()

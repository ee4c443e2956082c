"""
What a program could do wrong, one thing each, for a simulator that must find it.

Each takes a ``MonkeyPatch``, and leaves one step of the real program out, or does it too early.
"""

from contextlib import contextmanager

from hippocampus.core.events import Erased
from hippocampus.engine import bank_state
from hippocampus.engine.bank_state import BankState
from hippocampus.errors import StoreError
from hippocampus.index import bank_index
from hippocampus.store.episodes import SqlEpisodes
from hippocampus.store.payloads import SqlPayloads
from hippocampus.store.transactions import Transactions


def acknowledges_before_the_commit(patch):
    """What is wrong with a commit is nobody's concern."""
    transaction = BankState.transaction

    @contextmanager
    def eager(self, **how):
        try:
            with transaction(self, **how) as ledger:
                yield ledger
        except StoreError as exc:
            if "connection broke" not in str(exc):
                raise

    patch.setattr(BankState, "transaction", eager)


def never_catches_up(patch):
    """A server counts its own commits alone, and takes what it knows to be what there is."""
    patch.setattr(Transactions, "changes", lambda self: self.commits)


def keeps_what_others_erase(patch):
    """An index follows what is new, and not what is gone."""
    kept = bank_index.TAKEN_IN - {Erased}
    patch.setattr(bank_state, "_GONE", frozenset())
    for module in (bank_state, bank_index):
        patch.setattr(module, "TAKEN_IN", kept)


def looks_too_early_whether_it_is_there(patch):
    """What it finds inside a transaction was looked up before that."""
    rows_of = SqlEpisodes.rows_of
    known = {}

    def early(self, bank, ids):
        key = id(self), bank, tuple(ids)
        if not self._db.writing:
            known[key] = rows_of(self, bank, ids)
        return known[key] if key in known else rows_of(self, bank, ids)

    patch.setattr(SqlEpisodes, "rows_of", early)


def changes_a_state_without_looking(patch):
    """Whether an episode is in force is answered by what was last read of it."""
    read = SqlEpisodes.read
    known = {}

    def remembered(self, bank, rows):
        key = id(self), bank, tuple(rows)
        if not self._db.writing or key not in known:
            known[key] = read(self, bank, rows)
        return known[key]

    patch.setattr(SqlEpisodes, "read", remembered)


def leaves_the_words_of_what_it_erases(patch):
    """An erasure changes the state of an episode, and leaves its words where they are."""
    patch.setattr(SqlPayloads, "blank", lambda *_: None)


def commits_in_two(patch):
    """A change is committed before the journal says so."""
    do = Transactions.do_many

    def apart(self, sql, rows):
        if sql.startswith("INSERT INTO journal"):
            self.connections.writer.execute("COMMIT")
            self.connections.writer.execute("BEGIN IMMEDIATE")
        do(self, sql, rows)

    patch.setattr(Transactions, "do_many", apart)


MUTANTS = (
    acknowledges_before_the_commit, never_catches_up, keeps_what_others_erase,
    looks_too_early_whether_it_is_there, changes_a_state_without_looking,
    leaves_the_words_of_what_it_erases, commits_in_two,
)  # fmt: skip

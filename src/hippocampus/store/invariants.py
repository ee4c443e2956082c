"""Invariants between the rows of a store's tables, as queries that find what breaks them."""

from __future__ import annotations

from collections.abc import Iterator


def invariants() -> Iterator[tuple[str, str]]:
    """Yield messages with places for the columns of each row found, each with its query."""
    for rule in _RULES.split(";\n"):
        message, _, query = rule.partition("\n")
        yield message.removeprefix("-- "), query


_RULES = """\
-- bank {}: the journal holds {} changes, numbered {} to {}, so some are missing
SELECT bank, COUNT(*), MIN(seq), MAX(seq) FROM journal
 GROUP BY bank HAVING MIN(seq) <> 1 OR MAX(seq) <> COUNT(*);
-- bank {}: change {} concerns episode {}, which does not exist
SELECT j.bank, j.seq, j.row FROM journal j LEFT JOIN episodes e USING (bank, row)
 WHERE j.row IS NOT NULL AND e.row IS NULL;
-- bank {}: there are {} episodes in rows {} to {}, so some are missing
SELECT bank, COUNT(*), MIN(row), MAX(row) FROM episodes
 GROUP BY bank HAVING MIN(row) <> 0 OR MAX(row) + 1 <> COUNT(*);
-- bank {}: episode {} supersedes {}, which does not exist
SELECT e.bank, e.row, e.supersedes FROM episodes e
 LEFT JOIN episodes o ON o.bank = e.bank AND o.row = e.supersedes
 WHERE e.supersedes IS NOT NULL AND o.row IS NULL;
-- bank {}: episode {} is superseded by {}, which does not exist
SELECT e.bank, e.row, e.superseded_by FROM episodes e
 LEFT JOIN episodes o ON o.bank = e.bank AND o.row = e.superseded_by
 WHERE e.superseded_by IS NOT NULL AND o.row IS NULL;
-- bank {}: the {} tail holds row {}, and there is no such episode
SELECT t.bank, t.kind, t.row FROM tail t LEFT JOIN episodes e USING (bank, row)
 WHERE e.row IS NULL;
-- bank {}: the {} tail holds row {}, which is also in the block from row {}
SELECT t.bank, t.kind, t.row, b.first FROM tail t JOIN blocks b USING (bank, kind)
 WHERE t.row >= b.first AND t.row < b.first + b.count;
-- bank {}: the {} block of {} rows from row {} goes beyond the last episode, {}
SELECT b.bank, b.kind, b.count, b.first, COALESCE(e.last, -1) FROM blocks b
 LEFT JOIN (SELECT bank, MAX(row) AS last FROM episodes GROUP BY bank) e USING (bank)
 WHERE b.first < 0 OR b.first + b.count - 1 > COALESCE(e.last, -1);
-- bank {}: the {} block from row {} overlaps the one before it
SELECT bank, kind, first FROM (
 SELECT bank, kind, first, LAG(first + count) OVER
 (PARTITION BY bank, kind ORDER BY first) AS ends FROM blocks) AS ordered WHERE ends > first
"""

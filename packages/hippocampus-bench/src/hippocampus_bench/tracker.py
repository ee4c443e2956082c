"""
Makes up a season of an issue tracker's life, event by event, from a seed.

Issues of very different interest come in by weekday and hour; people report, ask and answer, bots
label, nag and close; some issues are fixed by a pull request that names them, some are duplicates
of an earlier one, some are reopened, some never get an answer; a plan names many at once. What a
text refers to, its ``ref`` says as well. In proportion as in HUMAN, section 9.1: 13 000 issues,
120 000 events, three months.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Final, NamedTuple

from hippocampus.errors import InputError
from hippocampus_bench.texts import EVENTS, TrackerTexts
from hippocampus_bench.wording import TUNED, read

SIZE: Final = 120_000
SMALLEST: Final = 200
_ISSUES: Final = 13 / 120
"""Issues an event."""
_START: Final = datetime(2025, 12, 1, tzinfo=UTC).timestamp()
_DAY: Final = 86_400.0
_WEEK: Final = (1.0, 1.05, 1.05, 1.0, 0.85, 0.3, 0.3)
_FIRST: Final = 4_001
_LISTED: Final = 130
"""Issues between one that names many, as plans and release notes do, and the next."""


class StreamEvent(NamedTuple):
    """One event of a stream, whichever file or generator it came from."""

    t: float
    """Seconds since 1970, UTC."""
    issue: str
    event: str
    actor: str
    body: str = ""
    label: str = ""
    refs: tuple[str, ...] = ()
    """Issues that it refers to, by name, or ids of events."""
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracker:
    """Character of a tracker; shares are of issues."""

    days: float = 90.0
    pulls: float = 0.27
    """Pull requests, of all issues."""
    fixed: float = 0.5
    duplicate: float = 0.15
    rejected: float = 0.15
    stale: float = 0.08
    """The rest stays open."""
    reopened: float = 0.06
    mentions: float = 0.35
    """Comments that mention another issue."""
    churn: float = 0.7
    """Label changes by bots, an issue."""
    tail: float = 1.2
    """Exponent of the interest in an issue: the lower, the more is about few."""
    users: int = 4_000
    maintainers: int = 45
    fix_days: float = 6.0
    """Median time to a fix."""

    def __post_init__(self) -> None:
        shares = (self.fixed, self.duplicate, self.rejected, self.stale)
        well = {
            "days": self.days > 0,
            "shares": min(shares) >= 0 and sum(shares) <= 1,
            "pulls": 0 <= self.pulls < 1,
            "reopened": 0 <= self.reopened <= 1,
            "mentions": 0 <= self.mentions <= 1,
            "churn": self.churn >= 0,
            "tail": self.tail > 1,
            "users": min(self.users, self.maintainers) > 0,
            "fix_days": self.fix_days > 0,
        }
        for name, fine in well.items():
            if not fine:
                msg = f"Tracker: {name} cannot be so: {self}"
                raise InputError(msg)


@dataclass(slots=True)
class _Item:
    """An issue or a pull request while its life is made up."""

    opened: float
    interest: float
    component: str
    symptom: str
    author: str
    kind: str = "open"
    closes: float = 0.0
    targets: list[int] = field(default_factory=list)
    """Issues that it fixes, is a duplicate of, or lists."""


class _EventDraft(NamedTuple):
    t: float
    item: int
    event: str
    actor: str
    body: str = ""
    label: str = ""
    refs: tuple[int, ...] = ()


def make_stream(
    size: int = SIZE, *, seed: int = 0, tracker: Tracker | None = None, wording: str = TUNED
) -> list[StreamEvent]:
    """
    Return ``size`` events in order of time, the same for the same seed.

    Raises:
        InputError: fewer events than make a tracker; a wording that breaks a rule.

    """
    if not isinstance(size, int) or isinstance(size, bool) or size < SMALLEST:
        msg = f"size={size!r}: must be at least {SMALLEST} events"
        raise InputError(msg)
    return _TrackerLife(size, seed, tracker or Tracker(), read(EVENTS, wording).texts).stream()


class _TrackerLife:
    def __init__(self, size: int, seed: int, tracker: Tracker, texts: TrackerTexts) -> None:
        self.texts = texts
        self.rng = Random(f"tracker-{seed}-{size}")  # noqa: S311 - nothing here is secret
        self.size, self.how = size, tracker
        self.count = max(12, round(size * _ISSUES * 1.012))  # the last few come too late to count
        self.end = _START + tracker.days * _DAY
        self.drafts: list[_EventDraft] = []
        self.names = [f"user{number}" for number in self.rng.sample(range(90_000), tracker.users)]
        self.staff = [f"dev{number}" for number in range(tracker.maintainers)]

    def stream(self) -> list[StreamEvent]:
        items = self._items()
        places: dict[str, list[int]] = defaultdict(list)
        for number, item in enumerate(items):
            self._live(number, item, items, places)
            places[item.component].append(number)
        # Talk fills up what the lives themselves leave: more of it where there is more interest.
        self._talk(items, places, self.size - len(self.drafts))
        self.drafts.sort(key=lambda draft: (draft.t, draft.item))
        return [self._render(draft, items) for draft in self.drafts[: self.size]]

    # ------------------------------------------------------------ who there is

    def _items(self) -> list[_Item]:
        rng, how = self.rng, self.how
        opened = sorted(self._moment() for _ in range(self.count))
        items: list[_Item] = []
        waiting: list[tuple[float, int]] = []
        fates = ("fixed", "duplicate", "rejected", "stale", "open")
        shares = [how.fixed, how.duplicate, how.rejected, how.stale]
        shares.append(max(0.0, 1 - sum(shares)))
        for number, t in enumerate(opened):
            item = _Item(
                t, rng.paretovariate(how.tail), rng.choice(self.texts.components),
                self._fill(rng.choice(self.texts.symptoms)), self._user(),
            )  # fmt: skip
            if number and number % _LISTED == 0:
                item.kind, item.author = "plan", rng.choice(self.staff)
                item.targets = self._list(items, number, notes=number // _LISTED % 2 > 0)
            elif rng.random() < how.pulls and number:
                item.kind = "pull"
                item.author = rng.choice(self.staff) if rng.random() < 0.8 else item.author
                while waiting and waiting[0][0] <= t and len(item.targets) < 3:
                    item.targets.append(heapq.heappop(waiting)[1])
                    if rng.random() < 0.75:
                        break
            else:
                item.kind = rng.choices(fates, shares)[0]
                if item.kind == "fixed":
                    # What many suffer from is fixed first.
                    days = rng.lognormvariate(0, 1.1) * how.fix_days / item.interest**0.3
                    heapq.heappush(waiting, (t + days * _DAY, number))
            item.closes = t + rng.lognormvariate(1.0, 1.3) * _DAY
            items.append(item)
        for item in items:
            if item.kind == "pull":
                item.closes = item.opened + rng.lognormvariate(-0.3, 1.0) * _DAY
                for target in item.targets:
                    items[target].closes = item.closes
        for _, target in waiting:  # nobody came to it
            items[target].kind = "open"
        return items

    def _moment(self) -> float:
        rng = self.rng
        while True:
            day = rng.random() * self.how.days
            if rng.random() < _WEEK[int(day) % 7]:
                hour = min(23.99, max(0.0, rng.gauss(14, 4.5)))
                return _START + (int(day) + hour / 24) * _DAY

    def _user(self) -> str:
        return self.names[min(len(self.names) - 1, int(self.rng.paretovariate(0.6)) - 1)]

    def _pick(self, among: Sequence[int], items: Sequence[_Item], t: float) -> int | None:
        """Choose an earlier issue: the more interest and the younger, the likelier."""
        best, worth = None, 0.0
        for _ in range(6):
            if not among:
                return None
            one = among[min(len(among) - 1, int(len(among) * self.rng.random() ** 0.6))]
            if items[one].kind != "pull" and items[one].opened < t:
                rank = items[one].interest * self.rng.random()
                best, worth = (one, rank) if rank > worth else (best, worth)
        return best

    def _list(self, items: Sequence[_Item], number: int, *, notes: bool) -> list[int]:
        """Choose issues for release notes, mostly merged of late, or for a plan, much wanted."""
        if notes:
            recent = range(max(0, number - 3 * _LISTED), number)
            return [one for one in recent if items[one].kind == "pull" and self.rng.random() < 0.8]
        recent = range(max(0, number - 8 * _LISTED), number)
        wanted = sorted(recent, key=lambda one: -items[one].interest * self.rng.random())
        return sorted(one for one in wanted if items[one].kind != "pull")[:40]

    # ------------------------------------------------------------ what happens

    def _live(
        self, number: int, item: _Item, items: Sequence[_Item], places: dict[str, list[int]]
    ) -> None:
        """Write the events of an issue whoever talks about it."""
        dev = self.rng.choice(self.staff)
        if item.kind == "plan":
            self._say(item.opened, number, "opened", item.author, "plan", refs=tuple(item.targets))
        elif item.kind == "pull":
            self._pull(number, item, dev)
        else:
            seen = self._triage(number, item, dev)
            self._end(number, item, items, places[item.component], dev, seen)

    def _pull(self, number: int, item: _Item, dev: str) -> None:
        rng, say, t = self.rng, self._say, item.opened
        refs = tuple(item.targets)
        say(t, number, "opened", item.author, "pull", refs=refs)
        say(t + rng.uniform(60, 900), number, "commented", "ci-bot", self._one(self.texts.builds))
        say(t + rng.uniform(60, 900), number, "review_requested", item.author)
        say((t + item.closes) / 2, number, "reviewed", dev, self._one(self.texts.tells))
        say(item.closes, number, "merged", dev, "merged" if refs else "", refs=refs)
        say(item.closes + 5, number, "closed", dev)
        for target in refs:
            say(item.closes + 5, target, "closed", dev)
            if rng.random() < 0.5:
                checked = item.closes + rng.uniform(1, 9) * _DAY
                say(checked, target, "labeled", dev, label="verified")

    def _triage(self, number: int, item: _Item, dev: str) -> float:
        """Write an issue's triage; return the time at which a maintainer sees it."""
        rng, say, t = self.rng, self._say, item.opened
        say(t, number, "opened", item.author, "report")
        say(t + rng.uniform(2, 60), number, "labeled", "triage-bot", label="new")
        if rng.random() < 0.5:
            say(
                t + rng.uniform(2, 60),
                number,
                "commented",
                "triage-bot",
                self._one(self.texts.greets),
            )
        seen = t + rng.lognormvariate(-0.5, 1.2) * _DAY
        say(seen, number, "labeled", dev, label=item.component)
        say(seen + 3, number, "unlabeled", "triage-bot", label="new")
        if rng.random() < 0.8:
            say(seen + 20, number, "assigned", dev)
        for _ in range(int(rng.expovariate(1 / self.how.churn)) if self.how.churn else 0):
            when = t + rng.lognormvariate(0.5, 1.3) * _DAY
            label = self._one(self.texts.labels)
            say(when, number, "labeled", "triage-bot", label=label)
            say(when + rng.uniform(1, 3) * _DAY, number, "unlabeled", "triage-bot", label=label)
        return seen

    def _end(
        self,
        number: int,
        item: _Item,
        items: Sequence[_Item],
        near: Sequence[int],
        dev: str,
        seen: float,
    ) -> None:
        rng, say = self.rng, self._say
        if item.kind == "duplicate":
            first = self._pick(near, items, item.opened)
            if first is None:
                item.kind = "open"
            else:
                item.symptom = items[first].symptom
                say(
                    seen + 30,
                    number,
                    "commented",
                    dev,
                    self._one(self.texts.duplicate),
                    refs=(first,),
                )
                say(seen + 32, number, "labeled", dev, label="duplicate")
                say(seen + 33, number, "closed", dev)
        elif item.kind == "rejected":
            say(seen + 40, number, "commented", dev, self._one(self.texts.rejects))
            say(seen + 41, number, "closed", dev)
        elif item.kind == "stale":
            say(seen + 40, number, "commented", "triage-bot", self._one(self.texts.warns))
            say(seen + 14 * _DAY, number, "commented", "triage-bot", self._one(self.texts.closes))
            say(seen + 14 * _DAY + 1, number, "closed", "triage-bot")
        if item.kind != "open" and rng.random() < self.how.reopened:
            again = item.closes + rng.lognormvariate(0.8, 1) * _DAY
            say(again, number, "reopened", item.author)
            say(again + 60, number, "commented", item.author, self._one(self.texts.says))

    def _talk(self, items: Sequence[_Item], places: dict[str, list[int]], room: int) -> None:
        """Have people comment, until there are enough events, and a few to spare."""
        rng, how = self.rng, self.how
        weights = [item.interest if item.kind != "plan" else 4.0 for item in items]
        spare = 0
        while len(self.drafts) - spare < self.size:
            for number in rng.choices(range(len(items)), weights, k=max(50, room // 8)):
                item = items[number]
                t = item.opened + rng.lognormvariate(0.6, 1.5) * _DAY
                spare += t > self.end
                inside = rng.random()
                actor = rng.choice(self.staff) if inside < 0.3 else self._user()
                actor = item.author if inside > 0.85 else actor
                texts = self.texts
                body = self._one(
                    texts.tells if inside < 0.2 else texts.asks if inside < 0.3 else texts.says
                )
                refs: tuple[int, ...] = ()
                other = None
                if rng.random() < how.mentions * (4 if item.kind in ("plan", "pull") else 1):
                    near = places[item.component] if rng.random() < 0.7 else range(len(items))
                    other = self._pick(near, items, t)
                if other is not None and other != number:
                    refs, body = (other,), f"{body} {self._one(self.texts.mentions)}"
                event = "cross-referenced" if refs and rng.random() < 0.2 else "commented"
                self._say(t, number, event, actor, body, refs=refs)

    def _say(
        self, t: float, number: int, event: str, actor: str, body: str = "", label: str = "",
        refs: tuple[int, ...] = (),
    ) -> None:  # fmt: skip
        if t <= self.end:
            self.drafts.append(_EventDraft(t, number, event, actor, body, label, refs))

    # ------------------------------------------------------------ in which words

    def _one(self, ways: Sequence[str]) -> str:
        """Choose one of several; of one, without a throw."""
        return ways[0] if len(ways) == 1 else self.rng.choice(ways)

    def _render(self, draft: _EventDraft, items: Sequence[_Item]) -> StreamEvent:
        item, rng, texts = items[draft.item], self.rng, self.texts
        named = tuple(str(_FIRST + ref) for ref in draft.refs)
        match draft.body:
            case "plan":
                lines = [
                    _filled(self._one(texts.plan_line), issue=one,
                            symptom=items[int(one) - _FIRST].symptom)
                    for one in named
                ]  # fmt: skip
                head = _filled(self._one(texts.plan), component=item.component)
                body = "\n".join([head, *lines])
            case "pull":
                fixes = ", ".join(_filled(self._one(texts.fixes), issue=one) for one in named)
                told = self._fill(self._one(texts.tells), item)
                body = _filled(
                    self._one(texts.pull), component=item.component, told=told,
                    fixes=fixes or self._one(texts.fixes_nothing),
                )  # fmt: skip
            case "merged":
                issues = ", ".join(f"#{one}" for one in named)
                commit = f"{rng.getrandbits(28):07x}"
                body = _filled(self._one(texts.merged), commit=commit, issues=issues)
            case "report":
                said = rng.sample(texts.says, rng.choice((1, 2, 3)))
                more = " ".join(self._fill(one, item) for one in said)
                body = _filled(
                    self._one(texts.report), component=item.component, symptom=item.symptom,
                    more=more, system=rng.choice(texts.systems),
                )  # fmt: skip
            case text:
                body = self._fill(text, item).replace("{issue}", named[0] if named else "")
        return StreamEvent(
            round(draft.t, 3), str(_FIRST + draft.item), draft.event, draft.actor, body,
            draft.label, named,
        )  # fmt: skip

    def _fill(self, text: str, item: _Item | None = None) -> str:
        if "{" not in text:
            return text
        rng, texts = self.rng, self.texts
        values = {
            "component": item.component if item else rng.choice(texts.components),
            "component2": rng.choice(texts.components), "word": rng.choice(texts.words),
            "error": rng.choice(texts.errors), "system": rng.choice(texts.systems),
            "number": str(rng.randint(2, 99)), "digit": str(rng.randint(0, 5)),
            "older": str(rng.randint(60, 99)), "commit": f"{rng.getrandbits(28):07x}",
        }  # fmt: skip
        return _filled(text, **values)


def _filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text

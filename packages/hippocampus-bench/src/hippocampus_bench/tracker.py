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


class Event(NamedTuple):
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
    """What a tracker is like; shares are of issues."""

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
    """What it fixes, is a duplicate of, or lists."""


class _Draft(NamedTuple):
    t: float
    item: int
    event: str
    actor: str
    body: str = ""
    label: str = ""
    refs: tuple[int, ...] = ()


def make_stream(size: int = SIZE, *, seed: int = 0, tracker: Tracker | None = None) -> list[Event]:
    """
    Return ``size`` events in order of time, the same for the same seed.

    Raises:
        InputError: fewer events than make a tracker.

    """
    if not isinstance(size, int) or isinstance(size, bool) or size < SMALLEST:
        msg = f"size={size!r}: must be at least {SMALLEST} events"
        raise InputError(msg)
    return _Life(size, seed, tracker or Tracker()).stream()


_COMPONENTS: Final = (
    "editor terminal debugger search explorer git extensions settings notebooks chat tasks remote"
    " accessibility snippets themes keybindings workspace telemetry timeline testing outline"
    " markdown emmet folding minimap clipboard sync proxy update webview"
).split()
_SYMPTOMS: Final = (
    "freezes for {n} seconds", "shows nothing after a restart", "loses what was typed",
    "jumps to the wrong line", "uses {n} GB of memory", "ignores the setting `{c}.{w}`",
    "throws {e} when a folder is renamed", "is blurry on a second monitor", "flickers while typing",
    "cannot be reached by keyboard", "forgets its size", "duplicates entries",
    "opens the file twice", "does not scroll with a trackpad", "leaks file handles",
    "breaks on paths with spaces", "sorts numbers as text", "reports {e} over SSH",
    "is slow with {n}00 files open", "hides the last column", "crashes with {e}",
    "renders emoji at half width", "does not restore breakpoints", "asks for a password again",
)  # fmt: skip
_WORDS: Final = (
    "wrap cursor preview ruler suggest ligatures stickyScroll autosave encoding watcher badge"
    " tooltip hover lens inlay zoom tabs layout profile fontSize"
).split()
_ERRORS: Final = (
    "ENOENT EACCES ETIMEDOUT EPIPE TypeError RangeError SIGSEGV 0xC0000005 ENOSPC"
).split()
_ASKS: Final = (
    "Which version is that, and does it happen with `--disable-extensions`?",
    "Could you attach the log of the {c} and the output of `Developer: Show Running`?",
    "I cannot reproduce that on {o}. What does your `{c}.{w}` say?",
    "Does it still happen in today's build? We changed the {c} on Tuesday.",
    "Please try with an empty profile and tell us what you see.",
)
_SAYS: Final = (
    "Same here on {o}, build 1.{n}.{m}.",
    "It began with 1.{n}; 1.{p} was fine.",
    "A workaround: set `{c}.{w}` to false and reload.",
    "Happens about {n} times a day, always after the {d} loses focus.",
    "Steps: open the {c}, resize it, then undo {n} times.",
    "The log has `{e}` right before the {c} stops.",
    "Only with more than {n} folders in the workspace, as far as I can tell.",
    "This is blocking our team of {n}. Any news?",
    "Still there in 1.{n}.{m}.",
    "I bisected this to the change of the {d} from last week.",
    "+1, and the {d} is affected as well.",
    "With the {w} off it is gone. With it on, it is back within {n} minutes.",
    "Screenshot attached: the {c} on the left, the {d} on the right.",
    "Not on {o}, but a colleague sees it with an external display.",
    "Thanks, that helped for the {w}, not for the {c}.",
)
_TELLS: Final = (
    "The {c} asks for its layout before the {d} is ready; a fix is on its way.",
    "This is a regression from the refactoring of {w}. Moving it to the next milestone.",
    "I have a repro: {e} as soon as the {w} is computed twice.",
    "Agreed, we should not do that in the {c}. Not this month, though.",
    "That is as designed: `{c}.{w}` wins over the {d}.",
    "Can you try the build from the branch? It should be 1.{n}.{m}.",
)
_MENTIONS: Final = (
    "Looks related to #{r}.", "See also #{r}, which has the same stack.",
    "Might be caused by the change for #{r}.", "As in #{r}, it only happens over SSH.",
    "We discussed that in #{r}.", "#{r} has a better repro.",
)  # fmt: skip
_DUPLICATE: Final = (
    "Duplicate of #{r}.", "Closing in favour of #{r}, which has more details.",
    "Thanks! This is /duplicate of #{r}.",
)  # fmt: skip
_BOT: Final = (
    "Thanks for the report! Please make sure that you use the latest build.",
    "This issue needs more information. It will be closed in {n} days without an answer.",
    "This issue has been closed because it has not had recent activity.",
    "The build for commit {h} has passed.",
    "The build for commit {h} has failed: {n} tests.",
)
_SYSTEMS: Final = ("macOS 15", "Windows 11", "Ubuntu 24.04", "Fedora 41", "WSL", "Arch")


class _Life:
    def __init__(self, size: int, seed: int, tracker: Tracker) -> None:
        self.rng = Random(f"tracker-{seed}-{size}")  # noqa: S311 - nothing here is secret
        self.size, self.how = size, tracker
        self.count = max(12, round(size * _ISSUES * 1.012))  # the last few come too late to count
        self.end = _START + tracker.days * _DAY
        self.drafts: list[_Draft] = []
        self.names = [f"user{number}" for number in self.rng.sample(range(90_000), tracker.users)]
        self.staff = [f"dev{number}" for number in range(tracker.maintainers)]

    def stream(self) -> list[Event]:
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
                t, rng.paretovariate(how.tail), rng.choice(_COMPONENTS),
                self._fill(rng.choice(_SYMPTOMS)), self._user(),
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
        """Choose what release notes name, mostly merged of late, or a plan, what many wait for."""
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
        """Write what happens to an issue whoever talks about it."""
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
        say(t + rng.uniform(60, 900), number, "commented", "ci-bot", rng.choice(_BOT[3:]))
        say(t + rng.uniform(60, 900), number, "review_requested", item.author)
        say((t + item.closes) / 2, number, "reviewed", dev, rng.choice(_TELLS))
        say(item.closes, number, "merged", dev, "merged" if refs else "", refs=refs)
        say(item.closes + 5, number, "closed", dev)
        for target in refs:
            say(item.closes + 5, target, "closed", dev)
            if rng.random() < 0.5:
                checked = item.closes + rng.uniform(1, 9) * _DAY
                say(checked, target, "labeled", dev, label="verified")

    def _triage(self, number: int, item: _Item, dev: str) -> float:
        """Write how an issue comes in; returns when a maintainer sees it."""
        rng, say, t = self.rng, self._say, item.opened
        say(t, number, "opened", item.author, "report")
        say(t + rng.uniform(2, 60), number, "labeled", "triage-bot", label="new")
        if rng.random() < 0.5:
            say(t + rng.uniform(2, 60), number, "commented", "triage-bot", _BOT[0])
        seen = t + rng.lognormvariate(-0.5, 1.2) * _DAY
        say(seen, number, "labeled", dev, label=item.component)
        say(seen + 3, number, "unlabeled", "triage-bot", label="new")
        if rng.random() < 0.8:
            say(seen + 20, number, "assigned", dev)
        for _ in range(int(rng.expovariate(1 / self.how.churn)) if self.how.churn else 0):
            when = t + rng.lognormvariate(0.5, 1.3) * _DAY
            label = rng.choice(("stale-soon", "info-needed", "confirmed", "backlog", "triaged"))
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
                say(seen + 30, number, "commented", dev, rng.choice(_DUPLICATE), refs=(first,))
                say(seen + 32, number, "labeled", dev, label="duplicate")
                say(seen + 33, number, "closed", dev)
        elif item.kind == "rejected":
            say(seen + 40, number, "commented", dev, _TELLS[4])
            say(seen + 41, number, "closed", dev)
        elif item.kind == "stale":
            say(seen + 40, number, "commented", "triage-bot", _BOT[1])
            say(seen + 14 * _DAY, number, "commented", "triage-bot", _BOT[2])
            say(seen + 14 * _DAY + 1, number, "closed", "triage-bot")
        if item.kind != "open" and rng.random() < self.how.reopened:
            again = item.closes + rng.lognormvariate(0.8, 1) * _DAY
            say(again, number, "reopened", item.author)
            say(again + 60, number, "commented", item.author, rng.choice(_SAYS))

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
                body = rng.choice(_TELLS if inside < 0.2 else _ASKS if inside < 0.3 else _SAYS)
                refs: tuple[int, ...] = ()
                other = None
                if rng.random() < how.mentions * (4 if item.kind in ("plan", "pull") else 1):
                    near = places[item.component] if rng.random() < 0.7 else range(len(items))
                    other = self._pick(near, items, t)
                if other is not None and other != number:
                    refs, body = (other,), f"{body} {rng.choice(_MENTIONS)}"
                event = "cross-referenced" if refs and rng.random() < 0.2 else "commented"
                self._say(t, number, event, actor, body, refs=refs)

    def _say(
        self, t: float, number: int, event: str, actor: str, body: str = "", label: str = "",
        refs: tuple[int, ...] = (),
    ) -> None:  # fmt: skip
        if t <= self.end:
            self.drafts.append(_Draft(t, number, event, actor, body, label, refs))

    # ------------------------------------------------------------ in which words

    def _render(self, draft: _Draft, items: Sequence[_Item]) -> Event:
        item, rng = items[draft.item], self.rng
        named = tuple(str(_FIRST + ref) for ref in draft.refs)
        first = named[0] if named else ""
        match draft.body:
            case "plan":
                body = f"Iteration plan for {item.component} and the rest:\n"
                body += "\n".join(f"- [ ] #{one} {items[int(one) - _FIRST].symptom}"
                                  for one in named)  # fmt: skip
            case "pull":
                fixes = ", ".join(f"fixes #{one}" for one in named) or "housekeeping"
                body = f"{item.component}: {self._fill(rng.choice(_TELLS), item)} ({fixes})"
            case "merged":
                body = f"Merged {rng.getrandbits(28):07x}, " + ", ".join(f"#{n}" for n in named)
            case "report":
                more = " ".join(
                    self._fill(one, item) for one in rng.sample(_SAYS, rng.choice((1, 2, 3)))
                )
                body = f"The {item.component} {item.symptom}. {more} ({rng.choice(_SYSTEMS)})"
            case text:
                body = self._fill(text, item).replace("{r}", first)
        return Event(
            round(draft.t, 3), str(_FIRST + draft.item), draft.event, draft.actor, body,
            draft.label, named,
        )  # fmt: skip

    def _fill(self, text: str, item: _Item | None = None) -> str:
        if "{" not in text:
            return text
        rng = self.rng
        values = {
            "c": item.component if item else rng.choice(_COMPONENTS),
            "d": rng.choice(_COMPONENTS), "w": rng.choice(_WORDS), "e": rng.choice(_ERRORS),
            "o": rng.choice(_SYSTEMS), "n": str(rng.randint(2, 99)), "m": str(rng.randint(0, 5)),
            "p": str(rng.randint(60, 99)), "h": f"{rng.getrandbits(28):07x}",
        }  # fmt: skip
        for name, value in values.items():
            text = text.replace("{" + name + "}", value)
        return text

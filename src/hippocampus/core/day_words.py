"""Words for days, as texts and listings have them."""

from __future__ import annotations

from datetime import date


def over_words(said: date, end: date) -> str:
    """
    Return in words that what was said on a day ended on another, as "until 2026-11-21".

    What was over before it was said, as what somebody tells of the past, is "over since" then.
    """
    days = [f"{day:%Y-%m-%d}" for day in (said, end)]
    return f"{'until' if days[0] < days[1] else 'over since'} {end:%Y-%m-%d}"

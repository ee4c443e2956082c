"""Words for days, as texts and listings have them."""

from __future__ import annotations

from datetime import date


def over_words(said: date, end: date) -> str:
    """
    Return in words that what was said on a day ended on another, as "until 2026-11-21".

    What was over before it was said, as what somebody tells of the past, is "over since" then.
    """
    first, last = (day.isoformat()[:10] for day in (said, end))  # "%Y" is "1" for the year 1
    return f"{'until' if first < last else 'over since'} {last}"

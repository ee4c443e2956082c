"""Days in English words, whatever the locale of the process and whichever the system."""

from __future__ import annotations

from datetime import date

from hippocampus.core.word_lists import word_list


def month_of(day: date) -> str:
    """Return the month of a day: "March"; ``%B`` would be in the language of a locale."""
    return word_list("months")[day.month - 1].title()


def day_in_words(day: date) -> str:
    """Return a day as "5 March 2024"; Windows knows no ``%-d``."""
    return f"{day.day} {month_of(day)} {day.year}"

"""Checksums of numbers that are issued to people and their accounts, by which they are known."""

from __future__ import annotations

from typing import Final

_VERHOEFF_D: Final = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_P: Final = (
    "0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901",
    "2793806415", "7046913258",
)  # fmt: skip


def _digits(value: str) -> list[int]:
    return [int(c) for c in value if c.isdigit()]


def is_card(value: str) -> bool:
    """Return whether digits are a payment card's: 13 to 19, the last by Luhn (ISO/IEC 7812)."""
    digits = _digits(value)
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    # Zeros alone pass the check, too, and are no card's.
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and total % 10 == 0


def is_iban(value: str) -> bool:
    """Return whether a value is an account number: turned, it leaves 1 by 97 (ISO 13616)."""
    compact = value.replace(" ", "")
    if not 15 <= len(compact) <= 34:
        return False
    moved = compact[4:] + compact[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97 == 1


def is_cpf(value: str) -> bool:
    """Return whether digits are a Brazilian taxpayer's: the last two weigh those before."""
    digits = _digits(value)

    def check(count: int) -> int:
        weighed = sum(d * w for d, w in zip(digits, range(count + 1, 1, -1), strict=False))
        return weighed * 10 % 11 % 10

    # Eleven times the same digit passes, too, and is never issued.
    return len(set(digits)) > 1 and digits[9:] == [check(9), check(10)]


def is_dni(value: str) -> bool:
    """Return whether a value is a Spanish identity number: its letter is what 23 leaves of it."""
    compact = value.replace("-", "")
    # The number of a foreigner (NIE) begins with a letter that stands for a digit.
    number = compact[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == compact[-1]


def is_ahv(value: str) -> bool:
    """Return whether digits are a Swiss insurance number, which is an EAN-13."""
    return sum(d * (3 if i % 2 else 1) for i, d in enumerate(_digits(value))) % 10 == 0


def is_nir(value: str) -> bool:
    """Return whether a value is a French insurance number: its end is 97 less what 97 leaves."""
    # The two departments of Corsica have a letter, for which the rule has a number.
    compact = value.replace(" ", "").replace("2A", "19").replace("2B", "18")
    return len(compact) == 15 and 97 - int(compact[:13]) % 97 == int(compact[13:])


def is_aadhaar(value: str) -> bool:
    """Return whether digits are an Indian identity number, the last by Verhoeff."""
    c = 0
    for place, digit in enumerate(reversed(_digits(value))):
        c = int(_VERHOEFF_D[c][int(_VERHOEFF_P[place % 8][digit])])
    return c == 0

"""How many of something there are, in words: "1 trial", "0 trials", "2,480 trials"."""

from __future__ import annotations


def counted(
    number: int, noun: str, *, more: bool = False, verb: tuple[str, str] | None = None
) -> str:
    """A number with thousands separators and its noun, given in the singular.

    The noun's first word takes the plural: "call of unknown outcome" gives "2 calls of unknown
    outcome". `more`: "2 more calls". `verb` is what follows for one and for several: ("is",
    "are").
    """
    between = " more " if more else " "
    said = f"{number:,}{between}{noun if number == 1 else plural(noun)}"
    return said if verb is None else f"{said} {verb[0] if number == 1 else verb[1]}"


def plural(noun: str) -> str:
    """The regular plural of a noun, or of the first word of several: retry, retries."""
    first, space, rest = noun.partition(" ")
    if first.endswith("y") and first[-2:-1] not in ("a", "e", "o", "u"):
        return f"{first[:-1]}ies{space}{rest}"
    return f"{first}s{space}{rest}"

"""Numbers with their nouns."""

from __future__ import annotations

#: Plurals that no rule makes.
_PLURALS = {"leaf": "leaves"}


def counted(number: int, word: str, many: str = "") -> str:
    """Return a number with its noun: ``1 switch``, ``2,000 switches``.

    Parameters
    ----------
    many : str, optional
        The plural; default: the known one, or by the rules for ``-y`` and ``-s``.
    """
    return f"{number:,} {noun(number, word, many)}"


#: Units of an age, the longest first: seconds of each, and its name.
_UNITS_S = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def age_text(age_s: float) -> str:
    """Return an age in words: whole units of the longest of which there are two or more."""
    for unit_s, word in _UNITS_S:
        if age_s >= 2 * unit_s:
            return counted(int(age_s // unit_s), word)
    return f"{age_s:.0f} s"


def noun(number: int, word: str, many: str = "") -> str:
    """Return the noun alone, in the form that a number needs."""
    if number == 1:
        return word
    if many or word in _PLURALS:
        return many or _PLURALS[word]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}{'es' if word.endswith(('s', 'ch')) else 's'}"

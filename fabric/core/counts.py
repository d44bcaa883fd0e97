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


def noun(number: int, word: str, many: str = "") -> str:
    """Return the noun alone, in the form that a number needs."""
    if number == 1:
        return word
    if many or word in _PLURALS:
        return many or _PLURALS[word]
    if word.endswith("y"):
        return f"{word[:-1]}ies"
    return f"{word}{'es' if word.endswith(('s', 'ch')) else 's'}"

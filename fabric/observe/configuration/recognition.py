"""The system that a configuration is written for, by its lines."""

from __future__ import annotations

import re

from fabric.observe.configuration.foreign import FOREIGN
from fabric.observe.configuration.lossless import lossless_readers

#: Our choice: a lone line may stand in the configuration of any system.
_LEAST_SIGNS = 2


def system_of(text: str) -> str | None:
    """Return the system that a text is written for, by the signs of all readers; None if unclear.

    Parameters
    ----------
    text : str
        A whole configuration.

    Returns
    -------
    str or None
        None too for a system without a reader, such as those of `FOREIGN`.
    """
    best = "" if _certain(text) else _best(text)
    return best if best in lossless_readers else None


def foreign_of(text: str) -> str:
    """Return the system without a reader that a text is written for; empty if it is none."""
    best = _certain(text) or _best(text)
    return best if best in FOREIGN else ""


def _certain(text: str) -> str:
    return next((name for name, one in FOREIGN.items() if _count(one.certain, text)), "")


def _best(text: str) -> str:
    """Return the system with the most signs; empty where they are few, or two systems have them."""
    signs = {name: one.signs for name, one in FOREIGN.items()}
    signs |= {name: reader.signs for name, reader in lossless_readers.items()}
    scores = {name: _count(own, text) for name, own in signs.items()}
    best = max(scores.values())
    leading = [name for name, score in scores.items() if score == best]
    return leading[0] if best >= _LEAST_SIGNS and len(leading) == 1 else ""


def _count(patterns: tuple[str, ...], text: str) -> int:
    return sum(bool(re.search(pattern, text, re.MULTILINE)) for pattern in patterns)

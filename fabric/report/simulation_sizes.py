"""simulate: sizes as people write them."""

from __future__ import annotations

import re

from fabric.core.errors import InputError

_UNITS = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
_UNITS |= {"Ki": 2**10, "ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def size_of(words: str) -> int:
    """Return bytes from a number with a unit: ``4MiB``, ``1MB``, ``64KiB``, ``500kB`` or bytes.

    Raises
    ------
    InputError
        When it is no such size.
    """
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)\s?([kKMG]i?)?B?", words.strip())
    size = round(float(match[1]) * _UNITS[match[2] or ""]) if match else 0
    if not size:
        raise InputError(f"invalid size {words!r}; write a size such as 4MiB or 500kB")
    return size

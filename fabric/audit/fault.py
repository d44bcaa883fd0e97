"""What an audit found, before it is a finding."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """Something wrong in one file; ``port`` is empty and ``line`` 0 where it is about the whole.

    ``is_absence``: the fault is that no line says a thing, so that a line which was not understood
    may say it.
    """

    rule: str
    port: str
    line: int
    message: str
    is_absence: bool = False

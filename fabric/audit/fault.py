"""What an audit found, before it is a finding."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """Something wrong in one file; ``port`` is empty and ``line`` 0 where it is about the whole.

    ``is_absence``: the fault is that no line says a thing, so that a line which was not understood
    may say it. ``missing`` names the lines that do, where the reader of the system knows them.
    ``advice`` is what to do on this system, where the rule cannot say it for all of them.
    """

    rule: str
    port: str
    line: int
    message: str
    is_absence: bool = False
    missing: tuple[str, ...] = ()
    advice: str = ""

    @property
    def fix(self) -> str:
        """What to do; empty where the rule says it."""
        lines = " and ".join(f"`{line}`" for line in self.missing)
        return f"add {lines}" if lines else self.advice

"""Where `fabric.book.grammar` was; systems of other distributions may still import it from here."""

from __future__ import annotations

from warnings import warn

from fabric.book.grammar import Grammar, InvalidInputError, LineRefusedError

__all__ = ["Grammar", "InvalidInputError", "LineRefusedError"]

warn(f"{__name__} is deprecated; use fabric.book.grammar", FutureWarning, stacklevel=2)

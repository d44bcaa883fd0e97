"""That a text is not what it should be."""

from __future__ import annotations


class UnreadableError(ValueError):
    """An output is not what the command prints; the reading is unknown."""

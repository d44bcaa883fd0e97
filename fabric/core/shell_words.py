"""Words for a shell that people type or source."""

from __future__ import annotations


def shell_quoted(text: str) -> str:
    """Return a word for a shell, always in quotes: a leading ``=`` means something to zsh."""
    return "'" + text.replace("'", "'\\''") + "'"

"""Free texts in a configuration of EOS: banners and certificates."""

from __future__ import annotations

#: Commands that a text follows, and how many ``EOF`` end it (napalm ``HEREDOC_COMMANDS``).
_TEXTS = {"banner": 1, "protocol https certificate": 2}


def text_ends(line: str) -> tuple[str, ...]:
    """Return the patterns of the lines that end the texts behind a line."""
    words = line.strip()
    return (r"^\s*EOF\s*$",) * _TEXTS.get("banner" if words.startswith("banner ") else words, 0)

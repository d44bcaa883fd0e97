"""Cells of CSV files that people open in spreadsheets: a quote marks what would run as text."""

from __future__ import annotations

#: What a spreadsheet would run (OWASP, CSV Injection).
_FORMULA = ("=", "+", "-", "@", "\t")


def marked(text: str) -> str:
    """Return a cell as it is written."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def plain(cell: str) -> str:
    """Return the text of a cell that `marked` wrote."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_FORMULA) else cell

"""The member ``format`` of JSON that we write: what it is, and the number of its form."""

from __future__ import annotations

from typing import Any


def form_of(name: str, number: int = 1) -> str:
    """Return the form of a document, such as ``rocefab-placement/1``.

    Members are added to a form, none is removed or changes its meaning: that takes a new number.
    """
    return f"rocefab-{name}/{number}"


def with_form(name: str, members: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a document after the one that names its form."""
    return {"format": form_of(name), **members}

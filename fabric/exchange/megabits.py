"""Speeds of cables in Mb/s, as the files of SONiC have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.shown import quoted

if TYPE_CHECKING:
    from fabric.exchange.draft import Draft, Place

_MBPS, _DIGITS = 1000, 9


def gbps(draft: Draft, text: str, place: Place) -> int | None:
    """Return a speed in Gb/s, None where there is none; what is no speed is an error."""
    if text in {"", "0"}:
        return None
    whole = text.isdecimal() and text.isascii() and len(text) <= _DIGITS
    if not whole or int(text) % _MBPS:
        message = f"{quoted(text)} is not a speed in Mb/s"
        draft.wrong("EXC001", message, "use whole Gb/s, such as 400000", place)
        return None
    return int(text) // _MBPS

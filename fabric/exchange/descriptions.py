"""Descriptions of ports that are not those that a design gives them."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from fabric.core.findings import Finding, Position, Severity
from fabric.intent.scalars import Text
from fabric.platforms import platforms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.exchange.plant import End, Plant


def own_descriptions(texts: Mapping[End, str], realised: Plant) -> dict[str, dict[str, str]]:
    """Return the descriptions that differ from those of the design, by switch and port.

    A port without a cable has none in the design, and keeps none.

    Parameters
    ----------
    texts : mapping of End to str
        Descriptions of the source.
    realised : Plant
        The inventory that was made of it.
    """
    own: dict[str, dict[str, str]] = defaultdict(dict)
    for (name, port), planned in _planned(realised):
        text = texts.get((name, port), "")
        if text and text not in planned and _is_text(text):
            own[name][port] = text
    return dict(own)


def lost_descriptions(texts: Mapping[End, str], realised: Plant, shown: str) -> list[Finding]:
    """Return which descriptions no inventory can hold.

    Parameters
    ----------
    shown : str
        Name of the source.
    """
    lost = [end for end, _ in _planned(realised) if end in texts and not _is_text(texts[end])]
    if not lost:
        return []
    more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
    message = f"the description of {' '.join(lost[0])} is not kept{more}"
    fix = "use at most 120 printable ASCII characters"
    return [Finding("EXC012", Severity.WARNING, message, fix, position=Position(shown))]


def _planned(realised: Plant) -> Iterator[tuple[End, set[str]]]:
    """Yield each port of a switch that has a cable, with what a switch may show as its text."""
    for cable in realised.cables:
        for end, far in ((cable.near, cable.far), (cable.far, cable.near)):
            device = realised.device[end[0]]
            if device.kind == "switch":
                text = " ".join(far)
                yield end, {text, text.replace(" ", platforms[device.system].description_space)}


@cache
def _texts() -> TypeAdapter[str]:
    return TypeAdapter(Text)


def _is_text(text: str) -> bool:
    try:
        _texts().validate_python(text)
    except ValidationError:
        return False
    return True

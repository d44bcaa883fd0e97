"""What is rendered where other tools own a part of the configuration (``scope: merge``)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.design.model import DeviceDesign

#: Comment in the first line of a file that is to be merged.
MARK = "Merged by rocefab into what runs: lines of others are kept."
#: Templates of what other tools own then.
_OF_OTHERS = frozenset({"ntp", "syslog"})


def scoped(design: DeviceDesign, features: Iterable[str]) -> tuple[DeviceDesign, list[str]]:
    """Return what a system has to print: all of it, or without what others may use.

    Parameters
    ----------
    design : DeviceDesign
        A switch; ports without a cable are not ours when it is merged.
    features : iterable of str
        Templates in the order of their blocks.
    """
    if design.scope != "merge":
        return design, list(features)
    used = tuple(port for port in design.ports if port.kind != "unused")
    return replace(design, ports=used), [one for one in features if one not in _OF_OTHERS]


def marked(design: DeviceDesign, text: str, comment: str) -> str:
    """Return a file with the mark in its first line when it is to be merged."""
    return f"{comment} {MARK}\n{text}" if design.scope == "merge" else text


def is_marked(text: str) -> bool:
    """Tell whether a file is to be merged."""
    return text.partition("\n")[0].endswith(MARK)

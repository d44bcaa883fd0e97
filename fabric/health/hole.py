"""What nobody can judge, as a figure is not known."""

from __future__ import annotations

from dataclasses import dataclass

from fabric.core import hostlist

#: Devices and ports that a text names.
_MOST_NAMED = 4
#: What stands between a figure and the places, or the system.
NOT_KNOWN, NOT_REPORTED = ": not known of ", ": not reported by "


@dataclass(frozen=True, slots=True)
class Hole:
    """A figure that a verdict needs, and where it is not known.

    Parameters
    ----------
    figure : str
        What is not known.
    places : tuple of str
        All devices and ports of which it is not.
    system : str
        The system of which no device reports it; empty for a gap, where others do.
    """

    figure: str
    places: tuple[str, ...]
    system: str = ""

    def __str__(self) -> str:
        if self.system:
            return f"{self.figure}{NOT_REPORTED}{self.system}"
        return f"{self.figure}{NOT_KNOWN}{names_of([*self.places])}"


def names_of(names: list[str]) -> str:
    """Return the first of some devices, and how many more there are."""
    few, more = hostlist.fold_inside(names[:_MOST_NAMED]), len(names) - _MOST_NAMED
    return f"{few} and {more} more" if more > 0 else few

"""A picture of the network: boxes, lines and frames with places on a plane, in pixels.

`fabric.topology.drawing_groups` decides what is one box, `fabric.topology.drawing_layout` where it
stands. How it is drawn is the matter of ``render``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.topology.cable_states import CableState


@dataclass(frozen=True, slots=True)
class Box:
    """One device, or several that are drawn as one.

    Parameters
    ----------
    kind : str
        ``host``, ``leaf``, ``spine`` or ``super-spine``.
    label, detail : str
        Two lines of text; ``label`` may be shortened.
    members : tuple of str
        Names of the devices.
    x, y, width, height : float
        Upper left corner, and size.
    """

    kind: str
    label: str
    detail: str
    members: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> float:
        """Middle of the box from left to right."""
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Line:
    """The cables between two boxes.

    Parameters
    ----------
    lower, upper : int
        Numbers of the boxes.
    x1, y1, x2, y2 : float
        Ends of the line, the lower box first.
    states : tuple of (CableState, int)
        How many cables have which state, the highest state first.
    speeds_gbps : tuple of int
        Speeds of the cables.
    """

    lower: int
    upper: int
    x1: float
    y1: float
    x2: float
    y2: float
    states: tuple[tuple[CableState, int], ...]
    speeds_gbps: tuple[int, ...]

    @property
    def state(self) -> CableState:
        """The highest state of the cables."""
        return self.states[0][0]

    @property
    def cables(self) -> int:
        """How many cables the line stands for."""
        return sum(count for _, count in self.states)


@dataclass(frozen=True, slots=True)
class Frame:
    """A unit around its leaves and hosts."""

    label: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Caption:
    """Lines of text at the left of a tier; ``y`` is the middle of the first."""

    lines: tuple[str, ...]
    y: float


@dataclass(frozen=True, slots=True)
class Picture:
    """All of it; ``totals`` says how many cables have which state."""

    title: str
    subtitle: str
    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    frames: tuple[Frame, ...]
    captions: tuple[Caption, ...]
    totals: tuple[tuple[CableState, int], ...]

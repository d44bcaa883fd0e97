"""What pictures are drawn on and with: a canvas, strokes, colours and sizes of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fabric.topology.drawing import CableState

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    Points = tuple[tuple[float, float], ...]

INK, FAINT, PAPER = "#1b1f24", "#57606a", "#ffffff"
TITLE_PX, SUBTITLE_PX, TEXT_PX = 18.0, 12.0, 11.0
#: Left edge of text, and height of the stripe of a rail.
LEFT, STRIPE_PX = 16.0, 4.0
#: Width of a character of a monospaced font, at most (DejaVu Sans Mono, hmtx table: 0.602).
CHARACTER_EM = 0.61


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line: colour, width and dashes; ``mark`` is drawn on it so that no colour is needed."""

    colour: str
    width: float = 1.0
    dash: tuple[float, ...] = ()
    mark: str = ""


#: Colours that differ in lightness too, with dashes and marks of their own. None is degraded: that
#: is what conditions say, which the map of the service alone has.
STROKES = {
    CableState.PLANNED: Stroke("#8c959f", 0.8),
    CableState.QUARANTINE: Stroke("#6e7781", 1.0, (6, 6), "bars"),
    CableState.OVERSUBSCRIBED: Stroke("#b35900", 1.6, (9, 3), "triangle"),
    CableState.DOWN: Stroke("#24292f", 1.4, (2, 4), "cross"),
    CableState.LOSSLESS: Stroke("#7b2cbf", 2.0, (10, 3, 2, 3), "diamond"),
    CableState.WRONG: Stroke("#c1121f", 2.4, (5, 3), "square"),
}
#: Bar of a comb, and its teeth: darker than the lines that end there, and than frames.
BAR, TOOTH = Stroke(FAINT, 3.0), Stroke(FAINT, 1.6)
#: Fill and border of the boxes.
FILLS = {
    "host": ("#f6f8fa", "#6e7781"),
    "leaf": ("#ddf4ff", "#0a3069"),
    "spine": ("#dafbe1", "#0f5323"),
    "super-spine": ("#fbefff", "#512a97"),
}

#: Borders of the frames: of a unit faint, of what is around it darker.
FRAMES = {
    "unit": Stroke("#d0d7de"),
    "pod": Stroke("#8c959f", 1.2),
    "plane": Stroke("#57606a", 1.6),
}
#: Colours of rails, and of tenants, in turn, as the page has them in its light scheme; each has a
#: contrast of 3:1 and more on paper (WCAG 2.2, 1.4.11). No tenant has the colour of a rail,
#: or a red or green, which the page has for faults and what is well; who does not tell red from
#: green, or blue from yellow, tells them apart.
RAILS = (
    *("#0072b2", "#a07400", "#007a59", "#b5528f"),
    *("#1f3a93", "#5f8500", "#8c4a2f", "#00869a"),
)
TENANTS = (
    *("#440055", "#2288ee", "#0000bb", "#777744"),
    *("#ff00aa", "#0033ff", "#554411", "#992277"),
)


class Canvas(Protocol):
    """What a picture is drawn on; y grows downwards, sizes are pixels."""

    def rect(
        self, corner: tuple[float, float], size: tuple[float, float], fill: str, stroke: Stroke
    ) -> None:
        """Draw a rectangle."""

    def line(self, points: Points, stroke: Stroke) -> None:
        """Draw a line through points."""

    def shape(self, points: Points, fill: str) -> None:
        """Fill a polygon."""

    def text(
        self,
        place: tuple[float, float],
        text: str,
        size: float,
        *,
        anchor: str = "middle",
        bold: bool = False,
        colour: str = INK,
    ) -> None:
        """Write a line of text; ``place`` is on its base line."""

    def group(self, kind: str, title: str, **data: str) -> AbstractContextManager[None]:
        """Keep what is drawn inside together, under a title."""

"""A canvas of pixels: PNG by matplotlib, the extra ``plots``."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fabric.render.canvas import INK, PAPER
from fabric.render.picture import draw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.render.canvas import Points, Stroke
    from fabric.topology.drawing import Picture

#: Pixels of a picture for each inch of a figure, and of the file: twice, for print.
_UNIT, _DPI = 100.0, 200
#: Points of an inch, the unit of fonts and lines.
_POINTS = 72.0
#: Longest side of a file in pixels; beyond that the picture is made smaller.
_MOST_PX = 16_000


def png(picture: Picture) -> bytes:
    """Return a picture as a PNG file.

    Raises
    ------
    ImportError
        When matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(picture.width / _UNIT, picture.height / _UNIT), facecolor=PAPER)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, picture.width), ylim=(picture.height, 0))
    axes.set_axis_off()
    draw(picture, _Pixels(axes))
    longest = max(picture.width, picture.height) / _UNIT
    out = io.BytesIO()
    figure.savefig(
        out, format="png", dpi=min(_DPI, _MOST_PX / longest), metadata={"Software": None}
    )
    return out.getvalue()


def _points(pixels: float) -> float:
    return pixels * _POINTS / _UNIT


class _Pixels:
    def __init__(self, axes: Any) -> None:
        self._axes = axes
        self._order = 0

    def _pen(self, stroke: Stroke) -> dict[str, Any]:
        self._order += 1
        dash = tuple(part / max(stroke.width, 1) for part in stroke.dash)
        return {
            "linewidth": _points(stroke.width),
            "linestyle": (0, dash) if dash else "-",
            "zorder": self._order,
        }

    @contextmanager
    def group(self, kind: str, title: str, **data: str) -> Iterator[None]:  # noqa: ARG002
        yield

    def rect(
        self, corner: tuple[float, float], size: tuple[float, float], fill: str, stroke: Stroke
    ) -> None:
        from matplotlib.patches import Rectangle

        pen = self._pen(stroke)
        drawn = Rectangle(corner, *size, facecolor=fill, edgecolor=stroke.colour, **pen)
        self._axes.add_patch(drawn)

    def line(self, points: Points, stroke: Stroke) -> None:
        xs, ys = zip(*points, strict=True)
        pen = self._pen(stroke)
        self._axes.plot(xs, ys, color=stroke.colour, solid_capstyle="butt", **pen)

    def shape(self, points: Points, fill: str) -> None:
        from matplotlib.patches import Polygon

        self._order += 1
        self._axes.add_patch(Polygon(points, facecolor=fill, linewidth=0, zorder=self._order))

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
        self._order += 1
        self._axes.text(
            *place,
            text,
            fontsize=_points(size),
            family="DejaVu Sans Mono",
            weight="bold" if bold else "normal",
            color=colour,
            ha={"middle": "center", "start": "left"}[anchor],
            va="baseline",
            parse_math=False,
            zorder=self._order,
        )

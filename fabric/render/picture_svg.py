"""A canvas that writes SVG; the text of the document is escaped by the XML writer."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from fabric.render.canvas import INK, PAPER
from fabric.render.picture import draw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.render.canvas import Points, Stroke
    from fabric.topology.drawing import Picture

FONT = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"


def svg(picture: Picture) -> str:
    """Return a picture as an SVG document of one element."""
    canvas = _Svg(picture)
    draw(picture, canvas)
    ET.indent(canvas.root, space=" ")
    return ET.tostring(canvas.root, encoding="unicode") + "\n"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


class _Svg:
    def __init__(self, picture: Picture) -> None:
        width, height = _number(picture.width), _number(picture.height)
        self.root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {width} {height}",
                "role": "img",
                "font-family": FONT,
            },
        )
        ET.SubElement(self.root, "title").text = f"{picture.title}: {picture.subtitle}"
        self._at = self.root
        self._add("rect", width="100%", height="100%", fill=PAPER)

    def _add(self, tag: str, **attributes: str) -> ET.Element:
        named = {name.replace("_", "-"): value for name, value in attributes.items()}
        return ET.SubElement(self._at, tag, named)

    @contextmanager
    def group(self, kind: str, title: str, **data: str) -> Iterator[None]:
        outer = self._at
        named = {f"data-{name}": value for name, value in data.items()}
        self._at = ET.SubElement(outer, "g", {"class": kind, **named})
        ET.SubElement(self._at, "title").text = title
        yield
        self._at = outer

    def rect(
        self, corner: tuple[float, float], size: tuple[float, float], fill: str, stroke: Stroke
    ) -> None:
        x, y, width, height = (_number(value) for value in (*corner, *size))
        drawn = self._add("rect", x=x, y=y, width=width, height=height, rx="3", fill=fill)
        drawn.attrib.update(_pen(stroke))

    def line(self, points: Points, stroke: Stroke) -> None:
        (x1, y1), (x2, y2) = (map(_number, point) for point in points)
        self._add("line", x1=x1, y1=y1, x2=x2, y2=y2).attrib.update(_pen(stroke))

    def shape(self, points: Points, fill: str) -> None:
        text = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._add("polygon", points=text, fill=fill)

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
        x, y = (_number(value) for value in place)
        font = {"font_size": _number(size), "fill": colour, "text_anchor": anchor}
        if bold:
            font["font_weight"] = "bold"
        self._add("text", x=x, y=y, **font).text = text


def _pen(stroke: Stroke) -> dict[str, str]:
    pen = {"stroke": stroke.colour, "stroke-width": _number(stroke.width)}
    if stroke.dash:
        pen["stroke-dasharray"] = " ".join(_number(part) for part in stroke.dash)
    return pen

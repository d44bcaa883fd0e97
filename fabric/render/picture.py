"""How a picture of the network looks; written by a canvas, as SVG or as pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log2
from typing import TYPE_CHECKING, Protocol

from fabric.topology.drawing import CableState
from fabric.topology.drawing_groups import label_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from fabric.topology.drawing import Box, Comb, Frame, Line, Picture

    Points = tuple[tuple[float, float], ...]

INK, FAINT, PAPER = "#1b1f24", "#57606a", "#ffffff"
TITLE_PX, SUBTITLE_PX, TEXT_PX = 18.0, 12.0, 11.0
#: Left edge of text, and height of the stripe of a rail.
LEFT, STRIPE_PX = 16.0, 4.0
#: Width of a character of a monospaced font, at most (DejaVu Sans Mono, hmtx table: 0.602).
CHARACTER_EM = 0.61
#: Place of a mark on its line, from the lower end: nearer to the end, where lines lie apart.
MARK_AT, MARK_PX = 0.22, 5.5


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line: colour, width and dashes; ``mark`` is drawn on it so that no colour is needed."""

    colour: str
    width: float = 1.0
    dash: tuple[float, ...] = ()
    mark: str = ""


#: Wider for each doubling of the cables that a line stands for, and at most.
WIDER_PX, MOST_WIDER_PX = 0.15, 0.8
#: Colours that differ in lightness too, with dashes and marks of their own.
STROKES = {
    CableState.PLANNED: Stroke("#8c959f", 0.8),
    CableState.OVERSUBSCRIBED: Stroke("#b35900", 1.6, (9, 3), "triangle"),
    CableState.DOWN: Stroke("#24292f", 1.4, (2, 4), "cross"),
    CableState.LOSSLESS: Stroke("#7b2cbf", 2.0, (10, 3, 2, 3), "diamond"),
    CableState.WRONG: Stroke("#c1121f", 2.4, (5, 3), "square"),
}
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
#: Colours of rails, in turn, each with a contrast of 3:1 and more on paper (WCAG 2.2, 1.4.11).
RAILS = (
    *("#0072b2", "#a07400", "#007a59", "#b5528f"),
    *("#1f3a93", "#5f8500", "#8c4a2f", "#00869a"),
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


def draw(picture: Picture, canvas: Canvas) -> None:
    """Draw a picture: frames, then lines (the worst on top), then boxes and text."""
    canvas.text((LEFT, 34), picture.title, TITLE_PX, anchor="start", bold=True)
    canvas.text((LEFT, 54), picture.subtitle, SUBTITLE_PX, anchor="start", colour=FAINT)
    for frame in picture.frames:
        with canvas.group(f"frame {frame.kind}", frame.label):
            corner, size = (frame.x, frame.y), (frame.width, frame.height)
            canvas.rect(corner, size, "none", FRAMES[frame.kind])
    for comb in picture.combs:
        _comb(picture, comb, canvas)
    for line in sorted(picture.lines, key=lambda line: line.state):
        _line(picture, line, canvas)
    for frame in picture.frames:
        _frame_label(frame, canvas)
    for number, box in enumerate(picture.boxes):
        _box(number, box, canvas)
    for caption in picture.captions:
        first = caption.y + TEXT_PX * 0.35 - (len(caption.lines) - 1) * 7
        for row, text in enumerate(caption.lines):
            place = (LEFT, first + 14 * row)
            canvas.text(place, text, TEXT_PX, anchor="start", bold=not row, colour=FAINT)
    _legend(picture, canvas)


def told(picture: Picture, line: Line) -> str:
    """Return a line in words: its ends, how many cables, and their states."""
    names = [name for one in line.lower for name in picture.boxes[one].members]
    lower = names[0] if len(names) == 1 else label_of(names)
    ends = f"{lower} - {picture.boxes[line.upper].name}"
    speeds = "/".join(f"{speed}G" for speed in line.speeds_gbps)
    states = ", ".join(f"{count:,} {state.words}" for state, count in line.states)
    plural = "" if line.cables == 1 else "s"
    return f"{ends}: {line.cables:,} cable{plural} of {speeds}: {states}"


def _comb(picture: Picture, comb: Comb, canvas: Canvas) -> None:
    stroke = STROKES[CableState.PLANNED]
    stroke = replace(stroke, width=stroke.width + MOST_WIDER_PX)
    label = label_of([name for number in comb.lower for name in picture.boxes[number].members])
    with canvas.group("comb", f"uplinks of {label}", lower=" ".join(map(str, comb.lower))):
        canvas.line(((comb.teeth[0], comb.y), (comb.teeth[-1], comb.y)), stroke)
        for x in comb.teeth:
            canvas.line(((x, comb.y), (x, comb.bottom)), stroke)


def _line(picture: Picture, line: Line, canvas: Canvas) -> None:
    plain = STROKES[line.state]
    if line.state is CableState.PLANNED and line.rail >= 0:
        plain = replace(plain, colour=RAILS[line.rail % len(RAILS)], width=1.2)
    stroke = replace(plain, width=plain.width + min(MOST_WIDER_PX, WIDER_PX * log2(line.cables)))
    ends = {"lower": " ".join(map(str, line.lower)), "upper": str(line.upper)}
    with canvas.group(f"line {line.state.name.lower()}", told(picture, line), **ends):
        canvas.line(((line.x1, line.y1), (line.x2, line.y2)), stroke)
        x = line.x1 + MARK_AT * (line.x2 - line.x1)
        y = line.y1 + MARK_AT * (line.y2 - line.y1)
        _mark(canvas, stroke, x, y)


def _mark(canvas: Canvas, stroke: Stroke, x: float, y: float) -> None:
    half = MARK_PX
    if stroke.mark == "cross":
        for sign in (1, -1):
            ends = ((x - half, y - sign * half), (x + half, y + sign * half))
            canvas.line(ends, Stroke(stroke.colour, 2.0))
    elif stroke.mark:
        shapes: dict[str, Points] = {
            "triangle": ((x, y - half), (x + half, y + half), (x - half, y + half)),
            "diamond": ((x, y - half), (x + half, y), (x, y + half), (x - half, y)),
            "square": (
                *((x - half, y - half), (x + half, y - half)),
                *((x + half, y + half), (x - half, y + half)),
            ),
        }
        canvas.shape(shapes[stroke.mark], stroke.colour)


def _box(number: int, box: Box, canvas: Canvas) -> None:
    fill, border = FILLS[box.kind]
    several = len(box.members) > 1
    with canvas.group(f"box {box.kind}", f"{box.name}: {box.detail}", box=str(number)):
        if several:  # a second edge behind: a stack
            behind = (box.x + 3, box.y - 3)
            canvas.rect(behind, (box.width, box.height), fill, Stroke(border, 0.8))
        canvas.rect((box.x, box.y), (box.width, box.height), fill, Stroke(border, 1.2))
        if box.rail >= 0:
            _stripe(box, canvas)
        canvas.text((box.centre, box.y + 17), box.label, TEXT_PX, bold=True)
        canvas.text((box.centre, box.y + 31), box.detail, TEXT_PX, colour=FAINT)


def _stripe(box: Box, canvas: Canvas) -> None:
    left, right, low = box.x + 1, box.x + box.width - 1, box.y + STRIPE_PX
    points = ((left, box.y), (right, box.y), (right, low), (left, low))
    canvas.shape(points, RAILS[box.rail % len(RAILS)])


def _frame_label(frame: Frame, canvas: Canvas) -> None:
    """Write at the foot of a unit, or at the head of others, on paper so that no line crosses."""
    base = frame.y + (frame.height - 8 if frame.kind == "unit" else 16)
    middle, width = frame.x + frame.width / 2, (len(frame.label) + 1) * TEXT_PX * CHARACTER_EM
    canvas.rect((middle - width / 2, base - 11), (width, 14), PAPER, Stroke(PAPER, 0))
    canvas.text((middle, base), frame.label, TEXT_PX, bold=frame.kind != "unit", colour=FAINT)


def _legend(picture: Picture, canvas: Canvas) -> None:
    texts = [f"{total.state.words}: {total.words}" for total in picture.totals]
    widths = [48 + len(text) * TEXT_PX * CHARACTER_EM + 22 for text in texts]
    right = picture.width + 22
    x, y = LEFT, picture.height - (30 if LEFT + sum(widths) > right else 22)
    rails = sorted({line.rail % len(RAILS) for line in picture.lines if line.rail >= 0})
    for total, text, width in zip(picture.totals, texts, widths, strict=True):
        state = total.state
        if x > LEFT and x + width > right:
            x, y = LEFT, y + 17
        stroke = STROKES[state]
        canvas.line(((x, y), (x + 40, y)), stroke)
        for part, rail in enumerate(rails if state is CableState.PLANNED else ()):
            ends = ((x + part * 40 / len(rails), y), (x + (part + 1) * 40 / len(rails), y))
            canvas.line(ends, Stroke(RAILS[rail], 2.0))
        _mark(canvas, stroke, x + 20, y)
        canvas.text((x + 48, y + 3.5), text, TEXT_PX, anchor="start")
        x += width

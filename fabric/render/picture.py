"""How a picture of the network looks; written by a canvas, as SVG or as pixels."""

from __future__ import annotations

from dataclasses import replace
from math import log2
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.render.canvas import (
    CHARACTER_EM,
    FAINT,
    FILLS,
    FRAMES,
    LEFT,
    PAPER,
    RAILS,
    STRIPE_PX,
    STROKES,
    SUBTITLE_PX,
    TEXT_PX,
    TITLE_PX,
    Stroke,
)
from fabric.render.picture_legend import APART, comb_at, legend, mark, owner, tenant_legend
from fabric.topology.drawing import CableState
from fabric.topology.drawing_groups import label_of
from fabric.topology.drawing_layout import STACK_PX

if TYPE_CHECKING:
    from fabric.render.canvas import Canvas
    from fabric.topology.drawing import Box, Comb, Frame, Line, Picture

#: Place of a mark on its line, from the lower end: nearer to the end, where lines lie apart.
MARK_AT = 0.22
#: Wider for each doubling of the cables that a line stands for, and at most.
WIDER_PX, MOST_WIDER_PX = 0.15, 0.8


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
    for number in range(len(picture.boxes)):
        _box(picture, number, canvas)
    for caption in picture.captions:
        first = caption.y + TEXT_PX * 0.35 - (len(caption.lines) - 1) * 7
        for row, text in enumerate(caption.lines):
            place = (LEFT, first + 14 * row)
            canvas.text(place, text, TEXT_PX, anchor="start", bold=not row, colour=FAINT)
    legend(picture, canvas)
    tenant_legend(picture, canvas)


def told(picture: Picture, line: Line) -> str:
    """Return a line in words: its ends, how many cables, their lengths and their states."""
    names = [name for one in line.lower for name in picture.boxes[one].members]
    lower = names[0] if len(names) == 1 else label_of(names)
    ends = f"{lower} - {picture.boxes[line.upper].name}"
    speeds = "/".join(f"{speed}G" for speed in line.speeds_gbps)
    states = ", ".join(f"{count:,} {state.words}" for state, count in line.states)
    return f"{ends}: {counted(line.cables, 'cable')} of {speeds}, {line.lengths}: {states}"


def _comb(picture: Picture, comb: Comb, canvas: Canvas) -> None:
    label = label_of([name for number in comb.lower for name in picture.boxes[number].members])
    with canvas.group("comb", f"uplinks of {label}", lower=" ".join(map(str, comb.lower))):
        comb_at(canvas, comb.teeth, comb.y, comb.bottom)


def _line(picture: Picture, line: Line, canvas: Canvas) -> None:
    plain = APART if line.is_apart else STROKES[line.state]
    if line.state is CableState.PLANNED and line.rail >= 0:
        plain = replace(plain, colour=RAILS[line.rail % len(RAILS)], width=1.2)
    stroke = replace(plain, width=plain.width + min(MOST_WIDER_PX, WIDER_PX * log2(line.cables)))
    ends = {"lower": " ".join(map(str, line.lower)), "upper": str(line.upper)}
    with canvas.group(f"line {line.state.name.lower()}", told(picture, line), **ends):
        canvas.line(((line.x1, line.y1), (line.x2, line.y2)), stroke)
        x = line.x1 + MARK_AT * (line.x2 - line.x1)
        y = line.y1 + MARK_AT * (line.y2 - line.y1)
        mark(canvas, stroke, x, y)


def _box(picture: Picture, number: int, canvas: Canvas) -> None:
    box = picture.boxes[number]
    fill, border = FILLS[box.kind]
    several = len(box.members) > 1
    of_none = ["NICs of no tenant"] * box.is_mixed
    words = ", ".join([box.detail, *(f"tenant {name}" for name, _ in box.tenants), *of_none])
    with canvas.group(f"box {box.kind}", f"{box.name}: {words}", box=str(number)):
        if several:  # a second edge behind: a stack
            behind = (box.x + STACK_PX, box.y - STACK_PX)
            canvas.rect(behind, (box.width, box.height), fill, Stroke(border, 0.8))
        edge = owner(picture, box) or Stroke(border, 1.2)
        canvas.rect((box.x, box.y), (box.width, box.height), fill, edge)
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

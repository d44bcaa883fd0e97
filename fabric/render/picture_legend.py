"""Legends of a picture: states of cables and combs below it, tenants beside its subtitle."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from fabric.render.canvas import (
    BAR,
    CHARACTER_EM,
    FAINT,
    LEFT,
    PAPER,
    RAILS,
    STROKES,
    SUBTITLE_PX,
    TENANTS,
    TEXT_PX,
    TOOTH,
    Stroke,
)
from fabric.topology.drawing import CableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fabric.render.canvas import Canvas, Points
    from fabric.topology.drawing import Border, Box, Picture

#: Half of the size of a mark.
MARK_PX = 5.5
#: Borders of boxes of a tenant, and of several; wider than those of boxes without tenants.
OWNED_PX, SHARED = 2.4, Stroke(FAINT, 2.0, (6, 2))
#: Dashes of the border of one tenant, where NICs of no tenant are there too; our choice.
_MIXED = (2, 2)
#: A line of cables of which some are in quarantine: its dashes, and the mark of quarantine.
APART = replace(STROKES[CableState.QUARANTINE], width=1.2, dash=(14, 3))
#: What is left free at both sides of a tooth.
_GAP = Stroke(PAPER, 5.0)
#: Sizes of a key of a tenant, the space to its text, and to the next key; our choice.
_KEY, _SPACE, _NEXT = (26.0, 12.0), 8.0, 22.0
#: Tenants of one colour that a key names; our choice.
_NAMES = 3
#: Borders that have the colour of a tenant.
_OF_ONE: tuple[Border, ...] = ("tenant", "mixed")


def legend(picture: Picture, canvas: Canvas) -> None:
    """Draw which line stands for which state, and of how many cables, and what a comb is."""
    keys = [*_keys(picture)]
    widths = [48 + len(text) * TEXT_PX * CHARACTER_EM + 22 for text, _ in keys]
    right = picture.width + 22
    x, y = LEFT, picture.height - (30 if LEFT + sum(widths) > right else 22)
    for (text, drawn), width in zip(keys, widths, strict=True):
        if x > LEFT and x + width > right:
            x, y = LEFT, y + 17
        drawn(canvas, x, y)
        canvas.text((x + 48, y + 3.5), text, TEXT_PX, anchor="start")
        x += width


def _keys(picture: Picture) -> Iterator[tuple[str, Callable[[Canvas, float, float], None]]]:
    """Yield the text of each key, and what draws the sample before it."""
    rails = sorted({line.rail % len(RAILS) for line in picture.lines if line.rail >= 0})
    for total in picture.totals:
        colours = rails if total.state is CableState.PLANNED else ()
        yield f"{total.state.words}: {total.words}", partial(_sample, STROKES[total.state], colours)
    if any(line.is_apart for line in picture.lines):
        yield "some cables of a line in quarantine", partial(_sample, APART, ())
    if picture.combs:
        yield "lines at a bar connect each leaf under its teeth", _comb_sample


def _sample(stroke: Stroke, rails: Sequence[int], canvas: Canvas, x: float, y: float) -> None:
    canvas.line(((x, y), (x + 40, y)), stroke)
    for part, rail in enumerate(rails):
        ends = ((x + part * 40 / len(rails), y), (x + (part + 1) * 40 / len(rails), y))
        canvas.line(ends, Stroke(RAILS[rail], 2.0))
    mark(canvas, stroke, x + 20, y)


def _comb_sample(canvas: Canvas, x: float, y: float) -> None:
    comb_at(canvas, (x, x + 20, x + 40), y - 3, y + 5)


def comb_at(canvas: Canvas, teeth: Sequence[float], y: float, bottom: float) -> None:
    """Draw a bar, and a tooth down from it at each place."""
    for x in teeth:
        canvas.line(((x, y), (x, bottom)), _GAP)  # in the bar of another comb below
        canvas.line(((x, y), (x, bottom)), TOOTH)
    half = TOOTH.width / 2
    canvas.line(((teeth[0] - half, y), (teeth[-1] + half, y)), BAR)


def mark(canvas: Canvas, stroke: Stroke, x: float, y: float) -> None:
    """Draw the mark of a stroke on a line, if it has one."""
    half = MARK_PX
    if stroke.mark == "cross":
        for sign in (1, -1):
            ends = ((x - half, y - sign * half), (x + half, y + sign * half))
            canvas.line(ends, Stroke(stroke.colour, 2.0))
    elif stroke.mark == "bars":
        for side in (x - half / 2, x + half / 2):
            canvas.line(((side, y - half), (side, y + half)), Stroke(stroke.colour, 2.0))
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


def owner(picture: Picture, box: Box) -> Stroke | None:
    """Return the border of a box with tenants; None without."""
    if box.border == "plain":
        return None
    return SHARED if box.border == "shared" else _stroke(picture, box.border, box.tenants[0][0])


def _stroke(picture: Picture, border: Border, tenant: str) -> Stroke:
    colour = TENANTS[picture.tenants.index(tenant) % len(TENANTS)]
    return Stroke(colour, OWNED_PX, _MIXED if border == "mixed" else ())


def tenant_legend(picture: Picture, canvas: Canvas) -> None:
    """Draw whose the borders of hosts and leaves are; what has no room there is counted."""
    x = LEFT + len(picture.subtitle) * SUBTITLE_PX * CHARACTER_EM + 2 * _NEXT
    keys = list(_tenant_keys(picture))
    for number, (stroke, text) in enumerate(keys):
        wide = _KEY[0] + _SPACE + len(text) * TEXT_PX * CHARACTER_EM
        rest = f"and {len(keys) - number} more" if number < len(keys) - 1 else ""
        if x + wide + bool(rest) * _NEXT + len(rest) * TEXT_PX * CHARACTER_EM > picture.width:
            canvas.text((x, 54), f"and {len(keys) - number} more", TEXT_PX, anchor="start")
            return
        canvas.rect((x, 54 - _KEY[1] + 2), _KEY, PAPER, stroke)
        canvas.text((x + _KEY[0] + _SPACE, 54), text, TEXT_PX, anchor="start")
        x += wide + _NEXT


def _tenant_keys(picture: Picture) -> Iterator[tuple[Stroke, str]]:
    """Yield the borders that are drawn, each once, and whose they are."""
    drawn = {(box.border, name) for box in picture.boxes for name, _ in box.tenants}
    names: dict[Stroke, list[str]] = {}
    for border in _OF_ONE:
        for name in picture.tenants:
            if (border, name) in drawn:
                names.setdefault(_stroke(picture, border, name), []).append(name)
    for stroke, some in names.items():
        more = f" and {len(some) - _NAMES} more" if len(some) > _NAMES else ""
        rest = " in part" if stroke.dash else ""
        yield stroke, f"tenant{'s' * (len(some) > 1)} {', '.join(some[:_NAMES])}{more}{rest}"
    if any(border == "shared" for border, _ in drawn):
        yield SHARED, "several tenants"

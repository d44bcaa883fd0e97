"""Where the boxes of a picture stand: areas for planes, pods and units, one inside the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from fabric.topology.bandwidth import switch_gbps
from fabric.topology.drawing import Box, Caption, Frame, Picture
from fabric.topology.drawing_captions import LEAST_TEXT, subtitle, tier_texts, with_lines
from fabric.topology.drawing_groups import Limits, groups
from fabric.topology.drawing_lines import COMB_PX, lines
from fabric.topology.drawing_tenants import with_tenants
from fabric.topology.layout import PORT_LETTERS
from fabric.topology.model import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.topology.clos import Clos
    from fabric.topology.drawing import CableStates, Comb, Line
    from fabric.topology.drawing_groups import Group, Groups
    from fabric.topology.model import Fabric, Ints

#: Width of a character at 11 pixels: the fonts asked for are monospaced and 0.602 em wide (DejaVu
#: Sans Mono, hmtx table); some others are 0.6.
CHARACTER_PX = 6.65
#: Pixels of the picture, all our choice: what reads well at 100 %. No picture is wider than the
#: window of a small screen, so that text does not shrink there.
MOST_WIDTH = 1280.0
BOX_HEIGHT, FRAME_TITLE, MARGIN, TOP, LEGEND = 38.0, 20.0, 16.0, 76.0, 46.0
#: How far the second edge of a box of several devices is behind it, to the right and up.
STACK_PX = 3.0
#: Room for the legend, our choice.
LEAST_WIDTH = 1200.0
#: Between leaves and hosts, and between two tiers of switches.
HOST_GAP, TIER_GAP = 110.0, 140.0


@dataclass(frozen=True, slots=True)
class Spacing:
    """Pixels at both sides of the text of a box, between boxes, in a frame and between frames."""

    pad: float
    gap: float
    frame_pad: float
    frame_gap: float
    least_box: float


#: The roomiest that fits is taken.
SPACINGS = (Spacing(9, 14, 14, 26, 64), Spacing(6, 8, 10, 16, 0), Spacing(3, 3, 6, 5, 0))


@dataclass(frozen=True, slots=True)
class _Area:
    """Boxes and further areas inside a frame; a ``kind`` that is empty has no frame.

    ``rows`` are tiers: numbers of boxes side by side.
    """

    kind: str
    title: str
    rows: Sequence[Sequence[int]]
    inside: Sequence[_Area] = ()


def picture(
    fabric: Fabric, network: Clos, states: CableStates, gbps: tuple[Ints, Ints] | None = None
) -> Picture:
    """Return the picture of a network, with the state of each cable.

    Parameters
    ----------
    gbps : tuple of two arrays of int, optional
        Bandwidth below and above each switch, where the network is a part of one that has more.
    """
    texts = tier_texts(fabric, network, gbps or switch_gbps(network))
    longest = max(LEAST_TEXT, *(len(line) for pair in texts for text in pair for line in text))
    left = 2 * MARGIN + longest * CHARACTER_PX
    plan = _fitted(fabric, network, MOST_WIDTH - left - MARGIN)
    plan.place(left, max(plan.width, LEAST_WIDTH - left - MARGIN))
    drawn, combs = lines(network, states, plan.grouping, plan.boxes, plan.cells)
    return Picture(
        title=fabric.intent.fabric.name,
        subtitle=subtitle(fabric, network),
        width=max(left + plan.width + MARGIN, LEAST_WIDTH),
        height=plan.rows.bottom + LEGEND,
        boxes=with_tenants(fabric, plan.boxes),
        lines=tuple(drawn),
        frames=tuple(_over_combs(plan.frames, combs)),
        captions=tuple(_captions(texts, plan, drawn)),
        totals=states.totals(),
        combs=tuple(combs),
        tenants=fabric.tenants.names if fabric.tenants else (),
    )


def _fitted(fabric: Fabric, network: Clos, room: float) -> _Plan:
    """Return the plan with the most boxes that fit into a width: shorter names before fewer."""
    limits = Limits().used(network)
    while True:
        grouping = groups(fabric, network, limits)
        for named in (grouping, *grouping.shorter()):
            for spacing in SPACINGS:
                plan = _Plan(named, spacing, network.tiers)
                if plan.width <= room:
                    return plan
        fit = room / plan.columns_width
        fewer = limits.fewer_columns(fit) if fit < 1 else limits.fewer_above()
        if fewer == limits:
            return plan
        limits = fewer


class _Rows:
    """Where the tiers stand."""

    def __init__(self, tiers: int, spacing: Spacing, *, planes: bool) -> None:
        border = spacing.frame_pad + FRAME_TITLE
        top = TOP + (border if planes else 0)
        self.leaf = top + (tiers - 1) * (BOX_HEIGHT + TIER_GAP)
        self.host_gap = HOST_GAP + (border + spacing.frame_pad if planes else 0)
        self.host = self.leaf + BOX_HEIGHT + self.host_gap
        self.bottom = self.host + BOX_HEIGHT + 2 * spacing.frame_pad + FRAME_TITLE

    def of(self, kind: str) -> float:
        """Return the upper edge of the boxes of a kind."""
        if kind == "host":
            return self.host
        return self.leaf - ROLES.index(kind) * (BOX_HEIGHT + TIER_GAP)


class _Plan:
    """Widths of areas, and after `place` the boxes and frames."""

    def __init__(self, grouping: Groups, spacing: Spacing, tiers: int) -> None:
        self.grouping, self._spacing = grouping, spacing
        self._areas = _areas(grouping)
        self.rows = _Rows(tiers, spacing, planes=len(self._areas) > 1)
        self._boxes: dict[int, Box] = {}
        self.frames: list[Frame] = []
        self.cells: list[tuple[int, ...]] = []

    @property
    def boxes(self) -> list[Box]:
        """The boxes, in the order of the groups."""
        return [self._boxes[number] for number in range(len(self.grouping.groups))]

    @cached_property
    def width(self) -> float:
        """Width of all."""
        return max(self._width(area) for area in self._areas)

    @property
    def columns_width(self) -> float:
        """Width of the leaves and hosts alone."""
        return max(self._width(area, above=False) for area in self._areas)

    def place(self, x: float, width: float) -> None:
        """Give boxes and frames their places, centred in a width."""
        for area in self._areas:
            self._place(area, x + (width - self.width) / 2, self.width)

    def _box_width(self, group: Group) -> float:
        text = max(len(group.label), len(group.detail)) * CHARACTER_PX
        return max(self._spacing.least_box, text + 2 * self._spacing.pad)

    def _row_widths(self, row: Sequence[int]) -> list[float]:
        return [self._box_width(self.grouping.groups[number]) for number in row]

    def _gap(self, row: Sequence[int]) -> float:
        """Return the space between the boxes of a row, with room for their second edges."""
        are_several = any(len(self.grouping.groups[number].members) > 1 for number in row)
        return max(self._spacing.gap, 2 * STACK_PX * are_several)

    def _width(self, area: _Area, *, above: bool = True) -> float:
        space = self._spacing
        rows = area.rows if above or not area.inside else ()
        inside = [self._width(one, above=above) for one in area.inside]
        need = [
            *(_total(self._row_widths(row), self._gap(row)) for row in rows),
            _total(inside, space.frame_gap),
            len(area.title) * CHARACTER_PX,
        ]
        return max(need) + (2 * space.frame_pad if area.kind else 0)

    def _place(self, area: _Area, x: float, width: float) -> tuple[float, float]:
        """Place an area; return its upper and lower edge."""
        space, slot = self._spacing, len(self.frames)
        pad = space.frame_pad if area.kind else 0
        x, width, edges = x + pad, width - 2 * pad, []
        for row in area.rows:
            even = bool(area.inside)
            gap = self._gap(row)
            edges += self._fill(row, _starts(self._row_widths(row), x, width, gap, even=even))
        widths = [self._width(one) for one in area.inside]
        starts = _starts(widths, x, width, space.frame_gap, even=True)
        for one, start, wide in zip(area.inside, starts, widths, strict=True):
            edges += self._place(one, start, wide)
        unit = area.kind == "unit"
        top = min(edges) - pad - (FRAME_TITLE if area.kind and not unit else 0)
        bottom = max(edges) + pad + (FRAME_TITLE if unit else 0)
        if area.kind:
            size = (width + 2 * pad, bottom - top)
            frame = Frame(area.kind, area.title, x - pad, top, *size)
            self.frames.insert(slot, frame)
            self._keep(area)
        return top, bottom

    def _keep(self, area: _Area) -> None:
        leaves = [n for row in area.rows for n in row if self.grouping.groups[n].kind == "leaf"]
        if area.kind == "unit" and len(leaves) > 1:
            self.cells.append(tuple(leaves))

    def _fill(self, row: Sequence[int], starts: Sequence[float]) -> list[float]:
        for number, x in zip(row, starts, strict=True):
            one = self.grouping.groups[number]
            y, width = self.rows.of(one.kind), self._box_width(one)
            text = (one.kind, one.label, one.detail, one.members, one.rail)
            self._boxes[number] = Box(*text, x, y, width, BOX_HEIGHT)
        edges = [self._boxes[number].y for number in row]
        return [*edges, *(y + BOX_HEIGHT for y in edges)]


def _over_combs(frames: Sequence[Frame], combs: Sequence[Comb]) -> Iterator[Frame]:
    """Yield frames; those of units with leaves reach over the highest comb, all of them alike."""
    bottom = max((comb.bottom for comb in combs), default=0.0)
    top = min((comb.y - COMB_PX for comb in combs), default=bottom)
    for frame in frames:
        more = max(0.0, frame.y - top)
        is_around = frame.kind == "unit" and frame.y < bottom < frame.y + frame.height
        yield replace(frame, y=top, height=frame.height + more) if is_around and more else frame


def _total(widths: Sequence[float], gap: float) -> float:
    return sum(widths) + gap * max(0, len(widths) - 1)


def _starts(
    widths: Sequence[float], x: float, width: float, gap: float, *, even: bool
) -> list[float]:
    """Return where things start side by side, centred; at even distances over all of a width."""
    if even:
        gap = max(gap, (width - sum(widths)) / (len(widths) + 1))
    x += (width - _total(widths, gap)) / 2
    starts = []
    for one in widths:
        starts.append(x)
        x += one + gap
    return starts


def _areas(grouping: Groups) -> list[_Area]:
    """Return all areas: one; or planes side by side, and hosts below that are in all of them."""
    planes = sorted({group.plane for group in grouping.groups if group.kind != "host"})
    if planes == [-1]:
        return [_Area("", "", *_plane(grouping, -1, ("leaf", "host")))]
    named = [
        _Area("plane", f"plane {PORT_LETTERS[one]}", *_plane(grouping, one, ("leaf",)))
        for one in planes
    ]
    hosts = [area for _, area in _units(grouping, -1, ("host",))]
    return [_Area("", "", (), named), _Area("", "", (), hosts)]


def _plane(
    grouping: Groups, plane: int, kinds: Sequence[str]
) -> tuple[list[list[int]], list[_Area]]:
    """Return the rows of a plane that are in no pod, and its pods, or units."""
    units = list(_units(grouping, plane, kinds))
    inside = [area for pod, area in units if pod < 0]
    for number, title in enumerate(grouping.pods):
        rows = _upper(grouping, plane, number)
        mine = [area for pod, area in units if pod == number]
        if rows or mine:
            inside.append(_Area("pod", title, rows, mine))
    return _upper(grouping, plane, -1), inside


def _upper(grouping: Groups, plane: int, pod: int) -> list[list[int]]:
    every = enumerate(grouping.groups)
    mine = [(n, one) for n, one in every if one.column < 0 and (one.plane, one.pod) == (plane, pod)]
    rows = [[n for n, one in mine if one.kind == kind] for kind in ROLES[1:]]
    return [row for row in rows if row]


def _units(grouping: Groups, plane: int, kinds: Sequence[str]) -> Iterator[tuple[int, _Area]]:
    """Yield the units that have such boxes in a plane, with their pod."""
    for column, title in enumerate(grouping.columns):
        mine = [
            (n, one)
            for n, one in enumerate(grouping.groups)
            if (one.column, one.plane) == (column, plane) and one.kind in kinds
        ]
        rows = [[n for n, one in mine if one.kind == kind] for kind in kinds]
        if mine:
            yield mine[0][1].pod, _Area("unit", title, [row for row in rows if row])


def _captions(
    texts: Sequence[tuple[tuple[str, ...], tuple[str, ...]]], plan: _Plan, drawn: Sequence[Line]
) -> list[Caption]:
    """Return what stands at the left of each tier, and between the tiers."""
    captions, boxes, rows = [], plan.boxes, plan.rows
    for (at, above), kind in zip(texts, ("host", *ROLES), strict=False):
        gap = rows.host_gap if kind == "host" else TIER_GAP
        captions.append(Caption(at, rows.of(kind) + BOX_HEIGHT / 2))
        if above:
            mine = (line for line in drawn if boxes[line.lower[0]].kind == kind)
            captions.append(Caption(with_lines(above, mine), rows.of(kind) - gap / 2))
    return captions

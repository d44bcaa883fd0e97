"""Where the boxes and lines of a picture stand."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.drawing import Box, CableState, Caption, Frame, Line, Picture
from fabric.topology.drawing_groups import groups
from fabric.topology.model import ROLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.topology.clos import Clos
    from fabric.topology.drawing import CableStates
    from fabric.topology.drawing_groups import Group, Groups
    from fabric.topology.model import Fabric, Ints

#: Width of a character of the label and of the detail, at 12 and 10 pixels: the fonts asked for
#: are monospaced and 0.602 em wide (DejaVu Sans Mono, hmtx table); some others are 0.6.
LABEL_PX, DETAIL_PX = 7.3, 6.1
#: Pixels of the picture, all our choice: what reads well at 100 %.
BOX_HEIGHT, PAD = 38.0, 9.0
GAP, BLOCK_GAP, FRAME_PAD, FRAME_TITLE = 14.0, 26.0, 14.0, 22.0
LEFT, MARGIN, TOP, LEGEND = 176.0, 24.0, 84.0, 46.0
#: Room for the legend, our choice.
LEAST_WIDTH = 1040.0
#: Between leaves and hosts; and between two tiers of switches, at least and as part of the width.
HOST_GAP, TIER_GAP, TIER_GAP_SHARE = 110.0, 150.0, 0.11
#: Part of the side of a box over which the ends of its lines are spread; our choice.
SPREAD = 0.7


def picture(fabric: Fabric, network: Clos, states: CableStates) -> Picture:
    """Return the picture of a network, with the state of each cable."""
    boxes_by_group = groups(fabric, network)
    right = _right(*_placed(boxes_by_group, _Rows(network.tiers, TIER_GAP)))
    rows = _Rows(network.tiers, max(TIER_GAP, right * TIER_GAP_SHARE))
    boxes, frames = _placed(boxes_by_group, rows)
    lines = _lines(network, states, boxes_by_group, boxes)
    every = np.concatenate([states.cables, states.nics])
    totals = tuple((state, int((every == state).sum())) for state in CableState)
    return Picture(
        title=fabric.intent.fabric.name,
        subtitle=_subtitle(fabric, network),
        width=max(right + MARGIN, LEAST_WIDTH),
        height=rows.bottom + LEGEND,
        boxes=tuple(boxes),
        lines=tuple(lines),
        frames=tuple(frames),
        captions=tuple(_captions(fabric, network, rows)),
        totals=totals,
    )


def _right(boxes: list[Box], frames: list[Frame]) -> float:
    ends = [box.x + box.width for box in boxes] + [frame.x + frame.width for frame in frames]
    return max(ends)


class _Rows:
    """Where the tiers stand, with so many pixels between those of switches."""

    def __init__(self, tiers: int, gap: float) -> None:
        self.gap = gap
        self.leaf = TOP + (tiers - 1) * (BOX_HEIGHT + gap)
        self.host = self.leaf + BOX_HEIGHT + HOST_GAP
        self.bottom = self.host + BOX_HEIGHT + FRAME_PAD + MARGIN

    def of(self, kind: str) -> float:
        """Return the upper edge of the boxes of a kind."""
        if kind == "host":
            return self.host
        return self.leaf - ROLES.index(kind) * (BOX_HEIGHT + self.gap)


def _width(group: Group) -> float:
    text = max(len(group.label) * LABEL_PX, len(group.detail) * DETAIL_PX)
    return max(64.0, text + 2 * PAD)


def _box(group: Group, x: float, rows: _Rows) -> Box:
    size = (_width(group), BOX_HEIGHT)
    return Box(group.kind, group.label, group.detail, group.members, x, rows.of(group.kind), *size)


def _placed(grouping: Groups, rows: _Rows) -> tuple[list[Box], list[Frame]]:
    """Place hosts and leaves block by block, and what is above them over the whole width."""
    places: dict[int, Box] = {}
    frames = []
    blocks = [_layers(grouping, block) for block in range(len(grouping.blocks))]
    insides = [
        max(*(_row_width(grouping, layer) for layer in layers), len(title) * LABEL_PX)
        for layers, title in zip(blocks, grouping.blocks, strict=True)
    ]
    total = sum(insides) + len(insides) * (2 * FRAME_PAD + BLOCK_GAP) - BLOCK_GAP
    x = max(LEFT, (LEFT + LEAST_WIDTH - MARGIN - total) / 2)
    for layers, inside, title in zip(blocks, insides, grouping.blocks, strict=True):
        for layer in layers:
            width = _row_width(grouping, layer)
            _fill(places, grouping, layer, x + FRAME_PAD + (inside - width) / 2, rows)
        top = rows.leaf - FRAME_PAD
        bottom = (rows.host if layers[-1] else rows.leaf) + BOX_HEIGHT + FRAME_PAD + FRAME_TITLE
        frames.append(Frame(title, x, top, inside + 2 * FRAME_PAD, bottom - top))
        x += inside + 2 * FRAME_PAD + BLOCK_GAP
    span = (x - BLOCK_GAP - total, x - BLOCK_GAP)
    for kind in ("spine", "super-spine"):
        layer = [number for number, group in enumerate(grouping.groups) if group.kind == kind]
        _spread(places, grouping, layer, span, rows)
    return [places[number] for number in range(len(grouping.groups))], frames


def _layers(grouping: Groups, block: int) -> list[list[int]]:
    """Return the leaves and the hosts of a block."""
    mine = [number for number, group in enumerate(grouping.groups) if group.block == block]
    return [
        [number for number in mine if grouping.groups[number].kind == kind]
        for kind in ("leaf", "host")
    ]


def _row_width(grouping: Groups, layer: Sequence[int]) -> float:
    widths = [_width(grouping.groups[number]) for number in layer]
    return sum(widths) + GAP * max(0, len(widths) - 1)


def _fill(
    places: dict[int, Box], grouping: Groups, layer: Sequence[int], x: float, rows: _Rows
) -> None:
    for number in layer:
        places[number] = _box(grouping.groups[number], x, rows)
        x += places[number].width + GAP


def _spread(
    places: dict[int, Box],
    grouping: Groups,
    layer: Sequence[int],
    span: tuple[float, float],
    rows: _Rows,
) -> None:
    """Place boxes at even distances, centred over a span, or beyond it where they need more."""
    if not layer:
        return
    widths = sum(_width(grouping.groups[number]) for number in layer)
    free = max(0.0, span[1] - span[0] - widths)
    gap = max(GAP, free / (len(layer) + 1))
    x = max(LEFT, (span[0] + span[1] - widths - gap * (len(layer) - 1)) / 2)
    for number in layer:
        places[number] = _box(grouping.groups[number], x, rows)
        x += places[number].width + gap


def _lines(network: Clos, states: CableStates, grouping: Groups, boxes: list[Box]) -> list[Line]:
    cables, nics = network.cables, network.nics
    lower = np.concatenate([grouping.of_host[nics.host], grouping.of_switch[cables.lower]])
    upper = np.concatenate([grouping.of_switch[nics.leaf], grouping.of_switch[cables.upper]])
    state = np.concatenate([states.nics, states.cables])
    speed = np.concatenate([nics.speed_gbps, cables.speed_gbps])
    table = np.stack([lower, upper, -state, speed], axis=1)
    kinds, count = np.unique(table, axis=0, return_counts=True)
    gathered: dict[tuple[int, int], dict[CableState, int]] = defaultdict(dict)
    speeds: dict[tuple[int, int], set[int]] = defaultdict(set)
    for (low, high, minus, gbps), number in zip(kinds.tolist(), count.tolist(), strict=True):
        mine = gathered[low, high]
        mine[CableState(-minus)] = mine.get(CableState(-minus), 0) + number
        speeds[low, high].add(gbps)
    lines = [
        Line(low, high, 0, 0, 0, 0, tuple(mine.items()), tuple(sorted(speeds[low, high])))
        for (low, high), mine in gathered.items()
    ]
    return _anchored(lines, boxes)


def _anchored(lines: list[Line], boxes: list[Box]) -> list[Line]:
    """Spread the ends of the lines of each box along its side, in the order of the other ends."""
    up, down = defaultdict(list), defaultdict(list)
    for number, line in enumerate(lines):
        up[line.lower].append((boxes[line.upper].centre, number))
        down[line.upper].append((boxes[line.lower].centre, number))
    starts: dict[int, float] = {}
    ends: dict[int, float] = {}
    for sides, at in ((up, starts), (down, ends)):
        for box, others in sides.items():
            step = boxes[box].width * SPREAD / max(1, len(others))
            first = boxes[box].centre - step * (len(others) - 1) / 2
            for place, (_, number) in enumerate(sorted(others)):
                at[number] = first + place * step
    return [
        replace(
            line,
            x1=starts[number],
            y1=boxes[line.lower].y,
            x2=ends[number],
            y2=boxes[line.upper].y + BOX_HEIGHT,
        )
        for number, line in enumerate(lines)
    ]


def _subtitle(fabric: Fabric, network: Clos) -> str:
    roles = [fabric.switches.role(int(network.rows(tier)[0])) for tier in range(network.tiers)]
    counts = [f"{len(network.rows(tier)):,} {_plural(roles[tier])}" for tier in range(len(roles))]
    return ", ".join([
        *reversed(counts),
        f"{len(fabric.hosts):,} hosts",
        f"{len(network.nics):,} NICs",
    ])


def _plural(role: str) -> str:
    return {"leaf": "leaves"}.get(role, f"{role}s")


def _captions(fabric: Fabric, network: Clos, rows: _Rows) -> list[Caption]:
    """Return what stands at the left of each tier, and between the tiers."""
    captions = []
    for tier in range(network.tiers):
        switches = network.rows(tier)
        role = fabric.switches.role(int(switches[0]))
        models = sorted({fabric.switches.skus[row].name for row in switches.tolist()})
        lines = (f"{len(switches):,} {_plural(role)}", *_few(models))
        captions.append(Caption(lines, rows.of(role) + BOX_HEIGHT / 2))
        mine = network.tier[network.cables.lower] == tier
        if mine.any():
            text = _cables(network.cables.speed_gbps[mine], network.cables.cable_m[mine])
            captions.append(Caption(text, rows.of(role) - rows.gap / 2))
    captions.append(Caption((f"{len(fabric.hosts):,} hosts",), rows.host + BOX_HEIGHT / 2))
    nics = network.nics
    if len(nics):
        text = _cables(nics.speed_gbps, nics.cable_m)
        captions.append(Caption(text, rows.host - HOST_GAP / 2))
    return captions


def _few(names: list[str]) -> tuple[str, ...]:
    return (*names[:2], *([f"and {len(names) - 2} more"] if len(names) > 2 else []))  # noqa: PLR2004


def _cables(speed_gbps: Ints, cable_m: Ints) -> tuple[str, ...]:
    low, high = int(speed_gbps.min()), int(speed_gbps.max())
    speed = f"{low}G" if low == high else f"{low}-{high}G"
    near, far = int(cable_m.min()), int(cable_m.max())
    metres = f"{near} m" if near == far else f"{near}-{far} m"
    return (f"{len(speed_gbps):,} cables", f"{speed}, {metres}")

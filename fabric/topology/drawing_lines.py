"""Which cables are one line of a picture, and where the lines end."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.drawing import CableState, Comb, Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.topology.clos import Clos
    from fabric.topology.drawing import Box, CableStates
    from fabric.topology.drawing_groups import Groups

#: Part of the side of a box or comb over which the ends of its lines are spread; our choice.
SPREAD = 0.7
#: Uplinks of leaves that are drawn one by one, our choice; of more, those that are alike are one.
MOST_UPLINES = 24
#: Pixels between boxes and the bar of the comb over them, and from that to the next; our choice.
COMB_PX = 12.0
#: Pixels between the teeth of two combs over a box, at most; our choice.
TOOTH_PX = 8.0


def lines(
    network: Clos,
    states: CableStates,
    grouping: Groups,
    boxes: list[Box],
    cells: list[tuple[int, ...]],
) -> tuple[list[Line], list[Comb]]:
    """Return the lines between boxes that have a place, and the combs that some start at.

    Parameters
    ----------
    states : CableStates
        State of each cable.
    grouping : Groups
        Box of each device.
    cells : list of tuple of int
        Numbers of the leaves of each frame.
    """
    single = _single(network, states, grouping)
    uplines = [line for line in single if boxes[line.lower[0]].kind == "leaf"]
    if len(uplines) > MOST_UPLINES:
        single = [*_bundled(single, cells)]
    combs = _combs(single, boxes)
    return _anchored(single, boxes, combs), [*combs.values()]


def _single(network: Clos, states: CableStates, grouping: Groups) -> list[Line]:
    """Return a line for each pair of boxes that have cables, without a place."""
    cables, nics = network.cables, network.nics
    rails = np.array([group.rail for group in grouping.groups])
    low = grouping.of_switch[cables.lower]
    has_rails = bool((rails >= 0).any()) or len(np.unique(nics.rail)) > 1
    table = np.stack(
        [
            np.concatenate([grouping.of_host[nics.host], low]),
            np.concatenate([grouping.of_switch[nics.leaf], grouping.of_switch[cables.upper]]),
            -np.concatenate([states.nics, states.cables]),
            np.concatenate([nics.speed_gbps, cables.speed_gbps]),
            np.concatenate([nics.cable_m, cables.cable_m]),
            np.concatenate([nics.rail, rails[low]])
            if has_rails
            else np.full(len(nics) + len(low), -1),
        ],
        axis=1,
    )
    gathered: dict[tuple[int, int], list[tuple[int, ...]]] = defaultdict(list)
    kinds, count = np.unique(table, axis=0, return_counts=True)
    for (lower, upper, *kind), number in zip(kinds.tolist(), count.tolist(), strict=True):
        gathered[lower, upper].append((*kind, number))
    return [_line(ends, kinds) for ends, kinds in gathered.items()]


def _line(ends: tuple[int, int], kinds: list[tuple[int, ...]]) -> Line:
    counts: Counter[CableState] = Counter()
    lengths_m: Counter[int] = Counter()
    for minus_state, _, metres, _, number in kinds:
        counts[CableState(-minus_state)] += number
        lengths_m[metres] += number
    speeds = sorted({speed for _, speed, *_ in kinds})
    rails = {rail for *_, rail, _ in kinds}
    return Line(
        lower=(ends[0],),
        upper=ends[1],
        **dict.fromkeys(("x1", "y1", "x2", "y2"), 0),
        states=tuple(counts.items()),
        speeds_gbps=tuple(speeds),
        lengths_m=tuple(sorted(lengths_m.items())),
        rail=rails.pop() if len(rails) == 1 else -1,
    )


def _bundled(single: list[Line], cells: Iterable[tuple[int, ...]]) -> list[Line]:
    """Draw uplinks of the leaves of a cell as one where all reach a switch, and most alike."""
    cell_of = {member: members for members in cells for member in members}
    above = defaultdict(list)
    result = []
    for line in single:
        members = cell_of.get(line.lower[0])
        if members is None:
            result.append(line)
        else:
            above[members, line.upper].append(line)
    for (members, _), some in above.items():
        usual = Counter((line.states, line.speeds_gbps) for line in some).most_common(1)[0][0]
        alike = [line for line in some if (line.states, line.speeds_gbps) == usual]
        if len(some) < len(members) or len(alike) == 1:
            result += some
            continue
        states = tuple((state, count * len(alike)) for state, count in usual[0])
        lower = tuple(line.lower[0] for line in alike)
        rail = alike[0].rail if len({line.rail for line in alike}) == 1 else -1
        lengths_m = sum((Counter(dict(line.lengths_m)) for line in alike), Counter[int]())
        lengths = tuple(sorted(lengths_m.items()))
        result.append(replace(alike[0], lower=lower, states=states, lengths_m=lengths, rail=rail))
        result += [line for line in some if line not in alike]
    return result


def _combs(drawn: list[Line], boxes: list[Box]) -> dict[tuple[int, ...], Comb]:
    """Return a comb for each set of boxes that share lines: the smaller set above the larger."""
    sets = {line.lower for line in drawn if len(line.lower) > 1}
    levels = dict.fromkeys(range(len(boxes)), 0)
    level_of = {}
    for lower in sorted(sets, key=lambda numbers: (-len(numbers), numbers)):
        level_of[lower] = 1 + max(levels[number] for number in lower)
        levels |= dict.fromkeys(lower, level_of[lower])
    most = max(levels.values())
    return {
        lower: _comb(lower, [boxes[number] for number in lower], level, most)
        for lower, level in level_of.items()
    }


def _comb(lower: tuple[int, ...], over: Sequence[Box], level: int, most: int) -> Comb:
    """Return the comb over some boxes, with its teeth beside those of the levels below it."""
    top = over[0].y
    step = min(TOOTH_PX, min(box.width for box in over) * SPREAD / 2 / most)
    teeth = tuple(sorted(box.centre + step * (level - 1) for box in over))
    return Comb(lower, top - COMB_PX * level, top, teeth)


def _anchored(
    drawn: list[Line], boxes: list[Box], combs: dict[tuple[int, ...], Comb]
) -> list[Line]:
    """Spread the ends of the lines of each box along its side, in the order of the other ends."""
    lower = [combs.get(line.lower) or boxes[line.lower[0]] for line in drawn]
    upper = [boxes[line.upper] for line in drawn]
    starts, ends = _spread(lower, upper), _spread(upper, lower)
    return [
        replace(line, x1=starts[row], y1=low.y, x2=ends[row], y2=high.y + high.height)
        for row, (line, low, high) in enumerate(zip(drawn, lower, upper, strict=True))
    ]


def _spread(sides: Sequence[Box | Comb], others: Sequence[Box | Comb]) -> list[float]:
    """Return the place of each line on its side."""
    rows: dict[float, list[tuple[float, int]]] = defaultdict(list)
    for row, (side, other) in enumerate(zip(sides, others, strict=True)):
        rows[id(side)].append((_centre(other), row))
    at = [0.0] * len(sides)
    for mine in rows.values():
        side = sides[mine[0][1]]
        step = side.width * SPREAD / len(mine)
        first = _centre(side) - step * (len(mine) - 1) / 2
        for place, (_, row) in enumerate(sorted(mine)):
            at[row] = first + place * step
    return at


def _centre(of: Box | Comb) -> float:
    return of.x + of.width / 2

"""What a picture says in words: the counts in its head, and the captions of the tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.topology.drawing_groups import nics_text
from fabric.topology.drawing_names import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.topology.clos import Clos
    from fabric.topology.drawing import Line
    from fabric.topology.model import Fabric, Ints

#: Models of a tier that are named, our choice.
_MODELS = 2
#: Characters that have room beside every picture: the longest word that most captions have.
LEAST_TEXT = len("oversubscription")


def subtitle(fabric: Fabric, network: Clos) -> str:
    """Return how many devices and NICs there are."""
    tiers = reversed(range(network.tiers))
    nics = nics_text(fabric, len(network.nics))
    return ", ".join([*(_switches(fabric, network, tier) for tier in tiers), _hosts(fabric), nics])


def tier_texts(
    fabric: Fabric, network: Clos, gbps: tuple[Ints, Ints]
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return lines of text for each tier, and for the cables above it.

    Parameters
    ----------
    gbps : tuple of two arrays of int
        Bandwidth below and above each switch.

    Returns
    -------
    list of (lines, lines)
        The hosts first, then the tiers of switches; no lines where there are no cables.
    """
    nics = network.nics
    edge = _cables(nics.speed_gbps, nics.cable_m) if len(nics) else ()
    texts: list[tuple[tuple[str, ...], tuple[str, ...]]] = [((_hosts(fabric),), edge)]
    cables = network.cables
    for tier in range(network.tiers):
        rows = network.rows(tier)
        models = sorted({fabric.switches.skus[row].name for row in rows.tolist()})
        mine = network.tier[cables.lower] == tier
        above: tuple[str, ...] = ()
        if mine.any():
            above = _cables(cables.speed_gbps[mine], cables.cable_m[mine])
            above = (*above, *_oversubscription(gbps, rows))
        texts.append(((_switches(fabric, network, tier), *_few(models)), above))
    return texts


def with_lines(above: tuple[str, ...], drawn: Iterable[Line]) -> tuple[str, ...]:
    """Return the text at cables, with how many a line of theirs is, as the tooltips count them.

    Parameters
    ----------
    above : tuple of str
        Text of `tier_texts` at the cables above a tier.
    drawn : iterable of Line
        Lines of these cables.
    """
    counts = {line.cables for line in drawn}
    if counts <= {1}:
        return above
    low, high = min(counts), max(counts)
    number = f"{low:,}" if low == high else f"{low:,}-{high:,}"
    text = f"{number} per line"
    lines = (text,) if len(text) <= LEAST_TEXT else (number, "per line")
    return (*above[:2], *lines, *above[2:])


def _switches(fabric: Fabric, network: Clos, tier: int) -> str:
    rows = network.rows(tier)
    role = fabric.switches.role(int(rows[0]))
    if len(rows) == 1:
        return f"1 {role}"
    return f"{len(rows):,} {'leaves' if role == 'leaf' else f'{role}s'}"


def _hosts(fabric: Fabric) -> str:
    return counted(len(fabric.hosts), "host")


def _few(names: list[str]) -> list[str]:
    more = [f"and {len(names) - _MODELS} more"] if len(names) > _MODELS else []
    return [*(shortened(name) for name in names[:_MODELS]), *more]


def _cables(speed_gbps: Ints, cable_m: Ints) -> tuple[str, ...]:
    low, high = int(speed_gbps.min()), int(speed_gbps.max())
    speed = f"{low}G" if low == high else f"{low}-{high}G"
    near, far = int(cable_m.min()), int(cable_m.max())
    metres = f"{near} m" if near == far else f"{near}-{far} m"
    return (counted(len(speed_gbps), "cable"), f"{speed}, {metres}")


def _oversubscription(gbps: tuple[Ints, Ints], rows: Ints) -> tuple[str, ...]:
    """Return bandwidth below over bandwidth above of switches: the least, and the highest."""
    below, above = (side[rows] for side in gbps)
    ratios = below[above > 0] / above[above > 0]
    ends = dict.fromkeys(
        f"{ratio:.2f}".rstrip("0").rstrip(".") for ratio in (ratios.min(), ratios.max())
    )
    return ("oversubscription", " to ".join(f"{end}:1" for end in ends))

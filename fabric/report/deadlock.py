"""show deadlock: what holds beyond single failures, and what no proof here covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.units import share_to_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.designs import Designs

#: Numbers of lossless classes that are tried: what PFC has (IEEE 802.1Q-2018 clause 36).
_CLASSES = tuple(range(1, 9))
_NIC = "not covered: the NIC must take what arrives while it may not send"


def further(designs: Designs, *, free: bool) -> Iterator[tuple[str, object]]:
    """Yield rows on more failures, on BGP while it converges, on repair by classes and on NICs.

    Parameters
    ----------
    free : bool
        Whether there is no cycle after any single failure.
    """
    from fabric.qos.deadlock.updown import turning
    from fabric.topology.routes import network

    if not turning(designs.fabric, network(designs.fabric)).any():
        yield "any failures together", "no cycle: no switch accepts a path that turns up again"
        yield "while BGP converges", "no cycle and no loop, for the same reason"
    else:
        if free:
            yield "pairs of failures", _pairs(designs)
        yield "while BGP converges", "not covered: packets may loop until all switches agree"
        yield "repair by bounces", _classes(designs)
    yield "requests and responses in a NIC", _NIC


def _pairs(designs: Designs) -> str:
    from fabric.qos.deadlock.pairs import CONFIDENCE, pairs

    result = pairs(designs.fabric, designs.resolver)
    if result.cycle:
        return f"after {' and '.join(result.failed)} together: {result.cycle}"
    checked = f"no cycle in {result.checked:,} of {result.total:,}"
    if result.checked == result.total:
        return checked
    return (
        f"{checked}; with {share_to_percent(CONFIDENCE):g} % confidence, fewer than "
        f"{share_to_percent(result.share_below):.2g} % of all close one"
    )


def _classes(designs: Designs) -> str:
    """Return the fewest lossless classes that cover all single failures, or the most that cover."""
    from fabric.qos.deadlock.bounces import coverages

    results = coverages(designs.fabric, _CLASSES)
    best = next((one for one in results if one.covered == one.failures), results[-1])
    share = f"{best.covered} of {best.failures}"
    needed = f"{counted(best.classes, 'lossless class')}: all traffic stays lossless after {share}"
    own = _own_classes(designs)
    now = results[own - 1]
    others = f"; the {own} of the inventory: {now.covered}, if one class alone carries data"
    return f"{needed} single failures{others if own > 1 else ''}"


def _own_classes(designs: Designs) -> int:
    """Return how many lossless classes every switch has."""
    profiles = [one for device in designs.devices.values() for one in device.qos_profiles]
    return min((len(one.classes) for one in profiles), default=1)

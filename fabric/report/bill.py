"""The parts of a fabric: switches, split cages, optics and cables by type and length, NICs.

What an inventory does not say is ``unknown``: no type of a cable is guessed from its length.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.core.counts import counted
from fabric.core.findings import Finding, Severity
from fabric.platforms.cable_types import FIXED_ENDS, reach
from fabric.topology.cable_types import typed_cables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.topology.cable_types import CableEnd, TypedCable
    from fabric.topology.model import Fabric

UNKNOWN = "unknown"
HEADERS = (
    *("kind", "part", "system", "speed_gbps", "length_m", "ends", "reach_m"),
    *("count", "spare", "total", "note"),
)
_MANY_LINKS = "links; where the ends are of split cages, one split cable may carry several"
_MODULES = "one module for each cage or NIC port"


@dataclass(frozen=True, slots=True)
class PartLine:
    """A kind of part; fields that do not apply to it are empty."""

    kind: str
    part: str
    system: str = ""
    speed_gbps: int | str = ""
    length_m: int | str = ""
    ends: str = ""
    reach_m: int | str = ""
    note: str = ""


@dataclass(frozen=True)
class Bill:
    """A list of parts: how many of each line, and what the reader should know.

    Parameters
    ----------
    spare_percent : int
        Share of further parts, rounded up for each line, >= 0.
    """

    fabric: str
    lines: tuple[tuple[PartLine, int], ...]
    spare_percent: int
    notes: tuple[Finding, ...] = ()

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield each line by the names of ``HEADERS``."""
        for line, count in self.lines:
            spare = spare_parts(count, self.spare_percent)
            figures = {"count": count, "spare": spare, "total": count + spare}
            own = {name: getattr(line, name) for name in HEADERS if name not in figures}
            yield {name: {**own, **figures}[name] for name in HEADERS}


def spare_parts(count: int, percent: int) -> int:
    """Return how many further parts a share is, rounded up."""
    return -(-count * percent // 100)


def bill(fabric: Fabric, spare_percent: int = 0) -> Bill:
    """Return the parts of a fabric, in the order of its switches, cages, cables and NICs."""
    cables = list(typed_cables(fabric))
    lines: Counter[PartLine] = Counter(_switches(fabric))
    for items in (_breakouts(fabric), _optics(fabric, cables)):
        lines.update(dict(sorted(items.items(), key=_order)))
    lines.update(dict(sorted(Counter(map(_cable, cables)).items(), key=_order)))
    lines.update(_nics(fabric))
    untyped = sum(not cable.cable_type for cable in cables)
    notes = (_untyped(untyped),) if untyped else ()
    return Bill(fabric.intent.fabric.name, tuple(lines.items()), spare_percent, notes)


def _order(item: tuple[PartLine, int]) -> tuple[str, ...]:
    line, _ = item
    speed, length = (f"{value:>6}" for value in (line.speed_gbps, line.length_m))
    return line.kind, line.part, speed, length, line.system, line.ends


def _switches(fabric: Fabric) -> Iterator[PartLine]:
    for sku in fabric.switches.skus:
        yield PartLine("switch", sku.name, sku.nos)


def _breakouts(fabric: Fabric) -> Counter[PartLine]:
    """Return the split cages of each switch model by mode."""
    cages: Counter[PartLine] = Counter()
    for sku in fabric.switches.skus:
        modes = {place.cage: place.mode for place in sku.places if place.mode}
        for mode in modes.values():
            word = f"{mode.parts}x{mode.speeds_gbps[0]}G"
            cages[PartLine("breakout", word, sku.name, note="split cages")] += 1
    return cages


def _optics(fabric: Fabric, cables: Iterable[TypedCable]) -> Counter[PartLine]:
    """Return the modules: one for each cage, or port of a NIC, with an optical cable."""
    modules: dict[tuple[str, str | int], PartLine] = {}
    for cable in cables:
        if cable.cable_type and cable.cable_type not in FIXED_ENDS:
            for end in (cable.near, cable.far):
                key = end.device, end.cage or end.port
                modules.setdefault(key, _module(fabric, cable, end))
    return Counter(modules.values())


def _module(fabric: Fabric, cable: TypedCable, end: CableEnd) -> PartLine:
    if not end.cage:
        model = fabric.intent.host_traits(end.device).nic.model or UNKNOWN
        return PartLine("optic", cable.cable_type, model, cable.speed_gbps, note=_MODULES)
    sku = fabric.switches.skus[fabric.switch_row[end.device]]
    return PartLine(
        "optic",
        cable.cable_type,
        sku.name,
        cable.speed_gbps,
        ends=end.mode or "whole",
        note=_MODULES,
    )


def _cable(cable: TypedCable) -> PartLine:
    limit = reach(cable.cable_type, cable.speed_gbps, cable.far.lanes)
    sides = [end.mode or "whole" if end.cage else "NIC" for end in (cable.near, cable.far)]
    is_split = any(end.mode for end in (cable.near, cable.far))
    return PartLine(
        "cable",
        cable.cable_type or UNKNOWN,
        speed_gbps=cable.speed_gbps,
        length_m=cable.cable_m,
        ends=" - ".join(sides),
        reach_m=(limit.longest_m or UNKNOWN) if limit else UNKNOWN,
        note=_MANY_LINKS if is_split else "",
    )


def _nics(fabric: Fabric) -> Counter[PartLine]:
    """Return the cards: rails of a host, two on a card where the inventory says so."""
    cards: Counter[PartLine] = Counter()
    speeds = fabric.nics.speed_gbps.reshape(len(fabric.hosts), -1)
    for row, name in enumerate(fabric.hosts.names):
        nic = fabric.intent.host_traits(name).nic
        ports = nic.ports_per_card * fabric.nic_ports
        speed: int | str = "/".join(map(str, sorted(set(speeds[row].tolist()))))
        note = f"{ports} ports in use on a card" if ports > 1 else ""
        line = PartLine("NIC", nic.model or UNKNOWN, nic.vendor, speed, note=note)
        cards[line] += -(-fabric.rails // nic.ports_per_card)
    return cards


def _untyped(count: int) -> Finding:
    return Finding(
        "EXC018",
        Severity.INFO,
        f"the type of {counted(count, 'cable')} is unknown, so that their optics are not in the "
        "list",
        "set cables.host_type, cables.uplink_type and cables.core_type, or cable_type of a port",
    )

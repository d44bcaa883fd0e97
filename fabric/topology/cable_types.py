"""Every cable of a fabric with both ends, and the type that the inventory gives it."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.intent.inventory import Intent
    from fabric.platforms.model import Sku
    from fabric.topology.model import Fabric


@dataclass(frozen=True, slots=True)
class CableEnd:
    """One end of a cable.

    Parameters
    ----------
    port : str
        Name of the system, or the interface of a host.
    cage : int
        Cage of a switch from 1; 0 at a host.
    mode : str
        How the cage is split; empty for a whole one and at a host.
    panel : str
        What the front panel says, as ``33b``; empty at a host, whose panel is not known.
    """

    device: str
    port: str
    cage: int = 0
    mode: str = ""
    panel: str = ""
    lanes: int = 0

    @property
    def words(self) -> str:
        """Device and port, with the name on the panel where that is known."""
        return f"{self.device} {self.port}{with_panel(self.panel)}"


@dataclass(frozen=True, slots=True)
class TypedCable:
    """A cable; ``kind`` is ``nic`` or ``uplink``, ``row`` its row there; an empty type is unknown.

    The near end is the one nearer to the hosts.
    """

    kind: str
    row: int
    near: CableEnd
    far: CableEnd
    speed_gbps: int
    cable_m: int
    cable_type: str


def typed_cables(fabric: Fabric) -> Iterator[TypedCable]:
    """Yield the cables: of the NICs, then between switches."""
    own = _Own.of(fabric.intent)
    yield from _nics(fabric, own)
    yield from _uplinks(fabric, own)


def says_types(intent: Intent) -> bool:
    """Tell whether an inventory says of any cable what it is."""
    own, cables = _Own.of(intent), intent.fabric.cables
    usual = (cables.host_type, cables.uplink_type, cables.core_type)
    return any((*usual, own.ports, own.nics))


def panel_name(sku: Sku, number: int) -> str:
    """Return what stands on the front for a port: cage, and a letter for its part.

    A cage of a line card is slot and port there, as ``3/12``.
    """
    place = sku.place(number)
    for kind, cages in sku.cages():
        if place.cage in cages and (slot := kind.slot(place.cage - cages.start)):
            cage = f"{slot['slot']}/{slot['slot_port']}"
            break
    else:
        cage = str(place.cage)
    return cage + (string.ascii_lowercase[place.part] if place.mode else "")


def with_panel(panel: str) -> str:
    """Return what stands behind the name of a port: `` (panel 33b)``, or nothing."""
    return f" (panel {panel})" if panel else ""


class Panels:
    """What stands on the fronts of switches, by the names that their systems give ports."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric
        self._numbers: dict[int, dict[str, int]] = {}

    def of(self, device: str, port: str) -> str:
        """Return the name on the panel; empty at a host, and for a port that is not there."""
        row = self._fabric.switch_row.get(device)
        if row is None:
            return ""
        sku = self._fabric.switches.skus[row]
        numbers = self._numbers.get(id(sku))
        if numbers is None:
            numbers = self._numbers[id(sku)] = sku.port_numbers()
        return panel_name(sku, numbers[port]) if port in numbers else ""


@dataclass(frozen=True, slots=True)
class _Own:
    """Types that overrides give; a later override wins."""

    ports: dict[tuple[str, str], str]
    nics: dict[tuple[str, int, int], str]

    @classmethod
    def of(cls, intent: Intent) -> _Own:
        ports = {
            (name, port): change.cable_type
            for override in intent.devices
            for name in hostlist.expand(override.value.names)
            for port, change in override.value.ports.items()
            if change.cable_type
        }
        nics = {
            (name, nic.rail, nic.nic_port): nic.cable_type
            for override in intent.hosts
            for name in hostlist.expand(override.value.names)
            for nic in override.value.nics
            if nic.cable_type
        }
        return cls({**ports}, {**nics})

    def of_ends(self, *ends: CableEnd) -> str:
        types = (self.ports.get((end.device, end.port), "") for end in ends)
        return next(filter(None, types), "")


def _nics(fabric: Fabric, own: _Own) -> Iterator[TypedCable]:
    nics, each = fabric.nics, fabric.nics_per_host
    usual = fabric.intent.fabric.cables.host_type or ""
    columns = (nics.host, nics.rail, nics.nic_port, nics.leaf, nics.port)
    figures = (nics.speed_gbps, nics.cable_m)
    rows = zip(*(column.tolist() for column in (*columns, *figures)), strict=True)
    for row, (host, rail, nic_port, leaf, port, speed, length) in enumerate(rows):
        if not port:
            continue
        name = fabric.hosts.names[host]
        near = CableEnd(name, nic_names(fabric, name)[row % each].interface)
        far = _end(fabric, leaf, port)
        said = own.nics.get((name, rail, nic_port)) or own.of_ends(far)
        yield TypedCable("nic", row, near, far, speed, length, said or usual)


def _uplinks(fabric: Fabric, own: _Own) -> Iterator[TypedCable]:
    up, cables = fabric.uplinks, fabric.intent.fabric.cables
    usual = cables.uplink_type or ""
    columns = (up.lower, up.lower_port, up.upper, up.upper_port, up.speed_gbps, up.cable_m)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for row, (lower, lower_port, upper, upper_port, speed, length) in enumerate(rows):
        near, far = _end(fabric, lower, lower_port), _end(fabric, upper, upper_port)
        is_core = int(fabric.switches.tier[lower]) > 0
        of_tier = (cables.core_type or usual) if is_core else usual
        said = own.of_ends(near, far)
        yield TypedCable("uplink", row, near, far, speed, length, said or of_tier)


def _end(fabric: Fabric, switch: int, number: int) -> CableEnd:
    sku = fabric.switches.skus[switch]
    place = sku.place(number)
    return CableEnd(
        fabric.switches.names[switch],
        sku.port(number),
        place.cage,
        f"{place.mode.parts}x{place.mode.speeds_gbps[0]}G" if place.mode else "",
        panel_name(sku, number),
        len(sku.lanes(number)),
    )

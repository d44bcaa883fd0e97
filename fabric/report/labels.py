"""Labels of cables: both ends of each, in the form that TIA-606 gives a link.

An end is ``RACK-UNIT:PORT``, and a label has its own end before the other one, as in
``4BK01-55:50/DC.C03-14:04``. A device whose rack is not known stands with its name; a port has the
name on its panel, and where that is not known the name of the system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.core.hostlist import natural_key
from fabric.topology.cable_types import typed_cables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.topology.cable_types import CableEnd, TypedCable
    from fabric.topology.model import Fabric

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LabelEnd:
    """One end of a cable, as a person looks for it; what is not known is empty."""

    rack: str
    rack_unit: str
    device: str
    port: str
    panel: str

    @property
    def place(self) -> str:
        """Rack, unit and port: ``A01-12:33b``."""
        where = "-".join(filter(None, (self.rack, self.rack_unit))) if self.rack else self.device
        return f"{where}:{self.panel or self.port}"

    @property
    def words(self) -> str:
        """Device and port by their names."""
        return f"{self.device} {self.port}"

    @property
    def key(self) -> tuple[Any, ...]:
        """What labels are sorted by."""
        return natural_key(self.rack), natural_key(self.device), natural_key(self.port)


@dataclass(frozen=True, slots=True)
class Label:
    """A label for one end of a cable; ``far`` is the other end."""

    near: LabelEnd
    far: LabelEnd
    speed_gbps: int
    cable_m: int
    cable_type: str

    @property
    def text(self) -> str:
        """The line that is printed: own end, then the other one."""
        return f"{self.near.place}/{self.far.place}"

    @property
    def figures(self) -> str:
        """Type, speed and length in words."""
        kind = "" if self.cable_type == UNKNOWN else f"{self.cable_type} "
        return f"{kind}{self.speed_gbps}G {self.cable_m} m"


def labels(fabric: Fabric) -> tuple[Label, ...]:
    """Return two labels for each cable, ordered by rack, device and port of the own end."""
    stands = _Places(fabric)
    both = (label for cable in typed_cables(fabric) for label in _of_cable(stands, cable))
    return tuple(sorted(both, key=lambda label: label.near.key))


def _of_cable(stands: _Places, cable: TypedCable) -> Iterable[Label]:
    near, far = stands.end(cable.near), stands.end(cable.far)
    figures = (cable.speed_gbps, cable.cable_m, cable.cable_type or UNKNOWN)
    return Label(near, far, *figures), Label(far, near, *figures)


class _Places:
    """Where the devices of a fabric stand."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric
        self._known: dict[str, tuple[str, str]] = {}

    def end(self, end: CableEnd) -> LabelEnd:
        if end.device not in self._known:
            self._known[end.device] = self._place(end.device)
        return LabelEnd(*self._known[end.device], end.device, end.port, end.panel)

    def _place(self, name: str) -> tuple[str, str]:
        """Return rack and rack unit: of overrides, else the unit of a classic fabric is a rack."""
        intent, rack, unit = self._fabric.intent, "", ""
        is_host = name in self._fabric.host_row
        for override in (intent.host_overrides if is_host else intent.device_overrides).get(
            name, ()
        ):
            rack, unit = override.value.rack or rack, str(override.value.rack_unit or unit)
        return rack or self._classic(name), unit

    def _classic(self, name: str) -> str:
        fabric = self._fabric
        if fabric.intent.fabric.design != "classic-tor":
            return ""
        if name in fabric.host_row:
            unit = int(fabric.hosts.unit[fabric.host_row[name]])
        else:
            unit = int(fabric.switches.unit[fabric.switch_row[name]])
        return fabric.intent.fabric.units[unit].name if unit >= 0 else ""

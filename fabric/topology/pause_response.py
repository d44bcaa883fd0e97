"""How long each switch and NIC goes on after a pause, where that is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.platforms.model import Sku
    from fabric.topology.model import Fabric, Ints

#: Name of the field of the inventory, and of the fact of a switch model or its ASIC.
FIELD = "pause_response_ns"


@dataclass(frozen=True, slots=True)
class PauseResponse:
    """Longest time from a pause until its receiver stops, in ns, and where that is said."""

    time_ns: float
    source: str


class PauseResponses:
    """Responses of the switches and NICs of a fabric; None is what IEEE 802.3 allows.

    Parameters
    ----------
    fabric : Fabric
        The realised network.
    """

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric

    @cached_property
    def _switches(self) -> list[PauseResponse | None]:
        switches, intent = self._fabric.switches, self._fabric.intent
        overrides = intent.device_overrides
        known: dict[tuple[str, int], PauseResponse | None] = {}
        rows = []
        for row, (name, model) in enumerate(zip(switches.names, switches.skus, strict=True)):
            key = switches.role(row), id(model)
            if key not in known:
                known[key] = self._of_role(key[0], model)
            own = [getattr(one.value, FIELD) for one in overrides.get(name, ())]
            said = next((value for value in reversed(own) if value is not None), None)
            rows.append(PauseResponse(said, f"devices.{FIELD}") if said else known[key])
        return rows

    def _of_role(self, role: str, model: Sku) -> PauseResponse | None:
        platform = self._fabric.intent.fabric.platforms.of(role)  # type: ignore[arg-type]
        if platform and platform.pause_response_ns is not None:
            field = f"platforms.{role.replace('-', '_')}.{FIELD}"
            return PauseResponse(platform.pause_response_ns, field)
        value = model.asic_facts.number(FIELD)
        return None if value is None else PauseResponse(value, f"{FIELD} of {model.name}")

    @cached_property
    def _hosts(self) -> list[PauseResponse | None]:
        intent = self._fabric.intent
        usual = self._usual_host
        overrides = intent.host_overrides
        rows = []
        for name in self._fabric.hosts.names if overrides else ():
            own = None
            if name in overrides:
                own = intent.host_traits(name).nic.pause_response_ns
            if own is None or (usual and own == usual.time_ns):
                rows.append(usual)
            else:
                rows.append(PauseResponse(own, f"hosts.traits.nic.{FIELD}"))
        return rows or [usual] * len(self._fabric.hosts.names)

    @cached_property
    def _usual_host(self) -> PauseResponse | None:
        value = self._fabric.intent.fabric.host.nic.pause_response_ns
        return None if value is None else PauseResponse(value, f"host.nic.{FIELD}")

    def of_switch(self, row: int) -> PauseResponse | None:
        """Return the response of the switch in a row of ``fabric.switches``."""
        return self._switches[row]

    def of_host(self, row: int) -> PauseResponse | None:
        """Return the response of the NICs of the host in a row of ``fabric.hosts``."""
        return self._hosts[row]

    @cached_property
    def numbers(self) -> tuple[Ints, Ints]:
        """A number for each distinct response, of each switch and of each host; 0 for none."""
        known: dict[PauseResponse | None, int] = {None: 0}
        tables = (
            [known.setdefault(response, len(known)) for response in rows]
            for rows in (self._switches, self._hosts)
        )
        switches, hosts = (np.array(table, dtype=np.int64) for table in tables)
        return switches, hosts

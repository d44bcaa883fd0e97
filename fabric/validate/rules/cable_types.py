"""Rules about what cables are made of (TOP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.platforms.cable_types import reach
from fabric.topology.cable_types import says_types, typed_cables
from fabric.validate.origins import nic_place, uplink_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.platforms.cable_types import Reach
    from fabric.topology.cable_types import TypedCable
    from fabric.validate.origins import Place
    from fabric.validate.world import Model

_TYPES = ("cables.host_type", "cables.uplink_type", "cables.core_type")
_OWN = ("devices.ports.cable_type", "hosts.nics.cable_type")


@rules.add("TOP030")
class CableReach(ModelRule):
    """A cable of 400G, or with lanes of 100G, is no longer than its type reaches."""

    lesser = Severity.WARNING
    why = "A link beyond the reach of its optics or of its copper has errors, or does not come up."
    source = "NVIDIA LinkX guide 400g100gpam4: SR4 50 m, DR4 100 m or 500 m, FR4 2 km; DAC 3 m"
    guards = (*_TYPES, *_OWN, "cables.host_m", "cables.uplink_m", "cables.core_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare each cable with the reach of its type, cables of a place as one."""
        known: dict[tuple[object, ...], tuple[Reach, list[TypedCable]]] = {}
        for cable in typed_cables(model.fabric) if says_types(model.intent) else ():
            limit = reach(cable.cable_type, cable.speed_gbps, cable.far.lanes)
            if limit and cable.cable_m > limit.usual_m:
                place = _place(model, cable)
                key = (place.field, cable.cable_type, cable.cable_m, cable.speed_gbps)
                known.setdefault(key, (limit, []))[1].append(cable)
        for limit, cables in known.values():
            yield self._beyond(model, limit, cables)

    def _beyond(self, model: Model, limit: Reach, cables: list[TypedCable]) -> Finding:
        first = cables[0]
        too_long = limit.longest_m is not None and first.cable_m > limit.longest_m
        more = f" ({counted(len(cables), 'cable')})" if len(cables) > 1 else ""
        what = (
            f"{first.cable_type} reaches {limit.longest_m} m"
            if too_long
            else f"{first.cable_type}: {limit.beyond}"
        )
        return self.finding(
            f"cable of {first.cable_m} m at {first.speed_gbps}G to {first.near.device} "
            f"{first.near.port}{more}; {what}",
            "use a shorter cable, or a type that reaches so far"
            if too_long
            else "order parts whose data sheet names this length, and waive this finding",
            place=_place(model, first),
            device=first.far.device,
            port=first.far.port,
            severity=None if too_long else Severity.WARNING,
        )


@rules.add("TOP029")
class CageModule(ModelRule):
    """The cables of one cage are of one type."""

    why = "A cage holds one module: both ports of a twin-port module have the same optics."
    source = "NVIDIA LinkX guide 400g100gpam4: both ports of a twin-port module have one kind"
    guards = (*_TYPES, *_OWN)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the types of the cables that end in each split cage."""
        first: dict[tuple[str, int], TypedCable] = {}
        for cable in typed_cables(model.fabric) if says_types(model.intent) else ():
            for end in (cable.near, cable.far):
                if not end.mode:
                    continue
                other = first.setdefault((end.device, end.cage), cable)
                if other.cable_type != cable.cable_type and cable.cable_type:
                    yield self.finding(
                        f"{cable.cable_type} in a cage with a cable of type "
                        f"{other.cable_type or 'unknown'}",
                        "give all cables of a cage one type, or move a cable to another cage",
                        place=_place(model, cable, "cable_type"),
                        device=end.device,
                        port=end.port,
                    )


def _place(model: Model, cable: TypedCable, *fields: str) -> Place:
    """Return where a length or a type comes from: an override of either end, else its tier."""
    fields = fields or ("cable_m", "cable_type")
    fabric = model.fabric
    if cable.kind == "nic":
        own = nic_place(fabric, cable.row, *fields)
        tier = "host"
    else:
        own = uplink_place(fabric, cable.row, *fields)
        is_core = fabric.switches.tier[fabric.uplinks.lower[cable.row]] > 0
        tier = "core" if is_core else "uplink"
    return own or model.place("cables", f"{tier}_{'m' if 'cable_m' in fields else 'type'}")

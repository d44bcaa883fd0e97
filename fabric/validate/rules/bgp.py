"""Rules about routing (BGP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.design.features import missing
from fabric.topology.addressing import asn_field
from fabric.topology.layout import equal_paths
from fabric.topology.paths import islands
from fabric.validate.origins import switch_place
from fabric.validate.rule import ModelRule, SwitchRule, areas, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.places import Places
    from fabric.validate.world import Model


areas.add("BGP")("Routing")


@rules.add("BGP001")
class HoldTime(ModelRule):
    """The BGP hold time is at least three keepalives."""

    why = "With a shorter hold time, one lost keepalive tears down the session."
    source = "RFC 4271 section 4.4"
    guards = ("bgp.keepalive_s", "bgp.hold_s")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the two timers."""
        bgp = model.intent.fabric.bgp
        if bgp.hold_s < 3 * bgp.keepalive_s:
            yield self.finding(
                f"bgp.hold_s {bgp.hold_s} is below three times bgp.keepalive_s {bgp.keepalive_s}",
                f"use at least {3 * bgp.keepalive_s}",
                place=model.place("bgp", "hold_s"),
            )


@rules.add("BGP003")
class EnoughPaths(ModelRule):
    """BGP uses as many paths as there are uplinks."""

    why = "Uplinks beyond max_paths carry no traffic."
    source = "RFC 7938 section 6.1"
    guards = ("bgp.max_paths",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare max_paths with the equal cables of every switch."""
        max_paths, names = model.intent.fabric.bgp.max_paths, model.fabric.switches.names
        needs = equal_paths(model.fabric)
        for row in np.flatnonzero(needs > max_paths).tolist():
            yield self.finding(
                f"bgp.max_paths {max_paths} is below {counted(needs[row], 'equal path')}",
                f"use at least {needs[row]}",
                place=model.place("bgp", "max_paths"),
                device=names[row],
            )


#: What to do, and the field that counts AS numbers, by role.
_FIXES = {
    "leaf": ("use a different AS number for every leaf", "leaf_asn_first"),
    "spine": ("use a different AS number for the spines of every pod", "pod_asn_first"),
    "super-spine": ("use a different AS number for the super-spines", "super_spine_asn"),
}


@rules.add("BGP004")
class UniqueAsns(ModelRule):
    """Leaves, the spines of each pod and the super-spines have separate AS numbers.

    Leaves may share one where they accept it (bgp.allowas_in), and so may switches that no cable
    joins.
    """

    why = (
        "A leaf drops routes that carry its own AS number, so leaves with the same number "
        "cannot reach each other; nor can pods whose spines have the same number."
    )
    source = "RFC 4271 section 9.1.2; RFC 7938 section 5.2.1"
    guards = (
        "bgp.leaf_asn_first",
        "bgp.spine_asn",
        "bgp.pod_asn_first",
        "bgp.super_spine_asn",
        "bgp.allowas_in",
        "devices.asn",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the AS numbers of all switches that cables join."""
        owner: dict[tuple[int, int], int] = {}
        switches, joined = model.fabric.switches, islands(model.fabric).tolist()
        for row, asn in reversed(list(enumerate(switches.asn.tolist()))):
            other = owner.setdefault((asn, joined[row]), row)
            if other == row or _may_share(model, row, other):
                continue
            pair = [switches.names[one] for one in (row, other)]
            places = [switch_place(model.intent, name, "asn") for name in pair]
            fix, field = _FIXES[switches.role(row)]
            both = switches.role(row) == switches.role(other) == "leaf"
            yield self.finding(
                f"AS {asn} is also that of {pair[1]}",
                f"{fix}, or set bgp.allowas_in to 1" if both else fix,
                place=next((p for p in places if p), model.place("bgp", field)),
                device=pair[0],
            )


def _may_share(model: Model, row: int, other: int) -> bool:
    """Tell whether a switch may have the AS number of another one."""
    switches = model.fabric.switches
    if switches.tier[row] != switches.tier[other]:
        return False
    if switches.role(row) == "leaf":
        return model.intent.fabric.bgp.allowas_in > 0
    return bool(switches.pod[row] == switches.pod[other])


#: First and last of each reserved block (IANA, Autonomous System Numbers).
_RESERVED = (
    (0, 0),
    (23_456, 23_456),
    (64_496, 64_511),
    (65_535, 65_535),
    (65_536, 65_551),
    (65_552, 131_071),
    (4_294_967_295, 4_294_967_295),
)


@rules.add("BGP005")
class ReservedAsns(SwitchRule):
    """AS numbers are not reserved."""

    why = "Routers reject sessions or routes with reserved numbers."
    source = "RFC 7607; RFC 6793 section 9; RFC 7300; RFC 5398; RFC 6996"
    guards = (
        "bgp.leaf_asn_first",
        "bgp.spine_asn",
        "bgp.pod_asn_first",
        "bgp.super_spine_asn",
        "devices.asn",
    )

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look up the AS number of every switch."""
        asn = device.bgp.asn
        if any(low <= asn <= high for low, high in _RESERVED):
            pods = any(unit.pod for unit in places.intent.fabric.units)
            field = asn_field(device.role, in_pod=pods)
            yield self.finding(
                f"AS {asn} is reserved",
                "use a private number: 64512 to 65534 or 4200000000 to 4294967294",
                place=switch_place(places.intent, device.name, "asn")
                or places.place(*field.split(".")),
                device=device.name,
            )


@rules.add("BGP007")
class UnnumberedAvailable(SwitchRule):
    """Unnumbered BGP sessions are used only where rocefab renders them."""

    why = "A session comes up only if both ends are unnumbered."
    source = "RFC 8950; docs/reference/platforms.md has the source of each system that has them"
    guards = ("bgp.peering", "devices.peering", "devices.ports.peering")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for platforms that need addresses."""
        for one in missing(device, self.id):
            yield self.finding(
                one.message,
                "number its links: set peering of this switch to numbered in devices/, or "
                f"bgp.peering for the whole fabric{f'; or {one.fix}' if one.since else ''}",
                place=places.peering_place(device),
                device=device.name,
            )

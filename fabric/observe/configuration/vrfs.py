"""VRFs and EVPN as a configuration says them, in one form for every system."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.observe.configuration.static_routes import StaticRoute

#: Target that a system makes for import: of any AS number (FRR).
ANY_AS = "*"


class TargetLine(NamedTuple):
    """A route target, ``65000:50017``; ``*:50017`` where any AS number matches."""

    target: str
    line: int


class LeakLine(NamedTuple):
    """Routes of another VRF of the same switch that a VRF takes; empty: the default VRF."""

    source: str
    line: int
    policy: str = ""


class RedistributionLine(NamedTuple):
    """Routes of a kind that a VRF announces: ``connected``, ``static``, ``kernel``, ``default``.

    ``policy`` is empty where every route of the kind is announced.
    """

    kind: str
    policy: str
    line: int


@dataclass(slots=True)
class ConfiguredVrf:
    """A VRF of a switch.

    Parameters
    ----------
    vni, vni_line : int
        VNI of its packets and the line that says it; 0 where it has none.
    route_distinguisher : str
        As it is written; empty where the system makes one.
    imports, exports : list of TargetLine
        Route targets of EVPN; empty where the system makes them, if ``makes_targets``.
    makes_targets : bool
        Whether the system makes targets from its AS number and the VNI where no line sets one.
    advertises : bool
        Whether its IPv4 routes go into EVPN.
    redistributions : list of RedistributionLine
        What it announces.
    leaks : list of LeakLine
        VRFs of the switch whose routes it has too.
    static_routes : list of StaticRoute
        Its static routes of IPv4.
    routes : bool
        Whether packets are routed in it.
    export_policy : str
        Policy that its routes into EVPN pass; empty without one.
    falls_through : bool
        Whether a packet for which it has no route is looked up in the main table, as Linux does
        without an ``unreachable`` default route.
    needs_vlan : bool
        Whether its VNI works with a VLAN alone.
    exists : bool
        Whether the line is there that a system demands before all others of a VRF.
    description : str
        Its description; empty without one.
    """

    name: str
    line: int
    vni: int = 0
    vni_line: int = 0
    route_distinguisher: str = ""
    imports: list[TargetLine] = field(default_factory=list)
    exports: list[TargetLine] = field(default_factory=list)
    makes_targets: bool = False
    advertises: bool = False
    redistributions: list[RedistributionLine] = field(default_factory=list)
    leaks: list[LeakLine] = field(default_factory=list)
    static_routes: list[StaticRoute] = field(default_factory=list)
    routes: bool = True
    export_policy: str = ""
    falls_through: bool = False
    needs_vlan: bool = False
    exists: bool = True
    description: str = ""


def import_targets(vrf: ConfiguredVrf) -> frozenset[str]:
    """Return the targets whose routes a VRF takes."""
    if vrf.imports or not vrf.makes_targets or not vrf.vni:
        return frozenset(line.target for line in vrf.imports)
    return frozenset([f"{ANY_AS}:{vrf.vni}"])


def export_targets(vrf: ConfiguredVrf, asn: int) -> frozenset[str]:
    """Return the targets that the routes of a VRF carry; ``asn`` is that of the switch."""
    if vrf.exports or not vrf.makes_targets or not vrf.vni:
        return frozenset(line.target for line in vrf.exports)
    return frozenset([f"{asn}:{vrf.vni}"])


def takes(imports: Iterable[str], exports: Iterable[str]) -> bool:
    """Tell whether routes with some targets are imported."""
    carried = set(exports)
    numbers = {target.partition(":")[2] for target in carried}
    return any(
        target in carried or (target.startswith(f"{ANY_AS}:") and target[2:] in numbers)
        for target in imports
    )


@dataclass(slots=True)
class ConfiguredEvpn:
    """EVPN and the tunnels of a switch.

    Parameters
    ----------
    source, source_line : str, int
        Address of the tunnel end point, or the port that has it; empty without one.
    peers : dict of str to int
        Sessions that carry EVPN routes, by the name of ``BgpPeer.session``, and their lines.
    keeps_next_hop : set of str
        Sessions to which EVPN routes go with their next hop.
    keeps_next_hops : bool
        Whether the system keeps the next hop of EVPN routes without a line.
    keeps_all_targets : bool
        Whether it keeps routes whose targets it does not import.
    copies_dscp, copies_ecn : bool or None
        Whether the outer header has DSCP and ECN of the inner one; None where nobody knows.
    restores_ecn : bool or None
        Whether a mark of the outer header gets into the inner one.
    keeps_dscp : bool or None
        Whether a packet leaves the tunnel with the DSCP that it came with.
    takes_outer_class : bool or None
        Whether the traffic class behind the tunnel follows the outer DSCP, and not the inner one.
    """

    line: int = 0
    source: str = ""
    source_line: int = 0
    peers: dict[str, int] = field(default_factory=dict)
    keeps_next_hop: set[str] = field(default_factory=set)
    keeps_next_hops: bool = False
    keeps_all_targets: bool = False
    copies_dscp: bool | None = None
    copies_ecn: bool | None = None
    restores_ecn: bool | None = None
    keeps_dscp: bool | None = None
    takes_outer_class: bool | None = None

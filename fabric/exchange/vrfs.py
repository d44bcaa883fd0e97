"""VRFs of tenants that switches run, and what of them an inventory does not have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fabric.core.counts import counted
from fabric.core.findings import Finding, Severity
from fabric.core.hostlist import fold_inside, natural_key
from fabric.core.shown import listed, printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from fabric.core.findings import Position
    from fabric.exchange.plant import End, Plant


class SwitchVrf(NamedTuple):
    """A VRF of one switch; what it says is as in `FabricVrf`, and ``vni`` is 0 without one."""

    vni: int
    targets: frozenset[str]
    ports: frozenset[str]
    partners: frozenset[str]
    description: str = ""


@dataclass(slots=True)
class FabricVrf:
    """A VRF of a fabric.

    Parameters
    ----------
    vnis : set of int
        VNIs that switches give it; none where its traffic stays on its leaf.
    targets : set of str
        Route targets of its routes that lines set, such as ``65000:50017``.
    ports : set of End
        Switches and ports that are in it.
    partners : set of str
        VRFs that exchange routes with it.
    switches : set of str
        Switches that have it.
    sharing : set of str
        Those where it exchanges routes.
    descriptions : set of str
        Its descriptions.
    """

    vnis: set[int] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)
    ports: set[End] = field(default_factory=set)
    partners: set[str] = field(default_factory=set)
    switches: set[str] = field(default_factory=set)
    sharing: set[str] = field(default_factory=set)
    descriptions: set[str] = field(default_factory=set)


#: By name.
Vrfs: TypeAlias = "Mapping[str, FabricVrf]"

_TENANTS = "docs/addressing.md, Tenants"


def joined(by_switch: Mapping[str, Mapping[str, SwitchVrf]]) -> dict[str, FabricVrf]:
    """Return the VRFs of a fabric from those of its switches."""
    vrfs: dict[str, FabricVrf] = {}
    for switch, own in by_switch.items():
        for name, part in own.items():
            vrf = vrfs.setdefault(name, FabricVrf())
            vrf.switches.add(switch)
            vrf.vnis |= {part.vni} - {0}
            vrf.targets |= part.targets
            vrf.ports |= {(switch, port) for port in part.ports}
            vrf.partners |= part.partners
            vrf.sharing |= {switch} if part.partners else set()
            vrf.descriptions |= {part.description} - {""}
    return vrfs


def planned_vrfs(plant: Plant) -> dict[str, FabricVrf]:
    """Return the VRFs that a realised inventory has."""
    vrf_of = {tenant.name: tenant.vrf for tenant in plant.tenants}
    planned: dict[str, FabricVrf] = {}
    for tenant in plant.tenants:
        vni = tenant.target.partition(":")[2]
        ports = {end for end in tenant.ends if plant.device[end[0]].kind == "switch"}
        planned[tenant.vrf] = FabricVrf(
            vnis={int(vni)} if vni else set(),
            targets={tenant.target} if vni else set(),
            ports=ports,
            partners={vrf_of[name] for name in tenant.partners},
        )
    return planned


def lost_vrfs(running: Vrfs, planned: Vrfs, place: Position | None = None) -> Iterator[Finding]:
    """Yield what runs of VRFs and an inventory has otherwise, or not at all."""
    for name, vrf in sorted(running.items(), key=lambda item: natural_key(item[0])):
        vnis = f" (VNI {_all(map(str, sorted(vrf.vnis)))})" if vrf.vnis else ""
        for what, fix in _losses(vrf, planned.get(name)):
            message = f"the VRF {printable(name)}{vnis} {what}"
            yield Finding("EXC019", Severity.WARNING, message, fix, position=place)


def _losses(vrf: FabricVrf, planned: FabricVrf | None) -> Iterator[tuple[str, str]]:
    """Yield what a plan would do to a VRF that runs, and how to keep it."""
    if planned is None:
        where = _places(vrf.ports) if vrf.ports else fold_inside(vrf.switches)
        does = "takes the ports out of their VRF" if vrf.ports else "removes it"
        fix = "write `tenancy` and `tenants`, where a VRF is called Vrf and the id of its tenant"
        yield f"runs on {where}, and the inventory has no such tenant: a plan {does}", _see(fix)
        return
    if ports := vrf.ports - planned.ports:
        what = f"has {_places(ports)}, which the inventory does not give it: a plan takes them out"
        yield what, _see("give their NICs to the tenant")
    for word, runs, becomes, field_name in (
        ("VNI", vrf.vnis, planned.vnis, "vni_first"),
        ("route target", vrf.targets, planned.targets, "target_asn"),
    ):
        if runs - becomes:
            now, then = _all(map(str, sorted(runs))), _all(map(str, sorted(becomes)))
            yield f"has the {word} {now}: a plan makes it {then}", _see(f"set tenancy.{field_name}")
    if partners := vrf.partners - planned.partners:
        what = f"exchanges routes with {_all(sorted(partners))}: a plan ends that"
        yield what, _see("set `shared` of the service, and `services` of its tenants")


def _see(fix: str) -> str:
    return f"{fix} ({_TENANTS})"


def _all(words: Iterable[str]) -> str:
    return listed([*map(printable, words)] or ["none"], "and")


def _places(ports: Collection[End]) -> str:
    """Return a number of ports, and the switches that they are on."""
    return f"{counted(len(ports), 'port')} of {fold_inside(Counter(name for name, _ in ports))}"

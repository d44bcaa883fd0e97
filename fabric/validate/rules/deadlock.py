"""Rules about deadlocks (QOS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.qos.deadlock.lossless import floods
from fabric.validate.origins import switch_place
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import leaf_of_system

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.qos.deadlock.cycle import Cycle
    from fabric.qos.deadlock.repair import Repair
    from fabric.validate.origins import Place
    from fabric.validate.world import Model


def _advice(model: Model) -> str:
    """Return the first change that frees the fabric and takes no route, or why none does."""
    from fabric.qos.deadlock.repair import repairs

    tried = repairs(model.fabric, model.resolver)
    best = tried[-1]
    if best.works:
        return _change(model, best) + _price(best)
    why = "; ".join(_failure(model, one) for one in tried)
    return f"connect every two leaves to a common spine first: {why}"


def _change(model: Model, repair: Repair) -> str:
    cables = (
        f"enable the {counted(repair.cables_on, 'disabled uplink')}" if repair.cables_on else ""
    )
    return " and ".join(word for word in (model.one_spine_asn * repair.one_asn, cables) if word)


def _price(repair: Repair) -> str:
    if not repair.critical_cables:
        return "; no leaf loses a route, also after a single cable failure"
    return (
        "; no leaf loses a route now, but the failure of one of "
        f"{counted(repair.critical_cables, 'cable')} separates leaves then"
    )


def _failure(model: Model, repair: Repair) -> str:
    change = _change(model, repair)
    if not repair.cut:
        return f"to {change} leaves a cycle or a bounce"
    others = repair.cut_pairs - 1
    more = f" and {counted(others, 'other pair', 'other pairs')} of leaves" if others else ""
    return f"to {change} cuts {repair.cut[0]} from {repair.cut[1]}{more}"


def _spine(model: Model, cycle: Cycle) -> tuple[Place, str]:
    """Return where the AS number of a spine of a cycle is set, and which spine that is."""
    rows, leaves = model.fabric.switch_row, model.fabric.switches.leaf_count
    for spine in (one.source for one in cycle.channels if rows[one.source] >= leaves):
        if place := switch_place(model.intent, spine, "asn"):
            return place, spine
    return model.place("bgp", "spine_asn"), ""


@rules.add("QOS060")
class NoDeadlock(ModelRule):
    """Lossless buffers have no cyclic dependency.

    Looks at the routing of the inventory as it is; failures are the matter of QOS061.
    """

    why = "Once all buffers of the cycle are paused, none is ever freed: traffic stops permanently."
    source = (
        "Hu et al., Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid Them, "
        "HotNets 2016; RFC 7938 section 5.2.1 (one AS number for all spines)"
    )
    guards = ("bgp.spine_asn", "devices.asn", "devices.ports.enabled", "devices.ports.peer")

    def check(self, model: Model) -> Iterator[Finding]:
        """Prove the routing free of cycles, or name one."""
        cycle = model.proof.cycle
        if cycle is None or model.proof.failure:
            return
        place, spine = _spine(model, cycle)
        yield self.finding(
            "leaves carry traffic between spines, which creates a cyclic buffer dependency: "
            f"{cycle}",
            _advice(model),
            place=place,
            device=spine,
        )


@rules.add("QOS061")
class NoDeadlockAfterFailure(ModelRule):
    """No single failure causes a cyclic buffer dependency.

    Looks at the failure of each cable between switches and of each switch, unless the routing
    has a cycle without any failure (QOS060).
    """

    severity = Severity.WARNING
    why = (
        "Routes around the failure go up again at a leaf, and a pause can deadlock them "
        "permanently."
    )
    source = (
        "Hu et al., Tagger: Practical PFC Deadlock Prevention in Data Center Networks, CoNEXT "
        "2017; RFC 7938 section 5.2.1 (one AS number for all spines)"
    )
    guards = ("bgp.spine_asn", "devices.asn", "devices.ports.enabled", "devices.ports.peer")

    def check(self, model: Model) -> Iterator[Finding]:
        """Prove the routing after each failure free of cycles, or name one."""
        proof = model.proof
        cycle = proof.cycle
        if cycle is None or not proof.failure:
            return
        place, spine = _spine(model, cycle)
        yield self.finding(
            f"when {proof.failure} fails, there is a cyclic buffer dependency: {cycle}",
            _advice(model),
            place=place,
            device=spine,
        )


@rules.add("QOS062")
class FloodedCopies(ModelRule):
    """Lossless packets are not flooded.

    ARP001 judges the two ages. This says what follows from them for the buffers of a leaf, with
    the figures that really hold on its system. A VLAN ends at its leaf, so copies close no cycle.
    """

    severity = Severity.INFO
    why = (
        "A flooded packet needs room at every port of the VLAN at once, so one paused "
        "host blocks traffic to all of them, and the pause spreads to the spines."
    )
    source = "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.2"
    guards = ("arp.timeout_s", "arp.mac_ageing_s", "addressing.vlan_per", "lossless.pfc")

    def check(self, model: Model) -> Iterator[Finding]:
        """Follow the copies of every leaf that forgets MAC addresses first."""
        skus, rows = model.fabric.switches.skus, model.fabric.switch_row
        leaf_of = leaf_of_system(model)
        for flood in floods(model.fabric, model.resolver):
            system = skus[rows[flood.leaf]].nos
            ages = leaf_of[system].neighbours
            if ages.refresh_s < ages.mac_ageing_s:
                continue
            yield self.finding(
                f"the MAC entry of a silent NIC expires after {ages.mac_ageing_s} s "
                f"({self._origin(model, system)}), but is refreshed only after {ages.refresh_s} "
                f"s: lossless packets to it go to all {counted(flood.ports, 'port')} of its VLAN, "
                f"and a pause on any of them blocks {counted(flood.uplinks, 'uplink')}",
                f"use arp.timeout_s below {ages.mac_ageing_s}, or addressing.vlan_per nic or none",
                place=model.place("arp", "timeout_s"),
                device=flood.leaf,
            )

    def _origin(self, model: Model, system: str) -> str:
        platform = platforms[system]
        if platform.fixed_mac_ageing_s:
            return f"fixed in {platform.title}"
        if model.intent.fabric.arp.mac_ageing_s:
            return "arp.mac_ageing_s"
        return f"the default of {platform.title}"


@rules.add("QOS063")
class NoBounce(ModelRule):
    """No leaf carries traffic from spine to spine.

    Looks at the routing as it is and after every single failure. Where the bounces close a
    cycle, QOS060 or QOS061 says so instead.
    """

    severity = Severity.WARNING
    why = (
        "Such a bounce takes bandwidth that the leaf does not have, and a second one in the "
        "other direction closes a buffer cycle that can deadlock."
    )
    source = (
        "Hu et al., Tagger: Practical PFC Deadlock Prevention in Data Center Networks, CoNEXT "
        "2017; RFC 7938 section 5.2.1 (one AS number for all spines)"
    )
    guards = ("bgp.spine_asn", "devices.asn", "devices.ports.enabled", "devices.ports.peer")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a leaf that is in the middle of a path."""
        proof = model.proof
        bounce = proof.bounce
        if bounce is None or not proof.free:
            return
        when = f" when {bounce.failure} fails" if bounce.failure else ""
        spines = model.fabric.switches.names[model.fabric.switches.leaf_count :]
        places = (switch_place(model.intent, spine, "asn") for spine in spines)
        yield self.finding(
            f"it carries traffic from spine to spine{when}",
            _advice(model),
            place=next((p for p in places if p), model.place("bgp", "spine_asn")),
            device=bounce.leaf,
        )

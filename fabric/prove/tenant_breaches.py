"""What breaks the promises between tenants: which reach which, who is exposed, what is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.prove.breach import Breach
from fabric.prove.static_routes import egress, taking
from fabric.prove.vrfs import NOWHERE
from fabric.topology.tenants import vrf_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.prove.isolation import Isolation, LostGroups

#: Examples of lost pairs for each tenant; our choice: a page of text.
_MOST = 8


def tenant_breaches(isolation: Isolation) -> Iterator[Breach]:
    """Yield the promises that do not hold, each with an example."""
    yield from _Writer(isolation).breaches()


class _Writer:
    def __init__(self, isolation: Isolation) -> None:
        self._all = isolation
        self._fabric = isolation.fabric
        self._names = isolation.tenants.names

    def breaches(self) -> Iterator[Breach]:
        for row in np.flatnonzero(self._all.leaking.any(axis=1)).tolist():
            yield from self._leak(row)
        for row in np.flatnonzero(self._all.exposed).tolist():
            yield self._exposed(row)
        yield from self._lost()

    def _leak(self, row: int) -> Iterator[Breach]:
        """Yield one breach for the tenants and one for the services that a tenant reaches."""
        others = np.flatnonzero(self._all.leaking[row])
        items = self._all.tenants.items
        is_service = np.array([
            items[row].value.shared or items[one].value.shared for one in others
        ])
        for rule, part in (("BAT022", others[~is_service]), ("BAT025", others[is_service])):
            if not len(part):
                continue
            other = int(part[0])
            device, port, line, way = self._way(row, other)
            rest = f" and those of {len(part) - 1:,} more" if len(part) > 1 else ""
            words = (
                f"NICs of tenant {self._names[row]} reach those of {self._names[other]}{rest}, "
                f"such as {self._example(row)} -> {self._example(other)}{way}"
            )
            yield Breach(rule, device, port, line, words)

    def _example(self, tenant: int) -> str:
        members = self._all.members[tenant]
        return self._nic(int(members[0])) if len(members) else f"those of {self._names[tenant]}"

    def _nic(self, row: int) -> str:
        nics = self._fabric.nics
        leaf = int(nics.leaf[row])
        host = self._fabric.hosts.names[int(nics.host[row])]
        port = self._fabric.port_name(leaf, int(nics.port[row]))
        return f"{host} on {self._fabric.switches.names[leaf]} {port}"

    def _way(self, row: int, other: int) -> tuple[str, str, int, str]:
        """Return device, port and line of the first thing that lets a tenant reach another one."""
        relations, nodes, inside = self._all.relations, self._all.nodes, self._all.inside
        mine, theirs = set(inside[[row], :].indices.tolist()), inside[[other], :].indices.tolist()
        for node in theirs:
            if node in mine:
                where = nodes.items[node]
                return where.switch, "", where.vrf.line, f": both are in VRF {where.vrf.name}"
        for node in sorted(mine):
            where = nodes.items[node]
            for leak in where.vrf.leaks:
                if nodes.index.get((where.switch, leak.source)) in theirs:
                    words = f": VRF {where.vrf.name} has routes of VRF {leak.source}"
                    return where.switch, "", leak.line, words
            for route in where.vrf.static_routes:
                into = egress(where.configured, route)
                if into is not None and nodes.index.get((where.switch, into)) in theirs:
                    words = f": a static route of VRF {where.vrf.name} leads into VRF {into}"
                    return where.switch, "", route.line, words
        kinds = {int(relations.kind[node]) for node in theirs}
        for node in sorted(mine):
            where = nodes.items[node]
            if any(relations.imports[relations.kind[node], kind] for kind in kinds):
                line = where.vrf.imports[0].line if where.vrf.imports else where.vrf.line
                words = f": VRF {where.vrf.name} imports a target of theirs"
                return where.switch, "", line, words
        first = nodes.items[min(mine)] if mine else nodes.items[0]
        return first.switch, "", first.vrf.line, ""

    def _exposed(self, row: int) -> Breach:
        nodes, inside = self._all.nodes, self._all.inside
        for node in inside[[row], :].indices.tolist():
            into = self._all.relations.lookup[[node], :].indices
            exposed = into[nodes.is_exposed[into]]
            if len(exposed):
                break
        where = nodes.items[node]
        line, what = self._reached(node, nodes.items[int(exposed[0])].vrf.name)
        rows = self._all.members[row]
        nic = self._nic(int(rows[self._all.places.node[rows] == node][0]))
        words = f"NICs of tenant {self._names[row]}, such as {nic}, reach {what}"
        return Breach("BAT023", where.switch, "", line, words)

    def _reached(self, node: int, exposed: str) -> tuple[int, str]:
        """Return the line that leads to switches, and what is reached over a VRF."""
        where, nodes = self._all.nodes.items[node], self._all.nodes
        lines = [one.line for one in where.vrf.leaks if one.source == exposed]
        lines += [
            one.line for one in where.vrf.static_routes if egress(where.configured, one) == exposed
        ]
        port = nodes.management.get((where.switch, exposed))
        if exposed:
            own = port.vrf_line if port and exposed == where.vrf.name else where.vrf.line
            return [*lines, own][0], f"management: VRF {exposed} of {where.switch}"
        name = self._fabric.switches.names[0]
        words = f"what is in the default VRF: the loopback of {name}, tunnel end points, management"
        return [*lines, where.vrf.line][0], words

    def _lost(self) -> Iterator[Breach]:
        """Yield what tenants lose, once for each reason; bad gateways have a breach already."""
        seen: dict[tuple[tuple[int, int], str, int, str], int] = {}
        first: dict[tuple[tuple[int, int], str, int, str], LostGroups] = {}
        for lost in self._all.losses[1]:
            device, line, reason = self._reason(lost)
            key = lost.tenants, device, line, reason
            seen[key] = seen.get(key, 0) + lost.pairs
            first.setdefault(key, lost)
        shown: dict[tuple[int, int], int] = {}
        for key, lost in first.items():
            shown[lost.tenants] = shown.get(lost.tenants, 0) + 1
            if shown[lost.tenants] > _MOST:
                continue
            _, device, line, reason = key
            rule = "BAT024" if lost.tenants[0] == lost.tenants[1] else "BAT025"
            example = f"{self._nic(lost.sender)} -> {self._nic(lost.receiver)}"
            pairs = counted(seen[key], "pair of NICs is", "pairs of NICs are")
            who = self._who(lost.tenants)
            words = f"{who}: {pairs} cut, such as {example}: {reason}"
            yield Breach(rule, device, "", line, words)

    def _who(self, tenants: tuple[int, int]) -> str:
        one, other = (self._names[row] for row in tenants)
        return f"tenant {one}" if one == other else f"tenant {one} and service {other}"

    def _reason(self, lost: LostGroups) -> tuple[str, int, str]:
        """Return device, line and words for why a NIC does not reach another one."""
        every, nodes = self._all, self._all.nodes
        for row, words in ((lost.sender, "sender"), (lost.receiver, "receiver")):
            name = self._leaf(row)
            if every.places.node[row] == NOWHERE or row in every.bad:
                return name, 0, f"the gateway of the {words} does not serve it"
            planned = self._planned(row)
            where = nodes.items[int(every.places.node[row])].vrf
            if planned and where.name != planned:
                return name, where.line, f"the {words} is in {where.name or 'the default VRF'}"
            if not where.routes:
                return name, where.line, f"VRF {where.name} routes no packets"
        return self._between(lost)

    def _planned(self, row: int) -> str:
        tenant = int(self._all.tenants.of_nic[row])
        return vrf_name(self._all.tenants.items[tenant].value) if tenant >= 0 else ""

    def _between(self, lost: LostGroups) -> tuple[str, int, str]:
        every, nodes, kind = self._all, self._all.nodes, self._all.relations.kind
        one, other = (int(every.places.node[row]) for row in (lost.sender, lost.receiver))
        sender, receiver = nodes.items[one], nodes.items[other]
        if route := taking(nodes, every.places, one, lost.receiver):
            words = f"a static route of VRF {sender.vrf.name} of {sender.switch} takes the packets"
            return sender.switch, route.line, words
        if not every.places.announced[lost.receiver]:
            words = f"{receiver.switch} does not announce the subnet in VRF {receiver.vrf.name}"
            return receiver.switch, receiver.vrf.line, words
        if lost.tenants[0] != lost.tenants[1]:
            return sender.switch, sender.vrf.line, "no leaf joins the two VRFs on this way"
        if not every.relations.imports[kind[one], kind[other]]:
            words = f"{sender.switch} takes no routes of {receiver.switch} in this VRF"
            return sender.switch, sender.vrf.line, words
        if not every.relations.agrees[kind[one], kind[other]]:
            words = f"the VNIs are {sender.vrf.vni} and {receiver.vrf.vni}"
            return receiver.switch, receiver.vrf.vni_line, words
        if every.is_ambiguous(other):
            words = f"two VRFs of {receiver.switch} have VNI {receiver.vrf.vni}"
            return receiver.switch, receiver.vrf.vni_line, words
        rows = sender.row, receiver.row
        return receiver.switch, 0, every.exchange.reason(sender.switch, receiver.switch, rows)

    def _leaf(self, row: int) -> str:
        return self._fabric.switches.names[int(self._fabric.nics.leaf[row])]

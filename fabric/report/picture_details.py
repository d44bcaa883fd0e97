"""What a page tells of each device when it is clicked: facts, ports with their peers, policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.units import ipv4_text
from fabric.report.policy_rows import host_policy_rows, switch_policy_rows
from fabric.topology.drawing import CableState
from fabric.topology.drawing_tenants import tenants_by_device
from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.designs import Designs
    from fabric.report.policy_rows import Rows
    from fabric.topology.clos import Clos
    from fabric.topology.drawing import CableStates


#: Cables up to which a page holds them all: some 5 MB.
MOST_CABLES = 40_000


def details(designs: Designs, states: CableStates) -> dict[str, Any]:
    """Return plain data for `fabric.render.picture_page.page`."""
    return _Details(designs, states).told()


class _Details:
    def __init__(self, designs: Designs, states: CableStates) -> None:
        from fabric.topology.clos import clos

        self._designs, self._fabric, self._states = designs, designs.fabric, states
        self._network: Clos = clos(designs.fabric)
        self._policies: dict[tuple[tuple[str, str], ...], int] = {}
        self._ports: dict[str, list[list[str]]] = {}
        self._tenants = tenants_by_device(designs.fabric)

    def told(self) -> dict[str, Any]:
        cables = len(self._network.cables) + len(self._network.nics)
        if cables <= MOST_CABLES:
            for end, peer, rest in self._cables():
                self._ports.setdefault(end[0], []).append([end[1], *peer, *rest])
                self._ports.setdefault(peer[0], []).append([peer[1], *end, *rest])
        devices = {**dict(self._switches()), **dict(self._hosts())}
        return {
            "devices": devices,
            "policies": [list(rows) for rows in self._policies],
            "portless": ""
            if cables <= MOST_CABLES
            else f"{cables:,} cables are too many for one page; `rocefab show links` lists them, "
            "and `rocefab show cable` compares both ends of a NIC's cable",
        }

    def _number(self, rows: Rows) -> int:
        return self._policies.setdefault(tuple(rows), len(self._policies))

    def _policy_of(self, name: str, row: int) -> int:
        """Return the number of what a switch has of its policy."""
        role, sku = self._fabric.switches.role(row), self._fabric.switches.skus[row]
        of = self._designs.resolver.switch
        mtus_bytes = [of(name, role, port[0]).mtu.port_bytes for port in self._of(name)]
        return self._number(switch_policy_rows(of(name, role), sku, role, mtus_bytes))

    def _cables(self) -> Iterator[tuple[tuple[str, str], tuple[str, str], tuple[str, str, str]]]:
        """Yield both ends of each cable, with its speed, length and state."""
        switches, cables, nics = self._fabric.switches, self._network.cables, self._network.nics
        hosts = self._fabric.hosts.names
        for row in range(len(cables)):
            low, high = int(cables.lower[row]), int(cables.upper[row])
            yield (
                (switches.names[low], switches.skus[low].port(int(cables.lower_port[row]))),
                (switches.names[high], switches.skus[high].port(int(cables.upper_port[row]))),
                _told(cables.speed_gbps[row], cables.cable_m[row], self._states.cables[row]),
            )
        for row in range(len(nics)):
            name, leaf = hosts[int(nics.host[row])], int(nics.leaf[row])
            interfaces = nic_names(self._fabric, name)
            yield (
                (name, interfaces[row % len(interfaces)].interface),
                (switches.names[leaf], switches.skus[leaf].port(int(nics.leaf_port[row]))),
                _told(nics.speed_gbps[row], nics.cable_m[row], self._states.nics[row]),
            )

    def _switches(self) -> Iterator[tuple[str, dict[str, Any]]]:
        switches, units = self._fabric.switches, self._designs.intent.fabric.units
        for row, name in enumerate(switches.names):
            role, model, unit = switches.role(row), switches.skus[row], int(switches.unit[row])
            facts = [
                ["role", role],
                ["model", f"{model.name} ({model.nos})"],
                ["AS", str(switches.asn[row])],
                ["loopback", ipv4_text(int(switches.loopback[row]))],
            ]
            if unit >= 0:
                facts.insert(1, ["unit", units[unit].name])
            if switches.rail[row] >= 0:
                facts.insert(2, ["rail", str(switches.rail[row])])
            policy = self._policy_of(name, row)
            facts += self._owners(name)
            yield name, {"facts": facts, "ports": self._of(name), "policy": policy}

    def _owners(self, name: str) -> list[list[str]]:
        names = self._tenants.get(name, [])
        return [["tenant" if len(names) == 1 else "tenants", ", ".join(names)]] if names else []

    def _of(self, name: str) -> list[list[str]]:
        return self._ports.get(name, [])

    def _hosts(self) -> Iterator[tuple[str, dict[str, Any]]]:
        units = self._designs.intent.fabric.units
        for row, name in enumerate(self._fabric.hosts.names):
            unit = units[int(self._fabric.hosts.unit[row])].name
            policy = self._number(host_policy_rows(self._designs.resolver.host(name)))
            facts = [["role", "host"], ["unit", unit], *self._owners(name)]
            yield name, {"facts": facts, "ports": self._of(name), "policy": policy}


def _told(gbps: int, metres: int, state: int) -> tuple[str, str, str]:
    return f"{gbps}G", f"{metres} m", CableState(int(state)).words

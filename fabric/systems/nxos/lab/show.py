"""The show commands of the NX-OS stand-in, as JSON bodies or as text.

Known: fields and nesting of napalm-automation/napalm ``test/nxos/mocked_data``; layouts of
networktocode/ntc-templates and of open-telemetry/opentelemetry-collector-contrib
``receiver/ciscoosreceiver``; ``show scheduler schedule`` as printed by devices (public scripts that
match it). A table of one row is an object, of several a list.
Assumed: a port is up when it is enabled and the lab has a cable on it; a BGP neighbour is
established when its subnet is on a port that is up and the far end agrees; nothing was learnt by
ARP; counters are what a test sets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from typing import TYPE_CHECKING, Any

from fabric.lab.pages import pages
from fabric.systems.nxos.lab.config import policies_of, text_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.lines.tree import Node
    from fabric.lab.spec import StandInSpec
    from fabric.lab.standin import Cabled
    from fabric.systems.nxos.lab.state import NxosState

_DOTTED = re.compile(r"(..):(..):(..):(..):(..):(..)")


def dotted(mac: str) -> str:
    """Return ``02:42:ac:11:00:02`` as ``0242.ac11.0002``."""
    return _DOTTED.sub(r"\1\2.\3\4.\5\6", mac)


@dataclass(slots=True)
class PortCounters:
    """Counters of one port, for a test to set; pause frames by priority, packets by group."""

    pause_received: dict[int, int] = field(default_factory=dict)
    pause_sent: dict[int, int] = field(default_factory=dict)
    packets: dict[int, int] = field(default_factory=dict)
    drops: dict[int, int] = field(default_factory=dict)
    storms: dict[int, int] = field(default_factory=dict)
    in_errors: int = 0


@dataclass(slots=True)
class View:
    """Everything that a show command may look at."""

    wires: Cabled
    state: NxosState
    version: str
    counters: dict[str, PortCounters] = field(default_factory=dict)
    alias: str = ""

    @property
    def spec(self) -> StandInSpec:
        """Who the switch is."""
        return self.wires.spec

    @property
    def hostname(self) -> str:
        """Name that the switch gives itself."""
        return self.alias or self.state.running.value("hostname") or "switch"

    def count(self, port: str) -> PortCounters:
        """Return the counters of a port."""
        return self.counters.get(port) or PortCounters()

    def ports(self) -> list[Node]:
        """Return the front ports."""
        return list(self.state.running.below("interface Ethernet"))

    def up(self, port: Node) -> bool:
        """Tell whether a port is enabled and has a cable."""
        name = port.line.removeprefix("interface ")
        if port.mode == "if-vlan":
            return port.has("no shutdown")
        linked = port.mode != "if-ethernet" or (
            name in self.wires.neighbours and self.wires.lit(name)
        )
        return linked and not port.has("shutdown")

    def paused(self, port: Node) -> list[int]:
        """Return the priorities that a port pauses."""
        bitmap = self.pausing(port)
        return [group for group in range(8) if bitmap >> group & 1]

    def pausing(self, port: Node) -> int:
        """Return the bitmap of the priorities that a port pauses."""
        if not self.up(port) or port.value("priority-flow-control mode") != "on":
            return 0
        system = self.state.running.children.get("system qos")
        name = system.value("service-policy type network-qos") if system else ""
        policy = self.state.running.children.get(f"policy-map type network-qos {name}")
        classes = policy.children.values() if policy else ()
        return sum(1 << int(one.value("pause pfc-cos")) for one in classes if one.value("pause"))


page = pages(__file__)


def _rows(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {f"TABLE_{name}": {f"ROW_{name}": rows[0] if len(rows) == 1 else rows}}


def show_version(view: View) -> dict[str, Any]:
    """Return ``show version``."""
    minutes, seconds = divmod(int(view.state.uptime_s), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return {
        "host_name": view.hostname,
        "chassis_id": f"Nexus9000 {view.spec.model.removeprefix('N9K-')} Chassis",
        "proc_board_id": view.spec.serial,
        "nxos_ver_str": view.version,
        "manufacturer": "Cisco Systems, Inc.",
        "kern_uptm_days": days,
        "kern_uptm_hrs": hours,
        "kern_uptm_mins": minutes,
        "kern_uptm_secs": seconds,
    }


def show_inventory(view: View) -> dict[str, Any]:
    """Return ``show inventory``."""
    row = {
        "name": "Chassis",
        "productid": view.spec.model,
        "serialnum": view.spec.serial,
    }
    return _rows("inv", [row, {"name": "Slot 1", "productid": view.spec.model, "serialnum": ""}])


def show_interface(view: View) -> dict[str, Any]:
    """Return ``show interface``."""
    return _rows("interface", [_interface(view, port) for port in _interfaces(view)])


def _interfaces(view: View) -> list[Node]:
    return list(view.state.running.below("interface "))


def _interface(view: View, port: Node) -> dict[str, Any]:
    name = port.line.removeprefix("interface ")
    state = "up" if view.up(port) else "down"
    mtu = port.value("mtu") or "1500"
    if port.mode == "if-vlan":
        admin = "up" if port.has("no shutdown") else "down"
        return {
            "interface": name,
            "svi_line_proto": state,
            "svi_admin_state": admin,
            "svi_mtu": mtu,
            "svi_mac": dotted(view.spec.mac),
        }
    found: dict[str, Any] = {
        "interface": name,
        "state": state,
        "admin_state": "down" if port.has("shutdown") else "up",
        "eth_mtu": mtu,
        "eth_hw_addr": dotted(view.spec.mac),
    }
    if port.value("description"):
        found["desc"] = port.value("description")
    if port.mode == "if-ethernet":
        speed_mbps = int(port.value("speed") or 0)
        found["eth_speed"] = f"{speed_mbps // 1000} Gb/s" if speed_mbps else "auto-speed"
        found |= dict.fromkeys(("eth_inbytes", "eth_inpkts", "eth_outbytes", "eth_outpkts"), 0)
        found["eth_inerr"] = view.count(name).in_errors
    return found


def show_bgp(view: View) -> dict[str, Any]:
    """Return ``show bgp all summary vrf all``."""
    rows = []
    for bgp in view.state.running.below("router bgp "):
        asn, router_id = bgp.line.split()[2], bgp.value("router-id")
        head = {"vrf-name-out": "default", "vrf-router-id": router_id, "vrf-local-as": asn}
        peers = [_peer(view, node) for node in bgp.below("neighbor ") if node.value("remote-as")]
        saf = {"safi": 1, "af-name": "IPv4 Unicast", **(_rows("neighbor", peers) if peers else {})}
        rows.append({**head, **_rows("af", [{"af-id": "1", **_rows("saf", [saf])}])})
    return _rows("vrf", rows)


def _peer(view: View, node: Node) -> dict[str, Any]:
    address = node.line.split()[1]
    linked = any(
        ip_address(address) in ip_interface(port.value("ip address")).network and view.up(port)
        for port in _interfaces(view)
        if port.value("ip address")
    )
    up = linked and not node.has("shutdown") and view.wires.peer_up(address)
    return {
        "neighborid": address,
        "neighborversion": "4",
        "neighboras": node.value("remote-as"),
        "time": "00:01:00",
        "state": "Established" if up else "Idle",
        "prefixreceived": "1" if up else "0",
    }


def show_arp(_view: View) -> dict[str, Any]:
    """Return ``show ip arp``: nothing was learnt."""
    return _rows("vrf", [{"vrf-name-out": "default", "cnt-total": 0}])


def show_macs(view: View) -> dict[str, Any]:
    """Return ``show mac address-table``: the switch itself."""
    row = {
        "disp_mac_addr": dotted(view.spec.mac),
        "disp_type": "G",
        "disp_vlan": "-",
        "disp_is_static": "enabled",
        "disp_age": "0",
        "disp_port": "sup-eth1(R)",
    }
    return _rows("mac_address", [row])


def show_lldp(view: View) -> str:
    """Return ``show lldp neighbors``."""
    ports = {port.line.removeprefix("interface "): port for port in view.ports()}
    heard = [
        one
        for one in view.spec.neighbours
        if (port := ports.get(one.local_port)) and view.up(port) and not port.has("no lldp receive")
    ]
    return page("lldp", heard=heard)


def show_bfd(view: View) -> str:
    """Return ``show bfd neighbors``."""
    peers = [
        (peer["neighborid"], "Up" if peer["state"] == "Established" else "Down")
        for bgp in view.state.running.below("router bgp ")
        for peer in (_peer(view, one) for one in bgp.below("neighbor ") if one.has("bfd"))
    ]
    return page("bfd", peers=peers)


def show_queuing(view: View) -> str:
    """Return ``show queuing interface``."""
    groups = {0}
    for name in policies_of(view.state.running, "qos"):
        policy = view.state.running.children[f"policy-map type qos {name}"]
        groups |= {int(one.value("set qos-group")) for one in policy.children.values()}
    return page("queuing", view=view, groups=sorted(groups))


def show_schedules(view: View) -> str:
    """Return ``show scheduler schedule``."""
    schedules = []
    for node in view.state.running.below("scheduler schedule name "):
        name = node.line.split()[-1]
        jobs = [job.line.split()[-1] for job in node.below("job name ")]
        schedules.append((name, node.value("time"), view.state.schedules.get(name), jobs))
    return page("schedules", view=view, schedules=schedules)


def show_configuration(view: View, kind: str) -> str:
    """Return ``show running-config`` or ``show startup-config``."""
    tree = view.state.running if kind == "running-config" else view.state.startup
    text = page("configuration", view=view, kind=kind, lines=text_lines(tree))
    return re.sub(r"(?m)^hostname .*$", f"hostname {view.alias}", text) if view.alias else text


BODIES: dict[str, Callable[[View], dict[str, Any]]] = {
    "show version": show_version,
    "show hostname": lambda view: {"hostname": view.hostname},
    "show inventory": show_inventory,
    "show interface": show_interface,
    "show bgp all summary vrf all": show_bgp,
    "show ip arp": show_arp,
    "show mac address-table": show_macs,
}
TEXTS: dict[str, Callable[[View], str]] = {
    "show hostname": lambda view: f"{view.hostname} \n",
    "show lldp neighbors": show_lldp,
    "show bfd neighbors": show_bfd,
    "show interface priority-flow-control": lambda view: page("pfc", view=view),
    "show queuing interface": show_queuing,
    "show queuing pfc-queue detail": lambda view: page("watchdog", view=view),
    "show vdc": lambda view: page("vdc", view=view),
    "show scheduler schedule": show_schedules,
    "show checkpoint summary": lambda view: page("checkpoints", view=view),
    "show running-config": lambda view: show_configuration(view, "running-config"),
    "show startup-config": lambda view: show_configuration(view, "startup-config"),
}
#: Shows that exist only while a feature is on.
NEEDS = {
    "show bgp all summary vrf all": "bgp",
    "show lldp neighbors": "lldp",
    "show bfd neighbors": "bfd",
    "show scheduler schedule": "scheduler",
}

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

from fabric.systems.nxos.lab.config import policies_of, text_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.lab.lines.tree import Node
    from fabric.lab.spec import StandInSpec
    from fabric.lab.standin import Cabled
    from fabric.systems.nxos.lab.state import NxosState

CLASSES = 8
_LEGEND = (
    "Capability codes:",
    "  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device",
    "  (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other",
    "Device ID            Local Intf      Hold-time  Capability  Port ID  ",
)
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

    def pausing(self, port: Node) -> int:
        """Return the bitmap of the priorities that a port pauses."""
        if not self.up(port) or port.value("priority-flow-control mode") != "on":
            return 0
        system = self.state.running.children.get("system qos")
        name = system.value("service-policy type network-qos") if system else ""
        policy = self.state.running.children.get(f"policy-map type network-qos {name}")
        classes = policy.children.values() if policy else ()
        return sum(1 << int(one.value("pause pfc-cos")) for one in classes if one.value("pause"))


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
    lines = []
    for one in view.spec.neighbours:
        port = ports.get(one.local_port)
        if port is None or not view.up(port) or port.has("no lldp receive"):
            continue
        short = one.local_port.replace("Ethernet", "Eth")
        rest = f"{short:<16}{120:<11}{'BR':<12}{one.port_id}  "
        wide = len(one.system_name) > 20  # noqa: PLR2004 - width of the column
        lines += [one.system_name, f"{'':21}{rest}"] if wide else [f"{one.system_name:<21}{rest}"]
    total = sum(1 for line in lines if " " in line)
    return "\n".join([*_LEGEND, *lines, f"Total entries displayed: {total}", ""])


def show_bfd(view: View) -> str:
    """Return ``show bfd neighbors``."""
    head = (
        "OurAddr         NeighAddr       LD/RD                 RH/RS           Holdown(mult)     "
        "State       Int                   Vrf                              Type"
    )
    lines = [head]
    for bgp in view.state.running.below("router bgp "):
        for node in (one for one in bgp.below("neighbor ") if one.has("bfd")):
            peer = _peer(view, node)
            word = "Up" if peer["state"] == "Established" else "Down"
            far = peer["neighborid"]
            lines.append(
                f"10.0.0.1        {far:<16}1/1  {word}  718(3)  {word}  Eth1/1  default  SH"
            )
    return "\n".join([*lines, ""])


def show_pfc(view: View) -> str:
    """Return ``show interface priority-flow-control``."""
    rule = "=" * 60
    lines = [rule, "Port               Mode Oper(VL bmap)  RxPPP      TxPPP", rule]
    for port in view.ports():
        name = port.line.removeprefix("interface ")
        mode = (port.value("priority-flow-control mode") or "auto").capitalize()
        bitmap = view.pausing(port)
        state = f"On  ({bitmap:x})" if bitmap else "Off"
        counted = view.count(name)
        received, sent = sum(counted.pause_received.values()), sum(counted.pause_sent.values())
        lines.append(f"{name:<19}{mode:<5}{state:<15}{received:<11}{sent}")
    return "\n".join([*lines, ""])


def _groups(view: View) -> Iterator[int]:
    for name in policies_of(view.state.running, "qos"):
        policy = view.state.running.children[f"policy-map type qos {name}"]
        yield from (int(one.value("set qos-group")) for one in policy.sorted())


def show_queuing(view: View) -> str:
    """Return ``show queuing interface``."""
    lines = []
    for port in view.ports():
        name = port.line.removeprefix("interface ")
        counted, rule = view.count(name), f"+{'-' * 67}+"
        lines += [f"Egress Queuing for {name} [System]", rule]
        for group in sorted({0, *_groups(view)}):
            lines += [f"|{f'QOS GROUP {group}':^67}|", rule]
            lines.append(f"|        Tx Pkts |{counted.packets.get(group, 0):>16}|{0:>16}|{0:>16}|")
            lines += [f"|   Dropped Pkts |{counted.drops.get(group, 0):>16}|{0:>16}|{0:>16}|", rule]
        lines += [f"Ingress Queuing for {name}", "PFC Statistics", "-" * 76]
        lines += ["TxPPP:                     0, RxPPP:                     0", "-" * 76]
        lines.append("COS QOS Group        PG   TxPause   TxCount         RxPause         RxCount")
        for priority in range(CLASSES):
            sent = counted.pause_sent.get(priority, 0)
            received = counted.pause_received.get(priority, 0)
            lines.append(
                f"{priority:>4}{'-':>10}{'-':>10}  Inactive{sent:>10}        Inactive{received:>16}"
            )
        lines.append("-" * 76)
    return "\n".join([*lines, ""])


def show_watchdog(view: View) -> str:
    """Return ``show queuing pfc-queue detail``."""
    lines = []
    for port in view.ports():
        name, rule = port.line.removeprefix("interface "), f"+{'-' * 52}+"
        on = port.value("priority-flow-control watch-dog-interval") == "on"
        lines.append(f"{name} Interface PFC watchdog: [{'Enabled' if on else 'Disabled'}]")
        lines += ["Disable-action                     : No"]
        bitmap = view.pausing(port)
        for group in range(CLASSES):
            if not bitmap >> group & 1:
                continue
            storms = view.count(name).storms.get(group, 0)
            lines += [rule, f"| QOS GROUP {group} [Active] PFC [YES] PFC-COS [{group}]", rule]
            lines += [f"|{'Shutdown':>31}|{storms:>20}|", f"|{'Restored':>31}|{storms:>20}|"]
            lines += [f"|{'Total pkts dropped':>31}|{0:>20}|", rule]
    return "\n".join([*lines, ""])


def show_vdc(view: View) -> str:
    """Return ``show vdc``."""
    return (
        "\nSwitchwide mode is m1 f1 m1xl f2 m2xl f2e f3 m3 \n\n"
        "vdc_id  vdc_name                          state               mac                 type"
        "        lc      \n"
        "------  --------                          -----               ----------          "
        "---------   ------  \n"
        f"1       {view.hostname:<34}active              {view.spec.mac:<20}Ethernet    None    \n"
    )


def show_schedules(view: View) -> str:
    """Return ``show scheduler schedule``."""
    lines: list[str] = []
    for node in view.state.running.below("scheduler schedule name "):
        name = node.line.split()[-1]
        schedule = view.state.schedules.get(name)
        lines += [f"Schedule Name       : {name}", "-" * 26]
        lines.append(f"User Name           : {view.spec.username}")
        if not node.value("time"):
            lines += ["Schedule Type       : No timetable", "=" * 78]
            continue
        once = (
            f"Run once on {schedule.starts:%a %b %d %H:%M:%S %Y}" if schedule else "Run every day"
        )
        lines.append(f"Schedule Type       : {once}")
        done = schedule is not None and schedule.ran
        when = "Fri Nov 20 09:00:00 2026" if done else "Yet to be executed"
        lines += [f"Last Execution Time : {when}", "-" * 47]
        lines += ["     Job Name            Last Execution Status", "-" * 47]
        status = "Success (0)" if done else "-NA-"
        lines += [f"{job.line.split()[-1]:>24}{status:>20}" for job in node.below("job name ")]
        lines.append("=" * 78)
    return "\n".join([*lines, ""]) if lines else "\n"


def show_checkpoints(view: View) -> str:
    """Return ``show checkpoint summary``."""
    lines = []
    for number, name in enumerate(view.state.checkpoints, 1):
        lines += [f"{number}) {name}:", f"Created by {view.spec.username}"]
        lines += ["User Checkpoint Summary", "-" * 53, "Description: None", ""]
    return "\n".join([*lines, ""])


def show_configuration(view: View, kind: str) -> str:
    """Return ``show running-config`` or ``show startup-config``."""
    tree = view.state.running if kind == "running-config" else view.state.startup
    stamp = "Fri Nov 20 09:00:00 2026"
    done = "Running configuration last done" if kind == "running-config" else "Startup config saved"
    head = [f"!Command: show {kind}", f"!{done} at: {stamp}"]
    head += [f"!Time: {stamp}", "", f"version {view.version} Bios:version 05.50 "]
    text = "\n".join(["", *head, *text_lines(tree), ""])
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
    "show interface priority-flow-control": show_pfc,
    "show queuing interface": show_queuing,
    "show queuing pfc-queue detail": show_watchdog,
    "show vdc": show_vdc,
    "show scheduler schedule": show_schedules,
    "show checkpoint summary": show_checkpoints,
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

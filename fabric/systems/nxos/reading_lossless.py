"""Cisco NX-OS: what a running configuration says of PFC, ECN, classes, watchdog, ageing and MTU.

A class is the qos-group that its policies name. A port has PFC with mode ``on``; ``auto``, the
default, follows the peer's DCBX and is read as off, since a NIC without DCBX leaves it so. DSCP
counts where a policy of type qos is bound to the port or to the system. ARP entries live 1,500 s
and MAC addresses 1,800 s by default (Cisco Nexus 9000 configuration guides 9.3(x); YangModels/yang,
vendor/cisco/nx/9.3-2).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fabric.core.spans import numbers_of
from fabric.observe.configuration.blocks import Context, blocks
from fabric.observe.configuration.lossless import (
    Lossless,
    LosslessReader,
    Marking,
    Policy,
    PortPolicy,
    Use,
    Value,
    Watchdog,
    lossless_readers,
)

_UNIT_BYTES = {"bytes": 1, "kbytes": 1_000, "mbytes": 1_000_000}
_DEFAULT_ARP_S, _DEFAULT_MAC_S = 1_500, 1_800
_MBPS = 1_000
_CLASSES = 8
_DEFAULT_CLASS = "class-default"
_QUEUE = r"c-out-8q-q(?P<queue>\d|-default)"
_NQ = r"c-8q-nq(?P<group>\d|-default)"


@dataclass(slots=True)
class _Device(Lossless):
    """The switch with its named policies, until ports are complete."""

    dscps: dict[str, set[int]] = field(default_factory=dict)
    inputs: dict[str, Policy] = field(default_factory=dict)
    outputs: dict[str, Policy] = field(default_factory=dict)
    networks: dict[str, dict[int, int]] = field(default_factory=dict)
    bound: dict[str, dict[str, str]] = field(default_factory=dict)
    watched: bool = False

    def bind(self, port: str, kind: str, way: str | None, name: str, line: int) -> None:
        """Note that a port, or ``""`` for the system, has a policy of a kind."""
        incoming = kind == "queuing" and way == "input"
        self.bound.setdefault(port, {})["buffers" if incoming else kind] = name
        self.used.append(Use(f"policy-map type {kind}", name, line))


_TOP = Context(
    r"(?!hostname |class-map type qos |policy-map type |system qos|interface |ip arp timeout "
    r"|ip load-sharing |mac address-table aging-time |priority-flow-control ).*",
    r"interface (?!Ethernet|port-channel|Vlan).*",
    r"priority-flow-control (?!watch-dog-interval ).*",
)
_CLASS_MAP = Context()
_QOS_MAP = Context()
_QOS_CLASS = Context(r"set (?!qos-group ).*")
_NETWORK_MAP = Context()
_NETWORK_CLASS = Context(r"(mtu|congestion-control) .*")
_QUEUING_MAP = Context()
_QUEUING_CLASS = Context(r"(?!priority level |bandwidth remaining percent |random-detect ).*")
_INPUT_CLASS = Context(r"(?!pause buffer-size ).*")
_SYSTEM = Context()
_PORT = Context(
    r"(?!description|mtu|speed|(no )?shutdown|(no )?switchport$|service-policy type (qos|queuing)"
    r"|priority-flow-control (mode|watch-dog-interval) |ip arp timeout ).*"
)


def read(text: str) -> Lossless:
    """Return what an NX-OS configuration says of the lossless class."""
    switch = _Device("nxos")
    switch.arp_timeout_s, switch.mac_ageing_s = Value(_DEFAULT_ARP_S, 0), Value(_DEFAULT_MAC_S, 0)
    _TOP.read(switch, blocks(text), switch.leftovers)
    system = switch.bound.get("", {})
    groups = switch.networks.get(system.get("network-qos", ""), {})
    for name, port in switch.ports.items():
        own = {**system, **switch.bound.get(name, {})}
        port.trusts_dscp = "qos" in own
        port.pfc = dict(groups)
        port.pfc_on = bool(port.pfc_on)
        for policy in (
            switch.inputs.get(own.get("qos", "")),
            switch.outputs.get(own.get("queuing", "")),
            switch.outputs.get(own.get("buffers", "")),
        ):
            if policy:
                port.add(policy)
        port.class_to_queue = {number: number for number in range(_CLASSES)}
        if port.watchdog and not switch.watched:
            port.watchdog = Watchdog(port.watchdog.line, enabled=False)
    return switch


@_TOP.line(r"hostname (?P<name>\S+)")
def _hostname(switch: _Device, _: int, name: str) -> None:
    switch.name = name


@_TOP.line(r"class-map type qos (match-(any|all) )?(?P<name>\S+)", inside=_CLASS_MAP)
def _class_map(switch: _Device, line: int, name: str) -> set[int]:
    switch.defined.append(Use("class-map type qos", name, line))
    return switch.dscps.setdefault(name, set())


@_CLASS_MAP.line(r"match dscp (?P<words>[\d, -]+)")
def _match(dscps: set[int], _: int, words: str) -> None:
    dscps |= set(numbers_of(words))


@_TOP.line(r"policy-map type qos (?P<name>\S+)", inside=_QOS_MAP)
def _qos_map(switch: _Device, line: int, name: str) -> tuple[_Device, Policy]:
    switch.defined.append(Use("policy-map type qos", name, line))
    return switch, switch.inputs.setdefault(name, Policy(line))


@_QOS_MAP.line(r"class (type qos )?(?P<name>\S+)", inside=_QOS_CLASS)
def _qos_class(inside: tuple[_Device, Policy], line: int, name: str) -> tuple[_Device, Policy, str]:
    switch, policy = inside
    if name != _DEFAULT_CLASS:
        switch.used.append(Use("class-map type qos", name, line))
    return switch, policy, name


@_QOS_CLASS.line(r"set qos-group (?P<group>\d)")
def _group(inside: tuple[_Device, Policy, str], _: int, group: str) -> None:
    switch, policy, name = inside
    for dscp in switch.dscps.get(name, ()):
        policy.dscp_to_class.setdefault(dscp, int(group))


@_TOP.line(r"policy-map type network-qos (?P<name>\S+)", inside=_NETWORK_MAP)
def _network_map(switch: _Device, line: int, name: str) -> dict[int, int]:
    switch.defined.append(Use("policy-map type network-qos", name, line))
    return switch.networks.setdefault(name, {})


@_NETWORK_MAP.line(rf"class type network-qos {_NQ}", inside=_NETWORK_CLASS)
def _network_class(groups: dict[int, int], _: int, group: str) -> tuple[dict[int, int], int]:
    return groups, 0 if group == "-default" else int(group)


@_NETWORK_CLASS.line(r"pause (buffer-size .* )?pfc-cos (?P<cos>\d)( .*)?")
def _pause(inside: tuple[dict[int, int], int], line: int, cos: str) -> None:
    groups, group = inside
    if int(cos) >= _CLASSES:
        raise ValueError(cos)
    groups[group] = line


@_TOP.line(r"policy-map type queuing (?P<name>\S+)", inside=_QUEUING_MAP)
def _queuing_map(switch: _Device, line: int, name: str) -> Policy:
    switch.defined.append(Use("policy-map type queuing", name, line))
    return switch.outputs.setdefault(name, Policy(line))


Queue = tuple[Policy, int]


@_QUEUING_MAP.line(rf"class type queuing {_QUEUE}", inside=_QUEUING_CLASS)
def _queuing_class(policy: Policy, _: int, queue: str) -> Queue:
    return policy, 0 if queue == "-default" else int(queue)


@_QUEUING_MAP.line(r"class type queuing c-in-q(?P<group>\d)", inside=_INPUT_CLASS)
def _input_class(policy: Policy, _: int, group: str) -> Queue:
    return policy, int(group)


@_INPUT_CLASS.line(
    r"pause buffer-size (?P<size>\d+) pause-threshold (?P<pause>\d+) resume-threshold \d+"
)
def _pause_buffer(queue: Queue, line: int, size: str, pause: str) -> None:
    policy, number = queue
    policy.pause_bytes[number] = Value(int(pause), line)
    policy.headroom_bytes[number] = Value(int(size) - int(pause), line)


@_QUEUING_MAP.line(r"class type queuing (?!c-out-8q-|c-in-q\d).*", inside=Context(r".*"))
def _other_class(_: Policy, __: int) -> None:
    """Leave other classes out: those of input policies, and of other queue models."""


@_QUEUING_CLASS.line(r"priority level \d")
def _strict(queue: Queue, line: int) -> None:
    queue[0].strict[queue[1]] = line


@_QUEUING_CLASS.line(r"bandwidth remaining percent (?P<percent>\d+)")
def _percent(queue: Queue, line: int, percent: str) -> None:
    queue[0].percent[queue[1]] = Value(int(percent), line)


@_QUEUING_CLASS.line(
    r"random-detect minimum-threshold (?P<low>\d+) (?P<unit>\w+) maximum-threshold (?P<high>\d+)"
    r" \w+( drop-probability (?P<percent>\d+))?( weight \d+)?(?P<ecn> ecn)?"
)
def _marking(
    queue: Queue, line: int, low: str, unit: str, high: str, percent: str | None, ecn: str | None
) -> None:
    size = _UNIT_BYTES.get(unit)
    queue[0].markings[queue[1]] = Marking(
        line,
        int(low) * size if size else None,
        int(high) * size if size else None,
        float(percent) if percent else None,
        bool(ecn),
    )


@_TOP.line(r"system qos", inside=_SYSTEM)
def _system(switch: _Device, _: int) -> tuple[_Device, PortPolicy]:
    return switch, PortPolicy()


Inside = tuple[_Device, PortPolicy]
_BINDING = (
    r"service-policy type (?P<kind>qos|queuing|network-qos)( (?P<way>input|output))? (?P<name>\S+)"
)


@_SYSTEM.line(_BINDING)
@_PORT.line(_BINDING)
def _bind(inside: Inside, line: int, kind: str, way: str | None, name: str) -> None:
    switch, port = inside
    switch.bind(port.name, kind, way, name, line)


@_TOP.line(r"interface (?P<name>(Ethernet|port-channel|Vlan)\S+)", inside=_PORT)
def _interface(switch: _Device, line: int, name: str) -> Inside:
    if name.startswith("Vlan"):
        return switch, PortPolicy(line=line, name=name)
    port = switch.port(name, line)
    if not name.startswith("Ethernet"):
        port.routed = None
    return switch, port


@_PORT.line(r"description (?P<text>.*)")
def _description(inside: Inside, _: int, text: str) -> None:
    inside[1].description = text


@_PORT.line(r"mtu (?P<mtu>\d+)")
def _mtu(inside: Inside, line: int, mtu: str) -> None:
    inside[1].mtu_bytes = Value(int(mtu), line)


@_PORT.line(r"speed (?P<mbps>\d+)")
def _speed(inside: Inside, _: int, mbps: str) -> None:
    inside[1].speed_gbps = int(mbps) / _MBPS


@_PORT.line(r"speed (?!\d+$).*")
def _auto(_: Inside, __: int) -> None:
    """Leave the speed open: it is negotiated."""


@_PORT.line(r"(?P<no>no )?shutdown")
def _shutdown(inside: Inside, _: int, no: str | None) -> None:
    inside[1].enabled = bool(no)


@_PORT.line(r"(?P<no>no )?switchport")
def _switchport(inside: Inside, _: int, no: str | None) -> None:
    inside[1].routed = bool(no)


@_PORT.line(r"priority-flow-control mode (?P<mode>on|off|auto)( .*)?")
def _pfc(inside: Inside, _: int, mode: str) -> None:
    inside[1].pfc_on = mode == "on"


@_PORT.line(r"priority-flow-control watch-dog-interval (?P<state>on|off)( .*)?")
def _port_watchdog(inside: Inside, line: int, state: str) -> None:
    inside[1].watchdog = Watchdog(line, enabled=state == "on")


@_TOP.line(r"priority-flow-control watch-dog-interval (?P<state>on|off)")
def _watchdog(switch: _Device, _: int, state: str) -> None:
    switch.watched = state == "on"


@_PORT.line(r"ip arp timeout (?P<seconds>\d+)")
def _port_arp(inside: Inside, line: int, seconds: str) -> None:
    inside[0].arp_timeout_s = Value(int(seconds), line)


@_TOP.line(r"ip arp timeout (?P<seconds>\d+)")
def _arp(switch: _Device, line: int, seconds: str) -> None:
    switch.arp_timeout_s = Value(int(seconds), line)


@_TOP.line(r"mac address-table aging-time (?P<seconds>\d+)( .*)?")
def _mac(switch: _Device, line: int, seconds: str) -> None:
    switch.mac_ageing_s = Value(int(seconds), line)


@_TOP.line(r"ip load-sharing address (?P<words>.*)")
def _hash(switch: _Device, _: int, words: str) -> None:
    switch.hash_fields = {"dst-ip"}
    if words.startswith("source-destination"):
        switch.hash_fields.add("src-ip")
    if "port source-destination" in words:
        switch.hash_fields |= {"src-port", "dst-port"}
    elif "port destination" in words:
        switch.hash_fields.add("dst-port")


lossless_readers.add("nxos")(
    LosslessReader(
        read,
        (
            r"^feature \S+",
            r"^class-map type qos ",
            r"^policy-map type (qos|network-qos|queuing) ",
            r"^system qos$",
            r"^  service-policy type ",
            r"^  priority-flow-control mode ",
            r"^vrf context ",
        ),
    )
)

"""Ports of an NX-OS configuration, what is bound to them, ageing and hash."""

from __future__ import annotations

from fabric.observe.configuration.blocks import Context, numbers
from fabric.observe.configuration.lossless import PortPolicy, Value, Watchdog
from fabric.systems.nxos.reading_lossless.model import TOP, Device

_MBPS = 1_000
_SYSTEM = Context()
_VLAN = Context(r"(?!service-policy ).*")
_PORT = Context(
    r"(?!description|mtu|speed|(no )?shutdown|(no )?switchport$|switchport mode trunk$"
    r"|switchport (access vlan|trunk allowed vlan) "
    r"|service-policy type (qos|queuing)|priority-flow-control "
    r"|ip arp timeout |channel-group |inherit port-profile ).*"
)


@TOP.line(r"hostname (?P<name>\S+)")
def _hostname(switch: Device, _: int, name: str) -> None:
    switch.name = name


@TOP.line(r"system qos", inside=_SYSTEM)
def _system(switch: Device, _: int) -> tuple[Device, PortPolicy]:
    return switch, PortPolicy()


Inside = tuple[Device, PortPolicy]
_BINDING = (
    r"service-policy type (?P<kind>qos|queuing|network-qos)( (?P<way>input|output))?"
    r" (?P<name>\S+)( no-stats)?"
)


@_SYSTEM.line(_BINDING)
@_PORT.line(_BINDING)
def _bind(inside: Inside, line: int, kind: str, way: str | None, name: str) -> None:
    switch, port = inside
    switch.bind(port.name, kind, way, name, line)


@TOP.line(r"interface (?P<name>(Ethernet|port-channel|Vlan) ?\S+)", inside=_PORT)
def _interface(switch: Device, line: int, name: str) -> Inside:
    name = name.replace(" ", "")  # what people write, and no switch prints
    if name.startswith("Vlan"):
        vlan = int(name.removeprefix("Vlan"))
        return switch, switch.gateways.setdefault(vlan, PortPolicy(line=line, name=name))
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


@_PORT.line(r"switchport mode trunk")
def _trunk(inside: Inside, _: int) -> None:
    inside[1].tagged = True
    _switched(inside[1])


@_PORT.line(r"switchport (access|trunk allowed) vlan (add )?(?P<vlans>[\d,-]+)")
def _vlans(inside: Inside, _: int, vlans: str) -> None:
    inside[1].vlans.update(numbers(vlans))
    _switched(inside[1])


def _switched(port: PortPolicy) -> None:
    """Note that a port is switched, where `switchport` is not printed; see ``defaults.toml``."""
    if port.routed is None:
        port.routed = False


@_PORT.line(r"switchport (access|trunk allowed) vlan .*")
def _other_vlans(_: Inside, __: int) -> None:
    """Leave out what is no list: none, all, or all but some."""


@TOP.line(r"vlan configuration (?P<vlans>[\d,-]+)", inside=_VLAN)
def _vlan(switch: Device, _: int, vlans: str) -> tuple[Device, list[int]]:
    return switch, numbers(vlans)


@_VLAN.line(r"service-policy type qos input (?P<name>\S+)( no-stats)?")
def _bind_vlans(inside: tuple[Device, list[int]], line: int, name: str) -> None:
    switch, vlans = inside
    switch.bind("vlan", "qos", "input", name, line)
    switch.by_vlan |= dict.fromkeys(vlans, name)


@_PORT.line(r"channel-group (?P<number>\d+)( .*)?")
def _member(inside: Inside, _: int, number: str) -> None:
    switch, port = inside
    switch.members[port.name] = f"port-channel{number}"


@_PORT.line(r"priority-flow-control mode (?P<mode>on|off|auto)( .*)?")
def _pfc(inside: Inside, line: int, mode: str) -> None:
    inside[1].pfc_on = mode == "on"
    inside[1].negotiated = line if mode == "auto" else None


@_PORT.line(r"priority-flow-control watch-dog-interval (?P<state>on|off)( .*)?")
def _port_watchdog(inside: Inside, line: int, state: str) -> None:
    inside[1].watchdog = Watchdog(line, enabled=state == "on")


@TOP.line(r"priority-flow-control watch-dog-interval (?P<state>on|off)")
def _watchdog(switch: Device, _: int, state: str) -> None:
    switch.watched = state == "on"


@_PORT.line(r"ip arp timeout (?P<seconds>\d+)")
def _port_arp(inside: Inside, line: int, seconds: str) -> None:
    inside[0].arp_timeout_s = Value(int(seconds), line)


@TOP.line(r"ip arp timeout (?P<seconds>\d+)")
def _arp(switch: Device, line: int, seconds: str) -> None:
    switch.arp_timeout_s = Value(int(seconds), line)


@TOP.line(r"mac address-table aging-time (?P<seconds>\d+)( .*)?")
def _mac(switch: Device, line: int, seconds: str) -> None:
    switch.mac_ageing_s = Value(int(seconds), line)


@TOP.line(r"ip load-sharing address (?P<words>.*)")
def _hash(switch: Device, _: int, words: str) -> None:
    switch.hash_fields = {"dst-ip"}
    if words.startswith("source-destination"):
        switch.hash_fields.add("src-ip")
    if "port source-destination" in words:
        switch.hash_fields |= {"src-port", "dst-port"}
    elif "port destination" in words:
        switch.hash_fields.add("dst-port")

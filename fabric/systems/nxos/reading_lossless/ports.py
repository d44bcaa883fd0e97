"""Ports of an NX-OS configuration, what is bound to them, ageing and hash."""

from __future__ import annotations

from fabric.observe.configuration.blocks import numbers
from fabric.observe.configuration.lossless import PortPolicy, Value, Watchdog
from fabric.systems.nxos.reading_lossless.model import LINES, Device

_MBPS = 1_000


@LINES.means("system")
def _system(switch: Device, _: int) -> tuple[Device, PortPolicy]:
    return switch, PortPolicy()


Inside = tuple[Device, PortPolicy]


@LINES.means("bind")
def _bind(inside: Inside, line: int, kind: str, name: str, way: str | None = None) -> None:
    switch, port = inside
    switch.bind(port.name, kind, way, name, line)


@LINES.means("interface")
def _interface(switch: Device, line: int, name: str) -> Inside:
    name = name.replace(" ", "")  # what people write, and no switch prints
    if name.startswith("Vlan"):
        vlan = int(name.removeprefix("Vlan"))
        return switch, switch.gateways.setdefault(vlan, PortPolicy(line=line, name=name))
    port = switch.port(name, line)
    if not name.startswith("Ethernet"):
        port.routed = None
    return switch, port


@LINES.means("description")
def _description(inside: Inside, _: int, text: str) -> None:
    inside[1].description = text


@LINES.means("mtu")
def _mtu(inside: Inside, line: int, bytes: str) -> None:  # noqa: A002 - named as in the book
    inside[1].mtu_bytes = Value(int(bytes), line)


@LINES.means("speed")
def _speed(inside: Inside, _: int, mbps: str | None = None) -> None:
    """Note the speed; what is negotiated stays open."""
    if mbps:
        inside[1].speed_gbps = int(mbps) / _MBPS


@LINES.means("shutdown")
def _shutdown(inside: Inside, _: int) -> None:
    inside[1].enabled = False


@LINES.means("no_shutdown")
def _no_shutdown(inside: Inside, _: int) -> None:
    inside[1].enabled = True


@LINES.means("switchport")
def _switchport(inside: Inside, _: int) -> None:
    inside[1].routed = False


@LINES.means("no_switchport")
def _no_switchport(inside: Inside, _: int) -> None:
    inside[1].routed = True


@LINES.means("trunk")
def _trunk(inside: Inside, _: int) -> None:
    inside[1].tagged = True
    _switched(inside[1])


@LINES.means("vlans")
def _vlans(inside: Inside, _: int, vlans: str) -> None:
    inside[1].vlans.update(numbers(vlans))
    _switched(inside[1])


def _switched(port: PortPolicy) -> None:
    """Note that a port is switched, where `switchport` is not printed; see ``defaults.toml``."""
    if port.routed is None:
        port.routed = False


@LINES.means("vlan_configuration")
def _vlan(switch: Device, _: int, vlans: str) -> tuple[Device, list[int]]:
    return switch, numbers(vlans)


@LINES.means("bind_vlans")
def _bind_vlans(inside: tuple[Device, list[int]], line: int, name: str) -> None:
    switch, vlans = inside
    switch.bind("vlan", "qos", "input", name, line)
    switch.by_vlan |= dict.fromkeys(vlans, name)


@LINES.means("member")
def _member(inside: Inside, _: int, number: str) -> None:
    switch, port = inside
    switch.members[port.name] = f"port-channel{number}"


@LINES.means("pfc")
def _pfc(inside: Inside, line: int, mode: str) -> None:
    inside[1].pfc_on = mode == "on"
    inside[1].negotiated = line if mode == "auto" else None


@LINES.means("features")
def _features(switch: Device, _: int, **_names: str) -> None:
    switch.has_lldp = bool(switch.has_lldp)


@LINES.means("feature_lldp")
def _feature_lldp(switch: Device, _: int) -> None:
    switch.has_lldp = True


@LINES.means("no_lldp")
def _no_lldp(inside: Inside, _: int) -> None:
    inside[0].without_lldp.add(inside[1].name)


@LINES.means("port_watchdog")
def _port_watchdog(inside: Inside, line: int, state: str) -> None:
    inside[1].watchdog = Watchdog(line, enabled=state == "on")


@LINES.means("watchdog")
def _watchdog(switch: Device, _: int, state: str) -> None:
    switch.watched = state == "on"


@LINES.means("port_arp")
def _port_arp(inside: Inside, line: int, seconds: str) -> None:
    inside[0].arp_timeout_s = Value(int(seconds), line)


@LINES.means("arp")
def _arp(switch: Device, line: int, seconds: str) -> None:
    switch.arp_timeout_s = Value(int(seconds), line)


@LINES.means("mac")
def _mac(switch: Device, line: int, seconds: str) -> None:
    switch.mac_ageing_s = Value(int(seconds), line)


@LINES.means("hash")
def _hash(switch: Device, _: int, words: str) -> None:
    switch.hash_fields = {"dst-ip"}
    if words.startswith("source-destination"):
        switch.hash_fields.add("src-ip")
    if "port source-destination" in words:
        switch.hash_fields |= {"src-port", "dst-port"}
    elif "port destination" in words:
        switch.hash_fields.add("dst-port")


@LINES.means("whole_hash")
def _whole_hash(switch: Device, line: int) -> None:
    _hash(switch, line, "source-destination port source-destination")

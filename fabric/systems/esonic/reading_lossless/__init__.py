"""Enterprise SONiC: what a running configuration says of PFC, ECN, maps, watchdog, ageing and MTU.

Spelling, ranges and defaults are those of ansible-collections/dellemc.enterprise_sonic @ 9851e680
(sonic_qos_interfaces, sonic_qos_wred, sonic_qos_maps, sonic_qos_scheduler, sonic_ip_neighbor,
sonic_mac, sonic_ecmp_load_share). Without ``ecn`` a profile drops, as in SONiC, whose database it
is (sonic-wred-profile.yang: ecn_none). Not known, and so not judged: what the hash takes where
no line says it, the weight of a queue without one, and what ``roce enable`` sets by itself: that
line is reported as not understood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import blocks, numbers
from fabric.observe.configuration.bundles import join
from fabric.observe.configuration.defaults import number_of
from fabric.observe.configuration.lossless import (
    Lossless,
    LosslessReader,
    Marking,
    Policy,
    Value,
    lossless_readers,
)
from fabric.observe.configuration.numbering import number_classes
from fabric.observe.configuration.texts import header_ends
from fabric.observe.configuration.tunnels import TunnelLine, TunnelLines, tunnel_lines
from fabric.systems.esonic.platforms import BUFFER_LINE, ESONIC
from fabric.systems.esonic.reading_lossless import ports
from fabric.systems.esonic.reading_lossless.model import KIND, KINDS, LINES, Device

if TYPE_CHECKING:
    from fabric.observe.configuration.lossless import PortPolicy
    from fabric.systems.esonic.reading_lossless.model import Inside, Rows

__all__ = ["ports", "read"]

_TAGS = "qos map dot1p-tc"
#: sonic_ip_neighbor: ipv4_arp_timeout.
_DEFAULT_ARP_S = 180
#: init_cfg of SONiC: a port carries this where no line says it.
_DEFAULT_MTU_BYTES = 9100
#: Unit of WRED thresholds (sonic-net/sonic-mgmt @ b4ba9de3 spytest/apis/qos/wred.py).
_UNIT_BYTES = 1_000
#: opencomputeproject/SAI inc/saiport.h, SAI_PORT_ATTR_QOS_TC_TO_QUEUE_MAP; the other maps have no
#: such sentence there.
_WITHOUT_MAP = {"class_to_queue": "all its packets use queue 0"}
_HASH = {
    "ipv4-src-ip": "src-ip",
    "ipv4-dst-ip": "dst-ip",
    "ipv4-l4-src-port": "src-port",
    "ipv4-l4-dst-port": "dst-port",
}


def read(text: str) -> Lossless:
    """Return what a configuration of Enterprise SONiC says of the lossless class."""
    switch = Device("esonic", without_map=_WITHOUT_MAP)
    switch.arp_timeout_s = Value(_DEFAULT_ARP_S, 0)
    switch.mac_ageing_s = Value(ESONIC.default_mac_ageing_s or 0, 0)
    LINES.top.read(switch, blocks(text, "!", header_ends), switch.leftovers)
    join(switch.ports, switch.members)
    for name in [name for name in switch.ports if name.startswith("PortChannel")]:
        switch.ports.pop(name)  # one without members carries no traffic
    for port in switch.ports.values():
        _complete(switch, port)
    _drop_unused(switch)
    switch.missing_buffer_line = "" if switch.has_buffers else BUFFER_LINE
    return switch


def _drop_unused(switch: Device) -> None:
    """Leave maps of tags out that no port has: they are not about DSCPs."""
    used = {(one.kind, one.name) for one in switch.used}
    switch.defined = [
        one for one in switch.defined if one.kind != _TAGS or (one.kind, one.name) in used
    ]


def _complete(switch: Device, port: PortPolicy) -> None:
    """Give a port what its maps, its scheduler and its WRED profiles say."""
    bundle = switch.bound.get(switch.members.get(port.name, ""), {})
    own = {**bundle, **switch.bound.get(port.name, {})}
    tables = {
        kind: dict(switch.maps.get((kind, own.get(f"qos map {kind}", "")), {})) for kind in KINDS
    }
    port.trusts_dscp, port.trusts_pcp = bool(tables["dscp-tc"]), _TAGS in own
    if not port.trusts_dscp:
        named = [name for kind, name in switch.maps if kind == "dscp-tc"]
        port.trust_lines = (f"qos-map dscp-tc {named[0] if len(named) == 1 else 'NAME'}",)
    port.dscp_to_class, port.class_to_queue = tables["dscp-tc"], tables["tc-queue"]
    port.dscp_lines = switch.map_lines.get(("dscp-tc", own.get("qos map dscp-tc", "")), {})
    port.pcp_to_class, port.pause_to_queue = tables["dot1p-tc"], tables["pfc-priority-queue"]
    if not tables["pfc-priority-pg"]:
        port.class_to_group = tables["tc-pg"]
    number_classes(port)
    if port.pfc and port.cable_m is None:
        port.cable_m = number_of("esonic", "cable")
    scheduler = switch.schedulers.get(own.get("qos scheduler-policy", ""))
    if scheduler:
        port.add(scheduler)
    for kind, name in own.items():
        if kind.startswith("queue ") and name in switch.wreds:
            port.markings[int(kind.removeprefix("queue "))] = switch.wreds[name]
    if port.watchdog:
        port.watchdog.poll_ms = switch.poll_ms
    if port.watchdog and (port.watchdog.detection_ms is None or switch.unpolled):
        port.watchdog.enabled, port.watchdog.line = False, switch.unpolled or port.watchdog.line


@LINES.means("unpolled")
def _unpolled(switch: Device, line: int) -> None:
    """Note that nobody reads the counters of the watchdog (PFCWD of FLEX_COUNTER_TABLE)."""
    switch.unpolled = line


@LINES.means("poll")
def _poll(switch: Device, _: int, ms: str) -> None:
    switch.poll_ms = float(ms)


@LINES.means("buffers")
def _buffers(switch: Device, _: int) -> None:
    switch.has_buffers = True


@LINES.means("roce")
def _roce(switch: Device, _: int, words: str) -> None:
    """Note that the line makes buffers; the rest of what it does is left over."""
    switch.has_buffers = True
    raise ValueError(words)


@LINES.means("wred")
def _wred(switch: Device, line: int, name: str) -> Marking:
    switch.define("qos wred-policy", name, line)
    return switch.wreds.setdefault(name, Marking(line, ecn=False))


@LINES.means("ecn")
def _ecn(marking: Marking, line: int, word: str) -> None:
    marking.ecn, marking.line = word != "none", line


@LINES.means("green")
def _green(
    marking: Marking,
    line: int,
    low: str | None = None,
    high: str | None = None,
    percent: str | None = None,
) -> None:
    marking.kmin_bytes = int(low) * _UNIT_BYTES if low else None
    marking.kmax_bytes = int(high) * _UNIT_BYTES if high else None
    marking.pmax_percent = float(percent) if percent else None
    marking.line = line


@LINES.means("scheduler")
def _scheduler(switch: Device, line: int, name: str) -> Policy:
    switch.define("qos scheduler-policy", name, line)
    return switch.schedulers.setdefault(name, Policy(line))


@LINES.means("queue")
def _queue(policy: Policy, _: int, queue: str) -> tuple[Policy, int]:
    return policy, int(queue)


@LINES.means("type")
def _type(inside: tuple[Policy, int], line: int, word: str) -> None:
    policy, queue = inside
    if word == "strict":
        policy.strict[queue] = line


@LINES.means("weight")
def _weight(inside: tuple[Policy, int], line: int, percent: str) -> None:
    inside[0].percent[inside[1]] = Value(int(percent), line)


@LINES.means("map")
def _map(switch: Device, line: int, kind: str, name: str) -> Rows:
    switch.define(f"qos map {kind}", name, line)
    key = kind, name
    return switch.maps.setdefault(key, {}), switch.map_lines.setdefault(key, {})


@LINES.means("row")
def _row(rows: Rows, line: int, many: str, to: str, **__: str) -> None:
    values, lines = rows
    for number in numbers(many):
        values[number], lines[number] = int(to), line


@LINES.means("interface")
def _interface(switch: Device, line: int, name: str) -> Inside:
    name = "".join(name.split())
    known = name in switch.ports
    port = switch.port(name, line)
    if not known:
        port.enabled, port.mtu_bytes = False, Value(_DEFAULT_MTU_BYTES, 0)
    return switch, port


@LINES.means("arp")
def _arp(switch: Device, line: int, seconds: str) -> None:
    switch.arp_timeout_s = Value(int(seconds), line)


@LINES.means("mac")
def _mac(switch: Device, line: int, seconds: str) -> None:
    switch.mac_ageing_s = Value(int(seconds), line)


@LINES.means("hash")
def _hash(switch: Device, _: int, field: str) -> None:
    fields = {_HASH[field]} if field in _HASH else set()
    switch.hash_fields = (switch.hash_fields or set()) | fields


@LINES.means("queue_pairs")
def _queue_pairs(switch: Device, _: int) -> None:
    """Take queue pairs for what the source port tells: both differ between flows of two NICs."""
    switch.hash_fields = (switch.hash_fields or set()) | {"src-port"}


tunnel_lines.add("esonic")(
    TunnelLines(
        # ansible-collections/dellemc.enterprise_sonic 4.1, vxlan: pipe and DSCP 0 by default
        r"^interface vxlan ",
        (
            TunnelLine(
                "dscp",
                r"^ +qos-mode uniform",
                wanted=True,
                message="in pipe mode, the default, the outer DSCP is a fixed value",
            ),
        ),
    )
)

lossless_readers.add("esonic")(
    LosslessReader(
        read,
        (
            r"^buffer init lossless$",
            r"^qos wred-policy ",
            r"^qos scheduler-policy ",
            rf"^qos map {KIND} ",
            rf"^ qos-map {KIND} ",
            r"^ priority-flow-control (priority [0-7]|watchdog (on|off|action) ?)",
            r"^priority-flow-control watchdog polling-interval ",
            r"^ip load-share hash ",
            r"^ switchport access Vlan ?\d",
            r"^ bestpath as-path multipath-relax$",
            r"^interface breakout port ",
            r"^interface-naming ",
        ),
    )
)

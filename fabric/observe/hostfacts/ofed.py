"""The traffic class that the OFED driver overrides.

Files of the OFED driver below ``ecn``: DCQCN of one NIC (en_sysfs.c of DOCA-OFED 25.10).

``mlnx_qos -i IF`` (Mellanox/mlnx-tools, python/mlnx_qos).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.mlnx_qos import NicQos, mlnx_qos
from fabric.observe.hostfacts.values import ip_address, ip_network, number, shown, whole_lines
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping


_BYTE = 255
_KEYS = {"src_ip", "src_ip6", "dst_ip", "dst_ip6", "tclass"}


_ENABLE = re.compile(r"/sys/class/net/[^/:]{1,64}/ecn/roce_(rp|np)/enable/([0-7]):([01])")
_CNP = re.compile(r"/sys/class/net/[^/:]{1,64}/ecn/roce_np/cnp_dscp:([0-9]{1,2})")
_HIGHEST_DSCP = 63


@dataclass(frozen=True, slots=True)
class TrafficClassRule:
    """Traffic class byte of the flows between two addresses."""

    traffic_class_byte: int
    source: str | None = None
    destination: str | None = None


@dataclass(frozen=True, slots=True)
class TrafficClass:
    """Override of one port; ``global_byte`` is None when there is none for all flows."""

    global_byte: int | None = None
    rules: tuple[TrafficClassRule, ...] = ()

    @property
    def dscp(self) -> int | None:
        """DSCP of all flows: the upper six bits of the byte (RFC 2474, section 3)."""
        return None if self.global_byte is None else self.global_byte >> 2


@reads("traffic_class", "cat /sys/class/infiniband/{rdma_device}/tc/1/traffic_class", empty=True)
def parse_traffic_class(text: str) -> TrafficClass:
    """Parse the override of the OFED driver (``main_ext.c``); an empty file says none.

    Raises
    ------
    UnreadableError
        When a line is no override.
    """
    byte = None
    rules = []
    for line in whole_lines(text):
        if line.startswith("Global tclass=") and byte is None:
            byte = number(line.removeprefix("Global tclass=").strip(), "traffic class", high=_BYTE)
        elif line.strip():
            rules.append(_rule(line.strip()))
    return TrafficClass(byte, tuple(rules))


def _rule(line: str) -> TrafficClassRule:
    values: Mapping[str, str] = dict(pair.partition("=")[::2] for pair in line.split(","))
    if not set(values) <= _KEYS or "tclass" not in values or len(values) != len(line.split(",")):
        raise UnreadableError(f"no rule of a traffic class: {shown(line)}")
    source = values.get("src_ip", values.get("src_ip6"))
    destination = values.get("dst_ip", values.get("dst_ip6"))
    return TrafficClassRule(
        number(values["tclass"], "traffic class", high=_BYTE),
        None if source is None else ip_address(source),
        None if destination is None else ip_network(destination),
    )


@dataclass(frozen=True, slots=True)
class EcnFiles:
    """Priorities on which the NIC reacts to CNPs, those on which it sends them, and their DSCP."""

    reaction_point: frozenset[int]
    notification_point: frozenset[int]
    cnp_dscp: int


@reads(
    "ecn_files",
    "grep -r . /sys/class/net/{interface}/ecn/roce_rp/enable"
    " /sys/class/net/{interface}/ecn/roce_np/enable"
    " /sys/class/net/{interface}/ecn/roce_np/cnp_dscp",
)
def parse_ecn_files(text: str) -> EcnFiles:
    """Parse ``PATH:value`` of the files of one NIC.

    Raises
    ------
    UnreadableError
        When a priority or the DSCP is missing, stands twice, or a line is something else.
    """
    states: dict[tuple[str, str], str] = {}
    dscps = []
    for line in whole_lines(text):
        if (match := _ENABLE.fullmatch(line)) and match.groups()[:2] not in states:
            states[match[1], match[2]] = match[3]
        elif match := _CNP.fullmatch(line):
            dscps.append(number(match[1], "DSCP", high=_HIGHEST_DSCP))
        else:
            raise UnreadableError(f"no file of DCQCN, or one twice: {shown(line)}")
    if len(states) != 2 * 8 or len(dscps) != 1:
        raise UnreadableError("files of DCQCN are missing")
    on = {
        side: frozenset(
            int(place) for (one, place), bit in states.items() if (one, bit) == (side, "1")
        )
        for side in ("rp", "np")
    }
    return EcnFiles(on["rp"], on["np"], dscps[0])


@reads("mlnx_qos", "mlnx_qos -i {interface} -a")
def parse_mlnx_qos(text: str) -> NicQos:
    """Parse the QoS of one NIC in any version of the tool, or raise UnreadableError."""
    return mlnx_qos(text)

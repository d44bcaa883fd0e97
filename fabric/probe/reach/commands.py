"""The commands of a probe, from checked names and numbers alone.

Servers run as transient units with a limit of their life, so that none stays behind when the
session breaks off. linux-rdma/perftest, src/perftest_parameters.c; linux-rdma/rdma-core,
librdmacm/examples/rping.c; systemd-run(1).

What a probe must reach on a lossless fabric.

Wire overhead of a RoCEv2 RC packet without VLAN tag and without RETH: 14 Ethernet + 20 IPv4, or 40
IPv6, + 8 UDP + 12 BTH + 4 ICRC + 4 FCS + 20 preamble and gap (InfiniBand Architecture
Specification volume 1, annex A17; IEEE 802.3). Published rates of RDMA WRITE over 100 Gb/s are 98.3
to 99.6 percent of the ceiling that follows (PMC7842203, table 2); 98.5 percent is asked for, with
messages of 64 KiB or more and one pair at a time on a link. perftest connects by IPv4 unless it is
told ``--ipv6-addr``.

Of an incast, 80 percent of the ceiling are asked for, all flows together: DCQCN, which starts at
the whole rate, loses up to a fifth until it is steady (fluid model of ``fabric.qos.dcqcn``; Y. Zhu
et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015). Flows are alike when
Jain's index is 0.95 or more (R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984).
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.units import percent_to_share
from fabric.observe.hostfacts.values import ip_address, rdma_name

if TYPE_CHECKING:
    from collections.abc import Sequence


_UNIT = re.compile(r"rocefab-probe-[0-9a-f]{8}")
_PORT = 18515  # the default of perftest
ROUNDS = 3
DURATION_S = 2
#: End well where perftest has the option; the version of Debian 12, 4.5+0.17, has neither.
BINDS = "ib_write_bw --help 2>&1 | grep -q -e --bind_source_ip"
TAKES_IPV6 = "ib_write_bw --help 2>&1 | grep -q -e --ipv6-addr"
#: Flows of an incast do not begin at the same moment: so long that a second does not matter.
INCAST_S = 10
#: Longer than all tries of a client together.
LIFE_S = 90
_TRY_S = 15
_TRIES = "1 2 3 4 5"


WIRE_BYTES = 14 + 20 + 8 + 12 + 4 + 4 + 20
WIRE_BYTES_IPV6 = WIRE_BYTES + 20
ACCEPTED_PERCENT = 98.5
INCAST_PERCENT = 80.0
FAIRNESS = 0.95
MESSAGE_BYTES = 65536


@dataclass(frozen=True, slots=True)
class ProbeEnd:
    """One end of a probe.

    Parameters
    ----------
    gid_index : int
        -1 before the GID table was read.
    binds : bool
        Whether its perftest can be told its own address; without, the tools find each other by the
        routes of the main table. What they measure goes between the GIDs all the same.
    ipv4 : str
        Address by which perftest connects in place of one of IPv6, which old releases cannot.
    """

    address: str
    rdma_device: str
    gid_index: int = -1
    binds: bool = True
    ipv4: str = ""

    @property
    def meets(self) -> str:
        """The address by which perftest connects."""
        return ip_address(self.ipv4 or self.address)


@dataclass(frozen=True, slots=True)
class Marking:
    """What packets of a probe carry."""

    traffic_class_byte: int
    mtu_bytes: int
    is_ipv6: bool = False


@dataclass(frozen=True, slots=True)
class Flow:
    """One of the flows into a NIC, each with a server of its own."""

    number: int = 0
    duration_s: int = DURATION_S


def ping(source: ProbeEnd, target: ProbeEnd) -> str:
    """Return the command for the source."""
    count = f"-n -c {ROUNDS} -i 0.2 -W 1"
    return f"ping {count} -I {ip_address(source.address)} {ip_address(target.address)} || true"


def full_ping(
    source_address: str, target_address: str, payload_bytes: int, traffic_class_byte: int
) -> str:
    """Return the command that sends packets of full size, unfragmented and marked as RoCE is.

    Parameters
    ----------
    payload_bytes : int
        Bytes of a packet without its headers of IP and ICMP.
    """
    count = f"-n -c {ROUNDS} -i 0.2 -W 1 -M do"
    size = f"-s {int(payload_bytes)} -Q {int(traffic_class_byte)}"
    ends = f"-I {ip_address(source_address)} {ip_address(target_address)}"
    return f"ping {count} {size} {ends} || true"


def rping(source: ProbeEnd, target: ProbeEnd) -> tuple[str, str]:
    """Return the commands of server and client."""
    server = f"-a {ip_address(target.address)} -p {_PORT} -C {ROUNDS} -v"
    return f"rping -s {server}", _tried(f"rping -c {server} -I {ip_address(source.address)}")


def bandwidth(
    source: ProbeEnd, target: ProbeEnd, marking: Marking, *, flow: Flow = Flow()
) -> tuple[str, str]:
    """Return the commands of server and client."""
    server = _perftest(target, marking, flow)
    return server, _tried(f"{_perftest(source, marking, flow)} {target.meets}")


def _perftest(end: ProbeEnd, marking: Marking, flow: Flow) -> str:
    if end.gid_index < 0:
        raise ValueError("the index of the GID is not known")
    bound = f" --bind_source_ip {end.meets}" if end.binds else ""
    bound += " --ipv6-addr" if ":" in end.meets else ""
    return (
        f"ib_write_bw -d {rdma_name(end.rdma_device)} -i 1 -x {int(end.gid_index)} "
        f"-m {int(marking.mtu_bytes)} --tclass {int(marking.traffic_class_byte)} "
        f"-s {MESSAGE_BYTES} -D {int(flow.duration_s)} -F --report_gbits "
        f"-p {_PORT + int(flow.number)}{bound}"
    )


def hint(source: ProbeEnd, target: ProbeEnd) -> str:
    """Return what else may keep ``ib_write_bw`` from its result, for the end of a message."""
    if source.binds and target.binds:
        return ""
    return "; its perftest has no --bind_source_ip, so it connects by the main routing table"


def _tried(client: str) -> str:
    """Return a client that tries again while its server comes up."""
    attempt = f"timeout {_TRY_S} {client} && break || sleep 0.5"
    return f"for n in {_TRIES}; do {attempt}; done"


def new_unit() -> str:
    """Return a name for a server."""
    return f"rocefab-probe-{secrets.token_hex(4)}"


def start(server: str, unit: str) -> str:
    """Return the command that starts a server in the background."""
    limits = f"--property=RuntimeMaxSec={LIFE_S} --property=LimitMEMLOCK=infinity"
    return f"sudo -n systemd-run --quiet --collect --unit={_checked(unit)} {limits} {server}"


def stop(unit: str) -> str:
    """Return the command that ends a server; one that has ended is fine."""
    return f"sudo -n systemctl stop {_checked(unit)}.service || true"


def _checked(unit: str) -> str:
    if not _UNIT.fullmatch(unit):
        raise ValueError(f"{unit!r} is not a unit of a probe")
    return unit


def ceiling_gbps(speed_gbps: float, packets: Marking) -> float:
    """Return the rate of payload that a link can carry with some packets, in Gb/s."""
    overhead = WIRE_BYTES_IPV6 if packets.is_ipv6 else WIRE_BYTES
    return speed_gbps * packets.mtu_bytes / (packets.mtu_bytes + overhead)


def needed_gbps(speed_gbps: float, packets: Marking) -> float:
    """Return the rate that one pair of NICs must reach, in Gb/s."""
    return ceiling_gbps(speed_gbps, packets) * percent_to_share(ACCEPTED_PERCENT)


def incast_needed_gbps(speed_gbps: float, packets: Marking) -> float:
    """Return the rate that all flows into one NIC must reach together, in Gb/s."""
    return ceiling_gbps(speed_gbps, packets) * percent_to_share(INCAST_PERCENT)


def fairness(rates: Sequence[float]) -> float:
    """Return Jain's index of rates: 1 when all are equal, 1/n when one flow has all."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 0.0

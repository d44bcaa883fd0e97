"""Hosts against the switches of the same call: priorities, DSCPs, ages and neighbours."""

from __future__ import annotations

from collections import Counter
from ipaddress import ip_interface
from typing import TYPE_CHECKING, TypeVar

from fabric.audit.fault import Fault
from fabric.audit.host_class import lossless
from fabric.core.counts import counted
from fabric.core.units import ms_to_s

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from ipaddress import IPv4Network, IPv6Network

    from fabric.audit.hosts import HostFault
    from fabric.observe.configuration.lossless import Lossless
    from fabric.observe.saved.model import Output, SavedHost

T = TypeVar("T")

_IPV4 = 4
#: An entry is reachable for up to this times base_reachable_time (RFC 4861 section 6.3.4).
_MOST = 1.5


def judge(
    hosts: Sequence[SavedHost], switches: Collection[Lossless]
) -> Iterator[tuple[SavedHost, Output, Fault]]:
    """Yield what hosts have unlike the switches, or too small for each other.

    Parameters
    ----------
    switches : collection of Lossless
        Those of the same call; without any, hosts are held against each other.
    """
    classes = [lossless(host) for host in hosts]
    ports = [port for one in switches or classes for port in one.ports.values()]
    whose = "switches" if switches else "hosts"
    priorities = _most_common(frozenset(port.lossless) for port in ports)
    dscps = _most_common(
        frozenset(dscp for dscp, number in port.dscp_to_class.items() if number in port.lossless)
        for port in ports
    )
    timeouts = [one.arp_timeout_s.value for one in switches if one.arp_timeout_s]
    for host, own in zip(hosts, classes, strict=True):
        faults = [*_priorities(host, own, priorities, whose), *_dscps(host, own, dscps, whose)]
        faults += _ages(host, min(timeouts)) if timeouts else ()
        yield from ((host, output, fault) for output, fault in faults)
    yield from _tables(hosts)


def _most_common(values: Iterable[frozenset[T]]) -> frozenset[T]:
    counts = Counter(value for value in values if value)
    return counts.most_common(1)[0][0] if counts else frozenset()


def _words(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _priorities(
    host: SavedHost, own: Lossless, usual: frozenset[int], whose: str
) -> Iterator[HostFault]:
    for port in own.ports.values():
        if port.lossless and usual and set(port.lossless) != usual:
            here, there = _words(port.lossless), _words(usual)
            message = f"the lossless priorities are {here}, on most {whose} {there}"
            yield host.nics[port.name].output, Fault("AUD017", port.name, port.line, message)


def _dscps(
    host: SavedHost, own: Lossless, usual: frozenset[int], whose: str
) -> Iterator[HostFault]:
    """Judge maps; a host may map more DSCPs, since a NIC maps eight to each priority by default."""
    for port in own.ports.values():
        nic = host.nics[port.name]
        here = {dscp for dscp, number in port.dscp_to_class.items() if number in port.lossless}
        if here and not usual <= here:
            output, line = nic.place(rf"prio:{min(port.lossless)}\b|\"dscp_prio\"")
            message = f"DSCPs {_words(here)} are lossless, on most {whose} {_words(usual)}"
            yield output, Fault("AUD017", port.name, line or port.line, message)
    for nic in host.nics.values():
        for mark in nic.marks if usual else ():
            if mark.dscp is not None and mark.dscp not in usual:
                message = f"RoCE is sent with DSCP {mark.dscp}, lossless on most {whose} are"
                line = mark.output.line("^Global")
                yield mark.output, Fault("AUD017", nic.name, line, f"{message} {_words(usual)}")


def _ages(host: SavedHost, arp_s: float) -> Iterator[HostFault]:
    """Judge ARP; a NIC without IPv4 has none, and ages of ND on switches are not read."""
    for name in (nic.name for nic in host.carriers if not nic.addresses or nic.addresses.ipv4):
        reachable_ms, stale_s = (
            host.parameters.get(("neigh", name, key))
            for key in ("base_reachable_time_ms", "gc_stale_time")
        )
        if reachable_ms is None or stale_s is None:
            continue
        age_s = _MOST * ms_to_s(reachable_ms) + stale_s
        if age_s >= arp_s:
            output = host.outputs["sysctl", ""]
            line = output.line(rf"neigh\.{name.replace('.', '/')}\.gc_stale_time\b")
            message = f"neighbours are kept for up to {age_s:g} s, on switches for {arp_s:g} s"
            yield output, Fault("AUD023", name, line, message)


def _tables(hosts: Sequence[SavedHost]) -> Iterator[tuple[SavedHost, Output, Fault]]:
    """Count the NICs in the subnets of each host; the kernel has a table for each family."""
    subnets = [list(_subnets(host)) for host in hosts]
    members = Counter(subnet for own in subnets for subnet in own)
    for host, own in zip(hosts, subnets, strict=True):
        for version, group in ((4, "neigh"), (6, "neigh6")):
            room = host.parameters.get((group, "default", "gc_thresh3"))
            peers = sum(members[subnet] - 1 for subnet in own if subnet.version == version)
            if room is not None and peers > room:
                output = host.outputs["sysctl", ""]
                line = output.line(rf"ipv{version}\.neigh\.default\.gc_thresh3")
                message = (
                    f"{counted(peers, 'NIC is', 'NICs are')} in its subnets, gc_thresh3 is {room}"
                )
                yield host, output, Fault("AUD024", "", line, message)


def _subnets(host: SavedHost) -> Iterator[IPv4Network | IPv6Network]:
    """Yield the subnet of each address of the NICs of a host."""
    for nic in host.carriers:
        for address in (*nic.addresses.ipv4, *nic.addresses.ipv6) if nic.addresses else ():
            network = ip_interface(address).network
            if network.version == _IPV4 or not network.is_link_local:
                yield network

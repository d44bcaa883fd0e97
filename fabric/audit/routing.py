"""How soon BGP notices a dead path, policies that do not exist, and ages behind gateways."""

from __future__ import annotations

from collections import Counter, defaultdict
from ipaddress import ip_address
from typing import TYPE_CHECKING

from fabric.audit.fault import Fault
from fabric.audit.knowledge import weighed
from fabric.audit.switch import ROCE_MTU6_BYTES, ROCE_MTU_BYTES
from fabric.audit.tunnels import judge_header, judge_vrfs
from fabric.core.counts import counted
from fabric.observe.configuration import readers
from fabric.observe.configuration.lossless import lossless_readers
from fabric.prove.policies import undefined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration import Configured
    from fabric.observe.configuration.lossless import Lossless
    from fabric.observe.configuration.model import BgpPeer, ConfiguredPort

#: Longest hold time that is accepted without BFD, in seconds: RFC 7938 section 7.1 asks for less
#: than the 90 s of RFC 4271; 30 s is our choice.
MOST_HOLD_S = 30
_NEVER = 0
#: Every switch has it (IEEE 802.1Q-2018 table 9-2).
_DEFAULT_VLAN = 1


def judge(switch: Lossless, text: str) -> Iterator[Fault]:
    """Yield what is wrong with routing in the configuration of one switch.

    Parameters
    ----------
    switch : Lossless
        What its text says of the lossless class; without a reader of its system for the rest,
        nothing is judged.
    """
    if switch.system not in readers:
        yield from (weighed(fault, switch.leftovers) for fault in judge_header(switch, None, text))
        return
    configured = readers[switch.system](defaultdict(lambda: text))
    unknown = [*switch.leftovers, *configured.leftovers]
    faults = (
        *_faults(switch, configured),
        *judge_header(switch, configured, text),
        *judge_vrfs(configured),
    )
    yield from (weighed(fault, unknown) for fault in faults)


def _faults(switch: Lossless, configured: Configured) -> Iterator[Fault]:
    if any(port.gateway_vlan is not None for port in configured.ports.values()):
        yield from _ageing(switch)
    yield from _lost_vlans(switch, configured)
    yield from _twice(configured)
    yield from _mtu6(switch, configured)
    for peer in configured.bgp.peers.values() if configured.bgp else ():
        if peer.bfd or (peer.hold_s is not None and 0 < peer.hold_s <= MOST_HOLD_S):
            continue
        hold = f"{peer.hold_s} s" if peer.hold_s else "that of the system, 90 s or more"
        message = f"BGP session {peer.session}: no BFD, and the hold time is {hold}"
        yield Fault("AUD012", "", peer.line, message, is_absence=True)
    yield from _single_path(configured)
    for line, words in undefined(configured):
        yield Fault("AUD013", "", line, f"{words} does not exist", is_absence=True)


def _single_path(configured: Configured) -> Iterator[Fault]:
    """Find a switch that uses one of several equal paths: of one AS, or up from a gateway."""
    bgp = configured.bgp
    if bgp is None or bgp.max_paths > 1:
        return
    peers = [peer for peer in bgp.peers.values() if _carries_data(peer, bgp.asn)]
    most_of_an_as = max(Counter(peer.asn for peer in peers if peer.asn).values(), default=0)
    is_leaf = any(port.gateway_vlan is not None for port in configured.ports.values())
    sessions = len(peers) if is_leaf else most_of_an_as
    if sessions > 1:
        message = f"BGP uses one of the equal paths over {counted(sessions, 'session')}"
        yield Fault("AUD050", "", bgp.line, message, is_absence=True)


def _carries_data(peer: BgpPeer, asn: int) -> bool:
    """Tell whether routes of packets come from a peer next to the switch, of another AS."""
    is_near = peer.hops is None and not peer.evpn
    return is_near and peer.asn != asn and peer.enabled is not False and bool(peer.activated)


def _twice(configured: Configured) -> Iterator[Fault]:
    """Find an address that two ports of one VRF have; link-local ones are of their link alone."""
    first: dict[tuple[str, bool, int], str] = {}
    for name, port in configured.ports.items():
        for entry in port.addresses if port.enabled and port.routed is not False else ():
            address = entry.text.partition("/")[0]
            if ip_address(address).is_link_local:
                continue
            owner = first.setdefault((port.vrf, entry.is_ipv6, entry.address), name)
            if owner != name:
                yield Fault("AUD054", name, entry.line, f"{owner} has the address {address} too")


def _lost_vlans(switch: Lossless, configured: Configured) -> Iterator[Fault]:
    """Find VLANs that ports are in and that no line makes; the default VLAN is always there."""
    if lossless_readers[switch.system].ports_make_vlans:
        return
    ports: dict[int | str, list[ConfiguredPort]] = defaultdict(list)
    for port in configured.ports.values():
        vlan = port.unknown_vlan or port.vlan or _DEFAULT_VLAN
        if port.enabled and port.routed is not True:
            ports[vlan].append(port)
    existing = {_DEFAULT_VLAN, *configured.vlans}
    for vlan, own in ports.items():
        if vlan not in existing:
            are = counted(len(own), "port is", "ports are")
            message = f"VLAN {vlan} does not exist, and {are} in it"
            yield Fault("AUD058", own[0].name, own[0].line, message, is_absence=True)


def _mtu6(switch: Lossless, configured: Configured) -> Iterator[Fault]:
    """Judge ports whose MTU fits RoCE packets of IPv4 alone, where the port has IPv6."""
    for name, port in configured.ports.items():
        mtu = switch.ports[name].mtu_bytes if name in switch.ports else None
        has_ipv6 = any(entry.is_ipv6 for entry in port.addresses)
        if mtu and has_ipv6 and ROCE_MTU_BYTES <= mtu.value < ROCE_MTU6_BYTES:
            message = f"the MTU is {mtu.value:g} bytes; RoCE packets of IPv6 take"
            yield Fault("AUD009", name, mtu.line or port.line, f"{message} {ROCE_MTU6_BYTES:,}")


def _ageing(switch: Lossless) -> Iterator[Fault]:
    """Compare both ages; only behind the gateway of a VLAN do both tables hold the same hosts."""
    arp, mac = switch.arp_timeout_s, switch.mac_ageing_s
    if arp is None or mac is None or mac.value == _NEVER:
        return
    if arp.value >= mac.value or arp.value == _NEVER:
        message = f"ARP entries live {arp.value:,.0f} s, MAC entries {mac.value:,.0f} s"
        is_default = not (arp.line and mac.line)
        yield Fault("AUD010", "", arp.line or mac.line, message, is_absence=is_default)

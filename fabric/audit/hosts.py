"""One host: GIDs, ARP, receive buffers and who owns the settings, from outputs saved on it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from ipaddress import ip_interface
from typing import TYPE_CHECKING

from fabric.audit.fault import Fault
from fabric.audit.host_class import SWITCHES_ALONE, lossless
from fabric.audit.switch import judge as judge_class
from fabric.core.counts import counted
from fabric.core.units import mbps_to_bps
from fabric.qos.headroom.mlx5 import LEAST_SPEED_MBPS, MAX_TOLD_CABLE_M, nic_headroom_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.observe.hostfacts.gids import Gid
    from fabric.observe.saved.model import Output, SavedHost, SavedNic

    HostFault = tuple[Output, Fault]
    Judge = Callable[[SavedHost], Iterator[HostFault]]

#: The kernel takes 96 bytes off for headers: RDMA packets of 4,096 bytes need this MTU (Linux
#: include/rdma/ib_addr.h, iboe_get_mtu).
LEAST_MTU_BYTES = 4_192
#: MTU of a network device that nobody told (Linux ETH_DATA_LEN).
_USUAL_MTU_BYTES = 1_500
#: Values that one NIC needs where another is in its subnet (Linux ip-sysctl.rst).
_OWN_ADDRESS, _BEST_SOURCE, _STRICT = 1, 2, 1

_judges: list[Judge] = []


def judge(host: SavedHost) -> Iterator[HostFault]:
    """Yield what is wrong with one host, each fault with the output that shows it."""
    ports = lossless(host)
    if ports.ports:
        first = next(iter(ports.ports.values()))
        for fault in judge_class(ports):
            if fault.rule not in SWITCHES_ALONE:
                output = host.nics[fault.port or first.name].output
                yield output, fault if fault.line else fault._replace(line=first.line)
    for one in _judges:
        yield from one(host)
    for output, reason in host.unread:
        yield output, Fault("AUD019", "", 0, f"this output was not read: {reason}")


def _of_host(action: Judge) -> Judge:
    _judges.append(action)
    return action


def _by_nic(action: Callable[[SavedNic], Iterator[HostFault]]) -> None:
    """Register a judge of every NIC with a lossless priority."""

    def every(host: SavedHost) -> Iterator[HostFault]:
        for nic in host.roce_nics:
            if nic.qos:
                yield from action(nic)

    _judges.append(every)


@_of_host
def _gids(host: SavedHost) -> Iterator[HostFault]:
    table = host.outputs.get(("show_gids", ""))
    if table is None or host.gids is None:
        return
    routable = [gid for gid in host.gids if gid.is_routable]
    pausing = [nic for nic in host.roce_nics if nic.qos]
    for nic in pausing:
        if _lacks_gid(host, nic, routable):
            line = table.line(rf"\s{re.escape(nic.name)}\s*$")
            yield table, Fault("AUD020", nic.name, line, "the NIC has no routable RoCEv2 GID")
    if not pausing and not routable:
        yield table, Fault("AUD020", "", 0, "no NIC has a routable RoCEv2 GID")
    if routable and not any(gid.address for gid in routable):
        yield table, Fault("AUD030", "", 0, "every routable RoCEv2 GID is one of IPv6")
    # The address of a bond is in the table of every RDMA device below it.
    count = Counter((gid.device, gid.port, gid.interface, bool(gid.address)) for gid in routable)
    for (device, _, name, is_ipv4), number in count.items():
        if name and number > 1:
            column = r"\.\d+" if is_ipv4 else r"[23][0-9a-f]{3}:\S+|f[cd][0-9a-f]{2}:\S+"
            line = table.line(rf"^{re.escape(device)}\s.*({column})\s+v2\s+{re.escape(name)}\s*$")
            message = (
                f"the NIC has {counted(number, 'RoCEv2 GID')} with {'IPv4' if is_ipv4 else 'IPv6'}"
            )
            yield table, Fault("AUD021", name, line, message)


def _lacks_gid(host: SavedHost, nic: SavedNic, routable: list[Gid]) -> bool:
    """Tell whether a NIC, and all that sends by it, have no routable GID, as far as is known.

    A NIC below a bond has no RDMA device, and virtual functions may be in other namespaces.
    """
    mine = {device for device, names in host.devices.items() if nic.name in names}
    if any(gid.device in mine for gid in routable):
        return False
    has_functions = nic.addresses is not None and bool(nic.addresses.functions)
    return not has_functions and (bool(mine) or not routable)


@_of_host
def _shared_subnets(host: SavedHost) -> Iterator[HostFault]:
    """Judge ARP of NICs that are in one subnet, where the kernel parameters are saved."""
    output = host.outputs.get(("sysctl", ""))
    subnets = defaultdict(set)
    for nic in host.carriers:
        for address in nic.addresses.ipv4 if nic.addresses else ():
            subnets[ip_interface(address).network].add(nic.name)
    for subnet, names in subnets.items() if output else ():
        for name in sorted(names) if len(names) > 1 else ():
            for message, key in _arp_faults(host, name):
                assert output
                line = output.line(rf"conf\.{name.replace('.', '/')}\.{key}\b")
                text = f"{message}, and {counted(len(names), 'NIC is', 'NICs are')} in {subnet}"
                yield output, Fault("AUD022", name, line, text)


def _arp_faults(host: SavedHost, name: str) -> Iterator[tuple[str, str]]:
    ignore, announce, check = (
        _effective(host, name, key) for key in ("arp_ignore", "arp_announce", "rp_filter")
    )
    if ignore is not None and ignore < _OWN_ADDRESS:
        yield f"arp_ignore is {ignore}: the NIC answers for addresses of others", "arp_ignore"
    if announce is not None and announce < _BEST_SOURCE:
        yield f"arp_announce is {announce}: the NIC may ask with another's address", "arp_announce"
    if check == _STRICT:
        yield "rp_filter is 1: packets that arrive by the other NIC are dropped", "rp_filter"


def _effective(host: SavedHost, name: str, key: str) -> int | None:
    """Return the larger of what a NIC and ``all`` have (Linux ip-sysctl.rst), None if unknown."""
    values = [host.parameters.get(("conf", one, key)) for one in ("all", name)]
    known = [value for value in values if value is not None]
    return max(known) if len(known) == len(values) else None


@_by_nic
def _buffers(nic: SavedNic) -> Iterator[HostFault]:
    """Judge receive buffers that somebody told apart; one for all is what firmware begins with."""
    qos = nic.qos
    if qos is None or qos.buffer_bytes is None or len(set(qos.priority_to_buffer or ())) <= 1:
        return
    assert qos.priority_to_buffer
    output, line = nic.place(r"Receive buffer size|\"buffer_size\"")
    for priority in (number for number, on in enumerate(qos.pfc) if on):
        buffer = qos.priority_to_buffer[priority]
        others = [
            str(number)
            for number, other in enumerate(qos.priority_to_buffer)
            if other == buffer and not qos.pfc[number]
        ]
        if others:
            message = f"priorities {', '.join(others)} share the receive buffer of priority"
            yield output, Fault("AUD025", nic.name, line, f"{message} {priority}")
        size, need = qos.buffer_bytes[buffer], _need_bytes(nic, qos.cable_m)
        if size < need:
            message = f"receive buffer {buffer} has {size:,} bytes; {need:,} are needed"
            yield output, Fault("AUD025", nic.name, line, message)


def _need_bytes(nic: SavedNic, cable_m: int | None) -> int:
    """Return the least size of a lossless buffer: what arrives after the pause, and one packet.

    Linux mlx5 en/port_buffer.c, update_xoff_threshold. Where the speed is not saved, it is the
    lowest that the driver reckons with.
    """
    mtu = nic.addresses.mtu_bytes if nic.addresses else _USUAL_MTU_BYTES
    speed = int(nic.rate_bps / mbps_to_bps(1)) if nic.rate_bps else LEAST_SPEED_MBPS
    return int(nic_headroom_bytes(speed, cable_m or 0, mtu)) + mtu


@_of_host
def _cables(host: SavedHost) -> Iterator[HostFault]:
    """Judge the cables that drivers were told; ``dcb`` says 0 where a driver knows none."""
    for nic in host.roce_nics:
        is_mlx5 = any(nic.name in names for one, names in host.devices.items() if "mlx5" in one)
        if is_mlx5 or not nic.output.line(r"\"delay\": ?0\b"):
            yield from _cable(nic)


def _cable(nic: SavedNic) -> Iterator[HostFault]:
    cable_m = nic.qos.cable_m if nic.qos else None
    if cable_m is not None and not 0 < cable_m < MAX_TOLD_CABLE_M:
        line = nic.output.line(r"Cable len|\"delay\"")
        message = f"the driver ignores a cable length of {cable_m} m"
        yield nic.output, Fault("AUD025", nic.name, line, message)


@_by_nic
def _owner(nic: SavedNic) -> Iterator[HostFault]:
    if nic.qos and nic.qos.dcbx == "fw":
        message = "the firmware controls DCBX: a switch may change these settings"
        yield nic.output, Fault("AUD026", nic.name, nic.output.line("DCBX mode"), message)
    warning = nic.output.line("lldpad service is running")
    if warning:
        message = "lldpad is running and may overwrite these settings"
        yield nic.output, Fault("AUD026", nic.name, warning, message)


@_by_nic
def _link_pause(nic: SavedNic) -> Iterator[HostFault]:
    if nic.pauses:
        line = nic.pauses.line(r"^[RT]X:\s+on")
        message = "pause of the whole link is on, and PFC too"
        yield nic.pauses, Fault("AUD027", nic.name, line, message)


@_by_nic
def _mark(nic: SavedNic) -> Iterator[HostFault]:
    qos = nic.qos
    for mark in nic.marks if qos else ():
        assert qos
        if mark.is_unmarked and not qos.pfc[qos.dscp_to_priority.get(0, 0)]:
            message = "the driver marks nothing: RoCE has DSCP 0 unless a program sets its class"
            yield mark.output, Fault("AUD029", nic.name, 0, message)
        priority = None if mark.dscp is None else qos.dscp_to_priority.get(mark.dscp)
        if priority is not None and not qos.pfc[priority]:
            message = f"RoCE is sent with DSCP {mark.dscp}, whose priority {priority} is not"
            line = mark.output.line("^Global")
            yield mark.output, Fault("AUD028", nic.name, line, f"{message} lossless")


@_of_host
def _mtu(host: SavedHost) -> Iterator[HostFault]:
    output = host.outputs.get(("ip_addr", ""))
    for nic in host.carriers if output else ():
        if nic.addresses and nic.addresses.mtu_bytes < LEAST_MTU_BYTES:
            assert output
            line = output.line(rf'"ifname": ?"{re.escape(nic.name)}"')
            mtu = nic.addresses.mtu_bytes
            message = f"the MTU is {mtu} bytes; RDMA packets of 4,096 take {LEAST_MTU_BYTES:,}"
            yield output, Fault("AUD009", nic.name, line, message)

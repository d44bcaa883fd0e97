"""One switch: what its configuration says of the lossless class, judged port by port."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from fabric.audit.fault import Fault
from fabric.audit.knowledge import weighed
from fabric.audit.port_maps import unmapped
from fabric.audit.rules import AUDIT_RULES
from fabric.core.counts import noun
from fabric.core.spans import spans
from fabric.observe.configuration.lossless import lossless_readers
from fabric.platforms import platforms
from fabric.qos.dcqcn.parameters import USUAL_CNP_DSCP
from fabric.qos.headroom.wire import floor_bytes
from fabric.qos.watchdog import LONGEST_DETECTION_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.observe.configuration.lossless import Lossless, Marking, PortPolicy

    Judge = Callable[[Lossless], Iterator[Fault]]

#: RoCEv2 packet of a 4,096-byte RDMA MTU: IPv4 20, UDP 8, BTH 12, RETH 16, payload, ICRC 4
#: (InfiniBand annex A17); what a switch calls MTU counts from the IP header on.
ROCE_MTU_BYTES = 4_156
#: The same with IPv6, whose header has 40 bytes (RFC 8200 section 3).
ROCE_MTU6_BYTES = ROCE_MTU_BYTES + 20
#: Lossless priorities that most chips have headroom for (IEEE 802.1Q-2018 annex N).
MOST_LOSSLESS = 2

#: A queue that marks every packet above one threshold.
_ALWAYS_PERCENT = 100
_ALL_PERCENT = 100

_judges: list[Judge] = []


def judge(lossless: Lossless) -> Iterator[Fault]:
    """Yield what is wrong with one switch, and what cannot be judged."""
    for action in (_has_class, *_judges):
        for fault in action(lossless):
            yield weighed(fault, lossless.leftovers)
    for item in lossless.leftovers:
        yield Fault("AUD018", "", item.line, f"this line was not understood: {item.text}")


def _has_class(lossless: Lossless) -> Iterator[Fault]:
    if any(port.lossless for port in lossless.ports.values()):
        return
    negotiated = [port for port in lossless.ports.values() if _may_pause(port)]
    if negotiated:
        yield from (_negotiated("AUD001", port) for port in negotiated)
    elif lossless.everywhere or not lossless.ports:
        message = "AUD001 is not judged: no port is known to carry traffic"
        yield Fault("AUD042", "", next(iter(lossless.everywhere.values()), 0), message)
    else:
        yield Fault("AUD001", "", 0, "no port has a lossless class (PFC)", is_absence=True)


def _may_pause(port: PortPolicy) -> bool:
    """Tell whether DCBX decides on PFC, on a port that a line configures for traffic."""
    in_use = port.negotiated or port.tagged or port.routed is not None
    return port.is_open and port.enabled and bool(in_use)


def _negotiated(rule: str, port: PortPolicy) -> Fault:
    auto = "set to auto" if port.negotiated else "auto by default, as no line sets it"
    message = (
        f"PFC of the port is {auto}: it is on only where the peer agrees by DCBX, which no "
        f"file shows, so {rule} is not judged"
    )
    return Fault("AUD042", port.name, port.negotiated or port.line, message)


def _in_use(lossless: Lossless) -> list[PortPolicy]:
    """Return the ports that are up and were configured for traffic: by PFC, or by an address."""
    return [port for port in lossless.ports.values() if port.enabled and port.routed is not None]


def _by_port(action: Callable[[PortPolicy], Iterator[Fault]]) -> Judge:
    """Register a judge of every port that has a lossless class."""

    def every(lossless: Lossless) -> Iterator[Fault]:
        for port in lossless.ports.values():
            if port.lossless:
                yield from action(port)

    _judges.append(every)
    return every


def _whole(action: Judge) -> Judge:
    _judges.append(action)
    return action


@_whole
def _same_priorities(lossless: Lossless) -> Iterator[Fault]:
    sets = {port.name: frozenset(port.lossless) for port in _in_use(lossless)}
    counts = Counter(value for value in sets.values() if value)
    if not counts:
        return
    usual, most_ports = counts.most_common(1)[0]
    most = "most" if 2 * most_ports > counts.total() else "more"
    for port in _in_use(lossless):
        own = sets[port.name]
        if port.is_open:
            yield _negotiated("AUD002", port)
        elif own != usual:
            many = "as many" if counts[own] == most_ports else most
            message = f"the port has {_priorities(own)}, {many} ports have {_priorities(usual)}"
            yield Fault("AUD002", port.name, port.line, message, is_absence=own < usual)


def _priorities(numbers: frozenset[int]) -> str:
    if not numbers:
        return "no lossless priority"
    word = noun(len(numbers), "lossless priority")
    return f"{word} {', '.join(map(str, sorted(numbers)))}"


@_by_port
def _gaps(port: PortPolicy) -> Iterator[Fault]:
    for priority, gap in port.gaps.items():
        if priority in port.lossless:
            message = f"priority {priority} is lossless in part: {gap.words}"
            yield Fault("AUD002", port.name, gap.line, message, is_absence=gap.is_absence)


@_by_port
def _ecn(port: PortPolicy) -> Iterator[Fault]:
    for priority, line in port.lossless.items():
        queue = port.class_to_queue.get(priority, priority)
        marking = port.markings.get(queue)
        if marking is None or not marking.ecn:
            where = marking.line if marking else line
            message = f"priority {priority} is lossless, and its queue {queue} marks no ECN"
            yield Fault("AUD003", port.name, where, message, is_absence=True)
            continue
        if words := _disorder(marking):
            yield Fault("AUD004", port.name, marking.line, f"queue {queue}: {words}")
        if marking.pmax_percent == 0:
            yield Fault("AUD004", port.name, marking.line, f"queue {queue} marks with 0 %")
        low, pause = marking.kmin_bytes, port.pause_bytes.get(priority)
        if low is not None and pause is not None and low > pause.value:
            message = f"queue {queue}: Kmin is {low:,} bytes, the pause threshold {pause.value:,}"
            yield Fault("AUD005", port.name, marking.line, message)


def _disorder(marking: Marking) -> str:
    """Return how thresholds are out of order, in bytes or in any unit; empty where they are not."""
    low, high = marking.kmin_bytes, marking.kmax_bytes
    if low is not None and high is not None:
        return f"Kmin is {low:,} bytes, Kmax {high:,}" if _crossed(marking, low, high) else ""
    least, most = marking.limits or (0, 1)
    return f"Kmin is {least:g}, Kmax {most:g}" if _crossed(marking, least, most) else ""


def _crossed(marking: Marking, low: float, high: float) -> bool:
    """Tell whether thresholds leave no range to mark in; with 100 % equal ones are a step.

    DCTCP marks so (RFC 8257, section 3.1); microsoft/AzureStack_Network_Switch_Config_Generator
    too.
    """
    return low > high or (low == high and marking.pmax_percent != _ALWAYS_PERCENT)


@_whole
def _watchdogs(lossless: Lossless) -> Iterator[Fault]:
    times = ", with a time for detection such as 200 ms"
    is_switch = lossless.system in platforms  # a host is none
    if is_switch and not platforms[lossless.system].watchdog_unit_known:
        title = platforms[lossless.system].title
        times = f"; no public source has the unit of its times on {title}"
    advice = f"{AUDIT_RULES['AUD006'].fix}{times}"
    for port in lossless.ports.values():
        if port.lossless:
            yield from (fault._replace(advice=advice) for fault in _watchdog(port))


def _watchdog(port: PortPolicy) -> Iterator[Fault]:
    watchdog, line = port.watchdog, min(port.lossless.values())
    if watchdog is None or not watchdog.enabled:
        where = watchdog.line if watchdog else line
        yield Fault("AUD006", port.name, where, "the PFC watchdog is off", is_absence=True)
    elif watchdog.action in ("errdisable", "shutdown", "error-down"):
        message = f"the PFC watchdog shuts the port down ({watchdog.action})"
        yield Fault("AUD006", port.name, watchdog.line, message)
    elif watchdog.action in ("alert", "notify-only"):
        message = f"the PFC watchdog ends no storm ({watchdog.action})"
        yield Fault("AUD006", port.name, watchdog.line, message)
    elif (watchdog.detection_ms or 0) > LONGEST_DETECTION_MS:
        message = f"the PFC watchdog waits {watchdog.detection_ms:,.0f} ms before it ends a storm"
        yield Fault("AUD006", port.name, watchdog.line, message)


@_by_port
def _trust(port: PortPolicy) -> Iterator[Fault]:
    if port.trusts_dscp is False and not (port.trusts_pcp and port.tagged):
        message = "the port has PFC and does not trust DSCP"
        yield Fault(
            "AUD007", port.name, port.line, message, is_absence=True, missing=port.trust_lines
        )


@_by_port
def _classes(port: PortPolicy) -> Iterator[Fault]:
    tagged = port.pcp_to_class.values() if port.tagged else ()
    reached = {*port.dscp_to_class.values(), *tagged}
    queues: dict[int, list[int]] = defaultdict(list)
    for number, queue in port.class_to_queue.items():
        if number in reached or number in port.lossless:
            queues[queue].append(number)
    for priority, line in port.lossless.items():
        is_known = port.dscp_to_class or (tagged and not port.trusts_dscp)
        if is_known and priority not in reached:
            what = "DSCP" if port.dscp_to_class else "priority of a tag"
            message = f"no {what} leads to the lossless class {priority}"
            yield Fault("AUD008", port.name, line, message, is_absence=True)
        queue = port.class_to_queue.get(priority, priority)
        shared = [_traffic(port, one) for one in queues[queue] if one != priority]
        if shared:
            words = f"queue {queue} of the lossless class {priority} also carries"
            message = f"{words} {' and '.join(shared)}"
            yield Fault("AUD008", port.name, line, message, is_absence=True)
    if len(port.lossless) > MOST_LOSSLESS:
        message = f"{len(port.lossless)} priorities are lossless"
        yield Fault("AUD014", port.name, min(port.lossless.values()), message)


def _traffic(port: PortPolicy, number: int) -> str:
    """Return a traffic class by its name, with the DSCPs that lead to it."""
    name = f"class {port.class_names.get(number, number)}"
    dscps = [dscp for dscp, to in sorted(port.dscp_to_class.items()) if to == number]
    return f"{name} (DSCP {','.join(spans(dscps))})" if dscps else name


@_by_port
def _paths_of_pauses(port: PortPolicy) -> Iterator[Fault]:
    for priority, line in port.lossless.items():
        group = port.class_to_group.get(priority, priority)
        if group != priority:
            message = f"class {priority} enters priority group {group}, which pauses nothing for it"
            yield Fault("AUD008", port.name, line, message)
        queue = port.class_to_queue.get(priority, priority)
        stopped = port.pause_to_queue.get(priority, queue)
        if stopped != queue:
            message = (
                f"a pause of priority {priority} stops queue {stopped}; the class uses {queue}"
            )
            yield Fault("AUD008", port.name, line, message)


def _mtu(port: PortPolicy) -> Iterator[Fault]:
    if port.mtu_bytes is not None and port.mtu_bytes.value < ROCE_MTU_BYTES:
        message = f"the MTU is {port.mtu_bytes.value:g} bytes; RoCE packets take {ROCE_MTU_BYTES:,}"
        line, is_default = port.mtu_bytes.line or port.line, not port.mtu_bytes.line
        yield Fault("AUD009", port.name, line, message, is_absence=is_default)


_by_port(_mtu)


@_whole
def _gateway_mtu(lossless: Lossless) -> Iterator[Fault]:
    """Judge what routes out of the VLANs of lossless ports: it drops what is longer."""
    ports = [port for port in lossless.ports.values() if port.lossless and port.enabled]
    carried = set().union(*(port.vlans for port in ports))
    for vlan, gateway in lossless.gateways.items():
        if vlan in carried and gateway.enabled:
            yield from _mtu(gateway)


@_by_port
def _service(port: PortPolicy) -> Iterator[Fault]:
    for priority in port.lossless:
        queue = port.class_to_queue.get(priority, priority)
        share = port.percent.get(queue)
        if share is None and queue in port.strict:
            line, is_default = port.strict[queue] or port.line, not port.strict[queue]
            message, missing = f"the lossless queue {queue} is strict", port.share_lines.get(queue)
            yield Fault("AUD015", port.name, line, message, is_default, missing or ())
        elif share is not None and share.value == 0:
            message = f"the lossless queue {queue} has no share"
            yield Fault("AUD015", port.name, share.line, message, is_absence=True)


@_whole
def _shares(lossless: Lossless) -> Iterator[Fault]:
    """Add the shares of each lossless port, of strict queues too, where they are no weights."""
    system = lossless.system
    if system not in lossless_readers or not lossless_readers[system].shares_in_percent:
        return
    for port in lossless.ports.values():
        every = {**port.strict_percent, **port.percent} if port.lossless else {}
        shares = [share.value for _, share in sorted(every.items())]
        if sum(shares) > _ALL_PERCENT:
            words = f"{' + '.join(f'{share:g}' for share in shares)} = {sum(shares):g} %"
            line = max(share.line for share in every.values())
            yield Fault("AUD052", port.name, line, f"the shares of the queues are {words}")


@_whole
def _buffer_parts(lossless: Lossless) -> Iterator[Fault]:
    """Add the parts of the shared buffer: those of ingress are the whole of it."""
    for side, parts in lossless.buffer_parts.items():
        total = sum(part.value for part in parts.values())
        if total > _ALL_PERCENT or (side == "ingress" and total != _ALL_PERCENT):
            message = f"the {side} parts of the shared buffer are {total:g} % together"
            line = max(part.line for part in parts.values())
            yield Fault("AUD053", "", line, message, is_absence=total < _ALL_PERCENT)


@_by_port
def _port_pause(port: PortPolicy) -> Iterator[Fault]:
    """Find the pause of a whole port beside that of its lossless classes."""
    ways = {way: pause.line for way, pause in port.port_pauses.items() if pause.value}
    if ways:
        words = " and ".join(sorted(ways))
        message = f"the port has PFC and flow control of the whole port ({words})"
        yield Fault("AUD055", port.name, min(ways.values()), message)


@_by_port
def _notices(port: PortPolicy) -> Iterator[Fault]:
    """Find notices of congestion among the data that they are about."""
    number = port.dscp_to_class.get(USUAL_CNP_DSCP)
    if port.trusts_dscp is False or number is None:
        return
    for priority, line in port.lossless.items():
        queues = [port.class_to_queue.get(one, one) for one in (number, priority)]
        if queues[0] == queues[1]:
            message = f"DSCP {USUAL_CNP_DSCP}, which NICs send CNPs with by default, leads to queue"
            where = f"{queues[0]} of the lossless class {priority}"
            yield Fault("AUD051", port.name, line, f"{message} {where}")


@_by_port
def _headroom(port: PortPolicy) -> Iterator[Fault]:
    """Compare with what no peer can avoid, over a cable without length."""
    mtu = port.mtu_bytes.value if port.mtu_bytes else ROCE_MTU_BYTES
    for priority in port.lossless.keys() & port.headroom_bytes.keys():
        headroom, line = port.headroom_bytes[priority]
        floor = float(floor_bytes(port.speed_gbps or 0, 0, mtu, mtu))
        if headroom < floor:
            message = (
                f"priority {priority} has a headroom of {headroom:,.0f} bytes; "
                f"{floor:,.0f} arrive after a pause before any cable is counted"
            )
            yield Fault("AUD040", port.name, line, message)


@_whole
def _hash(lossless: Lossless) -> Iterator[Fault]:
    fields = lossless.hash_fields
    if fields is not None and "src-port" not in fields:
        message = "the UDP source port does not choose between equal paths"
        yield Fault("AUD011", "", 0, message, is_absence=True)


_whole(unmapped)


@_whole
def _buffers(lossless: Lossless) -> Iterator[Fault]:
    """Find lossless ports of a switch that makes their buffers by a line, which is absent."""
    lines = [line for port in lossless.ports.values() for line in port.lossless.values()]
    if lines and lossless.missing_buffer_line:
        message = f"PFC is on without `{lossless.missing_buffer_line}`, which makes its buffers"
        yield Fault("AUD057", "", min(lines), message, is_absence=True)


@_whole
def _names(lossless: Lossless) -> Iterator[Fault]:
    defined = {(one.kind, one.name) for one in lossless.defined}
    used = {(one.kind, one.name) for one in lossless.used}
    for one in lossless.used:
        if (one.kind, one.name) not in defined:
            message = f"{one.kind} {one.name} does not exist"
            yield Fault("AUD013", "", one.line, message, is_absence=True)
    for one in lossless.defined:
        if (one.kind, one.name) not in used:
            message = f"nothing uses {one.kind} {one.name}"
            yield Fault("AUD013", "", one.line, message, is_absence=True)

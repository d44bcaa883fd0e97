"""What each line of a Comware 7 port says of the lossless class."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from fabric.observe.configuration.blocks import Context, numbers
from fabric.observe.configuration.lossless import Marking, Use, Value
from fabric.systems.comware7.view import QUEUE_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.systems.comware7.reading_lossless.switch import Port

_MBPS = 1_000
_QUEUE = rf"(?P<queue>[0-7]|{'|'.join(QUEUE_WORDS)})"
#: Drop level of packets that no policer has coloured ([HPE]: green).
_GREEN = "0"

PORT = Context(
    r"(?!description |(undo )?shutdown$|port |ip address |mtu |speed |(undo )?jumboframe |qos "
    r"|(undo )?priority-flow-control).*",
    r"port (?!link-mode|link-aggregation group|access|link-type|trunk|hybrid).*",
    r"qos (gts|lr|car|priority) .*",
    r"priority-flow-control (early-warning|deadlock recover-mode) .*",
    r"priority-flow-control dot1p \d (headroom|ingress-buffer|ingress-threshold-offset"
    r"|reserved-buffer) .*",
)


def add_pfc_lines(context: Context, port_of: Callable[[Any], Port]) -> None:
    """Register the lines of PFC that both the system view and ports have.

    Parameters
    ----------
    port_of : callable
        From the target of the lines to the port that they are about.
    """

    @context.line(r"priority-flow-control (?P<mode>auto|enable)")
    @context.line(r"(?P<mode>undo) priority-flow-control")
    def _mode(target: object, _: int, mode: str) -> None:
        port_of(target).mode = mode

    @context.line(r"priority-flow-control no-drop dot1p (?P<priorities>[\d,-]+)")
    def _no_drop(target: object, line: int, priorities: str) -> None:
        port_of(target).pfc |= dict.fromkeys(numbers(priorities), line)


def add_wred_lines(
    context: Context, prefix: str, markings_of: Callable[[Any], dict[int, Marking]]
) -> None:
    """Register the lines of WRED that both tables and ports have.

    Parameters
    ----------
    prefix : str
        Words before ``queue``.
    markings_of : callable
        From the target of the lines to the markings of its queues.
    """

    @context.line(
        rf"{prefix}queue {_QUEUE}( drop-level (?P<level>[0-2]))? low-limit (?P<low>\d+)"
        r" high-limit (?P<high>\d+)( discard-probability \d+)?"
    )
    def _limits(
        target: object, line: int, queue: str, level: str | None, low: str, high: str
    ) -> None:
        marking = _marking(markings_of(target), queue, line)
        if (level or _GREEN) == _GREEN:
            marking.limits = int(low), int(high)

    @context.line(rf"{prefix}queue {_QUEUE} ecn")
    def _ecn(target: object, line: int, queue: str) -> None:
        _marking(markings_of(target), queue, line).ecn = True

    @context.line(rf"{prefix}queue {_QUEUE} weighting-constant \d+")
    def _weighting(_: object, __: int, queue: str) -> None:
        """Leave it: how fast an average follows the queue changes no threshold."""


def _marking(markings: dict[int, Marking], queue: str, line: int) -> Marking:
    return markings.setdefault(_number(queue), Marking(line, ecn=False))


def _number(queue: str) -> int:
    return int(queue) if queue.isdigit() else QUEUE_WORDS.index(queue)


add_pfc_lines(PORT, lambda port: port)
add_wred_lines(PORT, "qos wred ", attrgetter("markings"))


@PORT.line(r"priority-flow-control deadlock enable")
def _deadlock(port: Port, line: int) -> None:
    port.deadlock = line


@PORT.line(r"port link-aggregation group (?P<number>\d+)")
def _member(port: Port, _: int, number: str) -> None:
    port.group = number


@PORT.line(r"port link-mode (?P<mode>bridge|route)")
def _link_mode(port: Port, _: int, mode: str) -> None:
    port.link_mode = mode


@PORT.line(r"port link-type (trunk|hybrid)")
def _tagged(port: Port, _: int) -> None:
    port.routed, port.tagged = False, True


@PORT.line(r"(?P<address>ip address) .*")
@PORT.line(r"port (access|link-type|trunk|hybrid) .*")
def _in_use(port: Port, _: int, address: str | None = None) -> None:
    port.routed = bool(address)


@PORT.line(r"mtu (?P<mtu>\d+)")
def _mtu(port: Port, line: int, mtu: str) -> None:
    port.mtu_bytes = Value(int(mtu), line)


@PORT.line(r"jumboframe enable( (?P<frame>\d+))?")
def _jumboframe(port: Port, line: int, frame: str | None) -> None:
    port.frame_bytes = Value(int(frame), line) if frame else None


@PORT.line(r"speed (?P<mbps>\d+)")
def _speed(port: Port, _: int, mbps: str) -> None:
    port.speed_gbps = int(mbps) / _MBPS


@PORT.line(r"speed auto.*")
def _auto(_: Port, __: int) -> None:
    """Leave the speed to the name of the port."""


@PORT.line(r"qos trust (?P<what>\S+)( override)?")
def _trust(port: Port, _: int, what: str) -> None:
    port.trusts_dscp = None if what == "auto" else what == "dscp"
    port.trusts_pcp = what == "dot1p"


@PORT.line(r"qos wred apply (?P<name>\S+)")
def _apply(port: Port, line: int, name: str) -> None:
    port.table = Use("WRED table", name, line)


@PORT.line(r"qos (wfq|wrr) (byte-count|weight)")
@PORT.line(r"qos (wfq|wrr|wred apply)")
def _turns(_: Port, __: int) -> None:
    """Leave the queues to their own lines; a table without a name is that of the system."""


@PORT.line(r"qos sp")
def _all_strict(port: Port, line: int) -> None:
    port.strict = dict.fromkeys(range(len(QUEUE_WORDS)), line)


@PORT.line(rf"qos (wfq|wrr) {_QUEUE} group sp")
def _strict(port: Port, line: int, queue: str) -> None:
    port.strict[_number(queue)] = line


@PORT.line(rf"qos (wfq|wrr) {_QUEUE} (group [12] )?(byte-count|weight) (?P<share>\d+)")
def _share(port: Port, line: int, queue: str, share: str) -> None:
    port.percent[_number(queue)] = Value(int(share), line)

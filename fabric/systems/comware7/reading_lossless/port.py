"""What each line of a Comware 7 port says of the lossless class, and those of WRED tables."""

from __future__ import annotations

from fabric.observe.configuration.blocks import numbers
from fabric.observe.configuration.lossless import Marking, Use, Value
from fabric.systems.comware7.reading_lossless.switch import LINES, ComwarePort, Switch
from fabric.systems.comware7.view import QUEUE_WORDS

_MBPS = 1_000
#: Drop level of packets that no policer has coloured ([HPE]: green).
_GREEN = "0"
#: Queues by their words and by their numbers.
_QUEUES = {word: number for number, name in enumerate(QUEUE_WORDS) for word in (name, str(number))}

Markings = dict[int, Marking]


def _port(target: Switch | ComwarePort) -> ComwarePort:
    """Return the port that a line of PFC is about: that of all, in the system view."""
    return target.every if isinstance(target, Switch) else target


@LINES.means("pfc")
def _pfc(target: Switch | ComwarePort, _: int, mode: str = "undo") -> None:
    _port(target).mode = mode


@LINES.means("flow_control")
def _flow_control(port: ComwarePort, line: int) -> None:
    port.port_pauses["receive"] = port.port_pauses["send"] = Value(1, line)


@LINES.means("no_drop")
def _no_drop(target: Switch | ComwarePort, line: int, priorities: str) -> None:
    _port(target).pfc |= dict.fromkeys(numbers(priorities), line)


@LINES.means("limits")
def _limits(
    target: Markings | ComwarePort, line: int, queue: str, low: str, high: str, level: str = _GREEN
) -> None:
    marking = _marking(target, queue, line)
    if level == _GREEN:
        marking.limits = int(low), int(high)


@LINES.means("ecn")
def _ecn(target: Markings | ComwarePort, line: int, queue: str) -> None:
    _marking(target, queue, line).ecn = True


@LINES.means("weighting")
def _weighting(_: Markings | ComwarePort, __: int, queue: str) -> None:
    """Leave it: how fast an average follows the queue changes no threshold."""
    if queue not in _QUEUES:
        raise ValueError(queue)


def _marking(target: Markings | ComwarePort, queue: str, line: int) -> Marking:
    markings = target.markings if isinstance(target, ComwarePort) else target
    return markings.setdefault(_QUEUES[queue], Marking(line, ecn=False))


@LINES.means("deadlock")
def _deadlock(port: ComwarePort, line: int) -> None:
    port.deadlock = line


@LINES.means("member")
def _member(port: ComwarePort, _: int, number: str) -> None:
    port.group = number


@LINES.means("link_mode")
def _link_mode(port: ComwarePort, _: int, mode: str) -> None:
    port.link_mode = mode


@LINES.means("link_type")
def _link_type(port: ComwarePort, _: int, kind: str) -> None:
    port.routed, port.tagged = False, port.tagged or kind != "access"


@LINES.means("switched")
def _switched(port: ComwarePort, _: int) -> None:
    port.routed = False


@LINES.means("routed")
def _routed(port: ComwarePort, _: int, **__: str) -> None:
    port.routed = True


@LINES.means("mtu")
def _mtu(port: ComwarePort, line: int, bytes: str) -> None:  # noqa: A002 - of the book
    port.mtu_bytes = Value(int(bytes), line)


@LINES.means("jumboframe")
def _jumboframe(port: ComwarePort, line: int, frame: str | None = None) -> None:
    port.frame_bytes = Value(int(frame), line) if frame else None


@LINES.means("speed")
def _speed(port: ComwarePort, _: int, speed: str) -> None:
    if speed != "auto":  # else it is that of the name of the port
        port.speed_gbps = int(speed) / _MBPS


@LINES.means("trust")
def _trust(port: ComwarePort, _: int, what: str) -> None:
    port.trusts_dscp = None if what == "auto" else what == "dscp"
    port.trusts_pcp = what == "dot1p"


@LINES.means("apply")
def _apply(port: ComwarePort, line: int, name: str) -> None:
    port.table = Use("WRED table", name, line)


@LINES.means("all_strict")
def _all_strict(port: ComwarePort, line: int) -> None:
    port.strict = dict.fromkeys(range(len(QUEUE_WORDS)), line)


@LINES.means("share")
def _share(port: ComwarePort, line: int, queue: str, first: str = "", share: str = "") -> None:
    if first:
        port.strict[_QUEUES[queue]] = line
    else:
        port.percent[_QUEUES[queue]] = Value(int(share), line)

"""Junos: state and counters of the ports from the XML of ``show interfaces extensive``.

Names of elements: a QFX with 22.4R0, Juniper-SE/Apstra_IBA_Probes @ 555d71a6
release_4.2.1/Interface_Flap/README.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from fabric.observe.parsers import UnreadableError
from fabric.observe.state import InterfaceState, PfcCounters, QueueCounters
from fabric.systems.junos.platforms import FRAME_EXTRA_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

_PRIORITIES = range(8)
_UNIT_GBPS = {"Gbps": 1.0, "mbps": 1e-3}
_SPEED = re.compile(r"(\d+)(Gbps|mbps)")
_STATES = {"up": True, "down": False}
_COUNTERS = {
    "traffic-statistics/input-bytes": "rx_bytes",
    "traffic-statistics/output-bytes": "tx_bytes",
    "traffic-statistics/input-packets": "rx_packets",
    "traffic-statistics/output-packets": "tx_packets",
    "input-error-list/input-errors": "rx_errors",
    "input-error-list/input-drops": "rx_drops",
    "output-error-list/output-errors": "tx_errors",
    "output-error-list/output-drops": "tx_drops",
    "output-error-list/carrier-transitions": "carrier_transitions",
    "ethernet-fec-statistics/fec_ccw_count": "fec_corrected",
    "ethernet-fec-statistics/fec_nccw_count": "fec_uncorrected",
}


def tree(text: str) -> ET.Element:
    """Return XML without namespaces.

    Raises
    ------
    UnreadableError
        When it is not well-formed, or declares entities.
    """
    if "<!" in text:
        raise UnreadableError("the answer declares entities or holds comments")
    try:
        root = ET.fromstring(text)  # noqa: S314 - no entities, see above
    except (ET.ParseError, ValueError) as error:
        raise UnreadableError(f"no XML: {error}") from error
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def ports_of(text: str) -> Iterator[tuple[str, ET.Element]]:
    """Yield the physical interfaces of an answer by their names, or raise UnreadableError."""
    root = tree(text)
    table = root if root.tag == "interface-information" else root.find("interface-information")
    if table is None:
        raise UnreadableError("the answer contains no interfaces")
    for port in table.findall("physical-interface"):
        name = _word(port, "name")
        if not name:
            raise UnreadableError("an interface has no name")
        yield name, port


def _word(element: ET.Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def _number(element: ET.Element, path: str) -> int | None:
    """Return a count, or None where the system does not have it.

    Raises
    ------
    UnreadableError
        When something else stands there.
    """
    if element.find(path) is None:
        return None
    word = _word(element, path)
    if not (word.isascii() and word.isdigit()):
        raise UnreadableError(f"{path} is {word!r}, no count")
    return int(word)


def interfaces(text: str) -> dict[str, InterfaceState]:
    """Parse state and counters of all ports.

    Raises
    ------
    UnreadableError
        When the answer is not that XML, or a port has no state.
    """
    by_name = {}
    for name, port in ports_of(text):
        enabled, up = (_STATES.get(_word(port, f"{kind}-status")) for kind in ("admin", "oper"))
        if enabled is None or up is None:
            raise UnreadableError(f"{name} has no state")
        values = {ours: _number(port, path) for path, ours in _COUNTERS.items()}
        mtu = _word(port, "mtu")
        by_name[name] = InterfaceState(
            up=up,
            enabled=enabled,
            speed_gbps=_speed_gbps(_word(port, "speed")),
            mtu_bytes=int(mtu) - FRAME_EXTRA_BYTES if mtu.isascii() and mtu.isdigit() else None,
            fec=_word(port, "ethernet-fec-mode/enabled_fec_mode") or None,
            description=_word(port, "description"),
            counters={key: value for key, value in values.items() if value is not None},
        )
    return by_name


def _speed_gbps(word: str) -> float | None:
    match = _SPEED.fullmatch(word)
    return int(match[1]) * _UNIT_GBPS[match[2]] if match else None


def pfc_counters(text: str) -> dict[str, PfcCounters]:
    """Parse the pause frames of all ports that count them.

    Raises
    ------
    UnreadableError
        When the answer is not that XML, or a priority is missing.
    """
    counters = {}
    for name, port in ports_of(text):
        rows = {_number(row, "mac-pfc-dot1p"): row for row in port.findall(f"{_PFC}-statistics")}
        if rows:
            if set(rows) != set(_PRIORITIES):
                raise UnreadableError(f"{name} does not count all priorities")
            received, sent = (
                tuple(_number(rows[p], f"{side}-mac-pfc-frames") for p in _PRIORITIES)
                for side in ("input", "output")
            )
            counters[name] = PfcCounters(received, sent)
    return counters


_PFC = "ethernet-mac-pfc"


def queue_counters(text: str) -> dict[tuple[str, int], QueueCounters]:
    """Parse what the egress queues of all ports passed and dropped.

    Raises
    ------
    UnreadableError
        When the answer is not that XML, or a queue has no number.
    """
    counters = {}
    for name, port in ports_of(text):
        for row in port.findall("queue-counters/queue"):
            queue = _number(row, "queue-number")
            if queue is None or (name, queue) in counters:
                raise UnreadableError(f"a queue of {name} has no number")
            counters[name, queue] = QueueCounters(
                packets=_number(row, "queue-counters-trans-packets"),
                dropped_packets=_number(row, "queue-counters-total-drop-packets"),
            )
    return counters

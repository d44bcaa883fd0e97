"""Verdicts of absence: certain only where each line about the missing thing was understood."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.audit.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.observe.configuration.model import Leftover

_PAUSE = r"pfc|pause|flow-control|no-?drop|no-loss|lossless|network-qos|roce|dcb|congestion-notif"
_CLASS = (
    r"qos|dscp|dot1p|802\.1p|ieee-802\.1|\bcos\b|class|trust|service-policy|traffic-policy|map-table"
    r"|^match "
)
_SERVICE = (
    r"queue|queuing|sched|bandwidth|strict|priority|weight|transmit-rate|\b(ets|dwrr|wrr|wfq|drr)\b"
)
_ROUTING = r"route-(map|policy|filter)|prefix-(list|set)|policy|communit|as-path"
_TUNNEL = rf"vxlan|\bnve|nvo3|tunnel|{_CLASS}"
#: Lines that stand for others, which are written elsewhere.
_INDIRECT = r"(?<![\w-])apply-|\binherit |\bprofile |template|^groups |interface-range"
#: Words of lines that may say what a rule misses, by rule.
_TOPICS = {
    "AUD001": _PAUSE,
    "AUD002": _PAUSE,
    "AUD003": r"ecn|wred|random-detect|type queuing|^color |drop-profile|congestion|roce",
    "AUD006": r"watch-?dog|pfcwd|deadlock|storm",
    "AUD007": _CLASS,
    "AUD008": _CLASS,
    "AUD009": r"mtu|jumbo",
    "AUD010": r"\barp\b|age?ing|mac-(table|address)",
    "AUD011": r"hash|load-?(balanc|shar)|ecmp",
    "AUD012": r"bfd|timer|\bhold|keepalive|peer-(group|session|policy)",
    "AUD013": rf"class-map|policy-map|profile|map-table|{_ROUTING}",
    "AUD015": _SERVICE,
    "AUD016": rf"{_PAUSE}|mtu|jumbo|speed|shutdown|disable",
    "AUD017": _CLASS,
    "AUD050": r"multi-?path|maximum-paths|load-?balanc|ecmp|peer-(group|session|policy)|neighbor ",
    "AUD053": r"shared-buffer|buffer-partition",
    "AUD056": _CLASS,
    "AUD057": r"buffer|roce",
    "AUD058": r"^vlans?\b|\b[gm]?v[rt]p\b|vlan-id|bridge",
    "AUD043": _TUNNEL,
    "AUD044": _TUNNEL,
    "AUD045": _TUNNEL,
}


def weighed(fault: Fault, leftovers: Iterable[Leftover]) -> Fault:
    """Return a fault, or that it is not judged, as a line about its matter was not understood.

    Parameters
    ----------
    leftovers : iterable of Leftover
        The lines that the reader does not know.
    """
    topic = _TOPICS.get(fault.rule)
    if not fault.is_absence or topic is None:
        return fault
    words = re.compile(rf"{topic}|{_INDIRECT}", re.IGNORECASE)
    unknown = next((item for item in leftovers if words.search(item.text)), None)
    if unknown is None:
        return fault
    message = (
        f"this line was not understood, so {fault.rule} is not judged; if the line has nothing to "
        f"do with it, {fault.message}"
    )
    return Fault("AUD042", fault.port, unknown.line, message)

"""ECN of each queue, from the configuration: NX-OS has no show command with the thresholds as JSON.

Known: the egress policy of a port is its own, else that of ``system qos``; class ``c-out-8q-qN`` is
queue N and ``c-out-8q-q-default`` queue 0 (paregupt/nx-os @ ad8128f3 nxos_config_roce.py).
"""

from __future__ import annotations

import re

from fabric.observe.parsers import UnreadableError
from fabric.observe.state import EcnState
from fabric.platforms.features import marking_unit
from fabric.systems.nxos.parsers.text import blocks, whole_configuration

_POLICY = "policy-map type queuing "
_OUTPUT = "service-policy type queuing output "
_CLASS = re.compile(r"class type queuing c-out-8q-q(?:(\d)|-default)")
_MARKING = re.compile(
    r"random-detect minimum-threshold (\d+) (\w+) maximum-threshold (\d+) (\w+) "
    r"drop-probability (\d+) .*\becn"
)


def marking(text: str) -> dict[tuple[str, int], EcnState]:
    """Parse ``show running-config``: the thresholds of every marked queue of every front port.

    The last section is left out: nothing tells whether it is whole. Ports are never the last one.

    Raises
    ------
    UnreadableError
        When it is not the whole configuration, or a threshold has a unit without a size.
    """
    policies: dict[str, dict[int, EcnState]] = {}
    own: dict[str, str] = {}
    system = ""
    for block in blocks(whole_configuration(text))[:-1]:
        head, lines = block[0], [line.strip() for line in block[1:]]
        name = next((x.removeprefix(_OUTPUT) for x in lines if x.startswith(_OUTPUT)), "")
        if head.startswith(_POLICY):
            policies[head.removeprefix(_POLICY)] = _queues(lines)
        elif head == "system qos":
            system = name
        elif head.startswith("interface Ethernet"):
            own[head.removeprefix("interface ")] = name
    return {
        (port, queue): state
        for port, name in own.items()
        for queue, state in policies.get(name or system, {}).items()
    }


def _queues(lines: list[str]) -> dict[int, EcnState]:
    found = {}
    queue: int | None = None
    for line in lines:
        if named := _CLASS.fullmatch(line):
            queue = int(named[1] or 0)
        elif queue is not None and (marked := _MARKING.fullmatch(line)):
            found[queue] = EcnState(
                kmin_bytes=_size_bytes(marked[1], marked[2]),
                kmax_bytes=_size_bytes(marked[3], marked[4]),
                pmax_percent=float(marked[5]),
            )
    return found


def _size_bytes(number: str, unit: str) -> int:
    own = marking_unit("nxos")
    unit_bytes = {"bytes": 1, own.word: own.unit_bytes}.get(unit)
    if unit_bytes is None:
        raise UnreadableError(f"how many bytes one of the {unit} has is not known")
    return int(number) * unit_bytes

"""Outputs of LLDP that people keep in files: more forms than a driver asks for.

Each system registers those of its commands; what a driver reads is in ``parsers`` already.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from fabric.core.registry import Registry
from fabric.observe.parsers import UnreadableError, parsers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fabric.observe.state import LldpNeighbour

Neighbours: TypeAlias = "Mapping[str, tuple[LldpNeighbour, ...]]"
Read: TypeAlias = "Callable[[str], Neighbours]"

#: Readers by system.
outputs: Registry[tuple[Read, ...]] = Registry("LLDP output", plugins="lldp_outputs")
#: The line of a terminal that the command was typed in, and the prompt that follows its output.
_PROMPT = re.compile(r"[^\s#>$%]*[\w)\]}][#>$%] *(?:.*\blldp.*)?")


def neighbours_of(text: str) -> tuple[frozenset[str], Neighbours]:
    """Return the systems that print such an output, and the neighbours by local port.

    Raises
    ------
    UnreadableError
        When no system prints such an output.
    """
    text = _output(text)
    done = [(name, seen) for name, read in _readers() if (seen := _attempt(read, text)) is not None]
    if not done:
        raise UnreadableError("no known system prints such an output of LLDP")
    full = [item for item in done if item[1]] or done
    return frozenset(name for name, _ in full), full[0][1]


def by_port(rows: Iterable[tuple[str, LldpNeighbour]]) -> Neighbours:
    """Return neighbours by local port, in their order."""
    listed: dict[str, list[LldpNeighbour]] = defaultdict(list)
    for port, neighbour in rows:
        listed[port].append(neighbour)
    return {port: tuple(mine) for port, mine in listed.items()}


def _readers() -> Iterator[tuple[str, Read]]:
    for name, parser in parsers.items():
        _, read = parser.readings.get("lldp", ("", None))
        if read is not None:
            yield name, read
    for name, others in outputs.items():
        for other in others:
            yield name, other


def _attempt(read: Read, text: str) -> Neighbours | None:
    try:
        return read(text)
    except UnreadableError:
        return None


def _output(text: str) -> str:
    """Return a text without the prompts of a terminal around it."""
    lines = text.replace("\r", "").split("\n")
    while lines and (not lines[0].strip() or _PROMPT.fullmatch(lines[0].strip())):
        del lines[0]
    while lines and (not lines[-1].strip() or _PROMPT.fullmatch(lines[-1].strip())):
        del lines[-1]
    return "\n".join((*lines, ""))

"""What all outputs share: marks of a pager, names of ports, the end of a configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain
from fabric.systems.comware7.platforms.text import END, OWN_MARK, is_version, tree

if TYPE_CHECKING:
    from fabric.core.lines import LineTree

#: Short names of ports in tables: the captures of ntc-templates; HGE and WGE by h3c.com PFC
#: commands (202410/2284497, 202212/1746268).
_SHORT = {
    "M-GE": "M-GigabitEthernet",
    "GE": "GigabitEthernet",
    "XGE": "Ten-GigabitEthernet",
    "WGE": "Twenty-FiveGigE",
    "FGE": "FortyGigE",
    "HGE": "HundredGigE",
    "Vlan": "Vlan-interface",
    "Loop": "LoopBack",
}
_PORT = re.compile(r"([A-Za-z-]+)(\d[\d/:.]*)")
MAC = re.compile(r"[0-9a-f]{4}(?:-[0-9a-f]{4}){2}")
#: ``version 7.1.070, Release 6710``.
_RELEASE = re.compile(r"(?m)^ *version \S+, Release (\d{4}(?:P\d+)?)\s*$")
_LLDP = re.compile(r"(?m)^\s*Global status of LLDP: (Enable|Disable)\s*\n")


def lines_of(text: str) -> list[str]:
    """Return the lines of an output that ends with its last line.

    Raises
    ------
    UnreadableError
        When a pager or a terminal left marks, or the last line is cut.
    """
    text = plain(text)
    if "---- More ----" in text:
        raise UnreadableError("the output holds marks of a pager")
    if not text.endswith("\n"):
        raise UnreadableError("the end of the output is missing")
    return text.splitlines()


def long_name(name: str) -> str:
    """Return the full name of a port: ``HGE1/0/1`` is ``HundredGigE1/0/1``.

    Raises
    ------
    UnreadableError
        When it is no name of a port.
    """
    match = _PORT.fullmatch(name)
    if not match:
        raise UnreadableError(f"{name!r} is not a port")
    return _SHORT.get(match[1], match[1]) + match[2]


def whole_configuration(text: str) -> LineTree:
    """Return the tree of a configuration, which must be all that the command prints.

    The mark of a change that waits for its confirmation is no part of it.

    Raises
    ------
    UnreadableError
        When it does not begin with the version, does not end with ``return``, or a pager or a
        terminal left marks.
    """
    lines = [line.strip() for line in lines_of(text) if line.strip()]
    rows = [line for line in lines if not line.startswith("#")]
    if not rows or not is_version(rows[0]):
        raise UnreadableError("no version line at the head of the configuration")
    if lines[-1] != END or lines.count(END) != 1:
        raise UnreadableError("the end of the configuration is missing")
    try:
        root = tree(plain(text))
    except ValueError as error:
        raise UnreadableError(str(error)) from error
    for line in [line for line in root.children if line.startswith(OWN_MARK)]:
        del root.children[line]
    return root


def release(text: str) -> str:
    """Return the release at the head of a configuration, such as ``R6710``; empty for none."""
    match = _RELEASE.search(plain(text))
    return f"R{match[1]}" if match else ""


def lldp_is_on(text: str) -> bool:
    """Parse ``display lldp status``: whether LLDP is on for the whole switch.

    Raises
    ------
    UnreadableError
        When it does not say so, or says it twice.
    """
    values = _LLDP.findall("\n".join([*lines_of(text), ""]))
    if len(values) != 1:
        raise UnreadableError("the answer does not tell the global status of LLDP")
    return bool(values[0] == "Enable")

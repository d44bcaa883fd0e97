"""Ports and their counters: ``display interface main``.

Known: samples and meanings of display interface in the CloudEngine V300R023C00 command reference
(WheaterW/INTA-project @ 9308062d). A port counts whole frames, so its MTU is what a frame of that
length carries. Assumed: ports of Ethernet end with their output utility, as in every sample.
"""

from __future__ import annotations

import re

from fabric.observe.parsers import UnreadableError
from fabric.observe.state import InterfaceState
from fabric.systems.vrp8.parsers.text import whole_lines
from fabric.systems.vrp8.platforms import FRAME_EXTRA_BYTES

_HEAD = re.compile(
    r"(?P<name>[A-Z0-9][\w/.:-]*) current state\s*: (?P<state>[A-Za-z].*?)(?: \(ifindex: \d+\))?\s*"
)
_ETHERNET = re.compile(r"\d+GE\d+/\d+/\d+(?::\d+)?")
_LAST = re.compile(r"\s*Last \d+ seconds output utility rate:\s+[\d.]+%\s*")
_FRAME = re.compile(r"The Maximum Frame Length is (\d+)")
_MTU = re.compile(r"The Maximum Transmit Unit is (\d+)")
_SPEED = re.compile(r"^Speed:\s+(\d+|AUTO|-),", re.MULTILINE)
_FEC = re.compile(r"\bFec:\s+(\S+)\s*$", re.MULTILINE)
_FEC_WORDS = {"RS-FEC": "rs", "BASE-FEC": "fc", "NONE": "none"}
_DESCRIPTION = re.compile(r"^Description:[ \t]*(.*?)\s*$", re.MULTILINE)
_TOTAL = re.compile(r"^\s*(Input|Output)\s*:\s+(\d+) bytes,\s+(\d+) packets\s*$", re.MULTILINE)
_SECTION = re.compile(r"\s*(Input|Output):\s*")
_CELL = re.compile(r"(Discard|Pause|CRC|Total Error):\s+(\d+)(?=\s*(?:,|$))")
_NAMES = {
    "Discard": "discards",
    "Pause": "pause_frames",
    "CRC": "crc_errors",
    "Total Error": "errors",
}


def interfaces(text: str) -> dict[str, InterfaceState]:
    """Parse ``display interface main``.

    Raises
    ------
    UnreadableError
        When there is no interface, or one of Ethernet is not whole.
    """
    blocks: list[tuple[re.Match[str], list[str]]] = []
    for line in whole_lines(text):
        head = _HEAD.fullmatch(line)
        if head and not head["name"].startswith("Line"):
            blocks.append((head, []))
        elif blocks:
            blocks[-1][1].append(line)
    if not blocks:
        raise UnreadableError("no interface in the answer")
    return {head["name"]: _interface(head, lines) for head, lines in blocks}


def _interface(head: re.Match[str], lines: list[str]) -> InterfaceState:
    last = next((line for line in reversed(lines) if line.strip()), "")
    text = "\n".join(lines)
    totals = {total[1]: (int(total[2]), int(total[3])) for total in _TOTAL.finditer(text)}
    ethernet = bool(_ETHERNET.fullmatch(head["name"]))
    if ethernet and (not _LAST.fullmatch(last) or len(totals) != 2):  # noqa: PLR2004 - in and out
        raise UnreadableError(f"the end of {head['name']} is missing")
    frame, mtu, speed = (pattern.search(text) for pattern in (_FRAME, _MTU, _SPEED))
    if ethernet and not (frame and speed):
        raise UnreadableError(f"{head['name']} has no frame length or speed")
    fec, description = _FEC.search(text), _DESCRIPTION.search(text)
    state = head["state"]
    return InterfaceState(
        up=state == "UP",
        enabled=not state.startswith("Administratively"),
        speed_gbps=int(speed[1]) / 1000 if speed and speed[1].isdecimal() else None,
        mtu_bytes=_mtu_bytes(frame, mtu),
        fec=_FEC_WORDS.get(fec[1]) if fec else None,
        description=description[1] if description else "",
        counters=_counters(totals, lines),
    )


def _mtu_bytes(frame: re.Match[str] | None, mtu: re.Match[str] | None) -> int | None:
    if frame:
        return int(frame[1]) - FRAME_EXTRA_BYTES
    return int(mtu[1]) if mtu else None


def _counters(totals: dict[str, tuple[int, int]], lines: list[str]) -> dict[str, int]:
    short = {"Input": "in", "Output": "out"}
    found = {}
    for way, (size_bytes, packets) in totals.items():
        found[f"{short[way]}_bytes"], found[f"{short[way]}_packets"] = size_bytes, packets
    section = ""
    for line in lines:
        begins = _SECTION.fullmatch(line)
        section = short[begins[1]] if begins else section
        for name, number in _CELL.findall(line) if section else ():
            found[f"{section}_{_NAMES[name]}"] = int(number)
    return found

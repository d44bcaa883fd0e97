"""DCBX values of a port in the words of lldpad: ``lldptool``, and Broadcom's ``niccli``.

``lldptool -t -i NIC`` (own values), ``-t -n -i NIC`` (those of the neighbour): intel/openlldp
lldp_8021qaz_clif.c. ``niccli --dev N qos --ets --show``, before ``getqos`` and ``get_qos``: amd
node-scraper test/unit (outputs of a BCM57608); Broadcom bnxt_setupcc.sh reads the same lines.
"""

from __future__ import annotations

import re

from fabric.observe.nicprofiles import ProfileForm, profile_forms
from fabric.observe.nicprofiles.record import PRIORITIES, NicProfile, NicValue
from fabric.observe.parsers import UnreadableError
from fabric.qos.dscps import DSCPS

_NAME = "ieee-dcb"
_TITLE = re.compile(r"^\s*IEEE 8021QAZ (.+?) TLV:?\s*$")
_FIELD = re.compile(r"^\s*([^:#]+?)\s*:\s*(.*?)\s*$")
#: IEEE 802.1Q-2018 table D-8: selector of UDP ports, of DSCPs; UDP port of RoCEv2 (IANA).
_UDP, _DSCP, _ROCE = "3", "5", 4791
_APP = re.compile(r"^\s*APP#\d+:", re.IGNORECASE)


def _matches(text: str) -> bool:
    return bool(re.search(r"^\s*IEEE 8021QAZ PFC TLV", text, re.MULTILINE))


def _read(text: str, file: str) -> list[NicProfile]:
    sections = [item for item in _sections(text) if item[0] == "PFC"]
    if len(sections) != 1:
        raise UnreadableError("it has not one PFC TLV, so that it is not of one port")
    pfc = _pfc(*sections[0][1:])
    marks, priority = _apps(text)
    return [
        NicProfile(
            form=_NAME, file=file, line=1, pfc=pfc, dscp_to_priority=marks, priority=priority
        )
    ]


def _sections(text: str) -> list[tuple[str, int, list[str]]]:
    """Return title, line and content of each TLV."""
    sections: list[tuple[str, int, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        title = _TITLE.match(line)
        if title:
            sections.append((title[1], number, []))
        elif sections:
            sections[-1][2].append(line)
    return sections


def _pfc(first: int, lines: list[str]) -> NicValue[frozenset[int]]:
    for number, line in enumerate(lines, first + 1):
        field = _FIELD.match(line)
        if field and field[1] == "PFC enabled":
            words = [] if field[2] in ("none", "") else field[2].replace(",", " ").split()
            return NicValue(frozenset(_number(word, PRIORITIES) for word in words), number)
    raise UnreadableError("its PFC TLV does not say which priorities are enabled")


def _apps(text: str) -> tuple[dict[int, NicValue[int]], NicValue[int] | None]:
    """Return the priorities of DSCPs, and that of the UDP port of RoCE."""
    marks: dict[int, NicValue[int]] = {}
    priority: NicValue[int] | None = None
    for title, first, lines in _sections(text):
        for entry in _entries(first, lines) if title == "APP" else ():
            number, line = entry.get("priority", ("", 0))
            selector, dscp = entry.get("sel", ("", 0))[0], entry.get("dscp", ("", 0))[0]
            if selector == _DSCP:
                code = _number(dscp, DSCPS)
                if code in marks:
                    raise UnreadableError(f"DSCP {code} has two priorities")
                marks[code] = NicValue(_number(number, PRIORITIES), line)
            elif selector == _UDP and entry.get("udp or dccp", ("", 0))[0] == str(_ROCE):
                priority = NicValue(_number(number, PRIORITIES), line)
    return marks, priority


def _entries(first: int, lines: list[str]) -> list[dict[str, tuple[str, int]]]:
    """Return the fields of each entry of a TLV, with their lines."""
    entries: list[dict[str, tuple[str, int]]] = []
    for number, line in enumerate(lines, first + 1):
        field = _FIELD.match(line)
        if _APP.match(line):
            entries.append({})
        elif field and entries:
            entries[-1].setdefault(field[1].lower(), (field[2], number))
    return entries


def _number(word: str, end: int) -> int:
    number = int(word) if word.isdecimal() and len(word) <= len(str(DSCPS)) else -1
    if not 0 <= number < end:
        raise UnreadableError(f"{word[:20]!a} is not a number from 0 to {end - 1}")
    return number


profile_forms.add(_NAME)(ProfileForm("the output of lldptool or niccli", _matches, _read))

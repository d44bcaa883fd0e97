"""AMD Pensando NICs (ionic): ``nicctl show qos``, ``dcqcn`` and ``port``, and calls that set them.

Outputs: AMD's guide to distributed inference on MI355X with Pollara (rocm.docs.amd.com; listings of
``nicctl show qos``, ``show dcqcn`` and ``show port``). Calls: ``nicctl update qos`` and ``update
dcqcn`` of the same guide. One file may hold several of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.observe.hostfacts.values import pci_address
from fabric.observe.nicprofiles import ProfileForm, profile_forms
from fabric.observe.nicprofiles.record import PRIORITIES, Fields, NicProfile, NicValue, whole_calls
from fabric.observe.parsers import UnreadableError
from fabric.qos.dscps import DSCPS

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "nicctl"
_HEAD = re.compile(r"^\s*NIC\s*: \S+ \((\S+)\)\s*$")
_MAP = re.compile(r"^\s*DSCP\s*:\s*([\d, -]+?)\s*==>\s*priority\s*:\s*(\d+)\s*$")
_FIELD = re.compile(r"^\s*([A-Za-z][A-Za-z -]*?)\s*:\s*(\S.*?)\s*$")
_CALL = re.compile(r"^(?!\s*#).*\bnicctl\s+update\s+(qos|dcqcn)\b(.*)$")
_OPTION = re.compile(r"--([a-z-]+)[ =]+(\S+)")


def _matches(text: str) -> bool:
    return bool(
        re.search(r"^\s*(Classification type|DSCP value used for CNP)\s*:", text, re.MULTILINE)
        or any(_CALL.match(line) for _, line in whole_calls(text))
    )


def _read(text: str, file: str) -> list[NicProfile]:
    records = []
    for address, lines in _nics(text):
        fields = _Reader().fields_of(lines)
        if fields:
            addresses = frozenset((address,)) if address else frozenset()
            records.append(
                NicProfile(
                    form=_NAME,
                    file=file,
                    line=lines[0][0],
                    subject=address,
                    pci_addresses=addresses,
                    **fields,
                )
            )
    return records


def _nics(text: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Yield the lines of each NIC, which several listings of a file may have."""
    lines: dict[str, list[tuple[int, str]]] = defaultdict(list)
    address = ""
    for number, line in whole_calls(text):
        head = _HEAD.match(line)
        address = pci_address(head[1]) if head else address
        lines[address].append((number, line))
    yield from lines.items()


class _Reader:
    """Takes the lines of one NIC."""

    def __init__(self) -> None:
        self._fields: Fields = {}
        self._marks: dict[int, NicValue[int]] = {}
        self._paused: NicValue[frozenset[int]] | None = None
        self._enabled: NicValue[bool] | None = None
        self._is_enabled = False

    def fields_of(self, lines: list[tuple[int, str]]) -> Fields:
        """Return the fields that lines fill."""
        for number, line in lines:
            call, mapped, field = _CALL.match(line), _MAP.match(line), _FIELD.match(line)
            if call:
                self._call(call[1], call[2], number)
            elif mapped:
                self._map(mapped[1], mapped[2], number)
            elif field:
                self._field(field[1], field[2], number)
        if self._marks:
            self._fields["dscp_to_priority"] = self._marks
        if self._paused is not None:
            self._fields["pfc"] = self._paused
        if self._enabled is not None:
            self._congestion(self._enabled)
        return self._fields

    def _congestion(self, enabled: NicValue[bool]) -> None:
        if enabled.value:
            self._fields["algorithm"] = NicValue("dcqcn", enabled.line)
        else:
            self._fields["congestion_priorities"] = NicValue(frozenset(), enabled.line)

    def _field(self, name: str, word: str, line: int) -> None:
        if name == "Classification type":
            self._trust(word, line)
        elif name == "PFC priority bitmap":
            bits = int(word, 16) if re.fullmatch("0x[0-9a-f]{1,2}", word) else -1
            if bits < 0:
                raise UnreadableError(f"{word[:20]!a} is not a bitmap of priorities")
            paused = frozenset(bit for bit in range(PRIORITIES) if bits >> bit & 1)
            self._paused = NicValue(paused, line)
        elif name == "Status" and word in ("Enabled", "Disabled"):
            self._is_enabled = word == "Enabled"
            if self._enabled is None or self._is_enabled:
                self._enabled = NicValue(self._is_enabled, line)
        elif name == "DSCP value used for CNP" and (
            self._is_enabled or "cnp_dscp" not in self._fields
        ):
            self._fields["cnp_dscp"] = NicValue(_number(word, DSCPS), line)
        elif name == "MTU":
            self._fields.setdefault("frame_bytes", NicValue(_number(word, 1 << 16), line))
        elif name == "Pause type" and word == "PFC":
            self._fields.setdefault("link_pause", NicValue(value=False, line=line))

    def _trust(self, word: str, line: int) -> None:
        if word.lower() not in ("dscp", "pcp"):
            raise UnreadableError(f"{word[:20]!a} is not a type of classification")
        self._fields["trust"] = NicValue(word.lower(), line)

    def _map(self, dscps: str, priority: str, line: int) -> None:
        for dscp in _dscps(dscps):
            self._marks[dscp] = NicValue(_number(priority, PRIORITIES), line)

    def _call(self, what: str, words: str, line: int) -> None:
        """Take a call that sets something; what it says of other things is passed over."""
        options = dict(_OPTION.findall(words))
        if what == "dcqcn" and "cnp-dscp" in options:
            self._fields["cnp_dscp"] = NicValue(_number(options["cnp-dscp"], DSCPS), line)
        elif "classification-type" in options:
            self._trust(options["classification-type"], line)
        elif "dscp-to-priority" in words and {"dscp", "priority"} <= options.keys():
            self._map(options["dscp"], options["priority"], line)
        elif "no-drop" in options and "priority" in options:
            before = self._paused.value if self._paused else frozenset()
            numbers = {_number(word, PRIORITIES) for word in options["priority"].split(",")}
            paused = before | numbers if options["no-drop"] == "enable" else before - numbers
            self._paused = NicValue(frozenset(paused), line)


def _dscps(words: str) -> Iterator[int]:
    """Yield the DSCPs of a list with ranges: ``0-23, 25-45, 47-63``."""
    for part in words.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        yield from range(_number(first, DSCPS), _number(last or first, DSCPS) + 1)


def _number(word: str, end: int) -> int:
    number = int(word) if word.isdecimal() and len(word) <= len(str(end)) else -1
    if not 0 <= number < end:
        raise UnreadableError(f"{word[:20]!a} is not a number from 0 to {end - 1}")
    return number


profile_forms.add(_NAME)(ProfileForm("the output of nicctl, or its calls", _matches, _read))

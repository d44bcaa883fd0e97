"""Dumps of ``mlxconfig`` and ``mstconfig``: ``q``, ``-e q``, and JSON.

Text: Mellanox/nic-configuration-operator at 8bfbeb3, pkg/nvconfig/utils_test.go (columns Default,
Current, Next Boot; a star before changed rows). JSON: Mellanox/mstflint mlxconfig
(``tlv_configuration`` of ``Device #1``, with ``next_value`` and ``current_value``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.core.json_text import parse_json
from fabric.observe.hostfacts.values import pci_address
from fabric.observe.nicprofiles import ProfileForm, profile_forms
from fabric.observe.nicprofiles.nvconfig import is_known, values_of_ports
from fabric.observe.nicprofiles.record import NicProfile, NicValue, line_of
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "mlxconfig"
_BLOCK = re.compile(r"^Device #\d+:[ \t]*$", re.MULTILINE)
_TITLE = "Configurations:"
_GAP = re.compile(r"\s{2,}")
#: Columns that count, and what a record of it is called: the NIC has the current values until it
#: is reset, then those of the next boot.
_COLUMNS = {"next boot": "", "current": "until the next reset"}
_PCI = re.compile(r"^Device:[ \t]+(\S+)[ \t]*$", re.MULTILINE)
_BDF = re.compile(r"(?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[01][0-9A-Fa-f]\.[0-7]")
#: Members of a JSON value, by the columns of the text.
_MEMBERS = {"next boot": "next_value", "current": "current_value"}

_Keys = dict[str, NicValue[str]]


def _matches(text: str) -> bool:
    if text.lstrip().startswith("{"):
        return '"tlv_configuration"' in text
    return bool(re.search(rf"^{_TITLE}.*\bNext Boot\b", text, re.MULTILINE))


def _read(text: str, file: str) -> list[NicProfile]:
    devices = _of_json(text) if text.lstrip().startswith("{") else _of_text(text)
    records = []
    for device, line, columns in devices:
        later = columns.get("next boot", {})
        current = columns.get("current", {})
        if {name: item.value for name, item in later.items()} == {
            name: item.value for name, item in current.items()
        }:
            columns.pop("current", None)
        for column, keys in columns.items():
            for port, fields in values_of_ports(keys, file).items():
                parts = (device, f"port {port}" if port else "", _COLUMNS[column])
                records.append(
                    NicProfile(
                        form=_NAME,
                        file=file,
                        line=line,
                        subject=", ".join(part for part in parts if part),
                        pci_addresses=_addresses(device),
                        port=port,
                        **fields,
                    )
                )
    return records


def _addresses(device: str) -> frozenset[str]:
    return frozenset((pci_address(device),)) if _BDF.fullmatch(device) else frozenset()


def _of_text(text: str) -> Iterator[tuple[str, int, dict[str, _Keys]]]:
    """Yield the device, its first line and its keys by column, of each block."""
    starts = [match.start() for match in _BLOCK.finditer(text)] or [0]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        block, first = text[start:end], line_of(text, start)
        device = _PCI.search(block)
        yield device[1] if device else "", first, _columns(block, first)


def _columns(block: str, first: int) -> dict[str, _Keys]:
    titles: list[str] = []
    columns: dict[str, _Keys] = {}
    for number, line in enumerate(block.splitlines(), first):
        words = _GAP.split(line.strip().removeprefix("*").strip())
        if words[0] == _TITLE:
            titles = [word.lower() for word in words[1:]]
            columns.update({title: {} for title in titles if title in _COLUMNS})
        elif titles and is_known(words[0]):
            if len(words) != len(titles) + 1:
                raise UnreadableError(f"{words[0]} has not one value in each column")
            for title, word in zip(titles, words[1:], strict=True):
                if title in columns:
                    columns[title][words[0]] = NicValue(word, number)
    return columns


def _of_json(text: str) -> Iterator[tuple[str, int, dict[str, _Keys]]]:
    try:
        whole = parse_json(text)
    except ValueError:
        raise UnreadableError("it is not JSON, or not all of it") from None
    for name, device in whole.items() if isinstance(whole, dict) else ():
        rows: Any = device.get("tlv_configuration") if isinstance(device, dict) else None
        if not isinstance(rows, dict):
            raise UnreadableError(f"{name[:40]!a} has no tlv_configuration")
        columns: dict[str, _Keys] = {}
        for column, member in _MEMBERS.items():
            keys = {
                key: NicValue(str(row[member]), _line(text, key))
                for key, row in rows.items()
                if is_known(key) and isinstance(row, dict) and member in row
            }
            if keys:
                columns[column] = keys
        yield str(device.get("device", "")), _line(text, name), columns


def _line(text: str, key: str) -> int:
    place = text.find(f'"{key}"')
    return line_of(text, place) if place >= 0 else 1


profile_forms.add(_NAME)(ProfileForm("a dump of mlxconfig (text or JSON)", _matches, _read))

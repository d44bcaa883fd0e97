"""``mlxconfig`` and ``mstconfig query`` (Mellanox/mstflint, mlxconfig/mlxcfg_ui.cpp, b9d9e844)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.values import label, shown, whole_lines
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADERS = {
    ("Next Boot",): ("next_boot",),
    ("Default", "Current", "Next Boot"): ("default", "current", "next_boot"),
    ("Default", "Next Boot"): ("default", "next_boot"),
    ("Current", "Next Boot"): ("current", "next_boot"),
}
#: What can stand below the settings.
_NOTES = ("The '*'", "The 'RO'", "Device Firmware does not support reading", "-W-", "-I-")
_DEVICE = re.compile(r"(?:/dev/mst/)?[A-Za-z0-9][A-Za-z0-9._:-]{1,79}")
_NAME = re.compile(r"[A-Z][A-Za-z0-9_]{1,70}(?:\[[0-9]{1,4}(?:\.\.[0-9]{1,4})?\])?")
_ENUM = re.compile(r"([A-Za-z0-9_.,/+-]{1,60})\(([0-9]{1,20})\)")
_PLAIN = re.compile(r"[0-9]{1,20}|0x[0-9a-fA-F]{1,16}")
_TEXT = re.compile(r"N/A|Array\[[0-9]{1,4}\.\.[0-9]{1,4}\]|[A-Za-z0-9_.:/+-]{1,300}")


@dataclass(frozen=True, slots=True)
class NvValue:
    """A setting: its number where it has one, and the text as printed without the number."""

    text: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class NvConfig:
    """Settings in the flash of one device; None are the columns that were not asked for.

    What differs between ``current`` and ``next_boot`` waits for a reboot or a firmware reset.
    """

    device: str
    model: str
    next_boot: Mapping[str, NvValue]
    current: Mapping[str, NvValue] | None = None
    default: Mapping[str, NvValue] | None = None

    @property
    def pending(self) -> tuple[str, ...] | None:
        """Names of the settings that wait for a reboot; None when ``current`` was not asked for."""
        current = self.current
        if current is None:
            return None
        return tuple(name for name, value in self.next_boot.items() if current[name] != value)


@reads("mlxconfig", "mlxconfig -d {pci_address} -e query")
def parse_mlxconfig(text: str) -> tuple[NvConfig, ...]:
    """Parse the settings of each device, with one, two or three columns.

    Raises
    ------
    UnreadableError
        When the tool reports an error, or a row has not one value for each column.
    """
    lines = [line for line in whole_lines(text) if line.strip()]
    if any(line.strip().startswith("-E-") for line in lines):
        raise UnreadableError("mlxconfig reports an error")
    starts = [number for number, line in enumerate(lines) if re.match(r"Device #[0-9]{1,3}:", line)]
    if not starts or starts[0] != 0:
        raise UnreadableError("mlxconfig printed no device")
    ends = [*starts[1:], len(lines)]
    return tuple(_config(lines[start:end]) for start, end in zip(starts, ends, strict=True))


def _config(lines: list[str]) -> NvConfig:
    head: dict[str, str] = {}
    for number, line in enumerate(lines):
        name, _, value = line.partition(":")
        if name.strip() == "Configurations":
            columns = _columns(value)
            table = _table(lines[number + 1 :], columns)
            break
        head[name.strip()] = value.strip()
    else:
        raise UnreadableError("mlxconfig printed no settings")
    device = head.get("Device", "")
    if not _DEVICE.fullmatch(device) or not table["next_boot"]:
        raise UnreadableError(f"mlxconfig printed no settings of {shown(device)}")
    model = label(head.get("Device type"), "type of a device")
    return NvConfig(device, model, table["next_boot"], table.get("current"), table.get("default"))


def _columns(titles: str) -> tuple[str, ...]:
    columns = tuple(re.split(r"\s{2,}", titles.strip()))
    if columns not in _HEADERS:
        raise UnreadableError(f"mlxconfig printed the columns {shown(titles.strip())}")
    return _HEADERS[columns]


def _table(lines: list[str], columns: tuple[str, ...]) -> dict[str, dict[str, NvValue]]:
    table: dict[str, dict[str, NvValue]] = {column: {} for column in columns}
    for line in lines:
        if line.startswith(_NOTES):
            continue
        words = [word for word in line.split() if word not in {"*", "RO", "*RO"}]
        if len(words) != len(columns) + 1 or not _NAME.fullmatch(words[0]):
            raise UnreadableError(f"mlxconfig printed {shown(line)}")
        if words[0] in table[columns[0]]:
            raise UnreadableError(f"mlxconfig printed {words[0]} twice")
        for column, word in zip(columns, words[1:], strict=True):
            table[column][words[0]] = _value(word)
    return table


def _value(word: str) -> NvValue:
    if match := _ENUM.fullmatch(word):
        return NvValue(match[1], int(match[2]))
    if _PLAIN.fullmatch(word):
        return NvValue(word, int(word, 0) if word.startswith("0x") else int(word))
    if not _TEXT.fullmatch(word):
        raise UnreadableError(f"mlxconfig printed the value {shown(word)}")
    return NvValue(word)

"""The commands of readings, and the texts of one host, parsed or with the reason why not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.observe.hostfacts import readers
from fabric.observe.hostfacts.values import interface_name, pci_address, rdma_name, shown
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


NOT_READ = "not read"


_PLACE = re.compile(r"\{([a-z_]+)\}")
_PATH = re.compile(r"(?:/[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}){1,10}")


class Readings:
    """Values by ``reading`` or ``reading:target``.

    Parameters
    ----------
    texts : mapping
        Outputs of commands by reading; ``mlnx_qos:eth1`` is that of one network device.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.unread: dict[str, str] = {}
        self.raw: dict[str, str] = {}
        self._values: dict[str, Any] = {}
        for key, text in texts.items():
            self._read(key, text)

    def _read(self, key: str, text: str) -> None:
        name = key.partition(":")[0]
        if name not in readers:
            self.unread[key] = f"there is no reading {name!a}"
            return
        try:
            self._values[key] = readers[name].parse(text)
        except UnreadableError as error:
            self.unread[key] = str(error)
            self.raw[key] = text

    def first(self, *keys: str) -> Any:
        """Return the value of the first of these that was read.

        When there is none, each that nobody handed in is remembered as not read.
        """
        for key in keys:
            if key in self._values:
                return self._values[key]
        for key in keys:
            self.unread.setdefault(key, NOT_READ)
        return None

    def have(self, key: str) -> Any:
        """Return a value, None without one, and remember nothing."""
        return self._values.get(key)

    def agreed(self, field: str, readings: Iterable[Any]) -> Any:
        """Return what readings say of a field, leaving out None; when they disagree, None."""
        values = list(dict.fromkeys(value for value in readings if value is not None))
        if len(values) > 1:
            self.unread[field] = "readings disagree: " + ", ".join(str(value) for value in values)
        return values[0] if len(values) == 1 else None


def _path(text: object) -> str:
    if not isinstance(text, str) or not _PATH.fullmatch(text):
        raise UnreadableError(f"{shown(text)} is not a path")
    return text


_CHECKS: Mapping[str, Callable[[object], str]] = {
    "interface": interface_name,
    "rdma_device": rdma_name,
    "pci_address": pci_address,
    "script_folder": _path,
}


def command_of(reading: str, target: str = "") -> str:
    """Return the command of a reading, for a shell.

    Parameters
    ----------
    reading : str
        A name of the registry ``readers``.
    target : str
        What is asked for: a network device, an RDMA device, a PCI address, a path; empty where the
        command takes none.

    Raises
    ------
    KeyError
        When there is no such reading.
    ValueError
        When the target is none of its kind, or the command takes none.
    """
    command = readers[reading].command
    match = _PLACE.search(command)
    if match is None and target:
        raise ValueError(f"{reading} takes no target")
    return command if match is None else command.replace(match[0], _CHECKS[match[1]](target))

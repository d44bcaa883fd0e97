"""The commands of readings, with what they are asked for put in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import readers
from fabric.observe.hostfacts.values import interface_name, pci_address, rdma_name, shown
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PLACE = re.compile(r"\{([a-z_]+)\}")
_PATH = re.compile(r"(?:/[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}){1,10}")


def _path(text: object) -> str:
    if not isinstance(text, str) or not _PATH.fullmatch(text):
        raise UnreadableError(f"{shown(text)} is no path")
    return text


_CHECKS: Mapping[str, Callable[[object], str]] = {
    "interface": interface_name,
    "rdma_device": rdma_name,
    "pci_address": pci_address,
    "script_folder": _path,
    "nccl_topo_dump_file": _path,
    "nccl_graph_dump_file": _path,
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

"""How Batfish reads the files of each system: filled by the systems that it has a grammar for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.observe.configuration import Configured

    Write = Callable[[str, Mapping[str, str], Configured], Mapping[str, bytes]]

#: Why a form is not asked about tenants where its system does not say otherwise.
NOT_KNOWN = "it is not known whether Batfish reads its VRFs"


@dataclass(frozen=True)
class Form:
    """How Batfish reads the files of a system.

    Parameters
    ----------
    kind : str
        Kind of the file whose text goes into the snapshot; lines are counted in it.
    formats : tuple of str
        What Batfish may take the file for, as ``fileParseStatus`` says it.
    write : callable
        Makes the files of the snapshot, by path, from the name of a switch, its texts by kind, and
        what they say.
    needs_reader : bool
        Whether ``write`` needs to know what the texts say.
    reads_ports : bool
        Whether Batfish has sessions of this form that are over a port, without addresses.
    added_lines : int
        Lines that stand above the text of the switch in the snapshot.
    harmless : tuple of str
        Regular expressions of lines that Batfish does not know, and that say nothing about what it
        is asked; each matches from the beginning of the line without its indentation, or of what
        Batfish says of it.
    harmless_references : tuple of str
        Regular expressions of ``type name`` of structures that exist without being defined.
    vrfs_unread, evpn_unread : str
        Why Batfish does not read VRFs of tenants that stay on their switch, and those that EVPN
        joins; empty where it does.
    """

    kind: str
    formats: tuple[str, ...]
    write: Write
    needs_reader: bool = False
    reads_ports: bool = False
    added_lines: int = 0
    harmless: tuple[str, ...] = ()
    harmless_references: tuple[str, ...] = ()
    vrfs_unread: str = NOT_KNOWN
    evpn_unread: str = NOT_KNOWN

    def is_harmless(self, line: str) -> bool:
        """Return whether a line says nothing about what Batfish is asked."""
        return any(re.match(pattern, line.strip()) for pattern in self.harmless)

    def is_predefined(self, kind: str, name: str) -> bool:
        """Return whether a structure exists although the file does not define it."""
        return any(re.fullmatch(item, f"{kind} {name}") for item in self.harmless_references)


#: By system. A system without one is translated, or replaced by what was designed.
snapshot_writers: Registry[Form] = Registry("snapshot writer", plugins="batfish")

"""OS10: outputs that begin with the number of their rows, and a configuration with an end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from fabric.core.lines import LineTree
from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.parsers.tables import plain
from fabric.observe.snapshot import Running
from fabric.observe.state import BgpPeer, LldpNeighbour, SystemFacts
from rocefab_os10.platforms import END, dump, tree

if TYPE_CHECKING:
    from fabric.observe.parsers import Reading


def rows(text: str, columns: int) -> list[list[str]]:
    """Return the rows of an output.

    Raises
    ------
    UnreadableError
        When a row is missing or cut.
    """
    head, _, body = plain(text).partition("\n")
    table = [line.split() for line in body.splitlines()]
    whole = body.endswith("\n") or not table
    if head != f"{len(table)} rows" or not whole or any(len(row) != columns for row in table):
        raise UnreadableError("the output is not whole")
    return table


def facts(text: str) -> SystemFacts:
    """Parse ``show system``."""
    values = dict(rows(text, 2))
    return SystemFacts(values["hostname"], values["model"], "10.5", values["serial"], values["mac"])


def lldp(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``show lldp neighbors``."""
    return {port: (LldpNeighbour(name, far),) for port, name, far in rows(text, 3)}


def bgp(text: str) -> dict[str, BgpPeer]:
    """Parse ``show ip bgp summary``."""
    return {
        peer: BgpPeer(state == "Established", state, int(asn)) for peer, asn, state in rows(text, 3)
    }


def pfc(text: str) -> dict[str, tuple[int, ...]]:
    """Parse ``show priority-flow-control``: priorities with commas, or ``none``."""
    return {
        port: tuple(map(int, re.findall(r"\d+", priorities))) for port, priorities in rows(text, 2)
    }


def whole(text: str) -> LineTree:
    """Return the tree of a configuration.

    Raises
    ------
    UnreadableError
        When its end is missing.
    """
    if not plain(text).endswith(f"\n{END}\n"):
        raise UnreadableError("the end of the configuration is missing")
    return tree(text)


class Os10Parser:
    """Reads OS10 back."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = {
        "facts": ("facts", facts),
        "lldp": ("lldp", lldp),
        "bgp": ("bgp", bgp),
        "pfc": ("pfc_priorities", pfc),
    }

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the running configuration."""
        now = whole(texts["config"])
        saved, text = whole(texts["startup"]) == now, dump(now)
        return Running(device, "os10", config=text, canonical=text, saved=saved, files={})


parsers.add("os10")(Os10Parser())

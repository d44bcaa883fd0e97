"""Rows of a CONFIG_DB, what reads them, and words that several of them share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.observe.configuration.blocks import ipv4
from fabric.observe.configuration.tables import TableReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.observe.configuration import Bgp, Configured

    Fields = dict[str, Any]
    Row = tuple[tuple[str, ...], Fields, int]
    Action = Callable[[Configured, tuple[str, ...], Fields, int], None]

FILE = "config_db"

#: The peer groups of bgpcfgd, of either family, in the name of the first; ``allowas-in 1`` on a
#: ToRRouter (templates/general/peer-group.conf.j2). Neighbours have routes of their family alone
#: (templates/general/instance.conf.j2).
GENERAL = "PEER_V4"

#: What is read of a row, by table; tables are read in the order of the book, so that BGP comes
#: before its sessions.
READER: TableReader[Action] = TableReader("sonic", "routing")


def text_of(row: Fields, field: str, default: str = "") -> str:
    """Return a field that is a text; JSON may hold anything.

    Raises
    ------
    TypeError
        When it is something else.
    """
    value = row.get(field, default)
    if not isinstance(value, str):
        raise TypeError(f"{field} must be a text")
    return value


def require_default_vrf(key: tuple[str, ...]) -> None:
    """See that a row is of the default VRF, which keys begin with; empty ones are of it too.

    Raises
    ------
    ValueError
        When it is of another one.
    """
    if key and key[0] != "default":
        raise ValueError("BGP and routes of another VRF are not read")


def router_id_of(text: str) -> str:
    """Return a router id; empty where the database leaves it open."""
    return ipv4(text) if text else ""


def process_of(switch: Configured) -> Bgp:
    """Return the BGP process.

    Raises
    ------
    ValueError
        When an earlier row has made none.
    """
    if switch.bgp is None:
        raise ValueError("there is no BGP process")
    return switch.bgp

"""Junos in Batfish: the lines of ``set``, since the form with braces loses whole statements."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from fabric.book.book import books
from fabric.prove.batfish.forms import Form, snapshot_writers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured

_KIND = "set"
#: Statements that Batfish may leave over.
_UNREAD = chain.from_iterable(rule.keys() for rule in books()["junos"].marked("batfish misses it"))


def _write(name: str, texts: Mapping[str, str], _: Configured) -> dict[str, bytes]:
    return {f"configs/{name}.cfg": texts[_KIND].encode()}


snapshot_writers.add("junos")(
    Form(
        kind=_KIND,
        formats=("FLAT_JUNIPER", "JUNIPER"),
        write=_write,
        harmless=tuple(f"set {words}" for words in _UNREAD),
        vrfs_unread="",
        # batfish @ cba18733, juniper: ``vtep-source-interface``, which our form does not have
        evpn_unread="Batfish takes the source of tunnels from `switch-options` alone",
    )
)

"""Cisco NX-OS in Batfish: the text as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.book.book import books
from fabric.prove.batfish.forms import Form, snapshot_writers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured

_KIND = "running-config"
#: Lines that Batfish may leave over.
_UNREAD = books()["nxos"].marked("batfish misses it")


def _write(name: str, texts: Mapping[str, str], _: Configured) -> dict[str, bytes]:
    return {f"configs/{name}.cfg": texts[_KIND].encode()}


snapshot_writers.add("nxos")(
    Form(
        kind=_KIND,
        formats=("CISCO_NX",),
        write=_write,
        harmless=(
            *(beginning for rule in _UNREAD for beginning in rule.beginnings()),
            # a guess about ports that our text does not leave open
            r"Guessing Ethernet interfaces default to layer-[23]",
            # Batfish 0.36 knows the speeds up to 100 Gbit/s
            r"Expected interface speed in range ",
        ),
        vrfs_unread="",
        # batfish @ cba18733, cisco_nxos: a VNI has a VLAN with ``vn-segment`` and an interface
        evpn_unread="Batfish has no `vni N l3`",
        # classes that NX-OS defines itself
        harmless_references=(r"class-map type (queuing|network-qos) c-((in|out)-)?(8q-)?n?q.*",),
    )
)

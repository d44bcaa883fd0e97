"""Arista EOS in Batfish: the text as it is, below a line that names its grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.book.book import books
from fabric.prove.batfish.forms import Form, snapshot_writers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured

#: Without it the text is read as Cisco IOS (Batfish, ``VendorConfigurationFormatDetector``).
CONTENT_TYPE = "!RANCID-CONTENT-TYPE: arista\n"
#: Lines that Batfish may leave over.
_UNREAD = books()["eos"].marked("batfish misses it")


def _write(name: str, texts: Mapping[str, str], _: Configured) -> dict[str, bytes]:
    return {f"configs/{name}.cfg": (CONTENT_TYPE + texts["startup-config"]).encode()}


snapshot_writers.add("eos")(
    Form(
        kind="startup-config",
        formats=("ARISTA",),
        write=_write,
        reads_ports=True,
        added_lines=1,
        vrfs_unread="",
        evpn_unread="",
        harmless=(
            *(beginning for rule in _UNREAD for beginning in rule.beginnings()),
            # lists of ports in the groups of balancing
            r"interface Ethernet[\d/]+,[\d/,]+$",
            # what sessions by interface need on a switch, and have in Batfish without it
            r"ip routing ipv6 interfaces$",
            r"neighbor \S+ next-hop address-family ipv6 originate$",
        ),
    )
)

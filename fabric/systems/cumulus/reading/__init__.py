"""Cumulus Linux: what ``nv set`` lines, or a ``startup.yaml``, say of ports, VLANs and BGP.

A port of the switch carries 9216 bytes where no line says another, and speaks unnumbered BGP by the
link-local address that every port with link has. Equal paths are used, 64 of them; over different
ASes only with ``multipath aspath-ignore``. IPv4 unicast needs no activation, and no policy is
wanted (CumulusNetworks/docs, content/cumulus-linux-514, Basic BGP, Optional BGP, Switch Port
Attributes). What holds without a line is in ``defaults.toml``; whether a port works without ``link
state`` is not published, and not judged. Of policies and VRFs, what tenants need is read. A YAML
text is read by the same words: its keys are those of a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import Bgp, Configured, readers
from fabric.observe.configuration.defaults import number_of
from fabric.systems.cumulus.reading import ports
from fabric.systems.cumulus.reading.model import LINES, RoutingLines
from fabric.systems.cumulus.reading.policy import settle_policy
from fabric.systems.cumulus.reading.routing import leave_switches_open, settle_bgp
from fabric.systems.cumulus.reading.text import is_lines, paths_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ports", "read"]

#: Kind of the file that ``render`` writes.
FILE = "nv-set"


@readers.add("cumulus")
def read(files: Mapping[str, str]) -> Configured:
    """Return what the lines of a switch say, or the YAML text in their place.

    Raises
    ------
    UnreadableError
        When it is neither.
    """
    bgp = Bgp(0, 0, max_paths=number_of("cumulus", "max_paths"), ipv4_first=True)
    reading = RoutingLines(Configured("cumulus", FILE), bgp)
    LINES.top.read(reading, paths_of(files[FILE]), reading.switch.leftovers)
    ports.settle_ports(reading)
    settle_policy(reading)
    settle_bgp(reading)
    if reading.switch.bgp and not is_lines(files[FILE]):
        leave_switches_open(reading)
    return reading.switch

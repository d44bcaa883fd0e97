"""Huawei VRP8: what a configuration says of PFC, ECN, domains, deadlocks, ageing and frames.

The lines are those of the CloudEngine V300R023C00 command reference (WheaterW/INTA-project @
9308062d), defaults that a file does not print those of the same and of the configuration guide
(@ a9b3a9a1): see `effect`. Not judged: at how many bytes a port pauses when no line says it, which
is a warning of `check` in one family, and of which no public source tells in the other; and, since
no source says enough, what the ETS profile of a port comes to; PFC that does not deadlock
(``dcb abs-pfc``), whose lines are reported. Thresholds in percent or in cells are only compared
with each other. A PFC profile with a name has the priorities that its lines name, as in the sample
of ``display dcb pfc-profile``.
"""

from __future__ import annotations

import re

from fabric.observe.configuration.blocks import blocks
from fabric.observe.configuration.lossless import Lossless, LosslessReader, lossless_readers
from fabric.observe.configuration.texts import header_ends
from fabric.observe.configuration.tunnels import TunnelLine, TunnelLines, tunnel_lines
from fabric.systems.vrp8.reading_lossless import lines, port
from fabric.systems.vrp8.reading_lossless.effect import ANY_RELEASE, OLD_RELEASE, complete
from fabric.systems.vrp8.reading_lossless.switch import LINES, Switch

__all__ = ["lines", "port", "read"]

_HEAD = re.compile(r"^!Software Version V\d", re.MULTILINE)
_OLD_HEAD = re.compile(r"^!Software Version V[12]\d\dR", re.MULTILINE)


def read(text: str) -> Lossless:
    """Return what a VRP8 configuration says of the lossless class."""
    switch = Switch("vrp8")
    if _OLD_HEAD.search(text):
        switch.features.add(OLD_RELEASE)
    elif not _HEAD.search(text):
        switch.features.add(ANY_RELEASE)
    LINES.top.read(switch, blocks(text, text_ends=header_ends), switch.leftovers)
    complete(switch)
    return switch


tunnel_lines.add("vrp8")(
    TunnelLines(
        # CloudEngine configuration guide V300R023C00, ECN overlay
        r"^interface Nve\d",
        (
            TunnelLine(
                "mark",
                r"^assign forward nvo3 egress mark-ecn enable",
                wanted=True,
                message="a mark of the outer header is lost when the packet leaves the tunnel",
            ),
        ),
    )
)

lossless_readers.add("vrp8")(
    LosslessReader(
        read,
        (
            r"^!Software Version V\d+R\d+",
            r"^interface \d+GE\d+/\d+/\d+",
            r"^interface (Vlanif|MEth|Eth-Trunk)\d",
            r"^ undo portswitch$",
            r"^ port default vlan \d+$",
            r"^ trust upstream ",
            r"^diffserv domain ",
            r"^drop-profile ",
            r"^dcb pfc\b",
            r"^vlan batch ",
            r"^ ipv4-family unicast$",
        ),
    )
)

"""H3C Comware 7: what a configuration says of PFC, ECN, map tables, deadlocks, ageing and MTU.

Sources are those of `fabric.systems.comware7.platforms`: [CMD] the Comware V7 command reference,
[PFC] the guide "Configuring PFC", [HPE] references of HPE switches of the same code. Defaults and
what the lines come to: see `effect`. Not judged, since the documents leave it to the model: what a
port trusts without ``qos trust`` or with ``auto``; queues without a line; the map of DSCPs unless
all of them are listed; the hash without its fields; MAC ageing without its line; frames of switched
ports. WRED limits are in cells, whose size no configuration says: they are only compared with each
other. ``discard-probability`` is a percentage on one model and a denominator on another: not judged
either. Comware 9 (S9825, S9855) has other lines, which are reported.
"""

from __future__ import annotations

from fabric.observe.configuration.blocks import blocks
from fabric.observe.configuration.lossless import Lossless, LosslessReader, lossless_readers
from fabric.observe.configuration.texts import header_ends
from fabric.systems.comware7.reading_lossless import lines, port
from fabric.systems.comware7.reading_lossless.effect import complete
from fabric.systems.comware7.reading_lossless.switch import LINES, Switch

__all__ = ["lines", "port", "read"]


def read(text: str) -> Lossless:
    """Return what a Comware 7 configuration says of the lossless class."""
    switch = Switch("comware7")
    LINES.top.read(switch, blocks(text, text_ends=header_ends), switch.leftovers)
    complete(switch)
    return switch


lossless_readers.add("comware7")(
    LosslessReader(
        read,
        (
            r"^ ?version 7\.\d+\.\d+, ",
            r"^interface [A-Z][A-Za-z-]*(GigE|GigabitEthernet)\d+/\d+/\d+",
            r"^interface (Vlan-interface|Bridge-Aggregation|Route-Aggregation)\d",
            r"^ port link-mode (bridge|route)$",
            r"^ port access vlan \d+$",
            r"^ priority-flow-control (auto|enable|no-drop|deadlock)\b",
            r"^ qos wfq ",
            r"^qos map-table ",
            r"^qos wred queue table ",
            r"^ lldp global enable$",
            r"^  balance (ebgp )?\d+$",
        ),
    )
)

"""Junos: what a configuration says of PFC, ECN, classes, watchdog, ageing and MTU.

A class of the neutral form is a forwarding class: one that is ``no-loss`` has the number of its PFC
priority, all others have numbers from 8 on, with their names. A port pauses for the DSCPs that its
``congestion-notification-profile`` names and that its classifier leads to a ``no-loss`` class. A
received pause stops the queues of ``flow-control-queue``; without any such statement priorities 3
and 4 stop queues 3 and 4 (juniper.net CLI reference flow-control-queue), and the watchdog guards
named queues alone (juniper.net cos-pfc-watchdog-configure).

Other defaults: best-effort has queue 0, fcoe 3, no-loss 4, network-control 7; a DSCP that a
classifier does not name is best-effort; a watchdog polls every 100 ms, acts after 2 polls and
drops; ARP lives 20 minutes, MAC addresses 300 s, which counts where a port is switched; a port
carries 1514 bytes with the Ethernet header of 14 (juniper.net CLI reference of these statements).

Not judged, as no source confirms it: bytes of ECN thresholds, which are percents of a queue of no
fixed size; pause thresholds; the share of a queue without ``transmit-rate``, as Juniper/jvd leaves
it out; the hash without ``hash-key``. That statements of an interface by its name count before
those with a wildcard is assumed. Groups that are applied, and ranges of interfaces, are not read:
their statements are listed, and no port is taken to have the default MTU.
"""

from __future__ import annotations

from fabric.observe.configuration.lossless import Lossless, LosslessReader, lossless_readers
from fabric.observe.configuration.tunnels import TunnelLine, TunnelLines, tunnel_lines
from fabric.systems.junos.reading.statements import statements
from fabric.systems.junos.reading_lossless import ports, queues
from fabric.systems.junos.reading_lossless.model import LINES, LosslessLines
from fabric.systems.junos.reading_lossless.settle import settle

__all__ = ["ports", "queues", "read"]


def read(text: str) -> Lossless:
    """Return what a Junos configuration says of the lossless class.

    Raises
    ------
    UnreadableError
        When the text is neither of the two forms.
    """
    lines = statements(text)
    reading = LosslessLines(Lossless("junos"))
    # Aliases are used above the statements that define them.
    aliases = [line for line in lines if "code-point-aliases dscp" in line.text]
    LINES.top.read(reading, aliases, [])
    LINES.top.read(reading, lines, reading.switch.leftovers)
    settle(reading)
    return reading.switch


def _statements(text: str) -> list[tuple[int, str]]:
    return [(line.line, line.text) for line in statements(text)]


tunnel_lines.add("junos")(
    TunnelLines(
        # Juniper, QFX5000: DSCP and ECN are copied unless a line stops that
        r"^set .*\bencapsulation vxlan\b",
        (
            TunnelLine(
                "dscp",
                r"^set .*\bvxlan-disable-copy-tos-encap",
                wanted=False,
                message="the outer header has neither DSCP nor ECN of the packet",
            ),
            TunnelLine(
                "mark",
                r"^set .*\bvxlan-disable-copy-tos-decap",
                wanted=False,
                message="a mark of the outer header is lost when the packet leaves the tunnel",
            ),
        ),
    )
)

lossless_readers.add("junos")(
    LosslessReader(
        read,
        (
            r"^set system host-name ",
            r"^set interfaces (et|xe|ge|irb|lo0)\b",
            r"^set class-of-service ",
            r"^set (protocols|routing-options|policy-options|forwarding-options) ",
            r"^(system|interfaces|class-of-service|protocols|policy-options|vlans) \{$",
            r"^    (et|xe|ge)-\d+/\d+/\d+(:\d+)? \{$",
            r"^    (host-name \S+;|(classifiers|forwarding-classes|scheduler-maps|schedulers) \{)$",
            r"^    (congestion-notification-profile|drop-profiles|shared-buffer) \{$",
            r"^version \S+;$",
        ),
        shares_in_percent=True,
        identity=r"^(?:set )?version (?P<release>[\w.-]{1,40})",
        statements=_statements,
    )
)

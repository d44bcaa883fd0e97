"""Stand-in of a switch that runs Enterprise SONiC: that of SONiC with ``sonic-cli`` before it.

Known and assumed of its lines: see ``esonic_config`` and ``esonic_rules``; of its database:
``esonic_tables``; of everything in the shell: ``sonic`` and its modules. A line is in force at
once, and in the database; nothing is saved before ``write memory`` or ``config save``; ``config
reload`` loads a database and restarts the services.
Assumed: a reload takes a second of lab time for BGP only; the speed that a port shows when nobody
set one is that of the option ``speed``.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from fabric.lab.lines.editor import feed_text
from fabric.lab.standin import stand_ins
from fabric.platforms.catalogue import sku
from fabric.systems.esonic.lab import tables as esonic_tables
from fabric.systems.esonic.lab.cli import EsonicSession
from fabric.systems.esonic.lab.config import Editor, read_text, text_lines
from fabric.systems.sonic.lab import SonicStandIn

if TYPE_CHECKING:
    from collections.abc import Container

    from fabric.design.model import DeviceDesign
    from fabric.lab.clock import LabClock
    from fabric.lab.lines.tree import Section
    from fabric.lab.spec import StandInSpec
    from fabric.lab.ssh.channel import Process

_SPEED_MBPS = "400000"
_VERSION = "4.4.0-Enterprise_Base"


@stand_ins.add("esonic")
class EsonicStandIn(SonicStandIn):
    """A switch that runs Enterprise SONiC.

    Parameters
    ----------
    spec : StandInSpec
        ``running`` is text of lines. Options: ``speed`` of ports that say nothing, in Mb/s.

    Raises
    ------
    ValueError
        When the configuration holds a line that the switch refuses.
    """

    tree: Section

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        speed = spec.options.get("speed", _SPEED_MBPS)
        whole = sku(spec.model).whole
        names = (whole.port(number) for number in range(1, whole.port_count + 1))
        self._hardware = dict.fromkeys(names, speed)
        lines = {esonic_tables.LINES: {"lines": {"text": str(spec.running or "")}}}
        super().__init__(dataclasses.replace(spec, running=lines), clock)

    @staticmethod
    def factory(design: DeviceDesign, mac: str) -> str:  # type: ignore[override]
        """Return the lines of a switch whose lossless buffers were made, and nothing else."""
        return (
            f"hostname {design.name}\n"
            "username admin password $6$LAB$000000000000 role admin\n"
            "ip route 0.0.0.0/0 192.0.2.1\n"
            "buffer init lossless\n"
            "interface Management0\n"
            " ip address 192.0.2.2/24\n"
        )

    @property
    def software(self) -> str:
        """What ``show version`` calls the system."""
        return f"SONiC-OS-{self.spec.options.get('version', _VERSION)}"

    def after_change(self, *, restart: bool = False) -> None:
        """Let the daemons see the database; after a restart the lines are those that it holds."""
        if restart:
            self.tree = read_text(esonic_tables.lines_of(self.running), self._hardware)
        self.running = esonic_tables.tables(self.tree, self.spec)
        super().after_change(restart=restart)

    def _bgpcfgd(self, *, restart: bool) -> None:
        """Let BGP follow every row, as the daemon of the management framework does."""
        rows = {key: row for key, row in self.table("BGP_NEIGHBOR").items() if row["asn"]}
        for key in rows if restart else ():
            self.hold_down(f"bgp {key}")
        self.bgp_peers = {key: dict(row) for key, row in rows.items()}

    def _vrfs(self) -> Container[str]:
        return {node.line.split()[2] for node in self.tree.below("ip vrf ")}

    def editor(self) -> Editor:
        """Return an editor of the running configuration."""
        return Editor(self.tree, self._hardware)

    def take_lines(self) -> None:
        """Write changed lines to the database."""
        self.after_change()

    @property
    def running_text(self) -> str:
        """The running configuration as the switch shows it."""
        with self.lock:
            return "".join(f"{line}\n" for line in text_lines(self.tree))

    @property
    def startup_text(self) -> str:
        """The saved configuration as the switch would show it."""
        with self.lock:
            return esonic_tables.lines_of(self.startup)

    def hand_edit(self, lines: str) -> None:  # type: ignore[override]
        """Change the running configuration as a person at ``sonic-cli`` would.

        Raises
        ------
        ValueError
            When a line is refused; the lines before it are applied.
        """
        with self.lock:
            try:
                feed_text(self.editor(), lines)
            finally:
                self.take_lines()

    async def _serve(self, process: Process) -> None:
        await EsonicSession(self, process).serve()

"""Enterprise SONiC over SSH by netmiko: ``dell_sonic`` for lines, ``linux`` for the rollback.

Quirks, each handled here. Lines of ``sonic-cli`` are in force one by one and are not tried before:
a refused one ends the change, and what came before it is rolled back. Each line takes a part of a
second, so the timer gets more time for a long change. The system has sessions with a commit timer
from 4.1 on, but public sources spell the command in three ways (``commit timeout N``:
sonic-net/sonic-mgmt @ b4ba9de3 spytest/apis/system/config_session.py; ``commit time N``: Broadcom,
Configure Replacement and Rollback HLD rev. 0.3; others ``commit timeout-rollback N``), and nothing
says how another process finds a session again: they are not used. In their place stands what SONiC
itself has below: a dump of the database before the change, and a timer of systemd that loads it
with ``config reload``, which restarts the services and takes minutes. ``sonic-cli`` refuses to run
for root (sonic-net/sonic-buildimage @ 086b03bd dockers/docker-sonic-mgmt-framework), so the timer
cannot use it. Where we are still there, we send the lines that lead back, which disturbs nothing
else, and reload only when the configuration is not what it was afterwards. Cages change their ports
in the background: lines for them wait until ``show interface breakout`` says ``Completed``, and the
timer waits as much longer. A reboot loses the timer, and every change that was not saved.
"""

from __future__ import annotations

import math
import re
import shlex
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from fabric.core.errors import ConnectionLostError, RefusedError
from fabric.devices.candidate import LinePatch
from fabric.devices.driver import Connection, drivers
from fabric.devices.redaction import shortened
from fabric.systems.esonic.drivers.cli import CliSession, SilentCli
from fabric.systems.esonic.platforms.lines import read
from fabric.systems.sonic.drivers import SonicShellDriver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.devices.ssh import Rehearsal

_RUNNING = "show running-configuration"
_BEFORE, _BACK = "before.cfg", "back.cfg"
#: More time for the timer by each line of a change; nobody has published how long one takes.
_LINE_S = 0.5
#: Cages change their ports in the background (sonic-net/sonic-mgmt @ b4ba9de3
#: spytest/apis/system/port.py waits 30 times 10 s for ``Completed``).
_PORTS_S, _POLL_S = 300.0, 1.0
_BREAKOUTS = "show interface breakout"
_BREAKOUT = re.compile(r"(?:no )?interface breakout ")
_ROW = re.compile(r"\d+/\d+ +\S+ +\S")


@drivers.add("esonic")
class EsonicDriver(SonicShellDriver[LinePatch]):
    """One switch that runs Enterprise SONiC."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._cli = CliSession(connection)

    def rehearse(self) -> Rehearsal:
        """Return what notes the lines of the shell; those of ``sonic-cli`` need no root."""
        self._cli = SilentCli(self.connection)
        return super().rehearse()

    def open(self) -> None:
        """Log in twice: to the shell and to the command line."""
        super().open()
        try:
            self._cli.open()
        except ConnectionLostError:
            self.close()
            raise

    def close(self) -> None:
        """Log out."""
        self._cli.close()
        super().close()

    def cut(self) -> None:
        """Break both sessions off."""
        self._cli.cut()
        super().cut()

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:
        """Return the running configuration, the database, and the file that it is saved in."""
        database = super().read_running(files)
        return {
            **database,
            "config": self._cli.show(_RUNNING),
            "shown": self._shell.run("show version")[1],
            "database": database["config"],
        }

    def read_route(self, vrf: str, prefix: str) -> str:
        """Return what FRR says of a route, as text.

        The shell has its ``vtysh`` (sonic-net/sonic-mgmt @ b4ba9de3 spytest/apis/security/user.py,
        ``sudo vtysh -c``). What ``sonic-cli`` prints without a route is shown nowhere.
        """
        line = shlex.quote(f"show ip route vrf {vrf} {prefix}")
        return self._shell.run(f"sudo -n vtysh -c {line} 2>&1")[1]

    def commit(self, candidate: LinePatch, token: str, timer_s: int) -> None:
        """Arm the timer, send the lines.

        Raises
        ------
        RefusedError
            When the switch refuses a line; those before it are in force.
        """
        lines = candidate.lines.splitlines()
        ports_s = _PORTS_S if any(_BREAKOUT.match(line) for line in lines) else 0
        longer_s = math.ceil(_LINE_S * len(lines) + ports_s) if timer_s else 0
        super().commit(candidate, token, timer_s + longer_s)

    def rollback(self, token: str) -> None:
        """Restore the configuration from before, by lines, else by a reload of the database."""
        folder = self._folder(token)
        if self._is_before(folder) or self._lines_back(folder):
            self._shell.check(f"sudo -n sh -c ': > {folder}/undone'")
            self.disarm(token)
            return
        super().rollback(token)

    def _is_before(self, folder: str) -> bool:
        """Tell whether the configuration is what it was when the change was staged."""
        try:
            before = self._shell.check(f"sudo -n cat {folder}/{_BEFORE}")
            return read(self._cli.show(_RUNNING)) == read(before)
        except (RefusedError, ValueError):
            return False

    def _lines_back(self, folder: str) -> bool:
        """Send the lines that lead back; tell whether they did."""
        lines = self._shell.check(f"sudo -n cat {folder}/{_BACK}").splitlines()
        with suppress(RefusedError):
            self._configure(lines)
            return self._is_before(folder)
        return False

    def _more_files(self, candidate: LinePatch) -> Mapping[str, bytes]:
        return {_BACK: candidate.rollback.encode(), _BEFORE: self._cli.show(_RUNNING).encode()}

    def _undo_steps(self, candidate: LinePatch, token: str) -> list[str]:  # noqa: ARG002
        # A boot has loaded the saved configuration, which a waiting change is not in.
        return [f"[ ! -e /run/{token} ] || config reload {self._folder(token)}/before.json -y -f"]

    def _apply(self, candidate: LinePatch, token: str) -> None:  # noqa: ARG002
        self._configure(candidate.lines.splitlines())

    def _configure(self, lines: Sequence[str]) -> None:
        """Send lines; those that come after a breakout once its ports are there."""
        first = [line for line in lines if _BREAKOUT.match(line)]
        if first:
            self._cli.configure(first)
            self._wait_for_ports()
        self._cli.configure([line for line in lines if line not in first])

    def _wait_for_ports(self) -> None:
        """Wait until every cage is broken out as it was asked for.

        Raises
        ------
        RefusedError
            When one is not in time, or the switch says that it failed.
        """
        deadline_s = time.monotonic() + _PORTS_S
        while not _all_completed(said := self._cli.show(_BREAKOUTS)):
            if time.monotonic() > deadline_s:
                raise RefusedError(
                    self.connection.device,
                    f"ports are not there in time: {shortened(said, len(said))[-300:]}",
                )
            time.sleep(_POLL_S)


def _all_completed(said: str) -> bool:
    """Tell whether every row of the table of breakouts says so."""
    rows = [line.split() for line in said.splitlines() if _ROW.match(line)]
    return all(row[2] == "Completed" for row in rows)

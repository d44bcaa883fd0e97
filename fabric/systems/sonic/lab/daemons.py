"""Daemons in the container swss of a SONiC switch, as ``supervisorctl status`` tells them.

Known: sonic-net/sonic-buildimage 202405 dockers/docker-orchagent (docker-init.j2 installs
arp_update when the container starts and CONFIG_DB has a VLAN, and takes it away never;
arp_update.conf), Supervisor 4.2 supervisorctl.py (layout, exit codes 3 and 4). Assumed: process
id, uptime and dates are invented.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.state import Context

_STATUS = ["exec", "swss", "supervisorctl", "status"]
_DETAILS = {
    "RUNNING": "pid 47, uptime 0:12:01",
    "STOPPED": "Not started",
    "EXITED": "Nov 22 07:20 AM",
    "FATAL": "Exited too quickly (process log may have details)",
}


class Daemons:
    """State by name of the daemons that the stand-in has.

    Parameters
    ----------
    options : dict
        ``arp_update``: its state after each start, in place of ``RUNNING``.
    """

    def __init__(self, options: dict[str, str]) -> None:
        self.states: dict[str, str] = {}
        self._after_start = options.get("arp_update", "RUNNING")

    def start(self, *, vlans: bool) -> None:
        """Start the container."""
        if vlans or "arp_update" in self.states:
            self.states["arp_update"] = self._after_start

    def command(self) -> Callable[[Context, list[str], str], Result]:
        """Return the command docker, as far as it is known."""
        return lambda _context, argv, _stdin: self._docker(argv[1:])

    def _docker(self, words: list[str]) -> Result:
        if words[:4] != _STATUS or len(words) != 5:  # noqa: PLR2004 - and one name
            return Result("", f"docker: only {' '.join(_STATUS)} NAME is supported\n", 1)
        name = words[4]
        state = self.states.get(name)
        if state is None:
            return Result(f"{name}: ERROR (no such process)\n", "", 4)
        running = state == "RUNNING"
        return Result(f"{name:<33}{state:<10}{_DETAILS[state]}\n", "", 0 if running else 3)

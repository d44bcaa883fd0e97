"""H3C Comware 7 over SSH by netmiko: its own timer, and a file to roll back to. Experimental.

What is known (H3C configuration guide "Configuration file management"; netmiko 4.8.0;
grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd references/CMD-help) and handled here: every line acts at
once, there is no candidate; ``configuration commit delay`` restores the state of its own moment
unless ``configuration commit`` follows in time; not every release has it, which the words after an
unfinished ``configuration commit delay`` tell, and then a change needs a user who goes on without.
Before it, the configuration is saved to a file of the name of the change, for going back at once by
``configuration replace file``, which wants a file that ``save`` has made and asks whether to save
first: no. That rollback is a computed one, so what runs afterwards is compared with the file.
Nothing displays the timer: the first line of a change is a policy that nothing uses, and whose name
is that of the change; who rolls the change back removes it. ``save force`` may leave an empty
file after a power cut, so ``save safely force`` is sent. netmiko has no commit, does not look for
errors, and its ``enable`` enters the system view.

Not known: the unit of the delay; minutes are meant in the documents of HPE. That ``configuration
commit`` without a timer is harmless. Messages of refusals that do not begin with ``%``: a line that
is refused in other words is found when the configuration is read back.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from fabric.core.errors import DeviceError, RefusedError
from fabric.core.units import s_to_min
from fabric.devices.base import TerminalDriver, colon_mac, read_subjects
from fabric.devices.driver import Connection, Identity, checked_token, drivers
from fabric.systems.comware7.drivers.session import ComwareCommandLine, refusal
from fabric.systems.comware7.platforms import MAP_TABLES
from fabric.systems.comware7.platforms.text import MARK, OWN_MARK, dump, tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.devices.candidate import LinePatch

_OWN_FILE = re.compile(r"(?m)\s(rocefab-[a-z0-9-]+)\.cfg\s*$")
_MARKED = re.compile(r"(?m)^ *route-policy (rocefab-[a-z0-9-]+) ")
_REPLACE_S = 300
_SYSNAME = "display current-configuration | include sysname"
_MARKS = f"display current-configuration | include {OWN_MARK}"
#: The command of the timer, and what a switch that knows it says when the time is missing.
_TIMER, _UNFINISHED = "configuration commit delay", "% Incomplete command"
_CONFIG = "display current-configuration"
_STATE_COMMANDS = {
    "facts": (_SYSNAME, "display device manuinfo"),
    "interfaces": ("display interface",),
    "lldp": ("display lldp neighbor-information verbose",),
    "bgp": ("display bgp peer ipv4 unicast", "display bgp peer ipv6 unicast"),
    "arp": ("display arp",),
    "macs": ("display mac-address",),
    "pfc": (_CONFIG,),
}


@drivers.add("comware7")
class Comware7Driver(TerminalDriver[ComwareCommandLine]):
    """One Comware 7 switch."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, ComwareCommandLine(connection))

    def identify(self) -> Identity:
        """Return host name, serial number and MAC address of the switch itself."""
        name = re.search(r"(?m)^ *sysname (\S+)", self._terminal.send(_SYSNAME))
        said = self._terminal.send("display device manuinfo")
        fields = dict(reversed(re.findall(r"(?m)^ *(\w+) *: *(\S+) *$", said)))
        return Identity(
            hostname=name[1] if name else "",
            serial=fields.get("DEVICE_SERIAL_NUMBER", ""),
            mac=colon_mac(fields.get("MAC_ADDRESS", "")),
        )

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG002
        """Return the configurations, and what they do not print where it is a default."""
        tables = [self._terminal.send(f"display qos map-table {name}") for name in MAP_TABLES]
        return {
            "config": self._terminal.send(_CONFIG),
            "startup": self._terminal.send("display saved-configuration"),
            "maps": "".join(tables),
            "lldp": self._terminal.send("display lldp status"),
        }

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the answers to the commands of the subjects; each command is sent once."""
        return read_subjects(subjects, _STATE_COMMANDS, self._terminal.send)

    def foreign_sessions(self) -> Sequence[str]:
        """Return changes of rocefab that wait for their confirmation.

        What anybody else is about to change Comware does not tell.
        """
        return sorted(set(_MARKED.findall(self._terminal.send(_MARKS))))

    def missing_timer(self) -> str:
        """Return what the switch says of the command of its timer, where it knows none."""
        self._terminal.checked("system-view")
        said = self._terminal.send(_TIMER)
        self._terminal.send("return")
        known = _UNFINISHED in said
        return "" if known else f"this release has no `{_TIMER}`: {refusal(said)}"

    def stage(self, candidate: LinePatch, token: str) -> None:  # noqa: ARG002
        """Save the running configuration under the name of the change, for the rollback.

        Files that earlier changes left are deleted.

        Raises
        ------
        RefusedError
            When another change waits, or the switch does not save.
        """
        checked_token(token)
        self._refuse_others()
        for name in self._files():
            self._delete(name)
        said = self._terminal.checked(f"save {token}.cfg", answers=("y",))
        if "successfully" not in said:
            raise self._refusal(f"it does not say that it saved {token}.cfg: {said}")

    def commit(self, candidate: LinePatch, token: str, timer_s: int) -> None:
        """Arm the timer of the switch, mark the change, send its lines; a refusal undoes them all.

        Raises
        ------
        RefusedError
            When the timer or a line is refused; nothing is changed then.
        """
        self._terminal.checked("system-view")
        if timer_s:
            self._arm(timer_s)
        try:
            mark = MARK.format(token=checked_token(token))
            self._configure([mark, *candidate.lines.splitlines()])
        except RefusedError:
            self.rollback(token)
            raise
        self._terminal.send("return")

    def _arm(self, timer_s: int) -> None:
        said = self._terminal.send(f"{_TIMER} {max(math.ceil(s_to_min(timer_s)), 1)}")
        if refusal(said):
            self._terminal.send("return")
            raise RefusedError(
                self.connection.device,
                f"nothing would roll back an unconfirmed change: {refusal(said)}",
            )

    def pending(self, token: str) -> bool:
        """Tell whether the change is in force and not confirmed."""
        return checked_token(token) in self.foreign_sessions()

    def confirm(self, token: str) -> None:
        """Stop the timer, then take the mark and the file away.

        Raises
        ------
        RefusedError
            When the timer has run out.
        """
        timer = not self.missing_timer()
        if self.pending(token):
            self._terminal.checked("system-view")
            if timer:
                self._terminal.checked("configuration commit")
            self._terminal.send("return")
            if self.pending(token):
                self._terminal.checked("system-view")
                self._terminal.checked(f"undo route-policy {token}")
                self._terminal.send("return")
                self._delete(token)
                return
        raise RefusedError(
            self.connection.device, "its timer has already run out: the change was rolled back"
        )

    def rollback(self, token: str) -> None:
        """Roll back to the file of the change now; one that is only staged is forgotten.

        Raises
        ------
        RefusedError
            When there is no such change, or the switch does not roll back.
        DeviceError
            When what runs afterwards is not what the file says.
        """
        self._terminal.send("return")
        if token not in self._files():
            raise RefusedError(self.connection.device, f"there is no change {token} on it")
        if self.pending(token):
            self._replace(token)
        self._terminal.send("system-view")
        # The change is away, or never came: whatever it says, the timer finds nothing to undo.
        self._terminal.send("configuration commit")
        self._terminal.send("return")
        self._delete(token)

    def save(self) -> None:
        """Make the running configuration the one that survives a reboot."""
        said = self._terminal.checked("save safely force")
        if "successfully" not in said:
            raise self._refusal(f"it does not say that it saved: {said}")

    def _replace(self, token: str) -> None:
        self._terminal.checked("system-view")
        line = f"configuration replace file {token}.cfg"
        said = self._terminal.send(line, answers=("n",), quiet_s=_REPLACE_S)
        self._terminal.send("return")
        if "Succeeded" not in said:
            raise self._refusal(f"cannot roll back: {said}")
        kept, now = self._terminal.send(f"more {token}.cfg"), self._terminal.send(_CONFIG)
        if dump(tree(kept)) != dump(tree(now)):
            raise DeviceError(
                self.connection.device,
                f"not all came back; compare it with {token}.cfg, which is kept on it",
            )

    def _configure(self, lines: Sequence[str]) -> None:
        """Send indented lines, and leave each view where the next line does not belong to it."""
        depth = 0
        for line in lines:
            if not line.strip():
                continue
            before, depth = depth, len(line) - len(line.lstrip(" "))
            if depth == 0:
                self._leave_views()
            else:
                for _ in range(before - depth):
                    self._terminal.checked("quit")
            self._terminal.checked(line.strip(), answers=_foreseen(line.strip()))

    def _leave_views(self) -> None:
        while not self._terminal.in_system_view:
            before = self._terminal.prompt
            self._terminal.checked("quit")
            if self._terminal.prompt == before or self._terminal.prompt.startswith("<"):
                raise self._refusal(
                    f"its prompt is {self._terminal.prompt}, not that of a system view"
                )

    def _files(self) -> list[str]:
        """Return the names of the changes that have left a file."""
        return sorted(set(_OWN_FILE.findall(self._terminal.send("dir"))))

    def _delete(self, token: str) -> None:
        with suppress(RefusedError):  # what is not there need not go
            self._terminal.checked(f"delete /unreserved {checked_token(token)}.cfg", answers=("y",))


def _foreseen(line: str) -> tuple[str, ...]:
    """Return the answers to the questions that a line is known to ask on some models."""
    return ("y",) if line.startswith("port link-mode ") else ()

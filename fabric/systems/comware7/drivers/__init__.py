"""H3C Comware 7 over SSH by netmiko: its own commit timer, and a file to go back to. Experimental.

What is known (H3C configuration guide "Configuration file management"; netmiko 4.8.0;
grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd references/CMD-help) and handled here: every line acts at
once, there is no candidate; ``configuration commit delay`` brings back the state of its own moment
unless ``configuration commit`` follows in time; not every release has it, which the words after an
unfinished ``configuration commit delay`` tell, and then a change needs a user who goes on without.
Before it, the configuration is saved to a file of the name of the change, for going back at once by
``configuration replace file``, which wants a file that ``save`` has made and asks whether to save
first: no. That way back is a computed one, so what runs afterwards is compared with the file.
Nothing displays the timer: the first line of a change is a policy that nothing uses, and whose name
is that of the change; who takes the change back takes it away. ``save force`` may leave an empty
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
from fabric.devices.base import BaseDriver, colon_mac, read_subjects
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
    "bgp": ("display bgp peer ipv4 unicast",),
    "arp": ("display arp",),
    "macs": ("display mac-address",),
    "pfc": (_CONFIG,),
}


@drivers.add("comware7")
class Comware7Driver(BaseDriver):
    """One Comware 7 switch."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._line = ComwareCommandLine(connection)

    def open(self) -> None:
        """Log in."""
        self._line.open()

    def close(self) -> None:
        """Log out; a change that waits for its confirmation is not touched."""
        self._line.close()

    def cut(self) -> None:
        """Break the session off."""
        self._line.cut()

    def identify(self) -> Identity:
        """Return host name, serial number and MAC address of the switch itself."""
        name = re.search(r"(?m)^ *sysname (\S+)", self._line.send(_SYSNAME))
        said = self._line.send("display device manuinfo")
        fields = dict(reversed(re.findall(r"(?m)^ *(\w+) *: *(\S+) *$", said)))
        return Identity(
            hostname=name[1] if name else "",
            serial=fields.get("DEVICE_SERIAL_NUMBER", ""),
            mac=colon_mac(fields.get("MAC_ADDRESS", "")),
        )

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG002
        """Return the configurations, and what they do not print where it is a default."""
        tables = [self._line.send(f"display qos map-table {name}") for name in MAP_TABLES]
        return {
            "config": self._line.send(_CONFIG),
            "startup": self._line.send("display saved-configuration"),
            "maps": "".join(tables),
            "lldp": self._line.send("display lldp status"),
        }

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the answers to the commands of the subjects; each command is sent once."""
        return read_subjects(subjects, _STATE_COMMANDS, self._line.send)

    def foreign_sessions(self) -> Sequence[str]:
        """Return changes of rocefab that wait for their confirmation.

        What anybody else is about to change Comware does not tell.
        """
        return sorted(set(_MARKED.findall(self._line.send(_MARKS))))

    def missing_timer(self) -> str:
        """Return what the switch says of the command of its timer, where it knows none."""
        self._line.checked("system-view")
        said = self._line.send(_TIMER)
        self._line.send("return")
        known = _UNFINISHED in said
        return "" if known else f"this release has no `{_TIMER}`: {refusal(said)}"

    def stage(self, candidate: LinePatch, token: str) -> None:  # noqa: ARG002
        """Save the running configuration under the name of the change, to go back to.

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
        said = self._line.checked(f"save {token}.cfg", answers=("y",))
        if "successfully" not in said:
            raise self._refusal(f"it does not say that it saved {token}.cfg: {said}")

    def commit(self, candidate: LinePatch, token: str, timer_s: int) -> None:
        """Arm the timer of the switch, mark the change, send its lines; a refusal undoes them all.

        Raises
        ------
        RefusedError
            When the timer or a line is refused; nothing is changed then.
        """
        self._line.checked("system-view")
        if timer_s:
            self._arm(timer_s)
        try:
            mark = MARK.format(token=checked_token(token))
            self._configure([mark, *candidate.lines.splitlines()])
        except RefusedError:
            self.rollback(token)
            raise
        self._line.send("return")

    def _arm(self, timer_s: int) -> None:
        said = self._line.send(f"{_TIMER} {max(math.ceil(s_to_min(timer_s)), 1)}")
        if refusal(said):
            self._line.send("return")
            message = f"nothing would roll back an unconfirmed change: {refusal(said)}"
            raise RefusedError(self.connection.device, message)

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
            self._line.checked("system-view")
            if timer:
                self._line.checked("configuration commit")
            self._line.send("return")
            if self.pending(token):
                self._line.checked("system-view")
                self._line.checked(f"undo route-policy {token}")
                self._line.send("return")
                self._delete(token)
                return
        message = "its timer has already run out: the change was rolled back"
        raise RefusedError(self.connection.device, message)

    def rollback(self, token: str) -> None:
        """Go back to the file of the change now; one that is only staged is forgotten.

        Raises
        ------
        RefusedError
            When there is no such change, or the switch does not go back.
        DeviceError
            When what runs afterwards is not what the file says.
        """
        self._line.send("return")
        if token not in self._files():
            raise RefusedError(self.connection.device, f"there is no change {token} on it")
        if self.pending(token):
            self._replace(token)
        self._line.send("system-view")
        # The change is away, or never came: whatever it says, the timer finds nothing to undo.
        self._line.send("configuration commit")
        self._line.send("return")
        self._delete(token)

    def save(self) -> None:
        """Make the running configuration the one that survives a reboot."""
        said = self._line.checked("save safely force")
        if "successfully" not in said:
            raise self._refusal(f"it does not say that it saved: {said}")

    def _replace(self, token: str) -> None:
        self._line.checked("system-view")
        line = f"configuration replace file {token}.cfg"
        said = self._line.send(line, answers=("n",), quiet_s=_REPLACE_S)
        self._line.send("return")
        if "Succeeded" not in said:
            raise self._refusal(f"cannot roll back: {said}")
        kept, now = self._line.send(f"more {token}.cfg"), self._line.send(_CONFIG)
        if dump(tree(kept)) != dump(tree(now)):
            message = f"not all came back; compare it with {token}.cfg, which is kept on it"
            raise DeviceError(self.connection.device, message)

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
                    self._line.checked("quit")
            self._line.checked(line.strip(), answers=_foreseen(line.strip()))

    def _leave_views(self) -> None:
        while not self._line.in_system_view:
            before = self._line.prompt
            self._line.checked("quit")
            if self._line.prompt == before or self._line.prompt.startswith("<"):
                raise self._refusal(f"its prompt is {self._line.prompt}, not that of a system view")

    def _files(self) -> list[str]:
        """Return the names of the changes that have left a file."""
        return sorted(set(_OWN_FILE.findall(self._line.send("dir"))))

    def _delete(self, token: str) -> None:
        with suppress(RefusedError):  # what is not there need not go
            self._line.checked(f"delete /unreserved {checked_token(token)}.cfg", answers=("y",))


def _foreseen(line: str) -> tuple[str, ...]:
    """Return the answers to the questions that a line is known to ask on some models."""
    return ("y",) if line.startswith("port link-mode ") else ()

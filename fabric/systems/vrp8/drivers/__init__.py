"""Huawei VRP8 over SSH by netmiko (``huawei_vrpv8``): the candidate, and a trial run with a name.

What is known of VRP8 (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d:
commit, abort trial, display configuration trial status) and handled here: lines go into a candidate
of the session and change nothing before ``commit``; ``commit trial TIME persist NAME`` arms the way
back in the switch itself, outlives the session, and is confirmed by ``commit persist NAME`` or
rolled back by ``abort trial persist NAME`` from any session; times are 60 to 65535 s; a commit does
not survive a restart before ``save``; a view is told by the prompt alone, so each line is given
where the prompt says that its section is, and never one view too deep: ``arp timeout`` exists in a
port too; ``display`` prints what belongs to the view that is open, so it is asked for in the user
view; a question mark would ask for help, so a line with one is refused before it is sent. What
another session has in its candidate VRP8 does not tell.

What is known of netmiko stands in ``cli``. NAPALM has no driver of use: napalm-ce does not load,
napalm-huawei-vrp commits at once and replaces nothing.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from fabric.core.errors import DeviceError, RefusedError
from fabric.devices.base import TerminalDriver, colon_mac, read_subjects
from fabric.devices.driver import Connection, Identity, checked_token, drivers
from fabric.devices.redaction import redacted
from fabric.observe.authors import SUBJECT
from fabric.systems.vrp8.drivers.cli import Vrp8CommandLine
from fabric.systems.vrp8.parsers.tables import ESN, SYSNAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.devices.candidate import LinePatch

_TRIAL_S = (60, 65_535)
_COMMIT_S = 600
_CANCEL_S = 30.0
_POLL_S = 0.05
_MOST_VIEWS = 8
_MAC = re.compile(r"^Current System MAC address: ([0-9a-fA-F-]{14})\s*$", re.MULTILINE)
_TRIAL = re.compile(r"^Trial status:\s+(\w+)", re.MULTILINE)
_PERSIST = re.compile(r"^Persist id: (\S+)\s*$", re.MULTILINE)
_CONFIG = "display current-configuration"
_NAME = "display current-configuration | include sysname"
_ESN_COMMAND = "display device esn"
_MAC_COMMAND = "display system mac-address"
_IPV6_PEERS = "display bgp ipv6 peer"
_OVER_PORTS = "display bgp unnumbered peer"
_STATE_COMMANDS = {
    "facts": (_NAME, "display version", _ESN_COMMAND, _MAC_COMMAND),
    "interfaces": ("display interface main",),
    "marked": ("display qos ecn statistics",),
    "lldp": ("display lldp neighbor",),
    "bgp": ("display bgp peer", _IPV6_PEERS, _OVER_PORTS),
    "bfd": ("display bfd session all",),
    "arp": ("display arp",),
    "macs": ("display mac-address",),
    "pfc": (_CONFIG, "display dcb pfc deadlock trigger status"),
    "pfc_counters": ("display dcb pfc",),
    "watchdog": ("display dcb pfc",),
    "ecn": (_CONFIG,),
    "queues": ("display qos queue statistics slot 1",),
    SUBJECT: ("display configuration commit list verbose",),
}
#: Tables of BGP that not every model has.
_LACKED = (_IPV6_PEERS, _OVER_PORTS)
_TABLE = "BGP local router ID"
#: Commands that are refused while a function is off, and the line that switches it on.
_SWITCHES = {
    "display bgp peer": "bgp",
    "display lldp neighbor": "lldp",
    "display bfd session all": "bfd",
}


@drivers.add("vrp8")
class Vrp8Driver(TerminalDriver[Vrp8CommandLine]):
    """One VRP8 switch."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, Vrp8CommandLine(connection))

    def identify(self) -> Identity:
        """Return host name, serial number and system MAC address."""
        name = SYSNAME.search(self._displayed(_NAME))
        serial = ESN.search(self._displayed(_ESN_COMMAND))
        mac = _MAC.search(self._displayed(_MAC_COMMAND))
        return Identity(
            hostname=name[1] if name else "",
            serial=serial[1] if serial else "",
            mac=colon_mac(mac[1]) if mac else "",
        )

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG002
        """Return running and saved configuration; VRP8 has no files of ours."""
        saved = ""
        with suppress(RefusedError):  # nothing was ever saved
            saved = self._displayed("display saved-configuration")
        return {"config": self._displayed(_CONFIG), "startup": saved}

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the outputs of the commands of the subjects; each command runs once.

        Where a function is off, the answer says that. What else the switch refuses is left out.
        """
        return read_subjects(subjects, _STATE_COMMANDS, self._answer)

    def _answer(self, command: str) -> str | None:
        try:
            text = self._displayed(command)
        except RefusedError:
            if command in _LACKED:  # nothing of it where BGP is off, or where a model lacks it
                return ""
            line = _SWITCHES.get(command)
            if line is None or re.search(rf"(?m)^{line}\b", self._displayed(_CONFIG)):
                return None
            return f"{line} is off\n"
        return "" if command in _LACKED and _TABLE not in text else text

    def foreign_sessions(self) -> Sequence[str]:
        """Return the trial run that waits for its confirmation: ours by its name."""
        status, name = self._trial()
        return [] if status == "INACTIVE" else [name or "a trial of another session"]

    def preview(self, candidate: LinePatch) -> str:
        """Return the switch's own diff of a candidate, which is cleared again."""
        self._into_candidate(candidate)
        try:
            self._to_system_view()
            return self._terminal.run("display configuration candidate changes")
        finally:
            self._drop_candidate()

    def stage(self, candidate: LinePatch, token: str) -> None:
        """Put the lines into the candidate of this session.

        Raises
        ------
        RefusedError
            When a trial runs already, or the switch refuses a line; the candidate is cleared then.
        """
        checked_token(token)
        self._refuse_others()
        try:
            self._into_candidate(candidate)
        except RefusedError:
            self._drop_candidate()
            raise

    def _into_candidate(self, candidate: LinePatch) -> None:
        """Give each line in the view that its depth asks for."""
        self._to_system_view()
        views = [self._terminal.view]
        for line in candidate.lines.splitlines():
            if not line.strip():
                continue
            if "?" in line:
                raise RefusedError(
                    self.connection.device,
                    f"a line with a question mark cannot be sent: {redacted(line.strip())}",
                )
            depth = len(line) - len(line.lstrip(" "))
            views = views[: depth + 1]
            self._back_to(views[-1])
            self._terminal.run(line.strip(), answer="y")  # nothing is in force before the commit
            views.append(self._terminal.view)
        self._back_to(views[0])

    def _back_to(self, view: str) -> None:
        for _ in range(_MOST_VIEWS):
            if self._terminal.view == view:
                return
            self._terminal.run("quit")
        raise DeviceError(self.connection.device, f"the switch does not return to the view {view}")

    def commit(self, candidate: LinePatch, token: str, timer_s: int) -> None:  # noqa: ARG002
        """Put the candidate into force as a trial run with the name of the change.

        Raises
        ------
        RefusedError
            When the switch refuses it, or no trial of that name runs afterwards.
        """
        seconds = min(max(int(timer_s), _TRIAL_S[0]), _TRIAL_S[1])
        self._to_system_view()
        try:
            self._terminal.run(
                f"commit trial {seconds} persist {checked_token(token)}", quiet_s=_COMMIT_S
            )
        except RefusedError:
            self._drop_candidate()
            raise
        if not self.pending(token):
            raise RefusedError(self.connection.device, "the trial of the change did not start")

    def pending(self, token: str) -> bool:
        """Tell whether the trial run of the change waits."""
        return self._trial() == ("ACTIVE", checked_token(token))

    def confirm(self, token: str) -> None:
        """Keep what runs on trial.

        Raises
        ------
        RefusedError
            When the trial is over already, or is not over afterwards.
        """
        if not self.pending(token):
            raise RefusedError(
                self.connection.device, "its timer has already run out: the change was rolled back"
            )
        self._to_system_view()
        self._terminal.run(f"commit persist {token}", quiet_s=_COMMIT_S)
        if self.pending(token):
            raise RefusedError(self.connection.device, "the switch still waits for a confirmation")

    def rollback(self, token: str) -> None:
        """Roll the trial run back now; a candidate that was not committed is cleared.

        Raises
        ------
        RefusedError
            When the switch still runs it afterwards.
        """
        waits = self.pending(token)
        self._drop_candidate()
        if not waits:
            return
        self._to_system_view()
        self._terminal.run(f"abort trial persist {token}", answer="y", quiet_s=_COMMIT_S)
        deadline_s = time.monotonic() + _CANCEL_S
        while self._trial()[1] == token:
            if time.monotonic() > deadline_s:
                raise RefusedError(
                    self.connection.device, "the switch did not roll back the change"
                )
            time.sleep(_POLL_S)

    def save(self) -> None:
        """Write the running configuration to the file of the next start."""
        self._to_user_view()
        said = self._terminal.run("save", answer="y", quiet_s=_COMMIT_S)
        if "successfully" not in said:
            raise self._refusal(f"cannot save: {said}")

    def _trial(self) -> tuple[str, str]:
        """Return state and name of the trial run."""
        text = self._displayed("display configuration trial status")
        status, name = _TRIAL.search(text), _PERSIST.search(text)
        if status is None:
            raise DeviceError(
                self.connection.device, "the switch does not tell whether a trial runs"
            )
        return status[1], name[1] if name else ""

    def _displayed(self, command: str) -> str:
        """Return an output; what is not committed stays, for ``display`` works in any view."""
        if command != "display configuration trial status":
            self._to_user_view()
        return self._terminal.run(command)

    def _to_user_view(self) -> None:
        if not self._terminal.in_user_view:
            self._drop_candidate()

    def _to_system_view(self) -> None:
        if self._terminal.in_user_view:
            self._terminal.run("system-view")

    def _drop_candidate(self) -> None:
        """Forget what is not committed, and leave to the user view."""
        if not self._terminal.in_user_view:
            with suppress(RefusedError):  # there is nothing to clear
                self._terminal.run("clear configuration candidate")
            self._terminal.run("return", answer="n")

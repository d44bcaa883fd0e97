"""Cisco NX-OS over NX-API by NAPALM.

What the switch must have: ``feature nxapi`` with HTTPS, and ``feature scheduler``, whose job rolls
an unconfirmed change back: NX-OS has no timed commit of its own. A change is a list of lines. The
order is: a job and a schedule that roll back to a checkpoint, that checkpoint, which holds both,
then the lines; so neither a lost session nor a lost switch keeps a change, and a reboot loads what
was saved before. The rollback never touches the schedule that does it.

What is known of NAPALM's driver (napalm 5.2.0, ``napalm/nxos``) and handled here: ``commit_config``
saves what it has just changed, so an unconfirmed change would survive a reboot: the lines are sent
by themselves and saved after the confirmation; ``revert_in`` is not implemented; replacing the
whole configuration opens SSH and SCP on port 22 whatever ``port`` says, and takes files only that
``checkpoint`` has made: it is not used; ``compare_config`` shows neither removals nor order; the
certificate is not verified unless one asks, and then by host name too: here it is pinned; only lost
connections are translated; the text of a rollback is not looked at, here it must say that it
completed. Answers that are texts are searched for refusals, which NX-API hands on as results.

A schedule counts minutes and may begin up to one minute early, so one more is asked for. When a
login comes from AAA, the scheduler needs ``scheduler aaa-authentication`` (Cisco Nexus 9000 system
management configuration guide 10.5(x), scheduler): what it does not arm is refused before a line is
sent. Errors quote lines, secrets and all, so they are redacted.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.core.units import s_to_min
from fabric.devices.base import BaseDriver, read_subjects
from fabric.devices.clients import napalm_part
from fabric.devices.driver import Connection, Identity, checked_token, drivers
from fabric.devices.redaction import shortened as shortened
from fabric.observe.authors import SUBJECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.devices.candidate import LinePatch

_OWN = "rocefab-"
_PENDING = "Yet to be executed"
#: Lines of one request; a whole leaf has some hundreds.
_BATCH = 100
#: Exists for the whole switch and for a port: it must not meet the mode of a port.
_TWOFOLD = "priority-flow-control "
_STATE_COMMANDS = {
    "facts": "show version",
    "interfaces": "show interface",
    "lldp": "show lldp neighbors",
    "bgp": "show bgp all summary vrf all",
    "bfd": "show bfd neighbors",
    "arp": "show ip arp vrf all",
    "macs": "show mac address-table",
    "pfc": "show interface priority-flow-control",
    "ecn": "show running-config",
    "queuing": "show queuing interface",
    "pfc_counters": "show queuing interface",
    "watchdog": "show queuing pfc-queue detail",
    "optics": "show interface transceiver details",
    "temperatures": "show environment temperature",
    SUBJECT: "show accounting log",
}
#: Commands that are asked for as data.
_AS_JSON = frozenset((
    "show version",
    "show interface",
    "show bgp all summary vrf all",
    "show ip arp vrf all",
    "show mac address-table",
))
#: Commands that exist only while a feature is on.
_FEATURES = {
    "show bgp all summary vrf all": "bgp",
    "show lldp neighbors": "lldp",
    "show bfd neighbors": "bfd",
}
#: What it asks for.
READING = tuple(
    dict.fromkeys((
        "show hostname",
        "show vdc",
        "show startup-config",
        "show scheduler schedule",
        *_STATE_COMMANDS.values(),
    ))
)
_REFUSAL = re.compile(r"(?mi)^\s*(?:%|ERROR\b|.*\bfailed\b)")
_CHASSIS = re.compile(r"(?m)^1\s+\S+\s+\S+\s+((?:[0-9a-f]{2}:){5}[0-9a-f]{2})\s")
_SCHEDULE = re.compile(r"(?ms)^Schedule Name\s+: (\S+)$(.*?)(?=^Schedule Name|\Z)")


@drivers.add("nxos")
class NxosDriver(BaseDriver):
    """One NX-OS switch."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._device: Any = None

    def open(self) -> None:
        """Log in; refuses a certificate that is neither given nor signed by a known authority."""
        if not self.connection.password:
            raise ConnectionLostError(
                self.connection.device,
                "NX-API takes a password, not SSH keys; set ROCEFAB_PASSWORD",
            )
        napalm_part("nxapi_plumbing")
        from fabric.systems.nxos.drivers.client import open_device

        with self._translated("log in"):
            self._device = open_device(self.connection)
        try:
            with self._translated("log in"):
                self._device.show("show hostname")
        except DeviceError as error:
            self.close()
            raise ConnectionLostError(self.connection.device, error.reason) from None

    def close(self) -> None:
        """Log out; a change that waits for its confirmation is not touched."""
        if self._device is not None:
            with suppress(Exception):
                self._device.api.close()
            self._device = None

    def cut(self) -> None:
        """Break the connection off."""
        device = self._device
        if device is not None:
            device.api.cut()

    def identify(self) -> Identity:
        """Return host name, serial number and chassis MAC."""
        version = self._json("show version")
        mac = None
        with suppress(RefusedError):
            mac = _CHASSIS.search(self._text("show vdc").lower())
        return Identity(
            hostname=str(version.get("host_name", "")),
            serial=str(version.get("proc_board_id", "")),
            mac=mac[1] if mac else "",
        )

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG002
        """Return running and startup configuration; NX-OS has no files of ours."""
        return {
            "config": self._text("show running-config"),
            "startup": self._text("show startup-config"),
        }

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the answers to the show commands of the subjects.

        A command whose feature is off does not exist; then the answer says that. What else the
        switch refuses is left out.
        """
        return read_subjects(subjects, _STATE_COMMANDS, self._answer)

    def read_route(self, vrf: str, prefix: str) -> str:
        """Return what is said of a route, as text: no source shows JSON without one."""
        return self._text(f"show ip route {prefix} vrf {vrf}")

    def _answer(self, command: str) -> str | None:
        try:
            if command in _AS_JSON:
                return json.dumps(self._json(command), sort_keys=True)
            return self._text(command)
        except RefusedError:
            feature = _FEATURES.get(command)
            if not feature or self._has_feature(feature):
                return None
            return f"feature {feature} is off\n"

    def _has_feature(self, feature: str) -> bool:
        return f"feature {feature}" in self._text("show running-config").splitlines()

    def foreign_sessions(self) -> Sequence[str]:
        """Return changes of rocefab that are staged or wait for their confirmation.

        What anybody else is about to change NX-OS does not tell.
        """
        ran = {name for name, pending in self._schedules().items() if not pending}
        return sorted(self._jobs() - ran)

    def stage(self, candidate: LinePatch, token: str) -> None:  # noqa: ARG002
        """Put the job that rolls back onto the switch; what earlier timers left is removed.

        Raises
        ------
        RefusedError
            When the scheduler is off: then nothing would roll an unconfirmed change back.
        """
        checked_token(token)
        if not self._has_feature("scheduler"):
            raise RefusedError(
                self.connection.device,
                "feature scheduler is off, so nothing would roll back an unconfirmed change; "
                "switch it on, then plan again",
            )
        for name, pending in self._schedules().items():
            if name.startswith(_OWN) and not pending:
                self._clear(name)
        rollback = f"rollback running-config checkpoint {token}"
        self._configure("stage", [f"scheduler job name {token}", f"  {rollback}", "  exit"])

    def commit(self, candidate: LinePatch, token: str, timer_s: int) -> None:
        """Arm the schedule, take the checkpoint, send the lines; a refused line undoes them all.

        Raises
        ------
        RefusedError
            When the schedule cannot be armed or a line is refused; nothing is changed then.
        """
        if timer_s:
            self._arm(token, timer_s)
        try:
            self._said("take a checkpoint", f"checkpoint {checked_token(token)}")
            self._configure("change the configuration", candidate.lines.splitlines())
        except RefusedError:
            if timer_s:
                self.rollback(token)
            else:
                self._to_checkpoint(token)
                self._clear(token)
            raise

    def conclude(self, token: str) -> None:
        """Remove the job and the checkpoint of a change without a timer."""
        self._clear(token)

    def _arm(self, token: str, timer_s: int) -> None:
        schedule = f"scheduler schedule name {checked_token(token)}"
        minutes = math.ceil(s_to_min(timer_s)) + 1
        delay = f"{minutes // 1440:02}:{minutes // 60 % 24:02}:{minutes % 60:02}"
        armed = [schedule, f"  job name {token}", f"  time start +{delay}"]
        self._configure("arm the timer", armed)
        if not self.pending(token):
            self._clear(token)
            raise RefusedError(
                self.connection.device,
                "the scheduler did not arm its job; see `show scheduler logfile`",
            )

    def pending(self, token: str) -> bool:
        """Tell whether the schedule still waits."""
        return self._schedules().get(checked_token(token), False)

    def confirm(self, token: str) -> None:
        """Remove the schedule, and make sure that it did not run meanwhile.

        Raises
        ------
        RefusedError
            When the timer has run out.
        """
        if not self.pending(token):
            raise RefusedError(
                self.connection.device, "its timer has already run out: the change was rolled back"
            )
        self._configure("confirm", [f"no scheduler schedule name {token}"])
        difference = self._text(f"show diff rollback-patch checkpoint {token} running-config")
        self._clear(token)
        if not _own_lines_apart(difference):
            raise RefusedError(
                self.connection.device,
                "its timer ran out during the confirmation: the change was rolled back",
            )

    def rollback(self, token: str) -> None:
        """Roll back to the checkpoint now; a change that is only staged is forgotten.

        Raises
        ------
        RefusedError
            When the switch does not say that it completed, or knows no such change.
        """
        waits = self.pending(token)
        if not waits and token not in self._jobs():
            raise RefusedError(self.connection.device, f"there is no change {token} on it")
        if waits:
            self._to_checkpoint(token)
        self._clear(token)

    def _to_checkpoint(self, token: str) -> None:
        if f") {token}:" in self._text("show checkpoint summary"):
            said = self._said("roll back", f"rollback running-config checkpoint {token}")
            if "completed" not in said.lower():
                raise self._refusal(f"cannot roll back: {said}")

    def save(self) -> None:
        """Copy the running configuration to the startup configuration."""
        said = self._said("save", "copy running-config startup-config")
        if "complete" not in said.lower():
            raise self._refusal(f"cannot save: {said}")

    def _clear(self, token: str) -> None:
        """Remove what a change left: schedule, job and checkpoint."""
        for line in (f"no scheduler schedule name {token}", f"no scheduler job name {token}"):
            with suppress(RefusedError):  # what is not there need not go
                self._configure("clear", [line])
        with suppress(RefusedError):
            self._said("clear", f"no checkpoint {token}")

    def _schedules(self) -> dict[str, bool]:
        """Return the schedules of the switch, and whether each still waits for its first run."""
        try:
            text = self._text("show scheduler schedule")
        except RefusedError:  # the feature is off
            return {}
        return {name: _PENDING in rest for name, rest in _SCHEDULE.findall(text)}

    def _jobs(self) -> set[str]:
        """Return the jobs of rocefab."""
        text = self._text("show running-config")
        return set(re.findall(rf"(?m)^scheduler job name ({_OWN}\S+)$", text))

    def _configure(self, doing: str, lines: Sequence[str]) -> None:
        """Send lines in batches that begin at the top level of the configuration."""
        for batch in batches(lines):
            with self._translated(doing):
                answers = self._device.config_list(["configure terminal", *batch])
            for answer in answers:
                self._refuse_text(doing, answer.get("result"))

    def _said(self, doing: str, command: str) -> str:
        """Run a command of exec mode and return what the switch says."""
        with self._translated(doing):
            commands = ["terminal dont-ask", command]
            answers = self._device.show_list(commands, raw_text=True)
        said = str(answers[-1].get("result") or "")
        self._refuse_text(doing, said)
        return said

    def _refuse_text(self, doing: str, said: object) -> None:
        text = said if isinstance(said, str) else json.dumps(said) if said else ""
        if _REFUSAL.search(text):
            raise self._refusal(f"cannot {doing}: {text}")

    def _json(self, command: str) -> dict[str, Any]:
        with self._translated(command):
            answer = self._device.show(command)
        return answer if isinstance(answer, dict) else {}

    def _text(self, command: str) -> str:
        with self._translated(command):
            return str(self._device.show(command, raw_text=True) or "")

    def _is_refusal(self, error: Exception) -> bool:
        from napalm.nxapi_plumbing import NXAPICommandError

        return isinstance(error, NXAPICommandError)


def batches(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield indented lines in batches, each with the sections that are open where it begins.

    A request begins outside of all modes, so a line of the whole switch that a port has too begins
    a batch.
    """
    batch: list[str] = []
    open_lines: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        depth = (len(line) - len(line.lstrip(" "))) // 2
        open_lines = open_lines[:depth]
        twofold = depth == 0 and line.removeprefix("no ").startswith(_TWOFOLD)
        if batch and (twofold or len(batch) >= _BATCH):
            yield batch
            batch = list(open_lines)
        batch.append(line.strip())
        open_lines.append(line.strip())
    if batch:
        yield batch


def _own_lines_apart(difference: str) -> bool:
    """Tell whether a patch holds more than the schedule of rocefab itself."""
    _, _, body = difference.partition("Generating Rollback Patch")
    ours = re.compile(r"!.*|(?:no )?(?:scheduler |job name |time start ).*|Rollback Patch is Empty")
    lines = [line.strip() for line in body.splitlines() if line.strip()]
    return any(not ours.fullmatch(line) for line in lines)

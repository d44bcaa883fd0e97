"""NVIDIA Cumulus Linux over SSH by netmiko (``linux``): NVUE revisions and its own commit timer.

What is known of NVUE (CumulusNetworks/docs, content/cumulus-linux-514, NVUE CLI; the revision words
are those of a NAPALM driver in public use) and handled here: lines travel as a file for ``nv config
patch``, since each ``nv set`` is a request of its own; within one patch the order is not kept, so
what goes is unset by a patch before the one that sets; both land in one pending revision, whose
number is kept on the switch beside the name of the change, so that another process finds it; ``nv
config apply --confirm`` arms the timer and always gets a unit, because a bare number means minutes;
the answer of ``apply`` differs between releases and says nothing that could be relied on, so the
state of the revision is read back: ``confirm`` while the timer runs; prompts of ``apply`` need
``-y``; it may restart switchd or FRR and take minutes; from 5.9 on what is applied is saved by
itself, before ``nv config save`` is needed, which is sent always; on a terminal ``nv`` pages long
outputs (``system cli pagination``, by default ``auto``), so that what is read goes through a pipe.
``nv config replace`` is not used: it would write back the accounts with the masked passwords that
``nv config show`` prints. Anything that is pending or waits for its confirmation and is not ours is
somebody else's work.
"""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from fabric.core.errors import ConnectionLostError, DeviceError
from fabric.core.json_text import parse_json
from fabric.core.units import S_PER_MIN
from fabric.devices.base import read_subjects
from fabric.devices.candidate import SetLines
from fabric.devices.driver import Identity, checked_token, drivers
from fabric.devices.shell_driver import ShellDriver
from fabric.devices.traffic import FrrShutdown
from fabric.observe.authors import SUBJECT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.devices.ssh import ShellSession


_APPLY_S = 600
_FOLDER = "/var/lib/rocefab"
#: CumulusNetworks/docs, knowledge base: "Use cat /etc/lsb-release to Verify the Running System".
_VERSION = "/etc/lsb-release"
_RECORD = f"{_FOLDER}/revisions"
_REVISION = re.compile(r"\[rev_id: (\d+)\]")
_WAITING = ("confirm", "pending")
#: What stands in the record in place of a number.
_COMING, _NEVER_CAME = "next", "none"
_EACH_PORT = (
    "for port in $(ls /sys/class/net | grep '^swp'); "
    'do echo "== $port =="; nv show interface $port {what} | cat; done'
)
_ROCE = "nv show interface | cat; echo '-- roce --'; nv show qos roce | cat"
_COUNTERS = _EACH_PORT.format(what="counters qos")
_STATE_COMMANDS = {
    "facts": "hostname; sudo -n decode-syseeprom",
    "interfaces": "nv show interface | cat",
    "link_bytes": "ip -s -j link show",
    "lldp": "sudo -n lldpcli show neighbors -f json",
    "bgp": "sudo -n vtysh -c 'show ip bgp summary json'",
    "bgp_ipv6": "sudo -n vtysh -c 'show bgp ipv6 summary json'",
    "bfd": "ptmctl -b",
    "neighbours": "ip neighbor show",
    "pfc_priority": _ROCE,
    "ecn": _ROCE,
    "pfc_counters": _COUNTERS,
    "queues": _COUNTERS,
    "priority_groups": _COUNTERS,
    "pfc_watchdog": _EACH_PORT.format(what="qos pfc-watchdog"),
    "marked": _EACH_PORT.format(what="qos roce counters"),
    "optics": _EACH_PORT.format(what="transceiver"),
    "temperatures": "nv show platform environment temperature | cat",
    SUBJECT: "nv config history -o json | cat",
}
#: CumulusNetworks/docs, Monitoring System Hardware, names the place of decode-syseeprom.
_PLACES = {"decode-syseeprom": ("/usr/cumulus/bin",)}


@drivers.add("cumulus")
class CumulusDriver(ShellDriver[SetLines]):
    """One Cumulus Linux switch."""

    undone_by_script = False
    has_graceful_shutdown = True
    changing = ("cat", "flock", "install", "tee", "test", "vtysh")
    places: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(_PLACES)

    def _work_on(self, shell: ShellSession) -> None:
        super()._work_on(shell)
        bgp = FrrShutdown(shell, self.connection.device)
        self.drained, self.drain, self.undrain = bgp.drained, bgp.drain, bgp.undrain

    def open(self) -> None:
        """Log in; a command that fails before a pipe fails as a whole from now on."""
        super().open()
        self._shell.check("set -o pipefail")

    def identify(self) -> Identity:
        """Return host name, serial number and base MAC from the system EEPROM."""
        hostname = self._shell.check("hostname").strip()
        eeprom = self._shell.run("sudo -n decode-syseeprom")[1]
        return Identity(
            hostname=hostname,
            serial=_tlv(eeprom, "Serial Number", "0x23"),
            mac=_tlv(eeprom, "Base MAC Address", "0x24").lower(),
        )

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG002
        """Return the applied configuration, and what of it is not saved; there are no files."""
        return {
            "config": self._shell.check("nv config show -o commands | cat"),
            "unsaved": self._shell.check("nv config diff startup applied -o commands | cat"),
            "version": self._shell.run(f"cat {_VERSION}")[1],
        }

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the outputs of the commands of the subjects; each command runs once."""
        return read_subjects(subjects, _STATE_COMMANDS, lambda line: self._shell.run(line)[1])

    def read_route(self, vrf: str, prefix: str) -> str:
        """Return what FRR says of a route, as text: its JSON is empty without the VRF too."""
        line = shlex.quote(f"show ip route vrf {vrf} {prefix}")
        return self._shell.run(f"sudo -n vtysh -c {line} 2>&1")[1]

    def foreign_sessions(self) -> Sequence[str]:
        """Return what is pending or waits for its confirmation: our changes by their names."""
        states, recorded = self._states(), self._recorded()
        names = {_number(token, recorded, states): token for token in recorded}
        return [
            names.get(number, f"revision {number} ({state})")
            for number, state in states.items()
            if state in _WAITING
        ]

    def stage(self, candidate: SetLines, token: str) -> None:
        """Patch a new pending revision, and keep its number beside the name of the change.

        That a revision of ours is about to come is written down first: a patch that fails, or a
        session that breaks, may leave one behind.

        Raises
        ------
        RefusedError
            When something is pending already, or the switch refuses a line.
        """
        checked_token(token)
        self._refuse_others()
        inbox = self._inbox()
        self._shell.check(f"sudo -n install -d -m 700 {_FOLDER}")
        self._remember(_COMING, token)
        try:
            for name, text in (("unset", candidate.unload), ("set", candidate.load)):
                if text:
                    self._shell.upload({f"{inbox}/{name}.nv": text.encode()})
                    self._remember(self._patch(f"{inbox}/{name}.nv"), token)
        finally:
            with suppress(ConnectionLostError):
                self._shell.run(f"rm -rf {inbox}")

    def _patch(self, path: str) -> str:
        output = self._nv(f"nv config patch {path}")
        revision = _REVISION.search(output)
        if not revision:
            raise self._refusal(f"nv config patch answered: {output}")
        return revision[1]

    def _remember(self, number: str, token: str) -> None:
        self._shell.check(f"echo {number} {token} | sudo -n tee -a {_RECORD} > /dev/null")

    def commit(self, candidate: SetLines, token: str, timer_s: int) -> None:  # noqa: ARG002
        """Apply the pending revision with the switch's own timer.

        Raises
        ------
        RefusedError
            When the switch finds the configuration invalid, or no timer runs afterwards.
        """
        minutes, rest = divmod(int(timer_s), S_PER_MIN)
        time = f"{int(timer_s)}s" if rest else f"{minutes}m"
        output = self._nv(f"nv config apply {f'--confirm {time} ' if timer_s else ''}-y")
        state = self._state(token)[1]
        if state != ("confirm" if timer_s else "applied"):
            raise self._refusal(f"the switch did not apply the change: {output}")

    def pending(self, token: str) -> bool:
        """Tell whether the revision of the change waits for its confirmation."""
        return self._state(token)[1] == "confirm"

    def confirm(self, token: str) -> None:
        """Keep the revision and stop the timer.

        Raises
        ------
        DeviceError
            When the timer has already run out.
        """
        number, state = self._state(token)
        if state != "confirm":
            raise DeviceError(self.connection.device, "the commit timer has already run out")
        self._nv(f"nv config apply {number} --confirm-yes")
        if self.pending(token):
            raise DeviceError(self.connection.device, "the switch still waits for a confirmation")

    def rollback(self, token: str) -> None:
        """Roll back to the revision before, or drop the pending one when it was not applied.

        Raises
        ------
        DeviceError
            When the switch still waits for a confirmation.
        """
        number, state = self._state(token)
        if state == "confirm":
            self._nv(f"nv config apply {number} --confirm-no")
        elif state == "pending":
            self._nv("nv config detach")
        if self._state(token)[1] in _WAITING:
            raise DeviceError(self.connection.device, "the switch did not roll back the change")
        if self._recorded().get(token) == _COMING:
            self._remember(_NEVER_CAME, token)

    def save(self) -> None:
        """Write the applied configuration to the startup file."""
        self._nv("nv config save")

    def _nv(self, command: str) -> str:
        """Run a command of NVUE that changes something; it may take minutes."""
        status, output = self._shell.run(command, quiet_s=_APPLY_S)
        if status or output.lstrip().startswith(("Error", "Invalid")):
            raise self._refusal(f"{command!r}: {output}")
        return output

    def _state(self, token: str) -> tuple[str, str]:
        """Return number and state of the revision of a change, empty where there is none."""
        states = self._states()
        number = _number(checked_token(token), self._recorded(), states)
        return number, states.get(number, "")

    def _states(self) -> dict[str, str]:
        """Return the state of each revision by its number."""
        text = self._shell.check("nv config revision -o json | cat")
        try:
            revisions = parse_json(text)
            return {number: str(item.get("state", "")) for number, item in revisions.items()}
        except (ValueError, AttributeError) as error:
            raise DeviceError(
                self.connection.device, "nv config revision printed no JSON of revisions"
            ) from error

    def _recorded(self) -> dict[str, str]:
        """Return the number of the revision of each change of ours."""
        if not self._exists(_RECORD):
            return {}
        rows = (line.split() for line in self._shell.check(f"sudo -n cat {_RECORD}").splitlines())
        return {words[1]: words[0] for words in rows if len(words) == 2}  # noqa: PLR2004


def _number(token: str, recorded: Mapping[str, str], states: Mapping[str, str]) -> str:
    """Return the revision of a change; one that was about to come is a pending one without name."""
    number = recorded.get(token, "")
    if number != _COMING:
        return number
    unnamed = (n for n, state in states.items() if state == "pending")
    return next((n for n in unnamed if n not in recorded.values()), "")


def _tlv(text: str, name: str, code: str) -> str:
    value = re.search(rf"^{name} +{code} +\d+ (.*)$", text, re.MULTILINE)
    return value[1].strip() if value else ""

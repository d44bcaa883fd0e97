"""SONiC over SSH by netmiko (``linux``): CONFIG_DB, checkpoints, and a commit timer built here.

What is known of ``config`` (sonic-net/sonic-utilities 202405): nothing is saved before
``config save``; ``apply-patch`` does not undo a part that succeeded; ``reload`` is a restart of
the services; there is no commit-confirm. Going back is ``config rollback`` and, when that is
refused, ``config reload`` of the configuration from before. A reboot loses the timer, but also
every change that was not saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import RefusedError
from fabric.devices.driver import Candidate, Identity, drivers
from fabric.devices.shell_driver import ShellDriver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_STARTUP = "/etc/sonic/config_db.json"
_RELOAD_S = 600
_STATE_COMMANDS = {
    "bgp": "show ip bgp summary",
    "lldp": "show lldp table",
    "pfc_priority": "show pfc priority",
    "pfc_counters": "show pfc counters",
    "pfc_watchdog": "pfcwd show config",
    "watchdog_stats": "sudo pfcwd show stats",
    "ecn": "sudo ecnconfig -l",
    "interfaces": "show interfaces status",
    "interface_counters": "show interfaces counters",
    "queue_counters": "show queue counters",
    "queue_watermarks": "show queue watermark unicast",
    "group_drops": "show priority-group drop counters",
    "group_watermarks": "show priority-group watermark headroom",
    "arp": "show arp",
    "ndp": "show ndp",
    "macs": "show mac",
    "tables": "crm show resources all",
}


@drivers.add("sonic")
class SonicDriver(ShellDriver):
    """One SONiC switch."""

    def identify(self) -> Identity:
        """Return host name, serial number and chassis MAC from the system EEPROM."""
        hostname = self._shell.check("hostname").strip()
        serial = self._shell.run("sudo decode-syseeprom -s")
        mac = self._shell.run("sudo decode-syseeprom -m")
        return Identity(
            hostname=hostname,
            serial="" if serial[0] else serial[1].strip(),
            mac="" if mac[0] else mac[1].strip().lower(),
        )

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:
        """Return CONFIG_DB, the saved file and the asked files."""
        return {
            "config": self._shell.check("sudo sonic-cfggen -d --print-data"),
            "startup": self._shell.check(f"sudo cat {_STARTUP}"),
            **self.read_files(files),
        }

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the outputs of the show commands of the subjects."""
        return {
            subject: self._shell.run(_STATE_COMMANDS[subject])[1]
            for subject in subjects
            if subject in _STATE_COMMANDS
        }

    def save(self) -> None:
        """Write CONFIG_DB to the startup file."""
        self._shell.check("sudo config save -y")

    def _more_files(self, candidate: Candidate) -> Mapping[str, bytes]:
        texts = {name: getattr(candidate, name) for name in ("target", "load", "unload", "patch")}
        return {f"{name}.json": text.encode() for name, text in texts.items() if text}

    def _stage_more(self, candidate: Candidate, token: str) -> None:
        folder = self._folder(token)
        # No pipe: its status would be that of the last command, and an empty before.json is no
        # way back.
        dump = f"sonic-cfggen -d --print-data > {folder}/before.json"
        self._shell.check(f"sudo sh -c '{dump}'")
        self._shell.check(f"sudo test -s {folder}/before.json")
        if candidate.patch:
            # A switch whose running rows break its own models refuses this; the way back is
            # then the reload of before.json.
            self._shell.run(f"sudo config checkpoint {token}")

    def _undo_steps(self, candidate: Candidate, token: str) -> list[str]:
        folder = self._folder(token)
        reload = f"config reload {folder}/before.json -y -f"
        steps = [reload] if candidate.method == "reload" else []
        if candidate.unload:
            steps.append(f"config load {folder}/unload.json -y")
        if candidate.patch:
            steps.append(f"config rollback {token} || {reload}")
        # A file that was new is gone by then, and what activates it has nothing to read.
        active = [f"{command} || true" for command in candidate.activate]
        return [*steps, *super()._undo_steps(candidate, token), *active]

    def _apply(self, candidate: Candidate, token: str) -> None:
        folder = self._folder(token)
        commands = []
        if candidate.method == "reload":
            commands.append(f"sudo config reload {folder}/target.json -y -f")
        if candidate.load:
            commands.append(f"sudo config load {folder}/load.json -y")
        if candidate.patch:
            commands.append(f"sudo config apply-patch {folder}/patch.json")
        for command in commands:
            try:
                self._shell.check(command, quiet_s=_RELOAD_S)
            except RefusedError as error:
                message = f"the switch refused the change: {error.reason}"
                raise RefusedError(self.connection.device, message) from error

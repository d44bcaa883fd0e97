"""SONiC over SSH by netmiko (``linux``): CONFIG_DB, checkpoints, and a commit timer built here.

What is known of ``config`` (sonic-net/sonic-utilities 202405): nothing is saved before
``config save``; ``apply-patch`` does not undo a part that succeeded; ``reload`` is a restart of
the services; there is no commit-confirm. Going back is ``config rollback`` part by part and, when
that is refused, ``config reload`` of the configuration from before. A reboot loads the saved file,
so that the net, which outlives it, then restores files alone.
"""

from __future__ import annotations

import shlex
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, TypeVar

from fabric.core.errors import RefusedError
from fabric.core.json_text import parse_json
from fabric.devices.candidate import Candidate, SonicCandidate, SonicLive, SonicReload
from fabric.devices.driver import Identity, drivers
from fabric.devices.shell_driver import CHANGING, ShellDriver
from fabric.devices.traffic import FrrShutdown
from fabric.observe.parsers.linux import UPTIME_COMMAND
from fabric.systems.sonic.platforms import KERNEL_PATTERN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.devices.candidate import SonicStep
    from fabric.devices.ssh import ShellSession

_STARTUP = "/etc/sonic/config_db.json"
_VERSION = "/etc/sonic/sonic_version.yml"
#: sonic-net/sonic-utilities generic_config_updater/generic_updater.py, CHECKPOINTS_DIR.
_CHECKPOINTS = "/etc/sonic/checkpoints"
_RELOAD_S = 600
#: Rows that one command deletes: names of up to 50 characters fit in a line of the terminal.
_KEYS = 60
#: No command of sonic-utilities prints the bytes of ports (202405, scripts/portstat), so a script
#: reads them where portstat does (EVAL: sonic-net/sonic-swss-common sonic-db-cli/sonic-db-cli.cpp).
BYTES_SCRIPT = (
    'local rows, ports = {}, redis.call("HGETALL", "COUNTERS_PORT_NAME_MAP") '
    "for at = 1, #ports, 2 do "
    'local said = redis.call("HMGET", "COUNTERS:" .. ports[at + 1], '
    '"SAI_PORT_STAT_IF_IN_OCTETS", "SAI_PORT_STAT_IF_OUT_OCTETS") '
    'rows[#rows + 1] = ports[at] .. " " .. (said[1] or "N/A") .. " " .. (said[2] or "N/A") end '
    'return table.concat(rows, "\\n")'
)
_STATE_COMMANDS = {
    "uptime": UPTIME_COMMAND,
    "bgp": "show ip bgp summary",
    "bgp_ipv6": "show ipv6 bgp summary",
    "lldp": "show lldp table",
    "pfc_priority": "show pfc priority",
    "pfc_counters": "show pfc counters",
    "pfc_watchdog": "pfcwd show config",
    "watchdog_stats": "sudo -n pfcwd show stats",
    "ecn": "sudo -n ecnconfig -l",
    "interfaces": "show interfaces status",
    "interface_counters": "show interfaces counters",
    "interface_bytes": f"sonic-db-cli COUNTERS_DB EVAL '{BYTES_SCRIPT}' 0",
    "fec_counters": "show interfaces counters fec-stats",
    "queue_counters": "show queue counters",
    "queue_watermarks": "show queue watermark unicast",
    "group_drops": "show priority-group drop counters",
    "group_watermarks": "show priority-group watermark headroom",
    "group_shared_watermarks": "show priority-group watermark shared",
    "pool_watermarks": "show buffer_pool watermark",
    "headroom_pool_watermarks": "show headroom-pool watermark",
    "arp": "show arp",
    "ndp": "show ndp",
    "macs": "show mac",
    "tables": "crm show resources all",
    "temperatures": "show platform temperature",
    "kernel": f"sudo -n sysctl -a -r '{KERNEL_PATTERN}'",
    "daemons": "sudo -n docker exec swss supervisorctl status arp_update",
}
#: sonic-net/sonic-buildimage files/image_config/sudoers/sudoers names decode-syseeprom and config
#: there; they are scripts of the packages sonic-utilities and sonic-config-engine, as are the rest.
#: sonic-net/sonic-mgmt has ``sonic-db-cli`` in either folder, by the release.
_PLACES = {
    **dict.fromkeys(
        ("config", "decode-syseeprom", "ecnconfig", "pfcwd", "sonic-cfggen"), ("/usr/local/bin",)
    ),
    "sonic-db-cli": ("/usr/bin", "/usr/local/bin"),
}

C = TypeVar("C", bound=Candidate)


class SonicShellDriver(ShellDriver[C]):
    """Base of the drivers of switches that run SONiC, whatever configures them."""

    has_graceful_shutdown = True
    changing: ClassVar[tuple[str, ...]] = (*CHANGING, "config", "vtysh")
    places: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(_PLACES)

    def _work_on(self, shell: ShellSession) -> None:
        super()._work_on(shell)
        bgp = FrrShutdown(shell, self.connection.device)
        self.drained, self.drain, self.undrain = bgp.drained, bgp.drain, bgp.undrain

    def identify(self) -> Identity:
        """Return host name, serial number and chassis MAC from the system EEPROM."""
        said = self._shell.run_each({
            "hostname": "hostname",
            "serial": "sudo -n decode-syseeprom -s",
            "mac": "sudo -n decode-syseeprom -m",
        })
        serial, mac = said["serial"], said["mac"]
        return Identity(
            hostname=said["hostname"][1].strip(),
            serial="" if serial[0] else serial[1].strip(),
            mac="" if mac[0] else mac[1].strip().lower(),
        )

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:
        """Return CONFIG_DB, the saved file and the asked files."""
        commands = {
            "config": "sudo -n sonic-cfggen -d --print-data",
            "startup": f"sudo -n cat {_STARTUP}",
            "version": f"cat {_VERSION}",
        }
        return self._read(commands, files)

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the outputs of the show commands of the subjects, all in few turns."""
        lines = {one: _STATE_COMMANDS[one] for one in subjects if one in _STATE_COMMANDS}
        outputs = self._shell.run_each({one: f"{line} 2>&1" for one, line in lines.items()})
        return {subject: text for subject, (_, text) in outputs.items()}

    def save(self) -> None:
        """Write CONFIG_DB to the startup file."""
        self._shell.check("sudo -n config save -y")

    def _staging(self, token: str) -> Sequence[str]:
        before = f"{self._folder(token)}/before.json"
        # No pipe: its status would be that of the last command, and an empty before.json
        # restores nothing.
        dump = f"sonic-cfggen -d --print-data > {before}"
        return (f"sudo -n sh -c '{dump}'", f"sudo -n test -s {before}")

    def _forgetting(self, token: str) -> Sequence[str]:
        """Return the lines that remove the checkpoints too: each is a whole configuration."""
        checkpoints = f"sudo -n sh -c 'rm -f {_CHECKPOINTS}/{token}-*.cp.json'"
        return (*super()._forgetting(token), checkpoints)


@drivers.add("sonic")
class SonicDriver(SonicShellDriver[SonicCandidate]):
    """One SONiC switch."""

    changing: ClassVar[tuple[str, ...]] = (*SonicShellDriver.changing, "sonic-db-cli")

    def commit(self, candidate: SonicCandidate, token: str, timer_s: int) -> None:
        """Arm the safety net for as long as the switch works on the change, then change it."""
        longer_s = candidate.takes_s if timer_s and isinstance(candidate, SonicLive) else 0
        super().commit(candidate, token, timer_s + longer_s)

    def _more_files(self, candidate: SonicCandidate) -> Mapping[str, bytes]:
        texts = {"target": candidate.target} if isinstance(candidate, SonicReload) else {}
        for number, step in enumerate(_steps(candidate)):
            texts |= {f"step{number}": step.text, f"back{number}": step.back}
        return {f"{name}.json": text.encode() for name, text in texts.items() if text}

    def _undo_steps(self, candidate: SonicCandidate, token: str) -> list[str]:
        folder = self._folder(token)
        reload = _unchecked(f"{folder}/before.json")
        steps = [reload] if isinstance(candidate, SonicReload) else []
        for number, step in reversed(list(enumerate(_steps(candidate)))):
            back = " && ".join(_back(step, folder, f"{token}-{number}", number))
            steps.append(f"if [ -e {folder}/started{number} ]; then {back} || failed=1; fi")
        if _steps(candidate):
            steps.append(f'if [ -n "$failed" ]; then {reload}; fi')
        # A boot has loaded the saved file, which a waiting change is not in: only files are left.
        steps = [f"[ ! -e /run/{token} ] || {step}" for step in steps]
        return ["failed=", *steps, *super()._undo_steps(candidate, token)]

    def _apply(self, candidate: SonicCandidate, token: str) -> None:
        folder = self._folder(token)
        if isinstance(candidate, SonicReload):
            file = f"{folder}/target.json"
            checked = f"config reload {file} -y -f"
            self._change(f"sh -c '{_unchecked(file)}'" if candidate.ran_before else checked)
        commands: list[str] = []
        for number, step in enumerate(_steps(candidate)):
            commands.append(f"sh -c ': > {folder}/started{number}'")
            if step.kind == "load":
                commands.append(f"config load {folder}/step{number}.json -y")
            elif step.kind == "patch":
                # A switch whose running rows break its own models refuses this; it is rolled
                # back by the reload of before.json.
                commands.append(f"config checkpoint {token}-{number} || true")
                commands.append(f"config apply-patch {folder}/step{number}.json")
            else:
                commands += _drops(_names(step.text))
        self._change(*commands)

    def _change(self, *commands: str) -> None:
        """Run commands in few turns, each after the one before has succeeded."""
        lines = (f"sudo -n {command}" for command in commands)
        try:
            self._shell.check_in_turn(*lines, quiet_s=_RELOAD_S)
        except RefusedError as error:
            raise RefusedError(
                self.connection.device, f"the switch rejected the change: {error.reason}"
            ) from error


def _steps(candidate: SonicCandidate) -> tuple[SonicStep, ...]:
    return candidate.steps if isinstance(candidate, SonicLive) else ()


def _unchecked(file: str) -> str:
    """Return the reload of a configuration that ran before.

    From 202505 on a file is validated, also with ``-f``, and what runs can break the models of its
    own release; what comes from standard input is not validated (config/main.py, reload).
    """
    return f"config reload /dev/stdin -y -f < {file}"


def _back(step: SonicStep, folder: str, checkpoint: str, number: int) -> list[str]:
    """Return the commands that undo a step, whole or half done."""
    if step.kind == "patch":
        return [f"config rollback {checkpoint}"]
    if step.kind == "drop":
        return [f"config load {folder}/step{number}.json -y"]
    old = _names(step.back)
    load = [f"config load {folder}/back{number}.json -y"] if old else []
    # First what was not there: the buffer manager makes buffers of PFC and old lengths together.
    return [*_drops([row for row in _names(step.text) if row not in old]), *load] or ["true"]


def _names(text: str) -> list[str]:
    """Return the keys of the rows in a JSON text as the database has them."""
    return [f"{table}|{row}" for table, rows in parse_json(text or "{}").items() for row in rows]


def _drops(rows: list[str]) -> list[str]:
    """Return commands that delete rows: few, as each takes as long as a start of Python."""
    parts = [rows[start : start + _KEYS] for start in range(0, len(rows), _KEYS)]
    return [f"sonic-db-cli CONFIG_DB DEL {shlex.join(part)}" for part in parts]

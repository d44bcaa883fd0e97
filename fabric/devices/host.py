"""GPU hosts over SSH by netmiko (``linux``)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.devices.driver import Identity, drivers
from fabric.devices.shell_driver import ShellDriver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_INTERFACE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,14}")
_OF_ONE = {
    "qos": "sudo mlnx_qos -i {} -a",
    "tc": "sudo cat /sys/class/infiniband/{}/tc/1/traffic_class 2>/dev/null",
    "cnp": "sudo cat /sys/class/net/{}/ecn/roce_np/cnp_dscp 2>/dev/null",
    "dcb_pfc": "sudo dcb -j pfc show dev {}",
    "dcb_ets": "sudo dcb -j ets show dev {}",
    "dcb_app": "sudo dcb -j app show dev {}",
    "dcb_dcbx": "sudo dcb -j dcbx show dev {}",
    "ip": "ip -j addr show dev {}",
    "ecn": "sudo sh -c 'cd /sys/class/net/{}/ecn && for f in roce_rp/* roce_np/*; do "
    '[ ! -f "$f" ] || echo "$f=$(cat "$f")"; done\' 2>/dev/null',
    "cc": "sudo sh -c 'cd /sys/kernel/debug/mlx5/"
    '"$(basename "$(readlink -f /sys/class/net/{}/device)")"/cc_params && for f in *; do '
    '[ ! -f "$f" ] || echo "$f=$(cat "$f")"; done\' 2>/dev/null',
}
_MAY_BE_ABSENT = ("tc:", "cnp:", "ecn:", "cc:")
_STATE_COMMANDS = {
    "lldp": "sudo lldpcli show neighbors -f json",
    "gids": "show_gids",
    "rdma": "ibdev2netdev",
    "addresses": "ip -j addr show",
    "rules": "ip -j rule show",
}


@drivers.add("host")
class HostDriver(ShellDriver):
    """One GPU host."""

    def identify(self) -> Identity:
        """Return host name and serial number."""
        hostname = self._shell.check("hostname").strip().partition(".")[0]
        status, serial = self._shell.run("sudo dmidecode -s system-serial-number")
        return Identity(hostname=hostname, serial="" if status else serial.strip())

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:
        """Return the asked files that exist; a host has no configuration text of its own."""
        return {"config": "", "startup": "", **self.read_files(files)}

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return outputs by subject.

        ``qos:IF`` is ``mlnx_qos -i IF -a``, ``dcb_pfc:IF`` and the like are ``dcb``; ``tc:DEV`` and
        ``cnp:IF`` are the traffic class of an RDMA device and the CNP DSCP of a NIC, ``ecn:IF``
        and ``cc:IF`` its DCQCN parameters in sysfs and debugfs; these are absent where the driver
        has no such file.
        """
        texts = {}
        for subject in subjects:
            command = _command(subject)
            status, output = self._shell.run(command) if command else (1, "")
            if status == 0 or not subject.startswith(_MAY_BE_ABSENT):
                texts[subject] = output
        return texts

    def read_each(self, commands: Mapping[str, str]) -> Mapping[str, str]:
        """Return the outputs of the commands that ended well, by their names.

        The commands are made of fixed words and checked names by the readers of facts.
        """
        told = self._shell.run_each(commands)
        return {name: text for name, (status, text) in told.items() if status == 0}

    def save(self) -> None:
        """Hosts keep their files; nothing to save."""


def _command(subject: str) -> str:
    kind, _, name = subject.partition(":")
    if (kind in _OF_ONE or name) and not _INTERFACE.fullmatch(name):
        message = f"{name!r} is not an interface name"
        raise ValueError(message)
    if kind in _OF_ONE:
        return _OF_ONE[kind].format(name)
    return _STATE_COMMANDS.get(subject, "")

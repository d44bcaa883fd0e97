"""GPU hosts over SSH by netmiko (``linux``)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from fabric.devices.candidate import Files
from fabric.devices.driver import Identity, drivers
from fabric.devices.shell_driver import CHANGING, ShellDriver
from fabric.intent.scalars import INTERFACE
from fabric.observe.parsers.linux import UPTIME_COMMAND
from fabric.systems.host.parsers.settings import TO_PROC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MAY_BE_ABSENT = ("tc:", "cnp:", "ecn:", "cc:", "pause:", "storm:", "read_request:", "buffers:")
#: Lines that end well whatever one of their commands did.
_HIDES_STATUS = ("files:", "acs", "owners:")
#: Names that are no interface names, by kind.
_NAMES = {
    "sysctl": re.compile(r"net\.ipv[46]\.(conf|neigh)\.[A-Za-z0-9_./-]{1,60}"),
    "files": re.compile(r"/sys/[A-Za-z0-9_./*-]{1,120}"),
    "neighbour": re.compile(r"([A-Za-z][A-Za-z0-9_.-]{0,14})/[0-9a-f.:]{2,39}"),
    "owners": re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,14}(,[A-Za-z][A-Za-z0-9_.-]{0,14}){0,63}"),
    **dict.fromkeys(
        ("routes", "routes6"), re.compile(r"([A-Za-z][A-Za-z0-9_.-]{0,14})/[0-9]{1,10}")
    ),
}
_ROUTES, _ROUTES6 = (f"ip -{version} -j route show table all" for version in (4, 6))
#: The PCI address of a network device.
_ADDRESS = '"$(basename "$(readlink -f /sys/class/net/{0}/device)")"'
_CM_FOLDER = "/sys/kernel/config/rdma_cm"
#: RDMA-CM shows a device in a folder that somebody makes (Linux Documentation/ABI/testing/
#: configfs-rdma_cm); nothing where the module is not loaded.
_CM = (
    f"own=; [ ! -d {_CM_FOLDER} ] || {{{{ "
    f"[ -d {_CM_FOLDER}/{{0}} ] || {{{{ sudo -n mkdir {_CM_FOLDER}/{{0}} && own=1; }}}}; "
    f"sudo -n cat {_CM_FOLDER}/{{0}}/ports/1/default_roce_mode "
    f"{_CM_FOLDER}/{{0}}/ports/1/default_roce_tos; status=$?; "
    f'[ -z "$own" ] || sudo -n rmdir {_CM_FOLDER}/{{0}}; (exit $status); }}}}'
)
#: Where tools that configure NICs have their files (fabric/systems/host/adapters/owners.py), and
#: what their lines have beside names of NICs.
_OWNERS = " ".join((
    *(f"{root}/netplan" for root in ("/etc", "/run", "/lib")),
    *(f"{root}/NetworkManager/system-connections" for root in ("/etc", "/run", "/usr/lib")),
    *(f"{root}/systemd/network" for root in ("/etc", "/run", "/usr/lib")),
    *("/etc/network", "/etc/sysconfig/network-scripts"),
    *(f"{root}/sysctl.d" for root in ("/etc", "/run", "/usr/lib")),
    *("/etc/systemd/system", "/etc/udev/rules.d", "/etc/rc.local"),
))
_OWNED = "-e Name= -e net.ipv[46] -e net/ipv[46] -e mlnx_qos -e cma_roce_tos"
_OF_ONE = {
    "qos": "sudo -n mlnx_qos -i {} -a",
    "tc": "sudo -n cat /sys/class/infiniband/{}/tc/1/traffic_class 2>/dev/null",
    "cnp": "sudo -n cat /sys/class/net/{}/ecn/roce_np/cnp_dscp 2>/dev/null",
    "dcb_pfc": "sudo -n dcb -j pfc show dev {}",
    "dcb_ets": "sudo -n dcb -j ets show dev {}",
    "dcb_app": "sudo -n dcb -j app show dev {}",
    "dcb_dcbx": "sudo -n dcb -j dcbx show dev {}",
    "ip": "ip -j addr show dev {}",
    "pause": "ethtool -a {}",
    "storm": "sudo -n ethtool --get-tunable {} pfc-prevention-tout",
    "buffers": "sudo -n mlnx_qos -i {} -a",
    "dcb_buffer": "sudo -n dcb -j buffer show dev {}",
    "read_request": f"sudo -n setpci -s {_ADDRESS} CAP_EXP+08.w",
    "cm": _CM,
    "links": "for f in /etc/systemd/system/*.wants/{0}-nic@*.service "
    "/etc/systemd/system/*.wants/{0}-tuning.service; do "
    '[ ! -L "$f" ] || echo "$f"; done',
    "sysctl": "[ ! -e /proc/sys/{0} ] || cat /proc/sys/{0}",
    "files": '[ ! -e {0} ] || echo "{0}=$(sudo -n cat {0})"',
    # grep ends with 1 where no line matches, and with 2 where a folder is not there.
    "owners": f"sudo -n grep -rsHF {{}} {_OWNED} {_OWNERS} || [ $? -le 2 ]",
    "readable": 'for f in {}; do [ ! -e "$f" ] || echo "$f=$(cat "$f")"; done',
    "neighbour": "ip -j neigh show dev {}",
    "routes": _ROUTES,
    "ways": _ROUTES,
    "routes6": _ROUTES6,
    "ways6": _ROUTES6,
    # grep ends with 2 where one of the files cannot be read; a driver refuses some of its own.
    "ecn": "sudo -n grep -rs . /sys/class/net/{0}/ecn/roce_rp /sys/class/net/{0}/ecn/roce_np "
    "|| [ $? = 2 ]",
    "cc": f"sudo -n grep -rs . /sys/kernel/debug/mlx5/{_ADDRESS}/cc_params || [ $? = 2 ]",
}
#: After a boot the units of the NICs run ``apply.sh`` at the same time as ``undo.sh``. One that
#: began with the new file ends first; later ones have the old file. To start a unit that is
#: starting is to wait for it (systemctl(1)).
_LET_NICS_END = (
    "for unit in $(systemctl list-units --plain --no-legend --state=activating "
    "'rocefab*-nic@*.service'); do case $unit in rocefab*-nic@*.service) "
    'systemctl start "$unit" || true ;; esac; done'
)
_STATE_COMMANDS = {
    "uptime": UPTIME_COMMAND,
    "lldp": "sudo -n lldpcli show neighbors -f json",
    "gids": "show_gids",
    "rdma": "ibdev2netdev",
    "addresses": "ip -j addr show",
    "rules": "ip -j rule show",
    "rules6": "ip -6 -j rule show",
    "services": "systemctl is-active NetworkManager systemd-networkd networking || true",
    "acs": 'for d in /sys/bus/pci/devices/*; do case "$(cat "$d/class")" in '
    '0x0604*) echo "$(basename "$d")='
    '$(sudo -n setpci -s "$(basename "$d")" ECAP_ACS+0x6.w 2>/dev/null)";; esac; done',
}


@drivers.add("host")
class HostDriver(ShellDriver[Files]):
    """One GPU host."""

    before_restore = (_LET_NICS_END,)
    #: Probes start their servers as units of systemd.
    changing: ClassVar[tuple[str, ...]] = (*CHANGING, "systemd-run")

    def identify(self) -> Identity:
        """Return host name and serial number."""
        said = self._shell.run_each({
            "hostname": "hostname",
            "serial": "sudo -n dmidecode -s system-serial-number",
        })
        status, serial = said["serial"]
        hostname = said["hostname"][1].strip()
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

        Raises
        ------
        RefusedError
            When sudo does not allow a reading: that is another thing than an absent one.
        """
        lines = {subject: _command(subject) for subject in subjects}
        outputs = self._shell.run_each({line: line for line in lines.values() if line})
        answers = {subject: outputs.get(line, (1, "")) for subject, line in lines.items()}
        self._check_allowed(
            lines[subject]
            for subject, (status, _) in answers.items()
            if status or subject.startswith(_HIDES_STATUS)
        )
        return {
            subject: text
            for subject, (status, text) in answers.items()
            if status == 0 or not subject.startswith(_MAY_BE_ABSENT)
        }

    def read_each(self, commands: Mapping[str, str]) -> Mapping[str, str]:
        """Return the outputs of the commands that ended well, by their names.

        The commands are made of fixed words and checked names by the readers of facts.
        """
        outputs = self._shell.run_each(commands)
        return {name: text for name, (status, text) in outputs.items() if status == 0}

    def save(self) -> None:
        """Hosts keep their files; nothing to save."""


def _command(subject: str) -> str:
    kind, _, name = subject.partition(":")
    match = _NAMES.get(kind, INTERFACE).fullmatch(name)
    if (kind in _OF_ONE or name) and not match:
        raise ValueError(f"{name!r} is not an interface name")
    if kind not in _OF_ONE:
        return _STATE_COMMANDS.get(subject, "")
    if kind == "sysctl":
        name = name.translate(TO_PROC)
    elif kind == "owners":
        name = " ".join(f"-e {nic}" for nic in name.split(","))
    elif kind == "neighbour":
        name = name.partition("/")[0]
    elif kind == "files" and "*" in name:
        kind = "readable"
    return _OF_ONE[kind].format(name)

"""What the real lab needs of the machine: root, Linux, and programs of Debian packages."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

#: Where Debian keeps programs that are no commands.
FRR = Path("/usr/lib/frr")
NETWORKD = Path("/lib/systemd/systemd-networkd")
NETPLAN_GENERATE = Path("/usr/libexec/netplan/generate")

_PACKAGES = {
    "ip": "iproute2",
    "sysctl": "procps",
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "setpriv": "util-linux",
    "vtysh": "frr",
    "lldpd": "lldpd",
    "lldpcli": "lldpd",
    "fping": "fping",
    "ping": "iputils-ping",
    "arping": "iputils-arping",
    str(FRR / "zebra"): "frr",
    str(FRR / "bgpd"): "frr",
    str(NETWORKD): "systemd",
    str(NETPLAN_GENERATE): "netplan.io",
}
#: What a host that is booted needs beside them.
_BOOTED = {
    "systemd-nspawn": "systemd-container",
    "/lib/systemd/systemd": "systemd",
    "/lib/systemd/systemd-udevd": "udev",
    "dbus-daemon": "dbus",
    "sshd": "openssh-server",
    "ssh-keygen": "openssh-client",
    "sudo": "sudo",
    "ethtool": "ethtool",
    "dmidecode": "dmidecode",
}


def missing_parts(*, booted: bool = False) -> str:
    """Return what keeps the real lab from running here, and what to do; empty when nothing does.

    Parameters
    ----------
    booted : bool
        Whether hosts of it are booted.
    """
    if not sys.platform.startswith("linux"):
        return "it needs Linux"
    needed = _PACKAGES | (_BOOTED if booted else {})
    packages = sorted({package for name, package in needed.items() if not shutil.which(name)})
    if packages:
        return f"not installed: {', '.join(packages)}; apt-get install {' '.join(packages)}"
    if os.geteuid() != 0:
        return "it needs root, for network namespaces; run it with sudo"
    return ""

"""Hosts that are whole systems: systemd as process 1, sshd, sudo and udev, in systemd-nspawn."""

from fabric.lab.real.booted.host import BootedHost
from fabric.lab.real.booted.management import Management

__all__ = ["BootedHost", "Management"]

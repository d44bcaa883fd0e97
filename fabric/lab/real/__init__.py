"""The real lab: an inventory's own cables between network namespaces, with the daemons of Linux.

Real are the kernel (veth, bridges, FIB, ARP), FRR, lldpd, netplan and systemd-networkd. A stand-in
is a switch of a system that does not run FRR: its routing is what the file says, run by FRR.
"""

from fabric.lab.real.blueprint import Blueprint, Cable
from fabric.lab.real.lab import RealLab
from fabric.lab.real.needs import missing_parts
from fabric.lab.real.state import clean, leftovers, running

__all__ = ["Blueprint", "Cable", "RealLab", "clean", "leftovers", "missing_parts", "running"]

"""Kernel parameters of a SONiC switch: what the kernel starts with, and what SONiC sets at boot."""

from __future__ import annotations

#: What the kernel starts with (Linux Documentation/networking/ip-sysctl.rst, net/ipv4/arp.c).
KERNEL = {
    **{
        f"net.{family}.neigh.default.{name}": value
        for family in ("ipv4", "ipv6")
        for name, value in (
            ("base_reachable_time_ms", "30000"),
            ("gc_thresh1", "128"),
            ("gc_thresh2", "512"),
            ("gc_thresh3", "1024"),
            ("gc_stale_time", "60"),
        )
    },
    **{
        f"net.ipv4.conf.{scope}.{name}": "0"
        for scope in ("all", "default")
        for name in ("arp_accept", "arp_announce", "arp_ignore", "arp_notify")
    },
    "net.ipv4.ip_forward": "0",
    "net.ipv6.conf.all.forwarding": "0",
}
#: What SONiC sets at boot (sonic-net/sonic-buildimage files/image_config/sysctl; the same values in
#: every release here).
OWN_VALUES = """\
net.ipv4.conf.all.arp_announce=1
net.ipv4.conf.all.arp_notify=1
net.ipv4.conf.all.arp_ignore=2
net.ipv4.neigh.default.base_reachable_time_ms=1800000
net.ipv6.neigh.default.base_reachable_time_ms=1800000
net.ipv4.neigh.default.gc_thresh1=1024
net.ipv6.neigh.default.gc_thresh1=1024
net.ipv4.neigh.default.gc_thresh2=2048
net.ipv6.neigh.default.gc_thresh2=2048
net.ipv4.neigh.default.gc_thresh3=4096
net.ipv6.neigh.default.gc_thresh3=4096
net.ipv6.conf.all.forwarding=1
"""


def own_file(release: str) -> str:
    """Return the file in which a release has them.

    Up to 202505 build_debian.sh writes them by augtool into ``/etc/sysctl.conf``, of which Debian
    has a link in sysctl.d; from 202511 on they are a file of their own.
    """
    early = release in ("202405", "202411", "202505")
    return "/etc/sysctl.d/99-sysctl.conf" if early else "/usr/lib/sysctl.d/90-sonic.conf"

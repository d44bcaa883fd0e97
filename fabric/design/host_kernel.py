"""Kernel parameters of a host: ARP, source check, IPv6, ages and size of the neighbour table.

Linux Documentation/networking/ip-sysctl.rst: arp_ignore 1 answers for addresses of the NIC that was
asked, arp_announce 2 asks with the address of the NIC that asks, arp_notify 1 announces a NIC that
comes up, rp_filter 2 lets a reply come by another table than the main one. accept_ra 0 and
use_tempaddr 0 keep a NIC from further addresses of IPv6, each of which is one more GID; one that
makes its address hears routers by networkd or NetworkManager, which set accept_ra themselves.
ndisc_notify 1 announces a NIC that comes up, as arp_notify does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.design.host_model import HostDesign

#: A NIC answers and speaks for its own address alone, and replies may come on another one (Linux
#: ip-sysctl.rst: arp_ignore, arp_announce, arp_notify, rp_filter).
_PER_NIC = (("arp_ignore", 1), ("arp_announce", 2), ("arp_notify", 1), ("rp_filter", 2))

_PER_NIC6 = (("use_tempaddr", 0), ("ndisc_notify", 1))


def kernel_parameters(design: HostDesign) -> tuple[tuple[str, int], ...]:
    """Return the parameters in the notation of sysctl.d: ``/`` for a dot inside a name."""
    parameters: list[tuple[str, int]] = []
    ages = (
        ("base_reachable_time_ms", design.base_reachable_time_ms),
        ("gc_stale_time", design.gc_stale_time_s),
    )
    for nic in design.nics:
        if nic.enabled:
            name = nic.interface.replace(".", "/")
            parameters += [(f"net.ipv4.conf.{name}.{key}", value) for key, value in _PER_NIC]
            parameters += [(f"net.ipv4.neigh.{name}.{key}", value) for key, value in ages]
            if nic.uses_ipv6:
                own = () if nic.makes_address else (("accept_ra", 0),)
                own = (*own, *_PER_NIC6)
                parameters += [(f"net.ipv6.conf.{name}.{key}", value) for key, value in own]
                parameters += [(f"net.ipv6.neigh.{name}.{key}", value) for key, value in ages]
    parameters += [
        (f"net.ipv4.neigh.default.gc_thresh{number}", value)
        for number, value in enumerate(design.gc_thresholds, 1)
    ]
    return tuple(parameters)


def sysctl_file(design: HostDesign) -> str:
    """Return the name of the file of kernel parameters.

    systemd reads such files by name and the last one wins (sysctl.d manual page): ours comes after
    `99-sysctl.conf`, which is `/etc/sysctl.conf` on Debian and Ubuntu.
    """
    return f"zz-{design.own_name}.conf"

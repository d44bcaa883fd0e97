"""Rules about the servers that switches use (SYS)."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.topology.routed import named_pools
from fabric.validate.addresses import owners
from fabric.validate.addresses6 import owner6
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ipaddress import IPv4Network, IPv6Address, IPv6Network

    from fabric.core.findings import Finding
    from fabric.topology.model import Fabric
    from fabric.validate.world import Model, Place


@rules.add("SYS003")
class ServersInReach(ModelRule):
    """Switches from the box look for NTP and syslog servers in the VRF of their management port."""

    severity = Severity.WARNING
    why = "The default VRF is the fabric, which does not lead to them: clocks drift, logs are lost."
    source = "docs/boot.md (servers of NTP and syslog)"
    guards = ("management.vrf",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the systems whose configuration from the box has such a VRF."""
        file = model.intent.fabric.management
        if not file.network or file.vrf or not (file.ntp_servers or file.syslog_servers):
            return
        field = "ntp_servers" if file.ntp_servers else "syslog_servers"
        for name in sorted({sku.nos for sku in model.fabric.switches.skus}):
            system = platforms[name]
            if system.management_vrf and not system.servers_in_vrf:
                yield self.finding(
                    f"{system.title} looks for the servers in the default VRF; from the box its "
                    f"management port is in VRF {system.management_vrf}",
                    f"set management.vrf, such as {system.management_vrf}, or waive this finding "
                    "if the fabric leads to the servers",
                    place=model.place("management", field),
                )


@rules.add("SYS004")
class ServersApart(ModelRule):
    """NTP and syslog servers have no address of a device of the fabric, and none of its pools."""

    lesser = Severity.WARNING
    why = (
        "Switches take time from themselves, or send logs to a device that drops them. A free "
        "address of a pool goes to another device when the fabric grows."
    )
    source = "docs/addressing.md (addresses by position); RFC 5227 section 1"
    guards = ("management.ntp_servers", "management.syslog_servers")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for each server among the addresses of devices, then in the pools.

        A switch or BMC is no server. A host may be one, hence a warning.
        """
        file = model.intent.fabric.management
        for field in ("ntp_servers", "syslog_servers"):
            for number, server in enumerate(getattr(file, field)):
                place = model.place("management", field, number)
                yield from self._judge(model, server, place)

    def _judge(
        self, model: Model, server: IPv4Address | IPv6Address, place: Place
    ) -> Iterator[Finding]:
        owner, fix = _owner(model.fabric, server), "use a server outside the fabric"
        if owner and owner not in model.hosts:
            yield self.finding(f"{server} is an address of {owner}", fix, place=place)
        elif where := f"an address of {owner}" if owner else _pool(model.fabric, server):
            yield self.finding(
                f"{server} is {where}",
                f"{fix}, or waive this finding if it is one",
                place=place,
                severity=Severity.WARNING,
            )


def _owner(fabric: Fabric, server: IPv4Address | IPv6Address) -> str:
    """Return the device that has the address of a server; empty where none has."""
    if isinstance(server, IPv4Address) and (name := _managed(fabric, server)):
        return name
    if not _uses_fabric(fabric):
        return ""
    return owners(fabric).of(server) if isinstance(server, IPv4Address) else owner6(fabric, server)


def _managed(fabric: Fabric, server: IPv4Address) -> str:
    """Return the device with that address in the management network; empty where none has."""
    ends, hosts = fabric.management, fabric.hosts.names
    if ends is None:
        return ""
    tables = (
        ("", ends.switches, fabric.switches.names),
        ("", ends.hosts, hosts),
        ("the BMC of ", ends.bmcs, hosts),
    )
    for word, addresses, names in tables:
        rows = np.flatnonzero(addresses == int(server))
        if rows.size:
            return word + names[int(rows[0])]
    return ""


def _pool(fabric: Fabric, server: IPv4Address | IPv6Address) -> str:
    """Return field and network of the pool that a server is in; empty where it is in none."""
    file = fabric.intent.fabric
    pools: dict[str, IPv4Network | IPv6Network | None] = {}
    if _uses_fabric(fabric):
        pools = {f"addressing.{name}": pool for name, pool in named_pools(file).items()}
        if fabric.tenants:
            pools["tenancy.vteps"] = fabric.tenants.tenancy.vteps
    if network := file.management.network:
        for name in ("switches", "hosts", "bmcs"):
            pools[f"management.network.{name}"] = getattr(network, name)
    return next(
        (f"in {name} {pool}" for name, pool in pools.items() if pool and server in pool), ""
    )


def _uses_fabric(fabric: Fabric) -> bool:
    """Tell whether some switch looks for servers in the default VRF, which is the fabric."""
    named = fabric.intent.fabric.management.vrf or ""
    return any(not platforms[sku.nos].server_vrf(named) for sku in {*fabric.switches.skus})

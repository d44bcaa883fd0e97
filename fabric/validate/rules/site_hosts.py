"""Rules about hosts that several fabrics of a site share (SIT)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.findings import Severity
from fabric.topology.naming import names_in
from fabric.topology.site import kinds_of_shared_hosts
from fabric.validate.origins import fabric_place, host_place
from fabric.validate.rule import SiteRule, rules
from fabric.validate.traits import traits_place_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.site import Member


@rules.add("SIT006")
class Namespaces(SiteRule):
    """Files of two fabrics have different names on a host."""

    why = (
        "The plan of one fabric would replace the addresses, scripts and units of the other: the "
        "NICs of that fabric lose their settings."
    )
    source = "docs/designs.md (names of files and units); netplan, systemd and nm-settings manuals"
    guards = ("host.namespace", "host.interfaces")

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare the namespaces, then names that a namespace and an interface make together."""
        taken, mine = (one.intent.fabric.host.namespace for one in (first, second))
        for host in kinds_of_shared_hosts(first, second):
            theirs = {_word(taken, nic.interface) for nic in names_in(first.intent, host)}
            both = sorted(
                theirs & {_word(mine, nic.interface) for nic in names_in(second.intent, host)}
            )
            if taken == mine:
                both = [mine or "no namespace"]
            if both:
                yield self.finding(
                    f"{host} is in the fabric {first.name} too, where its files have the same "
                    f"names ({both[0]})",
                    f"set host.namespace, such as {_proposal(second.name)}",
                    place=fabric_place(second.intent, "host", "namespace"),
                )
            if taken == mine:
                return


def _word(namespace: str, interface: str) -> str:
    return f"{namespace}-{interface}" if namespace else interface


def _proposal(name: str) -> str:
    """Return the name of a fabric as a namespace."""
    letters = "".join(letter for letter in name.lower() if letter.isascii() and letter.isalnum())
    return letters.lstrip("0123456789")[:16] or "storage"


#: What a host has once, whatever fabric it is in; None and nothing mean that it is not said.
_ONCE = (
    ("network_stack",),
    ("virtual_machine",),
    ("gpu", "pci_addresses"),
    ("gpu", "numa_nodes"),
    ("numa_cores",),
    ("tuning", "acs"),
    ("tuning", "governor"),
    ("tuning", "hugepages_1g"),
    ("tuning", "gpudirect"),
)


@rules.add("SIT007")
class SameTraits(SiteRule):
    """All fabrics agree on the settings of a host."""

    why = (
        "The host is one machine: what the later plan writes overwrites the first, at every apply."
    )
    source = "docs/designs.md (what a host has once)"
    guards = (
        "host.network_stack",
        "host.virtual_machine",
        "host.gpus",
        "host.gpu.pci_addresses",
        "host.management_interface",
        "host.tuning",
        "hosts.serial",
    )

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare what both fabrics say of every kind of host in both."""
        for host in kinds_of_shared_hosts(first, second):
            for path, theirs, mine in _apart(first, second, host):
                serial = host_place(second.intent, host, "serial") if path == ("serial",) else None
                yield self.finding(
                    f"{'.'.join(path)} is {_shown(mine)}, and {_shown(theirs)} in the fabric "
                    f"{first.name}",
                    "use the same value in both",
                    place=serial or traits_place_in(second.intent, host, *path),
                    device=host,
                )


def _apart(first: Member, second: Member, host: str) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield the path, the value in the first and that in the second fabric."""
    for path in _ONCE:
        theirs, mine = (_value(one.intent.host_traits(host), path) for one in (first, second))
        if theirs != mine and _said(theirs) and _said(mine):
            yield path, theirs, mine
    profiles = tuple(one.intent.fabric.host for one in (first, second))
    serials = tuple(_serial(one, host) for one in (first, second))
    ways = tuple(one.management_interface for one in profiles)
    nics = {nic.interface for one in (first, second) for nic in names_in(one.intent, host)}
    if profiles[0].gpus != profiles[1].gpus:
        yield ("gpus",), profiles[0].gpus, profiles[1].gpus
    if ways[0] != ways[1] and not nics & {*ways}:  # jobs may start over a NIC of a front-end fabric
        yield ("management_interface",), ways[0], ways[1]
    if all(serials) and serials[0] != serials[1]:
        yield ("serial",), serials[0], serials[1]


def _value(item: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        item = getattr(item, name)
    return item


def _said(value: Any) -> bool:
    return value is not None and value != ()


def _serial(member: Member, host: str) -> str:
    overrides = member.intent.host_overrides.get(host, [])
    return next((one.value.serial for one in reversed(overrides) if one.value.serial), "")


def _shown(value: Any) -> str:
    return ", ".join(str(one) for one in value) if isinstance(value, tuple) else str(value)


@rules.add("SIT008")
class ManagementApart(SiteRule):
    """The management interface is not a NIC of a lossless fabric."""

    severity = Severity.WARNING
    why = (
        "A change of that fabric flaps the link, and with it the management access to the host; "
        "the "
        "start of jobs shares the fabric with its storage or gradients."
    )
    source = (
        "Linux drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c, mlx5_toggle_port_link; NVIDIA "
        "NCCL user guide, NCCL_SOCKET_IFNAME"
    )
    guards = ("host.management_interface", "host.management_rdma_device")

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Look for the management names of each fabric among the NICs of the other."""
        for one, other in ((first, second), (second, first)):
            profile = one.intent.fabric.host
            by_name = {profile.management_interface, profile.management_rdma_device}
            for host in kinds_of_shared_hosts(first, second):
                if other.intent.host_traits(host).nic.link_layer != "roce":
                    continue
                nics = names_in(other.intent, host)
                hit = next((n for n in nics if {n.interface, n.rdma_device} & by_name), None)
                if hit:
                    at_interface = hit.interface == profile.management_interface
                    field = "management_interface" if at_interface else "management_rdma_device"
                    yield self.finding(
                        f"{getattr(profile, field)} is a NIC of the fabric {other.name}",
                        "use an interface outside the fabric, or one of a front-end "
                        "fabric with link_layer ethernet",
                        place=fabric_place(one.intent, "host", field),
                        device=host,
                    )

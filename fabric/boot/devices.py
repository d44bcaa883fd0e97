"""Devices of a fabric that start from the box."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.boot.model import Device
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.units import ipv4_text
from fabric.platforms import platforms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.intent.inventory import Located
    from fabric.topology.model import Fabric, ManagementEnds

HOST, BMC = "host", "bmc"


def network_of(fabric: Fabric) -> ManagementEnds:
    """Return the management network of a fabric.

    Raises
    ------
    InputError
        When the inventory has none.
    """
    if fabric.management is None:
        message = "the inventory has no management network"
        fix = "add management.network to fabric.yaml"
        finding = Finding("ZTP002", Severity.ERROR, message, fix, "fabric.management")
        raise InputError("no device has a management address", [finding])
    return fabric.management


def managed(fabric: Fabric) -> tuple[Device, ...]:
    """Return the switches, the hosts and their BMCs.

    Raises
    ------
    InputError
        As `network_of`.
    """
    return (*switches(fabric), *hosts(fabric))


def switches(fabric: Fabric) -> Iterator[Device]:
    """Yield the switches."""
    ends = network_of(fabric)
    table, overrides = fabric.switches, fabric.intent.device_overrides
    for name, sku, address in zip(table.names, table.skus, ends.switches.tolist(), strict=True):
        own = overrides.get(name, [])
        yield Device(
            name=name,
            platform=sku.nos,
            model=sku.name,
            serial=_last(own, "serial"),
            mac=_last(own, "management_mac") or _last(own, "mac"),
            release=sku.release,
            address=ipv4_text(address),
            gateway=str(ends.gateway),
            subnet=ends.subnet,
            vrf=platforms[sku.nos].vrf(fabric.intent.fabric.management.vrf or ""),
        )


def hosts(fabric: Fabric) -> Iterator[Device]:
    """Yield the hosts and their BMCs, which are known by MAC alone."""
    ends = network_of(fabric)
    kinds = ((HOST, "management_mac", ends.hosts), (BMC, "bmc_mac", ends.bmcs))
    for kind, field, addresses in kinds:
        for name, address in zip(fabric.hosts.names, addresses.tolist(), strict=False):
            own = fabric.intent.host_overrides.get(name, [])
            yield Device(
                name=name if kind == HOST else f"{name}-{BMC}",
                platform=kind,
                model="",
                serial=_last(own, "serial") if kind == HOST else "",
                mac=_last(own, field),
                release="",
                address=ipv4_text(address),
                gateway=str(ends.gateway),
                subnet=ends.subnet,
            )


def _last(overrides: Sequence[Located[Any]], field: str) -> str:
    """Return the last word of the inventory about a field; empty where it has none."""
    said = (getattr(override.value, field) for override in reversed(overrides))
    return next(filter(None, said), "")

"""The example with tenants on other systems, in both forms, and with a service where they can."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from fabric.design.model import DeviceDesign
from tests.render.designs import variant

#: Models of a system in the places of those of the example, and what they want beside that.
MODELS = {
    "cumulus": {"leaf: {sku: 7050CX3-32S": "leaf: {sku: SN4700", "sku: 7060CX-32S": "sku: SN4700"},
    "junos": {
        "leaf: {sku: 7050CX3-32S": "leaf: {sku: QFX5230-64CD",
        "sku: 7060CX-32S": "sku: QFX5230-64CD",
        "ecn: {kmin_bytes: 150000, kmax_bytes: 1500000, pmax_percent: 100}": "ecn: {kmin_bytes: "
        "750000, kmax_bytes: 7500000, pmax_percent: 100}\n  watchdog: {detection_ms: 200, "
        "restoration_ms: 200, poll_ms: 100}",
    },
}
LOCAL = {"form: evpn": "form: local"}
#: The leaf of the second unit has a NIC of red and of blue; blue is a service that red reaches.
SERVICE = {
    "id: 17, hosts": "id: 17, services: [blue], hosts",
    "name: blue, id: 18,": "name: blue, id: 18, shared: true,",
}
VARIANTS = {
    "tenants": ({}, ("su2-rail0", "su2-rail1", "spine01")),
    "tenants-local": (LOCAL, ("su2-rail0",)),
    "tenants-vlans": ({"vlan_per: none": "vlan_per: nic\n  vlan_first: 101"}, ("su2-rail0",)),
    "tenants-service": (SERVICE, ("su2-rail0",)),
    "tenants-local-service": ({**LOCAL, **SERVICE}, ("su2-rail0",)),
}
#: Systems with services, and what each system is kept of in golden files.
SERVED = ("cumulus",)
CASES = [
    (system, name, switch)
    for system in ("eos", *MODELS)
    for name, (_, switches) in VARIANTS.items()
    for switch in switches
    if ("service" not in name or system in SERVED) and (system, name) != ("eos", "tenants")
]


@cache
def designs(system: str, name: str) -> dict[str, DeviceDesign]:
    """Return the designs of a variant of the example on a system."""
    changes = {**MODELS.get(system, {}), **VARIANTS[name][0]}
    with TemporaryDirectory() as folder:
        return variant(Path(folder) / "i", "tenants", changes)

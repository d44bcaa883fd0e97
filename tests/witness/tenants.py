"""Inventories with tenants, and the systems that they are tried on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.witness.settings import Setting
from tests.witness.systems import SYSTEMS, System

RED = {"name": "red", "id": 17, "hosts": "gpu1"}
BLUE = {"name": "blue", "id": 18, "nics": {"gpu2": [0]}}
#: Models that route VXLAN packets, and their speeds.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "eos": ("7050CX3-32S", {"fast": 100}),
    "eos, DNX": ("7280CR3-32P4", {}),
    "cumulus": ("SN4700", {}),
    "junos": ("QFX5240-64OD", {}),
}
TENANT_SYSTEMS: dict[str, System] = {
    name: replace(SYSTEMS[name], sku=sku, **more) for name, (sku, more) in MODELS.items()
}
#: Systems with services that tenants share.
SERVED = ("cumulus",)


#: Address plans: routed ports, and a VLAN for each NIC.
PLANS: dict[str, dict[str, Any]] = {
    "none": {"vlan_per": "none"},
    "nic": {"vlan_per": "nic", "vlan_first": 101},
}


def tenanted(*tenants: dict[str, Any], vlan_per: str = "none", **fields: Any) -> Setting:
    """Return a setting with tenants; a NIC of none is in quarantine."""
    tenancy = {"form": "evpn", "unassigned": "quarantine", **fields.pop("tenancy", {})}
    return Setting({
        "addressing": {**PLANS[vlan_per], **fields.pop("addressing", {})},
        "tenancy": tenancy,
        "tenants": [{key: one[key] for key in one if one[key] is not None} for one in tenants],
        **fields,
    })


LOCAL = {"form": "local"}
MERGE = {"leaf": {"scope": "merge"}, "spine": {"scope": "merge"}}
#: NIC ports without a tenant, that of gpu2 on the second rail first.
TENANT_SETTINGS = {
    "no tenants": Setting({"addressing": PLANS["none"]}),
    "evpn": tenanted(RED, BLUE),
    "evpn, kept": tenanted(RED, BLUE, tenancy={"unassigned": "keep"}),
    "evpn, all revoked": tenanted({**RED, "hosts": None, "nics": {"gpu2": [1]}}),
    "evpn, a host moved": tenanted({**RED, "hosts": "gpu2"}, {**BLUE, "nics": {"gpu1": [0]}}),
    "evpn, a tenant removed": tenanted({**RED, "hosts": "gpu2"}),
    "local, a tenant": tenanted({**RED, "hosts": "gpu2"}, tenancy=LOCAL),
    "merge": tenanted(RED, BLUE, platforms=MERGE),
    "merge, a tenant removed": tenanted(RED, platforms=MERGE),
    "evpn, own pools": tenanted({**RED, "pools": ["10.80.0.0/16"]}, BLUE),
    "evpn, one AS number": tenanted(RED, BLUE, bgp={"allowas_in": 1}),
    "evpn, unnumbered": tenanted(RED, BLUE, bgp={"peering": "unnumbered"}),
    "evpn, BFD": tenanted(RED, BLUE, bgp={"bfd": True}),
    "evpn, VLANs": tenanted(RED, BLUE, vlan_per="nic"),
    "local": tenanted(RED, BLUE, tenancy=LOCAL),
    "local, VLANs": tenanted(RED, BLUE, vlan_per="nic", tenancy=LOCAL),
    "no tenants, VLANs": Setting({"addressing": PLANS["nic"]}),
    "evpn, super-spines": tenanted(
        RED,
        BLUE,
        units=[{"name": "su1", "hosts": "gpu[1-2]", "pod": "east"}],
        super_spines={"count": 2, "links_per_spine": 1, "groups": 1, "spines_per_pod": 2},
        platforms={"super_spine": {"sku": "{sku}"}},
        addressing={"core_links": "10.253.0.0/22", "core_links_per_spine": 16},
        cables={"core_m": 5},
        bgp={"pod_asn_first": 64700, "super_spine_asn": 64800},
    ),
}
STORE = {"name": "store", "id": 19, "nics": {"gpu2": [0]}, "shared": True}
USER = {"name": "red", "id": 17, "hosts": "gpu1", "services": ["store"]}
SERVICE_SETTINGS = {
    "evpn, a service": tenanted(USER, STORE),
    "local, a service": tenanted(USER, STORE, tenancy=LOCAL),
}


def settings_of(system: str) -> dict[str, Setting]:
    """Return the settings that a system is tried with."""
    return TENANT_SETTINGS | (SERVICE_SETTINGS if system in SERVED else {})

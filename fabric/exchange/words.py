"""What others call the fields of a device, a cable and a NIC: explicit tables, no guessing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Names of attributes, variables and columns by our field. The first is what we write. ``function``
#: is the word of Cumulus' topology converter (CumulusNetworks/topology_converter, README).
DEVICE_WORDS: dict[str, tuple[str, ...]] = {
    "kind": ("rocefab_kind", "kind"),
    "role": ("rocefab_role", "role", "device_role", "function"),
    "unit": ("rocefab_unit", "unit", "scalable_unit", "su"),
    "pod": ("rocefab_pod", "pod"),
    "rack": ("rocefab_rack", "rack"),
    "rail": ("rocefab_rail", "rail"),
    "plane": ("rocefab_plane", "plane"),
    "model": ("rocefab_model", "model", "sku", "hwsku", "device_type"),
    "system": ("rocefab_platform", "platform", "nos", "os"),
    "asn": ("rocefab_asn", "asn", "bgp_asn", "bgp_as"),
    "loopback": ("rocefab_loopback", "loopback", "loopback_ip", "router_id"),
    "management": ("ansible_host", "management", "mgmt_ip", "hostname"),
    "serial": ("rocefab_serial", "serial", "serial_number"),
    "mac": ("rocefab_mac", "mac", "mac_address", "chassis_mac"),
}
CABLE_WORDS: dict[str, tuple[str, ...]] = {
    "speed_gbps": ("speed_gbps",),
    "cable_m": ("cable_m",),
}
NIC_WORDS: dict[str, tuple[str, ...]] = {
    "rail": ("nic_rail",),
    "nic_port": ("nic_port",),
    "rdma_device": ("rdma_device",),
    "address": ("nic_address",),
    "mac": ("nic_mac",),
}

#: Words for what a device is: (kind, role).
ROLES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("leaf", "leafs", "leaves", "tor", "asw"), ("switch", "leaf")),
    **dict.fromkeys(("spine", "spines", "aggregation", "psw"), ("switch", "spine")),
    **dict.fromkeys(
        ("superspine", "superspines", "core", "cores", "dsw"), ("switch", "super-spine")
    ),
    **dict.fromkeys(
        ("host", "hosts", "server", "servers", "gpuhost", "gpuhosts", "compute"), ("host", "")
    ),
    **dict.fromkeys(("switch", "switches"), ("switch", "")),
}
_FOLD = re.compile(r"[\s_\-./()]+")


def folded(word: str) -> str:
    """Return a word without case, spaces, hyphens and underscores."""
    return _FOLD.sub("", word).lower()


def role_of(word: str) -> tuple[str, str] | None:
    """Return kind and role that a word stands for, or None."""
    return ROLES.get(folded(word))


def meant(word: str, told: Mapping[str, str]) -> tuple[str, str] | None:
    """Return kind and role of a word that the user may have told about."""
    by_word = {folded(name): role for name, role in told.items()}
    return role_of(by_word.get(folded(word), word))


def role_of_groups(groups: Iterable[str], told: Mapping[str, str]) -> dict[str, object]:
    """Return kind and role that the names of groups tell, near ones first."""
    found: dict[str, object] = {}
    for group in groups:
        kind, role = meant(group, told) or ("", "")
        if kind and found.get("kind", kind) == kind:
            found["kind"] = kind
            if role and "role" not in found:
                found["role"] = role
    return found


def pick(values: Mapping[str, object], words: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    """Return our fields of what others call by one of the words; empty values are left out."""
    found: dict[str, object] = {}
    for field, names in words.items():
        told = [values[name] for name in names if name in values]
        known = [value for value in told if value is not None and value != ""]
        if known:
            found[field] = known[0]
    return found

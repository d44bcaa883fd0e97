"""Plans of addresses beyond the examples: what is replaced in the text of an example for each."""

from __future__ import annotations

from pathlib import Path

from tests.render.designs import INVENTORY

_HOSTS = {
    "demo": "  hosts: 10.64.0.0/16 # each host routes all of it through the rail\n"
    "  host_prefix_length: 24\n  vlan_first: 101 # VLAN of rail 0\n",
    "dual-plane": "  hosts: 10.64.0.0/16      # plane a: 10.64.0.0/17, plane b: 10.64.128.0/17\n",
    "dual-tor": "  hosts: 10.64.0.0/16\n",
}
_UNIT = '{name: su2, hosts: "gpu[003-004]"'


def _routed(example: str, *fields: str) -> dict[str, str]:
    lines = ("hosts: 10.64.0.0/16", "vlan_per: none", *fields)
    return {_HOSTS[example]: "".join(f"  {line}\n" for line in lines)}


OVER_IPV6 = "ipv6: {hosts: 'fd00:64::/48', uplinks: 'fd00:65::/64', rdma: true}"
#: su1 with VLANs, su2 with a /31 for each NIC.
UNIT_BY_UNIT = {
    "  hosts: 10.64.0.0/16": "  routed_hosts: 10.128.0.0/16\n  hosts: 10.64.0.0/16",
    _UNIT: f"{_UNIT}, vlan_per: none",
}
_UNNUMBERED = {"\nhost:\n": "\nbgp: {peering: unnumbered}\n\nhost:\n"}
#: Example and changes of each plan; the last one has SONiC beside Cumulus Linux.
PLANS = {
    "a route for each NIC": ("dual-plane", _routed("dual-plane")),
    "one prefix for a leaf": (
        "demo",
        {
            **_routed("demo", "routed_prefix_length: 28", "advertise: leaf"),
            "ACS-MSN4700": "7060X6-64PE",
        },
    ),
    "unnumbered": (
        "dual-tor",
        {**_routed("dual-tor"), **_UNNUMBERED, "spine: {sku: ACS-MSN4700}": "spine: {sku: SN4700}"},
    ),
    "IPv6 beside IPv4": (
        "dual-tor",
        {
            **_routed("dual-tor", "ipv6: {hosts: 'fd00:64::/48'}"),
            **_UNNUMBERED,
            "spine: {sku: ACS-MSN4700}": "spine: {sku: SN4700}",
        },
    ),
    "IPv6 beside IPv4 over numbered links": (
        "demo",
        {
            **_routed("demo", OVER_IPV6),
            "ACS-MSN4700": "7060X6-64PE",
        },
    ),
    "IPv6 alone, by SLAAC": (
        "demo",
        {
            _HOSTS["demo"]: "  vlan_per: none\n  advertise: leaf\n"
            "  ipv6: {hosts: 'fd00:64::/48', assignment: slaac}\n",
            "bgp: {": "bgp: {peering: unnumbered, ",
            "ACS-MSN4700": "7060X6-64PE",
        },
    ),
}


def change(text: str, changes: dict[str, str]) -> str:
    """Replace text of an inventory."""
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def inventory_of(name: str, folder: Path) -> Path:
    """Return the inventory of an example, or write that of a plan into a folder."""
    if name not in PLANS:
        return INVENTORY / name
    example, changes = PLANS[name]
    text = (INVENTORY / example / "fabric.yaml").read_text(encoding="utf-8")
    (folder / "fabric.yaml").write_text(change(text, changes), encoding="utf-8")
    if "slaac" in "".join(changes.values()):
        (folder / "hosts").mkdir()
        (folder / "hosts/macs.yaml").write_text(_macs(), encoding="utf-8")
    return folder


def _macs() -> str:
    """Return MAC addresses of the NICs of the demo, which their IPv6 addresses follow from."""
    return "hosts:\n" + "".join(
        f"  - names: gpu00{host}\n    nics:\n"
        + "".join(
            f"      - {{rail: {rail}, mac: '02:00:00:00:0{host}:0{rail}'}}\n" for rail in range(2)
        )
        for host in range(1, 5)
    )

"""What runs out is named, with how much is needed and how much is there."""

from __future__ import annotations

from typing import Any

import pytest

from fabric.core.errors import CapacityError, InputError
from tests.topology.fabrics import fabric

MANY = [{"name": f"su{number:02d}", "hosts": f"u{number}h1"} for number in range(1, 18)]
#: What to do about the leaf ports of a fabric with spines.
MORE_HOST_PORTS = (
    "move hosts to a new unit at the end; increase platforms.leaf.host_ports only before the "
    "fabric is built: the 2 uplink cables of each leaf would move [TOP004]"
)
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "leaf host ports": (
        {"platforms__leaf__host_ports": 2},
        (
            "fabric.units[0].hosts: leaf ports for hosts exhausted: 3 needed, 2 available; "
            f"{MORE_HOST_PORTS}"
        ),
    ),
    "leaf host ports of a classic leaf": (
        {"design": "classic-tor", "platforms__leaf__host_ports": 5},
        (
            "fabric.units[0].hosts: leaf ports for hosts exhausted: 6 needed, 5 available; "
            f"{MORE_HOST_PORTS}"
        ),
    ),
    "uplink ports": (
        {"spines__count": 17, "addressing__uplinks_per_leaf": 64},
        (
            "fabric.spines.count: uplink ports of ACS-MSN4700 leaves exhausted: 17 needed, 16 "
            "available; "
            "use fewer spines or links_per_leaf, or lower platforms.leaf.host_ports [TOP004]"
        ),
    ),
    "spine ports": (
        {"units": MANY},
        (
            "fabric.spines.links_per_leaf: ports of ACS-MSN4700 spines exhausted: 34 needed, 32 "
            "available; "
            "use a larger spine, pods with super_spines, or fewer leaves [TOP004]"
        ),
    ),
    "loopbacks": (
        {"addressing__loopbacks": "10.255.0.0/29"},
        (
            "fabric.addressing.loopbacks: loopback addresses (half of the pool for each role) "
            "exhausted: "
            "4 needed, 3 available; use a larger pool; in a fabric that is "
            "built, its switches get other addresses [TOP004]"
        ),
    ),
    "loopbacks of a pool of one": (
        {"addressing__loopbacks": "10.255.0.0/32"},
        (
            "fabric.addressing.loopbacks: loopback addresses (half of the pool for each role) "
            "exhausted: "
            "4 needed, 0 available; use a larger pool; in a fabric that is "
            "built, its switches get other addresses [TOP004]"
        ),
    ),
    "uplinks of a leaf": (
        {"addressing__uplinks_per_leaf": 1},
        (
            "fabric.addressing.uplinks_per_leaf: /31 links reserved for a leaf exhausted: 2 "
            "needed, "
            "1 available; increase addressing.uplinks_per_leaf before the fabric is built [TOP004]"
        ),
    ),
    "uplink pool": (
        {"addressing__uplinks": "10.254.0.0/24"},
        (
            "fabric.addressing.uplinks: uplink addresses exhausted: 512 needed, 256 available; "
            "use a "
            "larger pool or lower addressing.uplinks_per_leaf [TOP004]"
        ),
    ),
    "host pool": (
        {"addressing__hosts": "10.64.0.0/23"},
        (
            "fabric.addressing.hosts: /24 subnets exhausted: 4 needed, 2 available; use a larger "
            "pool or "
            "a longer addressing.host_prefix_length [TOP004]"
        ),
    ),
    "host pool below one subnet": (
        {"addressing__hosts": "10.64.0.0/25"},
        (
            "fabric.addressing.hosts: /24 subnets exhausted: 4 needed, 0 available; use a larger "
            "pool or "
            "a longer addressing.host_prefix_length [TOP004]"
        ),
    ),
    "host pool with a subnet for each NIC": (
        {"addressing__hosts": "10.64.0.0/19", "addressing__vlan_per": "nic"},
        (
            "fabric.addressing.hosts: /24 subnets exhausted: 64 needed, 32 available; use a "
            "larger pool "
            "or a longer addressing.host_prefix_length [TOP004]"
        ),
    ),
    "subnet too small": (
        {"addressing__host_prefix_length": 30},
        (
            "fabric.addressing.host_prefix_length: host addresses of a subnet exhausted: 5 needed, "
            "3 available; use a shorter addressing.host_prefix_length [TOP004]"
        ),
    ),
    "AS numbers": (
        {"bgp": {"leaf_asn_first": 65532}},
        (
            "fabric.bgp.leaf_asn_first: private AS numbers exhausted: 4 needed, 3 available; use "
            "a lower "
            "first number, or the 32-bit private range from 4200000000 [TOP004]"
        ),
    ),
    "VLANs": (
        {"addressing__vlan_first": 4094},
        (
            "fabric.addressing.vlan_first: VLAN numbers exhausted: 2 needed, 1 available; lower "
            "addressing.vlan_first [TOP004]"
        ),
    ),
    "VLANs, one for each NIC": (
        {"addressing__vlan_first": 4080, "addressing__vlan_per": "nic"},
        (
            "fabric.addressing.vlan_first: VLAN numbers exhausted: 16 needed, 15 available; lower "
            "addressing.vlan_first [TOP004]"
        ),
    ),
    "VLANs, one for each NIC of a classic leaf": (
        {
            "addressing__vlan_first": 4080,
            "addressing__vlan_per": "nic",
            "design": "classic-tor",
        },
        (
            "fabric.addressing.vlan_first: VLAN numbers exhausted: 16 needed, 15 available; lower "
            "addressing.vlan_first [TOP004]"
        ),
    ),
    "subnets of a larger leaf": (
        {
            "addressing__vlan_per": "none",
            "units": [{"name": "su1", "hosts": "a[1-20]", "leaf_sku": "ACS-SN5600"}],
        },
        (
            "fabric.units[0].hosts: subnets of one NIC each on a leaf exhausted: 20 needed, 16 "
            "available; split the unit or increase platforms.leaf.host_ports [TOP004]"
        ),
    ),
    "leaf names": (
        {"leaf_names": "tor[1-3]"},
        (
            "fabric.leaf_names: names exhausted: 4 needed, 3 available; add more devices to the "
            "range "
            "[TOP004]"
        ),
    ),
    "spine names": (
        {"spine_names": "core1"},
        (
            "fabric.spine_names: names exhausted: 2 needed, 1 available; add more devices to the "
            "range "
            "[TOP004]"
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_runs_out_is_named(name: str) -> None:
    """Exactly one finding, with its place in the file."""
    changes, expected = CASES[name]
    with pytest.raises(CapacityError) as caught:
        fabric(**changes)
    (finding,) = caught.value.findings
    place, _, text = str(finding).partition(": ")
    assert text == expected
    assert place.startswith("inventory/fabric.yaml:")
    assert str(caught.value) == "1 error in inventory"


def test_all_that_runs_out_is_named_at_once() -> None:
    """Not the first only."""
    with pytest.raises(CapacityError) as caught:
        fabric(addressing__vlan_first=4094, leaf_names="a[1-2]", addressing__hosts="10.0.0.0/24")
    fields = [finding.field for finding in caught.value.findings]
    assert fields == [
        "fabric.addressing.hosts",
        "fabric.addressing.vlan_first",
        "fabric.leaf_names",
    ]
    assert str(caught.value) == "3 errors in inventory"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"platforms__leaf__sku": "ACS-MSN4701"},
            [
                (
                    "fabric.platforms.leaf.sku: there is no switch model 'ACS-MSN4701'; did you "
                    "mean 'ACS-MSN4700' (SONiC) or 'SN4700' (NVIDIA Cumulus Linux)? [TOP001]"
                )
            ],
        ),
        (
            {"units": [{"name": "su1", "hosts": "su1-rail[0-1]"}]},
            [
                (
                    "fabric.units[0].hosts: two devices have each of these names: su1-rail[0-1]; "
                    "use a different name for each switch and host [TOP002]"
                )
            ],
        ),
        (
            {
                "units": [{"name": "su1", "hosts": "a1"}, {"name": "su2", "hosts": "a[0-1]"}],
                "addressing__hosts": "10.0.0.0/31",
            },
            [
                (
                    "fabric.units[1].hosts: a1: two devices are named 'a1'; use a different "
                    "name for each switch and host [TOP002]"
                )
            ],
        ),
        (
            {
                "units": [{"name": "su1", "hosts": "a1"}, {"name": "su1", "hosts": "b1"}],
                "leaf_names": "tor[1-4]",
            },
            [
                (
                    "fabric.units[1].name: two units are named 'su1'; use a different "
                    "name for each unit [TOP002]"
                )
            ],
        ),
    ],
)
def test_names_that_cannot_be(changes: dict[str, Any], expected: list[str]) -> None:
    """Models that nobody knows, and names that stand for two things."""
    with pytest.raises(InputError) as caught:
        fabric(**changes)
    assert [str(finding).partition(": ")[2] for finding in caught.value.findings] == expected

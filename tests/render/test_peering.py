"""A switch with sessions of both kinds: by addresses, and by the port."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabric.render import render_device
from tests.render.designs import variant

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.design.model import DeviceDesign

UNNUMBERED = {"bgp: {": "bgp: {peering: unnumbered, "}
#: One leaf keeps its links numbered.
LEAF = "devices:\n  - {names: su2-rail0, peering: numbered}\n"


def _devices(folder: Path, changes: dict[str, str]) -> dict[str, DeviceDesign]:
    return variant(folder / "inventory", "demo", {**UNNUMBERED, **changes}, LEAF)


def _text(device: DeviceDesign) -> str:
    return render_device(device)[0].text


def test_one_leaf_keeps_its_links_numbered(tmp_path: Path) -> None:
    """Both ends follow, and no other link."""
    devices = _devices(tmp_path, {})
    sessions = {
        name: [peer.session for peer in design.bgp.neighbours] for name, design in devices.items()
    }
    assert sessions["su1-rail0"] == ["Ethernet128", "Ethernet136"]
    assert sessions["su2-rail0"] == ["10.254.1.0", "10.254.1.2"]
    assert sessions["spine01"] == ["Ethernet1/1", "Ethernet2/1", "10.254.1.1", "Ethernet4/1"]
    spine = _text(devices["spine01"])
    assert "   neighbor 10.254.1.1 peer group LEAVES-NUMBERED\n" in spine
    assert "   neighbor interface Ethernet1/1 peer-group LEAVES remote-as 65101\n" in spine
    over_ipv6 = [line for line in spine.splitlines() if "next-hop address-family ipv6" in line]
    assert over_ipv6 == ["      neighbor LEAVES next-hop address-family ipv6 originate"]


def test_groups_of_sonic(tmp_path: Path) -> None:
    """Next hops of IPv6 are asked for in the group of sessions without addresses alone."""
    spine = json.loads(_text(_devices(tmp_path, {"7060X6-64PE": "ACS-MSN4700"})["spine01"]))
    groups = {
        name: "capability_ext_nexthop" in row for name, row in spine["BGP_PEER_GROUP"].items()
    }
    assert groups == {"default|FABRIC": True, "default|NUMBERED": False}
    of_group = {key: row["peer_group_name"] for key, row in spine["BGP_NEIGHBOR"].items()}
    assert of_group["default|10.254.1.1"] == "NUMBERED"
    assert of_group["default|Ethernet0"] == "FABRIC"

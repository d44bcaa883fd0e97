"""SONiC: rendered databases are read, and what passes over a session without a policy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabric.systems.sonic.batfish import reduced
from fabric.systems.sonic.reading import NO_POLICY
from tests.systems.readings import golden, is_whole, read

KIND = "config_db"


@pytest.mark.parametrize("path", golden("sonic", "config_db.json"))
def test_rendered_files_are_understood(path: Path) -> None:
    """Every row of them."""
    is_whole(read("sonic", KIND, path.read_text(encoding="utf-8")))


def test_what_the_book_does_not_know_is_not_understood() -> None:
    """Tables and, where tables manage BGP, fields; what says nothing is passed over."""
    config = json.loads(_managed())
    config |= {"NAT_POOL": {"p": {}}, "TACPLUS_SERVER": {"10.0.0.1": {}}, "KDUMP": {"config": {}}}
    config["BGP_NEIGHBOR"]["default|Ethernet0"] |= {
        "min_adv_interval": "5",
        "shutdown_message": "x",
        "nhopself": "1",
    }
    leftovers = read("sonic", KIND, json.dumps(config)).leftovers
    assert [item.text for item in leftovers] == [
        "BGP_NEIGHBOR|default|Ethernet0.nhopself",
        "NAT_POOL|p",
    ]


PLAIN = {
    "DEVICE_METADATA": {
        "localhost": {
            "hostname": "a",
            "bgp_asn": "65101",
            "type": "LeafRouter",
            "bgp_router_id": "1.1.1.1",
        }
    },
    "FEATURE": {"bgp": {"state": "enabled"}},
    "PORT": {"Ethernet0": {"admin_status": "up", "mtu": "9100", "description": "x"}},
    "VLAN": {"Vlan7": {"vlanid": "7", "mtu": "9100", "admin_status": "up"}},
    "VLAN_MEMBER": {"Vlan7|Ethernet0": {"tagging_mode": "tagged"}},
    "VLAN_INTERFACE": {"Vlan7": {"vrf_name": "x"}, "Vlan7|10.0.7.1/24": {}},
    "STATIC_ROUTE": {
        "default|10.9.0.0/16": {"nexthop": "10.0.7.9", "blackhole": "true", "ifname": "x"}
    },
    "BGP_NEIGHBOR": {
        "10.0.7.2": {"asn": "65102", "name": "b", "peer_group_name": "G", "bfd": "true"}
    },
    "ROUTE_MAP": {"I|10": {"route_operation": "permit", "match_prefix_set": "x"}},
}


def test_a_session_over_a_port_of_bgpcfgd_is_left_open() -> None:
    """Master alone makes it; no release is known from a file."""
    config = {**PLAIN, "BGP_NEIGHBOR": {"Ethernet0": {"asn": "65102", "name": "b"}}}
    (open_question,) = read("sonic", KIND, json.dumps(config)).undecided
    assert "bgpcfgd makes sessions over ports on master alone" in open_question.text


def test_a_value_of_another_type_is_no_crash() -> None:
    """JSON holds more than texts; such a row is a leftover, or the field is not read."""
    both = (PLAIN, json.loads(_managed(route_map_in=["I"], route_map_out=["O"])))
    for config in both:
        for table, rows in config.items():
            for row, fields in rows.items():
                for field in fields:
                    for value in ODD:
                        odd = {**config, table: {**rows, row: {**fields, field: value}}}
                        read("sonic", KIND, json.dumps(odd))


ODD = (5, None, ["x"], [5], {"x": "y"}, True)


def test_a_row_of_another_type_is_left_over() -> None:
    """Also where tables manage BGP, and each field counts."""
    managed = json.loads(_managed(route_map_in=["I"], route_map_out=["O"]))
    for config in (PLAIN, managed):
        for table, row in (("BGP_NEIGHBOR", "10.0.7.3"), ("ROUTE_MAP", "I|20")):
            for value in (5, None, ["x"], "x", True):
                odd = {**config, table: {**config.get(table, {}), row: value}}
                leftovers = read("sonic", KIND, json.dumps(odd)).leftovers
                assert f"{table}|{row}" in [item.text for item in leftovers], (table, value)


def test_a_text_of_another_type_is_left_over() -> None:
    """A proof would compare it with names and addresses."""
    for table, row, field in (
        ("DEVICE_METADATA", "localhost", "hostname"),
        ("PORT", "Ethernet0", "description"),
        ("BGP_NEIGHBOR", "10.0.7.2", "name"),
        ("BGP_NEIGHBOR", "10.0.7.2", "local_addr"),
        ("BGP_NEIGHBOR", "10.0.7.2", "peer_group_name"),
    ):
        for value in ODD:
            rows = PLAIN[table]
            odd = {**PLAIN, table: {**rows, row: {**rows[row], field: value}}}
            leftovers = read("sonic", KIND, json.dumps(odd)).leftovers
            assert f"{table}|{row}" in [item.text for item in leftovers], (field, value)


def _managed(**policies: list[str]) -> str:
    return json.dumps({
        "DEVICE_METADATA": {"localhost": {"hostname": "a", "frr_mgmt_framework_config": "true"}},
        "BGP_GLOBALS": {"default": {"local_asn": "65101"}},
        "BGP_PEER_GROUP_AF": {"default|G|ipv4_unicast": policies},
        "BGP_NEIGHBOR": {"default|Ethernet0": {"peer_group_name": "G"}},
    })


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        ({}, (NO_POLICY, NO_POLICY)),
        ({"route_map_in": ["I"]}, ("I", NO_POLICY)),
        ({"route_map_in": ["I"], "route_map_out": ["O"]}, ("I", "O")),
    ],
)
def test_a_managed_session_wants_policies(
    policies: dict[str, list[str]], expected: tuple[str, str]
) -> None:
    """Without one nothing passes; sessions of bgpcfgd have theirs from its templates."""
    switch = read("sonic", KIND, _managed(**policies))
    assert switch.bgp is not None
    peer = switch.bgp.peers["Ethernet0"]
    assert (peer.policy_in, peer.policy_out) == expected
    assert (NO_POLICY in switch.policies) == (NO_POLICY in expected)
    assert switch.policies.get(NO_POLICY, []) == []


def test_batfish_gets_no_row_of_another_type() -> None:
    tables: dict[str, Any] = {"VLAN": {"Vlan7": 5}, "VLAN_MEMBER": {"Vlan7|Ethernet0": {}}}
    assert reduced(tables)["VLAN"] == {}

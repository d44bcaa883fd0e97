"""SONiC: rendered databases are read, and what passes over a session without a policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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

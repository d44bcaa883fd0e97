"""IPv6 of a host: what is read of it, and the commands of the way back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from fabric.design.host_kernel import kernel_parameters
from fabric.render.explain import find
from fabric.systems.host.adapters.settings import restored
from fabric.systems.host.drivers import _command
from fabric.systems.host.parsers import HostParser, ip_addresses, ip_rules
from fabric.systems.host.parsers.settings import settings
from fabric.systems.host.render import render_host
from fabric.systems.host.state import expected_state
from fabric.workflow.project import Project
from tests.cases import each
from tests.observe.test_hostfacts import text_of
from tests.topology.fabrics import INVENTORY
from tests.workflow.test_ipv6_hosts import PLANS, STACKS, write

_IPV6 = re.compile(r"accept-ra|IPv6AcceptRA|\[ipv6\]")
ADDRESSES = json.dumps([
    {
        "ifname": "eth1",
        "mtu": 9000,
        "addr_info": [
            {"family": "inet", "local": "10.64.0.1", "prefixlen": 31},
            {"family": "inet6", "local": "fd00:64::21", "prefixlen": 127},
            {"family": "inet6", "local": "fd00:64:0:10::9", "prefixlen": 64, "dynamic": True},
            {"family": "inet6", "local": "fe80::1", "prefixlen": 64},
        ],
    }
])
RULES, RULES6 = text_of("ip_rule.json"), text_of("ip_rule6.json")


def test_addresses_that_nobody_sets_do_not_count() -> None:
    """They come and go by themselves: a router's prefix, and link-local ones."""
    assert ip_addresses(ADDRESSES) == {"eth1": (9000, ("10.64.0.1/31", "fd00:64::21/127"))}


def test_the_table_of_either_family() -> None:
    assert ip_rules(RULES, RULES6)["fd00:64::21"] == "100"
    texts = {"addresses": ADDRESSES, "rules": RULES, "rules6": RULES6, "ip:eth1": "-"}
    running = HostParser().running("a1", texts)
    assert running.config["nics"]["eth1"]["table"] == "100"


def test_rules_and_routes_are_read_by_family() -> None:
    texts = {"rules6": RULES6, "routes6:eth1/100": text_of("ip_route6.json")}
    assert settings(texts) == {
        "routes6:eth1/100": [
            "fd00:64::/48 via fd00:64::20 dev eth1 src fd00:64::21 metric 1024",
            "fd00:64::20/127 dev eth1 src fd00:64::21 metric 1024",
            "unreachable default metric 4096",
        ],
        "rules6": ["priority 100 from fd00:64::21 table 100"],
    }


@each(
    ("subject", "command"),
    [
        ("rules6", "ip -6 -j rule show"),
        ("routes6:eth1/100", "ip -6 -j route show table all"),
        ("ways6:eth1", "ip -6 -j route show table all"),
        ("neighbour:eth1/fd00:64::20", "ip -j neigh show dev eth1"),
        ("sysctl:net.ipv6.conf.eth1.accept_ra", "cat /proc/sys/net/ipv6/conf/eth1/accept_ra"),
    ],
)
def test_what_the_driver_asks(subject: str, command: str) -> None:
    assert _command(subject).endswith(command)


@each(
    ("subject", "old", "now", "commands"),
    [
        (
            "rules6",
            ["priority 9 from fd00::/64 table 9"],
            ["priority 100 from fd00:64::21 table 100"],
            [
                "ip -6 rule del priority 100 from fd00:64::21 table 100 || true",
                "ip -6 rule add priority 9 from fd00::/64 table 9 || true",
            ],
        ),
        (
            "routes6:eth1/100",
            [],
            ["fd00:64::/48 via fd00:64::20 dev eth1"],
            ["ip -6 route del fd00:64::/48 via fd00:64::20 dev eth1 table 100 || true"],
        ),
        (
            "ways6:eth1",
            ["fd00:64::/48 via fd00:64::20 dev eth1 metric 50"],
            [],
            ["ip -6 route replace fd00:64::/48 via fd00:64::20 dev eth1 metric 50 || true"],
        ),
        ("rules6", ["priority 9 from fd00::1; reboot table 9"], [], []),
        (
            "sysctl:net.ipv6.conf.eth1.accept_ra",
            "1",
            "0",
            ["sh -c 'echo 1 > /proc/sys/net/ipv6/conf/eth1/accept_ra'"],
        ),
        (
            "neighbour:eth1/fd00:64::20",
            "",
            "04:3f:72:00:00:01",
            ["ip neigh del fd00:64::20 dev eth1 || true"],
        ),
    ],
)
def test_the_way_back(subject: str, old: Any, now: Any, commands: list[str]) -> None:
    assert list(restored({subject: old}, {subject: now})) == commands


@each(
    ("plan", "accept_ra", "table"),
    [("alone", "0", "100"), ("slaac", None, None)],
)
def test_what_a_nic_is_set_to(
    plan: str, accept_ra: str | None, table: str | None, tmp_path: Path
) -> None:
    """networkd and NetworkManager hear routers themselves, and set accept_ra for it."""
    host = Project(write(tmp_path / plan, plan)).hosts["a1"]
    parameters = {name: str(value) for name, value in kernel_parameters(host)}
    assert parameters.get("net.ipv6.conf.eth1.accept_ra") == accept_ra
    assert parameters["net.ipv6.conf.eth1.use_tempaddr"] == "0"
    assert parameters["net.ipv6.neigh.eth1.gc_stale_time"] == "60"
    state = json.loads(expected_state(host))
    assert state["nics"]["eth1"].get("table") == table
    assert state["settings"]["rules6"]
    assert "rules" not in state["settings"]


def test_hosts_without_ipv6_have_none_of_it() -> None:
    host = Project(INVENTORY / "demo").hosts["gpu001"]
    assert not [name for name, _ in kernel_parameters(host) if "ipv6" in name]


@each(("plan", "stack"), [(plan, stack) for plan in PLANS for stack in STACKS])
def test_lines_of_ipv6_are_explained(plan: str, stack: str, tmp_path: Path) -> None:
    host = Project(write(tmp_path / f"{plan}-{stack}", plan, stack)).hosts["a1"]
    lines = {
        line
        for item in render_host(host)
        if item.path.endswith((".yaml", ".network", ".nmconnection", ".conf"))
        for line in item.text.splitlines()
        if line.strip() and not line.startswith("#")
    }
    assert any(_IPV6.search(line) for line in lines)
    assert [line for line in lines if not find("host", line)] == []

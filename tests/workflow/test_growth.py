"""A fabric grows step by step, and what it has stays as it is: in every file, line by line."""

from __future__ import annotations

import copy
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.findings import Severity
from fabric.workflow.check import check
from fabric.workflow.project import Project
from tests.topology.fabrics import document

STEPS = 20
ADDRESS = re.compile(r"\b\d+\.\d+\.\d+\.\d+\b|\bfd00:[0-9a-f:]*:")
IPV6 = {"addressing__vlan_per": "none", "bgp__peering": "unnumbered"}
PLANS: dict[str, dict[str, Any]] = {
    "rail": {"addressing__vlan_per": "rail"},
    "nic": {"addressing__vlan_per": "nic", "addressing__host_prefix_length": 28},
    "none": {"addressing__vlan_per": "none"},
    "none with room for pods": {
        "addressing__vlan_per": "none",
        "addressing__routed_prefix_length": 28,
    },
    "none behind one prefix": {"addressing__vlan_per": "none", "addressing__advertise": "leaf"},
    "none, unnumbered": IPV6,
    "IPv6 beside IPv4": {**IPV6, "addressing__ipv6": {"hosts": "fd00:64::/48"}},
    "IPv6 alone": {
        **IPV6,
        "addressing__hosts": None,
        "addressing__uplinks": None,
        "addressing__ipv6": {"hosts": "fd00:64::/48"},
    },
    "IPv6 and links of both": {
        "addressing__vlan_per": "none",
        "addressing__ipv6": {"hosts": "fd00:64::/48", "uplinks": "fd00:65::/64"},
    },
    "IPv6 by SLAAC": {
        **IPV6,
        "platforms__leaf__sku": "7060X6-64PE",
        "addressing__ipv6": {"hosts": "fd00:64::/48", "assignment": "slaac", "rdma": True},
    },
    "units of both": {"addressing__vlan_per": "rail", "addressing__routed_hosts": "10.96.0.0/14"},
}


class Growing:
    """An inventory that grows.

    Parameters
    ----------
    folder : Path
        Where it is written.
    plan : str
        One of ``PLANS``.
    dice : random.Random
        Chooses the steps.
    """

    def __init__(self, folder: Path, plan: str, dice: random.Random) -> None:
        self._folder, self._dice, self._both = folder, dice, plan == "units of both"
        self._makes_addresses = plan == "IPv6 by SLAAC"
        self._data = document(**PLANS[plan], spines={"count": 1, "links_per_leaf": 1})
        self._data["platforms"] = {
            "leaf": {**self._data["platforms"]["leaf"], "host_ports": 16},
            "spine": {"sku": "7060X6-64PE"},
        }
        self._data["host"] |= {"interfaces": "eth[1-2]", "rdma_devices": "mlx5_[1-2]"}
        self._data["units"], self._sizes = [], []
        self._macs: dict[tuple[str, int], str] = {}
        self._count = 0
        self._unit(routed=False)
        if self._both:
            self._unit(routed=True)

    def step(self) -> str:
        """Take a step, and return what it was."""
        steps = {"unit": self._unit, "host": self._host, "spine": self._spine, "nic": self._nic}
        if self._makes_addresses:  # a NIC in place of another has another address: ADR012
            del steps["nic"]
        name = self._dice.choice(list(steps))
        steps[name]()
        return name

    def lines(self) -> dict[str, Counter[str]]:
        """Return the lines with an address of each file; nothing is wrong with the inventory."""
        data = copy.deepcopy(self._data)
        for unit, size in zip(data["units"], self._sizes, strict=True):
            unit["hosts"] = f"{unit['name']}h[1-{size}]"
        (self._folder / "hosts").mkdir(parents=True, exist_ok=True)
        (self._folder / "fabric.yaml").write_text(yaml.safe_dump(data))
        nics = [
            {"names": host, "nics": [{"rail": rail, "mac": mac}]}
            for (host, rail), mac in self._macs.items()
        ]
        if nics:
            (self._folder / "hosts/replaced.yaml").write_text(yaml.safe_dump({"hosts": nics}))
        project = Project(self._folder)
        assert [str(one) for one in check(project).at_least(Severity.ERROR)] == []
        artefacts = {**project.switch_artefacts, **project.host_artefacts}
        return {
            item.path: Counter(
                line.strip().rstrip(",") for line in item.text.splitlines() if ADDRESS.search(line)
            )
            for mine in artefacts.values()
            for item in mine
        }

    def swap(self) -> None:
        """Let the first two units change places, which is no growth."""
        for listed in (self._data["units"], self._sizes):
            listed[0], listed[1] = listed[1], listed[0]

    def _unit(self, *, routed: bool | None = None) -> None:
        is_routed = self._dice.random() < 0.5 if routed is None else routed
        plan = {"vlan_per": "none"} if self._both and is_routed else {}
        self._data["units"].append({"name": f"su{len(self._sizes) + 1}", **plan})
        self._sizes.append(1)

    def _host(self) -> None:
        self._sizes[self._dice.randrange(len(self._sizes))] += 1

    def _spine(self) -> None:
        self._data["spines"]["count"] += 1

    def _nic(self) -> None:
        unit = self._dice.randrange(len(self._sizes))
        host = f"su{unit + 1}h{self._dice.randint(1, self._sizes[unit])}"
        self._count += 1
        mac = f"02:00:00:00:00:{self._count:02x}"
        self._macs[host, self._dice.randint(0, 1)] = mac


def lost(before: dict[str, Counter[str]], after: dict[str, Counter[str]]) -> dict[str, Any]:
    """Return the lines of each file that are gone."""
    gone = {path: lines - after.get(path, Counter()) for path, lines in before.items()}
    return {path: dict(lines) for path, lines in gone.items() if lines}


@pytest.mark.parametrize("plan", PLANS)
def test_no_line_with_an_address_moves(plan: str, tmp_path: Path) -> None:
    """Whatever comes: units and spines at the end, hosts in any unit, NICs in place of others."""
    growing = Growing(tmp_path, plan, random.Random(plan))
    before, taken = growing.lines(), []
    shown = any("fd00:" in line for lines in before.values() for line in lines)
    assert shown is ("addressing__ipv6" in PLANS[plan])
    for _ in range(STEPS):
        taken.append(growing.step())
        after = growing.lines()
        assert lost(before, after) == {}, taken
        before = after
    assert {"unit", "host", "spine"} <= {*taken}
    assert ("nic" in taken) is (plan != "IPv6 by SLAAC")


@pytest.mark.parametrize("plan", PLANS)
def test_what_moves_is_seen(plan: str, tmp_path: Path) -> None:
    growing = Growing(tmp_path, plan, random.Random(plan))
    while {*(growing.step() for _ in range(STEPS // 4))}.isdisjoint({"unit"}):
        pass
    before = growing.lines()
    growing.swap()
    assert lost(before, growing.lines())

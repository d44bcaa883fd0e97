"""What a change of the files of a host does to its traffic, as `diff` says it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fabric.workflow.effect import effect
from fabric.workflow.project import Project
from tests.topology.fabrics import INVENTORY


def _without_nic(state: dict[str, Any]) -> None:
    """Take a NIC out, as a host that leaves a tenant."""
    del state["nics"]["eth1"], state["rdma_devices"]["eth1"]
    _without_routes(state)


def _without_routes(state: dict[str, Any]) -> None:
    for name in [name for name in state["settings"] if name.startswith(("routes:eth1", "ways"))]:
        del state["settings"][name]


def _with_address(state: dict[str, Any]) -> None:
    state["nics"]["eth1"]["addresses"] = ["10.64.99.2/24"]


def _with_route(state: dict[str, Any]) -> None:
    state["settings"]["ways:eth1"] = ["10.99.0.0/16 via 10.64.0.1 dev eth1"]


def _with_parameter(state: dict[str, Any]) -> None:
    state["settings"]["sysctl:net.ipv4.neigh.default.gc_thresh1"] = "8192"


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a NIC goes": (_without_nic, "brief loss"),
    "routes go": (_without_routes, "brief loss"),
    "another address": (_with_address, "brief loss"),
    "another route": (_with_route, "brief loss"),
    "a kernel parameter": (_with_parameter, "harmless"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_host_loses(name: str) -> None:
    change, risk = CHANGES[name]
    before = Project(INVENTORY / "demo").host_artefacts["gpu001"]
    number = next(at for at, item in enumerate(before) if item.kind == "expected-state")
    state = json.loads(before[number].text)
    change(state)
    content = json.dumps(state).encode()
    after = [*before]
    after[number] = replace(before[number], content=content)
    assert effect({}, "gpu001", before, after).risk == risk


def test_the_cause_is_a_line_that_differs() -> None:
    """Lines that many ports have stand between two that change."""
    [config] = Project(INVENTORY / "demo").switch_artefacts["spine01"]
    port = "interface Ethernet{}/1\n   description {}\n   mtu 9100\n   speed 400g-4\n"
    fec = "   error-correction encoding reed-solomon\n"
    ports = "".join(port.format(number, "host") for number in range(100))
    before, after = (
        [replace(config, content=f"{ports}{port.format(100, text)}".encode())]
        for text in ("one", "other")
    )
    after = [replace(config, content=after[0].content + fec.encode())]
    lost = effect({}, "spine01", before, after)
    assert (lost.risk, lost.risk_cause) == ("port flap", f"interface Ethernet100/1: {fec.strip()}")

"""Single routes of a VRF: what systems answer, and what their stand-ins do in a fabric."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabric.core.errors import DeviceError
from fabric.devices.driver import Connection, drivers
from fabric.lab.lab import Lab
from fabric.lab.wiring import specs, wire
from fabric.observe.parsers import UnreadableError, route_readings
from fabric.workflow.project import Project
from tests.cases import each
from tests.systems.tenant_fabrics import SYSTEMS, project

PASSWORD = "hunter2-of-the-lab"
NET = "10.64.0.0/31"
FRR = 'Routing entry for {net}\n  Known via "bgp", distance 20, metric 0, vrf Vrf17, best\n'


def eos(**routes: Any) -> str:
    return json.dumps({"vrfs": {"Vrf17": {"routingDisabled": False, "routes": routes}}})


#: System, output; whether there is a route, None where it does not say.
SAMPLES: dict[str, tuple[str, str, bool | None]] = {
    "eos: there": ("eos", eos(**{NET: {"routeType": "eBGP"}}), True),
    "eos: gone": ("eos", eos(), False),
    "eos: a summary covers it": ("eos", eos(**{"10.64.0.0/16": {}}), False),
    "eos: another VRF": ("eos", '{"vrfs": {"default": {"routes": {}}}}', None),
    "eos: no VRF": ("eos", '{"vrfs": {}}', None),
    "eos: routes are a list": ("eos", '{"vrfs": {"Vrf17": {"routes": []}}}', None),
    "eos: no table": ("eos", "[]", None),
    "eos: cut": ("eos", eos()[:-3], None),
    "frr: there": ("cumulus", FRR.format(net=NET), True),
    "frr: twice": ("cumulus", FRR.format(net=NET) * 2, True),
    "frr: gone": ("cumulus", "% Network not in table\r\n", False),
    "frr: another route": ("cumulus", FRR.format(net="10.64.0.0/16"), None),
    "frr: no VRF": ("cumulus", "% VRF Vrf17 not found\n", None),
    "frr: no active VRF": ("cumulus", "% VRF Vrf17 not active\n", None),
    "frr: away": ("cumulus", "failed to connect to any daemons.\n", None),
    "frr: nothing": ("cumulus", "", None),
}


@each("name", SAMPLES)
def test_what_an_answer_means(name: str) -> None:
    system, text, expected = SAMPLES[name]
    if expected is None:
        with pytest.raises(UnreadableError):
            route_readings[system](text, "Vrf17", NET)
    else:
        assert route_readings[system](text, "Vrf17", NET) is expected


def test_systems_that_are_asked_have_a_driver_that_asks() -> None:
    names = sorted(dict(route_readings.items()))
    assert names == ["cumulus", "eos"]
    assert all(hasattr(drivers[name], "read_route") for name in names)


FABRICS: dict[str, dict[str, Any]] = {
    "eos": {"speeds": {"host_gbps": 100, "uplink_gbps": 100}},
    "cumulus": {"platforms": {"leaf": {"sku": "SN4700"}, "spine": {"sku": "SN4700"}}},
}


@pytest.fixture(params=FABRICS)
def fabric(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Project, Lab]]:
    """Run the leaves of a fabric with two tenants as they are rendered."""
    monkeypatch.setitem(SYSTEMS, request.param, FABRICS[request.param])
    made = project(tmp_path / "inventory", request.param, "evpn")
    with Lab(specs(made.devices, made.hosts, PASSWORD)) as lab:
        wire(lab, made.devices)
        for name in ("su1-rail0", "su2-rail0", "su2-rail1"):
            text = made.switch_artefacts[name][0].text
            lines = text if request.param == "eos" else text.splitlines()
            lab[name].hand_edit(*([lines] if isinstance(lines, str) else _sets(lines)))
        yield made, lab


def _sets(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("nv set ")]


def test_a_leaf_has_the_route_while_the_far_port_is_in_the_vrf(
    fabric: tuple[Project, Lab],
) -> None:
    made, lab = fabric
    spec = lab["su2-rail0"].spec
    driver = drivers[spec.platform](
        Connection(
            spec.name, spec.platform, "127.0.0.1", lab[spec.name].port, spec.username, PASSWORD,
            trust=lab[spec.name].trust,
        )
    )  # fmt: skip
    reader: Any = driver

    def has(vrf: str, prefix: str) -> bool:
        return route_readings[spec.platform](reader.read_route(vrf, prefix), vrf, prefix)

    port = next(port for port in made.devices["su1-rail0"].ports if port.peer == "gpu001")
    driver.open()
    try:
        assert has("Vrf17", NET)
        assert not has("Vrf17", "10.64.0.0/16")
        assert not has("Vrf18", NET)
        shut = f"interface {port.name}\nshutdown\n"
        down = f"nv set interface {port.name} link state down"
        lab["su1-rail0"].hand_edit(shut if spec.platform == "eos" else down)
        assert not has("Vrf17", NET)
        with pytest.raises((UnreadableError, DeviceError)):
            has("Vrf99", NET)
    finally:
        driver.close()

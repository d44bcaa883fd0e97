"""Single routes of a VRF: what systems answer, and what their stand-ins do in a fabric."""

from __future__ import annotations

import json
from collections import Counter
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


NXOS = """IP Route Table for VRF "Vrf17"
'*' denotes best ucast next-hop
'[x/y]' denotes [preference/metric]

{0}
"""
ENTRY = "{0}, ubest/mbest: 1/0\n    *via 10.255.0.13%default, [20/0], 01:00:00, bgp-65101, external"


def nxos(*entries: str) -> str:
    return NXOS.format("\n".join(ENTRY.format(one) for one in entries) or "Route not found")


def junos(*nets: str, table: str = "Vrf17.inet.0", count: int = -1, hidden: int = 0) -> str:
    """As captures of ``show route`` have it, without what nobody reads."""
    rows = "".join(f"<rt><rt-destination>{net}</rt-destination></rt>" for net in nets)
    return (
        '<route-information xmlns="http://xml.juniper.net/junos/23.4X100/junos-routing">'
        f"<!-- keepalive --><route-table><table-name>{table}</table-name>"
        f"<destination-count>{len(nets) if count < 0 else count}</destination-count>"
        f"<hidden-route-count>{hidden}</hidden-route-count>{rows}</route-table></route-information>"
    )


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
    "frr of SONiC: gone": ("esonic", "% Network not in table\n", False),
    "frr of SONiC: a login of its own": ("esonic", "sudo: a password is required\n", None),
    "nxos: there": ("nxos", nxos(NET), True),
    "nxos: gone": ("nxos", nxos(), False),
    "nxos: a summary covers it": ("nxos", nxos("10.64.0.0/16"), False),
    "nxos: all longer ones": ("nxos", nxos("10.64.0.0/16", NET), True),
    "nxos: some other route": ("nxos", nxos("10.65.0.0/16"), None),
    "nxos: no prefix": ("nxos", nxos("10.64.0.0/99"), None),
    "nxos: another VRF": ("nxos", nxos().replace("Vrf17", "default"), None),
    "nxos: several VRFs": ("nxos", nxos() + nxos().replace("Vrf17", "Vrf18"), None),
    "nxos: no table": ("nxos", "Route not found\n", None),
    "nxos: cut": ("nxos", nxos().partition("Route not")[0], None),
    "nxos: refused": ("nxos", "% Invalid vrf name\n", None),
    "junos: there": ("junos", junos("10.64.0.0/16", NET), True),
    "junos: gone": ("junos", junos("10.64.0.0/16"), False),
    "junos: hidden ones are not shown": ("junos", junos("10.64.0.0/16", count=2, hidden=1), False),
    "junos: not all of it": ("junos", junos("10.64.0.0/16", count=2), None),
    "junos: another VRF": ("junos", junos(table="Vrf171.inet.0"), None),
    "junos: no table": ("junos", "<route-information/>", None),
    "junos: no count": ("junos", junos("10.64.0.0/16").replace("count>1<", "count>?<"), None),
    "junos: cut": ("junos", junos()[:-5], None),
    "junos: text": ("junos", "error: command is not valid\n", None),
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
    assert names == ["cumulus", "eos", "esonic", "junos", "nxos"]
    assert all(hasattr(drivers[name], "read_route") for name in names)


FABRICS: dict[str, dict[str, Any]] = {
    "eos": {"speeds": {"host_gbps": 100, "uplink_gbps": 100}},
    "cumulus": {"platforms": {"leaf": {"sku": "SN4700"}, "spine": {"sku": "SN4700"}}},
    "junos": {"platforms": {"leaf": {"sku": "QFX5130-32CD"}, "spine": {"sku": "QFX5220-32CD"}}},
    "nxos": SYSTEMS["nxos"],
    "esonic": SYSTEMS["esonic"],
}
#: What shuts a port down, where it is not two lines of a mode.
SHUT = {
    "cumulus": "nv set interface {} link state down",
    "junos": "set interfaces {} disable",
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
            lines = [line for line in text.splitlines() if line.startswith("nv set ")]
            lab[name].hand_edit(*(lines or [text]))
        yield made, lab


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
        shut = SHUT.get(spec.platform, "interface {}\n shutdown\n")
        lab["su1-rail0"].hand_edit(shut.format(port.name))
        assert not has("Vrf17", NET)
        with pytest.raises((UnreadableError, DeviceError)):
            has("Vrf99", NET)
    finally:
        driver.close()


def test_a_question_prints_each_configuration_once(
    fabric: tuple[Project, Lab], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many NICs there are: a printed configuration costs milliseconds."""
    made, lab = fabric
    printed: Counter[str] = Counter()
    kind = type(lab["su1-rail0"])
    own: Any = kind.running_text

    def counted(device: Any) -> str:
        printed[device.spec.name] += 1
        text: str = own.fget(device)
        return text

    vrfs = lab["gpu001"].probing.paths.vrfs
    monkeypatch.setattr(kind, "running_text", property(counted))
    leaves = {name for name, design in made.devices.items() if design.role == "leaf"}
    assert len(leaves) < len([port for one in made.hosts.values() for port in one.nics])
    assert NET in lab["su2-rail0"].routes("Vrf17")
    assert printed == dict.fromkeys(leaves, 1)
    printed.clear()
    ends = sorted(vrfs.cables, key=lambda end: vrfs.cables[end])
    vrfs.joined(ends[0], ends[-1])
    assert set(printed.values()) == {1}

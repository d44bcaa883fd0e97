"""A cable has light from both ends: a port that is shut at one has no link at the other."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from fabric.lab.lab import Lab
from fabric.lab.wiring import specs, wire
from fabric.systems.comware7.lab import show as comware7_show
from fabric.systems.nxos.lab import show as nxos_show
from fabric.systems.vrp8.lab import show as vrp8_show
from fabric.systems.vrp8.lab.state import Candidate
from fabric.workflow.project import Project
from tests.change import labs
from tests.topology.fabrics import INVENTORY

if TYPE_CHECKING:
    from collections.abc import Callable

LEAF, SPINE, HOST = labs.LEAF, labs.SPINE, labs.HOST
SKUS = "platforms: {leaf: {sku: ACS-MSN4700}, spine: {sku: 7060X6-64PE}}"


@dataclass(frozen=True)
class System:
    """How a switch shuts and opens a port and what it sees of it; ``lldp`` turns LLDP on."""

    sku: str
    change: Callable[[Any, str], object]
    shut: str
    opened: str
    up: Callable[[Any, str], bool]
    heard: Callable[[Any], str]
    gbps: int = 400
    lldp: str = ""


def edit(device: Any, lines: str) -> None:
    device.hand_edit(lines)


def run(device: Any, command: str) -> str:
    code, text = device.run_detached(command)
    assert code == 0, text
    return str(text)


def eos_up(device: Any, name: str) -> bool:
    return next(port.up for port in device.view.ports() if port.name == name)


def nxos_up(device: Any, name: str) -> bool:
    node = device.state.running.children.get(f"interface {name}")
    return node is not None and device.view.up(node)


def junos_up(device: Any, name: str) -> bool:
    xml = device.view.interfaces(device.lines)
    found = re.search(rf"<name>{name}</name>.*?<oper-status>(\w+)<", xml)
    return found is not None and found[1] == "up"


def lldpcli(device: Any) -> str:
    return run(device, "lldpcli show neighbors -f json")


SYSTEMS = {
    "sonic": System(
        "ACS-MSN4700",
        run,
        "config interface shutdown {}",
        "config interface startup {}",
        lambda device, name: device.port_up(name),
        lambda device: run(device, "show lldp table"),
    ),
    "esonic": System(
        "Z9664F-ON",
        edit,
        "interface {}\n shutdown\n",
        "interface {}\n no shutdown\n",
        lambda device, name: device.port_up(name),
        lambda device: run(device, "show lldp table"),
    ),
    "eos": System(
        "7060X6-64PE",
        edit,
        "interface {}\n   shutdown\n",
        "interface {}\n   no shutdown\n",
        eos_up,
        lambda device: " ".join(one.system_name for one in device.view.lldp()),
    ),
    "nxos": System(
        "N9K-C9364D-GX2A",
        edit,
        "interface {}\n  shutdown\n",
        "interface {}\n  no shutdown\n",
        nxos_up,
        lambda device: nxos_show.show_lldp(device.view),
    ),
    "cumulus": System(
        "SN5600",
        edit,
        "nv set interface {} link state down",
        "nv set interface {} link state up",
        lambda device, name: device.link_up(name),
        lldpcli,
    ),
    "vrp8": System(
        "CE8851-32CQ8DQ-P",
        edit,
        "interface {}\n shutdown\n",
        "interface {}\n undo shutdown\n",
        lambda device, name: device.link_up(name),
        lambda device: vrp8_show.show(device, "display lldp neighbor", Candidate()),
        gbps=100,
        lldp="lldp enable\n",
    ),
    "comware7": System(
        "S9820-64H",
        edit,
        "interface {}\n shutdown\n",
        "interface {}\n undo shutdown\n",
        lambda device, name: device.view.up(name),
        lambda device: comware7_show.display_lldp(device.view),
        gbps=100,
        lldp="lldp global enable\n",
    ),
    "junos": System(
        "QFX5240-64OD",
        edit,
        "set interfaces {} disable\n",
        "set interfaces {0} disable\ndelete interfaces {0} disable\n",
        junos_up,
        lambda device: device.view.lldp(device.lines),
        lldp="set protocols lldp interface all\n",
    ),
}
ON_HOST = System(
    "",
    run,
    "ip link set dev {} down",
    "ip link set dev {} up",
    lambda host, name: host.link_up(name),
    lldpcli,
)


@pytest.fixture(params=SYSTEMS)
def cabled(request: pytest.FixtureRequest, tmp_path):
    """A leaf of a system, its spine and its host, with all ports open; the ends of both cables."""
    system = SYSTEMS[request.param]
    text = labs.INVENTORY.replace(SKUS, SKUS.replace("ACS-MSN4700", system.sku))
    text = text.replace("7060X6-64PE", system.sku)
    text = text.replace("gbps: 400", f"gbps: {system.gbps}")
    project = Project(labs.write_inventory(tmp_path / "inventory", text))
    lab = Lab(specs(project.devices, project.hosts, "lab-only"))
    wire(lab, project.devices)
    ports = {port.peer: port for port in project.devices[LEAF].ports if port.kind != "unused"}
    leaf, spine, host = lab[LEAF], lab[SPINE], lab[HOST]
    cables = {
        SPINE: ((leaf, ports[SPINE].name, system), (spine, ports[SPINE].peer_port, system)),
        HOST: ((leaf, ports[HOST].name, system), (host, ports[HOST].peer_port, ON_HOST)),
    }
    for switch in (leaf, spine) if system.lldp else ():
        system.change(switch, system.lldp)
    for cable in cables.values():
        for device, port, its in cable:
            its.change(device, its.opened.format(port))
    return cables


@pytest.mark.parametrize("far", [SPINE, HOST])
@pytest.mark.parametrize("side", [0, 1], ids=["leaf", "far end"])
def test_a_port_shut_at_one_end_is_dark_at_the_other(cabled, far, side) -> None:
    """Both ends lose link and LLDP neighbour, and have them again when the port is opened."""
    shut, other = cabled[far][side], cabled[far][1 - side]
    ends = {shut[0].spec.name: other, other[0].spec.name: shut}

    def seen() -> list[bool]:
        """Link and LLDP neighbour of either end."""
        links = [its.up(device, port) for device, port, its in ends.values()]
        return links + [name in its.heard(device) for name, (device, _, its) in ends.items()]

    assert seen() == [True] * 4
    device, port, its = shut
    its.change(device, its.shut.format(port))
    assert seen() == [False] * 4
    its.change(device, its.opened.format(port))
    assert seen() == [True] * 4


def test_a_nic_without_light_has_no_carrier(cabled) -> None:
    """As ip shows it: up, but NO-CARRIER."""
    (leaf, port, system), (host, interface, _) = cabled[HOST]
    system.change(leaf, system.shut.format(port))
    (row,) = json.loads(run(host, f"ip -j link show dev {interface}"))
    assert row["operstate"] == "DOWN"
    assert row["flags"] == ["NO-CARRIER", "BROADCAST", "MULTICAST", "UP"]


def test_a_nic_in_quarantine_has_a_cable() -> None:
    """Its tenant may get it while the lab runs."""
    project = Project(INVENTORY / "tenants")
    (quarantined,) = (
        (host.name, nic.interface)
        for host in project.hosts.values()
        for nic in host.nics
        if not nic.enabled
    )
    cables = {
        (spec.name, neighbour.local_port): neighbour.system_name
        for spec in specs(project.devices, project.hosts, "")
        for neighbour in spec.neighbours
    }
    assert cables[quarantined] == "su2-rail1"

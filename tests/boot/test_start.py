"""A switch that started from its bootstrap file alone takes a plan, and is healthy after it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fabric.boot.devices import switches
from fabric.boot.leases import boot_of
from fabric.boot.model import Account, Order
from fabric.core.json_text import parse_json
from fabric.lab.standin import stand_ins
from fabric.systems.junos.platforms.hierarchy import read_tree
from fabric.systems.junos.platforms.text import line_text
from fabric.workflow.apply import Options, apply
from fabric.workflow.project import Project
from tests.boot.fabrics import KEY, RSA_KEY
from tests.boot.test_systems import HASHES
from tests.change import labs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.design.model import DeviceDesign

NETWORK = "\n  network: {subnet: 192.0.2.0/24, switches: 192.0.2.128/25}"
FABRICS = {
    "nxos": labs.NXOS,
    "junos": labs.JUNOS,
    "vrp8": labs.VRP8,
    "comware7": labs.COMWARE7,
    "cumulus": labs.CUMULUS,
    "esonic": labs.ESONIC,
    "sonic": labs.of_models({"7060X6-64PE": "ACS-SN5600"}),
    "eos": labs.of_models({"ACS-MSN4700": "7060X6-64PE"}),
}
#: Systems whose file with the whole configuration is joined as text.
WHOLE = ("vrp8", "comware7", "nxos", "eos", "junos")
ADDRESS = "192.0.2.193"
OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)


def junos(text: str, _factory: str) -> str:
    """Return the lines that the stand-in starts with."""
    return "\n".join(line_text(line) for line in read_tree(text)) + "\n"


def cumulus(text: str, factory: str) -> str:
    """Return what runs after the script; the account is one of Linux."""
    lines = [line for line in text.splitlines() if line.startswith("nv set ")]
    return "\n".join([factory.replace(" ip address dhcp", ""), *lines, ""])


def sonic(text: str, factory: dict[str, Any]) -> dict[str, Any]:
    """Return what runs after the file was loaded over what the image makes."""
    own = parse_json(text)
    local = factory["DEVICE_METADATA"]["localhost"] | own["DEVICE_METADATA"]["localhost"]
    own["DEVICE_METADATA"]["localhost"] = local
    return {**factory, **own}


def esonic(text: str, factory: str) -> str:
    """Return the lines after the file was loaded: the database of both is that of SONiC."""
    own = parse_json(text)
    name = own["DEVICE_METADATA"]["localhost"]["hostname"]
    ((port, row),) = own["MGMT_INTERFACE"].items()
    factory_lines = [
        line for line in factory.splitlines() if line.startswith(("username", "buffer"))
    ]
    lines = [f"hostname {name}", f"ip route 0.0.0.0/0 {row['gwaddr']}", "interface Management0"]
    return "\n".join([*factory_lines, *lines, f" ip address {port.partition('|')[2]}", ""])


TAKEN: Mapping[str, Callable[[str, Any], Any]] = {
    "junos": junos,
    "cumulus": cumulus,
    "sonic": sonic,
    "esonic": esonic,
}
ENDINGS = {
    "cumulus": ".sh",
    "sonic": "-config_db.json",
    "esonic": "-config_db.json",
    "junos": ".conf",
}


def bootstraps(project: Project, system: str, *, whole: bool = False) -> dict[str, str]:
    """Return the configuration that each switch starts with."""
    assert project.fabric.management is not None
    account = Account("admin", RSA_KEY if system == "vrp8" else KEY, HASHES[system])
    rendered = project.switch_artefacts if whole else {}
    texts = {}
    for device in switches(project.fabric):
        boot = boot_of(device.platform)
        assert boot is not None
        own = tuple(rendered.get(device.name, ()))
        files = boot.files(Order(device, account, "http://192.0.2.1", own))
        ending = ENDINGS.get(system, ".cfg")
        (texts[device.name],) = [one.text for one in files if one.path.endswith(ending)]
    return texts


def inventory_of(system: str) -> str:
    return FABRICS[system].replace(
        "management: {ntp_servers: [192.0.2.10]}",
        f"management:\n  ntp_servers: [192.0.2.10]{NETWORK}",
    )


def start_with(monkeypatch: pytest.MonkeyPatch, system: str, texts: Mapping[str, str]) -> None:
    """Let the stand-ins of a system start with these files."""
    kind: Any = stand_ins[system]
    factory = kind.factory

    def started(design: DeviceDesign, mac: str) -> Any:
        text = texts[design.name]
        return TAKEN[system](text, factory(design, mac)) if system in TAKEN else text

    monkeypatch.setattr(kind, "factory", staticmethod(started))


@pytest.mark.parametrize("system", FABRICS)
def test_a_switch_from_the_box_becomes_what_is_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    inventory = inventory_of(system)
    before = Project(labs.write_inventory(tmp_path / "before", inventory))
    start_with(monkeypatch, system, bootstraps(before, system))
    with labs.running_lab(tmp_path, monkeypatch, inventory) as (lab, project, connections):
        result = apply(
            labs.planned(project, connections), tmp_path / "state", connections, OPTIONS,
            labs.silent,
        )  # fmt: skip
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []
        assert ADDRESS in lab[labs.LEAF].running_text


@pytest.mark.parametrize("system", WHOLE)
def test_a_whole_configuration_leaves_nothing_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    inventory = inventory_of(system)
    before = Project(labs.write_inventory(tmp_path / "before", inventory))
    start_with(monkeypatch, system, bootstraps(before, system, whole=True))
    with labs.running_lab(tmp_path, monkeypatch, inventory) as (lab, project, connections):
        made = labs.planned(project, connections)
        names = {labs.LEAF, labs.SPINE}
        changes = {name: one.changes for name, one in made.devices.items() if name in names}
        assert not any(changes.values()), changes
        assert ADDRESS in lab[labs.LEAF].running_text

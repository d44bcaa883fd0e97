"""Every system reports the bytes of its ports, by its driver and its parser, from the lab."""

from __future__ import annotations

import pytest

from fabric.observe import families as of
from fabric.observe.parsers import parsers
from fabric.observe.samples import samples
from fabric.topology.naming import nic_names
from fabric.workflow.observe import Selection, observe
from tests.change.labs import (
    COMWARE7,
    CUMULUS,
    ESONIC,
    HOST,
    INVENTORY,
    JUNOS,
    NXOS,
    VRP8,
    running_lab,
    silent,
)

SYSTEMS = {
    "sonic eos host": INVENTORY,
    "nxos": NXOS,
    "vrp8": VRP8,
    "comware7": COMWARE7,
    "junos": JUNOS,
    "cumulus": CUMULUS,
    "esonic": ESONIC,
}


def test_every_system_is_here() -> None:
    assert {name for names in SYSTEMS for name in names.split()} == {*parsers}


@pytest.mark.parametrize("names", SYSTEMS)
def test_bytes_of_every_port(names: str, tmp_path, monkeypatch) -> None:
    with running_lab(tmp_path, monkeypatch, SYSTEMS[names]) as (_, project, connections):
        seen = observe(project, connections, Selection(), ("interfaces", "nics"), silent)
        fabric = project.fabric
        cabled = {name: {port.name for port in one.ports} for name, one in project.devices.items()}
        cabled[HOST] = {nic.interface for nic in nic_names(fabric, HOST)}
    assert {one.error for one in seen} == {""}
    for one in seen:
        assert one.snapshot
        assert one.unknown == ()
        rows = [row.labels for row in samples(one.snapshot) if row.family is of.BYTES]
        for way in (of.RECEIVED, of.SENT):
            assert cabled[one.device] <= {port for port, to in rows if to == way}, one.device

"""What every system reports of its ports, by its driver and its parser, is what the docs say."""

from __future__ import annotations

import itertools

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
from tests.cli.runs import ROOT

FIELDS = ("interfaces", "nics", "queues", "priority_groups")
SYSTEMS = {
    "sonic eos host": INVENTORY,
    "nxos": NXOS,
    "vrp8": VRP8,
    "comware7": COMWARE7,
    "junos": JUNOS,
    "cumulus": CUMULUS,
    "esonic": ESONIC,
}


#: What the docs call a system.
NAMES = {
    "SONiC": "sonic",
    "Enterprise SONiC": "esonic",
    "Cumulus": "cumulus",
    "EOS": "eos",
    "NX-OS": "nxos",
    "Junos": "junos",
    "VRP8": "vrp8",
    "Comware 7": "comware7",
    "hosts": "host",
}
DROPS = {"ports": of.DISCARDS, "queues": of.QUEUE_DROPS, "priority groups": of.GROUP_DROPS}
DROPS["NICs"] = of.DISCARDS


def listed() -> dict[str, dict[str, str]]:
    """Return the table of docs/observe.md: a row for each system."""
    text = (ROOT / "docs" / "observe.md").read_text().partition("## Which system reports what")[2]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    known = itertools.takewhile(lambda row: len(row) == len(head), rows)
    return {
        NAMES[name]: dict(zip(head, row, strict=True))
        for row in known
        for name in row[0].split(", ")
    }


def test_every_system_is_here() -> None:
    assert {name for names in SYSTEMS for name in names.split()} == {*parsers} == {*listed()}
    assert all(row["bytes of ports"] != "-" for row in listed().values())


@pytest.mark.parametrize("names", SYSTEMS)
def test_bytes_and_drops_of_every_port(names: str, tmp_path, monkeypatch) -> None:
    with running_lab(tmp_path, monkeypatch, SYSTEMS[names]) as (_, project, connections):
        seen = observe(project, connections, Selection(), FIELDS, silent)
        fabric = project.fabric
        cabled = {name: {port.name for port in one.ports} for name, one in project.devices.items()}
        cabled[HOST] = {nic.interface for nic in nic_names(fabric, HOST)}
    assert {one.error for one in seen} == {""}
    for one in seen:
        assert one.snapshot
        assert one.unknown == ()
        seen_drops = {row.family for row in samples(one.snapshot)} & {*DROPS.values()}
        words = listed()[one.platform]["drops"]
        told = {DROPS[word] for word in words.split(", ") if word != "-"}
        assert seen_drops <= told, one.platform  # the labs of NX-OS and Junos print fewer
        assert bool(seen_drops) == bool(told), one.platform
        rows = [row.labels for row in samples(one.snapshot) if row.family is of.BYTES]
        for way in (of.RECEIVED, of.SENT):
            assert cabled[one.device] <= {port for port, to in rows if to == way}, one.device

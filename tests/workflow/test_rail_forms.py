"""The files of `export rails`: one NIC on its rail, one crossed, and a host that was not read."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.exports import export, exporters
from fabric.observe.snapshot import Snapshot
from fabric.report.observed import Seen
from fabric.topology.cabling import Told, planned_cables
from fabric.topology.rails import rails_by_lldp
from fabric.workflow.project import Project
from fabric.workflow.rails import Rails, rails
from fabric.workflow.recording import Recording
from tests.change import labs
from tests.topology.fabrics import fabric

GOLDEN = Path(__file__).parents[1] / "golden" / "rails"
NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)
PARTS = ("rail-labels", "rail-features", "rail-slices", "rail-mapping")
ADDRESSES = {"pci_addresses": ["0000:18:00.0", "0000:3a:00.0"]}
#: Limits of names and texts: kubernetes/api ``resource/v1/types.go``, DeviceMaxIDLength and
#: DeviceAttributeMaxValueLength; a name is a C identifier, after a domain where it has one.
ATTRIBUTE = re.compile(r"([a-z.]{1,63}/)?[A-Za-z_][A-Za-z0-9_]{0,31}")
MOST_TEXT = 64


def read(nic: dict[str, Any] = ADDRESSES) -> Rails:
    """Return rails of which a1 alone was read; its eth2 is at a port of rail 0 too."""
    host = {"gpus": 2, "interfaces": "eth[1-2]", "rdma_devices": "mlx5_[1-2]", "nic": nic}
    built = fabric(rails=2, units=[{"name": "su1", "hosts": "a[1-2]"}], host=host)
    home = {cable.near: cable.far for cable in planned_cables(built)}
    first, other = home["a1", "eth1"], home["a2", "eth1"]
    reports = {("a1", "eth1"): Told((first,)), ("a1", "eth2"): Told((other,))}
    return Rails(built, rails_by_lldp(built, reports, {"a1": NOON}), NOON)


@pytest.mark.parametrize("part", PARTS)
def test_golden(part: str, *, update_golden: bool) -> None:
    for file in export(read(), exporters["rails"], (part,)).files:
        golden = GOLDEN / file.path
        if update_golden:
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(file.text)
        assert file.text == golden.read_text()


def test_attributes_are_such_as_a_cluster_takes() -> None:
    (file,) = export(read(), exporters["rails"], ("rail-slices",)).files
    devices = [device for one in yaml.safe_load_all(file.text) for device in one["spec"]["devices"]]
    assert [device["name"] for device in devices] == ["rail-0"]
    for name, value in devices[0]["attributes"].items():
        assert ATTRIBUTE.fullmatch(name), name
        assert len(value) == 1
        assert isinstance(value.get("int", 0), int)
        assert len(value.get("string", "")) <= MOST_TEXT


def test_a_withdrawn_nic_is_named_and_taken_out_of_the_mapping() -> None:
    done = export(read(), exporters["rails"], ("rail-mapping",))
    texts = [str(note) for note in done.notes]
    assert "a1: eth2 is withdrawn, wrong rail: LLDP sees it at su1-rail0" in texts[0]
    assert [text.split(",")[1].split(";")[0] for text in texts[1:]] == [" not seen"] * 2
    nics = json.loads(done.files[0].text)["status"]["nics"]
    assert nics[ADDRESSES["pci_addresses"][1]] is None


def test_a_mapping_needs_addresses() -> None:
    with pytest.raises(InputError) as refused:
        export(read({}), exporters["rails"], ("rail-mapping",))
    (finding,) = refused.value.findings
    assert (finding.rule, finding.field) == ("PLC012", "fabric.host.nic.pci_addresses")
    assert "eth1 of a1 has no PCI address" in finding.message


@pytest.mark.parametrize("time", [None, NOON], ids=["no time", "no LLDP"])
def test_readings_that_say_nothing_are_rejected(tmp_path: Path, time: datetime | None) -> None:
    project = Project(labs.write_inventory(tmp_path / "inventory"))
    snapshot = Snapshot(device=labs.LEAF, lldp={} if time is None else None)
    file = tmp_path / "readings.jsonl"
    file.write_text(json.dumps(Seen(labs.LEAF, "sonic", snapshot, time=time).as_dict()) + "\n")
    with pytest.raises(InputError) as refused:
        rails(project, recording=Recording(file, lambda _: None))
    assert [finding.rule for finding in refused.value.findings] == ["PLC037"]


def test_devices_that_are_away_are_named(tmp_path: Path) -> None:
    project = Project(labs.write_inventory(tmp_path / "inventory"))
    file = tmp_path / "readings.jsonl"
    seen = Seen(labs.LEAF, "sonic", None, error="timed out", time=NOON)
    file.write_text(json.dumps(seen.as_dict()) + "\n")
    with pytest.raises(InputError) as refused:
        rails(project, recording=Recording(file, lambda _: None))
    (finding,) = refused.value.findings
    assert finding.message == f"no device could be read; {labs.LEAF}: timed out"

"""explain: the value, its place, the rules, the template and the source of a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.workflow.explain import explain
from fabric.workflow.project import Project
from tests.change.labs import INVENTORY, LEAF, write_inventory

ROOT = Path(__file__).parents[2]
OVERRIDES = """\
devices:
  - names: su1-rail0
    lossless: {ecn: {kmax_bytes: 1400000}}
    ports:
      Ethernet128: {cable_m: 5, lossless: {watchdog: {detection_ms: 800}}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    folder = write_inventory(tmp_path_factory.mktemp("explain") / "inventory", INVENTORY)
    (folder / "devices").mkdir()
    (folder / "devices" / "leaf.yaml").write_text(OVERRIDES)
    return Project(folder)


def values(project: Project, device: str, text: str) -> dict[str, tuple[str, str]]:
    return {v.field: (v.value, v.where) for v in explain(project, device, text)[0].values}


def test_value_of_the_fabric_with_its_place(project):
    result = values(project, LEAF, "green_min_threshold")
    value, where = result["fabric.lossless.ecn.kmin_bytes"]
    assert value == "150000"
    assert where.startswith("fabric, ")
    assert where.endswith("fabric.yaml:10:9")


def test_override_of_a_device_is_named(project):
    (field, (value, where)), *_ = values(project, LEAF, "green_max_threshold").items()
    assert field == "devices.0.lossless.ecn.kmax_bytes"
    assert value == "1400000"
    assert where.startswith(f"device {LEAF}, ")
    assert where.endswith("leaf.yaml:3:22")


def test_override_of_a_port_is_named(project):
    result = values(project, LEAF, "CABLE_LENGTH")
    assert result["devices.0.ports.Ethernet128.cable_m"][0] == "5"
    assert result["fabric.cables.uplink_m"][0] == "40"


def test_policy_of_a_port_counts_on_its_own_line(project):
    own = values(project, LEAF, "PFC_WD|Ethernet128")
    value, where = own["devices.0.ports.Ethernet128.lossless.watchdog.detection_ms"]
    assert value == "800"
    assert where.startswith("port Ethernet128, ")
    other = values(project, LEAF, "PFC_WD|Ethernet0")
    assert other["fabric.lossless.watchdog.detection_ms"] == ("400", "rocefab default")


def test_default_is_called_a_default(project):
    assert values(project, LEAF, "pfc_enable")["fabric.lossless.pfc_priority"] == (
        "3",
        "rocefab default",
    )


def test_rules_of_the_platform_stand_beside_the_value(project):
    sonic = explain(project, LEAF, "green_min_threshold")[0].rules
    eos = explain(project, "spine01", "random-detect ecn minimum")[0].rules
    assert {"QOS001", "QOS002", "QOS003", "SON010"} <= set(sonic)
    assert "EOS005" in eos
    assert not [rule for rule in sonic if rule.startswith("EOS")]
    assert not [rule for rule in eos if rule.startswith("SON")]


def test_line_of_a_host(project):
    answer = explain(project, "gpu1", "--pfc")[0]
    assert answer.subject.startswith("hosts/gpu1/rootfs/etc/rocefab/apply.sh:")
    assert answer.template == "templates/host/nic_mlx5_ofed.j2"
    assert "mlnx_qos" in answer.source


def test_what_one_host_is_like_stands_at_its_override(tmp_path):
    text = INVENTORY.replace("hosts: gpu1", "hosts: 'gpu[1-2]'").replace(
        "host: {", "host: {tuning: {governor: performance}, nic: {pause_storm_ms: 100}, "
    )
    folder = write_inventory(tmp_path / "inventory", text)
    (folder / "hosts").mkdir()
    own = "hosts:\n  - names: gpu1\n    traits: {nic: {pause_storm_ms: 200}}\n"
    (folder / "hosts" / "one.yaml").write_text(own)
    project = Project(folder)
    result = values(project, "gpu1", "pfc-prevention-tout")
    assert result["hosts.0.traits.nic.pause_storm_ms"][0] == "200"
    assert "one.yaml:3" in result["hosts.0.traits.nic.pause_storm_ms"][1]
    result = values(project, "gpu2", "pfc-prevention-tout")
    assert result["fabric.host.nic.pause_storm_ms"][0] == "100"
    assert "fabric.host.tuning.governor" in values(project, "gpu1", "scaling_governor")


@pytest.mark.parametrize("device", [LEAF, "spine01", "gpu1"])
def test_every_kind_of_line_without_a_text(project, device):
    answers = explain(project, device, "")
    assert len(answers) > 10
    assert all(answer.source and answer.template for answer in answers)


@pytest.mark.parametrize(
    ("device", "text", "message"),
    [
        ("nobody", "", "device 'nobody' does not exist"),
        (LEAF, "no such text", "no line of su1-rail0 contains"),
    ],
)
def test_nothing_to_explain(project, device, text, message):
    with pytest.raises(InputError) as caught:
        explain(project, device, text)
    assert message in str(caught.value.findings[0])

"""whatif, diff, probes and the command line speak of tenants, one by one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from fabric.probe.reach.incast import incasts
from fabric.probe.reach.plan import probes
from fabric.report.whatif import whatif
from fabric.topology.tenants import UNASSIGNED
from fabric.workflow.accept import steps
from fabric.workflow.diff import diff
from fabric.workflow.probe import quarantined
from fabric.workflow.project import Project
from fabric.workflow.work import Work
from tests.cli.runs import run
from tests.topology.fabrics import INVENTORY

TENANTS = INVENTORY / "tenants"


def test_probes_stay_inside_a_tenant() -> None:
    project = Project(TENANTS)
    tenants = project.fabric.tenants
    assert tenants
    table = probes(project.fabric)
    assert len(table)
    assert (tenants.of_nic[table.source] == tenants.of_nic[table.target]).all()
    assert not (tenants.of_nic[table.source] == UNASSIGNED).any()
    many = incasts(project.fabric, 1)
    assert (tenants.of_nic[many.target] == tenants.of_nic[many.sources[:, 0]]).all()
    assert quarantined(project) == ["gpu004 eth2: not checked: quarantine"]
    assert steps(project)


def test_probes_of_local_tenants_stay_on_their_leaf(tmp_path: Path) -> None:
    text = (TENANTS / "fabric.yaml").read_text(encoding="utf-8")
    text = text.replace("form: evpn", "form: local").replace("hosts: gpu002,", 'hosts: "gpu002",')
    text = text.replace('hosts: "gpu[001,003]"', 'hosts: "gpu[001-002]"')
    text = text.replace('hosts: "gpu002",', 'hosts: "gpu003",')
    (tmp_path / "fabric.yaml").write_text(text, encoding="utf-8")
    fabric = Project(tmp_path).fabric
    table = probes(fabric)
    assert len(table)
    assert (fabric.nics.leaf[table.source] == fabric.nics.leaf[table.target]).all()


def test_a_failure_names_the_tenants_that_it_touches() -> None:
    project = Project(TENANTS)
    report = whatif(project, ["switch:su2-rail1"], rules=False)
    (red,) = report.tenants
    assert (red.name, red.nics_lost, red.pairs_cut) == ("red", 1, 0)
    assert red.gbps_left < red.gbps
    assert report.as_dict()["tenants"][0]["tenant"] == "red"
    cut = whatif(
        project, ["link:su1-rail0:Ethernet17/1", "link:su1-rail0:Ethernet18/1"], rules=False
    )
    assert {one.name: one.pairs_cut for one in cut.tenants} == {"red": 3, "blue": 2}
    assert (
        "tenants"
        not in whatif(Project(INVENTORY / "demo"), ["switch:spine01"], rules=False).as_dict()
    )


def test_a_change_names_the_tenants_that_it_touches(tmp_path: Path) -> None:
    after = tmp_path / "tenants"
    shutil.copytree(TENANTS, after)
    file = after / "fabric.yaml"
    text = file.read_text(encoding="utf-8").replace("{gpu004: [0]}", "{gpu004: [0, 1]}")
    file.write_text(text, encoding="utf-8")
    (blue,) = diff(str(TENANTS), str(after), Work()).tenants
    assert (blue.name, blue.state, blue.joined, blue.left) == (
        *("blue", "changed"),
        ("gpu004 rail 1",),
        (),
    )
    assert blue.devices == ("gpu004", "su2-rail1")


def test_a_change_from_tenant_to_tenant_says_that_it_takes_two_steps(tmp_path: Path) -> None:
    after = Path(shutil.copytree(TENANTS, tmp_path / "tenants"))
    file = after / "fabric.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("gpu[001,003]", "gpu001"), encoding="utf-8")
    assert "to another" not in run("diff", str(TENANTS), str(after)).out
    text = text.replace("gpu[001,003]", "gpu001").replace("hosts: gpu002", 'hosts: "gpu[002-003]"')
    file.write_text(text, encoding="utf-8")
    said = " ".join(run("diff", str(TENANTS), str(after)).out.split())
    assert "from one tenant to another: gpu003 rail [0-1]; `plan` rejects" in said


def test_what_is_said() -> None:
    ended = run("prove", str(TENANTS))
    assert ended.code == 0, ended.said
    assert "2 tenants: 2 of 2 pairs of them are isolated" in ended.err
    assert "18 of 18 pairs of NICs inside tenants" in ended.err
    ended = run("prove", str(TENANTS), "--format", "json")
    told = json.loads(ended.out)
    assert any("isolated" in note for note in told["notes"])
    counts = told["proof"]["ipv4"]
    assert (counts["pairs"], counts["tenants"]["tenants"], counts["tenants"]["pairs"]) == (0, 2, 2)


def test_a_failure_costs_each_tenant_what_whatif_says() -> None:
    for kind in ("spine", "link", "leaf"):
        ended = run("prove", str(TENANTS), "--scenario", kind)
        assert ended.code == 0, ended.said

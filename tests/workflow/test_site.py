"""Sites as a whole: check and render of all fabrics, and what each says of the others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.exports import About, forms
from fabric.core.findings import Severity
from fabric.design.host import GC_THRESH1_FLOOR
from fabric.topology.site import neighbours_elsewhere, neighbours_of_host
from fabric.workflow.export import Request, export
from fabric.workflow.exporters.ansible import inventory
from fabric.workflow.project import Project
from fabric.workflow.site import check_site, projects_of, render_site
from tests.cli.runs import run

SITE = Path(__file__).parents[2] / "inventory" / "site"


@pytest.fixture(scope="module")
def projects():
    return projects_of(SITE)


@pytest.fixture
def copy(tmp_path):
    return Path(shutil.copytree(SITE, tmp_path / "site"))


def edit(site: Path, name: str, old: str, new: str) -> None:
    file = site / "fabrics" / name / "fabric.yaml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def refusal(action) -> list[str]:
    with pytest.raises(InputError) as caught:
        action()
    return [str(finding) for finding in caught.value.findings]


def test_the_example_is_clean(projects):
    outcome = check_site(projects)
    assert outcome.at_least(Severity.WARNING) == ()
    assert {f"SIT00{number}" for number in range(1, 9)} <= {*outcome.checked}


def test_what_both_fabrics_find_is_said_once(copy):
    edit(copy, "storage", "eth[3-4]", "eth[2-3]")
    results = [one for one in check_site(projects_of(copy)).findings if one.rule == "SIT002"]
    assert len(results) == 1
    own = copy / "fabrics" / "compute"
    assert run("check", own).code == 4
    assert "[SIT002]" in run("check", own).out


def rows(projects, out):
    written = render_site(projects, out)
    return [row for prefix, one in written.items() for row in one.rows(prefix)]


def test_every_fabric_is_rendered_below_its_name(projects, tmp_path):
    written = rows(projects, tmp_path / "out")
    files = [f"{path.parent.name}/{path.name}" for path in tmp_path.glob("out/*/manifest.json")]
    assert sorted(files) == ["compute/manifest.json", "storage/manifest.json"]
    assert all((tmp_path / "out" / row["path"]).is_file() for row in written)
    paths = {row["path"].partition("rootfs")[2] for row in written if "gpu001" in row["path"]}
    assert {"/etc/rocefab/apply.sh", "/etc/rocefab/storage/apply.sh"} <= paths
    again = rows(projects, tmp_path / "out")
    assert again == [row | {"state": "unchanged"} for row in written]


def test_nothing_is_rendered_while_one_fabric_is_wrong(copy, tmp_path):
    edit(copy, "storage", "namespace: storage", 'namespace: ""')
    lines = refusal(lambda: render_site(projects_of(copy), tmp_path / "out"))
    assert len(lines) == 1
    assert "storage/fabric.yaml" in lines[0]
    assert "[SIT006]" in lines[0]
    assert not (tmp_path / "out").exists()


def test_what_makes_fabrics_one_site_is_said(copy, tmp_path):
    """Two fabrics that were put into a folder `fabrics` by chance stop each other."""
    words = "compute and storage are one site, as they stand in fabrics/; an inventory that shares"
    own = copy / "fabrics" / "compute"
    assert words not in run("check", own).err
    edit(copy, "storage", "namespace: storage", 'namespace: ""')
    assert words in run("check", own).err
    assert words in run("check", copy).err
    assert words in run("render", own, "--out", tmp_path / "out").err
    assert words in run("render", copy, "--out", tmp_path / "out").err
    edit(copy, "storage", "namespace:", "name_space:")
    assert words in run("check", own).err


def test_errors_of_a_fabric_that_cannot_be_realised_come_with_those_of_others(copy):
    edit(copy, "compute", "ACS-SN5600", "ACS-SN56OO")
    edit(copy, "storage", "first_table: 200", "first_table: 252")
    lines = refusal(lambda: check_site(projects_of(copy)))
    assert len(lines) == len({*lines}) == 1
    assert "compute/fabric.yaml" in lines[0]


def test_a_cable_to_a_switch_of_the_other_fabric(copy):
    header = "device,port,peer_device,peer_port\n"
    row = "gpu001,eth3,su1-rail0,Ethernet8\n"
    (copy / "fabrics" / "storage" / "cabling.csv").write_text(header + row)
    (line,) = refusal(lambda: check_site(projects_of(copy)))
    assert "cabling.csv:2:" in line
    assert "su1-rail0 is a switch of the fabric compute; define its cables there [TOP005]" in line


def test_thresholds_of_a_host_are_the_same_in_all_its_fabrics(copy):
    edit(copy, "compute", "gpu[001-004]", "gpu[001-004],big[1-3000]")
    intents = {name: one.intent for name, one in projects_of(copy).items()}
    own = {name: neighbours_of_host(intent) for name, intent in intents.items()}
    assert own == {"compute": 2 * 3004, "storage": 2 * 4}
    sums = {
        name: own[name] + neighbours_elsewhere({other: intents[other]})["gpu001"]
        for name, other in (("compute", "storage"), ("storage", "compute"))
    }
    assert set(sums.values()) == {6016}
    assert neighbours_elsewhere({"compute": intents["compute"]})["nas01"] == 0
    designs = [Project(copy / "fabrics" / "storage").hosts[name] for name in ("gpu001", "nas01")]
    assert [host.gc_thresholds[0] for host in designs] == [6016, GC_THRESH1_FLOOR]


def test_exports_of_compute_name_no_nic_of_storage(projects):
    tried = 0
    for form in forms(About.JOB):
        try:
            text, _ = export(projects["compute"], form, Request())
        except InputError:  # several files: only written to a folder
            continue
        tried += 1
        for word in ("eth3", "eth4", "mlx5_3", "mlx5_4", "storage", "nas01"):
            assert word not in text, (form, word)
    assert tried > 3


def test_jobs_may_start_over_a_nic_of_a_front_end_fabric(copy):
    edit(copy, "compute", "management_interface: eth0", "management_interface: eth3")
    edit(copy, "storage", "  gpus: 2", "  gpus: 2\n  nic: {link_layer: ethernet}")
    projects = projects_of(copy)
    assert not [f for f in check_site(projects).findings if f.rule.startswith("SIT")]
    text, _ = export(projects["compute"], "nccl", Request())
    assert "NCCL_SOCKET_IFNAME==eth3" in text.replace(" ", "")
    assert "mlx5_3" not in text


def test_ansible_knows_the_namespace(projects):
    hosts = {
        name: yaml.safe_load(inventory(one))["all"]["children"]["gpu_hosts"]["hosts"]["gpu001"]
        for name, one in projects.items()
    }
    assert hosts["storage"]["rocefab_namespace"] == "storage"
    assert "rocefab_namespace" not in hosts["compute"]
    places = [{row["dest"] for row in host["rocefab_files"]} for host in hosts.values()]
    assert not places[0] & places[1]
    modes = {row["dest"]: row["mode"] for row in hosts["storage"]["rocefab_files"]}
    assert modes["/etc/rocefab/storage/apply.sh"] == "0755"
    assert modes["/etc/netplan/60-rocefab-storage.yaml"] == "0600"


@pytest.mark.parametrize(
    "words",
    [
        ("plan",),
        ("verify",),
        ("drift",),
        ("probe",),
        ("place", "--nodes", "2"),
        ("export", "nccl"),
        ("show", "deadlock"),
        ("ansible",),
    ],
    ids=" ".join,
)
def test_other_commands_want_one_fabric(words):
    ended = run(*words[:1], *([words[1]] if words[0] in ("show", "export") else []), SITE)
    assert ended.code == 2
    assert f"specify one of {SITE}/fabrics/compute, {SITE}/fabrics/storage [INT032]" in ended.err


def test_check_and_render_take_a_site(tmp_path):
    ended = run("check", SITE, "--format", "json")
    assert ended.code == 0
    places = {
        row["file"].split("/")[-2] for row in json.loads(ended.out)["findings"] if row["file"]
    }
    assert places == {"compute", "storage"}
    ended = run("render", SITE, "--out", tmp_path / "out")
    assert ended.code == 0
    assert "in compute, storage" in ended.err


@pytest.mark.parametrize("what", ["topology", "addresses", "links", "hosts"])
def test_tables_of_a_site_name_the_fabric_of_each_row(what):
    rows = json.loads(run("show", what, SITE, "--format", "json").out)
    for name in ("compute", "storage"):
        alone = json.loads(run("show", what, SITE / "fabrics" / name, "--format", "json").out)
        assert [row for row in rows if row["fabric"] == name] == [
            {"fabric": name, **row} for row in alone
        ]
    assert {row["fabric"] for row in rows} == {"compute", "storage"}

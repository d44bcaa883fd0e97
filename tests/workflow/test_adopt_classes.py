"""adopt: several lossless classes come back, on every system and every host."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from fabric.audit.host_class import lossless_of_nics
from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.intent.classes import lossless_classes
from fabric.systems.host.render import render_host
from fabric.workflow.adopt import adopt
from fabric.workflow.adopt_files import HOSTS, with_files, write
from fabric.workflow.adopt_reading import Read, from_devices, from_files
from fabric.workflow.adopt_report import as_object, describe
from fabric.workflow.check import check
from fabric.workflow.project import Project
from fabric.workflow.sides import planned_nics
from tests.audit.test_hosts_lab import save
from tests.cases import examples
from tests.change import labs
from tests.prove.test_damage import PIECES
from tests.systems.test_classes import TWO, inventory
from tests.workflow.host_lab import applied_lab
from tests.workflow.test_adopt import SYSTEMS, adopted, copy_of_mixed, mixed, rendered, saved

if TYPE_CHECKING:
    from fabric.workflow.adopt import Adopted

FIRST = {"name": "class3", "dscps": [26], "pfc_priority": 3, "scheduler_percent": 40}
SECOND = {"name": "class4", "dscps": [34, 35], "pfc_priority": 4, "scheduler_percent": 20}
#: The second class, and systems whose rules forbid it.
PLANTED: dict[str, tuple[dict[str, Any], set[str]]] = {
    "thresholds": ({"ecn": {"kmin_bytes": 1_650_000, "kmax_bytes": 2_700_000}}, set()),
    "chance": ({"ecn": {"pmax_percent": 20}}, set()),
    "one DSCP": ({"dscps": [40]}, set()),
    "priority": ({"name": "class5", "dscps": [40, 41], "pfc_priority": 5}, set()),
    "queue": ({"queue": 5}, set()),
}


def planted(folder: Path, *classes: dict[str, Any]) -> Project:
    scheduler = {"default_percent": 40}
    return Project(inventory(folder, [dict(one) for one in classes], scheduler=scheduler))


def read_of(project: Project, folder: Path, own: Project | None = None) -> Read:
    """Return what switches have as files, and hosts as they are planned."""
    folder.mkdir()
    read = from_files(own or mixed(), saved(folder, rendered(project)))
    for name in project.hosts:
        read.devices[name] = lossless_of_nics(name, planned_nics(project, name))
    return read


def same(outcome: Adopted, project: Project) -> set[str]:
    """Return the switches and hosts that have other files than those of a project."""
    again = with_files(mixed(), outcome.files)
    texts, others = rendered(project), rendered(again)
    different = {name for name, text in texts.items() if others.get(name) != text}
    for name, host in project.hosts.items():
        files = [(one.path, one.text) for one in render_host(host)]
        if [(one.path, one.text) for one in render_host(again.hosts[name])] != files:
            different.add(name)
    return different


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("with_hosts", [False, True])
def test_two_classes_come_back(name: str, with_hosts: bool, tmp_path: Path) -> None:
    change, unable = PLANTED[name]
    project = planted(tmp_path / "two", FIRST, SECOND | change)
    read = read_of(project, tmp_path / "saved")
    if not with_hosts:
        for host in project.hosts:
            del read.devices[host]
    outcome = adopt(mixed(), read)
    assert outcome.remaining == {}
    assert same(outcome, project) == unable


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_system_by_its_own_file(system: str, tmp_path: Path) -> None:
    change = {"dscps": [44, 40], "ecn": PLANTED["thresholds"][0]["ecn"], "scheduler_percent": 25}
    first = FIRST | {"scheduler_percent": 35}
    texts = rendered(planted(tmp_path / "two", first, SECOND | change))
    name = f"{system}-leaf"
    outcome = adopted(tmp_path, {name: texts[name]})
    assert outcome.remaining == {}
    again = with_files(mixed(), outcome.files)
    assert rendered(again)[name] == texts[name]


def test_the_list_of_the_inventory_keeps_its_names(tmp_path: Path) -> None:
    own = planted(tmp_path / "own", *TWO)
    same_as_planned = adopt(own, read_of(own, tmp_path / "same", own))
    assert (same_as_planned.files, same_as_planned.remaining) == ({}, {})
    shares = [one | {"scheduler_percent": 30} for one in TWO]
    changed = planted(tmp_path / "changed", *shares)
    outcome = adopt(own, read_of(changed, tmp_path / "read", own))
    assert outcome.remaining == {}
    again = with_files(own, outcome.files)
    assert rendered(again) == rendered(changed)
    assert [one.name for one in again.resolver.host("gpu1").classes] == ["rdma", "storage"]


def test_a_list_becomes_shorter_or_longer(tmp_path: Path) -> None:
    own = planted(tmp_path / "own", *TWO)
    third = {"name": "class5", "dscps": [40], "pfc_priority": 5, "scheduler_percent": 10}
    alone, less = TWO[0] | {"scheduler_percent": 60}, TWO[0] | {"scheduler_percent": 30}
    for name, classes in (("one", [alone]), ("three", [less, TWO[1], third])):
        runs = planted(tmp_path / name, *classes)
        outcome = adopt(own, read_of(runs, tmp_path / f"read-{name}", own))
        assert outcome.remaining == {}
        assert rendered(with_files(own, outcome.files)) == rendered(runs)


def test_switches_with_one_class_stand_apart(tmp_path: Path) -> None:
    texts = rendered(planted(tmp_path / "two", FIRST, SECOND))
    for name in ("eos-leaf", "vrp8-leaf"):
        texts[name] = rendered(mixed())[name]
    (tmp_path / "saved").mkdir()
    outcome = adopted(tmp_path / "saved", texts)
    assert rendered(with_files(mixed(), outcome.files)) == texts
    apart = next(one for one in outcome.groups if one.names == "eos-leaf,vrp8-leaf")
    assert [one.name for one in apart.own["classes"]] == ["lossless"]
    assert "gpu[1-2,4-5,7-8]" in outcome.files[HOSTS]  # hosts follow their leaf
    shown = describe(outcome, Read())
    assert "lossless (priority 3, DSCP 26, queue 3, 50 %, Kmin 1,500,000" in shown
    groups = {one["names"]: one["differs"] for one in as_object(outcome, Read())["groups"]}
    assert groups["eos-leaf,vrp8-leaf"]["classes"][0]["scheduler_percent"] == 50


def test_the_class_that_hosts_send_with_is_first(tmp_path: Path) -> None:
    read = read_of(planted(tmp_path / "two", FIRST, SECOND), tmp_path / "saved")
    for name in ("gpu1", "gpu2"):
        read.devices[name].ports["eth1"].sends_dscp = 35
    for name in [one for one in read.devices if one[:3] == "gpu"][2:]:
        del read.devices[name]
    outcome = adopt(mixed(), read)
    assert outcome.remaining == {}
    again = with_files(mixed(), outcome.files)
    for policy in (again.resolver.host("gpu1"), again.resolver.switch("eos-leaf", "leaf")):
        first, second = lossless_classes(policy)
        assert (first.dscps, second.dscps) == ((35, 34), (26,))


def test_a_host_that_sends_otherwise_would_change(tmp_path: Path) -> None:
    project = planted(tmp_path / "two", FIRST, SECOND)
    read = read_of(project, tmp_path / "saved")
    read.devices["gpu1"].ports["eth1"].sends_dscp = 50
    read.devices["gpu2"].ports["eth1"].sends_dscp = None  # not told, which is no difference
    remaining = adopt(mixed(), read).remaining
    assert {name: [one[1:3] for one in rest] for name, rest in remaining.items()} == {
        "gpu1": [("50", "26")]
    }


def test_a_priority_that_no_dscp_reaches_is_named(tmp_path: Path) -> None:
    texts = rendered(planted(tmp_path / "two", FIRST, SECOND))
    database = json.loads(texts["sonic-leaf"])
    for marks in database["DSCP_TO_TC_MAP"].values():
        marks |= {"34": "0", "35": "0"}
    (tmp_path / "saved").mkdir()
    outcome = adopted(tmp_path / "saved", {"sonic-leaf": json.dumps(database, indent=1)})
    why = "shares that sum to 80 become percents that sum to 100"
    assert outcome.reasons["sonic-leaf"] == {
        "pfc_priority": "no DSCP leads to the class of priority 4",
        "scheduler.lossless_percent": why,
        "scheduler.default_percent": why,
    }
    rest = {one[:3] for one in outcome.remaining["sonic-leaf"]}
    assert ("pfc_priority", "3, 4", "3") in rest
    # another switch tells the DSCPs: the priority is kept, and the map changes
    more = {"eos-leaf": texts["eos-leaf"], "sonic-leaf": json.dumps(database, indent=1)}
    (tmp_path / "both").mkdir()
    outcome = adopted(tmp_path / "both", more)
    rest = {one[:3] for one in outcome.remaining["sonic-leaf"]}
    assert ("classes.class4.dscps", "none", "34, 35") in rest


def test_the_command_writes_classes_that_pass_check(tmp_path: Path) -> None:
    folder = copy_of_mixed(tmp_path / "inventory")
    project = Project(folder)
    read = read_of(planted(tmp_path / "two", FIRST, SECOND), tmp_path / "saved")
    outcome = adopt(project, read)
    write(folder, outcome.files)
    outcome_of_check = check(Project(folder))
    assert [str(one) for one in outcome_of_check.at_least(Severity.ERROR)] == []
    # the single fields of fabric.yaml stand under the list, those of a later file beside it
    later = "devices: [{names: eos-leaf, lossless: {roce_dscp: 30}}]\n"
    (folder / "devices" / "z.yaml").write_text(later)
    (finding,) = [one for one in check(Project(folder)).findings if one.rule == "QOS071"]
    assert (finding.device, finding.position.file) == (
        "eos-leaf",
        str(folder / "devices" / "z.yaml"),
    )


def test_a_lab_with_two_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts by their outputs and by their sessions; the audit of the same outputs is clean."""
    folder = planted(tmp_path / "two", FIRST, SECOND).intent.folder
    with applied_lab(tmp_path, monkeypatch, Path(folder)) as (lab, project, connections):
        live = from_devices(mixed(), connections, labs.silent)
        for name, design in project.hosts.items():
            save(tmp_path / "saved" / name, lab[name], design)
    hosts = [*project.hosts]
    read = from_files(mixed(), tmp_path / "saved")
    assert sorted(read.devices) == hosts
    for one in (read, Read({name: live.devices[name] for name in hosts})):
        outcome = adopt(mixed(), one)
        assert outcome.remaining == {}
        assert same(outcome, project) <= project.devices.keys()


@pytest.mark.parametrize("system", SYSTEMS)
@examples(5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_no_crash(system: str, tmp_path: Path, data: st.DataObject) -> None:
    name = f"{system}-leaf"
    text = two_classes()[name]
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(len(text), start + 40)))
        text = text[:start] + data.draw(st.sampled_from(PIECES)) + text[stop:]
    try:
        outcome = adopted(tmp_path, {name: text})
    except InputError as error:
        assert error.findings
        return
    assert with_files(mixed(), outcome.files).devices


@cache
def two_classes() -> dict[str, str]:
    with TemporaryDirectory() as folder:
        return rendered(planted(Path(folder) / "two", FIRST, SECOND))

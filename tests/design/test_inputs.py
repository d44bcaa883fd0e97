"""Devices with equal inputs have equal designs and findings, whatever else changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.core.hostlist import expand
from fabric.validate.places import Places
from fabric.workflow.project import Project
from fabric.workflow.stages import Checking
from tests.cases import examples
from tests.intent.test_own_skus import FILES
from tests.intent.test_own_skus import write as write_own
from tests.topology.fabrics import INVENTORY

ROOT = INVENTORY.parent
NAMES = ("demo", "dual-tor", "dual-plane", "explicit", "mixed", "routed", "dual-stack")
POLICY = ({"dynamic_th": 0}, {"ecn": {"kmin_bytes": 100_000}}, {"mtu": {"host_bytes": 1500}})
PORT: tuple[dict[str, Any], ...] = (
    {"enabled": False},
    {"cable_m": 7},
    {"cable_m": 2999},
    {"description": "spare"},
    {"fec": "none"},
    {"speed_gbps": 100},
    *({"lossless": policy} for policy in POLICY),
)
DEVICE: tuple[dict[str, Any], ...] = (
    {"asn": 64_500},
    {"asn": 65_600},
    {"loopback": "10.255.255.9"},
    {"mac": "02:00:00:00:00:01"},
    {"serial": "A1"},
    {"buffer_model": "dynamic"},
    {"headroom_over_subscription": 2},
    {"pause_response_ns": 9_000},
    *({"lossless": policy} for policy in POLICY),
)
NIC: tuple[dict[str, Any], ...] = (
    {"enabled": False},
    {"interface": "ib9"},
    {"rdma_device": "roce9"},
    {"mac": "02:00:00:00:00:02"},
    {"cable_m": 9},
    {"cable_m": 2998},
)
HOST: tuple[dict[str, Any], ...] = (
    {"serial": "B1"},
    {"traits": {"nic": {"driver": "mlx5"}}},
    {"traits": {"nic": {"pause_response_ns": 9_000}}},
    {"traits": {"static_neighbours": True}},
    *({"lossless": policy} for policy in POLICY),
)


@dataclass(frozen=True)
class Seen:
    """Inputs of each device, and what was made of them."""

    inputs: dict[str, bytes]
    results: dict[str, str]


def seen(folder: Path) -> Seen:
    project = Project(folder)
    switches, hosts = project.devices.rows, project.hosts.rows
    places = Places(project.intent, project.fabric, project.resolver)
    checking = Checking(project.devices.of_row, places, renders=False)
    inputs = {name: project.switch_inputs.of(row) for name, row in switches.items()}
    inputs |= {name: project.host_inputs.of(row) for name, row in hosts.items()}
    results = {
        name: repr((project.devices[name], checking(row))) for name, row in switches.items()
    }  # models of switches are equal by identity alone
    return Seen(inputs, results | {name: repr(host) for name, host in project.hosts.items()})


def entries(name: str) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """Return entries of overrides for one device each, with the folder that they are in."""
    project = Project(INVENTORY / name)
    designs = [*project.devices.values()]
    ports = st.sampled_from(designs).flatmap(
        lambda one: st.tuples(st.just(one.name), st.sampled_from([p.name for p in one.ports]))
    )
    rails = st.integers(0, project.fabric.rails - 1)
    switch, host = (
        st.sampled_from([*names]).map(lambda one: {"names": one})
        for names in (project.devices, project.hosts)
    )

    def joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
        return {**one, **other}

    return st.one_of(
        st.builds(
            lambda port, change: ("devices", {"names": port[0], "ports": {port[1]: change}}),
            ports,
            st.sampled_from(PORT),
        ),
        st.builds(joined, switch, st.sampled_from(DEVICE)).map(lambda one: ("devices", one)),
        st.builds(joined, host, st.sampled_from(HOST)).map(lambda one: ("hosts", one)),
        st.builds(
            lambda one, rail, change: ("hosts", {**one, "nics": [{"rail": rail, **change}]}),
            host,
            rails,
            st.sampled_from(NIC),
        ),
    )


def write(folder: Path, overrides: list[tuple[str, dict[str, Any]]], first_line: str = "") -> None:
    for kind in ("devices", "hosts"):
        (folder / kind).mkdir(exist_ok=True)
        file = folder / kind / "zz.yaml"
        lines = [f"  - {json.dumps(entry)}\n" for where, entry in overrides if where == kind]
        file.unlink(missing_ok=True)
        if lines:
            file.write_text(f"{first_line}{kind}:\n{''.join(lines)}")


@pytest.fixture(scope="module", params=NAMES)
def copied(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs") / request.param
    shutil.copytree(INVENTORY / request.param, folder)
    return folder, entries(request.param)


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_equal_inputs_have_equal_results(copied, data) -> None:
    folder, strategy = copied
    base = data.draw(st.lists(strategy, max_size=3))
    more = data.draw(st.lists(strategy, min_size=1, max_size=2))
    at = data.draw(st.integers(0, len(base)))
    both = []
    for overrides in (base, [*base[:at], *more, *base[at:]]):
        write(folder, overrides)
        try:
            both.append(seen(folder))
        except InputError:
            return
    before, after = both
    for name, inputs in before.inputs.items():
        if after.inputs.get(name) == inputs:
            assert after.results[name] == before.results[name]


@pytest.mark.parametrize(
    ("kind", "entry", "touched"),
    [
        ("devices", {"names": "su1-rail0", "ports": {"Ethernet0": {"description": "x"}}}, 1),
        ("devices", {"names": "su1-rail0", "serial": "A1"}, 1),
        ("hosts", {"names": "gpu001", "serial": "B1"}, 1),
        ("hosts", {"names": "gpu001", "nics": [{"rail": 0, "mac": "02:00:00:00:00:02"}]}, 2),
    ],
)
def test_an_override_touches_few_devices(tmp_path, kind, entry, touched) -> None:
    folder = tmp_path / "rail"
    shutil.copytree(INVENTORY / "rail-512", folder)
    before = seen(folder).inputs
    write(folder, [(kind, entry)])
    after = seen(folder).inputs
    assert sum(after[name] != before[name] for name in before) == touched


TENANTS_FILE = """\
tenants:
  - {name: red, id: 17, hosts: "gpu[001,003]"}
  - {name: blue, id: 18, hosts: gpu002, nics: {gpu004: [0]}}
"""


@pytest.mark.parametrize("own_file", [False, True], ids=["fabric.yaml", "a file of tenants"])
@pytest.mark.parametrize(
    ("old", "new", "touched"),
    [
        ("hosts: gpu002", 'hosts: "gpu[002-003]"', "su2-rail[0-1],gpu003"),
        ("gpu004: [0]", "gpu004: [0, 1]", "su2-rail1,gpu004"),
        ("gpu004: [0]", "gpu004: [1]", "su2-rail[0-1],gpu004"),
        ("id: 18", "id: 19", ""),
    ],
    ids=["a host", "a NIC", "two NICs", "the id of a tenant touches all"],
)
def test_a_move_touches_the_host_and_its_leaves(tmp_path, old, new, touched, own_file) -> None:
    folder = tmp_path / "tenants"
    shutil.copytree(INVENTORY / "tenants", folder)
    file = folder / "fabric.yaml"
    text = file.read_text()
    rows = TENANTS_FILE.partition("tenants:\n")[2]
    if own_file:
        assert rows in text
        file.write_text(text.replace(f"tenants:\n{rows}", ""))
        (folder / "tenants").mkdir()
        file = folder / "tenants" / "all.yaml"
        file.write_text(TENANTS_FILE)
    both = []
    for change in ((old, old), ("gpu[001,003]", "gpu001"), (old, new)):
        file.write_text(file.read_text().replace(*change))
        both.append(seen(folder))
    _, before, after = both
    names = set(expand(touched)) if touched else set(before.inputs)
    assert {name for name in before.inputs if after.inputs[name] != before.inputs[name]} == names
    for first, last in pairwise(both):
        for name in first.inputs:
            if last.inputs[name] == first.inputs[name]:
                assert last.results[name] == first.results[name]


def test_a_line_above_an_override_moves_its_findings(tmp_path) -> None:
    folder = tmp_path / "demo"
    shutil.copytree(INVENTORY / "demo", folder)
    name = next(iter(Project(folder).devices))
    write(folder, [("devices", {"names": name, "serial": "A1"})])
    before = seen(folder).inputs
    write(folder, [("devices", {"names": name, "serial": "A1"})], "# a comment\n")
    after = seen(folder).inputs
    assert [one for one in before if after[one] != before[one]] == [name]


def test_a_line_above_an_override_of_a_cable_moves_it_for_both_ends(tmp_path) -> None:
    """A finding about the cable stands at the override, whichever end it is about."""
    folder = tmp_path / "demo"
    shutil.copytree(INVENTORY / "demo", folder)
    leaf, spine = "su1-rail0", "spine01"
    port = next(one for one in Project(folder).devices[spine].ports if one.peer == leaf)
    entry = {"names": spine, "ports": {port.name: {"cable_m": 2999}}}
    write(folder, [("devices", entry)])
    before = seen(folder)
    write(folder, [("devices", entry)], "# a comment\n")
    after = seen(folder)
    touched = {name for name in before.inputs if after.inputs[name] != before.inputs[name]}
    assert touched == {leaf, spine}
    assert before.results[leaf] != after.results[leaf]
    for name in before.inputs.keys() - touched:
        assert after.results[name] == before.results[name]


@pytest.mark.parametrize(
    ("old", "new"), [("arp:", "# a comment\narp:"), ("name: demo", "name: other")]
)
def test_the_main_file_counts_for_every_device(tmp_path, old, new) -> None:
    folder = tmp_path / "demo"
    shutil.copytree(INVENTORY / "demo", folder)
    file = folder / "fabric.yaml"
    before = seen(folder).inputs
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    after = seen(folder).inputs
    assert not [name for name in before if before[name] == after[name]]


@pytest.mark.parametrize(
    ("subnet", "touched"),
    [
        ({"slot": 0, "ipv6": "fd00:64::e000/127"}, {"su1-rail0", "gpu001"}),
        ({"slot": 0, "ipv6_gateway": "fd00:64::21"}, {"su1-rail0", "gpu001"}),
        ({"slot": 1, "ipv6": "fd00:64::e000/127"}, {"su1-rail0", "gpu002"}),
    ],
)
def test_an_ipv6_subnet_touches_both_ends(tmp_path, subnet, touched) -> None:
    folder = tmp_path / "dual-stack"
    shutil.copytree(INVENTORY / "dual-stack", folder)
    before = seen(folder)
    write(folder, [("devices", {"names": "su1-rail0", "subnets": [subnet]})])
    after = seen(folder)
    changed = {name for name in before.inputs if after.inputs[name] != before.inputs[name]}
    assert changed == touched
    assert all(after.results[name] != before.results[name] for name in touched)
    for name in before.inputs.keys() - touched:
        assert after.results[name] == before.results[name]


def compared(folder: Path, file: str, old: str, new: str) -> set[str]:
    """Return the devices that a change of a file touches; the others stay what they were."""
    before = seen(folder)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    after = seen(folder)
    touched = {name for name in before.inputs if after.inputs[name] != before.inputs[name]}
    for name in before.inputs.keys() - touched:
        assert after.results[name] == before.results[name]
    return touched


@pytest.mark.parametrize(
    ("old", "new", "touched"),
    [
        ("x3001,eth1,b06-sw1,Ethernet0,", "x3001,eth1,b06-sw1,Ethernet0,7", {"x3001", "b06-sw1"}),
        ("Ethernet232,300", "Ethernet232,200", {"core-w", "b07-sw2"}),
    ],
)
def test_a_cable_touches_its_ends(tmp_path, old, new, touched) -> None:
    folder = tmp_path / "explicit"
    shutil.copytree(INVENTORY / "explicit", folder)
    assert compared(folder, "cabling.csv", old, new) == touched


def test_a_model_of_the_inventory_counts_for_every_device(tmp_path) -> None:
    folder = write_own(tmp_path / "own", FILES)
    every = {*seen(folder).inputs}
    assert compared(folder, "platforms/mine/pg_profile_lookup.ini", "393192", "393448") == every


def test_hosts_follow_the_other_fabrics_of_a_site(tmp_path) -> None:
    site = tmp_path / "site"
    shutil.copytree(INVENTORY / "site", site)
    folder, other = site / "fabrics" / "storage", site / "fabrics" / "compute" / "fabric.yaml"
    before = seen(folder)
    unit = Project(site / "fabrics" / "compute").intent.fabric.units[-1].hosts
    other.write_text(other.read_text().replace(unit, f"{unit},more[1-40]", 1))
    after = seen(folder)
    touched = {name for name in before.inputs if after.inputs[name] != before.inputs[name]}
    assert touched
    assert touched <= {*Project(folder).hosts}
    for name in before.inputs.keys() - touched:
        assert after.results[name] == before.results[name]


INPUTS = """
import hashlib
from fabric.workflow.project import Project
project = Project("inventory/rail-512")
for rows, inputs in (
    (project.devices.rows, project.switch_inputs), (project.hosts.rows, project.host_inputs)
):
    print(*(hashlib.sha256(inputs.of(row)).hexdigest() for row in rows.values()))
"""


def test_inputs_are_the_same_in_every_process() -> None:
    reported = [
        subprocess.run(
            [sys.executable, "-c", INPUTS],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert reported[0] == reported[1]
    assert len(set(reported[0].split())) == 24 + 64

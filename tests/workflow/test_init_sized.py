"""`rocefab init --design`: it passes the check, it grows without a moved cable, it asks."""

from __future__ import annotations

import operator
import os
import pty
import re
import select
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.platforms.catalogue import Skus
from fabric.topology.cabling import planned_cables
from fabric.workflow.check import check
from fabric.workflow.init import init
from fabric.workflow.init_sized import refuse_models, sized_inventory
from fabric.workflow.init_wish import NICS, Wish
from fabric.workflow.project import Project
from tests.cli.runs import ROOT, clean_environment, run
from tests.waiting import LONGEST_S

WISH = Wish("rail-optimised", 32, 8, "ACS-SN5600", "", "2x400G", 4, 96)
SAID = """\
256 hosts x 8 NICs: 4 units of up to 64 hosts, 32 leaves, 4 spines.
cables from each leaf to each spine: 2; uplinks: 256; oversubscription 8:1 where a unit is full.
room for 512 hosts: 64 leaves and the same spines; no cable moves.
ports left over: 56 on each leaf; 64 on each spine, 0 with 512 hosts; addresses left over in \
each NIC subnet: 61.
NICs: 400G; uplinks: 400G.
ACS-SN5600 is SONiC.
"""
WISHES = {
    "split": WISH,
    "spines are free": replace(WISH, spines=0),
    "whole ports": Wish(hosts=20, rails=4, room_for=70),
    "racks": Wish("classic-tor", 12, 4, "ACS-MSN4700", "", "", 2, 40),
    "another spine": Wish(hosts=10, rails=2, leaf="7060X6-64PE", spine="ACS-SN5600"),
    "one host": Wish(hosts=1, rails=1),
    "slow NICs": Wish(hosts=48, leaf="7060X6-64PE", nic_gbps=100, nic="bnxt"),
    "fast NICs": Wish(hosts=48, leaf="7060X6-64PE", nic_gbps=800, nic="ionic"),
    "uplinks of another kind": Wish(hosts=40, leaf="7050SX3-48YC8", spine="7060X6-64PE"),
    "pods": Wish(hosts=260, room_for=400),
    "pods of racks": Wish("classic-tor", 150, 4, "ACS-MSN4700", room_for=190),
    # NX-OS takes lossless cables of 100 m
    "pods of short cables": Wish(hosts=40, rails=4, leaf="N9K-C9332D-GX2B", spines=2, room_for=200),
    "dual-ToR": Wish(hosts=20, rails=4, room_for=70, nic_ports=2),
    "dual-ToR racks": Wish("classic-tor", 12, 4, "ACS-MSN4700", room_for=40, nic_ports=2),
    "dual-plane": Wish(hosts=20, rails=4, room_for=70, planes=2),
    "dual-plane with ports of hosts": Wish(
        hosts=20, rails=4, leaf="N9K-C9364D-GX2A", spine="7060DX5-64S", planes=2
    ),
    "pods of planes": Wish(hosts=260, room_for=400, split="2x400G", nic_gbps=400, planes=2),
    "pods of dual-ToR racks": Wish(
        "classic-tor", 150, 4, "ACS-MSN4700", room_for=190, nic_gbps=400, nic_ports=2
    ),
    "tenants": Wish(hosts=20, rails=3, room_for=70, tenants=3),
    "tenants of racks": Wish("classic-tor", 21, 3, "7060X6-64PE", nic_ports=2, tenants=4),
    "routed NICs": Wish(hosts=48, leaf="N9K-C9332D-GX2B", vlan_per="none"),
    "routed NICs of planes": Wish(hosts=24, rails=3, leaf="SN4700", planes=2, vlan_per="none"),
    "tenants over planes": Wish(hosts=48, rails=5, leaf="SN4700", planes=2, tenants=2),
    "tenants with tunnel ends": Wish(hosts=20, rails=4, leaf="N9K-C9364D-GX2A", tenants=3),
    "tenants in pods": Wish(hosts=260, room_for=400, leaf="7060X6-64PE", tenants=9),
    "pods with few spines": Wish(hosts=40, rails=4, leaf="ACS-MSN4700", spines=2, room_for=300),
}


def test_a_small_fabric_has_no_single_spine_and_values_that_the_system_confirms(
    tmp_path: Path,
) -> None:
    wish = Wish(hosts=32, rails=4, leaf="QFX5240-64OD")
    assert "2 spines" in sized_inventory(wish, "small").lines[0]
    warnings = {one.rule for one in check(project(wish, tmp_path)).at_least(Severity.WARNING)}
    assert warnings == set()


def project(wish: Wish, folder: Path) -> Project:
    sized = sized_inventory(wish, "mine")
    return Project(init(folder, sized.text, sized.overrides).parent)


@pytest.mark.parametrize("name", WISHES)
def test_it_passes_the_check(name: str, tmp_path: Path) -> None:
    mine = project(WISHES[name], tmp_path / "mine")
    outcome = check(mine)
    missing = {"HST023"} if WISHES[name].nic == "ionic" else set()
    assert {one.rule for one in outcome.at_least(Severity.ERROR)} == missing
    assert outcome.broken == ()
    assert len(mine.fabric.hosts.names) == WISHES[name].hosts


@pytest.mark.parametrize("name", WISHES)
@pytest.mark.parametrize("hosts", [0, 1, 33])
def test_growth_moves_no_cable(name: str, hosts: int, tmp_path: Path) -> None:
    wish = WISHES[name]
    room = wish.room_for or wish.hosts
    more = min(room, wish.hosts + hosts) if hosts else room
    before = project(wish, tmp_path / "before").fabric
    after = project(replace(wish, hosts=more), tmp_path / "after").fabric
    assert {*planned_cables(before)} <= {*planned_cables(after)}
    assert len(planned_cables(after)) >= len(planned_cables(before))
    assert {*before.hosts.names} <= {*after.hosts.names}


def test_a_unit_more_has_its_addresses_where_the_spines_have_its_ports(tmp_path: Path) -> None:
    sized = sized_inventory(Wish(hosts=96, leaf="N9K-C9364D-GX2A"), "mine")
    before, after = "spines: {", '  - {name: su4, hosts: "gpu[97-128]"}\nspines: {'
    file = init(tmp_path / "mine", sized.text.replace(before, after), sized.overrides)
    assert check(Project(file.parent)).at_least(Severity.ERROR) == ()


def test_from_256_to_512_hosts_moves_no_cable_and_no_address(tmp_path: Path) -> None:
    wish = replace(WISH, hosts=256, room_for=512)
    before = project(wish, tmp_path / "before").fabric
    after = project(replace(wish, hosts=512), tmp_path / "after").fabric
    assert {*planned_cables(before)} < {*planned_cables(after)}
    old, new = before.nics, after.nics
    assert (new.address[: len(old.address)] == old.address).all()


def test_what_it_says() -> None:
    lines = sized_inventory(replace(WISH, hosts=256, room_for=512), "mine").lines
    assert lines == tuple(SAID.splitlines())


@pytest.mark.parametrize(
    ("wish", "said", "line"),
    [
        (Wish(hosts=8, rails=2), ["rails: 2", "eth[1-2]"], "8 hosts x 2 NICs: "),
        (
            Wish(hosts=8, rails=2, nic_ports=2),
            ["rails: 2", "nic_ports: 2", "eth[1-4]", "mlx5_[1-4]", "gpus: 2", "host_gbps: 200"],
            "8 hosts x 2 NICs of 2 ports: 1 unit of up to 8 hosts, 4 leaves, 2 spines.",
        ),
        (
            Wish(hosts=8, rails=2, planes=2),
            ["nic_ports: 2", "planes: 2", "eth[1-4]"],
            "1 unit of up to 8 hosts; in each of 2 planes 2 leaves, 2 spines.",
        ),
        (
            Wish(hosts=8, rails=2, tenants=3),
            ["vlan_per: none", "form: local", 'tenant3, id: 3, hosts: "gpu[6-8]"'],
            "3 tenants, form local: no traffic of a tenant between leaves, because ACS-SN5600",
        ),
        (
            Wish(hosts=8, rails=2, leaf="N9K-C9364D-GX2A", tenants=8),
            ["form: evpn, vteps: 10.254.0.0/", 'tenant8, id: 8, hosts: "gpu8"'],
            "8 tenants, form evpn.",
        ),
    ],
    ids=["usual", "dual-ToR", "dual-plane", "local tenants", "tenants with tunnel ends"],
)
def test_ports_planes_and_tenants_are_written_and_said(
    wish: Wish, said: list[str], line: str
) -> None:
    sized = sized_inventory(wish, "mine")
    assert [word for word in said if word not in sized.text] == []
    assert [one for one in sized.lines if line in one]


def test_planes_share_no_switch_and_have_all_hosts(tmp_path: Path) -> None:
    fabric = project(WISHES["dual-plane"], tmp_path / "mine").fabric
    planes = fabric.switches.plane[fabric.nics.leaf]
    assert (planes == fabric.nics.nic_port).all()
    assert set(fabric.switches.plane.tolist()) == {0, 1}


@pytest.mark.parametrize("name", ["pods", "pods of racks", "pods with few spines"])
def test_pods_have_the_switches_and_ports_that_it_says(name: str, tmp_path: Path) -> None:
    wish = WISHES[name]
    wish = replace(wish, hosts=wish.room_for)
    mine = project(wish, tmp_path / "mine")
    switches = mine.fabric.switches
    leaves, spines, cores = (len(switches.of_tier(tier)) for tier in range(3))
    first, cables, _, ports, *_ = sized_inventory(wish, "mine").lines
    assert f"{leaves} leaves, {spines} spines, {cores} super-spines." in first
    assert f"{len({*switches.pod[switches.of_tier(0)].tolist()})} pods" in first
    assert f"uplinks: {len(mine.fabric.uplinks):,};" in cables
    core = mine.devices[switches.names[switches.of_tier(2)[0]]]
    spare = sum(port.kind == "unused" for port in core.ports)
    assert f"; {spare} on each super-spine;" in ports


def test_split_cages_halve_the_switches() -> None:
    """The examples of the same 512 GPUs."""
    whole, split = (Project(ROOT / "inventory" / f"rail-512{end}") for end in ("", "-split"))
    assert len(whole.fabric.hosts.names) == len(split.fabric.hosts.names) == 64
    assert (len(whole.fabric.switches.names), len(split.fabric.switches.names)) == (24, 12)
    assert {one.rule for one in check(split).at_least(Severity.WARNING)} == set()


@pytest.mark.parametrize(("split", "line"), [("4x200G", ", max_paths: 128}"), ("2x400G", "1}")])
def test_more_equal_paths_than_the_default_are_written(split: str, line: str) -> None:
    wish = Wish(design="rail-optimised", hosts=256, leaf="SN5600", split=split)
    text = sized_inventory(wish, "mine").text
    (bgp,) = (row for row in text.splitlines() if row.startswith("bgp: "))
    assert bgp.endswith(line)


def test_it_says_what_a_split_would_give() -> None:
    split = replace(WISH, hosts=128, room_for=0)
    whole = replace(split, split="", nic_gbps=400)
    assert "With --split 2x400G: " + sized_inventory(split, "x").lines[0] in [
        *sized_inventory(whole, "x").lines
    ]
    # Its leaf has no ports of 2x400G.
    spines = replace(whole, leaf="N9K-C9364D-GX2A", spine="SN5600", spines=0)
    assert "With --spine-split 2x400G: " + sized_inventory(
        replace(spines, spine_split="2x400G"), "x"
    ).lines[0] in [*sized_inventory(spines, "x").lines]
    same = replace(whole, hosts=32)  # a unit of 32 hosts, split or not
    for other in (WISH, replace(whole, nic_gbps=800), replace(whole, leaf="ACS-MSN2700"), same):
        speed = 100 if "2700" in other.leaf else other.nic_gbps
        lines = sized_inventory(replace(other, nic_gbps=speed), "x").lines
        assert not any(line.startswith("With --split") for line in lines)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"leaf": "ACS-SN9999"}, "^--leaf: unknown switch model 'ACS-SN9999'"),
        ({"spine": "ACS-SN9999"}, "^--spine: unknown switch model 'ACS-SN9999'"),
        ({"split": "3x400G"}, "choose one of: .*2x400G"),
        ({"split": "half"}, "write parts and speed as 2x400G"),
        ({"nic_gbps": 200, "leaf": "7050SX3-48YC8", "split": ""}, "choose one of: 10, 25"),
        (
            {"leaf": "7050SX3-48YC8", "spine": "Z9864F-ON", "split": ""},
            "all ports of Z9864F-ON share no speed: 40, 100",
        ),
        ({"hosts": 200}, "96 is less than --hosts 200"),
        ({"tenants": 33}, "^--tenants: 33 is more than --hosts 32"),
        ({"room_for": 60_000, "leaf": "ACS-MSN4700", "split": ""}, "^--room-for: .* 60,000 hosts"),
        (
            {"hosts": 16_384, "room_for": 0, "split": "", "nic_gbps": 400},
            "^--hosts: three tiers of ACS-SN5600 have .*; use --split 2x400G, or choose",
        ),
        ({"spine_split": "3x1G"}, "^--spine-split: .*choose one of: 1x800G, 2x400G"),
        (
            {"spine": "N9K-C9332D-GX2B", "split": "2x400G", "nic_gbps": 400},
            "^--split: N9K-C9332D-GX2B: .* has 400G; the leaf takes it: add --spine-split 1x400G,",
        ),
        (
            {"leaf": "N9K-C9332D-GX2B", "split": "2x400G", "nic_gbps": 400},
            "^--split: N9K-C9332D-GX2B: .* has 400G; use 2x200G, or whole ports",
        ),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        sized_inventory(replace(WISH, **changes), "mine")
    assert re.search(message, str(caught.value.findings[0]))


@pytest.mark.parametrize(
    ("leaf", "spine", "lines"),
    [
        (
            "CE8851-32CQ8DQ-P",
            "",
            ["(400G); not all ports of the other tier have", "at 200G"],
        ),
        ("CE8851-32CQ8DQ-P", "7050DX4-32S", ["at 200G after `port mode 200GE`"]),
        ("CE8855-32CQ4BQ", "", ["CE8855-32CQ4BQ: the last 4 ports run at 200G"]),
        ("7050SX3-48YC8", "", ["the last 8 ports of each 7050SX3-48YC8 (40, 100G)"]),
        ("7050SX3-48YC8", "7050DX4-32S", []),
    ],
)
def test_it_says_which_faster_ports_it_leaves(leaf: str, spine: str, lines: list[str]) -> None:
    """Ports of another speed than all that the other tier has, and speeds that no line sets."""
    said = sized_inventory(Wish(leaf=leaf, spine=spine, hosts=8, rails=4), "mine").lines
    notes = [line for line in said if line.startswith("Not used") or "not rendered" in line]
    assert len(notes) == len(lines)
    assert all(map(operator.contains, notes, lines)), notes


@pytest.mark.parametrize(
    ("leaf", "spine", "line"),
    {
        "both": (
            "CE8851-32CQ8DQ-P",
            "",
            "lossless: # these switches need these values; all others have defaults\n  # ",
        ),
        "the spines": ("CE8855-32CQ4BQ", "CE8851-32CQ8DQ-P", "# "),
        "neither": ("CE8855-32CQ4BQ", "", ""),
    }.values(),
    ids=("both", "the spines", "neither"),
)
def test_thresholds_below_a_fixed_pause_level_say_why(leaf: str, spine: str, line: str) -> None:
    sized = sized_inventory(Wish(leaf=leaf, spine=spine, hosts=8, rails=4), "mine")
    text = sized.text
    reason = "CE8851-32CQ8DQ-P pauses a sender at 128,000 bytes; these mark before."
    assert (reason in text, f"\n{line}{reason}\n" in text) == (bool(line), bool(line))
    for word in ("kmin_bytes: 63999", "kmax_bytes: 127999"):
        assert (word in text) is bool(line)


@pytest.mark.parametrize(("leaf", "hints"), [("SN5600", 1), ("ACS-SN5600", 0)])
def test_a_release_that_lines_depend_on_is_named(leaf: str, hints: int) -> None:
    text = sized_inventory(Wish(leaf=leaf, hosts=8, rails=4), "mine").text
    assert text.count("# Lines are those of NVIDIA Cumulus Linux 5.14.") == hints


def test_names_of_parts_that_nobody_knows_are_asked_for_by_option(tmp_path: Path) -> None:
    """Not at a line of the scratch folder that tried the models, which is gone."""
    (tmp_path / "platforms").mkdir()
    (tmp_path / "platforms" / "x.yaml").write_text(
        "skus: [{name: X, nos: comware7, asic: tomahawk-4, breakouts: [2x200G], ports: {count: 64, "
        "lanes: 8, name: 'FourHundredGigE1/0/{number}', alias: '{number}', speeds_gbps: [400]}}]\n"
    )
    words = ("--design", "rail-optimised", "--hosts", "8", "--leaf", "X", "--split", "2x200G")
    done = run("init", tmp_path, *words)
    assert (done.code, "small" in done.err) == (2, False)
    assert done.err.startswith("--split: the breakout port names of X are not known; use whole")
    assert "set ports.part_name in platforms/*.yaml [TOP007]\nrocefab: nothing" in done.err


def test_nics_of_half_the_speed_need_half_the_uplinks() -> None:
    said = {
        speed: sized_inventory(Wish(hosts=32, leaf="7060X6-64PE", nic_gbps=speed), "mine").lines
        for speed in (400, 800)
    }
    assert "uplinks: 128; oversubscription 1:1" in said[400][1]
    assert "uplinks: 256; oversubscription 1:1" in said[800][1]
    assert said[400][4].startswith("NICs: 400G; uplinks: 800G; host ports can run at 800G and")
    todo = sized_inventory(Wish(nic="ionic"), "mine").lines[-1]
    assert todo.startswith("To do: the UUID of each NIC port")
    selects = "7060X6-64PE selects Arista EOS (with SONiC: Arista-7060X6-64PE-O128)."
    assert said[800][4:] == ("NICs: 800G; uplinks: 800G.", selects)


@pytest.mark.parametrize(("leaf", "times"), [("SN5600", (200, 200)), ("ACS-SN5600", (400, 200))])
def test_watchdog_times_of_systems_that_take_one_from_the_other(
    leaf: str, times: tuple[int, int], tmp_path: Path
) -> None:
    """Only where all switches do: on others the time counts."""
    mine = project(Wish(leaf=leaf, spine="SN5600"), tmp_path / "mine")
    watchdog = mine.intent.fabric.lossless.watchdog
    assert (watchdog.restoration_ms, watchdog.poll_ms) == times
    assert (times[0] == times[1]) is not any(f.rule == "CUM010" for f in check(mine).findings)


@pytest.mark.parametrize("nic", NICS)
def test_nics_of_a_driver(nic: str, tmp_path: Path) -> None:
    mine = project(Wish(hosts=2, rails=2, nic=nic), tmp_path / "mine")
    traits = mine.intent.fabric.host.nic
    assert (traits.vendor, traits.driver) == (NICS[nic][0], nic)
    devices = [nic.rdma_device for nic in mine.hosts["gpu1"].nics]
    assert [re.sub(r"\d$", "{}", device) for device in devices] == [NICS[nic][1]] * 2


@pytest.mark.parametrize("name", list(Skus()))
def test_each_model_passes_the_check_or_is_refused(name: str, tmp_path: Path) -> None:
    """Refused are models without buffers for these cables, and those whose ports differ."""
    wish = Wish(hosts=16, leaf=name)
    try:
        refuse_models(wish)
    except InputError as error:
        assert {one.rule for one in error.findings} <= {"INT020", "REN001", "QOS020"}
        assert Skus()[name].lacks or {one.rule for one in error.findings} != {"REN001"}
        return
    assert check(project(wish, tmp_path / "mine")).at_least(Severity.ERROR) == ()


#: A model of each system that all others can be connected to, at 100G.
OF_SYSTEMS = (
    *("ACS-MSN4700", "SN4700", "7060X6-64PE", "N9K-C9364D-GX2A"),
    *("QFX5240-64OD", "CE8855-32CQ4BQ", "S9820-64H", "Z9332F-ON"),
)


def test_there_is_a_model_of_each_system() -> None:
    assert {Skus()[name].nos for name in OF_SYSTEMS} == {*platforms} - {"host"}


@pytest.mark.parametrize("leaf", OF_SYSTEMS)
@pytest.mark.parametrize("design", ["rail-optimised", "classic-tor"])
def test_each_pair_of_systems_has_what_both_need(leaf: str, design: str, tmp_path: Path) -> None:
    """Warnings are those that the system gives with every other one, too."""
    wrong: dict[str, set[str]] = {}
    own = {"QOS021", "CMW003", "CMW004", "VRP005", "JUN013"}
    for spine in OF_SYSTEMS:
        wish = Wish(design, 20, 4, leaf, spine, nic_gbps=100)
        refuse_models(wish)
        found = check(project(wish, tmp_path / spine)).at_least(Severity.WARNING)
        wrong[spine] = {one.rule for one in found} - own
    assert wrong == {spine: set() for spine in OF_SYSTEMS}


def test_what_the_leaves_alone_need_is_said_of_them_alone(tmp_path: Path) -> None:
    """EOS keeps queue 7 for itself, and its ports end at 9214; NX-OS needs 7, and 9216 to hosts."""
    models = {"leaf": "N9K-C9364D-GX2A", "spine": "7060DX5-64S"}
    mine = project(Wish(hosts=41, **models), tmp_path / "mine")
    policy = mine.intent.fabric.platforms.leaf.lossless
    assert policy is not None
    assert (policy.cnp_queue, policy.cnp_traffic_class) == (7, 7)
    assert mine.intent.fabric.lossless.cnp_queue == 6
    ports = {one.value.names: len(one.value.ports) for one in mine.intent.devices}
    assert ports == {"su1-rail[0-7]": 21, "su2-rail[0-7]": 20}
    leaf = mine.devices["su2-rail0"]
    assert {port.qos.mtu_bytes for port in leaf.ports if port.kind == "host" and port.qos} == {9216}
    assert {port.qos.mtu_bytes for port in leaf.ports if port.kind == "uplink" and port.qos} == {
        9100
    }
    alike = sized_inventory(Wish(leaf=models["leaf"]), "mine")
    assert "port_bytes: 9216" in alike.text
    assert not alike.overrides


@pytest.mark.parametrize("name", ["n", "123", "1e3", "yes", "true"])
def test_a_folder_with_a_name_that_is_a_word_of_yaml(tmp_path: Path, name: str) -> None:
    file = init(tmp_path / name, sized_inventory(Wish(hosts=2, rails=2), name).text)
    assert Project(file.parent).intent.fabric.name == name


OWN = """\
skus:
  - name: S9827-64E
    nos: comware7
    asic: tomahawk-4
    ports: {count: 64, lanes: 4, name: "FourHundredGigE1/0/{number}", alias: "{number}", \
speeds_gbps: [400]}
"""


def test_an_own_model_that_the_new_folder_has(tmp_path: Path) -> None:
    """The file of the model is written first, by hand or by `models add`."""
    mine = tmp_path / "mine"
    (mine / "platforms").mkdir(parents=True)
    (mine / "platforms" / "own.yaml").write_text(OWN)
    sized = ("--design", "rail-optimised", "--hosts", "8", "--leaf")
    ended = run("init", str(mine), *sized, "S9827-64E", "--split", "")
    assert ended.code == 0, ended.err
    assert "S9827-64E is H3C Comware 7." in ended.out
    outcome = check(Project(mine))
    assert outcome.at_least(Severity.ERROR) == ()
    assert (mine / "platforms" / "own.yaml").read_text() == OWN


def test_an_own_model_that_is_wrong_or_missing_is_an_error_with_its_place(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "platforms").mkdir(parents=True)
    file = mine / "platforms" / "own.yaml"
    file.write_text(OWN.replace("tomahawk-4", "tomahawk-44"))
    sized = ("--design", "rail-optimised", "--leaf")
    ended = run("init", str(mine), *sized, "S9827-64E")
    assert ended.code == 2
    assert f"{file}:4:11: skus[0].asic: " in ended.err
    ended = run("init", str(tmp_path / "other"), *sized, "S9827-64E")
    assert "write platforms/MODEL.yaml in the new folder first" in ended.err


def test_it_asks_on_a_terminal(tmp_path: Path) -> None:
    """A wrong answer is asked again; an empty one takes the default."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "fabric", "init", "mine", "--ask", "--split", "2x400G"],
        cwd=tmp_path,
        env={**clean_environment(), "PYTHONPATH": str(ROOT)},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    answers = ["ring", "rail-optimised", "many", "256", "512", "", "", "", "", "", "4", *4 * [""]]
    said = ""
    end_s = time.monotonic() + LONGEST_S
    while time.monotonic() < end_s and "check mine" not in said:
        if not select.select([leader], [], [], 0.1)[0]:
            continue
        try:
            said += os.read(leader, 4096).decode()
        except OSError:  # the end of a terminal
            break
        if said.endswith(": ") and answers:
            os.write(leader, f"{answers.pop(0)}\n".encode())
            said += "\n"
    os.close(leader)
    assert process.wait(LONGEST_S) == 0, said
    assert "choose one of: rail-optimised, classic-tor" in said
    assert "enter a number from 1 to 65,536" in said
    assert "4 units of up to 64 hosts, 32 leaves, 4 spines" in said
    text = sized_inventory(replace(WISH, hosts=256, room_for=512), "mine").text
    assert (tmp_path / "mine" / "fabric.yaml").read_text() == text


@pytest.mark.parametrize(
    ("options", "error", "last"),
    [
        ("--leaf QFX5230-64CD", "", "`: 2 warnings now"),
        ("--hosts 256 --split 4x200G", "uses 64 of 128 equal paths", "`: 1 error now"),
        ("", "", "mine`"),
    ],
)
def test_the_last_lines_have_what_check_says(
    options: str, error: str, last: str, tmp_path: Path
) -> None:
    words = ("--design", "rail-optimised", *options.split()) if options else ()
    ended = run("init", str(tmp_path / "mine"), *words)
    assert ended.code == 0
    assert ended.err.splitlines()[-1].endswith(last)
    assert error in ended.err
    assert ended.err.count("error: ") == bool(error)

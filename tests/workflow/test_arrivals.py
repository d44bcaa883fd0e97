"""NICs that a plan brings into service: which are pinged, from where, and after which wave."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from fabric.change.model import Plan
from fabric.observe.snapshot import Running
from fabric.workflow.leaf_pings import describe_pings, leaf_pings
from fabric.workflow.project import Project
from fabric.workflow.sides import planned_nics
from fabric.workflow.tenant_moves import tenant_moves
from tests.cases import each

EXAMPLE = Path(__file__).parents[2] / "inventory" / "tenants" / "fabric.yaml"
TENANTS = EXAMPLE.read_text(encoding="utf-8")
HEAD, _, REST = TENANTS.partition("tenancy:")
NO_TENANTS = HEAD + REST[REST.index("lossless:") :]
NEW_UNIT = {'004]"}': '004]"}\n  - {name: su3, hosts: "gpu[005-006]"}'}
TO_BLUE = {"hosts: gpu002": 'hosts: "gpu[002,005-006]"'}
#: Before, what is edited, devices that change; pings that must be answered by the wave of a host,
#: as host and rail of both ends; those through leaves.
CASES: dict[str, tuple[tuple[str, dict[str, str], tuple[str, ...]], dict[str, list[str]]]] = {
    "a unit of a tenant": (
        (TENANTS, NEW_UNIT | TO_BLUE, ("spine01", "su3-rail0", "su3-rail1", "gpu005", "gpu006")),
        {
            "gpu005": ["gpu002.0 gpu005.0", "gpu002.1 gpu005.1"],
            "gpu006": ["gpu002.0 gpu006.0", "gpu002.1 gpu006.1"],
        },
    ),
    "a unit whose spines change last": (
        (TENANTS, NEW_UNIT | TO_BLUE, ("su3-rail0", "gpu005", "spine01")),
        {"spine01": ["gpu002.0 gpu005.0", "gpu002.1 gpu005.1", "gpu002.0 gpu006.0"]},
    ),
    "hosts after their leaves": (
        (TENANTS, NEW_UNIT | TO_BLUE, ("gpu005",)),
        {"gpu005": ["gpu002.0 gpu005.0", "gpu002.1 gpu005.1"]},
    ),
    "a host in quarantine": (
        (TENANTS, {"{gpu004: [0]}": "{gpu004: [0, 1]}"}, ("su2-rail1",)),
        {"su2-rail1": ["gpu002.1 gpu004.1"], "through leaves": ["gpu003.1 gpu001.1"]},
    ),
    "a host beside one that stays": (
        (TENANTS, {'"gpu[001,003]"': '"gpu[001,003]", nics: {gpu004: [1]}'}, ("su2-rail1",)),
        {"su2-rail1": ["gpu001.1 gpu004.1"], "through leaves": ["gpu003.1 gpu001.1"]},
    ),
    "a unit without tenants": (
        (NO_TENANTS, NEW_UNIT, ("su3-rail0", "su3-rail1", "gpu005", "gpu006")),
        {"through leaves": ["gpu001.0 gpu005.0", "gpu002.1 gpu006.1"]},
    ),
    "hosts first, without tenants": (
        (NO_TENANTS, NEW_UNIT, ("gpu005", "gpu006", "su3-rail0", "su3-rail1")),
        {"through leaves": []},
    ),
}


def planned(folder: Path, text: str, edits: dict[str, str], names: tuple[str, ...]):
    """Return the project that is planned, and the pings of the plan."""
    before = _project(folder / "before", text)
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new)
    after = _project(folder / "after", text)
    running = {name: _running(before, after, name) for name in names}
    moves = {
        name: tenant_moves(after.devices, running[name], {})
        for name in names
        if name in after.devices
    }
    others = (*after.devices, *after.hosts)
    unchanged = tuple(name for name in others if name not in names)
    plan = Plan("tenants", tuple((name,) for name in names), dict.fromkeys(names), unchanged)
    return after, leaf_pings(after, plan, None, moves, running)


def _project(folder: Path, text: str) -> Project:
    folder.mkdir(parents=True)
    (folder / "fabric.yaml").write_text(text, encoding="utf-8")
    return Project(folder)


def _running(before: Project, after: Project, name: str) -> Running:
    """Return what a device runs; a new one is as it comes from the box."""
    if name in after.devices:
        design = after.devices[name]
        known = name in before.devices
        text = before.switch_artefacts[name][0].text if known else f"hostname {name}\n"
        return Running.of_text(name, design.platform, text, saved=True)
    nics = planned_nics(before, name) if name in before.hosts else {}
    return Running(name, "host", {"nics": nics}, "", None, {})


def _words(project: Project, ping) -> str:
    ends = (
        f"{host}.{next(n.rail for n in project.hosts[host].nics if n.address == address)}"
        for host, address in ((ping.source_host, ping.source), (ping.target_host, ping.target))
    )
    return " ".join(ends)


@each("name", CASES)
def test_who_is_asked(tmp_path: Path, name: str) -> None:
    what, expected = CASES[name]
    project, pings = planned(tmp_path / name, *what)
    asked = {last: [_words(project, ping) for ping in own] for last, own in pings.joined.items()}
    through = expected.pop("through leaves", [])
    assert asked == expected
    assert [_words(project, ping) for ping in pings.pings.values()] == through


def test_the_plan_says_that_new_hosts_are_asked(tmp_path: Path) -> None:
    what, _ = CASES["a unit without tenants"]
    _, pings = planned(tmp_path, *what)
    lines = describe_pings(SimpleNamespace(leaf_pings=pings, rollout=None)).splitlines()
    assert lines[0].endswith(", or all that they reach, are new, or enter or leave a tenant")
    assert lines[1:] == ["pings after the waves of new hosts: 2 pairs of NICs"]


#: What the port of gpu001 is in by hand -> the beginning of the refusal.
BY_HAND = {
    "another tenant": (
        "Vrf18",
        "Ethernet1/1 is in blue (Vrf18) on the device, and in red ",
    ),
    "a VRF of nobody": ("CUSTOMER", ""),
}


@each("name", BY_HAND)
def test_a_port_that_somebody_moved(tmp_path: Path, name: str) -> None:
    vrf, refusal = BY_HAND[name]
    project = _project(tmp_path / name, TENANTS)
    running = _running(project, project, "su1-rail0")
    text = running.text.replace("   vrf Vrf17\n", f"   vrf {vrf}\n", 1)
    assert text != running.text
    changed = Running.of_text("su1-rail0", "eos", text, saved=True)
    moves = tenant_moves(project.devices, changed, {"Vrf17": "red", "Vrf18": "blue"})
    assert [said.startswith(refusal) for said in moves.refusals] == [True] * bool(refusal)
    assert moves.joined == (() if refusal else ("Ethernet1/1",))
    for words in ("revoke, plan and apply", "by hand", "`--only`"):
        assert all(words in said for said in moves.refusals)

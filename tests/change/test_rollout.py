"""Waves of a roll-out by failure domain, windows, and what is wrong between waves."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fabric.change.gates import Command
from fabric.change.model import Change, DevicePlan, Plan, Risk
from fabric.change.rollout import RolloutPlan, Stage
from fabric.change.stages import Stages
from fabric.change.windows import is_open, next_opening
from fabric.core.errors import InputError
from fabric.intent.rollout_model import Rollout, Window
from fabric.workflow.mixed import hazards
from fabric.workflow.mixed_sessions import MixedSessions
from fabric.workflow.project import Project
from fabric.workflow.rollout import _meanwhile, describe_stage
from fabric.workflow.sides import sides
from tests.cases import each
from tests.topology.fabrics import INVENTORY, example

EXAMPLES = sorted(path.parent.name for path in INVENTORY.glob("*/fabric.yaml"))
POLICIES = {
    "as it is": Rollout(),
    "small waves": Rollout(wave_size=2),
    "four rails": Rollout(rails_at_once=4),
    "much must stay": Rollout(rails_at_once=4, min_capacity_percent=80),
}


CHANGED = DevicePlan("leaf", "sonic", "leaf", "", "", "", "", "live", (), "", ())


def _stages(name: str, policy: Rollout) -> list[Stage]:
    fabric = example(name)
    return Stages(fabric, policy).of([*fabric.switches.names, *fabric.hosts.names])


@each("policy", POLICIES.values())
@each("name", EXAMPLES)
def test_no_wave_takes_a_whole_failure_domain(name: str, policy: Rollout) -> None:
    fabric = example(name)
    switches = fabric.switches
    stages = _stages(name, policy)
    every = [device for stage in stages for device in stage.names]
    assert sorted(every) == sorted([*switches.names, *fabric.hosts.names])
    for stage in stages:
        rows = [fabric.switch_row[one] for one in stage.names if one in fabric.switch_row]
        assert len(stage.names) <= policy.wave_size
        assert len({int(switches.tier[row]) for row in rows}) <= 1
        leaves = [row for row in rows if row < switches.leaf_count]
        pairs = [(int(switches.unit[row]), int(switches.rail[row])) for row in leaves]
        assert len(pairs) == len(set(pairs))
        assert len({rail for _, rail in pairs}) <= policy.rails_at_once
        planes = [(int(switches.pod[row]), int(switches.plane[row])) for row in rows]
        if not leaves:
            assert len(planes) == len(set(planes))
        assert stage.left_percent >= policy.min_capacity_percent or len(stage.names) == 1


def test_capacity_splits_a_wave() -> None:
    half = _stages("rail-only", Rollout(rails_at_once=4, min_capacity_percent=50))
    assert [(len(one.names), one.left_percent) for one in half[:2]] == [(4, 50.0), (4, 50.0)]
    most = _stages("rail-only", Rollout(rails_at_once=4, min_capacity_percent=80))
    assert [(len(one.names), one.left_percent) for one in most[:2]] == [(1, 87.5), (1, 87.5)]


#: Wave of the three tiers -> its line: what is left, and of what.
BETWEEN_PODS = {
    (
        "core01",
    ): "super-spine; meanwhile each pod keeps at least 75 % of its bandwidth to other pods",
    ("core01", "core02"): (
        "super-spine; meanwhile each pod keeps at least 50 % of its bandwidth to other pods, "
        "below the 60 % of min_capacity_percent"
    ),
    ("east-spine01", "west-spine01"): (
        "spine; meanwhile each unit keeps at least 50 % of its uplink bandwidth, below the 60 %"
    ),
    ("east-spine01", "west-spine02"): (
        "spine; meanwhile each pod keeps at least 0 % of its bandwidth to other pods, below"
    ),
}


@each("names", BETWEEN_PODS)
def test_bandwidth_between_pods_counts(names: tuple[str, ...]) -> None:
    fabric, policy = example("three-tier"), Rollout(min_capacity_percent=60)
    kind = fabric.switches.role(fabric.switch_row[names[0]])
    wave = Stage(kind, (*names, "gpu01"))  # the host changes without a loss
    stage = replace(Stages(fabric, policy).meanwhile(wave, names, (), ()), names=names)
    changes = (Change("x", "", "y", Risk.PORT_FLAP),)
    plans = {name: replace(CHANGED, device=name, changes=changes) for name in names}
    plan = Plan("three-tier", (names,), plans, rollout=RolloutPlan(policy, (stage,), ()))
    assert describe_stage(plan, 1).startswith(f": {BETWEEN_PODS[names]}"), describe_stage(plan, 1)


def test_a_wave_that_parts_pods_is_split() -> None:
    """The first spine of one pod and the second of another leave no super-spine to both."""
    stages = Stages(example("three-tier"), Rollout(min_capacity_percent=40))
    waves = stages.of(["east-spine01", "west-spine02"])
    assert [(wave.names, wave.left_percent) for wave in waves] == [
        (("east-spine01",), 50.0),
        (("west-spine02",), 50.0),
    ]
    assert len(stages.of(["east-spine01", "west-spine01"])) == 1


#: Risk of each leaf of a wave -> what its line says.
MEANWHILE = {
    (Risk.HARMLESS,) * 4: "leaf; if all of it fails, each unit keeps at least 50 % of its NIC",
    (Risk.BRIEF_LOSS,) * 4: "leaf; if all of it fails, each unit keeps at least 50 % of its NIC",
    (Risk.PORT_FLAP,) * 4: "leaf; meanwhile each unit keeps at least 50 % of its NIC",
    (Risk.PORT_FLAP, *(Risk.HARMLESS,) * 3): (
        "leaf; meanwhile each unit keeps at least 87.5 % of its NIC bandwidth, and hosts lose 8"
    ),
    (Risk.RESTART, Risk.PORT_FLAP, Risk.HARMLESS, Risk.BRIEF_LOSS): (
        "leaf; meanwhile each unit keeps at least 75 % of its NIC bandwidth, and hosts lose 16"
    ),
}


@each("risks", MEANWHILE)
def test_meanwhile_counts_what_a_change_takes_down(risks: tuple[Risk, ...]) -> None:
    policy = Rollout(rails_at_once=4)
    stages = Stages(example("rail-only"), policy)
    wave = stages.of([f"su1-rail{rail}" for rail in range(4)])
    plans = {
        name: replace(CHANGED, device=name, changes=(Change("x", "", "y", risk),))
        for name, risk in zip(wave[0].names, risks, strict=True)
    }
    down = {name for name, plan in plans.items() if plan.risk >= Risk.PORT_FLAP}
    [stage] = _meanwhile(stages, wave, down, MixedSessions())
    assert (stage.names, stage.hosts) == (wave[0].names, wave[0].hosts)
    rollout = RolloutPlan(policy, (stage,), ())
    plan = Plan("rail-only", (stage.names,), plans, rollout=rollout)
    assert describe_stage(plan, 1).startswith(f": {MEANWHILE[risks]}"), describe_stage(plan, 1)


def test_pairs_that_only_a_whole_wave_cuts_split_it() -> None:
    """Without both leaves of a unit its hosts reach nobody; without one they do."""
    stages = _stages("demo", Rollout(rails_at_once=2, min_capacity_percent=0))
    assert {one.cut_pairs for one in stages} == {0}
    assert {len(one.names) for one in stages if one.kind == "leaf"} == {1}


def test_canaries_come_first_and_alone() -> None:
    policy = Rollout.model_validate({"canary": {"devices": ["su2-rail1,spine02"], "hosts": 1}})
    stages = _stages("demo", policy)
    assert [(one.kind, one.names) for one in stages[:4]] == [
        ("canary", ("su2-rail1",)),
        ("canary", ("spine02",)),
        ("canary", ("gpu001",)),
        ("spine", ("spine01",)),
    ]
    wrong = Rollout.model_validate({"canary": {"devices": ["su9-rail1"]}})
    with pytest.raises(InputError, match="nothing was planned") as caught:
        _stages("demo", wrong)
    assert "su9-rail1" in caught.value.findings[0].message


def test_hosts_first() -> None:
    fabric = example("demo")
    names = [*fabric.switches.names, *fabric.hosts.names]
    stages = Stages(fabric, Rollout()).of(names, hosts_first=True)
    assert [one.kind for one in stages][:2] == ["host", "host"]
    assert stages[-1].kind == "leaf"


NIGHT = Window(days=("sat",), start="22:00", end="05:00", timezone="Europe/Berlin")
#: 2026-11-21 is a Saturday; Berlin is one hour ahead of UTC.
MOMENTS = {
    "before": ("2026-11-21 20:59", False, "2026-11-21 22:00"),
    "opens": ("2026-11-21 21:00", True, "2026-11-28 22:00"),
    "after midnight": ("2026-11-22 03:59", True, "2026-11-28 22:00"),
    "closes": ("2026-11-22 04:00", False, "2026-11-28 22:00"),
    "another night": ("2026-11-22 22:00", False, "2026-11-28 22:00"),
}


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_windows(moment: tuple[str, bool, str]) -> None:
    text, opened, following = moment
    now = datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    assert is_open([NIGHT], now) is opened
    assert next_opening([NIGHT], now).strftime("%Y-%m-%d %H:%M") == following


def test_no_window_is_always_open() -> None:
    assert is_open([], datetime.now(UTC))


@pytest.mark.parametrize(
    "window",
    [
        {"start": "25:00", "end": "05:00"},
        {"start": "22:00", "end": "05:00", "timezone": "../../etc/passwd"},
        {"start": "22:00", "end": "05:00", "timezone": "Europe/Atlantis"},
        {"start": "22:00", "end": "05:00", "days": ["caturday"]},
        {"start": "22:00", "end": "05:00", "days": []},
    ],
)
def test_a_wrong_window_is_rejected(window: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        Window.model_validate(window)


#: What a change of one line leaves between waves: words of the first hazard, or nothing.
CHANGES = {
    "another DSCP": ("roce_dscp: 26", "roce_dscp: 28", "lossless DSCPs are 26 on some devices"),
    "another priority": (
        "pfc_priority: 3",
        "pfc_priority: 4\n  traffic_class: 4\n  queue: 4\n  priority_group: 4",
        "lossless priorities are [4] here and [3] at ",
    ),
    "another AS of the spines": (
        "spine_asn: 65100",
        "spine_asn: 65200",
        "after waves 2 to 3: up to 48 of 56 pairs of NICs lose packets, for example su1-rail0: ",
    ),
    "other addresses of uplinks": ("10.254.0.0/21", "10.253.0.0/21", "packets do not arrive"),
    "a larger MTU of ports": ("lossless:", "lossless:\n  mtu: {port_bytes: 9200}", ""),
    "larger MTUs": ("lossless:", "lossless:\n  mtu: {port_bytes: 9214, host_bytes: 9200}", ""),
    "smaller MTUs": (
        "lossless:",
        "lossless:\n  mtu: {port_bytes: 4200, host_bytes: 4200}",
        "after waves 1 to 2: spine01 Ethernet1/1: an MTU of 4200 drops packets of 9000 bytes (and",
    ),
    "other thresholds": ("kmin_bytes: 150000", "kmin_bytes: 200000", ""),
    "another server": ("192.0.2.20", "192.0.2.21", ""),
    "nothing": ("rails: 2", "rails: 2", ""),
}


RED, BLUE = '{name: red, id: 17, hosts: "gpu[001,003]"}', "{name: blue, id: 18, hosts: gpu002"
BOTH = f"{RED}\n  - {BLUE}"
HOST_MOVED = '{name: red, id: 17, hosts: "gpu[001-003]"}\n  - {name: blue, id: 18'
DIVIDED = f"{{name: green, id: 19, hosts: gpu001}}\n  - {RED.replace('001,', '')}\n  - {BLUE}"
#: Red has the VRF that blue had, and blue that of red.
SWAPPED = BOTH.replace("17", "X").replace("18", "17").replace("X", "18")
#: The same where all NICs are of tenants: their pairs count as traffic.
TENANTS = {
    "another priority": (
        "lossless:",
        "lossless:\n  pfc_priority: 4\n  traffic_class: 4\n  queue: 4\n  priority_group: 4",
        "lossless priorities are [4] here and [3] at ",
    ),
    "another AS of the spines": (
        "spine_asn: 65100",
        "spine_asn: 65200",
        "during waves 2 to 4: up to all 18 pairs of NICs lose packets, for example su1-rail1: ten",
    ),
    "smaller MTUs": (
        "lossless:",
        "lossless:\n  mtu: {port_bytes: 4200, host_bytes: 4150}",
        "drops packets of 9050 bytes",
    ),
    "a NIC gets a tenant": (
        'hosts: "gpu[001,003]"}',
        'hosts: "gpu[001,003]", nics: {gpu004: [1]}}',
        "",
    ),
    "a host goes to another tenant": (BOTH, HOST_MOVED, ""),
    "a tenant is divided": (BOTH, DIVIDED, "tenant green: 1 pair of NICs is cut"),
    "tenants swap their VRFs": (BOTH, SWAPPED, "NICs of tenant blue reach those of red, such as"),
    "nothing": ("rails: 2", "rails: 2", ""),
}
STATES = {
    **{f"demo: {name}": ("demo", *change) for name, change in CHANGES.items()},
    **{f"tenants: {name}": ("tenants", *change) for name, change in TENANTS.items()},
}


@pytest.mark.parametrize("name", STATES)
def test_states_between_waves(name: str, tmp_path: Path) -> None:
    base, old, new, words = STATES[name]
    folder = shutil.copytree(INVENTORY / base, tmp_path / base)
    text = (folder / "fabric.yaml").read_text()
    assert old in text
    (folder / "fabric.yaml").write_text(text.replace(old, new))
    before, after = Project(INVENTORY / base), Project(folder)
    stages = Stages(after.fabric, Rollout()).of([*after.devices, *after.hosts])
    problems = hazards(
        after, [one.names for one in stages], sides(before, {})[1], sides(after, {})[1]
    )
    assert bool(problems) is bool(words)
    assert any(words in problem for problem in problems) or not words
    everything = Stage("leaf", (*after.devices, *after.hosts))
    assert not hazards(after, [everything.names], sides(before, {})[1], sides(after, {})[1])


def test_a_fabric_without_traffic_has_none_to_lose() -> None:
    project = Project(INVENTORY / "demo")
    stages = Stages(project.fabric, Rollout()).of([*project.devices, *project.hosts])
    after = sides(project, {})[1]
    texts = {
        name: '{"PORT": {}, "DEVICE_METADATA": {"localhost": {}}}'
        if project.devices[name].platform == "sonic"
        else f"hostname {name}"
        for name in after.texts
    }
    fresh = replace(after, texts=texts)
    assert hazards(project, [one.names for one in stages], fresh, after) == []


STAGE = Stage("leaf", ("su1-rail0",))
COMMANDS = {
    "content": (("sh", "-c", "cat > wave.json"), []),
    "not content": (
        ("sh", "-c", "echo 'no: \x1b[31mdrops' >&2; exit 7"),
        ["sh ended with 7: no: [31mdrops"],
    ),
    "absent": (("no-such-command-here",), ["no-such-command-here cannot be run: No such file"]),
    "slow": (("sleep", "60"), ["sleep did not end within 1 s"]),
    "no password": (("sh", "-c", 'test -z "$ROCEFAB_PASSWORD"'), []),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_as_a_gate(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    argv, expected = COMMANDS[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROCEFAB_PASSWORD", "secret")
    problems = Command(argv, 1).after_change(STAGE)
    assert len(problems) == len(expected)
    assert all(text in problem for text, problem in zip(expected, problems, strict=True))
    if name == "content":
        assert (tmp_path / "wave.json").read_text() == (
            '{"moment": "after-change", "kind": "leaf", "devices": ["su1-rail0"]}'
        )
